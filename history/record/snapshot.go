package record

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"misstep/history"
	"slices"
	"strconv"
	"strings"
)

//go:embed rt/snap.go
var snapText string

// A Watch says what a program is made to do beside recording its control flow, at
// the statements that are alone at the beginning of a line in a list: hand over its
// variables in scope, evaluate expressions, make an assignment. All variables of a
// watched program may move to the heap.
type Watch struct {
	// Ask gives the expressions to evaluate and the assignments that may be made
	// before a statement, with the local variables that it can see. It may be nil.
	Ask func(pkg *history.Package, stmt ast.Stmt, vars []string) (exprs []string, sets []history.Assignment)
}

// watch edits the statements of a file.
func (in *instrumenter) watch(f *ast.File) {
	snapFile(in.pkg, f, func(stmt ast.Stmt, vars []string) {
		w := history.Watched{Path: in.name, Offset: in.offset(stmt.Pos()), First: in.sets}
		text := fmt.Sprintf("%sMisstepSnap(%d", in.qualifier, len(in.watched))
		for _, v := range vars {
			text += ", " + strconv.Quote(v) + ", &" + v
		}
		if in.watches.Ask != nil && asked(stmt) {
			w.Exprs, w.Sets = in.watches.Ask(in.pkg, stmt, vars)
		}
		for _, x := range w.Exprs {
			// Debuggers may want calls to be announced.
			text += fmt.Sprintf(", %q, func() any { misstepx := (%s); return &misstepx }", x, strings.TrimPrefix(x, "call "))
		}
		text += "); "
		for _, s := range w.Sets {
			text += fmt.Sprintf("if %sMisstepSet(%d) { %s = %s }; ", in.qualifier, in.sets, s.Name, s.Value)
			in.sets++
		}
		in.insert(stmt.Pos(), text)
		in.watched = append(in.watched, w)
	})
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

// snapFile calls f for the statements of a file that take snapshots, with the local
// variables in scope there.
func snapFile(pkg *history.Package, file *ast.File, f func(ast.Stmt, []string)) {
	tok := pkg.Fset.File(file.FileStart)
	text := pkg.Texts[tok.Name()]
	var lits []*ast.FuncLit
	list := func(stmts []ast.Stmt) {
		for _, s := range stmts {
			if !snapped(s) {
				continue
			}
			at := tok.Offset(s.Pos())
			start := at
			for start > 0 && text[start-1] != '\n' {
				start--
			}
			if strings.TrimSpace(string(text[start:at])) != "" {
				continue
			}
			f(s, localsAt(pkg, s.Pos(), lits))
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body == nil || forbidden(n) != "" {
				return false
			}
		case *ast.FuncLit:
			lits = append(lits, n)
			ast.Inspect(n.Body, visit)
			lits = lits[:len(lits)-1]
			return false
		case *ast.BlockStmt:
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		}
		return true
	}
	for _, d := range file.Decls {
		ast.Inspect(d, visit)
	}
}

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
		ast.Inspect(lit.Body, func(n ast.Node) bool {
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
