package reduce

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// sliceUnits are the two slices of the program with regard to the lines that the script
// names: one with what declares the variables that are needed, one also with what
// assigns to them.
func sliceUnits(s *candidate, _ int) (units []unit, more bool) {
	if len(s.Places()) > 0 {
		units = []unit{{command: declared}, {command: assigned}}
	}
	return units, false
}

// What a slice has of the variables that its statements name.
const declared, assigned = 0, 1

// takeSlice leaves of the program what its lines that the script names need, at once, as
// far as names tell: the statements around them and those that declare, maybe assign,
// what they name, the calls that lead there, and what is left of functions then (Weiser,
// TSE 1984, without the flow of control and of data). It may be wrong about that, as
// about all that a pass does; if it is not, it saves most of the steps.
func takeSlice(s *candidate, units []unit) (*candidate, error) {
	x := &slicing{
		s: s, how: units[0].command, keep: map[ast.Node]bool{}, names: map[string]bool{}, parents: map[ast.Node]ast.Node{},
		packages: map[string]bool{}, mentioned: map[string]bool{},
	}
	x.files = s.parse()
	for _, f := range x.files {
		var stack []ast.Node
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				x.parents[n] = stack[len(stack)-1]
			}
			switch n := n.(type) {
			case *ast.ImportSpec:
				name, _ := strconv.Unquote(n.Path.Value)
				x.packages[path.Base(name)] = true
			case *ast.Ident:
				if _, declares := x.parents[n].(*ast.FuncDecl); !declares {
					x.mentioned[n.Name] = true
				}
			}
			stack = append(stack, n)
			return true
		})
	}
	x.begin()
	for size := -1; size != len(x.keep)+len(x.names); {
		size = len(x.keep) + len(x.names)
		x.grow()
	}
	return x.cut()
}

type slicing struct {
	s       *candidate
	how     int
	files   []*file
	parents map[ast.Node]ast.Node
	keep    map[ast.Node]bool // statements, declarations and specifications
	names   map[string]bool   // that what is kept has

	packages  map[string]bool // names of those that are imported
	mentioned map[string]bool // names, but for where functions are declared
}

// listed reports whether a statement is one of a list, and so can be removed by itself.
func (x *slicing) listed(n ast.Node) bool {
	if _, ok := n.(ast.Stmt); !ok {
		return false
	}
	switch p := x.parents[n].(type) {
	case *ast.BlockStmt:
		return true
	case *ast.CaseClause:
		return slices.ContainsFunc(p.Body, func(s ast.Stmt) bool { return s == n })
	case *ast.CommClause:
		return slices.ContainsFunc(p.Body, func(s ast.Stmt) bool { return s == n })
	}
	return false
}

// begin keeps what lies on the lines that the script names, and main.
func (x *slicing) begin() {
	places := x.s.Places()
	for _, word := range strings.FieldsFunc(x.s.words(), func(r rune) bool { return !isName(r) }) {
		x.names[word] = true
	}
	for _, f := range x.files {
		named := func(from, to token.Pos) bool {
			for line := f.tok.Line(from); line <= f.tok.Line(to); line++ {
				if places[fmt.Sprintf("%s:%d", f.name, line)] {
					return true
				}
			}
			return false
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "main" || n.Body != nil && (named(n.Pos(), n.Body.Lbrace) || named(n.Body.Rbrace, n.Body.Rbrace)) {
					x.add(n)
				}
			case ast.Stmt:
				if !x.listed(n) {
					break
				}
				from, to := n.Pos(), n.End()
				if body := bodyOf(n); body != nil {
					if named(body.Rbrace, body.Rbrace) {
						x.add(n)
					}
					to = body.Lbrace
				}
				if named(from, to) {
					x.add(n)
				}
			}
			return true
		})
	}
}

func isName(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 127
}

// bodyOf is the first block inside of a statement; nil if it has none.
func bodyOf(n ast.Node) (body *ast.BlockStmt) {
	ast.Inspect(n, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok && body == nil {
			body = b
		}
		return body == nil
	})
	return body
}

// add keeps a node, all around it, and the names that it has outside of the lists in it.
func (x *slicing) add(n ast.Node) {
	for ; n != nil; n = x.parents[n] {
		switch n.(type) {
		case ast.Stmt, ast.Decl, ast.Spec:
		default:
			continue
		}
		if x.keep[n] {
			continue
		}
		x.keep[n] = true
		ast.Inspect(n, func(m ast.Node) bool {
			if m != n && x.listed(m) {
				return false
			}
			if d, ok := m.(*ast.GenDecl); ok && m == n && len(d.Specs) > 1 {
				return false
			}
			if id, ok := m.(*ast.Ident); ok {
				x.names[id.Name] = true
			}
			return true
		})
	}
}

// grow keeps what declares the names that are needed, what leads to the functions that
// are kept, and what lets them end.
func (x *slicing) grow() {
	calls := map[string]bool{}
	unnamed := false // a method is kept that only other packages call, such as String
	for n := range x.keep {
		if fd, ok := n.(*ast.FuncDecl); ok {
			calls[fd.Name.Name] = true
			unnamed = unnamed || fd.Recv != nil && !x.mentioned[fd.Name.Name]
		}
	}
	for _, f := range x.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.BranchStmt, *ast.LabeledStmt:
				if d := x.declaration(n); d != nil && !x.keep[d] {
					return true // other functions have variables of that name
				}
			}
			if n != nil && x.wanted(n, calls, unnamed) {
				x.add(n)
			}
			return true
		})
	}
}

// wanted reports whether a node declares a name that is needed, or assigns to it, leads to
// a function that is kept, or lets one end. Unnamed says that a method is kept that only
// other packages call.
func (x *slicing) wanted(n ast.Node, calls map[string]bool, unnamed bool) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return x.names[n.Name.Name]
	case *ast.TypeSpec:
		return x.names[n.Name.Name]
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return x.names[id.Name] })
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, func(lhs ast.Expr) bool {
			id, ok := root(lhs)
			return ok && x.names[id] && (n.Tok == token.DEFINE || x.how == assigned || x.inLoop(n))
		})
	case *ast.IncDecStmt:
		id, ok := root(n.X)
		return ok && x.names[id] && (x.how == assigned || x.inLoop(n))
	case *ast.ReturnStmt:
		return len(n.Results) > 0 && x.keep[x.function(n)]
	case *ast.BranchStmt:
		return x.inLoop(n)
	case *ast.LabeledStmt:
		return x.names[n.Label.Name]
	case *ast.Ident:
		_, declares := x.parents[n].(*ast.FuncDecl)
		return calls[n.Name] && !declares
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !unnamed {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && x.packages[id.Name]
	}
	return false
}

// root is the variable that an expression assigns to, in part.
func root(e ast.Expr) (string, bool) {
	id := source.Root(e)
	if id == nil {
		return "", false
	}
	return id.Name, id.Name != "_"
}

// inLoop reports whether a statement is in a loop without a clause that ends it, of which
// something is kept.
func (x *slicing) inLoop(n ast.Node) bool {
	for n = x.parents[n]; n != nil; n = x.parents[n] {
		switch n := n.(type) {
		case *ast.ForStmt:
			if x.keep[n] && n.Post == nil {
				return true
			}
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		}
	}
	return false
}

// declaration is the one that a node is part of.
func (x *slicing) declaration(n ast.Node) (d ast.Decl) {
	for ; n != nil; n = x.parents[n] {
		if at, ok := n.(ast.Decl); ok {
			d = at
		}
	}
	return d
}

// function is the function around a node, or what is around that, if it is a literal.
func (x *slicing) function(n ast.Node) ast.Node {
	for ; n != nil; n = x.parents[n] {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n
		case *ast.FuncLit:
			// It is kept if what holds it is.
			for m := x.parents[n]; m != nil; m = x.parents[m] {
				if _, decl := m.(ast.Decl); decl || x.listed(m) {
					return m
				}
			}
		}
	}
	return nil
}

// cut removes what is not kept.
func (x *slicing) cut() (*candidate, error) {
	e := srcedit.New(x.s.files)
	for _, f := range x.files {
		remove := func(n ast.Node, doc *ast.CommentGroup) {
			from := n.Pos()
			if doc != nil {
				from = doc.Pos()
			}
			start, end := wholeLines(f.text, f.offset(from), f.offset(n.End()))
			e.Replace(f.name, start, end)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				if !x.keep[d] {
					remove(d, d.Doc)
					return false
				}
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					return false
				}
				if _, top := x.parents[d].(*ast.File); top && !slices.ContainsFunc(d.Specs, func(s ast.Spec) bool { return x.keep[s] }) {
					remove(d, d.Doc)
					return false
				}
			}
			if n != nil && x.listed(n) && !x.keep[n] {
				remove(n, nil)
				return false
			}
			return true
		})
	}
	return x.s.edit(e)
}
