package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
)

// removeDeadCode is the paper's fifth (table 1): dynamically dead code, by the
// coverage of a run. What would become unused is kept in use by an assignment
// to the blank identifier, and a panic stands where the statements were, so
// that a function still ends in a statement that terminates. Guards: the base
// assigns to no variable, which could bring the dead code to life; nothing in
// the block is jumped to, or out of to a label that nothing else uses; the
// removed lines are lost, so breakpoints there are left out of the follow-up.
var removeDeadCode = Rewrite{
	Name:     "remove-dead-code",
	Doc:      "Removes the statements of a block or of a function that the run does not execute: no difference, but that there are no breakpoints there.",
	NeedsRun: true,
	Sites: func(s *Given) []Site {
		if s.assigns() || s.declares("panic") {
			return nil
		}
		var sites []Site
		block := func(from ast.Node, list []ast.Stmt) {
			if len(list) == 0 || !s.unrun(list) || s.labels(list) {
				return
			}
			first, last := list[0], list[len(list)-1]
			if s.breaksUnlinked(first.Pos(), last.End()) || s.evaluatesGone(list) {
				return
			}
			sites = append(sites, Site{first.Pos(), func(c *Change) {
				var keep []string
				imports := map[*types.PkgName]bool{}
				for _, stmt := range list {
					for _, name := range s.needed(stmt, first.Pos(), imports) {
						if !slices.Contains(keep, name) {
							keep = append(keep, name)
						}
					}
				}
				text := "panic(\"unreachable\")"
				for _, k := range keep {
					text = "_ = " + k + "; " + text
				}
				if c.R.IntN(2) == 0 {
					n := s.Source.Line(last.End()) - s.Source.Line(first.Pos())
					text += strings.Repeat("\n", n)
				}
				c.replaceRange(first.Pos(), last.End(), text)
				c.unimport(imports, first.Pos(), last.End())
			}})
		}
		s.funcs(func(fn *ast.FuncDecl) {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BlockStmt:
					if _, ok := s.Source.Parents()[n].(*ast.SwitchStmt); ok {
						return true
					}
					block(n, n.List)
				case *ast.CaseClause:
					block(n, n.Body)
				case *ast.CommClause:
					block(n, n.Body)
				}
				return true
			})
		})
		return sites
	},
}

// breaksUnlinked reports whether the base has a breakpoint in a function that only
// the statements of a range lead to, as far as names go. The linker leaves such
// a function out.
func (s *Given) breaksUnlinked(from, to token.Pos) bool {
	type span struct{ from, to token.Pos }
	gone := []span{{from, to}}
	inside := func(pos token.Pos) bool {
		return slices.ContainsFunc(gone, func(g span) bool { return g.from <= pos && pos < g.to })
	}
	for again := true; again; {
		again = false
		for _, f := range s.Source.Files {
			for _, d := range f.AST.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || inside(fn.Pos()) || fn.Name.Name == "main" || fn.Name.Name == "init" {
					continue
				}
				uses := s.uses(s.Source.Info.Defs[fn.Name])
				if slices.ContainsFunc(uses, func(id *ast.Ident) bool { return !inside(id.Pos()) && (id.Pos() < fn.Pos() || id.Pos() >= fn.End()) }) {
					continue
				}
				// A method may be reached through an interface all the same, which the
				// linker knows better; either way it is not compared.
				name, _ := s.funcName(fn)
				if s.breaksIn(fn.Pos(), fn.End()) || s.breaksFunc(name) {
					return true
				}
				gone = append(gone, span{fn.Pos(), fn.End()})
				again = true
			}
		}
	}
	return false
}

// evaluatesGone reports whether the base evaluates a variable of the package that
// statements use; the linker leaves out those that nothing else does.
func (s *Given) evaluatesGone(list []ast.Stmt) bool {
	names := map[string]bool{}
	for _, stmt := range list {
		ast.Inspect(stmt, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := s.Source.Info.Uses[id].(*types.Var); ok && !v.IsField() && !s.local(v) {
					names[v.Name()] = true
				}
			}
			return true
		})
	}
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		text := e.Action.Condition + " " + e.Action.Log
		if e.Action.Kind == dap.Evaluate {
			text += " " + e.Action.Name
		}
		return slices.ContainsFunc(identifiers.FindAllString(text, -1), func(id string) bool { return names[id] })
	})
}

var identifiers = regexp.MustCompile(`[\pL_][\pL\d_]*`)

// unrun reports whether a list of statements lies in blocks that the run did not
// execute.
func (s *Given) unrun(list []ast.Stmt) bool {
	for _, stmt := range list {
		switch stmt.(type) {
		case *ast.CaseClause, *ast.CommClause:
			return false
		}
		p := s.Source.Fset.PositionFor(stmt.Pos(), false)
		inside := slices.ContainsFunc(s.Unrun, func(b gobuild.Block) bool {
			after := p.Line > b.Line || p.Line == b.Line && p.Column >= b.Column
			before := p.Line < b.EndLine || p.Line == b.EndLine && p.Column < b.EndColumn
			return b.File == p.Filename && after && before
		})
		if !inside {
			return false
		}
	}
	return true
}

// labels reports whether statements have labels or use some, or fall through.
func (s *scope) labels(list []ast.Stmt) bool {
	found := false
	for _, stmt := range list {
		ast.Inspect(stmt, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.LabeledStmt:
				found = true
			case *ast.BranchStmt:
				found = found || n.Label != nil || n.Tok == token.FALLTHROUGH
			}
			return !found
		})
	}
	return found
}

// needed lists the local variables from outside that statements use, and notes
// the imports.
func (s *scope) needed(stmt ast.Stmt, from token.Pos, imports map[*types.PkgName]bool) []string {
	var names []string
	ast.Inspect(stmt, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := s.Source.Info.Uses[id].(type) {
		case *types.Var:
			if !obj.IsField() && s.local(obj) && obj.Pos() < from && s.Source.Visible(obj, from) {
				names = append(names, obj.Name())
			}
		case *types.PkgName:
			imports[obj] = true
		}
		return true
	})
	return names
}

// unimport makes those imports blank that nothing outside of a range uses.
func (c *Change) unimport(imports map[*types.PkgName]bool, from, to token.Pos) {
	s := c.Given
	file := s.Source.FileOf(from)
	for _, spec := range file.AST.Imports {
		obj, ok := s.Source.Info.Implicits[spec].(*types.PkgName)
		if spec.Name != nil {
			obj, ok = s.Source.Info.Defs[spec.Name].(*types.PkgName)
		}
		if !ok || !imports[obj] {
			continue
		}
		used := slices.ContainsFunc(s.uses(obj), func(id *ast.Ident) bool { return id.Pos() < from || id.Pos() >= to })
		switch {
		case used:
		case spec.Name != nil:
			c.replace(spec.Name, "_")
		default:
			c.insert(spec.Path.Pos(), "_ ")
		}
	}
}
