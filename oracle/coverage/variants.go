package coverage

import (
	"bytes"
	"fmt"
	"go/build"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// A Variant is a way to write a program differently that is the same to the language: what it executes, and how often,
// stays.
type Variant struct {
	Name string
	Doc  string
	// Chooses says that it depends on a seed.
	Chooses bool
	// Idle says that no test runs, so that there is no profile.
	Idle bool

	apply applier
}

// An applier writes a subject's files as a variant; it gives nil if they cannot be.
type applier = func(*profiler.Subject, *rand.Rand) ([]gobuild.File, error)

// Variants are all, by family: how the text is laid out, which names are declared, what else is declared, how programs and tests end, what
// there is beside the program, and what else is transformed.
func Variants() []Variant {
	return slices.Concat(layouts, names, declarations, endings, tests, mistaken, neighbours, transformations())
}

// Marker marks the lines of statements that a variant adds, which are not compared.
const marker = "/*misstep*/"

// apply is a subject as a variant of it.
func apply(s *profiler.Subject, name string, seed uint64) (*profiler.Subject, error) {
	all := Variants()
	i := slices.IndexFunc(all, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no variant %q of programs; misstep help cover lists them", name)
	}
	files, err := all[i].apply(s, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		return nil, err
	}
	if files == nil {
		return nil, &profiler.Impossible{Reason: "the program cannot be written as " + name}
	}
	return s.With(files), nil
}

// own are the indices of the Go files of the subject's package that are covered: what is built on this system.
func own(s *profiler.Subject) []int {
	c := build.Default
	c.OpenFile = func(name string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.File(name))), nil }
	c.JoinPath = path.Join
	var all []int
	for i, f := range s.Files {
		if !strings.HasSuffix(f.Name, ".go") || strings.HasSuffix(f.Name, "_test.go") || path.Dir(f.Name) != path.Clean(s.Package) {
			continue
		}
		if fits, err := c.MatchFile(path.Dir(f.Name), path.Base(f.Name)); err == nil && fits {
			all = append(all, i)
		}
	}
	return all
}

// eachFile changes each covered file of the package; what cannot be changed stays. It gives nil if nothing can be.
func eachFile(change func(text []byte, r *rand.Rand) []byte) applier {
	return func(s *profiler.Subject, r *rand.Rand) ([]gobuild.File, error) {
		files, changed := slices.Clone(s.Files), false
		for _, i := range own(s) {
			if text := change(files[i].Data, r); text != nil {
				files[i].Data, changed = text, true
			}
		}
		if !changed {
			return nil, nil
		}
		return files, nil
	}
}
