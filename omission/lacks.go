package omission

import (
	"fmt"
	"go/ast"
	"go/types"
)

// lacks says why a type assertion that gave a variable false at a step did not hold: what the object is not, or which method it does not
// have. It is empty where the object or its type was not seen.
func (e *explainer) lacks(s step, v types.Object) string {
	st, ok := s.trace[s.i].node.at.(*ast.AssignStmt)
	if !ok || len(st.Lhs) != 2 || len(st.Rhs) != 1 {
		return ""
	}
	x, ok := ast.Unparen(st.Rhs[0]).(*ast.TypeAssertExpr)
	id, named := st.Lhs[1].(*ast.Ident)
	if !ok || !named || x.Type == nil || s.fn.pkg.Info.ObjectOf(id) != v {
		return ""
	}
	t, ok := e.f.events.is(e.f.program, s.a, x.X, s.after())
	if !ok || t.of.Made < 0 {
		return ""
	}
	typ := e.f.siteType(t.of.Made)
	if _, named := types.Unalias(typ).(*types.Named); typ == nil || !named {
		return ""
	}
	dynamic := types.NewPointer(typ) // what has an object of its own in an interface is a pointer
	wanted := typeOf(s.fn, x.Type)
	if iface, ok := wanted.Underlying().(*types.Interface); ok {
		switch m, wrong := types.MissingMethod(dynamic, iface, true); {
		case m == nil || wrong:
			return ""
		default:
			return fmt.Sprintf("%s has no method %s", t.of, m.Name())
		}
	}
	if types.TypeString(wanted, nil) == types.TypeString(dynamic, nil) {
		return ""
	}
	return fmt.Sprintf("%s is no %s", t.of, types.TypeString(wanted, types.RelativeTo(s.fn.pkg.Types)))
}
