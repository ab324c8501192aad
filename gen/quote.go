package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/internal/source"
)

// quote is an expression that the function around has itself: what people hover and copy. Some
// are varied, with another operand or operator in place of one.
func (e *exprs) quote() (typed, bool) {
	if !e.quoted {
		e.quotes, e.quoted = e.collect(), true
	}
	if len(e.quotes) == 0 {
		return typed{}, false
	}
	q := pick(e.r, e.quotes)
	if e.r.IntN(3) == 0 {
		if v, ok := e.vary(q); ok {
			return v, true
		}
	}
	return q, true
}

// collect finds the expressions of the function around that change nothing and make sense where
// they are wanted, each once.
func (e *exprs) collect() (found []typed) {
	fn := e.src.FuncAt(e.at)
	if fn == nil {
		return nil
	}
	seen := map[string]bool{}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		switch x.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.FuncLit, *ast.CompositeLit, *ast.KeyValueExpr, *ast.ParenExpr:
			return true
		}
		text := e.src.Text(x)
		if seen[text] || strings.Contains(text, "\n") || strings.Contains(text, "//") {
			return true
		}
		seen[text] = true
		if _, binary := x.(*ast.BinaryExpr); binary {
			text = "(" + text + ")" // so that it can be an operand
		}
		if t, ok := e.check(text); ok && e.asks(t.text) {
			found = append(found, t)
		}
		return true
	})
	return found
}

// calling finds the expressions of the function around that call what can be called without a trace.
func (e *exprs) calling() (found []typed) {
	e.calls = true
	all := e.collect()
	e.calls = false
	for _, x := range all {
		if !e.asks(x.text) {
			found = append(found, x)
		}
	}
	return found
}

// asks reports whether an expression only asks: it reads variables that have their values where it
// is for, and calls nothing but conversions and builtin functions without a trace.
func (e *exprs) asks(text string) bool {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return false
	}
	ok := true
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.CompositeLit:
			// Debuggers have those of structs; types of other packages they want by their paths.
			id, own := n.Type.(*ast.Ident)
			if own {
				t, is := e.src.Lookup(e.at, id.Name).(*types.TypeName)
				own = is && t.Parent() == e.src.Pkg.Scope() && isA[*types.Struct](t.Type().Underlying())
			}
			if ok = ok && own; !ok {
				return false
			}
			for _, x := range n.Elts {
				if kv, keyed := x.(*ast.KeyValueExpr); keyed {
					x = kv.Value
				}
				ast.Inspect(x, visit)
			}
			return false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.TypeAssertExpr:
			// Debuggers assert concrete types only.
			tv := e.typeOf(n.Type)
			ok = ok && tv.IsType() && !types.IsInterface(tv.Type)
			ast.Inspect(n.X, visit)
			return false
		case *ast.CallExpr:
			tv := e.typeOf(n.Fun)
			id, is := n.Fun.(*ast.Ident)
			builtin := is && slices.Contains(askingBuiltins, id.Name) && e.src.Lookup(e.at, id.Name) == types.Universe.Lookup(id.Name)
			if fn := e.callee(n); e.calls && fn != nil && e.pure != nil && e.pure.function(fn) {
				if sel, method := ast.Unparen(n.Fun).(*ast.SelectorExpr); method {
					ast.Inspect(sel.X, visit)
				}
				for _, arg := range n.Args {
					ast.Inspect(arg, visit)
				}
				return false
			}
			if sig, value := e.callable(tv); value && !builtin && e.callee(n) == nil {
				ok = ok && e.pure.values(sig)
				return ok
			}
			ok = ok && (builtin || tv.IsType() && castable(tv.Type))
		case *ast.SelectorExpr:
			if id, is := n.X.(*ast.Ident); is {
				if p, pkg := e.src.Lookup(e.at, id.Name).(*types.PkgName); pkg {
					if p.Imported() == types.Unsafe && n.Sel.Name == "Pointer" {
						return false
					}
					// Of other packages those variables and types which the program is known to have.
					text := id.Name + "." + n.Sel.Name
					ok = ok && slices.ContainsFunc(e.src.Foreign(e.at), func(f source.Foreign) bool { return f.Text == text && (!isVar(f.Obj) || e.knows(text)) })
					return false
				}
			}
			if info, err := e.src.Check(e.at, n); err == nil {
				if sel := info.Selections[n]; sel != nil && sel.Kind() != types.FieldVal {
					ok = false // what a method value is called debuggers make up
					return false
				}
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			switch obj := e.src.Lookup(e.at, n.Name).(type) {
			case *types.Var:
				ok = ok && e.knows(n.Name)
			case *types.Func:
				ok = false
			case *types.Const:
				ok = ok && (obj.Parent() == types.Universe || e.told(obj))
			}
		}
		return ok
	}
	ast.Inspect(x, visit)
	return ok
}

// callable is the type of a function that is called by its value, where calls are wanted.
func (e *exprs) callable(tv types.TypeAndValue) (*types.Signature, bool) {
	if !e.calls || e.pure == nil || !tv.IsValue() {
		return nil, false
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	return sig, ok
}

// castable reports whether debuggers convert to a type: they do so between numbers, between strings and slices of bytes
// and runes, and between pointers, those of package unsafe among them.
func castable(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsNumeric|types.IsString|types.IsBoolean) != 0 || t.Kind() == types.UnsafePointer
	case *types.Slice:
		b, ok := t.Elem().(*types.Basic)
		return ok && (b.Kind() == types.Uint8 || b.Kind() == types.Int32)
	case *types.Pointer:
		return true
	}
	return false
}

// askingBuiltins are those that Go and debuggers both have.
var askingBuiltins = []string{"len", "cap", "min", "max", "real", "imag", "complex"}

// vary puts another operand of the same type, or another operator of the same precedence, in one
// place of an expression.
func (e *exprs) vary(q typed) (typed, bool) {
	x, err := parser.ParseExpr(q.text)
	if err != nil {
		return typed{}, false
	}
	type edit struct {
		at, end int
		text    string
	}
	var can []edit
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.CallExpr:
			for _, arg := range n.Args {
				if id, ok := arg.(*ast.Ident); ok {
					for _, a := range e.atoms {
						can = append(can, edit{int(id.Pos()) - 1, int(id.End()) - 1, a.text})
					}
				}
			}
			return false
		case *ast.Ident:
			for _, a := range e.atoms {
				if a.text != n.Name {
					can = append(can, edit{int(n.Pos()) - 1, int(n.End()) - 1, a.text})
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.INT {
				for _, v := range []string{"0", "1", "2", "-1", "255"} {
					can = append(can, edit{int(n.Pos()) - 1, int(n.End()) - 1, v})
				}
			}
		case *ast.BinaryExpr:
			for _, op := range operators {
				if op != n.Op.String() {
					can = append(can, edit{int(n.OpPos) - 1, int(n.OpPos) - 1 + len(n.Op.String()), " " + op + " "})
				}
			}
		}
		return true
	})
	for range 4 {
		if len(can) == 0 {
			break
		}
		c := pick(e.r, can)
		if v, ok := e.check(q.text[:c.at] + c.text + q.text[c.end:]); ok && e.asks(v.text) {
			return v, true
		}
	}
	return typed{}, false
}
