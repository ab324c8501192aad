package history

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/srcedit"
)

//go:embed snap/snap.go
var snapText string

// Snapshots are the values of the variables in scope at executions of statements:
// the truth about what a debugger shows there. A deterministic program is run for
// them, with the statements that are alone at the beginning of a line in a
// list handing over their variables.
type Snapshots struct {
	// at are the snapshots by statement: file and offset.
	at map[snapKey][]Snapshot
}

type snapKey struct {
	path   string
	offset int
}

// A Snapshot is the variables at one execution of a statement.
type Snapshot struct {
	Vars []Value `json:"vars"`
}

// A Value is a variable or a part of one. Children are elements, fields, or what a
// pointer points to, to a depth.
type Value struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // as reflect names it
	// Text is the value of a basic type as Go writes it, and of a pointer, a function
	// and the like nil or set.
	Text     string  `json:"text"`
	Len      int     `json:"len"`
	Children []Value `json:"children"`
}

// At is the nth execution of a statement; ok is false if there is no snapshot.
func (s *Snapshots) At(path string, offset, n int) (Snapshot, bool) {
	if s == nil {
		return Snapshot{}, false
	}
	list := s.at[snapKey{path, offset}]
	if n < 0 || n >= len(list) {
		return Snapshot{}, false
	}
	return list[n], true
}

// Snapshots runs a program three times and takes the snapshots that agree. The
// packages are those of a recording of the same program.
func (r *Recorder) Snapshots(ctx context.Context, rec *Recording, e gobuild.Engine, env []string, dir string) (*Snapshots, error) {
	p := rec.Build.Program
	q := *p
	q.Overlay = maps.Clone(p.Overlay)
	if q.Overlay == nil {
		q.Overlay = map[string][]byte{}
	}
	const name = own + "snap"
	var sites []snapKey
	module, _, root := p.Module()
	importPath := "archive"
	if module != "" && len(p.Target) > 0 && !filepath.IsAbs(p.Target[0]) {
		importPath = path.Join(module, name)
		q.Overlay[filepath.Join(root, name, name+".go")] = []byte(strings.Replace(snapText, "package snap\n", "package "+name+"\n", 1))
	} else {
		goroot, modcache, err := r.folders(ctx, e)
		if err != nil {
			return nil, err
		}
		if within(goroot, modcache) {
			return nil, nil // nothing can be put into such a toolchain
		}
		q.Overlay[filepath.Join(goroot, "src", "archive", name+".go")] = []byte(strings.Replace(snapText, "package snap\n", "package "+name+"\n", 1))
	}
	for _, pkg := range rec.Packages {
		edits := srcedit.New(pkg.Texts)
		changed := map[string]bool{}
		for _, f := range pkg.Files {
			tok := pkg.Fset.File(f.FileStart)
			n := len(sites)
			snapFile(pkg, f, func(stmt ast.Stmt, vars []string) {
				text := fmt.Sprintf("%s.MisstepSnap(%d", name, len(sites))
				for _, v := range vars {
					text += ", " + strconv.Quote(v) + ", &" + v
				}
				edits.Insert(tok.Name(), tok.Offset(stmt.Pos()), text+"); ")
				sites = append(sites, snapKey{tok.Name(), tok.Offset(stmt.Pos())})
			})
			if len(sites) > n {
				changed[tok.Name()] = true
				edits.Insert(tok.Name(), tok.Offset(f.Name.End()), fmt.Sprintf("; import %s %q", name, importPath))
			}
		}
		texts, _, err := edits.Apply()
		if err != nil {
			return nil, fmt.Errorf("putting snapshots into %s: %w", pkg.Path, err)
		}
		maps.Copy(q.Overlay, texts)
	}
	build, err := r.Cache.Build(ctx, &q, e, dir)
	if err != nil {
		return nil, err
	}
	first, err := r.snapshotsOf(ctx, build, p, env, sites)
	if err != nil {
		return nil, err
	}
	// What follows the random order of maps may well agree once.
	for range 2 {
		again, err := r.snapshotsOf(ctx, build, p, env, sites)
		if err != nil {
			return nil, err
		}
		first.agree(again)
	}
	return first, nil
}

// agree leaves out the variables that another run has otherwise, such as names of
// temporary files.
func (s *Snapshots) agree(other *Snapshots) {
	for k, list := range s.at {
		for n := range list {
			again, ok := other.At(k.path, k.offset, n)
			list[n].Vars = slices.DeleteFunc(list[n].Vars, func(v Value) bool {
				return !ok || !slices.ContainsFunc(again.Vars, func(w Value) bool { return reflect.DeepEqual(v, w) })
			})
		}
	}
}

// snapshotsOf runs a program with snapshots once.
func (r *Recorder) snapshotsOf(ctx context.Context, build *gobuild.Build, p *gobuild.Program, env []string, sites []snapKey) (*Snapshots, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	defer in.Close()
	process, err := r.Keeper.Start(ctx, proc.Spec{
		Path: build.Binary, Args: p.RunArgs, Dir: p.RunDir(), Env: env, Files: []*os.File{out},
		Stdout: io.Discard, Stderr: io.Discard,
	})
	out.Close()
	if err != nil {
		return nil, err
	}
	defer process.End(0)
	s := &Snapshots{at: map[snapKey][]Snapshot{}}
	dec := json.NewDecoder(bufio.NewReader(in))
	for {
		var line struct {
			Site, N int
			Snapshot
		}
		if err := dec.Decode(&line); err != nil {
			break // the end, or a line that the program's end has cut off
		}
		if line.Site < 0 || line.Site >= len(sites) {
			break
		}
		k := sites[line.Site]
		if len(s.at[k]) != line.N {
			break
		}
		s.at[k] = append(s.at[k], line.Snapshot)
	}
	return s, ctx.Err()
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
	innermost := pkg.innermost(pos)
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

func (pkg *Package) innermost(pos token.Pos) *types.Scope {
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
