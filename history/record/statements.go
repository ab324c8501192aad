package record

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"misstep/history"
)

// around is a statement that a break may leave.
type around struct {
	stmt  ast.Stmt
	label string
	site  int // of a loop over a function, or -1
}

// enter begins such a statement; what it returns ends it.
func (b *body) enter(s ast.Stmt, site int) func() {
	b.around = append(b.around, around{s, b.label, site})
	b.label = ""
	return func() { b.around = b.around[:len(b.around)-1] }
}

// leave are the events of the bodies of loops over functions that a branch
// leaves; a return leaves them all.
func (b *body) leave(branch *ast.BranchStmt) string {
	text := ""
	for i := len(b.around) - 1; i >= 0; i-- {
		a := b.around[i]
		if branch != nil && branch.Tok == token.GOTO {
			if to := b.in.pkg.Info.Uses[branch.Label]; to == nil || a.stmt.Pos() <= to.Pos() && to.Pos() < a.stmt.End() {
				return text
			}
		}
		if a.site >= 0 {
			text += b.unnest(a.site) + "; "
		}
		if branch == nil || branch.Tok == token.GOTO {
			continue
		}
		if branch.Label != nil {
			if a.label == branch.Label.Name {
				return text
			}
			continue
		}
		switch a.stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return text
		default:
			if branch.Tok == token.BREAK {
				return text
			}
		}
	}
	return text
}

// site numbers a place; of those with two outcomes, the second has the next
// number.
func (b *body) site(kind history.Kind, pos token.Pos) int {
	p := b.in.position(pos)
	s := history.Site{Kind: kind, Func: b.fn, Offset: b.in.offset(pos), Line: p.Line, Column: p.Column}
	n := len(b.in.plan.Sites)
	b.in.plan.Sites = append(b.in.plan.Sites, s)
	if kind == history.Second {
		b.in.plan.Sites = append(b.in.plan.Sites, s)
	}
	return n
}

// mark is the event of a site.
func (b *body) mark(kind history.Kind, pos token.Pos) string {
	return fmt.Sprintf(" %s.E(%d); ", buffer, b.word(kind, pos))
}

// word is what the event of a site is written as.
func (b *body) word(kind history.Kind, pos token.Pos) uint32 {
	return uint32(b.site(kind, pos))<<3 | history.WordMark
}

// quiet reports whether a loop's body has no events of its own, so that its marks
// come in a row.
func (in *instrumenter) quiet(block *ast.BlockStmt) bool {
	quiet := true
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt,
			*ast.LabeledStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt:
			quiet = false
		case *ast.UnaryExpr:
			quiet = quiet && n.Op != token.ARROW
		case *ast.BinaryExpr:
			quiet = quiet && n.Op != token.LAND && n.Op != token.LOR
		case *ast.CallExpr:
			tv := in.pkg.Info.Types[n.Fun]
			quiet = quiet && (tv.IsType() || tv.IsBuiltin())
		case *ast.FuncLit:
			return false
		}
		return quiet
	})
	return quiet
}

// quietHead reports whether the head of a loop has no events of its own, so that they
// cannot come between the marks of its body.
func (in *instrumenter) quietHead(head ast.Stmt) bool {
	var list []ast.Stmt
	switch s := head.(type) {
	case *ast.ForStmt:
		if s.Init != nil {
			list = append(list, s.Init) // it comes after the word that is set aside
		}
		if s.Cond != nil {
			list = append(list, &ast.ExprStmt{X: s.Cond})
		}
		if s.Post != nil {
			list = append(list, s.Post)
		}
	case *ast.RangeStmt:
		list = append(list, &ast.ExprStmt{X: s.X})
		for _, x := range []ast.Expr{s.Key, s.Value} {
			if s.Tok == token.ASSIGN && x != nil {
				list = append(list, &ast.ExprStmt{X: x})
			}
		}
	}
	return in.quiet(&ast.BlockStmt{List: list})
}

func (b *body) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *body) block(kind history.Kind, pos token.Pos, block *ast.BlockStmt) {
	b.begun(kind, pos, block, "")
}

// begun is a block that begins with an event, and some text after it.
func (b *body) begun(kind history.Kind, pos token.Pos, block *ast.BlockStmt, text string) {
	b.in.insert(block.Lbrace+1, b.mark(kind, pos)+text)
	b.stmts(block.List)
}

// loop is the body of a loop. A quiet one counts in a word that was set aside before
// the loop; a label or a goto leaves no place for that.
func (b *body) loop(head ast.Stmt, block *ast.BlockStmt, labelled bool) {
	pos := head.Pos()
	switch quiet := b.in.quiet(block) && b.in.objectless(block); {
	case quiet && !labelled && len(b.targets) == 0 && b.in.objectless(head) && b.in.quietHead(head):
		site := b.site(history.Body, pos)
		b.in.insert(pos, fmt.Sprintf("%s%d := %s.Q(%d); ", counter, site, buffer, history.LoopWord(site)))
		b.in.insert(block.Lbrace+1, fmt.Sprintf(" *%s%d++; ", counter, site))
		b.stmts(block.List)
	case quiet:
		b.in.insert(block.Lbrace+1, fmt.Sprintf(" %s.L(%d); ", buffer, history.LoopWord(b.site(history.Body, pos)))+b.elementsOf(head))
		b.stmts(block.List)
	default:
		b.begun(history.Body, pos, block, b.elementsOf(head))
	}
}

// head instruments a statement in the head of another, after which none can be
// put.
func (b *body) head(s ast.Stmt) {
	before := b.header
	b.header = true
	b.stmt(s)
	b.header = before
}

func (b *body) stmt(s ast.Stmt) {
	if b.in.objects && s != nil {
		switch s.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			b.forget(s)
		}
		defer b.forget(s)
	}
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		b.stmts(s.List)
	case *ast.LabeledStmt:
		b.labelled(s)
	case *ast.IfStmt:
		b.head(s.Init)
		b.condition(s)
		end := b.scoped()
		b.block(history.Then, s.Pos(), s.Body)
		end()
		end = b.scoped()
		b.stmt(s.Else)
		end()
	case *ast.ForStmt:
		b.forLoop(s)
	case *ast.RangeStmt:
		b.rangeLoop(s)
	case *ast.SwitchStmt:
		b.head(s.Init)
		b.expr(s.Tag)
		defer b.enter(s, -1)()
		b.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		b.head(s.Init)
		b.head(s.Assign)
		defer b.enter(s, -1)()
		b.clauses(s.Body)
	case *ast.SelectStmt:
		defer b.enter(s, -1)()
		b.clauses(s.Body)
	case *ast.ReturnStmt:
		b.returns(s)
	case *ast.BranchStmt:
		if s.Tok == token.GOTO && b.left[s.Label.Name] {
			b.in.insert(s.Label.Pos(), label+"_")
		}
		if s.Tok != token.FALLTHROUGH {
			b.in.insert(s.Pos(), b.leave(s))
		}
	default:
		b.simple(s)
	}
}

// labelled marks where a goto comes to.
func (b *body) labelled(s *ast.LabeledStmt) {
	switch name := s.Label.Name; {
	case b.targets[name] && b.left[name]:
		// The mark cannot come between the label and its loop: the gotos get a label
		// of their own before it.
		b.in.insert(s.Pos(), fmt.Sprintf("%s_%s:%s", label, name, b.mark(history.Label, s.Pos())))
	case b.targets[name]:
		b.in.insert(s.Colon+1, b.mark(history.Label, s.Pos()))
	}
	b.label = s.Label.Name
	b.stmt(s.Stmt)
	b.label = ""
}

func (b *body) forLoop(s *ast.ForStmt) {
	labelled := b.label != ""
	b.head(s.Init)
	b.loops++
	defer func() { b.loops-- }()
	b.expr(s.Cond)
	end := b.scoped()
	b.head(s.Post)
	end()
	defer b.scoped()()
	defer b.enter(s, -1)()
	b.loop(s, s.Body, labelled)
}

func (b *body) rangeLoop(s *ast.RangeStmt) {
	labelled := b.label != ""
	turned := b.turnedRange(s.X)
	if !b.object(s.X, history.Load) {
		b.expr(s.X)
	}
	turned()
	b.loops++
	defer func() { b.loops-- }()
	defer b.scoped()()
	if s.Tok == token.ASSIGN {
		b.expr(s.Key)
		b.expr(s.Value)
	}
	if !history.OverFunc(b.in.pkg.Info, s) {
		defer b.enter(s, -1)()
		if isChan(b.in.pkg.Info.TypeOf(s.X)) {
			b.in.insert(s.Body.Lbrace+1, " "+buffer+".S();")
			b.begun(history.Body, s.Pos(), s.Body, b.elementsOf(s)) // it may have to wait
			return
		}
		b.loop(s, s.Body, labelled)
		return
	}
	site := b.site(history.Nested, s.Pos())
	b.in.insert(s.Body.Lbrace+1, fmt.Sprintf(" %s.Nest(%d, %s); ", buffer, site, depth)+b.elementsOf(s))
	defer b.enter(s, site)()
	b.stmts(s.Body.List)
	b.in.insert(s.Body.Rbrace, "; "+b.unnest(site)+" ")
}

// simple edits a statement that has no others in it.
func (b *body) simple(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if !b.header && b.in.ends(s.X) {
			b.in.insert(s.Pos(), strings.TrimLeft(b.mark(history.Last, s.Pos()), " "))
		}
		b.expr(s.X)
		if !b.header && b.in.waits(s.X) {
			b.stamp(s)
		}
		b.after(s)
	case *ast.SendStmt:
		defer b.calls(s.Chan, s.Value)()
		if !b.object(s.Chan, history.Store) {
			b.expr(s.Chan)
		}
		b.expr(s.Value)
		if !b.header {
			b.stamp(s)
		}
		b.after(s)
	case *ast.AssignStmt:
		defer b.calls(slices.Concat(s.Lhs, s.Rhs)...)()
		for _, x := range s.Lhs {
			b.stored(x)
		}
		for _, x := range s.Rhs {
			b.got(x)
		}
		if !b.header && slices.ContainsFunc(s.Rhs, b.in.receives) {
			b.stamp(s)
		}
		b.gotSeveral(s)
		b.after(s)
	case *ast.GoStmt:
		if lit, ok := s.Call.Fun.(*ast.FuncLit); ok {
			b.in.function(lit, lit.Type, lit.Body, b.name+".func", true)
			for _, x := range s.Call.Args {
				b.expr(x)
			}
			break
		}
		b.later(s.Call)
	case *ast.DeferStmt:
		b.later(s.Call)
		b.in.insert(s.End(), fmt.Sprintf("; defer %s.P(%s, &%s)", buffer, depth, done))
	case *ast.IncDecStmt:
		b.stored(s.X)
		b.after(s)
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for _, x := range v.Values {
					b.got(x)
				}
				return false
			}
			return true
		})
		b.after(s)
	}
}

// condition edits the condition of an if statement, and marks before it the end of what comes before, see after.
func (b *body) condition(s *ast.IfStmt) {
	tv := b.in.pkg.Info.Types[s.Cond]
	if s.Init == nil || tv.Value != nil || !PlainBool(tv.Type) || !b.in.unmarked(s.Init) {
		b.expr(s.Cond)
		return
	}
	b.in.insert(s.Cond.Pos(), fmt.Sprintf("%s.A(%d) && (", buffer, b.word(history.After, s.Init.Pos())))
	b.expr(s.Cond)
	b.in.insert(s.Cond.End(), ")")
}

// later edits what is evaluated of a call that is made later, or by another goroutine.
func (b *body) later(call *ast.CallExpr) {
	defer b.calls(call)()
	b.expr(call.Fun)
	for _, x := range call.Args {
		b.expr(x)
	}
}

// after marks the end of a statement with a call that leads out and has no mark of its own.
func (b *body) after(s ast.Stmt) {
	if !b.header && b.in.unmarked(s) && !history.IsPanic(b.in.pkg.Info, s) {
		b.in.insert(s.End(), ";"+strings.TrimRight(b.mark(history.After, s.Pos()), "; "))
	}
}

// stamp orders the goroutine after another that it may have waited for.
func (b *body) stamp(s ast.Stmt) { b.in.insert(s.End(), "; "+buffer+".S()") }

func (b *body) clauses(block *ast.BlockStmt) {
	for _, s := range block.List {
		end := b.scoped()
		switch c := s.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				b.expr(x)
			}
			b.in.insert(c.Colon+1, b.mark(history.Case, c.Pos()))
			b.stmts(c.Body)
		case *ast.CommClause:
			b.commClause(c)
		}
		end()
	}
}

func (b *body) commClause(c *ast.CommClause) {
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		b.expr(s.Chan)
		b.expr(s.Value)
	case *ast.ExprStmt:
		b.expr(s.X)
	case *ast.AssignStmt:
		defer b.calls(slices.Concat(s.Lhs, s.Rhs)...)()
		for _, x := range s.Lhs {
			b.stored(x)
		}
		for _, x := range s.Rhs {
			b.expr(x)
		}
	}
	b.in.insert(c.Colon+1, " "+buffer+".S();"+b.mark(history.Case, c.Pos()))
	b.stmts(c.Body)
}
