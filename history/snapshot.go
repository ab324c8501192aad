package history

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"reflect"
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
	Ask func(pkg *Package, stmt ast.Stmt, vars []string) (exprs []string, sets []Assignment)
}

// An Assignment gives a variable a value.
type Assignment struct{ Name, Value string }

// A Watched is a statement that is watched.
type Watched struct {
	Path   string
	Offset int
	Exprs  []string
	Sets   []Assignment
	// First is the number of its first assignment.
	First int
}

// watch edits the statements of a file.
func (in *instrumenter) watch(f *ast.File) {
	snapFile(in.pkg, f, func(stmt ast.Stmt, vars []string) {
		w := Watched{Path: in.name, Offset: in.offset(stmt.Pos()), First: in.sets}
		text := fmt.Sprintf("%sMisstepSnap(%d", in.qualifier, len(in.watched))
		for _, v := range vars {
			text += ", " + strconv.Quote(v) + ", &" + v
		}
		if in.watches.Ask != nil {
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

// Snapshots are the values of the variables in scope at executions of statements:
// the truth about what a debugger shows there.
type Snapshots struct {
	at map[snapKey][]Snapshot
}

type snapKey struct {
	goroutine uint64
	path      string
	offset    int
}

// A Snapshot is the variables and the expressions at one execution of a statement.
type Snapshot struct {
	Vars  []Value `json:"vars"`
	Exprs []Value `json:"exprs"`
}

// A Value is a variable or a part of one. Children are elements, fields, or what a
// pointer points to, to a depth.
type Value struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // as reflect names it; panic of an expression without a value
	// Text is the value of a basic type as Go writes it, and of a pointer, a function
	// and the like nil or set.
	Text     string  `json:"text"`
	Len      int     `json:"len"`
	Children []Value `json:"children"`
}

// At is the nth execution of a statement by a goroutine; ok is false if there is no
// snapshot.
func (s *Snapshots) At(goroutine uint64, path string, offset, n int) (Snapshot, bool) {
	if s == nil {
		return Snapshot{}, false
	}
	list := s.at[snapKey{goroutine, path, offset}]
	if n < 0 || n >= len(list) {
		return Snapshot{}, false
	}
	return list[n], true
}

// Agree leaves out the variables that another run has otherwise, such as names of
// temporary files. What follows the random order of maps may well agree once. The
// other run has the goroutines under the numbers that the map gives; those that it
// has not are left out.
func (s *Snapshots) Agree(other *Snapshots, goroutines map[uint64]uint64) {
	for k, list := range s.at {
		g, known := goroutines[k.goroutine]
		for n := range list {
			again, ok := other.At(g, k.path, k.offset, n)
			both := func(mine, theirs []Value) []Value {
				return slices.DeleteFunc(mine, func(v Value) bool {
					return !ok || !known || !slices.ContainsFunc(theirs, func(w Value) bool { return reflect.DeepEqual(v, w) })
				})
			}
			list[n].Vars, list[n].Exprs = both(list[n].Vars, again.Vars), both(list[n].Exprs, again.Exprs)
		}
	}
}

// readSnapshots reads what a watched program writes, up to its end.
func readSnapshots(in io.Reader, watched []Watched) *Snapshots {
	s := &Snapshots{at: map[snapKey][]Snapshot{}}
	dec := json.NewDecoder(bufio.NewReader(in))
	for {
		var line struct {
			Goid    uint64
			Site, N int
			Snapshot
		}
		if err := dec.Decode(&line); err != nil {
			break // the end, or a line that the program's end has cut off
		}
		if line.Site < 0 || line.Site >= len(watched) {
			break
		}
		k := snapKey{line.Goid, watched[line.Site].Path, watched[line.Site].Offset}
		if len(s.at[k]) != line.N {
			break
		}
		s.at[k] = append(s.at[k], line.Snapshot)
	}
	io.Copy(io.Discard, in) // so that the program does not wait
	return s
}

// snapFile calls f for the statements of a file that take snapshots, with the local
// variables in scope there.
func snapFile(pkg *Package, file *ast.File, f func(ast.Stmt, []string)) {
	tok := pkg.Fset.File(file.FileStart)
	text := pkg.Texts[tok.Name()]
	var lits []*ast.FuncLit
	list := func(stmts []ast.Stmt) {
		for _, s := range stmts {
			switch s.(type) {
			case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.IfStmt:
			default:
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
func localsAt(pkg *Package, pos token.Pos, lits []*ast.FuncLit) []string {
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

// Scope is the innermost scope at a place.
func (pkg *Package) Scope(pos token.Pos) *types.Scope {
	for n, s := range pkg.Info.Scopes {
		if _, file := n.(*ast.File); file && n.Pos() <= pos && pos < n.End() {
			return s.Innermost(pos)
		}
	}
	return types.NewScope(nil, 0, 0, "")
}

// used tells whether each literal around that a variable is outside of uses it.
func used(pkg *Package, v *types.Var, lits []*ast.FuncLit) bool {
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
