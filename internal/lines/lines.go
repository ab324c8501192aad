// Package lines says which line of a file an instruction of a binary is of, where the statements of a line begin, and which
// variables the function around an instruction declares, and has a place for there.
//
// It reads the debug information (DWARF, sections 3 and 6.2, by debug/dwarf), a compilation unit at a time, when something in
// that is asked for. Debuggers read the same table by programs of their own, which may be wrong.
//
// Covered are ELF binaries. Not covered: which function was inlined where.
package lines

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
)

// A Table is a binary's line table. It may be used concurrently.
type Table struct {
	data   *dwarf.Data
	places places

	mu    sync.Mutex
	units map[dwarf.Offset][]row
	subs  map[dwarf.Offset][]subprogram
}

// A row is where instructions of a line begin; of the end of a sequence, the line is 0.
type row struct {
	addr      uint64
	file      string
	line      int
	statement bool
	// unsure says that another row of another line is at the address, in code of a compiler that has several lines begin at an
	// instruction, as GCC does: which of them counts is not said.
	unsure bool
}

// Open reads the line table of an ELF binary.
func Open(binary string) (*Table, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return nil, fmt.Errorf("reading the line table of %s: %w", binary, err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil, fmt.Errorf("reading the debug information of %s: %w", binary, err)
	}
	return &Table{data: data, places: placesOf(f), units: map[dwarf.Offset][]row{}, subs: map[dwarf.Offset][]subprogram{}}, nil
}

// At is the line of the instruction at an address. The file is as the compiler wrote it. It is not ok if the table has
// nothing there, or several lines of which none counts more than the others.
func (t *Table) At(addr uint64) (file string, line int, ok bool) {
	r := t.row(addr)
	return r.file, r.line, r.line > 0 && !r.unsure
}

// row is the last that begins at an address or before it; of line 0 if the table has nothing there.
func (t *Table) row(addr uint64) row {
	rows := t.unit(addr)
	i, _ := slices.BinarySearchFunc(rows, addr, func(r row, addr uint64) int {
		if r.addr <= addr {
			return -1
		}
		return 1
	})
	if i == 0 {
		return row{}
	}
	return rows[i-1]
}

// Beginning is the line of a statement that begins at the very instruction at an address. It is not ok if none does.
func (t *Table) Beginning(addr uint64) (file string, line int, ok bool) {
	r := t.row(addr)
	return r.file, r.line, r.line > 0 && r.addr == addr && r.statement
}

// OneLine reports whether all instructions from one address to another, that one included, are of one line: the code of a line may lie
// in several places, such as where the branches of a statement meet again.
func (t *Table) OneLine(from, to uint64) bool {
	file, line, ok := t.At(from)
	return ok && from <= to && !slices.ContainsFunc(t.unit(from), func(r row) bool {
		return from < r.addr && r.addr <= to && (r.file != file || r.line != line)
	})
}

// Apart is the number of places in which a statement begins on the line of an instruction, with other lines' code between them: the
// compiler may have put a statement behind each way that leads to it, or inlined the function that it is in.
func (t *Table) Apart(addr uint64) (n int) {
	file, line, ok := t.At(addr)
	if !ok {
		return 0
	}
	inside := false // among the line's instructions, after a beginning
	for _, r := range t.unit(addr) {
		of := r.file == file && r.line == line
		if of && r.statement && !inside {
			n++
		}
		inside = of && (inside || r.statement)
	}
	return n
}

// Begins reports whether a statement of a line begins somewhere in the compilation units that have some addresses. The file
// is known by the last element of its path. One without a folder is another, which a line directive names: the compiler may write such a name
// as it stands.
func (t *Table) Begins(addrs []uint64, file string, line int) bool {
	return slices.ContainsFunc(t.Beginnings(addrs), func(p Place) bool {
		return p.Line == line && path.Base(p.File) == path.Base(file) && p.File != path.Base(p.File)
	})
}

// A Place is a line of a file, as the compiler wrote it.
type Place struct {
	File string
	Line int
}

// Beginnings are the lines of the compilation units that have some addresses at which a statement begins, each once. Assembly
// has units of its own.
func (t *Table) Beginnings(addrs []uint64) []Place {
	var all []Place
	seen := map[*row]bool{}
	for _, addr := range addrs {
		rows := t.unit(addr)
		if len(rows) == 0 || seen[&rows[0]] {
			continue
		}
		seen[&rows[0]] = true
		for _, r := range rows {
			if r.statement && r.line > 0 {
				all = append(all, Place{r.file, r.line})
			}
		}
	}
	slices.SortFunc(all, func(a, b Place) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return slices.Compact(all)
}

// unit are the rows of the compilation unit that has an address, in the order of their addresses; of several at one the
// last, which is the one that counts.
func (t *Table) unit(addr uint64) []row {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.data.Reader().SeekPC(addr)
	if err != nil {
		return nil
	}
	if rows, ok := t.units[e.Offset]; ok {
		return rows
	}
	rows, err := t.read(e)
	if err != nil {
		rows = nil // nothing is known of it
	}
	t.units[e.Offset] = rows
	return rows
}

// What the languages are called (DWARF 5, section 7.12, and GNU's extension for assembly).
const languageGo, languageAssembly = 0x16, 0x8001

func (t *Table) read(unit *dwarf.Entry) ([]row, error) {
	r, err := t.data.LineReader(unit)
	if err != nil || r == nil {
		return nil, err
	}
	var rows []row
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		switch {
		case e.EndSequence:
			rows = append(rows, row{addr: e.Address})
		case e.File != nil:
			rows = append(rows, row{addr: e.Address, file: e.File.Name, line: e.Line, statement: e.IsStmt})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		// Where one sequence ends another may begin.
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(min(a.line, 1), min(b.line, 1)))
	})
	if of, ok := unit.Val(dwarf.AttrLanguage).(int64); ok && of != languageGo && of != languageAssembly {
		for i := 1; i < len(rows); i++ {
			if a, b := &rows[i-1], &rows[i]; a.addr == b.addr && a.line > 0 && (a.line != b.line || a.file != b.file || a.unsure) {
				a.unsure, b.unsure = true, true
			}
		}
	}
	return rows, nil
}
