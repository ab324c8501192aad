// Package localise ranks a debugger's functions by how likely they are to have the bug
// that a finding shows, from three kinds of evidence.
//
// Spectrum. Each run of the debugger, around the finding, leaves counts of what of it was
// executed. Runs that show the finding have failed, the others passed. A block of
// statements that e_f failed and e_p passed runs execute, and n_p passed runs do not, has
// the score of ER1b, as JEST takes it (Park et al., ICSE 2021, section III-E; Xie et al.,
// TOSEM 2013):
//
//	e_f - e_p / (e_p + n_p + 1)
//
// with e_f as a share of the failed runs, so that it is in the scale of the other two. A
// function has the highest score of its blocks. That is as good as the runs are: they
// should be alike but for what matters, as are the candidates of a reduction, and
// [Neighbours]. Without runs that passed it tells nothing but what is executed at all.
//
// Words. A function is likelier to be meant by what the finding says, the more its name
// and its text have words of it, the rarer ones above all: BM25, for names and texts by
// themselves (Saha et al., ASE 2013), of those that failed runs execute. What is executed
// and what is said are both weak where the other is strong: statements that every session
// executes have no contrast, and one that passes by what it should do does not execute
// it (Le, Oentaryo and Lo, ESEC/FSE 2015, who add the two as it is done here).
//
// Panics. Where the debugger panicked and the stack is there, the functions on it have
// 1, 1/2, 1/3, … from the innermost on: most bugs that crash are mended in one of the
// first ten (Schröter, Bettenburg and Premraj, MSR 2010).
//
// A function's score is the sum. Among equals, those come first of whose blocks the most
// are executed by failed runs alone, and then the smaller ones.
package localise

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"misstep/internal/executed"
)

// A Run is what one run of the debugger executed.
type Run struct {
	Failed   bool
	Profiles []*cover.Profile
}

// Clues are what is known of a finding besides the runs.
type Clues struct {
	// Words say in words what was done and what is wrong.
	Words string
	// Panicked are the functions that were active when the debugger panicked, innermost
	// first, each with its package's name.
	Panicked []string
}

// A Function is one of the debugger's, with its score, which is the sum of the three.
type Function struct {
	Name string // as in its source: Type.Method or function
	File string // below the source's folder
	Line int

	Score, Spectrum, Words, Panic float64
	// Alone is how many of its blocks failed runs execute and passed ones never do, of
	// so many that are executed at all.
	Alone, Executed int
}

// A candidate is a function with what it is judged by.
type candidate struct {
	Function
	pkg  string // its package's folder
	end  int    // its last line
	text string // its source, with the comment in front
}

// ErrNotShown says that no run shows the finding.
var ErrNotShown = errors.New("no run of the debugger with counters shows the finding")

// block is a range of a file.
type block struct {
	file                 string
	line, column, end, c int
}

// counts is in how many passed and failed runs something is executed.
type counts struct{ passed, failed int }

// Rank ranks the functions that failed runs execute, of the module whose source is in a
// folder.
func Rank(f Clues, runs []Run, module, source string) ([]Function, error) {
	var all counts
	blocks := map[block]counts{}
	for _, r := range runs {
		all.count(r.Failed)
		seen := map[block]bool{}
		for _, p := range r.Profiles {
			for _, b := range p.Blocks {
				key := block{p.FileName, b.StartLine, b.StartCol, b.EndLine, b.EndCol}
				if b.Count > 0 && !seen[key] {
					seen[key] = true
					n := blocks[key]
					n.count(r.Failed)
					blocks[key] = n
				}
			}
		}
	}
	if all.failed == 0 {
		return nil, ErrNotShown
	}
	list, err := spectrum(all, blocks, module, source)
	if err != nil {
		return nil, err
	}
	similar(list, f.Words)
	depth := 0
	for _, entry := range f.Panicked {
		i := slices.IndexFunc(list, func(c *candidate) bool { return c.is(entry) })
		if i >= 0 && list[i].Panic == 0 { // not one that calls itself, or a package of others
			depth++
			list[i].Panic = 1 / float64(depth)
		}
	}
	var ranked []Function
	for _, fn := range list {
		fn.Score = fn.Spectrum + fn.Words + fn.Panic
		ranked = append(ranked, fn.Function)
	}
	slices.SortFunc(ranked, func(a, b Function) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(b.Alone, a.Alone),
			cmp.Compare(a.Executed, b.Executed),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
		)
	})
	return ranked, nil
}

// is reports whether the function is the one of a stack's entry, or a literal of that is.
func (c *candidate) is(entry string) bool {
	rest, ok := strings.CutPrefix(entry, c.pkg+"."+c.Name)
	return ok && (rest == "" || strings.HasPrefix(rest, ".func"))
}

func (n *counts) count(failed bool) {
	if failed {
		n.failed++
	} else {
		n.passed++
	}
}

// spectrum are the functions that failed runs execute, with their scores by what is
// executed.
func spectrum(all counts, blocks map[block]counts, module, source string) ([]*candidate, error) {
	var list []*candidate
	files := map[string][]*candidate{}
	for b, n := range blocks {
		rel, ours := strings.CutPrefix(b.file, module+"/")
		if !ours || n.failed == 0 {
			continue
		}
		fns, ok := files[rel]
		if !ok {
			var err error
			if fns, err = functions(source, rel); err != nil {
				return nil, err
			}
			files[rel] = fns
		}
		i := slices.IndexFunc(fns, func(c *candidate) bool { return c.Line <= b.line && b.line <= c.end })
		if i < 0 {
			continue
		}
		fn := fns[i]
		er1b := ER1b(n.failed, all.failed, n.passed, all.passed)
		if fn.Executed == 0 {
			list = append(list, fn)
			fn.pkg = path.Base(path.Dir(b.file))
			fn.Spectrum = er1b
		}
		fn.Spectrum = max(fn.Spectrum, er1b)
		fn.Executed++
		if n.passed == 0 {
			fn.Alone++
		}
	}
	return list, nil
}

// ER1b is the score of what failed of allFailed runs and passed of allPassed have, with failed runs as a share: at most 1, and
// greater the likelier it is at fault (Xie, Chen, Kuo and Xu, TOSEM 2013).
func ER1b(failed, allFailed, passed, allPassed int) float64 {
	return float64(failed)/float64(allFailed) - float64(passed)/float64(allPassed+1)
}

// functions are those of a file.
func functions(source, name string) ([]*candidate, error) {
	decls, err := executed.Functions(source, name)
	var fns []*candidate
	for _, d := range decls {
		fns = append(fns, &candidate{Function: Function{Name: d.Name, File: name, Line: d.Line}, end: d.End, text: d.Text})
	}
	return fns, err
}
