package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"misstep/transform"
	"slices"
)

// renameLocal gives a variable of a function another name. Guards: no other
// variable of the function has the old name, as debuggers write those that are
// covered in another way.
var renameLocal = Rewrite{
	Name: "rename-local",
	Doc:  "Renames a local variable: it is shown under its new name, and nothing else changes.",
	Sites: func(s *Given) []Site {
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			for _, v := range s.locals(fn) {
				if v.implicit || s.namesakes(fn, v.obj.Name()) > 1 {
					continue
				}
				sites = append(sites, Site{v.id.Pos(), func(c *Change) {
					n := c.name()
					c.replace(v.id, n)
					for _, use := range s.uses(v.obj) {
						c.replace(use, n)
					}
					// A function's lines are its own, but for those of one line.
					c.Renamed = append(c.Renamed, transform.VarName{In: s.lines(fn), Old: v.obj.Name(), New: n})
				}})
			}
		})
		return sites
	},
}

// A localVar is a variable that a function declares.
type localVar struct {
	obj      *types.Var
	id       *ast.Ident
	implicit bool // of a type switch: one object for each clause
}

// locals lists the parameters, results and variables of a function and of the
// function literals in it.
func (s *scope) locals(fn *ast.FuncDecl) []localVar {
	var vars []localVar
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType, *ast.InterfaceType:
			return false
		case *ast.FuncType:
			// Of a literal or the declaration itself; those of types have no scope.
			switch p := s.Source.Parents()[n].(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				_ = p
			default:
				return false
			}
		case *ast.Ident:
			if v, ok := s.Source.Info.Defs[n].(*types.Var); ok && v.Name() != "_" && !v.IsField() {
				vars = append(vars, localVar{v, n, false})
			}
		case *ast.TypeSwitchStmt:
			if a, ok := n.Assign.(*ast.AssignStmt); ok {
				if id, ok := a.Lhs[0].(*ast.Ident); ok {
					vars = append(vars, localVar{types.NewVar(id.Pos(), s.Source.Pkg, id.Name, types.Typ[types.Invalid]), id, true})
				}
			}
		}
		return true
	})
	return vars
}

// namesakes counts the variables of a function that have a name.
func (s *scope) namesakes(fn *ast.FuncDecl, name string) int {
	n := 0
	for _, v := range s.locals(fn) {
		if v.obj.Name() == name {
			n++
		}
	}
	return n
}

// shadowLocal declares, in a block that does not use a variable, another one of
// its name. Guards: the base evaluates nothing with that name, as it would mean
// the other one there; the name stands in no condition.
var shadowLocal = Rewrite{
	Name: "shadow-local",
	Doc:  "Declares a variable of the same name in an inner block that does not use the outer one: the outer one is shown as (name), and nothing else changes.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || s.declares("int") {
			return nil
		}
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			if jumps(fn) {
				return
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				block, ok := n.(*ast.BlockStmt)
				if !ok || n == fn.Body || len(block.List) == 0 || s.Source.Line(block.Lbrace) == s.Source.Line(block.List[0].Pos()) {
					return true
				}
				switch s.Source.Parents()[block].(type) {
				case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
					return true
				}
				first := block.List[0]
				if s.conditionsIn(first.Pos(), block.Rbrace) {
					return true
				}
				lits := s.literalsAround(first.Pos())
				for _, v := range s.locals(fn) {
					name := v.obj.Name()
					if v.implicit || !s.captures(lits, v.obj) || !s.Source.Visible(v.obj, first.Pos()) || s.namesakes(fn, name) > 1 || s.mentioned(block, name) || closures(block) || s.returns(fn, block, v.obj) {
						continue
					}
					sites = append(sites, Site{first.Pos(), func(c *Change) {
						indent, alone := s.indent(first.Pos())
						text := "var " + name + " int; _ = " + name
						if alone {
							c.insert(first.Pos(), text+"\n"+indent)
						} else {
							c.insert(first.Pos(), text+"; ")
						}
						c.Shadowed = append(c.Shadowed, transform.Shadowed{In: s.between(first.Pos(), block.Rbrace), Name: name})
					}})
				}
				return true
			})
		})
		return sites
	},
}

// returns reports whether a block returns a named result without naming it.
func (s *scope) returns(fn *ast.FuncDecl, block *ast.BlockStmt, v *types.Var) bool {
	if fn.Type.Results == nil || v.Pos() < fn.Type.Results.Pos() || v.Pos() > fn.Type.Results.End() {
		return false
	}
	found := false
	ast.Inspect(block, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 0 {
			found = true
		}
		return !found
	})
	return found
}

// mentioned reports whether a name stands anywhere in a node.
func (s *scope) mentioned(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// closures reports whether a node has function literals.
func closures(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			found = true
		}
		return !found
	})
	return found
}

// moveToHeap lets a variable's address escape into a global variable, so that
// the compiler moves it to the heap. Guards: variables of range and for clauses
// are copied for each iteration where they are captured, so only the first of a
// statement list, parameters, and plain declarations are taken.
var moveToHeap = Rewrite{
	Name: "move-to-heap",
	Doc:  "Lets the address of a local variable escape, so that it is moved to the heap: its name, value and scope stay, no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		add := func(id *ast.Ident, put func(c *Change, text string)) {
			v, ok := s.Source.Info.Defs[id].(*types.Var)
			if !ok || id.Name == "_" || len(s.steady([]*types.Var{v})) == 0 {
				return
			}
			pos, name := id.Pos(), id.Name
			sites = append(sites, Site{pos, func(c *Change) {
				sink := c.name()
				c.declare(pos, "var "+sink+" interface{}") // any is not in Go before 1.18
				put(c, sink+" = &"+name)
			}})
		}
		for _, sl := range s.slots() {
			var ids []*ast.Ident
			if s.long(sl.stmt) {
				continue // where its memory is asked for has another of its lines
			}
			switch x := sl.stmt.(type) {
			case *ast.AssignStmt:
				if x.Tok == token.DEFINE {
					for _, l := range x.Lhs {
						if id, ok := l.(*ast.Ident); ok {
							ids = append(ids, id)
						}
					}
				}
			case *ast.DeclStmt:
				if d := x.Decl.(*ast.GenDecl); d.Tok == token.VAR {
					for _, spec := range d.Specs {
						ids = append(ids, spec.(*ast.ValueSpec).Names...)
					}
				}
			}
			for _, id := range ids {
				add(id, func(c *Change, text string) { c.after(sl.stmt, text) })
			}
		}
		s.funcs(func(fn *ast.FuncDecl) {
			if len(fn.Body.List) == 0 {
				return
			}
			first := fn.Body.List[0]
			fields := fn.Type.Params.List
			if fn.Recv != nil {
				fields = slices.Concat(fn.Recv.List, fields)
			}
			for _, field := range fields {
				for _, id := range field.Names {
					add(id, func(c *Change, text string) { c.before(first, text) })
				}
			}
		})
		return sites
	},
}
