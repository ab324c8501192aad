package reduce

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"misstep/internal/srcedit"
)

// standard imports packages of the standard library, which are checked from their
// source, once for all reductions.
var standard = struct {
	sync.Mutex
	types.Importer
}{Importer: importer.ForCompiler(token.NewFileSet(), "source", nil)}

// rounds bounds how often what is left over leaves something over itself.
const rounds = 6

// mend removes imports and variables that are used no more, and reports whether the
// result is a program.
func mend(s *candidate) (*candidate, refusal) {
	for range rounds {
		e := srcedit.New(s.files)
		mended, verdict := check(s, e)
		if verdict != fine {
			return nil, verdict
		}
		if !mended {
			return s, fine
		}
		next, err := s.edit(e)
		if err != nil {
			return nil, unparsed
		}
		s = next
	}
	return nil, untyped
}

// check type-checks all packages, notes edits for what is left over, and reports whether
// there are any.
func check(s *candidate, e *srcedit.Edits) (mended bool, verdict refusal) {
	standard.Lock()
	defer standard.Unlock()
	fset := token.NewFileSet()
	packages := map[string][]*ast.File{}
	byName := map[string]*file{}
	for _, name := range s.GoFiles() {
		tree, err := parser.ParseFile(fset, name, s.files[name], parser.SkipObjectResolution)
		if err != nil {
			return false, unparsed
		}
		dir := path.Dir(name)
		packages[dir] = append(packages[dir], tree)
		byName[name] = &file{name: name, text: s.files[name], tok: fset.File(tree.FileStart), ast: tree}
	}
	im := &imports{module: modfile.ModulePath(s.files["go.mod"]), fset: fset, packages: packages, done: map[string]*types.Package{}}
	places := s.Places()
	named := func(f *file, n ast.Node) bool { return places[fmt.Sprintf("%s:%d", f.name, f.tok.Line(n.Pos()))] }
	done := map[ast.Node]bool{}
	gone := map[string][][2]int{}
	for dir := range packages {
		im.check(dir)
	}
	if im.foreign {
		return false, fine // the compiler will tell
	}
	for _, err := range im.errs {
		if f := byName[fset.Position(err.Pos).Filename]; f != nil && f.removeLost(err, e, gone) {
			mended = true
		}
	}
	if mended {
		return true, fine // what else is wrong may go with it
	}
	for _, err := range im.errs {
		f := byName[fset.Position(err.Pos).Filename]
		if f == nil || !(&mending{f, e, done, named}).repair(err) {
			return false, untyped
		}
		mended = true
	}
	return mended, fine
}

// find reports whether a node is one that is looked for, which it stops at.
func (f *file) find(is func(n ast.Node) bool) (found bool) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

// removeLost notes an edit for what names something that is gone: the element, statement,
// field or declaration.
func (f *file) removeLost(err types.Error, e *srcedit.Edits, gone map[string][][2]int) bool {
	if !strings.HasPrefix(err.Msg, "undefined: ") && !strings.Contains(err.Msg, " undefined (type ") && !strings.HasPrefix(err.Msg, "unknown field ") {
		return false
	}
	// The innermost that can go is the last that is found.
	from, to := token.NoPos, token.NoPos
	try := func(n ast.Node) {
		if n.Pos() <= err.Pos && err.Pos < n.End() {
			from, to = n.Pos(), n.End()
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			for _, d := range n.Decls {
				try(d)
			}
		case *ast.GenDecl:
			if len(n.Specs) > 1 {
				for _, s := range n.Specs {
					try(s)
				}
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				try(s)
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				try(s)
			}
		case *ast.CommClause:
			for _, s := range n.Body {
				try(s)
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				try(field)
			}
		case *ast.CompositeLit:
			for _, x := range n.Elts {
				if _, ok := x.(*ast.KeyValueExpr); ok {
					try(x)
				}
			}
		}
		return true
	})
	if from == token.NoPos {
		return false
	}
	start, end := wholeLines(f.text, f.offset(from), f.offset(to))
	for _, r := range gone[f.name] {
		if start < r[1] && r[0] < end {
			return true // goes with it, or comes next time
		}
	}
	gone[f.name] = append(gone[f.name], [2]int{start, end})
	e.Replace(f.name, start, end)
	return true
}

// imports type-checks a script's packages, and those that they import.
type imports struct {
	module   string
	fset     *token.FileSet
	packages map[string][]*ast.File
	done     map[string]*types.Package
	errs     []types.Error
	foreign  bool // a package is neither here nor in the standard library
}

// Import implements types.Importer.
func (im *imports) Import(name string) (*types.Package, error) {
	if im.module != "" && (name == im.module || strings.HasPrefix(name, im.module+"/")) {
		dir := strings.TrimPrefix(strings.TrimPrefix(name, im.module), "/")
		if dir == "" {
			dir = "."
		}
		return im.check(dir), nil
	}
	p, err := standard.Import(name)
	if err != nil && strings.Contains(strings.SplitN(name, "/", 2)[0], ".") {
		im.foreign = true
	}
	return p, err
}

func (im *imports) check(dir string) *types.Package {
	if p, ok := im.done[dir]; ok {
		return p
	}
	name := im.module
	if dir != "." {
		name = path.Join(im.module, dir)
	}
	files := im.packages[dir]
	cfg := &types.Config{Importer: im, Error: func(err error) {
		if t, ok := err.(types.Error); ok {
			im.errs = append(im.errs, t)
		}
	}}
	if len(files) > 0 && strings.HasSuffix(im.fset.Position(files[0].Package).Filename, "_test.go") {
		im.foreign = true // tests are two packages in one folder
	}
	p, _ := cfg.Check(name, im.fset, files, nil)
	im.done[dir] = p
	for _, f := range files {
		if dir == "." && f.Name.Name == "main" && p.Scope().Lookup("main") == nil {
			im.errs = append(im.errs, types.Error{Fset: im.fset, Pos: f.Package, Msg: "main has no main function"})
			break
		}
	}
	return p
}
