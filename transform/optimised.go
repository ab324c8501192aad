package transform

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// optimised compares a session with an optimised build. The two need not pause
// equally often, as a line may have no instruction left or several places. So
// breakpoints are followed one by one until the program ends: each that is
// verified and was hit in the base is hit; the n-th pause at a breakpoint that
// pauses equally often in both shows no value, no function and no caller that is
// another. Values are compared of variables that both show under one name and
// type, in basic types. A breakpoint at a function stands at its head or at its
// first statement, if that has code at all, which is found by setting a breakpoint
// there for a moment; where that is set, one at the function is as well. Where functions are inlined and no more, variables are
// kept: each is shown that was.
func (d *Driver) optimised(rel *Relation, kept bool) error {
	truth := map[string][]*dap.Pause{}
	index := map[string]int{}
	complete := false // the base saw all pauses
	for i := range d.Base {
		e := &d.Base[i]
		complete = complete || e.Action.Kind == dap.Continue && e.Output.Kind == dap.Ended
		if p := e.Output.Pause; p != nil {
			for _, h := range p.Hit {
				truth[h] = append(truth[h], p)
				index[h] = i
			}
		}
	}
	entries, err := d.entries()
	if err != nil {
		return err
	}
	refused, err := d.breakpoints()
	if err != nil {
		return err
	}
	got, end, err := d.allPauses()
	if err != nil {
		return err
	}
	if last := len(d.Base) - 1; last >= 0 && d.Base[last].Output.Exit != nil {
		d.Checks++
		if diff := dap.Diff(&d.Base[last].Output, end, dap.Lens{NoLogs: true}); diff != nil {
			return &Mismatch{Index: last, Action: d.Base[last].Action, Diff: diff}
		}
	}
	for _, h := range slices.Sorted(maps.Keys(truth)) {
		i := index[h]
		if d.inlined(h) || d.head(h) || kept && len(got[h]) == 0 {
			continue
		}
		d.Checks++
		if lines, ok := entries[h]; ok && refused[h] != "" && !strings.Contains(refused[h], "exists") {
			return &Mismatch{Index: i, Action: d.Base[i].Action, At: h, Diff: &dap.Difference{
				Kind: dap.DiffBreakpoint, What: "the breakpoint " + h, A: fmt.Sprintf("set, as one at %s:%d is, in its first statement", lines.File, lines.Last), B: refused[h],
			}}
		}
		if refused[h] == "" && len(got[h]) == 0 {
			return &Mismatch{Index: i, Action: d.Base[i].Action, At: h, Diff: &dap.Difference{
				Kind: dap.DiffLocation, What: "pauses at the breakpoint " + h, A: fmt.Sprint(len(truth[h])), B: "0",
			}}
		}
		if lines, ok := entries[h]; ok && !kept {
			for _, p := range got[h] {
				d.Checks++
				// The first instruction may be that of a function which was inlined there.
				if top := p.Top(); !slices.ContainsFunc(p.Stack, func(f dap.Frame) bool {
					return f.Place == top.Place && lines.Has(rel.physical(placeOf(f)))
				}) {
					return &Mismatch{Index: i, Action: d.Base[i].Action, At: h, Diff: &dap.Difference{
						Kind: dap.DiffLocation, What: "where the breakpoint at the function stands",
						A: fmt.Sprintf("%s:%d to %d", lines.File, lines.First, lines.Last), B: placeOf(top).String(),
					}}
				}
			}
		}
		if !complete || len(got[h]) != len(truth[h]) {
			continue
		}
		// A line may be of several functions, such as one with a literal, whose pauses come in another order.
		was, now := byFunction(truth[h]), byFunction(got[h])
		for _, fn := range slices.Sorted(maps.Keys(was)) {
			here := now[fn]
			if len(was) == 1 {
				here = got[h]
			}
			if len(was[fn]) != len(here) {
				continue
			}
			for n, p := range was[fn] {
				if diff := d.truthful(rel, p, here[n], kept); diff != nil {
					return &Mismatch{Index: i, Action: d.Base[i].Action, At: h, Diff: diff}
				}
			}
		}
	}
	return nil
}

// entries are the lines at which the base's function breakpoints may stand.
func (d *Driver) entries() (map[string]Lines, error) {
	entries := map[string]Lines{}
	for _, e := range d.Base {
		if e.Action.Kind != dap.FuncBreak {
			continue
		}
		lines, ok, err := d.entry(e.Action.Name)
		if err != nil {
			return nil, err
		}
		if ok {
			entries["func "+e.Action.Name] = lines
		}
	}
	return entries, nil
}

// breakpoints sets those of the base, and says which are refused, and why.
func (d *Driver) breakpoints() (map[string]string, error) {
	refused := map[string]string{}
	for _, e := range d.Base {
		a := e.Action
		key := source.Place{File: a.File, Line: a.Line}.String()
		switch a.Kind {
		case dap.Break:
		case dap.FuncBreak:
			key = "func " + a.Name
		default:
			continue
		}
		out, err := d.Do(a)
		if err != nil {
			return nil, err
		}
		if out.Breakpoint == nil || !out.Breakpoint.Verified {
			refused[key] = out.String()
		}
	}
	return refused, nil
}

// allPauses lets the program run to its end, from breakpoint to breakpoint.
func (d *Driver) allPauses() (got map[string][]*dap.Pause, end *dap.Output, err error) {
	got = map[string][]*dap.Pause{}
	for range 10 * maxContinues {
		out, err := d.Do(dap.Action{Kind: dap.Continue})
		switch {
		case err != nil:
			return nil, nil, err
		case out.Pause == nil:
			return got, out, nil
		case out.Pause.Exception():
			return nil, nil, NotMadef("the program panics")
		}
		for _, h := range out.Pause.Hit {
			got[h] = append(got[h], out.Pause)
		}
	}
	return nil, nil, NotMadef("more than %d pauses", 10*maxContinues)
}

// byFunction groups pauses by the function that they are in, as it is known without what it was inlined into.
func byFunction(pauses []*dap.Pause) map[string][]*dap.Pause {
	groups := map[string][]*dap.Pause{}
	for _, p := range pauses {
		fn := uninlined(p.Top().Func)
		groups[fn] = append(groups[fn], p)
	}
	return groups
}

// truthful holds a pause of the optimised build against the truth. Kept says that variables are where they were.
func (d *Driver) truthful(rel *Relation, was, now *dap.Pause, kept bool) *dap.Difference {
	own := func(p *dap.Pause) []dap.Frame {
		return slices.DeleteFunc(slices.Clone(p.Stack), func(f dap.Frame) bool { return !rel.Old.Own(f.File) })
	}
	names := func(frames []dap.Frame) (fs []string) {
		for _, f := range frames {
			fs = append(fs, uninlined(f.Func))
		}
		return fs
	}
	if now.Top().File == "" {
		return nil // in a wrapper of the compiler's, into which the function was inlined (tolerance inlined-wrapper)
	}
	before, after := own(was), own(now)
	inlined := false // the first instruction is that of functions that were inlined there
	for len(after) > len(before) && after[0].Place != "" && after[0].Place == after[1].Place {
		after, inlined = after[1:], true
	}
	a, b := names(before), names(after)
	for i := range min(len(a), len(b)) {
		// Literals within literals of a generic function have the name of the one that it is inlined into alone.
		if strings.Contains(before[i].Func, "[") && strings.HasSuffix(a[i], literalName) && strings.HasSuffix(b[i], literalName) {
			b[i] = a[i]
		}
	}
	if same := slices.Equal(a, b); !same && kept {
		return nil // what was inlined there
	} else if !same {
		return &dap.Difference{Kind: dap.DiffStack, What: "the program's functions on the stack", A: strings.Join(a, " < "), B: strings.Join(b, " < ")}
	}
	if inlined {
		return nil // whose variables are shown
	}
	lens := d.Lens(dap.Lens{}, 0)
	for _, s := range was.Scopes {
		for _, v := range s.Vars {
			w := now.Var(v.Name)
			// Literals have other numbers where some of them were inlined.
			if w == nil && kept && !strings.Contains(was.Top().Func, ".func") && dap.BareFunc(was.Top().Func) == dap.BareFunc(now.Top().Func) && lens.Settled(was.Top(), v.Name) && !strings.ContainsAny(v.Name, "()~&. ") {
				return &dap.Difference{Kind: dap.DiffVariables, What: v.Name, A: "shown", B: "not shown"}
			}
			if w == nil || w.Type != v.Type || !basicValue(v) || strings.HasPrefix(w.Value, "(unreadable") {
				continue
			}
			if !lens.Settled(was.Top(), v.Name) {
				continue
			}
			if v.Value != w.Value {
				return &dap.Difference{Kind: dap.DiffVariables, What: v.Name, A: v.Value, B: w.Value}
			}
		}
	}
	return nil
}

// literalNumbers are what the compiler adds to a function's name for the literals in it.
var literalNumbers = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+|-range\d+)+$`)

// uninlined is a declared function, and of a literal the name of the declared function around it, without its
// package and type. A literal in a function that was inlined has the names of the callers, literals among
// them, before that of its own function (tolerance inlined-literals).
func uninlined(name string) string {
	plain := source.WithoutTypes(name)
	around := literalNumbers.ReplaceAllString(plain, "")
	if around == plain {
		return plain
	}
	return around[strings.LastIndex(around, ".")+1:] + literalName
}

// literalName is what stands behind the name of a function for a literal in it.
const literalName = ".func"

// inlined reports whether a breakpoint is at a line of a function that is inlined wherever it is called: at a call with
// constants its branches are known, so that a line may run without having code there (tolerance inlined-away).
func (d *Driver) inlined(breakpoint string) bool {
	file, line, err := dap.ParsePlace(breakpoint)
	symbols := d.Session.Target().Symbols
	if err != nil || symbols == nil {
		return false
	}
	fn := d.Source.FuncAt(source.Place{File: file, Line: line})
	return fn != nil && !fn.Generic && !symbols.Has(d.Source.Symbol(fn))
}

// head reports whether a breakpoint is at the line on which a function begins: what is inlined has no code there, and the
// function may be inlined in each of its calls that is executed, though not in all (tolerance inlined-away).
func (d *Driver) head(breakpoint string) bool {
	file, line, err := dap.ParsePlace(breakpoint)
	if err != nil {
		return false
	}
	fn := d.Source.FuncAt(source.Place{File: file, Line: line})
	return fn != nil && fn.Line == line && len(fn.Decl.Body.List) > 0 && d.Source.Line(fn.Decl.Body.List[0].Pos()) > d.Source.Line(fn.Decl.Pos())
}

// basicValue reports whether a variable's value is told by its text.
func basicValue(v dap.Variable) bool {
	switch v.Type {
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "bool", "string", "float32", "float64":
		return true
	}
	return false
}

// entry are the lines at which a breakpoint at a function may stand; it is not
// ok if its first statement has no code.
func (d *Driver) entry(name string) (_ Lines, ok bool, _ error) {
	fn, ok := declared(d.Source, name)
	if !ok || len(fn.Decl.Body.List) == 0 {
		return Lines{}, false, nil
	}
	first := fn.Decl.Body.List[0]
	file := d.Source.FileOf(fn.Decl.Pos()).Name
	lines := Lines{file, d.Source.Line(fn.Decl.Pos()), d.Source.Line(first.End())}
	// The code of a line with a literal may be that of the literal alone.
	literal := map[int]bool{}
	ast.Inspect(first, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			for line := d.Source.Line(lit.Pos()); line <= d.Source.Line(lit.End()); line++ {
				literal[line] = true
			}
		}
		return true
	})
	for line := d.Source.Line(first.Pos()); line <= lines.Last; line++ {
		if literal[line] {
			continue
		}
		p := d.Source.Named(file, line)
		out, err := d.Do(dap.Action{Kind: dap.Break, File: p.File, Line: p.Line})
		if err != nil {
			return lines, false, err
		}
		ok := out.Breakpoint != nil && out.Breakpoint.Verified && out.Breakpoint.Line == p.Line
		if _, err := d.Do(dap.Action{Kind: dap.Unbreak, File: p.File, Line: p.Line}); err != nil {
			return lines, false, err
		}
		if ok {
			return lines, true, nil
		}
	}
	return lines, false, nil
}
