package lines

import (
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"
)

// A Function is what the debug information says of a function and its variables (DWARF, sections 3.3 and 4.1).
type Function struct {
	Name string
	// Wrapper says that the compiler has made it to call another one.
	Wrapper bool
	// Parameters are those with names of the program's.
	Parameters []string
	// Visible are the other variables that are declared before a line, in the blocks around an instruction.
	Visible []string
	// Names are the variables of all its blocks.
	Names []string
	// Nowhere are variables and results without a place at the instruction, so that what they are there is not to be known. Of several with one name,
	// none has one.
	Nowhere []string
}

// Declared says what the function is that has the instruction at an address, and which variables it has there, at a line.
// What is inlined into it belongs to others. It is not ok where there is none.
func (t *Table) Declared(addr uint64, line int) (Function, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	unit, err := t.data.Reader().SeekPC(addr)
	if err != nil {
		return Function{}, false
	}
	subs, ok := t.subs[unit.Offset]
	if !ok {
		if subs, err = t.subprograms(unit); err != nil {
			subs = nil // nothing is known of it
		}
		t.subs[unit.Offset] = subs
	}
	for _, s := range subs {
		if s.low <= addr && addr < s.high {
			f, err := t.function(unit, s.at, addr, line)
			return f, err == nil
		}
	}
	return Function{}, false
}

// A subprogram is where the code of a function lies, and where its entry is.
type subprogram struct {
	low, high uint64
	at        dwarf.Offset
}

func (t *Table) subprograms(unit *dwarf.Entry) ([]subprogram, error) {
	r := t.data.Reader()
	r.Seek(unit.Offset)
	if _, err := r.Next(); err != nil {
		return nil, fmt.Errorf("reading a compilation unit: %w", err)
	}
	var subs []subprogram
	for {
		e, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("reading a compilation unit: %w", err)
		}
		if e == nil || e.Tag == 0 {
			return subs, nil
		}
		if e.Tag == dwarf.TagSubprogram {
			if ranges, err := t.data.Ranges(e); err == nil {
				for _, r := range ranges {
					subs = append(subs, subprogram{r[0], r[1], e.Offset})
				}
			}
		}
		r.SkipChildren()
	}
}

func (t *Table) function(unit *dwarf.Entry, at dwarf.Offset, addr uint64, line int) (f Function, err error) {
	r := t.data.Reader()
	r.Seek(at)
	e, err := r.Next()
	if err != nil {
		return Function{}, fmt.Errorf("reading a function: %w", err)
	}
	f.Name, _ = t.called(e)
	_, f.Wrapper = e.Val(dwarf.AttrTrampoline).(bool)
	var nowhere []string
	placed := map[string]bool{}
	defer func() { f.Nowhere = slices.DeleteFunc(nowhere, func(name string) bool { return placed[name] }) }()
	around := []bool{true} // of each block, whether the instruction is in it
	if !e.Children {
		return f, nil
	}
	for {
		e, err := r.Next()
		if err != nil {
			return f, fmt.Errorf("reading %s: %w", f.Name, err)
		}
		switch {
		case e == nil:
			return f, nil
		case e.Tag == 0:
			if around = around[:len(around)-1]; len(around) == 0 {
				return f, nil
			}
			continue
		case e.Tag == dwarf.TagLexDwarfBlock:
			if e.Children {
				ranges, err := t.data.Ranges(e)
				in := err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= addr && addr < r[1] })
				around = append(around, around[len(around)-1] && in)
			}
			continue
		case e.Tag == dwarf.TagFormalParameter || e.Tag == dwarf.TagVariable:
			name, declared := t.called(e)
			name = strings.TrimPrefix(name, "&")
			if t.nowhere(unit, e, addr) {
				nowhere = append(nowhere, name)
			} else {
				placed[name] = true
			}
			if name == "" || name == "_" || strings.ContainsAny(name[:1], ".~") {
				break
			}
			f.Names = append(f.Names, name)
			switch {
			case e.Tag == dwarf.TagFormalParameter && len(around) == 1 && !slices.Contains(f.Parameters, name):
				f.Parameters = append(f.Parameters, name)
			case e.Tag == dwarf.TagVariable && around[len(around)-1] && declared > 0 && declared < line:
				f.Visible = append(f.Visible, name)
			}
		}
		r.SkipChildren()
	}
}

// called is the name of what an entry is about, and the line that declares it: those of the entry itself, or of the one that it
// is an instance of.
func (t *Table) called(e *dwarf.Entry) (name string, line int) {
	if of, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r := t.data.Reader()
		r.Seek(of)
		if origin, err := r.Next(); err == nil && origin != nil {
			name, line = t.called(origin)
		}
	}
	if s, ok := e.Val(dwarf.AttrName).(string); ok {
		name = s
	}
	if n, ok := e.Val(dwarf.AttrDeclLine).(int64); ok {
		line = int(n)
	}
	return name, line
}
