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

// mend removes imports and variables that are used no more, and tells whether the
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

// check type-checks all packages, notes edits for what is left over, and tells whether
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
		if f == nil || !f.repair(err, e, done, named) {
			return false, untyped
		}
		mended = true
	}
	return mended, fine
}

// repair notes an edit for an import or a variable that is not used, and for what else
// is wrong once something is gone.
// named tells of a node whether the script names its line.
func (f *file) repair(err types.Error, e *srcedit.Edits, done map[ast.Node]bool, named func(*file, ast.Node) bool) bool {
	switch {
	case strings.Contains(err.Msg, "imported and not used"), strings.Contains(err.Msg, "imported as"):
		for _, d := range f.ast.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.IMPORT {
				continue
			}
			for _, spec := range gen.Specs {
				if spec.Pos() != err.Pos && !(spec.Pos() <= err.Pos && err.Pos < spec.End()) {
					continue
				}
				n := ast.Node(spec)
				if len(gen.Specs) == 1 {
					n = gen
				}
				if !done[n] {
					done[n] = true
					start, end := wholeLines(f.text, f.offset(n.Pos()), f.offset(n.End()))
					e.Replace(f.name, start, end)
				}
				return true
			}
		}
	case strings.HasPrefix(err.Msg, "no new variables"):
		return f.find(func(n ast.Node) bool {
			as, ok := n.(*ast.AssignStmt)
			if ok = ok && as.TokPos == err.Pos; ok {
				e.Replace(f.name, f.offset(as.TokPos), f.offset(as.TokPos)+len(":="), srcedit.Text("="))
			}
			return ok
		})
	case err.Msg == "missing return":
		return f.find(func(n ast.Node) bool {
			var body *ast.BlockStmt
			var results *ast.FieldList
			switch n := n.(type) {
			case *ast.FuncDecl:
				body, results = n.Body, n.Type.Results
			case *ast.FuncLit:
				body, results = n.Body, n.Type.Results
			}
			if body == nil || results == nil || body.Rbrace != err.Pos {
				return false
			}
			last := "\tpanic(0)\n"
			if len(results.List[0].Names) > 0 {
				last = "\treturn\n"
			}
			e.Insert(f.name, f.offset(body.Rbrace), last)
			return true
		})
	case strings.HasSuffix(err.Msg, " is not used"):
		found := false
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if x, ok := n.(*ast.ExprStmt); ok && x.Pos() <= err.Pos && err.Pos < x.End() && !done[x] {
				_, value := x.X.(*ast.CallExpr)
				done[x], found = true, true
				if value && named(f, x) {
					e.Insert(f.name, f.offset(x.Pos()), "_ = ")
					return false
				}
				start, end := wholeLines(f.text, f.offset(x.Pos()), f.offset(x.End()))
				e.Replace(f.name, start, end)
				return false
			}
			return true
		})
		return found
	case strings.HasPrefix(err.Msg, "declared and not used"):
		found := false
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if found || n == nil || n.End() <= err.Pos || n.Pos() > err.Pos {
				return !found
			}
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					if x.Pos() != err.Pos {
						continue
					}
					found = true
					if done[n] {
						return false
					}
					others := false
					for _, y := range n.Lhs {
						id, ok := y.(*ast.Ident)
						others = others || y != x && (!ok || id.Name != "_")
					}
					if others {
						e.Replace(f.name, f.offset(x.Pos()), f.offset(x.End()), srcedit.Text("_"))
						return false
					}
					done[n] = true
					_, call := n.Rhs[0].(*ast.CallExpr)
					switch {
					case call && len(n.Rhs) == 1:
						// What it does is not what it gives.
						e.Replace(f.name, f.offset(n.Pos()), f.offset(n.Rhs[0].Pos()))
						return false
					case named(f, n) && n.Tok == token.DEFINE:
						blanks := strings.Repeat("_, ", len(n.Lhs)-1) + "_ = "
						e.Replace(f.name, f.offset(n.Pos()), f.offset(n.Rhs[0].Pos()), srcedit.Text(blanks))
						return false
					}
					start, end := wholeLines(f.text, f.offset(n.Pos()), f.offset(n.End()))
					e.Replace(f.name, start, end)
				}
			case *ast.DeclStmt:
				gen := n.Decl.(*ast.GenDecl)
				if len(gen.Specs) == 1 && gen.Tok == token.VAR && len(gen.Specs[0].(*ast.ValueSpec).Names) == 1 {
					found = true
					if !done[n] {
						done[n] = true
						start, end := wholeLines(f.text, f.offset(n.Pos()), f.offset(n.End()))
						e.Replace(f.name, start, end)
					}
				}
			case *ast.RangeStmt:
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if x != nil && x.Pos() == err.Pos {
						found = true
						if x == n.Value {
							e.Replace(f.name, f.offset(n.Key.End()), f.offset(x.End()))
						} else if n.Value == nil {
							e.Replace(f.name, f.offset(x.Pos()), f.offset(n.Range))
						} else {
							e.Replace(f.name, f.offset(x.Pos()), f.offset(x.End()), srcedit.Text("_"))
						}
						return false
					}
				}
			}
			return !found
		})
		return found
	}
	return false
}

// find tells whether a node is one that is looked for, which it stops at.
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
