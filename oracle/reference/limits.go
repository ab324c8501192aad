package reference

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/history/timeline"
)

// limits are what Delve's expression language has not: the text of the refusal, and what in
// an expression it is about.
var limits = []struct {
	text string
	is   func(ast.Node) bool
	why  string
}{
	{"3-index slice expressions not supported", func(n ast.Node) bool { s, ok := n.(*ast.SliceExpr); return ok && s.Slice3 }, "a slice with three indices"},
	{"structure too deep for comparison", compares, "a comparison of more than is loaded"},
	{"string too long for comparison", compares, "a comparison of more than is loaded"},
	{"not implemented", func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr:
			return true
		}
		return false
	}, "an expression that Delve has not"},
	{"literal string can not be allocated", func(n ast.Node) bool { _, ok := n.(*ast.CompositeLit); return ok }, "a string in a literal, which has to be put into the program's memory"},
	{"operator <- not supported", func(n ast.Node) bool { u, ok := n.(*ast.UnaryExpr); return ok && u.Op == token.ARROW }, "an operator that Delve has not"},
}

// fromElsewhere reports whether a node has its value from somewhere else than a variable of the frame or a constant, where it may be anything.
func fromElsewhere(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return true
	case *ast.CallExpr:
		id, ok := n.Fun.(*ast.Ident)
		return !ok || types.Universe.Lookup(id.Name) == nil
	}
	return false
}

// fewElements is how many elements Delve compares at most.
const fewElements = 64

// longArray reports whether a node is, or has in it, an array of more elements than Delve compares.
func longArray(info *types.Info, n ast.Node) bool {
	e, ok := n.(ast.Expr)
	if !ok {
		return false
	}
	return hasWithin(info.TypeOf(e), func(t types.Type) bool {
		a, ok := t.Underlying().(*types.Array)
		return ok && a.Len() > fewElements
	})
}

// passesAddress reports whether a node calls something with an operand, or a receiver, that is an address or has one in it.
func passesAddress(info *types.Info, n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	operands := call.Args
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		if s := info.Selections[sel]; s != nil {
			operands = append([]ast.Expr{sel.X}, operands...)
			// A method of a pointer takes the address of what it is called on.
			if sig, ok := s.Obj().Type().(*types.Signature); ok && sig.Recv() != nil && isPointer(sig.Recv().Type()) {
				return true
			}
		}
	}
	for _, e := range operands {
		if hasWithin(info.TypeOf(e), func(t types.Type) bool {
			switch t := t.Underlying().(type) {
			case *types.Basic:
				return t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer || t.Kind() == types.UntypedNil
			case *types.Array, *types.Struct:
				return false
			}
			return true
		}) {
			return true
		}
	}
	return false
}

func isPointer(t types.Type) bool { _, ok := t.Underlying().(*types.Pointer); return ok }

// hasWithin reports whether a type, or one of which values are in its own, is of a kind.
func hasWithin(t types.Type, is func(types.Type) bool) bool {
	if t == nil || is(t) {
		return t != nil
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return hasWithin(t.Elem(), is)
	case *types.Struct:
		for f := range t.Fields() {
			if hasWithin(f.Type(), is) {
				return true
			}
		}
	}
	return false
}

// compares reports whether a node compares two operands.
func compares(n ast.Node) bool {
	b, ok := n.(*ast.BinaryExpr)
	return ok && slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, b.Op)
}

// anyPart reports whether some part of an expression is of a kind, by its types.
func anyPart(pkg *history.Package, s timeline.Step, e ast.Expr, is func(*types.Info, ast.Node) bool) bool {
	if pkg == nil || s.Node == nil {
		return false
	}
	info, err := pkg.Check(s.Node.Pos(), e)
	if err != nil {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		found = found || n != nil && is(info, n)
		return !found
	})
	return found
}

// variadic reports whether a node calls a variadic function without a slice for its last parameter: Delve wants that.
func variadic(info *types.Info, n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() {
		return false
	}
	sig, ok := info.Types[call.Fun].Type.(*types.Signature)
	return ok && sig.Variadic()
}

// makesInterface reports whether a node is a literal with an element that is no interface where one is wanted. Delve's
// expressions convert to no interface, and it promises no such conversion.
func makesInterface(info *types.Info, n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return false
	}
	t := info.TypeOf(lit)
	if t == nil {
		return false
	}
	wants := func(i int, key ast.Expr) types.Type {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			id, named := key.(*ast.Ident)
			for n := range u.NumFields() {
				if named && u.Field(n).Name() == id.Name || key == nil && n == i {
					return u.Field(n).Type()
				}
			}
		case *types.Slice:
			return u.Elem()
		case *types.Array:
			return u.Elem()
		case *types.Map:
			return u.Elem()
		}
		return nil
	}
	for i, e := range lit.Elts {
		var key ast.Expr
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			key, e = kv.Key, kv.Value
		}
		want, has := wants(i, key), info.Types[e]
		if want != nil && types.IsInterface(want) && has.Type != nil && !has.IsNil() && !types.IsInterface(has.Type) {
			return true
		}
	}
	return false
}

// realOfComplex reports whether a node converts a complex number to a real one, which only constants allow that have no
// imaginary part. Delve does not follow through conversions what is constant.
func realOfComplex(info *types.Info, n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !info.Types[call.Fun].IsType() {
		return false
	}
	to, ok := info.TypeOf(call).Underlying().(*types.Basic)
	from, ok2 := info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	if !ok || !ok2 || to.Info()&types.IsComplex != 0 {
		return false
	}
	// A constant that the builtin makes has the type that it is converted to.
	inner, called := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	if called {
		id, ok := ast.Unparen(inner.Fun).(*ast.Ident)
		called = ok && id.Name == "complex"
	}
	return called || from.Info()&types.IsComplex != 0
}
