package synth

import (
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Program is one that was synthesised.
type Program struct {
	Text string
	// For is the alternative that it was made for, and Has are all that its derivation took.
	For Alternative
	Has map[Alternative]bool
	// Declares says that its fragment declares something of the package, which the end of main uses.
	Declares bool
}

// A Synthesizer makes programs.
type Synthesizer struct {
	Grammar *Grammar
	// Panicked, if not nil, is told of texts that go/types panics at, which it must at none.
	Panicked func(text string, reason any)
	checker  *checker
}

// New is a synthesizer of Go programs.
func New() (*Synthesizer, error) {
	g, err := Go()
	if err != nil {
		return nil, err
	}
	return &Synthesizer{Grammar: g, checker: &checker{imports: importer.ForCompiler(token.NewFileSet(), "source", nil)}}, nil
}

// starts are the productions that a fragment of a program may be of.
var starts = []string{"Statement", "Expression", "TopLevelDecl", "ImportDecl"}

// Program makes a program that has an alternative, in some tries; it is not ok if none of them gives one that type-checks.
func (s *Synthesizer) Program(r *rand.Rand, want Alternative, tries int) (*Program, bool) {
	for range tries {
		if p, ok := s.try(r, want); ok {
			return p, true
		}
	}
	return nil, false
}

// try makes one attempt.
func (s *Synthesizer) try(r *rand.Rand, want Alternative) (*Program, bool) {
	s.checker.panicked = s.Panicked
	far := s.Grammar.distances(want.Production)
	near := slices.MinFunc(starts, func(a, b string) int { return far[a] - far[b] })
	start := near
	if r.IntN(2) == 0 { // it may make sense only elsewhere
		start = starts[r.IntN(len(starts)-1)]
	}
	ids := &identifiers{r: r, mostly: map[string][]string{}}
	fragment, used, ok := s.Grammar.derive(r, start, want, ids.leaf)
	if !ok {
		return nil, false
	}
	fragment = strings.TrimSpace(fragment)
	place := places[r.IntN(len(places))]
	ways := []string{""}
	if start != "Statement" && start != "Expression" {
		place = places[r.IntN(2)]
		if ways = calls(fragment); len(ways) == 0 {
			ways = []string{""}
		}
	}
	for _, call := range ways {
		chunks, groups := program(fragment, start, place, call)
		text, err := s.checker.mend(join(chunks, nil))
		if err != nil {
			continue
		}
		if text, err = s.prune(chunks, groups, text); err != nil {
			continue
		}
		s.whole(text, used)
		return &Program{text, want, used, start == "TopLevelDecl" || start == "ImportDecl"}, true
	}
	return nil, false
}

// whole notes which alternatives a file as a whole has, beside its fragment.
func (s *Synthesizer) whole(text string, used map[Alternative]bool) {
	file := s.checker.check(text).file
	if file == nil {
		return
	}
	imports, others := 0, 0
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			imports++
		} else {
			others++
		}
	}
	const several = 2
	used[Alternative{Production: "SourceFile"}] = true
	used[Alternative{Production: "PackageClause"}] = true
	used[Alternative{"SourceFile", 1, min(imports, several)}] = true
	used[Alternative{"SourceFile", 2, min(others, several)}] = true
}

// prune leaves out what of the context nothing uses.
func (s *Synthesizer) prune(chunks []chunk, groups int, whole string) (string, error) {
	without := map[int]bool{}
	text := whole
	for g := groups; g > 0; g-- {
		without[g] = true
		mended, err := s.checker.mend(join(chunks, without))
		if err != nil {
			delete(without, g)
			continue
		}
		text = mended
	}
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return "", fmt.Errorf("formatting: %w", err)
	}
	return string(formatted), nil
}

// A Result is a program for each of the alternatives that one was found for.
type Result struct {
	Programs []*Program
	Left     map[Alternative]string // the others, with the reason
}

// tries are how often a program is tried for an alternative, first of all of them and then of those that are left.
var tries = []int{3000, 20000}

// Sample are n of the alternatives, by seed.
func (s *Synthesizer) Sample(seed uint64, n int) []Alternative {
	all := s.Grammar.Alternatives()
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// Programs makes programs until all alternatives that are wanted are had, or no try gives one more. Fits reports whether
// a program runs and ends. It ends early with its context.
func (s *Synthesizer) Programs(ctx context.Context, seed uint64, wanted []Alternative, fits func(*Program) bool) *Result {
	res := &Result{Left: map[Alternative]string{}}
	has := map[Alternative]bool{}
	for pass, most := range tries {
		for i, want := range wanted {
			why := impossible[want]
			if ctx.Err() != nil {
				return res
			}
			if !has[want] && why == "" {
				r := rand.New(rand.NewPCG(seed, uint64(pass)<<32|uint64(i)))
				p := s.fitting(ctx, r, want, most, fits, &why)
				if p != nil {
					res.Programs = append(res.Programs, p)
					maps.Copy(has, p.Has)
				}
			}
			if why != "" {
				res.Left[want] = why
			}
		}
	}
	for a := range res.Left {
		if has[a] {
			delete(res.Left, a)
		}
	}
	return res
}

// runs is how often a program is built and run for an alternative.
const runs = 10

// fitting is a program that has an alternative, and runs and ends; if there is none, why.
func (s *Synthesizer) fitting(ctx context.Context, r *rand.Rand, want Alternative, most int, fits func(*Program) bool, why *string) *Program {
	*why = "no program type-checks"
	for range runs {
		p, ok := s.Program(r, want, most)
		if !ok || ctx.Err() != nil {
			return nil
		}
		if fits(p) {
			*why = ""
			return p
		}
		*why = "no program runs and ends"
	}
	return nil
}
