package debugger

import (
	"context"
	"fmt"

	"misstep/history"
	"misstep/history/record"
	"misstep/history/timeline"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// OfHistory is a session over a history's file. It has no values.
func OfHistory(ctx context.Context, path string, e gobuild.Engine) (*Server, error) {
	r, file, err := history.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := r.Whole(path); err != nil {
		return nil, err
	}
	if len(r.Plan.Deps) > 0 {
		return nil, fmt.Errorf("%s was recorded with dependencies; expected a history of the user's packages alone", path)
	}
	rec, err := record.Reload(ctx, r.Plan, e, "")
	if err != nil {
		return nil, err
	}
	run, err := timeline.New(rec, r, nil)
	if err != nil {
		return nil, err
	}
	return over(path, run, r.End.ExitCode)
}

// OfProgram is a session over a run of a program that is recorded now, with the values of
// its variables.
func OfProgram(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, p *gobuild.Program, e gobuild.Engine) (*Server, error) {
	dir, err := keeper.TempDir("record")
	if err != nil {
		return nil, err
	}
	run, err := timeline.Record(ctx, keeper, cache, p, e, gobuild.DefaultLimits, dir, nil)
	if err != nil {
		return nil, err
	}
	if dir, err = keeper.TempDir("build"); err != nil {
		return nil, err
	}
	b, err := cache.Build(ctx, p, e, dir)
	if err != nil {
		return nil, err
	}
	limits := gobuild.DefaultLimits
	limits.Time *= 4 // which a recording has, too
	plain, err := cache.Plain(ctx, b, limits)
	if err != nil {
		return nil, err
	}
	// A recorded run has to be like one of the program by itself.
	run.Held(plain.Stdout, plain.ExitCode)
	return over(p.Name, run, plain.ExitCode)
}

// over is a session over a run, if that holds.
func over(name string, run *timeline.Run, code int) (*Server, error) {
	if run.Why != "" {
		return nil, fmt.Errorf("%s cannot be walked through: %s", name, run.Why)
	}
	return &Server{Timeline: run.Stops(), ExitCode: code}, nil
}
