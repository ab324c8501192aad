package record

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// leadsOut reports whether a call may call back the program's functions from code that is not recorded: it is
// of another package's function, or what it calls is not known.
func (in *instrumenter) leadsOut(call *ast.CallExpr) bool {
	info := in.pkg.Info
	tv := info.Types[call.Fun]
	if tv.IsType() || tv.IsBuiltin() || info.Types[call].Value != nil {
		return false
	}
	if _, direct := ast.Unparen(call.Fun).(*ast.FuncLit); direct {
		return false
	}
	fn := history.Callee(info, call)
	if fn == nil {
		return true
	}
	return fn.Pkg() != nil && !in.own[fn.Pkg().Path()] && !history.KeepsToItself(info, call, in.own)
}

// valued reports whether a call gives one value.
func (in *instrumenter) valued(call *ast.CallExpr) bool {
	t := in.pkg.Info.TypeOf(call)
	_, several := t.(*types.Tuple)
	return t != nil && !several && !in.pkg.Info.Types[call].IsVoid()
}

// unmarked reports whether a node has a call that leads out and whose end cannot be marked where it stands, as
// it gives no value or several.
func (in *instrumenter) unmarked(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || in.leadsOut(n) && !in.valued(n)
		}
		return !found
	})
	return found
}

// receives reports whether an expression receives from a channel.
func (in *instrumenter) receives(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// waits reports whether another goroutine may run during an expression: it receives,
// or calls a function of another package, such as a lock's.
func (in *instrumenter) waits(x ast.Expr) bool {
	if in.receives(x) {
		return true
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := history.Callee(in.pkg.Info, call)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() != in.pkg.Path
}

func isChan(t types.Type) bool {
	_, ok := source.Core(t).(*types.Chan)
	return ok
}

// busy reports whether evaluating an expression may give events or panic.
func (in *instrumenter) busy(x ast.Expr) bool {
	found := in.objects
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := in.pkg.Info.Types[n.Fun]
			if in.pkg.Info.Types[n].Value != nil || tv.IsType() && !panics(tv.Type) {
				return true
			}
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && tv.IsBuiltin() {
				switch id.Name {
				case "len", "cap", "real", "imag", "complex", "min", "max":
					return true
				}
			}
			found = true
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = found || !in.pkg.Info.Types[n.(ast.Expr)].IsType()
		case *ast.SelectorExpr:
			if sel := in.pkg.Info.Selections[n]; sel != nil && (sel.Indirect() || isPointer(sel.Recv())) {
				found = true
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				found = found || in.pkg.Info.Types[n].Value == nil
			case token.LAND, token.LOR:
				found = found || in.pkg.Info.Types[n].Value == nil
			case token.EQL, token.NEQ:
				found = found || comparesInterfaces(in.pkg.Info, n)
			}
		}
		return !found
	})
	return found
}

func comparesInterfaces(info *types.Info, n *ast.BinaryExpr) bool {
	for _, x := range []ast.Expr{n.X, n.Y} {
		if t := info.TypeOf(x); t != nil && types.IsInterface(t) && !info.Types[n.Y].IsNil() {
			return true
		}
	}
	return false
}

// panics reports whether a conversion to a type may panic.
func panics(t types.Type) bool {
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		u = p.Elem().Underlying()
	}
	_, ok := u.(*types.Array)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// expr marks second operands and the ends of calls that lead out, passes objects on, and instruments the literals in an
// expression.
func (b *body) expr(x ast.Expr) {
	if x == nil {
		return
	}
	defer b.calls(x)()
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if b.in.pkg.Info.Types[e].Value != nil {
				return false // a constant, whatever it is made of
			}
			if b.turned(e) {
				return false
			}
			if b.touches(n, history.Load) {
				return false
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			b.in.function(n, n.Type, n.Body, b.name+".func", false)
			return false
		case *ast.CallExpr:
			// What it calls back is known from what later calls do.
			if b.in.leadsOut(n) && b.in.valued(n) {
				b.in.insert(n.Pos(), fmt.Sprintf("%sMisstepV(%s, %d, ", b.in.qualifier, buffer, b.word(history.After, n.Rparen)))
				b.in.insert(n.End(), ")")
			}
		case *ast.BinaryExpr:
			if b.in.marked(n) {
				site := b.site(history.Second, n.OpPos)
				b.in.insert(n.Y.Pos(), fmt.Sprintf("%sMisstepB(%s, %d, ", b.in.qualifier, buffer, site))
				b.expr(n.X)
				end := b.scoped()
				b.expr(n.Y)
				end()
				b.in.insert(n.Y.End(), ")")
				return false
			}
		}
		return true
	})
}

// turned lets an expression be given another value, if that is asked for, and goes on
// inside of it.
func (b *body) turned(x ast.Expr) bool {
	if len(b.in.turns) == 0 {
		return false
	}
	at := Turn{File: b.in.name, Start: b.in.offset(x.Pos()), End: b.in.offset(x.End())}
	list := b.in.turns[at]
	if len(list) == 0 || list[0].Value == "" && !PlainBool(b.in.pkg.Info.TypeOf(x)) {
		return false
	}
	delete(b.in.turns, at)
	for _, t := range list {
		name := "MisstepTurn"
		if t.Value != "" {
			name = "MisstepPick"
		}
		if t.Dynamic {
			name = "MisstepType"
		}
		b.in.insert(x.Pos(), fmt.Sprintf("%s%s(%d, ", b.in.qualifier, name, t.number))
	}
	b.expr(x)
	for _, t := range slices.Backward(list) {
		if t.Value != "" {
			b.in.insert(x.End(), ", "+t.Value)
		}
		b.in.insert(x.End(), ")")
	}
	return true
}

// turnedRange lets what is ranged over be something else, if that is asked for; the function that it returns ends that.
func (b *body) turnedRange(x ast.Expr) (end func()) {
	at := Turn{File: b.in.name, Start: b.in.offset(x.Pos()), End: b.in.offset(x.End())}
	list := b.in.turns[at]
	how, ok := Elements(b.in.pkg.Info.TypeOf(x))
	if len(list) == 0 || !list[0].Elements || !ok {
		return func() {}
	}
	delete(b.in.turns, at)
	b.in.insert(x.Pos(), fmt.Sprintf("%s%s(%d, ", b.in.qualifier, how, list[0].number))
	return func() { b.in.insert(x.End(), ")") }
}

// Elements is the function by which what a range goes over gets one element, or none, by its type; it is false of types that cannot be made
// to: arrays, channels and functions.
func Elements(t types.Type) (function string, ok bool) {
	if t == nil {
		return "", false // it comes from C
	}
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return "", false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return "MisstepRangeSlice", true
	case *types.Map:
		return "MisstepRangeMap", true
	case *types.Basic:
		switch {
		case u.Info()&types.IsInteger != 0:
			return "MisstepRangeInt", true
		case u.Info()&types.IsString != 0:
			return "MisstepRangeText", true
		}
	}
	return "", false
}

// PlainBool reports whether a type is bool itself.
func PlainBool(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && (b.Kind() == types.Bool || b.Kind() == types.UntypedBool)
}

// marked reports whether the second operand of an expression can be marked: it is
// && or ||, no constant, and of type bool.
func (in *instrumenter) marked(n *ast.BinaryExpr) bool {
	if n.Op != token.LAND && n.Op != token.LOR {
		return false
	}
	for _, x := range []ast.Expr{n, n.X, n.Y} {
		tv := in.pkg.Info.Types[x]
		if tv.Value != nil && tv.Value.Kind() == constant.Bool && x != n.X && x != n.Y {
			return false
		}
		if !PlainBool(tv.Type) {
			return false
		}
	}
	return true
}

// ends reports whether a call ends the program.
func (in *instrumenter) ends(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := history.Callee(in.pkg.Info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "os.Exit", "syscall.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "runtime.Goexit":
		return true
	}
	return false
}
