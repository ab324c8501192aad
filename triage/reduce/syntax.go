package reduce

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"misstep/internal/srcedit"
)

func declarations(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	from := func(doc *ast.CommentGroup, n ast.Node) token.Pos {
		if doc != nil {
			return doc.Pos()
		}
		return n.Pos()
	}
	root, ok := n.(*ast.File)
	if !ok {
		return
	}
	for _, d := range root.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(from(d.Doc, d), d.End())
		case *ast.GenDecl:
			add(from(d.Doc, d), d.End())
			if len(d.Specs) > 1 {
				for _, spec := range d.Specs {
					add(spec.Pos(), spec.End())
				}
			}
		}
	}
}

func statements(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		for _, s := range n.List {
			add(s.Pos(), s.End())
		}
	case *ast.CaseClause:
		for _, s := range n.Body {
			add(s.Pos(), s.End())
		}
	case *ast.CommClause:
		for _, s := range n.Body {
			add(s.Pos(), s.End())
		}
	case *ast.IfStmt:
		if n.Else != nil {
			add(n.Body.End(), n.Else.End(), srcedit.Text(""))
		}
		if n.Init != nil {
			add(n.Init.Pos(), n.Cond.Pos(), srcedit.Text(""))
		}
	}
}

// bodies puts what is inside of a statement in its place.
func bodies(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	inner := func(s ast.Stmt, blocks ...ast.Node) {
		for _, b := range blocks {
			var list []ast.Stmt
			switch b := b.(type) {
			case *ast.BlockStmt:
				if b == nil {
					continue
				}
				list = b.List
			case *ast.CaseClause:
				list = b.Body
			case *ast.CommClause:
				list = b.Body
			case *ast.IfStmt:
				add(s.Pos(), s.End(), f.copy(b))
				continue
			default:
				continue
			}
			if len(list) > 0 {
				add(s.Pos(), s.End(), srcedit.Copy(f.name, f.offset(list[0].Pos()), f.offset(list[len(list)-1].End())))
			}
		}
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		if n.Init != nil {
			init, body := n.Init, n.Body
			if len(body.List) > 0 {
				add(n.Pos(), n.End(), f.copy(init), srcedit.Text("\n"), srcedit.Copy(f.name, f.offset(body.List[0].Pos()), f.offset(body.List[len(body.List)-1].End())))
			}
		}
		inner(n, n.Body)
		if n.Else != nil {
			inner(n, n.Else)
		}
	case *ast.ForStmt:
		if n.Init != nil && len(n.Body.List) > 0 {
			add(n.Pos(), n.End(), f.copy(n.Init), srcedit.Text("\n"), srcedit.Copy(f.name, f.offset(n.Body.List[0].Pos()), f.offset(n.Body.List[len(n.Body.List)-1].End())))
		}
		inner(n, n.Body)
	case *ast.RangeStmt:
		inner(n, n.Body)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			inner(n, c)
		}
	case *ast.TypeSwitchStmt:
		for _, c := range n.Body.List {
			inner(n, c)
		}
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			inner(n, c)
		}
	case *ast.BlockStmt:
		for _, s := range n.List {
			if b, ok := s.(*ast.BlockStmt); ok {
				inner(b, b)
			}
			if l, ok := s.(*ast.LabeledStmt); ok {
				add(l.Pos(), l.End(), f.copy(l.Stmt))
			}
			if d, ok := s.(*ast.DeferStmt); ok {
				add(d.Pos(), d.End(), f.copy(d.Call))
			}
			if g, ok := s.(*ast.GoStmt); ok {
				add(g.Pos(), g.End(), f.copy(g.Call))
			}
		}
	}
}

// expressions puts operands and arguments in the place of what they are part of, and
// nil or nothing in the place of what may have any value.
func expressions(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	swap := func(x ast.Node, parts ...ast.Expr) {
		for _, p := range parts {
			add(x.Pos(), x.End(), f.copy(p))
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		swap(n, n.X, n.Y)
	case *ast.ParenExpr:
		swap(n, n.X)
	case *ast.UnaryExpr:
		swap(n, n.X)
	case *ast.CallExpr:
		swap(n, n.Args...)
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
			swap(n, sel.X)
		}
		add(n.Pos(), n.End(), srcedit.Text("0"))
		if lit, ok := n.Fun.(*ast.FuncLit); ok && len(lit.Body.List) > 0 && len(n.Args) == 0 {
			list := lit.Body.List
			add(n.Pos(), n.End(), srcedit.Copy(f.name, f.offset(list[0].Pos()), f.offset(list[len(list)-1].End())))
		}
	case *ast.IndexExpr:
		swap(n, n.X)
		add(n.Pos(), n.End(), srcedit.Text("0"))
	case *ast.SelectorExpr:
		add(n.Pos(), n.End(), srcedit.Text("0"))
	case *ast.AssignStmt:
		// x, y := f(), g() without one of its sides.
		if len(n.Lhs) == len(n.Rhs) && len(n.Lhs) > 1 {
			for i := range n.Lhs {
				add(n.Pos(), n.End(), f.copy(n.Lhs[i]), srcedit.Text(" "+n.Tok.String()+" "), f.copy(n.Rhs[i]))
			}
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			add(n.Results[0].Pos(), n.End(), srcedit.Text(""))
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			add(n.Cond.Pos(), n.Cond.End(), srcedit.Text("false"))
		}
	case *ast.IfStmt:
		add(n.Cond.Pos(), n.Cond.End(), srcedit.Text("true"))
	}
}

func elements(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	list := func(xs []ast.Expr) {
		for i, x := range xs {
			end := x.End()
			if i+1 < len(xs) && f.tok.Line(xs[i+1].Pos()) == f.tok.Line(x.Pos()) {
				end = xs[i+1].Pos()
			}
			add(x.Pos(), end)
		}
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		list(n.Elts)
	case *ast.CallExpr:
		if len(n.Args) > 1 {
			list(n.Args)
		}
	case *ast.CaseClause:
		if len(n.List) > 1 {
			list(n.List)
		}
	}
}

func fields(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	list := func(fl *ast.FieldList) {
		if fl == nil {
			return
		}
		for i, x := range fl.List {
			end := x.End()
			if i+1 < len(fl.List) && f.tok.Line(fl.List[i+1].Pos()) == f.tok.Line(x.Pos()) {
				end = fl.List[i+1].Pos()
			}
			add(x.Pos(), end)
		}
	}
	switch n := n.(type) {
	case *ast.StructType:
		list(n.Fields)
	case *ast.InterfaceType:
		list(n.Methods)
	case *ast.FuncDecl:
		list(n.Type.TypeParams)
		if n.Recv != nil {
			add(n.Recv.Pos(), n.Name.Pos())
		}
	}
}

// literals are made short: 0 for a number, x for a text, int for another basic type.
func literals(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	lit, ok := n.(*ast.BasicLit)
	if !ok {
		return
	}
	try := func(text string) {
		if text != lit.Value {
			add(lit.Pos(), lit.End(), srcedit.Text(text))
		}
	}
	switch lit.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(lit.Value, 0, 64); err == nil && v > 1 {
			try("0")
			try("1")
			if v > 3 {
				try("2")
			}
		}
	case token.STRING:
		if text, err := strconv.Unquote(lit.Value); err == nil && len(text) > 1 && !strings.HasPrefix(lit.Value, "`") {
			try(`""`)
			try(fmt.Sprintf("%q", text[:1]))
		}
	}
}
