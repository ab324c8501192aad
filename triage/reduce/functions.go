package reduce

import (
	"go/ast"
	"go/token"
	"strings"

	"misstep/internal/srcedit"
)

// function is a declared function with all that calls it, as far as its name tells.
type function struct {
	f     *file
	decl  *ast.FuncDecl
	calls []call
	// value says that its name is also somewhere else, so that not all calls are known.
	value bool
}

type call struct {
	f    *file
	expr *ast.CallExpr
	stmt ast.Node // the node around it
}

// functions are the functions of a script that have a body and a name of their own.
func (s *candidate) functions() []*function {
	files := s.parse()
	byName := map[string]*function{}
	var list []*function
	for _, f := range files {
		for _, d := range f.ast.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil || fd.Name.Name == "main" || fd.Name.Name == "init" {
				continue
			}
			fn := &function{f: f, decl: fd}
			if other := byName[fd.Name.Name]; other != nil {
				other.value, fn.value = true, true // which of them is called is not known
			}
			byName[fd.Name.Name] = fn
			list = append(list, fn)
		}
	}
	for _, f := range files {
		called := map[*ast.Ident]bool{}
		var stack []ast.Node
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			switch n := n.(type) {
			case *ast.CallExpr:
				var id *ast.Ident
				switch fun := n.Fun.(type) {
				case *ast.Ident:
					id = fun
				case *ast.SelectorExpr:
					id = fun.Sel
				}
				if id == nil {
					break
				}
				called[id] = true
				if fn := byName[id.Name]; fn != nil {
					fn.calls = append(fn.calls, call{f, n, stack[len(stack)-1]})
				}
			case *ast.Ident:
				if fn := byName[n.Name]; fn != nil && !called[n] && n != fn.decl.Name {
					fn.value = true
				}
			}
			stack = append(stack, n)
			return true
		})
	}
	return list
}

func (f *file) part(from, to token.Pos, with ...srcedit.Piece) part {
	return part{f.name, f.offset(from), f.offset(to), with}
}

// resultUnits removes what functions return: where they say so, where they do it, and
// where something gets it.
func resultUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, fn := range s.functions() {
		fd, f := fn.decl, fn.f
		if fd.Type.Results == nil {
			continue
		}
		u := unit{file: f.name, start: f.offset(fd.Type.Results.Pos()), end: f.offset(fd.Type.Results.End()), with: []srcedit.Piece{srcedit.Text("")}}
		ast.Inspect(fd.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
				u.along = append(u.along, f.part(r.Results[0].Pos(), r.End()))
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
		for _, c := range fn.calls {
			if as, ok := c.stmt.(*ast.AssignStmt); ok && len(as.Rhs) == 1 {
				u.along = append(u.along, c.f.part(as.Pos(), c.expr.Pos()))
			}
		}
		units = append(units, u)
	}
	return units, false
}

// parameterUnits removes parameters with the arguments that they get. What uses them is
// lost, and goes, too.
func parameterUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, fn := range s.functions() {
		if fn.value {
			continue
		}
		var names []token.Pos // of each parameter
		var ends []token.Pos
		for _, field := range fn.decl.Type.Params.List {
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				names = nil
				break
			}
			for i, name := range field.Names {
				from, to := name.Pos(), name.End()
				switch {
				case len(field.Names) == 1:
					to = field.End()
				case i+1 < len(field.Names):
					to = field.Names[i+1].Pos()
				default:
					from = field.Names[i-1].End()
				}
				names, ends = append(names, from), append(ends, to)
			}
		}
		for i := range names {
			u := unit{file: fn.f.name, with: []srcedit.Piece{srcedit.Text("")}}
			u.start, u.end = separated(fn.f, names[i], ends[i])
			ok := true
			for _, c := range fn.calls {
				args := c.expr.Args
				if ok = ok && len(args) == len(names) && !c.expr.Ellipsis.IsValid(); ok {
					start, end := separated(c.f, args[i].Pos(), args[i].End())
					u.along = append(u.along, part{c.f.name, start, end, nil})
				}
			}
			if ok {
				units = append(units, u)
			}
		}
	}
	return units, false
}

// separated is a range of a list with the comma after it.
func separated(f *file, from, to token.Pos) (start, end int) {
	start, end = f.offset(from), f.offset(to)
	rest := string(f.text[end:])
	if trimmed := strings.TrimLeft(rest, " \t"); strings.HasPrefix(trimmed, ",") {
		end += len(rest) - len(strings.TrimLeft(trimmed[1:], " \t"))
	}
	return start, end
}

// callUnits puts the bodies of functions in the place of the statements that call them,
// with the arguments in variables. A function that is called once goes.
func callUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, fn := range s.functions() {
		fd := fn.decl
		if fn.value || fd.Recv != nil || fd.Type.TypeParams != nil || len(fd.Body.List) == 0 || returns(fd.Body) {
			continue
		}
		for _, c := range fn.calls {
			if _, ok := c.stmt.(*ast.ExprStmt); !ok || c.f != fn.f && c.f.ast.Name.Name != fn.f.ast.Name.Name || inside(fd, c) {
				continue
			}
			var with []srcedit.Piece
			n := 0
			for _, field := range fd.Type.Params.List {
				for _, name := range field.Names {
					if n < len(c.expr.Args) && name.Name != "_" {
						with = append(with, srcedit.Text("var "+name.Name+" "), fn.f.copy(field.Type), srcedit.Text(" = "), c.f.copy(c.expr.Args[n]), srcedit.Text("\n"))
					}
					n++
				}
			}
			if n != len(c.expr.Args) {
				continue
			}
			list := fd.Body.List
			with = append(with, srcedit.Copy(fn.f.name, fn.f.offset(list[0].Pos()), fn.f.offset(list[len(list)-1].End())))
			u := unit{file: c.f.name, start: c.f.offset(c.stmt.Pos()), end: c.f.offset(c.stmt.End()), with: with}
			if len(fn.calls) == 1 {
				from := fd.Pos()
				if fd.Doc != nil {
					from = fd.Doc.Pos()
				}
				start, end := wholeLines(fn.f.text, fn.f.offset(from), fn.f.offset(fd.End()))
				u.along = append(u.along, part{fn.f.name, start, end, nil})
			}
			units = append(units, u)
		}
	}
	return units, false
}

// inside reports whether a call is in the function that it calls.
func inside(fd *ast.FuncDecl, c call) bool {
	return fd.Pos() <= c.expr.Pos() && c.expr.End() <= fd.End()
}

// returns reports whether a block has a return or a deferred call, which belong to its
// function.
func returns(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt, *ast.DeferStmt:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// printUnits are calls that print by a package's function, and may do by Go's own: a
// program without fmt is built in a third of the time.
func printUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, f := range s.parse() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := c.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "fmt" && (sel.Sel.Name == "Println" || sel.Sel.Name == "Printf" || sel.Sel.Name == "Print") {
				units = append(units, unit{file: f.name, start: f.offset(sel.Pos()), end: f.offset(sel.End()), with: []srcedit.Piece{srcedit.Text("println")}})
			}
			return true
		})
	}
	return units, false
}
