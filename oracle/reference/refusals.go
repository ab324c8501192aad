package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/history/timeline"
	"misstep/oracle"
)

// lacks says why a refusal is none to judge: Delve's expressions have not what it asks for,
// or the linker has left it out. It is empty where the truth does not allow that.
func (m *Model) lacks(x *timeline.Activation, s timeline.Step, vars []history.Value, expr, text string, seen *oracle.Seen) string {
	_, pkg := m.Code.Node(x.Func)
	plain := strings.TrimPrefix(expr, "call ")
	if pkg != nil && s.Node != nil {
		plain = pkg.Plain(s.Node.Pos(), expr)
	}
	e, err := parser.ParseExpr(plain)
	if err != nil {
		return ""
	}
	has := func(is func(ast.Node) bool) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || n != nil && is(n)
			return !found
		})
		return found
	}
	for _, l := range limits {
		if strings.Contains(text, l.text) && has(l.is) {
			return l.why
		}
	}
	switch {
	case strings.Contains(text, "key not found") && missing(vars, expr):
		return "a map without the key"
	case strings.Contains(text, "operations on non-finite floats not implemented") && (has(infinite(vars)) || has(fromElsewhere)), strings.Contains(text, "invalid argument ") && has(infinite(vars)):
		return "numbers that are not finite"
	case strings.Contains(text, "array too long for comparison") && anyPart(pkg, s, e, longArray):
		return "a comparison of more than is loaded"
	case strings.Contains(text, "stack object passed to escaping pointer") && strings.HasPrefix(expr, "call ") && anyPart(pkg, s, e, passesAddress):
		return "a call that might keep an address on the stack"
	case strings.HasPrefix(expr, "call ") && strings.Contains(text, "not at safe point"):
		return "a call where the runtime allows none"
	case strings.HasPrefix(expr, "call ") && strings.Contains(text, "has no member") && !m.linkedMethods(x, s, e, seen):
		return "a method that the linker left out"
	case strings.Contains(text, "can not convert ") && anyPart(pkg, s, e, makesInterface):
		return "a literal that makes an interface of a value"
	case strings.Contains(text, "can not convert ") && anyPart(pkg, s, e, realOfComplex):
		return "a conversion that only constants have"
	case strings.HasPrefix(expr, "call ") && (strings.Contains(text, " arguments") || strings.Contains(text, "can not convert ")) && anyPart(pkg, s, e, variadic):
		return "a call with a list of arguments of any length"
	}
	said := func(name string) bool {
		return strings.HasSuffix(text, "could not find symbol value for "+name) || strings.HasSuffix(text, " has no function "+name) ||
			strings.Contains(text, "function calls not allowed")
	}
	if pkg != nil && has(func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && said(id.Name) && unused(pkg, id.Name, seen)
	}) {
		return "a type that the program does not use"
	}
	if pkg != nil && (strings.Contains(text, "could not find symbol") || strings.Contains(text, " has no function ")) {
		var names []string
		ast.Inspect(e, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && s.Node != nil {
				if id, ok := sel.X.(*ast.Ident); ok {
					_, obj := pkg.Scope(s.Node.Pos()).LookupParent(id.Name, s.Node.Pos())
					if imported, ok := obj.(*types.PkgName); ok {
						names = append(names, imported.Imported().Path()+"."+sel.Sel.Name)
						return false
					}
				}
			}
			if id, ok := n.(*ast.Ident); ok {
				switch obj := pkg.Types.Scope().Lookup(id.Name).(type) {
				case *types.Var, *types.Func:
					names = append(names, packagePath(pkg)+"."+obj.Name())
				}
			}
			return true
		})
		if len(names) > 0 && !linked(seen, names) {
			return "a variable or a function that the linker left out"
		}
	}
	return ""
}

// infinite tells names of variables that hold a number which is not finite.
func infinite(vars []history.Value) func(ast.Node) bool {
	return func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && slices.ContainsFunc(vars, func(v history.Value) bool {
			return v.Name == id.Name && slices.Contains([]string{"+Inf", "-Inf", "NaN"}, v.Text)
		})
	}
}

// unused reports whether a name is that of a type which no variable of a package has, but in functions that the linker has left
// out, so that the debug information may have none.
func unused(pkg *history.Package, name string, seen *oracle.Seen) bool {
	_, obj := pkg.Types.Scope().LookupParent(name, token.NoPos)
	t, ok := obj.(*types.TypeName)
	if !ok {
		return false
	}
	for _, obj := range pkg.Info.Defs {
		if v, ok := obj.(*types.Var); ok && types.Identical(v.Type(), t.Type()) && !leftOut(pkg, v.Pos(), seen) {
			return false
		}
	}
	return true
}

// leftOut reports whether a place of a package is in a declared function of which the binary has no symbol.
func leftOut(pkg *history.Package, pos token.Pos, seen *oracle.Seen) bool {
	if seen.Debuggee == nil || seen.Debuggee.Build == nil || seen.Debuggee.Build.Symbols == nil {
		return false
	}
	for _, f := range pkg.Files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || pos < fd.Pos() || pos >= fd.End() {
				continue
			}
			fn, ok := pkg.Info.Defs[fd.Name].(*types.Func)
			if !ok || parameterised(pkg, fd) {
				return false
			}
			symbol, ok := symbolOf(fn)
			return ok && !seen.Debuggee.Build.Symbols.Has(symbol)
		}
	}
	return false
}

// linkedMethods reports whether the binary has all methods that an expression calls, as far as
// their receivers are no interfaces.
func (m *Model) linkedMethods(x *timeline.Activation, s timeline.Step, e ast.Expr, seen *oracle.Seen) bool {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil || seen.Debuggee == nil || seen.Debuggee.Build == nil || seen.Debuggee.Build.Symbols == nil {
		return false
	}
	info, err := pkg.Check(s.Node.Pos(), e)
	if err != nil {
		return false
	}
	all := true
	for _, sel := range info.Selections {
		fn, ok := sel.Obj().(*types.Func)
		if !ok {
			continue
		}
		symbol, ok := symbolOf(fn)
		if !ok {
			return false
		}
		all = all && seen.Debuggee.Build.Symbols.Has(symbol)
	}
	return all
}

// symbolOf is the symbol of a function or method. It is not ok for methods of interfaces and of instances of generic types,
// which have none or several.
func symbolOf(fn *types.Func) (symbol string, ok bool) {
	if fn.Pkg() == nil {
		return "", false
	}
	path, _, _ := strings.Cut(fn.Pkg().Path(), " ")
	if fn.Pkg().Name() == "main" {
		path = "main"
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return path + "." + fn.Name(), true
	}
	t := recv.Type()
	ptr, isPtr := t.(*types.Pointer)
	if isPtr {
		t = ptr.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || types.IsInterface(named) || named.TypeArgs() != nil {
		return "", false
	}
	receiver := named.Obj().Name()
	if isPtr {
		receiver = "(*" + receiver + ")"
	}
	return path + "." + receiver + "." + fn.Name(), true
}

// packagePath is how symbols name a package.
func packagePath(pkg *history.Package) string {
	if pkg.Types.Name() == "main" {
		return "main"
	}
	path, _, _ := strings.Cut(pkg.Path, " ")
	return path
}

// linked reports whether the binary has symbols with all of these names.
func linked(seen *oracle.Seen, names []string) bool {
	if seen.Debuggee == nil || seen.Debuggee.Build == nil || seen.Debuggee.Build.Symbols == nil {
		return false
	}
	for _, name := range names {
		if !seen.Debuggee.Build.Symbols.Has(name) {
			return false
		}
	}
	return true
}

// unread reports whether a refusal says that memory could not be read.
func unread(text string) bool {
	return strings.Contains(text, "input/output error") || strings.Contains(text, "bad address")
}

// ofNoVariable reports whether an expression names no variable at a step and follows no pointer, so that there is no memory
// which it might want.
func (m *Model) ofNoVariable(x *timeline.Activation, s timeline.Step, text string) bool {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return false
	}
	e, err := parser.ParseExpr(strings.TrimPrefix(text, "call "))
	if err != nil {
		return false
	}
	none := true
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr, *ast.UnaryExpr:
			none = false // an address may be made of a number
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if names := named(pkg, s, id.Name); names != nil {
					_, isVar := names.Lookup(n.Sel.Name).(*types.Var)
					none = none && !isVar
					return false
				}
			}
			ast.Inspect(n.X, look)
			return false
		case *ast.Ident:
			// Debuggers know variables by lines, also in the statement that declares them.
			_, obj := pkg.Scope(s.Node.Pos()).LookupParent(n.Name, token.NoPos)
			_, isVar := obj.(*types.Var)
			none = none && !isVar && n.Name != "runtime" // of which the debugger has variables of its own
		}
		return none
	}
	ast.Inspect(e, look)
	return none
}

// named is what the package declares that a name stands for at a step, which may be the package itself; nil if it stands for none.
func named(pkg *history.Package, s timeline.Step, name string) *types.Scope {
	_, obj := pkg.Scope(s.Node.Pos()).LookupParent(name, s.Node.Pos())
	switch p, ok := obj.(*types.PkgName); {
	case ok:
		return p.Imported().Scope()
	case obj == nil && name == pkg.Types.Name():
		return pkg.Types.Scope()
	}
	return nil
}
