package reference

import (
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/timeline"
)

// values judges the variables of the innermost frame of a pause.
func (j *judge) values(i int, p *dap.Pause, at int) {
	mo := j.m.Moments[at]
	s := mo.Activation.Steps[mo.Step]
	if s.Entry && len(mo.Activation.Steps) > 1 && p.Top().Line == s.First && len(p.Scopes) > 0 {
		j.entered(i, p, mo.Activation)
		return
	}
	j.shows(i, p, 0, p.Scopes, at)
}

// vars judges the variables of the frame that the session asked for.
func (j *judge) vars(i int, a dap.Action, out *dap.Output) error {
	p := j.pause(i)
	if out.Kind != dap.Answered || p == nil {
		return nil
	}
	if j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || a.Frame >= len(p.Stack) {
		j.unjudged(finding.Variables, unplaced, count(out.Scopes))
		return nil
	}
	if mo := j.m.Moments[j.at]; a.Frame == 0 && mo.Activation.Steps[mo.Step].Entry {
		j.unjudged(finding.Variables, entryValues, count(out.Scopes))
		return nil
	}
	j.shows(i, p, a.Frame, out.Scopes, j.at)
	return nil
}

// Why variables are not judged.
const (
	unplaced    = "where the session is in the recorded run is not known"
	foreign     = "of functions that are not recorded"
	within      = "the pause is within a statement, which may have changed them"
	entryValues = "at the entry of a function parameters may not be in their places yet"
	noSnapshot  = "no values were recorded there"
	shared      = "another goroutine may change them"
	unsteady    = "runs of the program differ in them"
	shadowed    = "a variable of the same name hides them"
	compilers   = "the compiler made them"
	results     = "results without a name"
	changed     = "the session has just assigned to a variable"
)

// shows judges the variables that a frame is shown with, while the run is at a moment.
func (j *judge) shows(i int, p *dap.Pause, frame int, scopes []dap.Scope, at int) {
	if len(scopes) == 0 {
		return
	}
	no := func(why string) { j.unjudged(finding.Variables, why, count(scopes)) }
	j.at, at = at, j.at
	x, n := j.frame(p, frame)
	j.at, at = at, j.at
	if x == nil || n < 0 || n >= len(x.Steps) {
		no(foreign)
		return
	}
	if j.fresh {
		no(changed)
		return
	}
	s := x.Steps[n]
	truth, now, why := j.recorded(p, x, s, frame, at)
	switch {
	case why != "":
		no(why)
		return
	case p.Stack[frame].Line < s.First || p.Stack[frame].Line > s.Last:
		no(within)
		return
	}
	for _, t := range truth {
		v := shown(scopes, t.Name)
		if v == nil {
			j.check(i, "R3-value", false, dap.DiffVariables, t.Name, "shown, as it is in scope", "not shown")
			return
		}
		switch {
		case !now && (!j.m.lasting(x, s, t.Name) || j.m.sets(x, s, t.Name)):
			j.unjudged(finding.Variables, within, 1)
		case j.m.Concurrent() && !j.m.lasting(x, s, t.Name):
			j.unjudged(finding.Variables, shared, 1)
		case t.Kind == history.Unknown:
			j.unjudged(finding.Variables, unsteady, 1)
		default:
			if what, want, got := differ(t, *v, t.Name); what != "" {
				j.check(i, "R3-value", false, dap.DiffVariables, what, want, got)
				return
			}
			j.judged(finding.Variables, 1)
			j.made("R3-value")
		}
	}
	j.others(i, x, s, scopes, truth, now && frame == 0)
}

// late reports whether a debugger may pause on a step's lines when the step has done something
// already: it has several lines, the parts of which come in an order of the compiler's, or
// returns where deferred functions run before its line comes again.
func (m *Model) late(x *timeline.Activation, s timeline.Step) bool {
	_, returns := s.Node.(*ast.ReturnStmt)
	return s.First != s.Last && (len(s.Children) > 0 || s.Library) || returns && m.Plan.Funcs[x.Func].Defers
}

// sets reports whether a statement itself assigns to a local variable that an expression
// mentions.
func (m *Model) sets(x *timeline.Activation, s timeline.Step, expr string) bool {
	var assigned []ast.Expr
	switch n := s.Node.(type) {
	case *ast.AssignStmt:
		assigned = n.Lhs
	case *ast.IncDecStmt:
		assigned = []ast.Expr{n.X}
	case *ast.RangeStmt:
		assigned = []ast.Expr{n.Key, n.Value}
	case *ast.ReturnStmt:
		for _, f := range resultFields(m.Code, x.Func) {
			for _, id := range f.Names {
				assigned = append(assigned, id)
			}
		}
	}
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || slices.ContainsFunc(assigned, func(e ast.Expr) bool {
				to, ok := e.(*ast.Ident)
				return ok && to.Name == id.Name
			})
		}
		return true
	})
	return found
}

// resultFields are the result parameters of a recorded function.
func resultFields(code *history.Code, fn int) []*ast.Field {
	var typ *ast.FuncType
	switch fn, _ := code.Node(fn); fn := fn.(type) {
	case *ast.FuncDecl:
		typ = fn.Type
	case *ast.FuncLit:
		typ = fn.Type
	}
	if typ == nil || typ.Results == nil {
		return nil
	}
	return typ.Results.List
}

// recorded is the variables of a frame while the run is at a moment, or why they are not
// known. Now says that all have these values then; if not, the statement may have changed
// those that are not lasting.
func (j *judge) recorded(p *dap.Pause, x *timeline.Activation, s timeline.Step, frame, at int) (vars []history.Value, now bool, why string) {
	if j.before != nil && s.Node == j.before.Node && s.Begin == j.before.Begin {
		return nil, false, changed
	}
	mo := j.m.Moments[at]
	inner := mo.Activation.Steps[mo.Step]
	now = p.Top().Line == inner.First && mo.Call == 0 && !j.behind && !j.m.late(mo.Activation, inner)
	w := j.m.Watched(x, s)
	if _, recorded := j.snapshot(x, s); !recorded {
		if frame > 0 || !now {
			return nil, false, noSnapshot
		}
		if vars, ok := j.derived(x, mo.Step); ok {
			return vars, true, ""
		}
		return nil, false, noSnapshot
	}
	if frame == 0 && mo.Call > 0 && p.Top().Line == inner.First && inner.First == inner.Last {
		if vars, ok := j.returnedTo(x, s, mo.Call); ok && !j.outside {
			return vars, true, ""
		}
	}
	if frame > 0 {
		// They are as they are now, which the innermost function's snapshot tells.
		if v := j.m.Watched(mo.Activation, inner); v != nil {
			snap, _ := j.m.Snaps.At(j.t.Goroutine, v.Path, v.Offset, inner.Nth)
			for _, f := range snap.Frames {
				if f.Path == w.Path && f.Offset == w.Offset && f.Nth == s.Nth {
					return f.Vars, now, ""
				}
			}
		}
		now = false
	}
	if snap, ok := j.m.Snaps.At(j.t.Goroutine, w.Path, w.Offset, s.Nth); ok {
		return snap.Vars, now, ""
	}
	return nil, false, noSnapshot
}

// others judges what is shown beside the variables that are in scope: nothing that the
// program does not have there.
func (j *judge) others(i int, x *timeline.Activation, s timeline.Step, scopes []dap.Scope, truth []history.Value, now bool) {
	can, ok := j.m.inScope(x, s)
	seen := map[string]bool{}
	for _, scope := range scopes {
		for _, v := range scope.Vars {
			name, hidden := strings.CutPrefix(v.Name, "(")
			name = strings.TrimPrefix(strings.TrimSuffix(name, ")"), "&")
			switch {
			case strings.HasPrefix(name, "~"):
				if !j.result(i, x, s, v, now) {
					return
				}
			case name == "" || name == "_" || strings.ContainsAny(name[:1], ".#"):
				j.unjudged(finding.Variables, compilers, 1)
			case !ok:
				if !slices.ContainsFunc(truth, func(t history.Value) bool { return t.Name == name }) {
					j.unjudged(finding.Variables, noSnapshot, 1)
				}
			case !can[name]:
				j.check(i, "R3-value", false, dap.DiffVariables, v.Name, "not shown: no such variable is in scope", v.Type+" "+v.Value)
				return
			case hidden:
				j.unjudged(finding.Variables, shadowed, 1)
			case seen[name]:
				j.check(i, "R3-value", false, dap.DiffVariables, v.Name, "shown once", "shown twice")
				return
			case !slices.ContainsFunc(truth, func(t history.Value) bool { return t.Name == name }):
				// It is declared on the line of the statement, or nothing uses it.
				j.unjudged(finding.Variables, undeclared, 1)
			}
			seen[name] = !hidden
		}
	}
}

// result judges a result without a name: it is zero until the function returns. It reports
// whether that is so, or not known.
func (j *judge) result(i int, x *timeline.Activation, s timeline.Step, v dap.Variable, now bool) bool {
	fields := resultFields(j.m.Code, x.Func)
	n, err := strconv.Atoi(strings.TrimPrefix(v.Name, "~r"))
	_, pkg := j.m.Code.Node(x.Func)
	if err != nil || n >= len(fields) || !now || s.Node == nil || pkg == nil {
		j.unjudged(finding.Variables, results, 1)
		return true
	}
	t := pkg.Info.TypeOf(fields[n].Type)
	zero, ok := zeroOf(t)
	if !ok {
		j.unjudged(finding.Variables, results, 1)
		return true
	}
	if what, want, got := differ(zero, v, v.Name); what != "" {
		j.check(i, "R3-value", false, dap.DiffVariables, what, want, got)
		return false
	}
	j.judged(finding.Variables, 1)
	j.made("R3-value")
	return true
}

// zeroOf is the zero value of a type; of structs and arrays without its parts.
func zeroOf(t types.Type) (history.Value, bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		v := history.Value{Kind: u.Name(), Text: "0"}
		switch {
		case u.Info()&types.IsBoolean != 0:
			v.Text = "false"
		case u.Info()&types.IsString != 0:
			v.Text = `""`
		case u.Info()&types.IsComplex != 0:
			v.Text = "0 0"
		case u.Kind() == types.UnsafePointer:
			return v, false
		}
		return v, true
	case *types.Slice:
		return history.Value{Kind: "slice", Text: "nil"}, true
	case *types.Map:
		return history.Value{Kind: "map", Text: "nil"}, true
	case *types.Pointer:
		return history.Value{Kind: "pointer", Text: "nil"}, true
	case *types.Chan:
		return history.Value{Kind: "chan", Text: "nil"}, true
	case *types.Signature:
		return history.Value{Kind: "func", Text: "nil"}, true
	case *types.Interface:
		if _, param := t.(*types.TypeParam); param {
			return history.Value{}, false
		}
		return history.Value{Kind: "interface", Text: "nil"}, true
	}
	return history.Value{}, false
}

// undeclared is why a variable is not judged that is declared by the statement itself.
const undeclared = "the statement declares them"

// inScope lists the names of the local variables that a debugger may show at a step: those
// whose scopes are around it, and that are not declared on a later line.
func (m *Model) inScope(x *timeline.Activation, s timeline.Step) (map[string]bool, bool) {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return nil, false
	}
	names := map[string]bool{}
	for scope := pkg.Scope(s.Node.Pos()); scope != nil && scope.Parent() != nil && scope.Parent() != types.Universe; scope = scope.Parent() {
		for _, name := range scope.Names() {
			if v, ok := scope.Lookup(name).(*types.Var); ok && pkg.Fset.PositionFor(v.Pos(), false).Line <= s.Last {
				names[name] = true
			}
		}
	}
	return names, true
}

// entered judges the variables at a function's entry: its parameters, with the values that
// they have when its first statement begins, and the variables from outside that a literal
// uses.
func (j *judge) entered(i int, p *dap.Pause, x *timeline.Activation) {
	node, pkg := j.m.Code.Node(x.Func)
	if pkg == nil {
		j.unjudged(finding.Variables, foreign, count(p.Scopes))
		return
	}
	var typ *ast.FuncType
	params := map[string]bool{}
	outer := map[string]bool{}
	fields := []*ast.Field{}
	switch n := node.(type) {
	case *ast.FuncDecl:
		typ = n.Type
		if n.Recv != nil {
			fields = append(fields, n.Recv.List...)
		}
	case *ast.FuncLit:
		typ = n.Type
		ast.Inspect(n.Body, func(m ast.Node) bool {
			id, ok := m.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := pkg.Info.Uses[id].(*types.Var)
			if ok && !v.IsField() && v.Pos() < n.Pos() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() && v.Pkg() == pkg.Types {
				outer[v.Name()] = true
			}
			return true
		})
	}
	for _, f := range append(fields, typ.Params.List...) {
		for _, id := range f.Names {
			if id.Name != "_" {
				params[id.Name] = true
			}
		}
	}
	var truth []history.Value
	if first := x.Steps[1]; first.Node != nil {
		if w := j.m.Watched(x, first); w != nil {
			snap, _ := j.m.Snaps.At(j.t.Goroutine, w.Path, w.Offset, first.Nth)
			truth = snap.Vars
		}
	}
	judged := 0
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v := shown(p.Scopes, name)
		if v == nil {
			j.check(i, "R3-value", false, dap.DiffVariables, name, "shown at the function's entry", "not shown")
			return
		}
		n := slices.IndexFunc(truth, func(t history.Value) bool { return t.Name == name })
		if n < 0 || truth[n].Kind == history.Unknown || j.m.Concurrent() && !j.m.lasting(x, x.Steps[1], name) {
			continue
		}
		if what, want, got := differ(truth[n], *v, name); what != "" {
			j.check(i, "R3-value", false, dap.DiffVariables, what, want, got)
			return
		}
		judged++
		j.made("R3-value")
	}
	j.judged(finding.Variables, judged)
	j.unjudged(finding.Variables, entryValues, count(p.Scopes)-judged)
	for _, name := range slices.Sorted(maps.Keys(outer)) {
		j.check(i, "R3-value", shown(p.Scopes, name) != nil, dap.DiffVariables, name, "shown at the function's entry", "not shown")
		if j.dead {
			return
		}
	}
}

// shown is the variable that is shown under a name; the innermost of several.
func shown(scopes []dap.Scope, name string) *dap.Variable {
	var found *dap.Variable
	for si := range scopes {
		for vi := range scopes[si].Vars {
			if v := &scopes[si].Vars[vi]; v.Name == name {
				found = v
			}
		}
	}
	return found
}

// count is how many variables are shown.
func count(scopes []dap.Scope) int {
	n := 0
	for _, s := range scopes {
		n += len(s.Vars)
	}
	return n
}
