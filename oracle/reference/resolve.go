package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"misstep/history"
)

// resolve is the value of an expression that only leads into variables, such as
// a.b[1].c or *p, as they were recorded; of others it says nothing.
func resolve(vars []history.Value, text string) (history.Value, bool) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return history.Value{}, false
	}
	v := into(vars, x)
	if v == nil || v.Kind == history.Unknown {
		return history.Value{}, false
	}
	return *v, true
}

// into follows one step of an expression; nil if what it leads to is not recorded.
func into(vars []history.Value, x ast.Expr) *history.Value {
	child := func(v *history.Value, name string) *history.Value {
		if v != nil && v.Kind == "pointer" && len(v.Children) == 1 {
			v = &v.Children[0]
		}
		for i := 0; v != nil && i < len(v.Children) && v.Kind != "map"; i++ {
			if v.Children[i].Name == name {
				return &v.Children[i]
			}
		}
		return nil
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return into(vars, x.X)
	case *ast.Ident:
		for i := range vars {
			if vars[i].Name == x.Name {
				return &vars[i]
			}
		}
	case *ast.SelectorExpr:
		if v := into(vars, x.X); v != nil && (v.Kind == "struct" || v.Kind == "pointer") {
			return child(v, x.Sel.Name)
		}
	case *ast.StarExpr:
		if v := into(vars, x.X); v != nil && v.Kind == "pointer" && len(v.Children) == 1 {
			return &v.Children[0]
		}
	case *ast.IndexExpr:
		v := into(vars, x.X)
		if v == nil {
			return nil
		}
		key := literal(vars, x.Index)
		if v.Kind != "map" {
			return child(v, "["+key+"]")
		}
		for i := 0; i+1 < len(v.Children) && key != ""; i += 2 {
			if v.Children[i].Text == key {
				return &v.Children[i+1]
			}
		}
	}
	return nil
}

// literal is an index as a snapshot writes it: a number, a string, or a variable that holds
// one; empty if it is something else.
func literal(vars []history.Value, x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		switch x.Kind {
		case token.INT:
			if n, err := strconv.ParseInt(x.Value, 0, 64); err == nil {
				return strconv.FormatInt(n, 10)
			}
		case token.STRING:
			if s, err := strconv.Unquote(x.Value); err == nil {
				return strconv.Quote(s)
			}
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if v := into(vars, x); v != nil && len(v.Children) == 0 && v.Kind != history.Unknown {
			return v.Text
		}
	}
	return ""
}

// missing reports whether an expression may index a map by a key that it does not have:
// debuggers answer that there is none, where the program gets a zero value. It is false
// where all maps and keys are known, and have them.
func missing(vars []history.Value, text string) bool {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return true
	}
	may := false
	ast.Inspect(x, func(n ast.Node) bool {
		ix, ok := n.(*ast.IndexExpr)
		if !ok {
			return true
		}
		v := into(vars, ix.X)
		if v == nil {
			may = true // what is indexed is not known
			return true
		}
		if v.Kind == "pointer" && len(v.Children) == 1 {
			v = &v.Children[0]
		}
		if v.Kind == "map" && into(vars, ix) == nil {
			may = true
		}
		return true
	})
	return may
}
