package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// ifToSwitch turns if and else into a switch without a tag. Guards: no break in
// the branches belongs to a statement around them.
var ifToSwitch = Rewrite{
	Name: "if-to-switch",
	Doc:  "Turns if and else into a switch without a tag: no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		for _, sl := range s.slots() {
			chain, ok := sl.stmt.(*ast.IfStmt)
			if _, first := s.indent(sl.stmt.Pos()); !ok || !first || s.breaks(chain) || s.breaksIn(chain.Pos(), chain.Pos()) {
				continue
			}
			heads := true
			for x := chain; x != nil; {
				heads = heads && s.Source.Line(x.Pos()) == s.Source.Line(x.Body.Lbrace) && (x == chain || x.Init == nil)
				x, _ = x.Else.(*ast.IfStmt)
			}
			if !heads {
				continue
			}
			sites = append(sites, Site{chain.Pos(), func(c *Change) {
				for x := chain; x != nil; {
					if x == chain {
						c.replaceRange(x.Pos(), x.Pos()+2, "switch")
						c.insert(x.Cond.Pos(), "{ case ")
					}
					c.replaceRange(x.Body.Lbrace, x.Body.Lbrace+1, ":")
					switch e := x.Else.(type) {
					case nil:
						x = nil
					case *ast.BlockStmt:
						// } else { … }
						c.replaceRange(x.Body.Rbrace, e.Lbrace+1, s.separator(x.Body)+"default:")
						x = nil
					case *ast.IfStmt:
						// } else if … {
						c.replaceRange(x.Body.Rbrace, e.Cond.Pos(), s.separator(x.Body)+"case ")
						x = e
					}
				}
				c.vague(chain.Pos())
			}})
		}
		return sites
	},
}

// separator is what has to end a block's last statement where its brace goes.
func (s *scope) separator(b *ast.BlockStmt) string {
	if n := len(b.List); n > 0 && s.Source.Line(b.List[n-1].End()) == s.Source.Line(b.Rbrace) {
		return "; "
	}
	return ""
}

// breaks reports whether a break in a node would leave a switch that is put
// around it, or a function literal in it is of no concern.
func (s *scope) breaks(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		switch x := m.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return m == n
		case *ast.BranchStmt:
			found = found || x.Tok == token.BREAK && x.Label == nil || x.Tok == token.FALLTHROUGH
		}
		return !found
	})
	return found
}

// switchToIf turns a switch into if and else. Guards: neither fallthrough nor
// break; a default that is last; each case on one line; cases that are constants
// of the tag's type, so that comparing is the same. The heads are vague: which of
// them has code follows from how the compiler searches (tolerance switch-heads).
var switchToIf = Rewrite{
	Name: "switch-to-if",
	Doc:  "Turns a switch into if and else: but for pauses at the heads themselves, no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		for _, sl := range s.slots() {
			sw, ok := sl.stmt.(*ast.SwitchStmt)
			if _, first := s.indent(sl.stmt.Pos()); !ok || !first || sw.Init != nil || len(sw.Body.List) == 0 || !s.plainSwitch(sw) {
				continue
			}
			sites = append(sites, Site{sw.Pos(), func(c *Change) {
				// The head's line break may stand after if, and after a semicolon.
				tag, head, brace := "", "if", ""
				if sw.Tag != nil {
					tag, brace = c.ownVar(), ";"
					head = "if " + tag + " :="
				}
				c.replaceRange(sw.Pos(), sw.Pos()+token.Pos(len("switch")), head)
				c.replaceRange(sw.Body.Lbrace, sw.Body.Lbrace+1, brace)
				c.vague(sw.Pos())
				for i, stmt := range sw.Body.List {
					clause := stmt.(*ast.CaseClause)
					c.vague(clause.Pos())
					text := "} else if "
					if i == 0 {
						text = ""
					}
					if clause.List == nil {
						text = "} else "
					}
					for j, x := range clause.List {
						if j > 0 {
							text += " || "
						}
						if tag != "" {
							text += tag + " == "
						}
						text += "(" + s.text(x) + ")"
					}
					c.replaceRange(clause.Pos(), clause.Colon+1, text+" {")
				}
			}})
		}
		return sites
	},
}

// plainSwitch reports whether each clause of a switch can be a branch of an if.
func (s *Given) plainSwitch(sw *ast.SwitchStmt) bool {
	if s.breaksIn(sw.Pos(), sw.Body.Lbrace) || s.Source.Line(sw.Pos()) != s.Source.Line(sw.Body.Lbrace) {
		return false
	}
	if sw.Tag != nil {
		t := s.Source.Info.TypeOf(sw.Tag)
		if _, lit := ast.Unparen(sw.Tag).(*ast.CompositeLit); lit || !types.Comparable(t) || types.IsInterface(t) || closures(sw.Tag) {
			return false
		}
	}
	for i, stmt := range sw.Body.List {
		clause := stmt.(*ast.CaseClause)
		if clause.List == nil && (i != len(sw.Body.List)-1 || i == 0) || s.Source.Line(clause.Pos()) != s.Source.Line(clause.Colon) ||
			s.breaksIn(clause.Pos(), clause.Colon) || s.Source.Line(clause.Pos()) == s.Source.Line(sw.Pos()) {
			return false
		}
		for _, x := range clause.List {
			tv := s.Source.Info.Types[x]
			if sw.Tag != nil && (tv.Value == nil || !types.Identical(tv.Type, s.Source.Info.TypeOf(sw.Tag))) {
				return false
			}
		}
		for _, b := range clause.Body {
			if s.breaks(&ast.BlockStmt{List: []ast.Stmt{b}}) || s.labels([]ast.Stmt{b}) {
				return false
			}
		}
	}
	return true
}
