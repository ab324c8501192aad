package transform

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// looks lists what a program uses to look at its own code, stack or heap. A
// change that must not matter matters to such a program, so it is not changed.
var looks = map[string][]string{
	"runtime": {"Caller", "Callers", "CallersFrames", "FuncForPC", "Stack", "NumGoroutine", "GC", "ReadMemStats",
		"SetFinalizer", "AddCleanup", "MemProfile", "GoroutineProfile", "GOMAXPROCS", "Breakpoint", "LockOSThread"},
	"runtime/debug":   nil,
	"runtime/pprof":   nil,
	"runtime/trace":   nil,
	"runtime/metrics": nil,
	"testing":         nil,
	"weak":            nil,
	"log":             {"Lshortfile", "Llongfile"},
	"os":              {"Executable"},
	"debug/elf":       nil,
	"debug/dwarf":     nil,
	"plugin":          nil,
	"os/exec":         nil,
	"go/build":        nil,
	"go/parser":       nil,
}

// Refusal tells why no rewrite applies to the subject at all, or "".
func (s *Subject) Refusal() string { return s.refuse() }

// refuse tells why no rewrite applies to the subject at all, or "".
func (s *Subject) refuse() string {
	if len(s.Source.TypeErrors) > 0 || s.Source.Pkg == nil {
		return "its types are not known"
	}
	for _, f := range s.Source.Files {
		for _, imp := range f.AST.Imports {
			if imp.Path.Value == `"C"` {
				return "it uses cgo"
			}
		}
	}
	for _, obj := range s.Source.Info.Uses {
		if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		if names, ok := looks[obj.Pkg().Path()]; ok && (names == nil || slices.Contains(names, obj.Name())) {
			return "it uses " + obj.Pkg().Path() + "." + obj.Name() + " and may see its own code"
		}
	}
	for _, e := range s.Base {
		if e.Action.Instruction || e.Action.Kind == dap.Interrupt {
			return "its base names instructions or depends on time"
		}
		if e.Action.Kind == dap.InstBreak {
			return "its base has a breakpoint at an instruction"
		}
	}
	return ""
}

// assigns tells whether the base gives a variable another value. The compiler
// may have used the old one already, and whether it has depends on the code
// around, so the changes that touch code are not made then.
func (s *Subject) assigns() bool { return s.does(dap.SetVar) }

func (s *Subject) does(k dap.Kind) bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool { return e.Action.Kind == k })
}

// calls tells whether the base evaluates calls.
func (s *Subject) calls() bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		return e.Action.Kind == dap.Evaluate && strings.HasPrefix(e.Action.Name, "call ")
	})
}

var word = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// namesPackage tells whether the base has an expression with the name of something that
// is declared in the program's own package: it means nothing in another.
func (s *Subject) namesPackage() bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		text := e.Action.Condition + " " + e.Action.Log
		if e.Action.Kind == dap.Evaluate {
			text += " " + e.Action.Name
		}
		return slices.ContainsFunc(word.FindAllString(text, -1), func(name string) bool {
			return s.Source.Pkg.Scope().Lookup(name) != nil
		})
	})
}

// breaksIn tells whether the base sets a breakpoint, verified or not, at one of
// the lines of a node.
func (s *Subject) breaksIn(from, to token.Pos) bool {
	return s.breakpoint(from, to, func(dap.Action) bool { return true })
}

// conditionsIn tells whether a breakpoint there has an expression.
func (s *Subject) conditionsIn(from, to token.Pos) bool {
	return s.breakpoint(from, to, func(a dap.Action) bool { return a.Condition != "" || a.Log != "" })
}

// breakpoint tells whether the base sets one of a kind at one of the lines.
func (s *Subject) breakpoint(from, to token.Pos, kind func(dap.Action) bool) bool {
	lines := Lines{s.Source.FileOf(from).Name, s.Source.Line(from), s.Source.Line(to)}
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		if e.Action.Kind != dap.Break || !kind(e.Action) {
			return false
		}
		file, line, ok := s.Source.Physical(source.Place{File: e.Action.File, Line: e.Action.Line})
		return ok && lines.has(srcedit.Line{File: file, Line: line})
	})
}

// breaksFunc tells whether the base has a breakpoint at a function.
func (s *Subject) breaksFunc(name string) bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		return e.Action.Kind == dap.FuncBreak && (e.Action.Name == name || strings.HasPrefix(e.Action.Name, name+"."))
	})
}

// A slot is a statement in a list of statements.
type slot struct {
	stmt ast.Stmt
	list []ast.Stmt
	i    int
	fn   *ast.FuncDecl // around it
}

// slots lists the statements that lie in a list, in functions without
// directives.
func (s *Subject) slots() []slot {
	var out []slot
	s.funcs(func(fn *ast.FuncDecl) {
		// Where a breakpoint at a function stands, at its head or at its first
		// statement, depends on what the function needs (tolerance function-entry).
		if name, _ := s.funcName(fn); s.breaksFunc(name) {
			return
		}
		list := func(stmts []ast.Stmt) {
			for i, stmt := range stmts {
				switch stmt.(type) {
				case *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt:
					continue
				}
				out = append(out, slot{stmt, stmts, i, fn})
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				list(n.List)
			case *ast.CaseClause:
				list(n.Body)
			case *ast.CommClause:
				list(n.Body)
			}
			return true
		})
	})
	return out
}

// funcs calls f for each declared function that may be changed: it has a body
// and no directive, and its file's lines can be told apart.
func (s *Subject) funcs(f func(*ast.FuncDecl)) {
	for _, file := range s.Source.Files {
		if file.Directed() {
			continue // tolerance directed-files: only the directives' own rewrite
		}
		for _, d := range file.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Name.Name == "_" || directive(fn.Doc) {
				continue
			}
			f(fn)
		}
	}
}

// directive tells whether a comment tells the compiler something.
func directive(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export")
	})
}

// inScope lists the variables that are visible at a position, local ones first,
// those of outer scopes last, in a fixed order.
//
// A variable from outside of a function literal is left out unless the literal
// uses it anyway, as debuggers show what a literal captures. So are variables of
// the package in functions that run while those are initialised, as the order of
// initialisation follows from who mentions whom.
func (s *Subject) inScope(pos token.Pos) []*types.Var {
	var out []*types.Var
	lits := s.literalsAround(pos)
	early := false
	for _, d := range s.Source.FileOf(pos).AST.Decls {
		if d.Pos() > pos || pos >= d.End() {
			continue
		}
		if fn, ok := d.(*ast.FuncDecl); ok {
			early = s.initialises(s.Source.Info.Defs[fn.Name])
		} else {
			early = true
		}
	}
	for scope := s.Source.Pkg.Scope().Innermost(pos); scope != nil && scope != types.Universe; scope = scope.Parent() {
		names := scope.Names()
		for _, name := range names {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || name == "_" || !s.Source.Visible(v, pos) || !s.captures(lits, v) || !s.local(v) && early {
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// literalsAround lists the function literals that a position lies in.
func (s *Subject) literalsAround(pos token.Pos) []*ast.FuncLit {
	var lits []*ast.FuncLit
	ast.Inspect(s.Source.FileOf(pos).AST, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit.Pos() < pos && pos < lit.End() {
			lits = append(lits, lit)
		}
		return n == nil || n.Pos() <= pos && pos < n.End()
	})
	return lits
}

// captures tells whether function literals use a variable, or it is not from
// outside of them.
func (s *Subject) captures(lits []*ast.FuncLit, v *types.Var) bool {
	for _, lit := range lits {
		if !s.local(v) || v.Pos() >= lit.Pos() {
			continue
		}
		if !slices.ContainsFunc(s.uses(v), func(id *ast.Ident) bool { return lit.Pos() < id.Pos() && id.Pos() < lit.End() }) {
			return false
		}
	}
	return true
}

// initialises tells whether a function may be called while the package's
// variables are initialised.
func (s *Subject) initialises(fn types.Object) bool {
	if s.graph == nil {
		s.graph = s.references()
	}
	for obj := range s.graph {
		if _, ok := obj.(*types.Var); ok && reaches(s.graph, obj, fn) {
			return true
		}
	}
	// Methods are reached through interfaces as well.
	f, ok := fn.(*types.Func)
	return ok && f.Signature().Recv() != nil && len(s.graph) > 0 && s.dynamicInit()
}

// dynamicInit tells whether a variable of the package is initialised by code
// that calls.
func (s *Subject) dynamicInit() bool {
	found := false
	for _, f := range s.Source.Files {
		for _, d := range f.AST.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				ast.Inspect(g, func(n ast.Node) bool {
					if _, ok := n.(*ast.CallExpr); ok {
						found = true
					}
					return !found
				})
			}
		}
	}
	return found
}

// steady lists the variables of a list that no function literal captures which
// is called where it stands and ends on another line, and that no switch has as
// its tag. Which of those lines has code depends on how the variables are stored
// (tolerance lines-of-a-call).
func (s *Subject) steady(vars []*types.Var) []*types.Var {
	parents := s.Source.Parents()
	return slices.DeleteFunc(slices.Clone(vars), func(v *types.Var) bool {
		for _, id := range s.uses(v) {
			if sw, ok := parents[id].(*ast.SwitchStmt); ok && sw.Tag == id {
				return true // the head has code only if the variable must be read
			}
			for n := ast.Node(id); n != nil; n = parents[n] {
				lit, ok := n.(*ast.FuncLit)
				if !ok || v.Pos() >= lit.Pos() || s.Source.Line(lit.Pos()) == s.Source.Line(lit.End()) {
					continue
				}
				if call, ok := parents[lit].(*ast.CallExpr); ok && call.Fun == lit {
					return true
				}
			}
		}
		return false
	})
}

// local tells whether a variable belongs to a function.
func (s *Subject) local(v *types.Var) bool { return v.Parent() != s.Source.Pkg.Scope() }

// declares tells whether the program gives one of the predeclared names a
// meaning of its own.
func (s *Subject) declares(names ...string) bool {
	return slices.ContainsFunc(names, s.Source.Declares)
}

// typeText writes a type as it can be written at the top level of a file.
func (s *Subject) typeText(t types.Type, file *source.File) (string, bool) {
	ok := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == s.Source.Pkg {
			return ""
		}
		for _, imp := range file.AST.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if path != p.Path() {
				continue
			}
			if imp.Name == nil {
				return p.Name()
			}
			if imp.Name.Name != "_" && imp.Name.Name != "." {
				return imp.Name.Name
			}
		}
		ok = false
		return p.Name()
	})
	var visit func(t types.Type)
	seen := map[types.Type]bool{}
	visit = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			obj := t.Obj()
			if obj.Pkg() != nil && (obj.Parent() != obj.Pkg().Scope() || obj.Pkg() != s.Source.Pkg && !obj.Exported()) {
				ok = false // a local type
			}
			for i := range t.TypeArgs().Len() {
				visit(t.TypeArgs().At(i))
			}
		case *types.Alias:
			if obj := t.Obj(); obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope() {
				ok = false
			}
			visit(types.Unalias(t))
		case *types.Basic:
			if t.Kind() == types.Invalid || t.Info()&types.IsUntyped != 0 || t.Kind() == types.UnsafePointer || s.declares(t.Name()) {
				ok = false
			}
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Signature:
			for i := range t.Params().Len() {
				visit(t.Params().At(i).Type())
			}
			for i := range t.Results().Len() {
				visit(t.Results().At(i).Type())
			}
		case *types.Interface:
			ok = ok && t.NumMethods() == 0 && t.NumEmbeddeds() == 0
		default:
			ok = false
		}
	}
	visit(t)
	return text, ok
}

// uses lists the identifiers that mean an object.
func (s *Subject) uses(obj types.Object) []*ast.Ident {
	var ids []*ast.Ident
	for id, o := range s.Source.Info.Uses {
		if o == obj {
			ids = append(ids, id)
			continue
		}
		// A generic function's instances and methods are origins' uses.
		if f, ok := o.(*types.Func); ok && f.Origin() == obj {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	return ids
}

// callOf is the call in which an identifier names the function that is called.
func (s *Subject) callOf(id *ast.Ident) *ast.CallExpr {
	parents := s.Source.Parents()
	var n ast.Node = id
	p := parents[n]
	if sel, ok := p.(*ast.SelectorExpr); ok && sel.Sel == id {
		n, p = p, parents[p]
	}
	switch x := p.(type) {
	case *ast.IndexExpr:
		if x.X == n {
			n, p = p, parents[p]
		}
	case *ast.IndexListExpr:
		if x.X == n {
			n, p = p, parents[p]
		}
	}
	for {
		paren, ok := p.(*ast.ParenExpr)
		if !ok {
			break
		}
		n, p = paren, parents[p]
	}
	call, ok := p.(*ast.CallExpr)
	if !ok || call.Fun != n {
		return nil
	}
	return call
}

// called lists the calls of a function; ok is false if it is used in any other
// way, called with the results of another call, or known from outside.
func (s *Subject) called(fn *ast.FuncDecl) (calls []*ast.CallExpr, ok bool) {
	obj := s.Source.Info.Defs[fn.Name]
	if obj == nil || fn.Recv == nil && (fn.Name.Name == "main" || fn.Name.Name == "init") {
		return nil, false
	}
	for _, id := range s.uses(obj) {
		call := s.callOf(id)
		if call == nil {
			return nil, false
		}
		if len(call.Args) == 1 {
			if t, ok := s.Source.Info.Types[call.Args[0]].Type.(*types.Tuple); ok && t.Len() > 1 {
				return nil, false
			}
		}
		calls = append(calls, call)
	}
	if s.linked(fn.Name.Name) {
		return nil, false
	}
	return calls, true
}

var linkname = regexp.MustCompile(`//go:linkname\s+(\S+)\s*(\S*)`)

// linked tells whether a directive somewhere names a function.
func (s *Subject) linked(name string) bool {
	for _, f := range s.Source.Files {
		for _, m := range linkname.FindAllSubmatch(f.Text, -1) {
			if string(m[1]) == name || strings.HasSuffix(string(m[2]), "."+name) {
				return true
			}
		}
	}
	return false
}

// interfaceMethod tells whether an interface that the program can see has a
// method of that name.
func (s *Subject) interfaceMethod(name string) bool {
	if ast.IsExported(name) {
		return true // of any package's
	}
	found := false
	for _, f := range s.Source.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if it, ok := n.(*ast.InterfaceType); ok {
				for _, m := range it.Methods.List {
					for _, id := range m.Names {
						found = found || id.Name == name
					}
				}
			}
			return !found
		})
	}
	return found
}

// funcName is a declared function as debuggers name it; ok is false for methods
// of generic types.
func (s *Subject) funcName(fn *ast.FuncDecl) (string, bool) {
	for _, f := range s.Source.Funcs() {
		if f.Decl == fn {
			return f.Name, true
		}
	}
	return "", false
}

// lines are those of a node.
func (s *Subject) lines(n ast.Node) Lines {
	return Lines{s.Source.FileOf(n.Pos()).Name, s.Source.Line(n.Pos()), s.Source.Line(n.End())}
}

// jumps tells whether a function has labels, and so maybe jumps over what is
// declared.
func jumps(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if _, ok := n.(*ast.LabeledStmt); ok {
			found = true
		}
		return !found
	})
	return found
}

// constant tells whether an expression is one, or part of one, or stands where
// one must: an array's length, a constant's declaration, a case, a shift count,
// a key of an array, a conversion.
func (s *Subject) constant(x ast.Expr) bool {
	parents := s.Source.Parents()
	var n ast.Node = x
	for {
		p := parents[n]
		switch p := p.(type) {
		case *ast.ParenExpr:
			n = p
			continue
		case *ast.ArrayType, *ast.CaseClause, *ast.Field:
			return true
		case *ast.ValueSpec:
			d, ok := parents[p].(*ast.GenDecl)
			return !ok || d.Tok == token.CONST
		case *ast.KeyValueExpr:
			return p.Key == n
		case *ast.BinaryExpr:
			if p.Op == token.SHL || p.Op == token.SHR {
				return true
			}
			return s.Source.Info.Types[p].Value != nil
		case ast.Expr:
			return s.Source.Info.Types[p].Value != nil
		}
		return false
	}
}

// plainLine tells whether an expression stands on the first line of the
// innermost statement around it, in a function that may be changed.
func (s *Subject) plainLine(x ast.Expr) bool {
	parents := s.Source.Parents()
	for n := parents[x]; n != nil; n = parents[n] {
		switch n.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt:
		case ast.Stmt:
			return s.Source.Line(n.Pos()) == s.Source.Line(x.Pos())
		}
	}
	return false
}
