package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A mutant is one small change of a package.
type mutant struct {
	id       int
	file     string // package and base name
	fn       string
	line     int
	operator string
	code     string // what is changed, on one line
}

// key names a mutant in a list that outlives changes of lines.
func (m *mutant) key() string {
	return fmt.Sprintf("%s %s | %s | %s", m.file, m.fn, m.operator, m.code)
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s: %s", m.file, m.line, m.fn, m.operator, m.code)
}

// runtime is put into each package that is changed: mutant reports whether the change of
// a number is the one that is on, and writes down which numbers were asked for.
const runtime = `package %s

import (
	mutantCmp "cmp"
	mutantOS "os"
	mutantConv "strconv"
	mutantSync "sync"
)

var (
	mutantOn, _ = mutantConv.Atoi(mutantOS.Getenv("MUTANT"))
	mutantSeen  = mutantOS.Getenv("MUTANTS_SEEN")
	mutantOnce  mutantSync.Map
)

func mutant(n int) bool {
	if mutantSeen != "" {
		if _, old := mutantOnce.LoadOrStore(n, true); !old {
			if f, err := mutantOS.OpenFile(mutantSeen, mutantOS.O_APPEND|mutantOS.O_WRONLY|mutantOS.O_CREATE, 0o666); err == nil {
				f.WriteString(mutantConv.Itoa(n) + "\n")
				f.Close()
			}
		}
	}
	return n == mutantOn
}

func mutantLess[T mutantCmp.Ordered](n int, a, b T) bool {
	if mutant(n) {
		return a <= b
	}
	return a < b
}

func mutantMost[T mutantCmp.Ordered](n int, a, b T) bool {
	if mutant(n) {
		return a < b
	}
	return a <= b
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantAdd[T mutantNumber](n int, a, b T) T {
	if mutant(n) {
		return a - b
	}
	return a + b
}

func mutantSub[T mutantNumber](n int, a, b T) T {
	if mutant(n) {
		return a + b
	}
	return a - b
}

var (
	_ = mutantLess[int]
	_ = mutantMost[int]
	_ = mutantAdd[int]
	_ = mutantSub[int]
)
`

// A mutator changes the files of a package so that all mutants are in them at once, each
// switched on by its number.
type mutator struct {
	pkg     *packages.Package
	name    string // the package's path within the module
	mutants []*mutant
	next    int

	text  []byte
	edits []insertion
	fn    string
	depth int
}

// An insertion is put at an offset, in the place of del bytes. Of those at the same offset
// the ends of what is inside come first, and the beginnings of what is outside.
type insertion struct {
	at, del int
	text    string
	end     bool
	depth   int
}

// overlay returns the changed files by path.
func (m *mutator) overlay() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, f := range m.pkg.Syntax {
		file := m.pkg.Fset.File(f.Pos())
		text, err := os.ReadFile(file.Name())
		if err != nil {
			return nil, err
		}
		m.text, m.edits = text, nil
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			m.fn = fn.Name.Name
			m.stmts(fn.Body)
		}
		if files[file.Name()], err = m.apply(); err != nil {
			return nil, fmt.Errorf("changing %s: %w", file.Name(), err)
		}
	}
	dir := filepath.Dir(m.pkg.GoFiles[0])
	files[filepath.Join(dir, "zz_mutants.go")] = fmt.Appendf(nil, runtime, m.pkg.Name)
	return files, nil
}

func (m *mutator) apply() ([]byte, error) {
	slices.SortStableFunc(m.edits, func(a, b insertion) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		if a.end != b.end {
			if a.end {
				return -1
			}
			return 1
		}
		if a.end {
			return cmp.Compare(b.depth, a.depth)
		}
		return cmp.Compare(a.depth, b.depth)
	})
	var out bytes.Buffer
	last := 0
	for _, e := range m.edits {
		out.Write(m.text[last:e.at])
		out.WriteString(e.text)
		last = e.at + e.del
	}
	out.Write(m.text[last:])
	return format.Source(out.Bytes())
}

func (m *mutator) offset(p token.Pos) int { return m.pkg.Fset.Position(p).Offset }

// around puts text before and after a node.
func (m *mutator) around(n ast.Node, before, after string) {
	m.edits = append(m.edits,
		insertion{at: m.offset(n.Pos()), text: before, depth: m.depth},
		insertion{at: m.offset(n.End()), text: after, end: true, depth: m.depth})
	m.depth++
}

// add makes a mutant of a node.
func (m *mutator) add(n ast.Node, operator string) int {
	m.next++
	p := m.pkg.Fset.Position(n.Pos())
	code := strings.Join(strings.Fields(string(m.text[m.offset(n.Pos()):m.offset(n.End())])), " ")
	if r := []rune(code); len(r) > 90 {
		code = string(r[:90]) + "…"
	}
	m.mutants = append(m.mutants, &mutant{
		id: m.next, file: path.Join(m.name, filepath.Base(p.Filename)), fn: m.fn, line: p.Line,
		operator: operator, code: code,
	})
	return m.next
}

// stmts goes through what a function does.
func (m *mutator) stmts(body *ast.BlockStmt) {
	list := func(all []ast.Stmt) {
		for _, s := range all {
			m.deletion(s)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		case *ast.IfStmt:
			if _, ok := ast.Unparen(n.Cond).(*ast.BinaryExpr); !ok {
				m.negate(n.Cond)
			}
		case *ast.BinaryExpr:
			m.binary(n)
		case *ast.GenDecl:
			return n.Tok == token.VAR
		}
		return true
	})
}

// deletion is a statement that is not executed.
func (m *mutator) deletion(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return
		}
		if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
			return
		}
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return
			}
		}
	case *ast.BranchStmt:
		if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
			return
		}
	case *ast.IncDecStmt:
	default:
		return
	}
	m.around(s, fmt.Sprintf("if !mutant(%d) { ", m.add(s, "statement deleted")), " }")
}

// negate is a condition of which the opposite is taken.
func (m *mutator) negate(x ast.Expr) {
	if m.typed(x) {
		m.around(x, "((", fmt.Sprintf(") != mutant(%d))", m.add(x, "condition negated")))
	}
}

// typed reports whether the type of an expression is the plain bool, and it no constant.
func (m *mutator) typed(x ast.Expr) bool {
	tv, ok := m.pkg.TypesInfo.Types[x]
	if !ok || tv.Value != nil {
		return false
	}
	b, ok := tv.Type.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

var operators = map[token.Token][3]string{
	token.LSS: {"mutantLess(", "boundary"},
	token.LEQ: {"mutantMost(", "boundary"},
	token.GTR: {"!mutantMost(", "boundary"},
	token.GEQ: {"!mutantLess(", "boundary"},
	token.ADD: {"mutantAdd(", "sign"},
	token.SUB: {"mutantSub(", "sign"},
}

func (m *mutator) binary(x *ast.BinaryExpr) {
	tv := m.pkg.TypesInfo.Types[x]
	if tv.Value != nil {
		return
	}
	switch x.Op {
	case token.LAND, token.LOR:
		if !m.typed(x.X) || !m.typed(x.Y) {
			return
		}
		n := m.add(x, "and ↔ or")
		// By De Morgan's laws the other operator is this one with all of it negated.
		m.around(x, "((", fmt.Sprintf(")) != mutant(%d))", n))
		m.edits = append(m.edits,
			insertion{at: m.offset(x.X.Pos()), text: "((", depth: m.depth},
			insertion{at: m.offset(x.X.End()), text: fmt.Sprintf(") != mutant(%d))", n), end: true, depth: m.depth},
			insertion{at: m.offset(x.Y.Pos()), text: "((", depth: m.depth},
			insertion{at: m.offset(x.Y.End()), text: fmt.Sprintf(") != mutant(%d)", n), end: true, depth: m.depth})
		m.depth++
		return
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		m.negate(x)
	}
	op, ok := operators[x.Op]
	if !ok {
		return
	}
	// The operands have the same type, but for a constant, which takes the other's.
	t := m.pkg.TypesInfo.Types[x.X].Type
	if m.pkg.TypesInfo.Types[x.X].Value != nil {
		t = m.pkg.TypesInfo.Types[x.Y].Type
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsFloat) == 0 {
		return
	}
	n := m.add(x, op[1])
	m.around(x, fmt.Sprintf("%s%d, ", op[0], n), ")")
	m.edits = append(m.edits, insertion{at: m.offset(x.OpPos), del: len(x.Op.String()), text: ","})
}
