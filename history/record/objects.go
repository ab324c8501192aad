package record

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"misstep/history"
)

//go:embed rt/objects.go
var objectsText string

// Which objects an execution touches is recorded where an expression leads to one: at
// the operand of a selection through a pointer, of an index, of a dereference, of a
// range, of a channel's operation, at a method's receiver, at parameters and results,
// and where objects are made. The expression is passed through a function that writes
// its address, so that it is evaluated as often and, among calls, in the same order
// as before: one that a call in the same statement could change is left out.

// object passes the operand of an expression on, if it leads to an object. It is
// false if there is nothing to pass on.
func (b *body) object(x ast.Expr, kind history.Kind) bool {
	if !b.in.objects || x == nil {
		return false
	}
	tv := b.in.pkg.Info.Types[x]
	pass := passes(tv.Type)
	if !tv.IsValue() || tv.IsNil() || tv.Value != nil || pass == "" || b.hurried(x) {
		return false
	}
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && kind != history.Result {
		v := b.in.pkg.Info.Uses[id]
		if v != nil && !b.in.shared[v] && len(b.targets) == 0 {
			if b.known[use{v, kind}] {
				return true
			}
			defer func() { b.known[use{v, kind}] = true }()
		}
	}
	b.wrap(x, pass, kind, tv.Type, "")
	return true
}

// got goes through the right side of an assignment, or an element of a literal. What a call gives is passed on:
// where code that is not recorded made it, that is all there is to know of where.
func (b *body) got(x ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	info := b.in.pkg.Info
	if b.in.objects && ok && !info.Types[call.Fun].IsType() && !info.Types[call.Fun].IsBuiltin() && info.Types[call].Value == nil {
		t := info.TypeOf(call)
		if pass := passes(t); pass != "" {
			b.wrap(x, pass, history.Got, t, "")
			return
		}
	}
	b.expr(x)
}

// gotSeveral passes on what variables get of a call with several results.
func (b *body) gotSeveral(s *ast.AssignStmt) {
	if !b.in.objects || b.header || len(s.Rhs) != 1 || len(s.Lhs) < 2 {
		return
	}
	if _, call := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); !call {
		return
	}
	for _, x := range s.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		t := b.in.pkg.Info.TypeOf(id)
		pass := passes(t)
		if pass == "" {
			continue
		}
		site := b.site(history.Got, id.Pos())
		b.in.plan.Sites[site].Type, b.in.plan.Sites[site].End = b.in.short(t), b.in.offset(id.End())
		b.in.insert(s.End(), fmt.Sprintf("; %s%s(%s, %d, %s)", b.in.qualifier, pass, buffer, site, id.Name))
	}
}

// elementsOf passes on what the variables of a range get in each iteration: which element one is about, nothing else may tell.
func (b *body) elementsOf(s ast.Stmt) string {
	r, ok := s.(*ast.RangeStmt)
	if !b.in.objects || !ok || r.Tok != token.DEFINE {
		return ""
	}
	text := ""
	for _, x := range []ast.Expr{r.Key, r.Value} {
		if id, ok := x.(*ast.Ident); ok {
			text += b.given(id)
		}
	}
	return text
}

// use is what a variable is used for.
type use struct {
	v    types.Object
	kind history.Kind
}

// scoped ends, when it is called, what is known since: what follows is not on every
// way.
func (b *body) scoped() func() {
	before := maps.Clone(b.known)
	return func() { b.known = before }
}

// forget ends what is known of the variables that are assigned in a node.
func (b *body) forget(n ast.Node) {
	gone := func(x ast.Expr) {
		id, ok := x.(*ast.Ident)
		if !ok {
			return
		}
		v := b.in.pkg.Info.ObjectOf(id)
		maps.DeleteFunc(b.known, func(u use, _ bool) bool { return u.v == v })
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				gone(x)
			}
		case *ast.RangeStmt:
			gone(n.Key)
			gone(n.Value)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				gone(id)
			}
		}
		return true
	})
}

// passes is the function that passes values of a type on, or empty.
func passes(t types.Type) string {
	if t == nil {
		return ""
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return ""
	}
	if history.IsReflectValue(t) {
		return "MisstepR"
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return "MisstepP"
	case *types.Slice:
		return "MisstepS"
	case *types.Map, *types.Chan:
		return "MisstepM"
	case *types.Interface:
		if u.IsMethodSet() {
			return "MisstepI"
		}
	}
	return ""
}

// wrap puts an expression into a call, and goes on inside of it.
func (b *body) wrap(x ast.Expr, pass string, kind history.Kind, t types.Type, operator string) {
	site := b.site(kind, x.Pos())
	b.in.plan.Sites[site].Type, b.in.plan.Sites[site].End = b.in.short(t), b.in.offset(x.End())
	if b.loops > 0 && b.caching {
		pass += "Again"
		operator = fmt.Sprintf("&%s%d, %s", last, b.lasts, operator)
		b.lasts++
	}
	b.in.insert(x.Pos(), fmt.Sprintf("%s%s(%s, %d, %s", b.in.qualifier, pass, buffer, site, operator))
	b.expr(x)
	b.in.insert(x.End(), ")")
}

// short is the name of a type, or of what a pointer points to.
func (in *instrumenter) short(t types.Type) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if t == types.Typ[types.Invalid] {
		return "C" // which has no types here
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == in.pkg.Path {
			return ""
		}
		return p.Name()
	})
}

// touches passes on what an expression leads to an object with, and reports whether
// that was all there is to do inside of it.
func (b *body) touches(n ast.Node, kind history.Kind) bool {
	if !b.in.objects {
		return false
	}
	info := b.in.pkg.Info
	switch n := n.(type) {
	case *ast.SelectorExpr:
		sel := info.Selections[n]
		if sel == nil {
			return false
		}
		if sel.Kind() != types.FieldVal {
			kind = history.Call
		}
		return b.through(n.X, kind, sel)
	case *ast.IndexExpr:
		switch t := info.TypeOf(n.X); {
		case t == nil || info.Types[n.X].IsType() || !info.Types[n.X].IsValue():
			return false
		case isSliceOrMap(t) || isPointer(t):
			if !b.object(n.X, kind) {
				b.expr(n.X)
			}
			b.expr(n.Index)
			return true
		}
	case *ast.StarExpr:
		return info.Types[n.X].IsValue() && b.object(n.X, kind)
	case *ast.UnaryExpr:
		switch x := ast.Unparen(n.X).(type) {
		case *ast.CompositeLit:
			if n.Op == token.AND {
				b.fresh(n, "MisstepNew", history.Alloc, func() { b.elements(x) })
				return true
			}
		default:
			if n.Op == token.ARROW {
				return b.object(n.X, history.Load)
			}
			if id, ok := x.(*ast.Ident); ok && n.Op == token.AND && info.Uses[id] != nil {
				b.fresh(n, "MisstepNew", history.Addr, func() {})
				b.variable(info.Uses[id])
				return true
			}
		}
	case *ast.CompositeLit:
		switch t := info.TypeOf(n); {
		case t == nil || passes(t) == "":
		case isSlice(t):
			b.fresh(n, "MisstepSlice", history.Alloc, func() { b.elements(n) })
			return true
		default:
			if _, ok := t.Underlying().(*types.Map); ok {
				b.fresh(n, "MisstepMake", history.Alloc, func() { b.elements(n) })
				return true
			}
		}
	case *ast.CallExpr:
		return b.makes(n)
	}
	return false
}

// through passes on the operand of a selection: a pointer, an interface, a map or a slice with methods, or a
// variable that has an address which others know.
func (b *body) through(x ast.Expr, kind history.Kind, sel *types.Selection) bool {
	t := b.in.pkg.Info.TypeOf(x)
	if t == nil || !b.in.pkg.Info.Types[x].IsValue() {
		return false
	}
	if fn, ok := sel.Obj().(*types.Func); ok && isPointer(t) && history.Reflects(t) && fn.Pkg().Path() == "reflect" {
		return b.reflected(x, kind, fn.Name())
	}
	if isPointer(t) || types.IsInterface(t) {
		return b.object(x, kind)
	}
	if fn, method := sel.Obj().(*types.Func); method && isSliceOrMap(t) && !isPointer(fn.Signature().Recv().Type()) {
		return b.object(x, kind)
	}
	if history.IsReflectValue(t) {
		return b.reflected(x, kind, sel.Obj().Name())
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := b.in.pkg.Info.Uses[id].(*types.Var)
	if !ok || v.IsField() {
		return false
	}
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	known := b.in.addressed[v]
	if fn, method := sel.Obj().(*types.Func); method {
		recv := fn.Signature().Recv()
		known = recv != nil && isPointer(recv.Type())
	}
	if !known {
		return false
	}
	b.wrap(x, "MisstepP", kind, t, "&")
	b.variable(v)
	return true
}

// reflected passes on a reflect.Value that a method is called on: some are about what it
// refers to, and not about the variable that it is.
func (b *body) reflected(x ast.Expr, kind history.Kind, method string) bool {
	t := b.in.pkg.Info.TypeOf(x)
	pass, into := "MisstepR", history.ReflectInto[method]
	if into {
		pass = "MisstepRI"
	}
	if isPointer(t) {
		pass += "P"
	} else if !into {
		return b.object(x, kind)
	}
	if !b.in.objects || b.hurried(x) {
		return false
	}
	b.wrap(x, pass, kind, t, "")
	return true
}

// variable notes that the site numbered last is of a variable.
func (b *body) variable(v types.Object) {
	p := b.in.plan
	if pos := b.in.pkg.Fset.PositionFor(v.Pos(), false); pos.Filename == b.in.name {
		p.Sites[len(p.Sites)-1].Variable = b.in.offset(v.Pos()) + 1
	}
}

// remembered declares the variables in which places in loops keep the last address.
func (b *body) remembered(block *ast.BlockStmt) {
	if b.lasts == 0 {
		return
	}
	var names []string
	for i := range b.lasts {
		names = append(names, fmt.Sprint(last, i))
	}
	b.in.insert(block.Lbrace+1, " var "+strings.Join(names, ", ")+" uintptr; ")
}

// parameters are the events of a function's parameters.
func (b *body) parameters(n ast.Node) string {
	if !b.in.objects {
		return ""
	}
	fields := b.typ.Params.List
	if d, ok := n.(*ast.FuncDecl); ok && d.Recv != nil {
		fields = append(d.Recv.List[:1:1], fields...)
	}
	text := ""
	for _, f := range fields {
		for _, id := range f.Names {
			text += b.given(id)
		}
	}
	return text
}

// given passes on what a parameter, or a variable of a range, is given; empty if it leads to no object.
func (b *body) given(id *ast.Ident) string {
	v := b.in.pkg.Info.Defs[id]
	if v == nil || id.Name == "_" || passes(v.Type()) == "" {
		return ""
	}
	site := b.site(history.Param, id.Pos()) // nobody makes anything there
	b.in.plan.Sites[site].Type = b.in.short(v.Type())
	return fmt.Sprintf(" %s%s(%s, %d, %s);", b.in.qualifier, passes(v.Type()), buffer, site, id.Name)
}
