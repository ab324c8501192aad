package reference

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/history"
	"misstep/history/timeline"
)

// truth is the value of an expression at an execution of a statement by the
// goroutine of a track. What other goroutines may change, it does not know.
func (j *judge) truth(x *timeline.Activation, s timeline.Step, expr string) (history.Value, bool) {
	w := j.m.Watched(x, s)
	if w == nil || !slices.Contains(w.Exprs, expr) || j.m.Concurrent() && !j.m.lasting(x, s, expr) {
		return history.Value{}, false
	}
	snap, ok := j.snapshot(x, s)
	if !ok {
		return history.Value{}, false
	}
	i := slices.IndexFunc(snap.Exprs, func(v history.Value) bool { return v.Name == expr })
	if i < 0 {
		return history.Value{}, false
	}
	return snap.Exprs[i], true
}

// early is the truth when the code of a breakpoint's line is reached, which may be later than
// the beginning of the statement.
func (j *judge) early(mo timeline.Moment, expr string) (history.Value, bool) {
	s := mo.Activation.Steps[mo.Step]
	if j.m.late(mo.Activation, s) && !j.m.lasting(mo.Activation, s, expr) {
		return history.Value{}, false
	}
	v, ok := j.truth(mo.Activation, s, expr)
	if snap, has := j.snapshot(mo.Activation, s); has && (j.spoiled(mo.Activation, s, snap.Vars, expr) || j.m.misfits(mo.Activation, s, snap.Vars, expr, v)) {
		return history.Value{}, false
	}
	return v, ok
}

// spoiled reports whether an expression mentions a variable that nothing uses any more after a step, so that what it leads to may
// not be there.
func (j *judge) spoiled(x *timeline.Activation, s timeline.Step, vars []history.Value, expr string) bool {
	return slices.ContainsFunc(vars, func(v history.Value) bool {
		return !flat[v.Kind] && hasName(expr, v.Name) && (j.stale() || points[v.Kind] && j.m.left(x, s, v.Name)) && !j.m.needed(x, s, v.Name)
	})
}

// holds reports whether the condition of a breakpoint holds at an execution of its
// line.
func (j *judge) holds(p *point, n int) (holds, known bool) {
	mo := j.m.Moments[n]
	if p.condition == "true" || p.condition == "false" {
		if _, pkg := j.m.Code.Node(mo.Activation.Func); pkg != nil && !redefines(pkg) {
			return p.condition == "true", true
		}
	}
	v, ok := j.early(mo, p.condition)
	return v.Text == "true", ok && v.Kind == "bool"
}

// redefines reports whether a package gives true or false another meaning.
func redefines(pkg *history.Package) bool {
	for id := range pkg.Info.Defs {
		if id.Name == "true" || id.Name == "false" {
			return true
		}
	}
	return false
}

// message holds a message against what a log point prints at an execution of its line: its
// own text, and the values of its expressions. Known is false if the truth about one is not
// known; the parts before it are compared.
func (j *judge) message(p *point, n int, got string) (bad mismatch, known bool) {
	texts, exprs, ok := holes(p.log)
	if !ok {
		return mismatch{}, false
	}
	mo := j.m.Moments[n]
	rest := got
	for i, text := range texts {
		after, ok := strings.CutPrefix(rest, text)
		if !ok {
			return mismatch{"", strconv.Quote(text), strconv.Quote(rest)}, true
		}
		if i == len(exprs) {
			if after != "" {
				return mismatch{"", "no more", strconv.Quote(after)}, true
			}
			break
		}
		shown := after
		if quoted, err := strconv.QuotedPrefix(after); err == nil {
			shown = quoted
		} else if next := texts[i+1]; next != "" {
			if strings.Count(after, next) > 1 {
				return mismatch{}, false // one of them may be in the value
			}
			shown, _, _ = strings.Cut(after, next)
		} else if i+1 < len(exprs) {
			return mismatch{}, false // where the value ends is not known
		}
		rest = after[len(shown):]
		if cutShort(shown) {
			return mismatch{exprs[i], "a whole value, as far as it is loaded", "one that is cut within"}, true
		}
		v, ok := j.early(mo, exprs[i])
		if !ok || v.Kind == "panic" {
			return mismatch{}, false
		}
		v.Children, v.Type = nil, ""
		if m := compare(v, dap.Variable{Value: shown}, exprs[i]); m != (mismatch{}) {
			return m, true
		}
	}
	return mismatch{}, true
}

// cutShort reports whether a value ends with dots within the brackets or the quotes of one of its parts. What a debugger does
// not load it leaves out there, and closes them.
func cutShort(value string) bool {
	if !strings.HasSuffix(value, "...") {
		return false
	}
	deep, quoted, escaped := 0, false, false
	for _, r := range value {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("{[(", r):
			deep++
		case strings.ContainsRune("}])", r):
			deep--
		}
	}
	return deep > 0 || quoted
}

// frame finds the activation and the step of a frame of a pause at a moment, by the number of
// the frame on the stack.
func (m *Model) frame(p *dap.Pause, n, at int) (*timeline.Activation, int) {
	mo := m.Moments[at]
	x, step := mo.Activation, mo.Step
	for i, f := range p.Stack {
		if panics(f) {
			return nil, 0
		}
		if _, own := m.Files[f.File]; !own || m.wrapper(p, i) {
			if i == n {
				return nil, 0
			}
			continue
		}
		for i > 0 && x != nil && x.Abrupt && !slices.Contains(m.functionsAt(f), x.Func) {
			x, step = x.Parent, x.Call // see fitsAt
		}
		if i == n {
			return x, step
		}
		if x == nil {
			return nil, 0
		}
		x, step = x.Parent, x.Call
	}
	return nil, 0
}

// evaluate judges what an expression gave, where the truth was computed.
func (j *judge) evaluate(i int, a dap.Action, out *dap.Output) {
	const rule = "R9-evaluate"
	p := j.events[i].From(j.pause(i))
	// What was recorded at this moment was so before the assignment.
	if j.fresh || p == nil || j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || a.Frame >= len(p.Stack) {
		j.missed(rule)
		j.unjudged(finding.Answers, unplaced, 1)
		return
	}
	x, at := j.m.frame(p, a.Frame, j.at)
	if x == nil || at < 0 || at >= len(x.Steps) {
		j.missed(rule)
		j.unjudged(finding.Answers, foreign, 1)
		return
	}
	s, means := x.Steps[at], x.Steps[at]
	entry := a.Frame == 0 && at == 0 && j.m.ofParameters(x, a.Name)
	if entry {
		means = x.Steps[1] // at which parameters are in scope
	}
	if j.m.senseless(x, means, a.Name) {
		// What Go does not know, a debugger need not.
		within := s
		if s.Entry && len(x.Steps) > 1 {
			within = x.Steps[1] // where parameters and results are in scope
		}
		why := j.m.meaningless(x, means, a.Name)
		if out.Kind == dap.Refused && j.m.ofNoVariable(x, within, a.Name) {
			if says := !unread(out.Text); !says || why == "" {
				j.answers(i, says, a.Name, "a refusal that says what is wrong with it", out.Text)
				return
			}
		}
		if why != "" && (out.Kind == dap.Refused || out.Kind == dap.Answered) {
			shown := ""
			if out.Value != nil {
				shown = out.Value.Value
			}
			j.check(i, "R9-refuse", out.Kind == dap.Refused, dap.DiffAnswer, a.Name+", "+why, "refused", shown)
			j.judged(finding.Answers, 1)
			return
		}
		j.missed(rule)
		if out.Kind == dap.Refused {
			j.judged(finding.Answers, 1)
		} else {
			j.unjudged(finding.Answers, notGo, 1)
		}
		return
	}
	if entry {
		// At a function's entry its parameters are what its first statement finds.
		vars, first := j.arguments(x), x.Steps[1]
		truth, ok := j.truth(x, first, a.Name)
		if v, leads := resolve(vars, a.Name); leads && !ok && !j.m.Concurrent() {
			truth, ok = v, true
		}
		if ok {
			j.answered(i, a, out, x, first, vars, truth)
			return
		}
	}
	vars, now, why := j.recorded(p, x, s, a.Frame, j.at, j.behind)
	// Before that they are declared, debuggers do not know variables.
	vars = slices.DeleteFunc(vars, func(v history.Value) bool { return !j.m.declaredBefore(x, s, v.Name) })
	lasting := j.m.lasting(x, s, a.Name) && !j.m.sets(x, s, a.Name)
	if why == changed || p.Stack[a.Frame].Line < s.First || p.Stack[a.Frame].Line > s.Last || !now && !lasting {
		j.missed(rule)
		j.unjudged(finding.Answers, cmp.Or(why, within), 1)
		return
	}
	truth, ok := history.Value{}, false
	if a.Frame == 0 && j.m.Moments[j.at].Call == 0 || lasting {
		truth, ok = j.truth(x, s, a.Name)
	}
	if v, leads := resolve(vars, a.Name); leads && !ok && why == "" && (!j.m.Concurrent() || lasting) {
		truth, ok = v, true
	}
	if !ok {
		j.missed(rule)
		j.unjudged(finding.Answers, noTruth, 1)
		return
	}
	j.answered(i, a, out, x, s, vars, truth)
}

// answered judges what an expression gave at a step at which its truth is known.
func (j *judge) answered(i int, a dap.Action, out *dap.Output, x *timeline.Activation, s timeline.Step, vars []history.Value, truth history.Value) {
	const rule = "R9-evaluate"
	if j.spoiled(x, s, vars, a.Name) {
		j.missed(rule)
		j.unjudged(finding.Answers, unneeded, 1)
		return
	}
	if j.m.misfits(x, s, vars, a.Name, truth) {
		if j.ranged(i, a, out, x, s) {
			return
		}
		j.missed(rule)
		j.unjudged(finding.Answers, unfit, 1)
		return
	}
	// What a call panics with is an answer, too.
	if v := out.Value; v != nil && truth.Kind == "panic" && strings.HasPrefix(a.Name, "call ") && strings.HasPrefix(v.Type+v.Value, "interface {}") {
		j.answers(i, true, a.Name, Panics, Panics)
		return
	}
	switch {
	case out.Kind == dap.Refused || out.Value == nil:
		if truth.Kind == "panic" {
			j.answers(i, true, a.Name, Panics, Panics)
			return
		}
		lacks := j.m.lacks(x, s, vars, a.Name, out.Text, j.session)
		if lacks == "" && strings.HasPrefix(a.Name, "call ") && callBroken(out.Text) && (len(j.data) > 0 || gen.MayStopIn(a.Name, j.standing(i), j.m.declared)) {
			lacks = "a breakpoint in what it calls"
		}
		if lacks == "" && truth.Kind == history.Unknown {
			lacks = unsteady // it may have none, such as an element that is not there in each run
		}
		if lacks != "" {
			j.missed(rule)
			j.unjudged(finding.Answers, lacks, 1)
			return
		}
		j.answers(i, false, a.Name, cmp.Or(truth.Text, truth.Kind), out.Text)
	case truth.Kind == "panic":
		j.answers(i, false, a.Name, Panics, out.Value.Value)
	case truth.Kind == history.Unknown:
		j.missed(rule)
		j.unjudged(finding.Answers, unsteady, 1)
	default:
		v := *out.Value
		typ := j.m.typeOf(x, s, a.Name)
		if t, several := typ.(*types.Tuple); several {
			j.results(i, a.Name, truth, v, t, j.m.static(x, s, a.Name))
			return
		}
		if len(v.Children) == 1 && (v.Children[0].Name == "~r0" && truth.Kind != "struct" || strings.HasPrefix(a.Name, "call ") && v.Type == "") {
			v = v.Children[0] // what comes of a call is shown as a list of results
		}
		if b, ok := typ.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			truth.Type = "" // Delve has one type for all whole constants
		}
		what, want, got := differ(truth, v, a.Name)
		j.answers(i, what == "", what, want, got)
	}
}

// checked is an expression at a step, and what is known of its parts; nil if it has no meaning there.
func (m *Model) checked(x *timeline.Activation, s timeline.Step, text string) (ast.Expr, *types.Info) {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return nil, nil
	}
	e, err := parser.ParseExpr(pkg.Plain(s.Node.Pos(), text))
	if err != nil {
		return nil, nil
	}
	info, err := pkg.Check(s.Node.Pos(), e)
	if err != nil {
		return nil, nil
	}
	return e, info
}

// typeOf is the type of an expression at a step; nil if it is not known.
func (m *Model) typeOf(x *timeline.Activation, s timeline.Step, text string) types.Type {
	e, info := m.checked(x, s, text)
	if e == nil {
		return nil
	}
	return info.Types[e].Type
}

// static reports whether an expression at a step is a call of a function that the text names, and not of one that is known only when the
// program runs, by way of an interface or a value.
func (m *Model) static(x *timeline.Activation, s timeline.Step, text string) bool {
	e, info := m.checked(x, s, text)
	if e == nil {
		return false
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && typeutil.StaticCallee(info, call) != nil
}

// senseless reports whether an expression is none of Go's at a step.
func (m *Model) senseless(x *timeline.Activation, s timeline.Step, text string) bool {
	if _, pkg := m.Code.Node(x.Func); pkg == nil || s.Node == nil {
		return false
	}
	return m.typeOf(x, s, text) == nil
}

// notGo is why the answer to an expression that makes no sense is not judged.
const notGo = "an expression that is none of Go's"

// hasName reports whether an expression has a name in it.
func hasName(expr, name string) bool {
	e, err := parser.ParseExpr(strings.TrimPrefix(expr, "call "))
	if err != nil {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// answers judges an answer whose truth is known.
func (j *judge) answers(i int, ok bool, what, truth, shown string) {
	j.check(i, "R9-evaluate", ok, dap.DiffVariables, what, truth, shown)
	if !j.slipped {
		j.judged(finding.Answers, 1)
	}
}

// callBroken reports whether a refusal is Delve's way to say that a call which it was asked to make met
// a breakpoint, or one whose condition cannot be evaluated.
func callBroken(text string) bool {
	return strings.Contains(text, "call stopped") || strings.Contains(text, "error evaluating expression")
}

// standing are the breakpoints that are set before an event.
func (j *judge) standing(i int) []dap.Action {
	set := map[string]dap.Action{}
	for _, e := range j.events[:i] {
		switch e.Action.Kind {
		case dap.Break, dap.FuncBreak, dap.InstBreak:
			set[key(e.Action)] = e.Action
		case dap.Unbreak, dap.FuncUnset, dap.InstUnset:
			delete(set, key(e.Action))
		}
	}
	return slices.Collect(maps.Values(set))
}

// noTruth is why an answer is not judged.
const noTruth = "the recorded program did not evaluate it"

// pause is the last one before an event.
func (j *judge) pause(i int) *dap.Pause {
	for i--; i >= 0; i-- {
		if j.events[i].Action.Kind.Resumes() || j.events[i].Action.Kind == dap.Restart {
			return j.events[i].Output.Pause
		}
	}
	return nil
}
