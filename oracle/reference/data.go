package reference

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/timeline"
	"misstep/internal/machine"
)

// dataReason is why the program pauses at a data breakpoint.
const dataReason = "data breakpoint"

// debugRegisters is how many data breakpoints processors have room for.
const debugRegisters = 4

// A dataPoint is a data breakpoint, of which the history tells when it is written: that of a local variable
// of a basic type that only the statements of its own function reach.
type dataPoint struct {
	x     *timeline.Activation // whose variable it is
	obj   *types.Var
	since int  // the first moment that it is there for
	vague bool // a condition or a hit condition decides whether it pauses
}

// setData judges the answer to a data breakpoint, and begins to watch it. Of what is no private variable
// nothing is known, nor of others that are sent again when what they are on may be gone.
func (j *judge) setData(i int, a dap.Action, out *dap.Output) error {
	const rule = "R13-data"
	p := j.pause(i)
	w := j.newDataPoint(p, a)
	j.resent()
	if out.Breakpoint == nil || !out.Breakpoint.Verified {
		if w != nil && len(j.data) < debugRegisters && a.Condition == "" && a.Hit == "" && (out.Kind == dap.Set || out.Kind == dap.Refused) {
			j.check(i, rule, false, dap.DiffBreakpoint, "a breakpoint on "+a.Name, "set, as it is in scope", out.String())
		}
		if out.Kind == dap.Set {
			delete(j.data, a.Name)
		}
		return nil
	}
	if w != nil {
		j.made(rule)
	}
	j.data[a.Name], j.conditional = w, j.conditional || a.Condition != ""
	return nil
}

// newDataPoint is what a data breakpoint would watch; nil if the history does not tell when that is written, or the processor does not notice.
func (j *judge) newDataPoint(p *dap.Pause, a dap.Action) *dataPoint {
	if p == nil || j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || a.Frame != 0 || j.m.Concurrent() || a.AccessType() != "write" || j.fresh || p.Exception() {
		return nil
	}
	if notices, known := machine.Watches(); known && !notices {
		return nil // which is no fault of the debugger
	}
	mo := j.m.Moments[j.at]
	s := mo.Activation.Steps[mo.Step]
	fn, pkg := j.m.Code.Node(mo.Activation.Func)
	v := shown(p.Scopes, a.Name)
	if pkg == nil || s.Node == nil || s.Entry || v == nil || unreadable(*v) {
		return nil
	}
	_, obj := pkg.Scope(s.Node.Pos()).LookupParent(a.Name, s.Node.Pos())
	local, ok := obj.(*types.Var)
	if !ok || !private(pkg, fn, local) || !fitsRegister(local.Type()) {
		return nil
	}
	w := &dataPoint{x: mo.Activation, obj: local, since: j.at, vague: a.Condition != "" || a.Hit != ""}
	if mo.Call > 0 || j.behind || p.Top().Line != s.First || j.m.late(mo.Activation, s) {
		w.since++ // a part of the statement may have been executed
	}
	return w
}

// fitsRegister reports whether processors can watch values of a basic type: of up to eight bytes, and not
// made of parts.
func fitsRegister(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString == 0 && b.Kind() != types.Complex128 && b.Kind() != types.UnsafePointer
}

// resent notes that all data breakpoints are sent again: what one is on that has left its scope depends on
// the debugger.
func (j *judge) resent() {
	for name, w := range j.data {
		if w == nil || j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || !timeline.Around(j.m.Moments[j.at].Activation, w.x) {
			j.data[name] = nil
		}
	}
}

func (j *judge) unsetData(_ int, a dap.Action, out *dap.Output) error {
	j.resent()
	if out.Kind == dap.Removed {
		delete(j.data, a.Name)
	}
	return nil
}

// forgetData is for when the program is another one, or is where nobody knows.
func (j *judge) forgetData() {
	for name := range j.data {
		j.data[name] = nil
	}
}

// A write is a step that may assign to what is watched.
type write struct {
	w    *dataPoint
	step int // of the watch's activation
}

// writes are the steps from a moment on that may assign to what is watched, in their order. Known says that
// all that is watched is known.
func (j *judge) writes(from int) (all []write, known bool) {
	for _, name := range slices.Sorted(maps.Keys(j.data)) {
		w := j.data[name]
		if w == nil {
			return nil, false
		}
		for k := range w.x.Steps {
			s := &w.x.Steps[k]
			// A statement that the program is in a call of has its write before it.
			under := s.Begin < from && (k+1 == len(w.x.Steps) || w.x.Steps[k+1].Begin > from)
			if (under || s.Begin >= j.m.owner(from).Begin) && mayWrite(j.m, w.x, s, w.obj) {
				all = append(all, write{w, k})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b write) int { return a.w.x.Steps[a.step].Begin - b.w.x.Steps[b.step].Begin })
	return all, true
}

// value is what a watched variable has before a step of its activation.
func (j *judge) value(w *dataPoint, k int) (history.Value, bool) {
	if k >= len(w.x.Steps) {
		return history.Value{}, false
	}
	s := w.x.Steps[k]
	_, pkg := j.m.Code.Node(w.x.Func)
	if s.Node == nil || s.Part != history.Whole && s.Part != history.Head || pkg == nil {
		return history.Value{}, false
	}
	if _, obj := pkg.Scope(s.Node.Pos()).LookupParent(w.obj.Name(), s.Node.Pos()); obj != w.obj {
		return history.Value{}, false // another one hides it there
	}
	snap, ok := j.snapshot(w.x, s)
	i := slices.IndexFunc(snap.Vars, func(v history.Value) bool { return v.Name == w.obj.Name() })
	if !ok || i < 0 || snap.Vars[i].Kind == history.Unknown {
		return history.Value{}, false
	}
	return snap.Vars[i], true
}

// placeData finds the moment that a pause is at which a data breakpoint has led to. Ok is false if it is not
// known, or wrong.
func (j *judge) placeData(i int, p *dap.Pause, from int) (to int, ok bool) {
	to, ok, wrong := j.written(p, from)
	switch {
	case wrong:
		j.check(i, "R13-data", false, dap.DiffReason, "why it paused", "something else, as nothing writes what is watched", p.Reason)
	case !ok:
		j.missed("R1-pause")
		j.unjudged(finding.Pauses, ambiguous, 1)
		j.lose(from)
		j.unsure()
	}
	return to, ok
}

// written finds where a pause is that a data breakpoint has led to: in a statement that writes what is
// watched, or at the beginning of the next one if that was the last that the statement did. Ok is false if
// there is no such place, or it is not known; wrong says that there is none.
func (j *judge) written(p *dap.Pause, from int) (to int, ok, wrong bool) {
	stack := j.m.frames(p)
	if j.lost || from < j.t.Lo || j.m.Concurrent() || len(stack) == 0 {
		return -1, false, false
	}
	all, known := j.writes(from)
	if !known {
		return -1, false, false
	}
	var can []int
	rule, may := "R13-data", false
	for _, wr := range all {
		n, fits := j.after(wr, from, stack)
		if !fits {
			may = may || j.leaves(wr, stack)
			continue
		}
		may = true
		now, known := j.value(wr.w, wr.step+1)
		v := shown(p.Scopes, wr.w.obj.Name())
		if v == nil || known && compare(now, *v, "") != (mismatch{}) {
			continue
		}
		if can = append(can, n); wr.w.x.Steps[wr.step].Begin == from && !j.behind {
			rule = "R13-data-first"
		}
		if was, ok := j.value(wr.w, wr.step); known && ok && was.Text != now.Text {
			break // this one cannot be passed by
		}
	}
	switch {
	case len(can) == 1:
		j.made(rule)
		return can[0], true, false
	case may || len(can) > 1:
		return -1, false, false
	}
	return -1, false, true
}

// after is the moment that a pause with a stack is at after a write.
func (j *judge) after(wr write, from int, stack []frame) (int, bool) {
	x, k := wr.w.x, wr.step
	last := -1
	for n := x.Steps[k].Begin; n < j.t.Hi; n++ {
		mo := j.m.Moments[n]
		if mo.Activation == x && mo.Step > k {
			// The next statement with code, whose beginning comes right after what was written.
			if n >= from && mo.Call == 0 && !x.Steps[k].Covers(stack[0].line) && j.m.fits(mo, stack) {
				return n, true
			}
			if !x.Steps[mo.Step].IsClear {
				continue // it may have no code, as _ = x
			}
			break
		}
		if mo.Activation == x && mo.Step == k {
			last = n
		}
		if !timeline.Around(mo.Activation, x) {
			break
		}
	}
	if last >= from && j.m.fits(j.m.Moments[last], stack) {
		return last, true
	}
	return -1, false
}

// leaves reports whether a pause with a stack may be on the way out of what a write is in: the compiler gives
// the jump at the end of a body the line of the statement that it belongs to, of a clause of that, or of its end.
func (j *judge) leaves(wr write, stack []frame) bool {
	fn, pkg := j.m.Code.Node(wr.w.x.Func)
	at := wr.w.x.Steps[wr.step].Node
	if !slices.Contains(stack[0].funs, wr.w.x.Func) {
		return false
	}
	found := false
	line := func(p token.Pos) { found = found || pkg.Fset.PositionFor(p, false).Line == stack[0].line }
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil || at.Pos() < n.Pos() || at.Pos() >= n.End() || n == fn {
			return n == fn
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause:
			line(n.Pos())
			line(n.End() - 1)
		}
		return true
	})
	return found
}

// passedData judges that nothing that is watched has been written between two moments: there was a pause
// at each write that changes it.
func (j *judge) passedData(i, from, to int) {
	if j.m.Concurrent() || j.lost || from < j.t.Lo {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(j.data)) {
		w := j.data[name]
		if w == nil || w.vague {
			continue
		}
		begun, was := -1, history.Value{}
		for k := range w.x.Steps {
			s := &w.x.Steps[k]
			if s.Begin >= to {
				break
			}
			now, known := j.value(w, k)
			switch {
			case s.Begin < w.since || s.Begin < from || s.Begin == from && j.behind:
				continue
			case declares(s.Node, w.obj):
				begun = -1
				continue
			case !known:
				continue
			case begun >= 0 && now.Text != was.Text && !clearBefore(w.x.Steps[k:], to):
				return // the pause is at what comes after it with code
			case begun >= 0 && now.Text != was.Text:
				// What the program is paused at when it is let run debuggers step over in another way.
				rule := "R13-data"
				if w.x.Steps[begun].Begin == from {
					rule = "R13-data-first"
				}
				j.check(i, rule, false, dap.DiffLocation, "the write to "+name+" before the pause", "a pause, as "+was.Text+" becomes "+now.Text, "none")
				return
			}
			begun, was = k, now
		}
	}
}

// clearBefore reports whether a debugger can surely pause at one of some steps before a moment.
func clearBefore(steps []timeline.Step, to int) bool {
	for i := range steps {
		if steps[i].Begin >= to {
			return false
		}
		if steps[i].IsClear {
			return true
		}
	}
	return false
}

// mayWrite reports whether a step may itself assign to a variable.
func mayWrite(m *Model, x *timeline.Activation, s *timeline.Step, v *types.Var) bool {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return false
	}
	found := false
	to := func(es ...ast.Expr) {
		for _, e := range es {
			if id, ok := e.(*ast.Ident); ok && pkg.Info.ObjectOf(id) == v {
				found = true
			}
		}
	}
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				to(ast.Unparen(l))
			}
		case *ast.IncDecStmt:
			to(ast.Unparen(n.X))
		case *ast.DeclStmt:
			found = found || n.Pos() <= v.Pos() && v.Pos() < n.End()
		case *ast.RangeStmt:
			to(n.Key, n.Value)
		case *ast.ForStmt:
			visit(n.Init)
			visit(n.Post)
		case *ast.IfStmt:
			visit(n.Init)
		case *ast.SwitchStmt:
			visit(n.Init)
		case *ast.TypeSwitchStmt:
			visit(n.Init)
			visit(n.Assign)
		case *ast.CommClause:
			visit(n.Comm)
		case *ast.SelectStmt:
			for _, c := range n.Body.List {
				visit(c)
			}
		case *ast.LabeledStmt:
			visit(n.Stmt)
		case *ast.CaseClause:
			found = true // a type switch gives each clause a variable of its own
		case *ast.ReturnStmt:
			for _, f := range resultFields(m.Code, x.Func) {
				for _, id := range f.Names {
					to(id)
				}
			}
		}
	}
	visit(s.Node)
	return found
}

// declares reports whether a statement itself, and not one within it, declares a variable.
func declares(n ast.Node, v *types.Var) bool {
	switch n := n.(type) {
	case *ast.AssignStmt, *ast.DeclStmt:
		return n.Pos() <= v.Pos() && v.Pos() < n.End()
	case *ast.RangeStmt:
		return n.Pos() <= v.Pos() && v.Pos() < n.X.Pos()
	case *ast.ForStmt:
		return n.Init != nil && n.Init.Pos() <= v.Pos() && v.Pos() < n.Init.End()
	}
	return false
}
