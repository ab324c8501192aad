package reference

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/timeline"
)

// result judges a result without a name: it is zero until the function returns. It reports
// whether that is so, or not known.
func (j *judge) result(i int, x *timeline.Activation, s timeline.Step, v dap.Variable, now bool) bool {
	fields := resultFields(j.m.Code, x.Func)
	n, err := strconv.Atoi(strings.TrimPrefix(v.Name, "~r"))
	_, pkg := j.m.Code.Node(x.Func)
	if err != nil || n >= len(fields) || pkg == nil {
		j.unjudged(finding.Variables, results, 1)
		return true
	}
	t := pkg.Info.TypeOf(fields[n].Type)
	zero, ok := zeroOf(t)
	if !ok || !now || s.Node == nil {
		return j.typed(i, t, v, results)
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

// results judges the results of a call that has several. Debuggers show them as a list, by the names that the function has for them, which are
// known if named, or without.
func (j *judge) results(i int, call string, truth history.Value, v dap.Variable, t *types.Tuple, named bool) {
	if len(v.Children) != t.Len() || len(truth.Children) != t.Len() {
		j.answers(i, false, call, fmt.Sprintf("%d results", t.Len()), fmt.Sprintf("%d, %s", len(v.Children), v.Value))
		return
	}
	for n, c := range truth.Children {
		name := fmt.Sprintf("result %d of %s", n+1, call)
		if r := t.At(n).Name(); named && r != "" && r != "_" && v.Children[n].Name != r {
			j.answers(i, false, name, r, v.Children[n].Name)
			return
		}
		if what, want, got := differ(c, v.Children[n], name); what != "" {
			j.answers(i, false, what, want, got)
			return
		}
	}
	j.answers(i, true, call, "", "")
}
