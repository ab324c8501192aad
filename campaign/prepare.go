package campaign

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"strings"
	"sync"

	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// subject is a program that is ready to be debugged, or unfit.
type subject struct {
	program *gobuild.Program

	mu         sync.Mutex
	ready      bool
	tested     *oracle.Subject
	concurrent bool // it starts goroutines
	model      *reference.Model
	unfit      *Unfit
	// sides are the engines that it is compared on, or unlike says why it cannot be.
	sides  []*oracle.Side
	unlike string
}

// Prepared are programs that were built and recorded, for several campaigns.
type Prepared struct {
	mu       sync.Mutex
	subjects map[*gobuild.Program]*subject
}

// subject is that of a program; a new one where nothing is kept.
func (p *Prepared) subject(program *gobuild.Program) *subject {
	if p == nil {
		return &subject{program: program}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.subjects == nil {
		p.subjects = map[*gobuild.Program]*subject{}
	}
	s := p.subjects[program]
	if s == nil {
		s = &subject{program: program}
		p.subjects[program] = s
	}
	return s
}

// prepare builds the program, runs it by itself and loads its source, once.
func (c *campaign) prepare(ctx context.Context, s *subject) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil
	}
	// One that was stopped half-way is prepared again by the next campaign.
	if err := c.prepareNow(ctx, s); err != nil {
		return err
	}
	s.ready = true
	return nil
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
	build, err := c.cache.Build(ctx, s.program, c.cfg.Engine, dir)
	var buildErr *gobuild.BuildError
	switch {
	case errors.As(err, &buildErr):
		return unfit("does not build: " + firstLine(buildErr.Output))
	case err != nil:
		return err
	}
	plain, err := c.cache.Fit(ctx, build, c.cfg.Limits)
	var u *gobuild.Unfit
	switch {
	case errors.As(err, &u):
		return unfit(u.Reason)
	case err != nil:
		return err
	}
	src, err := c.loader.Load(ctx, s.program)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return unfit("its source does not load: " + firstLine(err.Error()))
	}
	if len(src.Code()) == 0 {
		return unfit("has no statements")
	}
	s.tested = &oracle.Subject{Build: build, Source: src, Stdout: plain.Stdout, ExitCode: plain.ExitCode}
	if c.cfg.Reference {
		if s.model, err = c.record(ctx, s); err != nil {
			return err
		}
		if s.model.Why != "" {
			c.emit(Event{Type: "unjudged", Unjudged: &Unfit{s.program.Name, s.model.Why}})
		}
	}
	for _, f := range src.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			_, starts := n.(*ast.GoStmt)
			s.concurrent = s.concurrent || starts
			return !s.concurrent
		})
	}
	return nil
}

// record makes the reference model of a program that is built.
func (c *campaign) record(ctx context.Context, s *subject) (*reference.Model, error) {
	dir, err := c.keeper.TempDir("record")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a recording: %w", err)
	}
	m, err := reference.Record(ctx, c.keeper, c.cache, s.program, c.cfg.Engine, c.cfg.Limits, dir, reference.Probes{Source: s.tested.Source})
	if err != nil {
		return nil, err
	}
	m.Held(s.tested.Stdout, s.tested.ExitCode)
	return m, nil
}

// make builds a variant of a program, runs it once and loads its source.
func (c *campaign) make(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*oracle.Subject, error) {
	dir, err := c.keeper.TempDir("build")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a build: %w", err)
	}
	build, err := c.cache.Build(ctx, p, e, dir)
	if err != nil {
		return nil, err
	}
	plain, err := c.cache.Plain(ctx, build, gobuild.Limits{Time: 2 * c.cfg.Limits.Time, Output: c.cfg.Limits.Output})
	if err != nil {
		return nil, err
	}
	src, err := c.loader.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	return &oracle.Subject{Build: build, Source: src, Stdout: plain.Stdout, ExitCode: plain.ExitCode}, nil
}

func firstLine(s string) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", 3)
	if strings.HasPrefix(lines[0], "#") && len(lines) > 1 {
		return lines[1]
	}
	return lines[0]
}
