package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"misstep/internal/gobuild"
	"misstep/internal/source"
)

// subject is a program that is ready to be debugged, or unfit.
type subject struct {
	program *gobuild.Program

	once  sync.Once
	build *gobuild.Build
	plain *gobuild.Plain
	src   *source.Source
	unfit *Unfit
	err   error // of misstep itself
}

// prepare builds the program, runs it by itself and loads its source, once.
func (c *campaign) prepare(ctx context.Context, s *subject) error {
	s.once.Do(func() { s.err = c.prepareNow(ctx, s) })
	return s.err
}

func (c *campaign) prepareNow(ctx context.Context, s *subject) error {
	unfit := func(reason string) error {
		s.unfit = &Unfit{s.program.Name, reason}
		return nil
	}
	dir, err := c.keeper.TempDir("build")
	if err != nil {
		return fmt.Errorf("making a folder for a build: %w", err)
	}
	s.build, err = c.cache.Build(ctx, s.program, c.cfg.Engine, dir)
	var buildErr *gobuild.BuildError
	switch {
	case errors.As(err, &buildErr):
		return unfit("does not build: " + firstLine(buildErr.Output))
	case err != nil:
		return err
	}
	s.plain, err = c.cache.Fit(ctx, s.build, c.cfg.Limits)
	var u *gobuild.Unfit
	switch {
	case errors.As(err, &u):
		return unfit(u.Reason)
	case err != nil:
		return err
	}
	if s.src, err = c.loader.Load(ctx, s.program); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return unfit("its source does not load: " + firstLine(err.Error()))
	}
	if len(s.src.Code()) == 0 {
		return unfit("has no statements")
	}
	return nil
}

func firstLine(s string) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", 3)
	if strings.HasPrefix(lines[0], "#") && len(lines) > 1 {
		return lines[1]
	}
	return lines[0]
}
