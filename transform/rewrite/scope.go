package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/internal/source"
	"misstep/transform"
)

// funcs calls f for each declared function that may be changed: it has a body
// and no directive, and its file's lines can be told apart.
func (s *scope) funcs(f func(*ast.FuncDecl)) {
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

// directive reports whether a comment tells the compiler something.
func directive(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export")
	})
}

// literalsAround lists the function literals that a position lies in.
func (s *scope) literalsAround(pos token.Pos) []*ast.FuncLit {
	var lits []*ast.FuncLit
	ast.Inspect(s.Source.FileOf(pos).AST, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit.Pos() < pos && pos < lit.End() {
			lits = append(lits, lit)
		}
		return n == nil || n.Pos() <= pos && pos < n.End()
	})
	return lits
}

// captures reports whether function literals use a variable, or it is not from
// outside of them.
func (s *scope) captures(lits []*ast.FuncLit, v *types.Var) bool {
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

// dynamicInit reports whether a variable of the package is initialised by code
// that calls.
func (s *scope) dynamicInit() bool {
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
// is called where it stands and ends on another line, that no switch has as
// its tag, and no statement over several lines as an operand. Which of those lines has
// code, and which comes first, depends on how the variables are stored (tolerance
// lines-of-a-call).
func (s *scope) steady(vars []*types.Var) []*types.Var {
	parents := s.Source.Parents()
	return slices.DeleteFunc(slices.Clone(vars), func(v *types.Var) bool {
		for _, id := range s.uses(v) {
			if sw, ok := parents[id].(*ast.SwitchStmt); ok && sw.Tag == id {
				return true // the head has code only if the variable must be read
			}
			if s.operand(id) {
				return true
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

// operand reports whether an identifier stands in a statement without others inside that is over several lines.
func (s *scope) operand(id *ast.Ident) bool {
	parents := s.Source.Parents()
	for n := ast.Node(id); n != nil; n = parents[n] {
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
			return s.Source.Line(n.Pos()) != s.Source.Line(n.End())
		case ast.Stmt, *ast.FuncLit:
			return false
		}
	}
	return false
}

// local reports whether a variable belongs to a function.
func (s *scope) local(v *types.Var) bool { return v.Parent() != s.Source.Pkg.Scope() }

// declares reports whether the program gives one of the predeclared names a
// meaning of its own.
func (s *scope) declares(names ...string) bool {
	return slices.ContainsFunc(names, s.Source.Declares)
}

// uses lists the identifiers that mean an object.
func (s *scope) uses(obj types.Object) []*ast.Ident {
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
func (s *scope) callOf(id *ast.Ident) *ast.CallExpr {
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
func (s *scope) called(fn *ast.FuncDecl) (calls []*ast.CallExpr, ok bool) {
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

// linked reports whether a directive somewhere names a function.
func (s *scope) linked(name string) bool {
	for _, f := range s.Source.Files {
		for _, l := range source.Linknames(f.Text) {
			if l.Local == name || strings.HasSuffix(l.Symbol, "."+name) {
				return true
			}
		}
	}
	return false
}

// interfaceMethod reports whether an interface that the program can see has a
// method of that name.
func (s *scope) interfaceMethod(name string) bool {
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
func (s *scope) funcName(fn *ast.FuncDecl) (string, bool) {
	for _, f := range s.Source.Funcs() {
		if f.Decl == fn {
			return f.Name, true
		}
	}
	return "", false
}

// lines are those of a node.
func (s *scope) lines(n ast.Node) transform.Lines { return s.between(n.Pos(), n.End()) }

// between are the lines from one position to another, in the same file.
func (s *scope) between(from, to token.Pos) transform.Lines {
	return transform.Lines{File: s.Source.FileOf(from).Name, First: s.Source.Line(from), Last: s.Source.Line(to)}
}

// jumps reports whether a function has labels, and so maybe jumps over what is
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

// A scope answers questions about the program: what is declared, used and called where.
type scope struct{ Source *source.Source }

// text is a node as it stands in the source.
func (s *scope) text(n ast.Node) string {
	f := s.Source.FileOf(n.Pos())
	return string(f.Text[s.Source.Offset(n.Pos()):s.Source.Offset(n.End())])
}

// indent is the white space before a position on its line; first reports whether
// nothing else is.
func (s *scope) indent(pos token.Pos) (indent string, first bool) {
	f := s.Source.FileOf(pos)
	at := s.Source.Offset(pos)
	start := at
	for start > 0 && f.Text[start-1] != '\n' {
		start--
	}
	before := string(f.Text[start:at])
	return before[:len(before)-len(strings.TrimLeft(before, " \t"))], strings.TrimSpace(before) == ""
}

// last reports whether nothing but a comment follows a position on its line.
func (s *scope) last(pos token.Pos) bool {
	f := s.Source.FileOf(pos)
	rest := f.Text[s.Source.Offset(pos):]
	for i, b := range rest {
		if b == '\n' {
			rest = rest[:i]
			break
		}
	}
	text := strings.TrimSpace(string(rest))
	return text == "" || strings.HasPrefix(text, "//")
}
