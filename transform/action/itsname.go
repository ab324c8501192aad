package action

import (
	"go/ast"
	"go/constant"
	"slices"

	"misstep/transform"
)

// asksItsName reports whether the program's source asks for the name that it was started by: it mentions its arguments otherwise than to
// count them or to take some that come after the name, its executable, or what package flag tells that name with.
func asksItsName(c *transform.Choice) bool {
	info := c.Source.Info
	is := func(n *ast.Ident, pkg string, names ...string) bool {
		obj := info.Uses[n]
		return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == pkg && slices.Contains(names, obj.Name())
	}
	name := func(x ast.Expr) ast.Expr { // without its package
		if sel, ok := x.(*ast.SelectorExpr); ok {
			return sel.Sel
		}
		return x
	}
	beyond := func(index ast.Expr) bool {
		v := info.Types[index].Value
		return v != nil && v.Kind() == constant.Int && constant.Sign(v) > 0 // the key of a map may be anything
	}
	for _, f := range c.Source.Files {
		others := map[ast.Expr]bool{} // mentions of the arguments that leave the name alone
		for n := range ast.Preorder(f.AST) {
			switch n := n.(type) {
			case *ast.CallExpr:
				if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "len" && len(n.Args) == 1 {
					others[name(n.Args[0])] = true
				}
			case *ast.IndexExpr:
				if beyond(n.Index) {
					others[name(n.X)] = true
				}
			case *ast.SliceExpr:
				if n.Low != nil && beyond(n.Low) {
					others[name(n.X)] = true
				}
			case *ast.Ident:
				if is(n, "os", "Args") && !others[n] || is(n, "os", "Executable") || is(n, "flag", "Usage", "CommandLine") {
					return true
				}
			}
		}
	}
	return false
}
