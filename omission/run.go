package omission

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
)

// A Run is what a query is about: a history with objects, and the program that it is of.
type Run struct {
	Recording *history.Recording
	Reader    *history.Reader
	file      *os.File
}

// Close closes the history's file.
func (r *Run) Close() error { return r.file.Close() }

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

// OfProgram records a run of a program into dir, with these packages of dependencies. The
// program gets the input that runs with inverted branches will get, if there is one, and
// that of the options otherwise.
func (q *Query) OfProgram(ctx context.Context, p *gobuild.Program, deps []string, opts record.Options, dir string) (*Run, error) {
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
	end, err := q.Verifier.Recorder.Run(ctx, rec, opts, file)
	if err == nil {
		if end.Stopped != "" {
			fmt.Fprintf(q.Notice, "misstep: recording stopped before the program did: %s\n", end.Stopped)
		}
		run.Reader, err = history.NewReader(file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return run, nil
}
