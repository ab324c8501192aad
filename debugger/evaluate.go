package debugger

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"

	"github.com/google/go-dap"

	"misstep/history"
)

// evaluate looks a variable up, and fields, elements and what pointers point to
// inside of it.
func (s *Server) evaluate(m *dap.EvaluateRequest, r *dap.Request, no func(string, ...any)) {
	id := m.Arguments.FrameId
	at := s.at
	if id != 0 {
		at = id >> 10
		if id&(1<<10-1) != 1 {
			no("variables are recorded of the innermost frame only")
			return
		}
	}
	values, ok := s.Timeline.Values(at)
	if !ok {
		no("no variables are recorded here")
		return
	}
	x, err := parser.ParseExpr(m.Arguments.Expression)
	if err != nil {
		no("%v", err)
		return
	}
	v, err := find(values, x)
	if err != nil {
		no("%v", err)
		return
	}
	out := s.variable(*v)
	s.send(&dap.EvaluateResponse{Response: s.response(r), Body: dap.EvaluateResponseBody{
		Result: out.Value, Type: out.Type, VariablesReference: out.VariablesReference,
	}})
}

// find is the value of an expression that leads into recorded variables.
func find(values []history.Value, x ast.Expr) (*history.Value, error) {
	child := func(v *history.Value, name string) (*history.Value, error) {
		if v.Kind == "pointer" && name != "" && len(v.Children) == 1 {
			v = &v.Children[0]
		}
		for i := range v.Children {
			if v.Children[i].Name == name {
				return &v.Children[i], nil
			}
		}
		return nil, fmt.Errorf("%s is not recorded", name)
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return find(values, x.X)
	case *ast.Ident:
		for i := range values {
			if values[i].Name == x.Name {
				return &values[i], nil
			}
		}
		return nil, fmt.Errorf("there is no variable %s here", x.Name)
	case *ast.SelectorExpr:
		v, err := find(values, x.X)
		if err != nil {
			return nil, err
		}
		return child(v, x.Sel.Name)
	case *ast.StarExpr:
		v, err := find(values, x.X)
		if err != nil {
			return nil, err
		}
		return child(v, "")
	case *ast.IndexExpr:
		v, err := find(values, x.X)
		if err != nil {
			return nil, err
		}
		if lit, ok := x.Index.(*ast.BasicLit); ok {
			return child(v, "["+lit.Value+"]")
		}
	}
	return nil, fmt.Errorf("only variables, and what is inside of them, were recorded")
}

// unmarshal reads arguments that may be missing.
func unmarshal(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, v)
}
