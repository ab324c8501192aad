package record

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"misstep/history"
)

var (
	//go:embed rt/snap.go
	snapText string
	//go:embed rt/shake.go
	shakeText string
)

// A Watch says what a program is made to do beside recording its control flow. Before each
// statement, where a function ends without a return, and where another iteration of a loop comes,
// it hands over its variables in scope; before those that begin a line it also evaluates
// expressions and makes an assignment or a call. All variables of a watched program may move to the heap.
type Watch struct {
	// Ask gives the expressions to evaluate and the assignments that may be made
	// before a statement, with the local variables that it can see. It may be nil.
	Ask func(pkg *history.Package, stmt ast.Stmt, vars []string) (exprs []string, sets []history.Assignment)
}

// A snap is a place of which snapshots are taken, known by a position: a statement, the end
// of a function that falls off it, or what comes after each iteration of a loop.
type snap struct {
	key token.Pos
	// at are the places from which execution goes there, and nowhere else.
	at []token.Pos
	// stmt is the statement, if it is one that is asked for expressions.
	stmt ast.Stmt
	vars []string
}

// watch edits the statements of a file.
func (in *instrumenter) watch(f *ast.File) {
	for _, s := range snapsOf(in.pkg, f) {
		w := history.Watched{Path: in.name, Offset: in.offset(s.key), First: in.sets}
		text := fmt.Sprintf("%sMisstepSnap(%d", in.qualifier, len(in.watched))
		for _, v := range s.vars {
			text += ", " + strconv.Quote(v) + ", &" + v
		}
		if in.watches.Ask != nil && s.stmt != nil {
			w.Exprs, w.Sets = in.watches.Ask(in.pkg, s.stmt, s.vars)
		}
		for _, x := range w.Exprs {
			// Debuggers may want calls to be announced.
			plain := in.pkg.Plain(s.key, x)
			if n := in.results(s.key, plain); n > 1 {
				plain = fmt.Sprintf("%sMisstepResults%d(%s)", in.qualifier, n, plain)
			}
			text += fmt.Sprintf(", %q, func() any { misstepx := (%s); return &misstepx }", x, plain)
		}
		text += "); "
		for _, set := range w.Sets {
			do := in.pkg.Plain(s.key, set.Value)
			if set.Name == "" {
				do = fmt.Sprintf("%sMisstepDo(func() { %s })", in.qualifier, do)
			} else {
				do = set.Name + " = " + do
			}
			text += fmt.Sprintf("if %sMisstepSet(%d) { %s }; ", in.qualifier, in.sets, do)
			in.sets++
		}
		for _, pos := range s.at {
			if pos != s.key || s.stmt == nil {
				in.insert(pos, "; "+text)
			} else {
				in.insert(pos, text)
			}
		}
		in.watched = append(in.watched, w)
	}
}

// results is how many results a call has; one for any other expression.
func (in *instrumenter) results(pos token.Pos, text string) int {
	x, err := parser.ParseExpr(text)
	if _, call := x.(*ast.CallExpr); err != nil || !call {
		return 1
	}
	info, err := in.pkg.Check(pos, x)
	if err != nil {
		return 1
	}
	t, ok := info.TypeOf(x).(*types.Tuple)
	if !ok {
		return 1
	}
	return t.Len()
}

// snapped reports whether a snapshot is taken before a statement: all but those that have
// no code of their own, and those with labels, which would name the snapshot.
func snapped(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.LabeledStmt, *ast.BlockStmt, *ast.EmptyStmt, *ast.CaseClause, *ast.CommClause:
		return false
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		return ok && d.Tok == token.VAR
	}
	return true
}

// asked reports whether expressions are evaluated before a statement, too: those at which a
// debugger surely pauses.
func asked(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.IfStmt:
		return true
	}
	return false
}

// A snapper finds the snapshots of a file.
type snapper struct {
	pkg  *history.Package
	lits []*ast.FuncLit // around
	// loops are those around in the function, with their labels, outermost first.
	loops  []*looping
	gotos  map[string]bool // labels that are jumped to
	label  string          // of the statement that comes
	labels token.Pos       // where that is
	snaps  []snap
}

// A looping is a loop with the places from which its next iteration comes.
type looping struct {
	label string
	from  []token.Pos
}

// snapsOf lists the snapshots of a file.
func snapsOf(pkg *history.Package, file *ast.File) []snap {
	s := &snapper{pkg: pkg, gotos: map[string]bool{}}
	ast.Inspect(file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			s.gotos[b.Label.Name] = true
		}
		return true
	})
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			if fn.Body != nil && forbidden(fn) == "" {
				s.function(fn.Type, fn.Body)
			}
			continue
		}
		s.within(d)
	}
	return s.snaps
}

// function finds the snapshots of a function: of its statements, and where it ends without
// a return.
func (s *snapper) function(t *ast.FuncType, body *ast.BlockStmt) {
	loops := s.loops
	s.loops = nil
	s.list(body.List)
	s.loops = loops
	if t.Results == nil || t.Results.NumFields() == 0 {
		s.snaps = append(s.snaps, snap{key: body.Rbrace, at: []token.Pos{body.Rbrace}, vars: s.locals(body.Rbrace)})
	}
}

func (s *snapper) list(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		s.statement(stmt)
	}
}

// statement finds the snapshots of a statement in a list.
func (s *snapper) statement(stmt ast.Stmt) {
	if l, ok := stmt.(*ast.LabeledStmt); ok {
		at := l.Pos()
		if s.label != "" {
			at = s.labels
		}
		if s.gotos[l.Label.Name] {
			at = token.NoPos // a jump does not pass it
		}
		s.label, s.labels = l.Label.Name, at
		s.statement(l.Stmt)
		s.label = ""
		return
	}
	label, at := s.label, stmt.Pos()
	if label != "" {
		at = s.labels
	}
	s.label = ""
	if snapped(stmt) && at != token.NoPos {
		sn := snap{key: stmt.Pos(), at: []token.Pos{at}, vars: s.locals(stmt.Pos())}
		if asked(stmt) && at == stmt.Pos() && s.begins(at) {
			sn.stmt = stmt
		}
		s.snaps = append(s.snaps, sn)
	}
	switch n := stmt.(type) {
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE {
			for _, l := range slices.Backward(s.loops) {
				if n.Label == nil || l.label == n.Label.Name {
					l.from = append(l.from, n.Pos())
					break
				}
			}
		}
	case *ast.BlockStmt:
		s.list(n.List)
	case *ast.IfStmt:
		s.within(n.Init)
		s.within(n.Cond)
		s.list(n.Body.List)
		if n.Else != nil {
			s.otherwise(n.Else)
		}
	case *ast.SwitchStmt:
		s.within(n.Init)
		s.within(n.Tag)
		s.clauses(n.Body)
	case *ast.TypeSwitchStmt:
		s.within(n.Init)
		s.within(n.Assign)
		s.clauses(n.Body)
	case *ast.SelectStmt:
		s.clauses(n.Body)
	case *ast.ForStmt:
		s.within(n.Init)
		s.within(n.Cond)
		s.within(n.Post)
		switch {
		case n.Post != nil:
			s.loop(label, n.Body, n.Post.Pos(), token.NoPos)
		case n.Cond != nil && n.Init == nil && at != token.NoPos:
			s.loop(label, n.Body, n.Cond.Pos(), at)
		default:
			s.loop(label, n.Body, token.NoPos, token.NoPos)
		}
	case *ast.RangeStmt:
		s.within(n.X)
		if history.OverFunc(s.pkg.Info, n) || n.Tok == token.ASSIGN {
			s.loop(label, n.Body, token.NoPos, token.NoPos)
		} else {
			s.loop(label, n.Body, n.Body.Rbrace, token.NoPos)
		}
	default:
		s.within(stmt)
	}
}

// otherwise finds those of what comes after else, before which there is no place for one.
func (s *snapper) otherwise(stmt ast.Stmt) {
	at := len(s.snaps)
	s.statement(stmt)
	if _, ok := stmt.(*ast.IfStmt); ok {
		s.snaps = slices.Delete(s.snaps, at, at+1)
	}
}

// clauses finds those of a switch's or a select's clauses.
func (s *snapper) clauses(body *ast.BlockStmt) {
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				s.within(x)
			}
			s.list(c.Body)
		case *ast.CommClause:
			s.within(c.Comm)
			s.list(c.Body)
		}
	}
}

// loop finds those of a loop's body, and of what comes after each iteration, which is known
// by a position; nothing is taken there if that is none. Also is where it comes before the
// first one, too.
func (s *snapper) loop(label string, body *ast.BlockStmt, key, also token.Pos) {
	l := &looping{label: label, from: []token.Pos{body.Rbrace}}
	s.loops = append(s.loops, l)
	s.list(body.List)
	s.loops = s.loops[:len(s.loops)-1]
	if key == token.NoPos {
		return
	}
	if also != token.NoPos {
		l.from = append(l.from, also)
	}
	// What the iteration declares is not in scope there.
	vars := s.locals(key)
	if key == body.Rbrace {
		vars = s.locals(body.Lbrace)
	}
	for _, from := range l.from {
		vars = slices.DeleteFunc(vars, func(name string) bool {
			_, a := s.pkg.Scope(key).LookupParent(name, key)
			if key == body.Rbrace {
				_, a = s.pkg.Scope(body.Lbrace).LookupParent(name, body.Lbrace)
			}
			_, b := s.pkg.Scope(from).LookupParent(name, from)
			return a != b
		})
	}
	s.snaps = append(s.snaps, snap{key: key, at: l.from, vars: vars})
}

// within finds those of the function literals in a node.
func (s *snapper) within(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		s.lits = append(s.lits, lit)
		s.function(lit.Type, lit.Body)
		s.lits = s.lits[:len(s.lits)-1]
		return false
	})
}

// begins reports whether a position is the first on its line.
func (s *snapper) begins(pos token.Pos) bool {
	tok := s.pkg.Fset.File(pos)
	text, at := s.pkg.Texts[tok.Name()], tok.Offset(pos)
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	return len(bytes.TrimSpace(text[start:at])) == 0
}

func (s *snapper) locals(pos token.Pos) []string { return localsAt(s.pkg, pos, s.lits) }

// localsAt lists the local variables that a statement can see, each name once.
// Those from outside of a function literal count only if it uses them.
func localsAt(pkg *history.Package, pos token.Pos, lits []*ast.FuncLit) []string {
	var names []string
	innermost := pkg.Scope(pos)
	for scope := innermost; scope != nil && scope.Parent() != nil && scope.Parent() != types.Universe; scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || name == "_" || slices.Contains(names, name) {
				continue
			}
			// In scope is what is declared before; what is not may be an outer one.
			if _, obj := innermost.LookupParent(name, pos); obj != v {
				continue
			}
			if !used(pkg, v, lits) {
				continue
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// used reports whether each literal around that a variable is outside of uses it.
func used(pkg *history.Package, v *types.Var, lits []*ast.FuncLit) bool {
	for _, lit := range lits {
		if v.Pos() >= lit.Pos() {
			continue
		}
		found := false
		history.Compiled(pkg.Info, lit.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && pkg.Info.Uses[id] == v {
				found = true
			}
			return !found
		})
		if !found {
			return false
		}
	}
	return true
}
