// Package localise ranks a debugger's functions by how likely they are to have the bug
// that a finding shows: spectrum-based fault localisation.
//
// Each run of the debugger, around the finding, leaves counts of what of it was
// executed: a spectrum. Runs that show the finding have failed, the others passed. A
// block of statements that e_f failed and e_p passed runs execute, and n_p passed runs
// do not, has the score of ER1b, as JEST takes it (Park et al., ICSE 2021, section
// III-E; Xie et al., TOSEM 2013):
//
//	e_f - e_p / (e_p + n_p + 1)
//
// A function has the highest score of its blocks. Among equals, those come first of
// whose blocks the most are executed by failed runs alone.
//
// The ranking is as good as the runs: they should be alike but for what matters, which
// the candidates of a reduction are. Without runs that passed, all that failed runs
// execute is equal, which [Rank] reports as an error.
package localise

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

// A Run is what one run of the debugger executed.
type Run struct {
	Failed   bool
	Profiles []*cover.Profile
}

// A Function is one of the debugger's, with its score.
type Function struct {
	Name  string // as in its source: Type.Method or function
	File  string // below the source's folder
	Line  int
	Score float64
	// Alone is how many of its blocks failed runs execute and passed ones never do, of
	// so many that are executed at all.
	Alone, Executed int
}

// ErrNoContrast says that the runs do not tell anything apart.
var ErrNoContrast = errors.New("there are not both runs that show the finding and runs that do not")

// block is a range of a file.
type block struct {
	file                 string
	line, column, end, c int
}

// Rank ranks the functions of the module whose source is in a folder.
func Rank(runs []Run, module, source string) ([]Function, error) {
	failed, passed := 0, 0
	executedBy := map[block][2]int{}
	for _, r := range runs {
		at := 0
		if r.Failed {
			failed++
			at = 1
		} else {
			passed++
		}
		seen := map[block]bool{}
		for _, p := range r.Profiles {
			for _, b := range p.Blocks {
				key := block{p.FileName, b.StartLine, b.StartCol, b.EndLine, b.EndCol}
				if b.Count > 0 && !seen[key] {
					seen[key] = true
					n := executedBy[key]
					n[at]++
					executedBy[key] = n
				}
			}
		}
	}
	if failed == 0 || passed == 0 {
		return nil, fmt.Errorf("%w: %d and %d", ErrNoContrast, failed, passed)
	}
	byFunc := map[string]*Function{}
	files := map[string]*fileFuncs{}
	for b, n := range executedBy {
		rel, ours := strings.CutPrefix(b.file, module+"/")
		if !ours {
			continue
		}
		f := files[rel]
		if f == nil {
			var err error
			if f, err = functions(filepath.Join(source, filepath.FromSlash(rel))); err != nil {
				return nil, err
			}
			files[rel] = f
		}
		name, line := f.at(b.line)
		if name == "" {
			continue
		}
		key := rel + " " + name
		fn := byFunc[key]
		if fn == nil {
			fn = &Function{Name: name, File: rel, Line: line, Score: -1}
			byFunc[key] = fn
		}
		ep, ef := n[0], n[1]
		fn.Executed++
		fn.Score = max(fn.Score, float64(ef)-float64(ep)/float64(passed+1))
		if ef > 0 && ep == 0 {
			fn.Alone++
		}
	}
	var list []Function
	for _, fn := range byFunc {
		list = append(list, *fn)
	}
	slices.SortFunc(list, func(a, b Function) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(b.Alone, a.Alone),
			cmp.Compare(a.Executed, b.Executed),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
		)
	})
	return list, nil
}

// fileFuncs are the functions of a file by their lines.
type fileFuncs struct{ funcs []span }

type span struct {
	name       string
	start, end int
}

func functions(path string) (*fileFuncs, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the debugger's source: %w", err)
	}
	f := &fileFuncs{}
	for _, d := range tree.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			f.funcs = append(f.funcs, span{nameOf(fd), fset.Position(fd.Pos()).Line, fset.Position(fd.End()).Line})
		}
	}
	return f, nil
}

func nameOf(fd *ast.FuncDecl) string {
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		return fd.Name.Name
	}
	t := fd.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fd.Name.Name
	}
	return fd.Name.Name
}

// at is the function around a line.
func (f *fileFuncs) at(line int) (string, int) {
	for _, s := range f.funcs {
		if s.start <= line && line <= s.end {
			return s.name, s.start
		}
	}
	return "", 0
}
