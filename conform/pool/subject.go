package pool

import (
	"context"
	"errors"
	"fmt"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/oracle/reference"
)

// A subject is a program that is ready to be debugged.
type subject struct {
	program *gobuild.Program
	files   []gobuild.File
	target  string // the package of it that is launched
	tested  *debuggee.Debuggee
	model   *reference.Model // of a recorded run
	// base is the last session that generated actions led to, from which places for settings are chosen.
	base []dap.Event
}

// judged reports whether sessions of the program can be held against a recorded run.
func (s *subject) judged() bool { return s.model.Why == "" }

// prepare builds and records a program. It is nil if the program cannot be debugged, for a reason.
func (g *Grower) prepare(ctx context.Context, p *gobuild.Program) (s *subject, why string, err error) {
	env := g.Env
	maker := &debuggee.Maker{Keeper: env.Keeper, Cache: env.Cache, Loader: env.Loader, Limits: gobuild.DefaultLimits}
	s = &subject{program: p}
	if s.files, s.target, err = gobuild.Pack(p); err != nil {
		return nil, err.Error(), nil
	}
	s.tested, err = maker.Fit(ctx, p, g.Engine)
	var build *gobuild.BuildError
	var unfit *gobuild.Unfit
	switch {
	case errors.As(err, &build):
		return nil, "does not build", nil
	case errors.As(err, &unfit):
		return nil, unfit.Reason, nil
	case err != nil:
		return nil, "", err
	}
	if len(s.tested.Source.Code()) == 0 {
		return nil, "has no statements", nil
	}
	dir, err := env.Keeper.TempDir("record")
	if err != nil {
		return nil, "", fmt.Errorf("making a folder for a recording: %w", err)
	}
	s.model, err = reference.Record(ctx, env.Keeper, env.Cache, p, g.Engine, gobuild.DefaultLimits, dir, reference.Probes{Source: s.tested.Source})
	if err != nil {
		return nil, "", err
	}
	s.model.Held(s.tested.Stdout, s.tested.ExitCode)
	return s, "", nil
}
