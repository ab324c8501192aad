package gen

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// An origin is where a value of a function's type comes from: a literal, a declared function that is not called at once,
// or something that cannot be looked into, which is not pure.
type origin struct {
	sig  *types.Signature
	pure func() bool
}

// unknown is the purity of what cannot be looked into.
func unknown() bool { return false }

// values reports whether each value of a function's type that the program may have is pure when it is called. A value of the
// same type may come from anywhere in the program, so that all of its origins have to be.
func (p *purity) values(sig *types.Signature) bool {
	if pure, ok := p.trusted.At(sig).(bool); ok {
		return pure
	}
	p.trusted.Set(sig, false) // while it is looked into: nothing says how often one calls itself
	if p.origins == nil {
		p.origins = newOrigins(p)
	}
	pure, some := !p.origins.anything, false
	for _, o := range p.origins.found {
		if !mayBe(o.sig, sig) {
			continue
		}
		if some = true; !o.pure() {
			pure = false
			break
		}
	}
	p.trusted.Set(sig, pure && some)
	return pure && some
}

// mayBe reports whether a value from an origin may have a type; with a type parameter in it nearly anything.
func mayBe(origin, sig *types.Signature) bool {
	if hasParams(origin.Params()) || hasParams(origin.Results()) {
		return origin.Params().Len() == sig.Params().Len() && origin.Results().Len() == sig.Results().Len()
	}
	return types.Identical(plainSignature(origin), plainSignature(sig))
}

// hasParams reports whether some variable of a function has a type with a type parameter in it.
func hasParams(t *types.Tuple) bool {
	for v := range t.Variables() {
		if hasParam(v.Type(), 0) {
			return true
		}
	}
	return false
}

// plainSignature is one of a value: without a receiver.
func plainSignature(sig *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
}

// newOrigins finds the origins in the program.
func newOrigins(p *purity) *origins {
	o := &origins{p: p, called: map[*ast.Ident]bool{}}
	for _, f := range p.src.Files {
		for _, d := range f.AST.Decls {
			fd, ok := d.(*ast.FuncDecl)
			o.generic = ok && (fd.Type.TypeParams != nil || receiverParams(fd))
			if ok && fd.Recv != nil {
				// A package that knows its receiver by an interface may call it with functions of its own.
				o.taken(p.src.Info.TypeOf(fd.Name))
			}
			ast.Inspect(d, o.visit)
		}
	}
	return o
}

// receiverParams reports whether the type that a method is declared for is generic.
func receiverParams(fd *ast.FuncDecl) bool {
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		return false
	}
	t := fd.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// origins are all of a program's.
type origins struct {
	p        *purity
	generic  bool // the declaration around has type parameters
	called   map[*ast.Ident]bool
	found    []origin
	anything bool // a package is imported that makes functions of any type
}

func (o *origins) visit(n ast.Node) bool {
	info := o.p.src.Info
	switch n := n.(type) {
	case *ast.FuncLit:
		pure := unknown
		if !o.generic {
			pure = func() bool { return o.p.body(n, n.Body) }
		}
		o.value(info.TypeOf(n), pure)
	case *ast.CallExpr:
		if id := calledName(n.Fun); id != nil {
			o.called[id] = true
		}
		if !o.p.own(n) {
			o.made(info.TypeOf(n), 0)
		}
	case *ast.SelectorExpr:
		// A method without its receiver takes it as an operand, which the selector alone does not know.
		if fn, ok := info.Uses[n.Sel].(*types.Func); ok && !o.called[n.Sel] {
			o.declared(fn, info.TypeOf(n))
			o.called[n.Sel] = true
		}
	case *ast.Ident:
		switch obj := info.Uses[n].(type) {
		case *types.Func:
			if !o.called[n] {
				o.declared(obj, info.TypeOf(n))
			}
		case *types.Var:
			if obj.Pkg() != nil && obj.Pkg() != o.p.src.Pkg {
				o.made(obj.Type(), 0)
			}
		}
	case *ast.RangeStmt:
		// The body of a loop over a function is one that the compiler makes.
		if sig, ok := info.TypeOf(n.X).Underlying().(*types.Signature); ok {
			o.taken(sig)
		}
	case *ast.ImportSpec:
		if slices.Contains([]string{"reflect", "plugin", "C"}, strings.Trim(n.Path.Value, "\"`")) {
			o.anything = true
		}
	}
	return true
}

// declared adds a function or a method that is declared, as a value of a type.
func (o *origins) declared(fn *types.Func, t types.Type) {
	o.value(t, func() bool { return fn.Pkg() == o.p.src.Pkg && o.p.function(fn) })
}

// value adds a value that has a function's type, and what another package may call it with.
func (o *origins) value(t types.Type, pure func() bool) {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return
	}
	o.found = append(o.found, origin{sig, pure})
	o.taken(sig)
}

// taken adds the functions that a function takes, as nobody knows who calls it.
func (o *origins) taken(t types.Type) {
	if sig, ok := t.Underlying().(*types.Signature); ok {
		o.made(sig.Params(), 0)
	}
}

// made adds the functions in a value that another package makes.
func (o *origins) made(t types.Type, depth int) {
	if t == nil || depth > 4 {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Tuple:
		for v := range u.Variables() {
			o.made(v.Type(), depth+1)
		}
	case *types.Signature:
		o.found = append(o.found, origin{u, unknown})
	case *types.Pointer:
		o.made(u.Elem(), depth+1)
	case *types.Slice:
		o.made(u.Elem(), depth+1)
	case *types.Array:
		o.made(u.Elem(), depth+1)
	case *types.Chan:
		o.made(u.Elem(), depth+1)
	case *types.Map:
		o.made(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			o.made(f.Type(), depth+1)
		}
	}
}

// own reports whether a call is of the program's own function, or of a value, whose origins are looked at by themselves;
// a conversion and a builtin function make no function either.
func (p *purity) own(call *ast.CallExpr) bool {
	if p.src.Info.Types[call.Fun].IsType() || p.src.Info.Types[call.Fun].IsBuiltin() {
		return true
	}
	fn, ok := p.src.Info.Uses[calledName(call.Fun)].(*types.Func)
	return !ok || fn.Pkg() == p.src.Pkg
}

// calledName is the name of what is called, be it an instance or an element; nil if it has none.
func calledName(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr:
		return calledName(x.X)
	case *ast.IndexListExpr:
		return calledName(x.X)
	}
	return nil
}

// valued are expressions whose values can be called without a trace: variables, what they hold, and what functions give.
func (e *exprs) valued() (can []typed) {
	add := func(x typed) bool {
		sig, ok := x.typ.Underlying().(*types.Signature)
		if ok && sig.Results().Len() > 0 && e.pure.values(sig) && !slices.Contains(can, x) {
			can = append(can, x)
		}
		return ok
	}
	for _, x := range e.atoms {
		for range 3 {
			if add(x) {
				break
			}
			fits := slices.DeleteFunc(slices.Clone(leads), func(p production) bool { return !p.fits(x.typ.Underlying()) })
			if len(fits) == 0 {
				break
			}
			y, ok := e.check(pick(e.r, fits).of(e, x))
			if !ok {
				break
			}
			x = y
		}
	}
	for _, fn := range e.callees {
		if r := fn.Signature().Results(); r.Len() == 1 {
			if sig, ok := r.At(0).Type().Underlying().(*types.Signature); ok && sig.Results().Len() > 0 && e.pure.values(sig) {
				if x, ok := e.check(e.called(fn)); ok {
					add(x)
				}
			}
		}
	}
	return can
}
