package reference

import (
	"reflect"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/history"
	"misstep/history/timeline"
)

// entry is a breakpoint at a function that is executed.
func (t *Tour) entry() (dap.Action, bool) {
	var names []string
	for _, th := range t.m.Threads {
		for n := th.Lo; n < th.Hi; n++ {
			if fn := t.m.Moments[n].Activation.Func; t.m.Plan.Funcs[fn].Name != "main.main" && len(t.m.named(t.m.Plan.Funcs[fn].Name)) == 1 && !slices.Contains(names, t.m.Plan.Funcs[fn].Name) {
				names = append(names, t.m.Plan.Funcs[fn].Name)
			}
			if len(names) > 20 {
				break
			}
		}
	}
	if len(names) == 0 {
		return dap.Action{}, false
	}
	a := dap.Action{Kind: dap.FuncBreak, Name: names[t.r.IntN(len(names))]}
	if t.r.IntN(3) == 0 {
		t.hit(nil, &a)
	}
	return a, true
}

// entriesWithCalls are breakpoints at functions that are executed and whose first statements were recorded with calls of parameters.
func (t *Tour) entriesWithCalls() (list []dap.Action) {
	seen := map[int]bool{}
	for _, th := range t.m.Threads {
		for n := th.Lo; n < th.Hi; n++ {
			id := t.m.Moments[n].Activation.Func
			if seen[id] {
				continue
			}
			seen[id] = true
			fn := t.m.Plan.Funcs[id]
			at := dap.Frame{File: t.m.Plan.Files[fn.File].Name, Line: fn.Line}
			if fn.Name != "main.main" && len(t.m.named(fn.Name)) == 1 && len(callsOf(t.ofEntry(at))) > 0 {
				list = append(list, dap.Action{Kind: dap.FuncBreak, Name: fn.Name})
			}
		}
	}
	t.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), callEntries)]
}

// boolean is an expression that may be a condition at a statement; empty if there is
// none.
func (t *Tour) boolean(l *timeline.LineInfo) string {
	if l.Watched == nil || t.m.Snaps == nil {
		return ""
	}
	var can []string
	for _, x := range l.Watched.Exprs {
		if t.m.kind(l.Watched, x) == "bool" {
			can = append(can, x)
		}
	}
	if len(can) == 0 {
		return ""
	}
	return can[t.r.IntN(len(can))]
}

// kind is the kind of an expression's first known value.
func (m *Model) kind(w *history.Watched, expr string) string {
	for _, t := range m.Threads {
		if s, ok := m.Snaps.At(t.Goroutine, w.Path, w.Offset, 0); ok {
			if i := slices.IndexFunc(s.Exprs, func(v history.Value) bool { return v.Name == expr }); i >= 0 {
				return s.Exprs[i].Kind
			}
		}
	}
	return ""
}

// large are the variables at a statement whose values may be long: strings, and what has parts.
func (m *Model) large(w *history.Watched) []string {
	var names []string
	for _, t := range m.Threads {
		s, ok := m.Snaps.At(t.Goroutine, w.Path, w.Offset, 0)
		if !ok {
			continue
		}
		for _, v := range s.Vars {
			switch v.Kind {
			case "string", "struct", "array", "slice", "map", "interface", "pointer":
				names = append(names, v.Name)
			}
		}
		break
	}
	return names
}

func (t *Tour) log(l *timeline.LineInfo, a *dap.Action) {
	a.Log = gen.LogTexts()[t.r.IntN(len(gen.LogTexts()))]
	if l.Watched == nil || len(l.Watched.Exprs) == 0 {
		return
	}
	var can []string
	for _, x := range l.Watched.Exprs {
		if !strings.ContainsAny(x, "{}\"") && !strings.HasPrefix(x, "call ") {
			can = append(can, x)
		}
	}
	if len(can) == 0 {
		return
	}
	a.Log = "at {" + can[t.r.IntN(len(can))] + "}"
	if t.r.IntN(2) == 0 {
		a.Log += " and {" + can[t.r.IntN(len(can))] + "}"
	}
	if names := t.m.large(l.Watched); len(names) > 0 && t.r.IntN(3) == 0 {
		a.Log += " with {" + names[t.r.IntN(len(names))] + "}"
	}
}

func (t *Tour) hit(_ *timeline.LineInfo, a *dap.Action) {
	a.Hit = gen.HitConditions()[t.r.IntN(len(gen.HitConditions()))]
}

// conditionalLog is a log point with a condition, or with a hit condition.
func (t *Tour) conditionalLog(l *timeline.LineInfo, a *dap.Action) {
	if t.log(l, a); t.r.IntN(2) == 0 {
		t.hit(l, a)
		return
	}
	t.condition(l, a)
}

func (t *Tour) condition(l *timeline.LineInfo, a *dap.Action) { a.Condition = t.boolean(l) }

// amend changes a breakpoint: what it had is taken away, and it may get something else.
func (t *Tour) amend(v gen.View, p *dap.Pause) (dap.Action, bool) {
	var can []dap.Action
	for _, b := range v.Breakpoints() {
		if b.Kind == dap.Break && b.Line != p.Top().Line {
			can = append(can, b)
		}
	}
	if len(can) == 0 {
		return dap.Action{}, false
	}
	was := can[t.r.IntN(len(can))]
	a := dap.Action{Kind: dap.Break, File: was.File, Line: was.Line}
	at := t.m.LineAt(a.File, a.Line)
	switch t.r.IntN(4) {
	case 0:
		t.condition(&at, &a)
	case 1:
		t.log(&at, &a)
	case 2:
		t.hit(&at, &a)
	}
	return a, !reflect.DeepEqual(a, was)
}

// another is one more breakpoint with a condition, at a line that has none.
func (t *Tour) another(v gen.View, p *dap.Pause) (dap.Action, bool) {
	if len(t.m.Clears) == 0 {
		return dap.Action{}, false
	}
	if t.r.IntN(3) == 0 {
		return t.amend(v, p)
	}
	l := t.m.Clears[t.r.IntN(len(t.m.Clears))]
	if l.Vague {
		return dap.Action{}, false
	}
	a := dap.Action{Kind: dap.Break, File: l.File, Line: l.Line, Condition: t.boolean(l)}
	taken := func(b dap.Action) bool { return b.Kind == dap.Break && b.File == a.File && b.Line == a.Line }
	return a, a.Condition != "" && l.Line != p.Top().Line && !slices.ContainsFunc(v.Breakpoints(), taken)
}
