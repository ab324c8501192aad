package gen

import (
	"reflect"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// planBreakpoints is the first part of algorithm 1. Lines without code are
// asked for now and then, as users do.
func (g *Generator) planBreakpoints() {
	set := map[source.Place]bool{}
	add := func(p source.Place) {
		if len(set) >= g.cfg.Most || set[p] {
			return
		}
		set[p] = true
		a := dap.Action{Kind: dap.Break, File: p.File, Line: p.Line}
		if g.r.Float64() < g.cfg.Features {
			g.feature(&a)
		}
		g.plan = append(g.plan, a)
		if g.r.Float64() < g.cfg.Removals {
			g.plan = append(g.plan, dap.Action{Kind: dap.Unbreak, File: p.File, Line: p.Line})
			delete(set, p)
		}
	}
	if g.cfg.Functions {
		if points := atFunctions(g.r, g.src, g.cfg.Most); len(points) > 1 {
			g.plan = points
			return
		}
	}
	g.cfg.Functions = false
	if g.r.IntN(40) == 0 { // on each line
		g.cfg.Breakpoints, g.cfg.Most = 1, manyPoints
	}
	for _, i := range g.r.Perm(len(g.code)) {
		if g.r.Float64() < g.cfg.Breakpoints {
			add(g.code[i])
		}
	}
	for _, f := range g.src.Files {
		if g.r.Float64() < 0.15 {
			add(source.Place{File: f.Name, Line: 1 + g.r.IntN(f.Lines())})
		}
	}
	if funcs := g.src.Funcs(); len(funcs) > 0 && g.r.Float64() < 0.3 {
		fn := funcs[g.r.IntN(len(funcs))]
		if g.r.Float64() < 0.5 {
			add(source.Place{File: fn.File, Line: fn.Line})
		} else {
			g.plan = append(g.plan, g.entry(fn))
		}
	}
	if g.r.IntN(10) == 0 {
		g.plan = append(g.plan, dap.Action{Kind: dap.Catch, Name: pick(g.r, Caught())})
	}
	// Without a breakpoint there would be no pause at all (Tolksdorf et al.,
	// section 2.2).
	for len(set) == 0 && len(g.code) > 0 {
		add(g.code[g.r.IntN(len(g.code))])
	}
}

// feature gives a breakpoint a condition, a hit condition or a log message.
// Before the program runs no variable has been seen, so these are closed
// expressions; see reconsider for those over variables.
func (g *Generator) feature(a *dap.Action) {
	switch g.r.IntN(6) {
	case 0:
		a.Condition = pick(g.r, []string{"true", "1 < 2", "len(\"ab\") == 2", "false"})
	case 1:
		a.Hit = pick(g.r, HitConditions())
	case 2:
		a.Log = pick(g.r, append(LogTexts(), "seen {1+1}"))
	}
}

// manyPoints bounds the breakpoints of a session that has one on each line.
const manyPoints = 300

// entry is a breakpoint at a function, by one of the names that debuggers know it by, and with
// features now and then. The name of a generic one means all of its instances.
func (g *Generator) entry(fn source.Func) dap.Action {
	a := dap.Action{Kind: dap.FuncBreak, Name: fn.Name}
	if g.r.IntN(4) == 0 {
		a.Name = pick(g.r, spellings(fn.Name))
	}
	if g.r.Float64() < g.cfg.Features {
		g.feature(&a)
		a.Log = "" // DAP has none for functions
	}
	return a
}

// spellings are all names of a function: its own, without the package, and of a method with a pointer
// receiver without saying so.
func spellings(name string) []string {
	names := []string{name}
	_, bare, ok := strings.Cut(name, ".")
	if !ok || name == "main.main" {
		return names // the linker's start has the shorter name, too
	}
	names = append(names, bare)
	if strings.Contains(name, "(*") {
		star := strings.NewReplacer("(*", "", ")", "")
		names = append(names, star.Replace(name), star.Replace(bare))
	}
	return names
}

// amend gives a breakpoint that is set another condition, hit condition or log message, or takes
// them away; some conditions are wrong, as while a user types, and mended later.
func (g *Generator) amend(v View, p *dap.Pause) (dap.Action, bool) {
	return g.amended(v, p, g.r.IntN(amendments))
}

// amendments is how many ways there are to amend a breakpoint, those that come more often counted so often.
const amendments = 8

// amended amends one in the nth way.
func (g *Generator) amended(v View, p *dap.Pause, n int) (dap.Action, bool) {
	all := slices.DeleteFunc(v.Breakpoints(), func(a dap.Action) bool { return a.Kind == dap.DataBreak })
	if len(all) == 0 {
		return dap.Action{}, false
	}
	a := pick(g.r, all)
	was := a
	a.Condition, a.Hit, a.Log = "", "", ""
	here := false // whether what is shown makes sense at the breakpoint, too
	if fn := g.src.FuncAt(source.Place{File: p.Top().File, Line: p.Top().Line}); fn != nil && a.Kind == dap.Break {
		here = a.File == fn.File && a.Line >= p.Top().Line && a.Line <= fn.End
	}
	switch n {
	case 0, 1:
		g.feature(&a)
	case 2, 3:
		a.Hit = pick(g.r, HitConditions())
	case 4, 5:
		if c, ok := g.condition(p); ok && here {
			a.Condition = c
		}
	case 6:
		if e, ok := g.expression(p, 0); ok && here && !strings.ContainsAny(e, "{}") {
			a.Log = "at {" + e + "}"
		}
	case 7:
		a.Condition = pick(g.r, []string{"1 +", "nosuchname > 1", `"text"`, "1 / 0 == 1"})
		g.plan = append(g.plan, dap.Action{Kind: dap.Next}, was)
	}
	if a.Kind != dap.Break {
		a.Log = ""
	}
	return a, !reflect.DeepEqual(a, was)
}

// HitConditions are conditions on the number of a hit, as Delve has them.
func HitConditions() []string {
	return []string{">=1", ">1", "2", "==1", "% 2", "<3", "!=2", "<=2", ">= 3", "== 2", "%3", "> 2"}
}

// Caught are what a program may be asked to pause for when it goes wrong: all filters, none, or one alone, as Delve has them. An adapter
// that has not got a filter does not pause for it.
func Caught() []string { return []string{"all", "none", "unrecovered-panic", "runtime-fatal-throw"} }

// LogTexts are what log points print that have no expressions: plain words, and signs that mean something elsewhere, such as in the
// format of a print statement.
func LogTexts() []string {
	return []string{"here", "passed again", `a "quoted" text`, `back\slash \n`, "größer → ½", "100% of it", "%d, %s and %v"}
}

// breakHere sets a breakpoint near what is shown: in the functions on the
// stack, with a condition or a log message over what is in scope there.
func (g *Generator) breakHere(v View, p *dap.Pause) (dap.Action, bool) {
	top := source.Place{File: p.Top().File, Line: p.Top().Line}
	fn := g.src.FuncAt(top)
	if fn == nil || len(v.Breakpoints()) >= g.cfg.Most {
		return dap.Action{}, false
	}
	var lines []source.Place
	for _, c := range g.code {
		if c.File == fn.File && c.Line >= fn.Line && c.Line <= fn.End {
			lines = append(lines, c)
		}
	}
	if len(lines) == 0 {
		return dap.Action{}, false
	}
	at := pick(g.r, lines)
	a := dap.Action{Kind: dap.Break, File: at.File, Line: at.Line}
	for _, b := range v.Breakpoints() {
		if b.Kind == dap.Break && b.File == a.File && b.Line == a.Line {
			return dap.Action{}, false
		}
	}
	if g.r.Float64() < 2*g.cfg.Features && at.Line >= top.Line {
		switch g.r.IntN(3) {
		case 0:
			if c, ok := g.condition(p); ok {
				a.Condition = c
			}
		case 1:
			a.Hit = pick(g.r, HitConditions())
		case 2:
			if e, ok := g.expression(p, 0); ok && !strings.ContainsAny(e, "{}") {
				a.Log = "at {" + e + "}"
			}
		}
	}
	return a, true
}
