package reference

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/history/timeline"
)

// derived is the variables at a step that took no snapshot: those of the next step that took
// one, if what is executed in between changes nothing, or else of the one before. Where
// something is assigned in between, only variables of flat types are known, but for those that
// are assigned. Functions that are called in between may change anything.
func (j *judge) derived(x *timeline.Activation, at int) ([]history.Value, bool) {
	if at < 0 || at >= len(x.Steps) || x.Steps[at].Node == nil || x.Steps[at].Entry {
		return nil, false
	}
	if vars, ok := j.neighbour(x, at, 1); ok {
		return vars, true
	}
	return j.neighbour(x, at, -1)
}

// farthest is how many steps a neighbour may be away.
const farthest = 4

// neighbour is what derived finds in one direction.
func (j *judge) neighbour(x *timeline.Activation, at, direction int) ([]history.Value, bool) {
	assigned := map[string]bool{}
	for n := at; n-at <= farthest && at-n <= farthest; n += direction {
		if n < 1 || n >= len(x.Steps) || x.Steps[n].Node == nil {
			return nil, false
		}
		s := x.Steps[n]
		if n != at {
			if snap, ok := j.snapshot(x, s); ok {
				if j.wasBefore(&s) {
					return nil, false
				}
				if direction < 0 && !changes(&s, assigned) {
					return nil, false
				}
				return j.same(x, x.Steps[at], s, snap.Vars, assigned), true
			}
		}
		// What is executed at the step itself comes after the pause.
		if (direction > 0 || n != at) && !changes(&s, assigned) {
			return nil, false
		}
	}
	return nil, false
}

// snapshot is what was recorded at a step.
func (j *judge) snapshot(x *timeline.Activation, s timeline.Step) (history.Snapshot, bool) {
	w := j.m.Watched(x, s)
	if w == nil {
		return history.Snapshot{}, false
	}
	return j.m.Snaps.At(j.t.Goroutine, w.Path, w.Offset, s.Nth)
}

// changes notes the local variables that a step assigns to. It reports false if that may
// change others as well: by a call, a store through a pointer or into a part, or what another
// goroutine does meanwhile.
func changes(s *timeline.Step, assigned map[string]bool) bool {
	if len(s.Children) > 0 || s.Library {
		return false
	}
	ok := true
	name := func(e ast.Expr) {
		switch e := e.(type) {
		case nil:
		case *ast.Ident:
			assigned[e.Name] = true
		default:
			ok = false
		}
	}
	inspect := func(n ast.Node) { ok = ok && !touches(n) }
	switch n := s.Node.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			name(l)
		}
		inspect(n)
	case *ast.IncDecStmt:
		name(n.X)
	case *ast.RangeStmt:
		name(n.Key)
		name(n.Value)
		inspect(n.X)
	case *ast.ForStmt:
		if n.Cond != nil && s.Part == history.Condition {
			inspect(n.Cond)
		}
	case *ast.IfStmt:
		inspect(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag != nil {
			inspect(n.Tag)
		}
	case *ast.TypeSwitchStmt, *ast.BlockStmt, *ast.LabeledStmt, *ast.BranchStmt:
	case *ast.CaseClause:
		for _, e := range n.List {
			inspect(e)
		}
	case *ast.DeclStmt:
		d, isVar := n.Decl.(*ast.GenDecl)
		for _, spec := range d.Specs {
			if v, is := spec.(*ast.ValueSpec); is && isVar {
				for _, id := range v.Names {
					assigned[id.Name] = true
				}
			}
		}
		inspect(n)
	default:
		ok = false
	}
	return ok
}

// same are the variables of a snapshot at another step that are the same at a step.
func (j *judge) same(x *timeline.Activation, s, at timeline.Step, vars []history.Value, assigned map[string]bool) []history.Value {
	_, pkg := j.m.Code.Node(x.Func)
	here, there := pkg.Scope(s.Node.Pos()), pkg.Scope(at.Node.Pos())
	var out []history.Value
	for _, v := range vars {
		if assigned[v.Name] || len(assigned) > 0 && !flat[v.Kind] {
			continue
		}
		_, a := here.LookupParent(v.Name, s.Node.Pos())
		_, b := there.LookupParent(v.Name, at.Node.Pos())
		// What is declared on the line itself is not shown there.
		if a != nil && a == b && pkg.Fset.PositionFor(a.Pos(), false).Line < s.First {
			out = append(out, v)
		}
	}
	return out
}

// flat are the kinds of values that have no parts that could be reached from elsewhere.
var flat = func() map[string]bool {
	m := map[string]bool{}
	for _, t := range types.Typ {
		if t.Info()&(types.IsBoolean|types.IsNumeric|types.IsString) != 0 {
			m[t.Name()] = true
		}
	}
	return m
}()

// returnedTo is the variables of an activation after one of its calls, as what it called last
// knew them.
func (j *judge) returnedTo(x *timeline.Activation, s timeline.Step, call int) ([]history.Value, bool) {
	v := j.m.Watched(x, s)
	if call < 1 || call > len(s.Children) || v == nil {
		return nil, false
	}
	snap, ok := j.left(s.Children[call-1])
	if !ok {
		return nil, false
	}
	i := slices.IndexFunc(snap.Frames, func(f history.FrameValues) bool {
		return f.Path == v.Path && f.Offset == v.Offset && f.Nth == s.Nth
	})
	if i < 0 {
		return nil, false
	}
	return snap.Frames[i].Vars, true
}

// left is what was recorded last in an activation that has returned, where it changed nothing
// of its callers' after that.
func (j *judge) left(x *timeline.Activation) (history.Snapshot, bool) {
	n := len(x.Steps) - 1
	if n > 0 && x.Steps[n].Node == nil {
		n--
	}
	s := x.Steps[n]
	if x.Abrupt || s.Library || j.m.Plan.Funcs[x.Func].Defers {
		return history.Snapshot{}, false
	}
	if r, ok := s.Node.(*ast.ReturnStmt); ok && touches(r) || !ok && s.Part != history.Return {
		return history.Snapshot{}, false
	}
	if c := len(s.Children); c > 0 {
		return j.left(s.Children[c-1])
	}
	return j.snapshot(x, s)
}

// touches reports whether a statement itself, not what it calls, may change what a variable
// leads to: it receives, or has a builtin function do it.
func touches(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			if id, is := n.Fun.(*ast.Ident); is && changers[id.Name] {
				found = true
			}
		}
		return !found
	})
	return found
}

// changers are the builtin functions that change what a variable leads to.
var changers = map[string]bool{"append": true, "clear": true, "close": true, "copy": true, "delete": true}
