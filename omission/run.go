package omission

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
)

// A Run is what a query is about: a history with objects, and the program that it is of.
type Run struct {
	Recording *history.Recording
	Reader    *history.Reader
	file      *os.File
	// Output is what a test printed, which says what failed.
	Output []byte
}

// Close closes the history's file.
func (r *Run) Close() error { return r.file.Close() }

// Imports are the packages of other modules that the recorded ones import, but for those that
// only make assertions.
func (r *Run) Imports() []string {
	var list []string
	own := map[string]bool{}
	for _, pkg := range r.Recording.Packages {
		own[pkg.Path] = true
	}
	for _, pkg := range r.Recording.Packages {
		for _, p := range pkg.Types.Imports() {
			first, _, _ := strings.Cut(p.Path(), "/")
			if strings.Contains(first, ".") && !own[p.Path()] && !strings.HasPrefix(p.Path(), "github.com/stretchr/testify") {
				list = append(list, p.Path())
			}
		}
	}
	return list
}

// OfHistory is the run of a history's file. The program is loaded again, with dir for what
// that needs.
func OfHistory(ctx context.Context, path string, e gobuild.Engine, dir string) (*Run, error) {
	r, file, err := history.Open(path)
	if err != nil {
		return nil, err
	}
	run := &Run{Reader: r, file: file}
	if err = r.Whole(path); err == nil {
		run.Recording, err = record.Reload(ctx, r.Plan, e, dir)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return run, nil
}

// checkPlace is an error if the object is a place that a file of the program does not have:
// that need not be recorded to be known. Files of dependencies are not looked at.
func (q *Query) checkPlace(p *gobuild.Program) error {
	m := placeName.FindStringSubmatch(q.Object)
	if m == nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(p.Dir, m[1]))
	if err != nil {
		return nil // it may be named by its package
	}
	line, err := strconv.Atoi(m[2])
	if lines := bytes.Count(text, []byte("\n")) + 1; err != nil || line < 1 || line > lines {
		return &OptionError{"object", &UnknownError{q.Object, fmt.Sprintf("%s has %d lines", m[1], lines)}}
	}
	return nil
}

// OfProgram records a run of a program into dir, with these packages of dependencies. The
// program gets the input that runs with inverted branches will get, if there is one, and
// that of the options otherwise.
func (q *Query) OfProgram(ctx context.Context, p *gobuild.Program, deps []string, opts record.Options, dir string) (*Run, error) {
	if err := q.checkPlace(p); err != nil {
		return nil, err
	}
	rec, err := q.Verifier.Recorder.Build(ctx, p, q.Engine, dir, record.BuildOptions{Deps: deps, Objects: true})
	if err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, "history"))
	if err != nil {
		return nil, fmt.Errorf("writing the history: %w", err)
	}
	if q.Verifier.Stdin != nil {
		opts.Stdin = bytes.NewReader(q.Verifier.Stdin)
	}
	run := &Run{Recording: rec, file: file}
	printed := &bounded{max: 1 << 20}
	if p.Test {
		opts.Stdout, opts.Stderr = io.MultiWriter(opts.Stdout, printed), io.MultiWriter(opts.Stderr, printed)
	}
	end, err := q.Verifier.Recorder.Run(ctx, rec, opts, file)
	if err == nil {
		if end.Stopped != "" {
			fmt.Fprintf(q.Notice, "misstep: recording stopped before the program did: %s\n", end.Stopped)
		}
		run.Output = printed.text
		run.Reader, err = history.NewReader(file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return run, nil
}
