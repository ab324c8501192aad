// Package debuggee makes what sessions debug: a program, built under an engine, with its
// source and with what it does by itself.
//
// Start from [Maker.Make]. A debuggee is made once and then only read, so that any number
// of sessions may share it; what a run of it does not execute is found out when it is
// first asked for.
package debuggee

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
)

// A Debuggee is a build that sessions run.
type Debuggee struct {
	Build  *gobuild.Build
	Source *source.Source
	// Stdout and ExitCode are of a run without a debugger.
	Stdout, Stderr string
	ExitCode       int
	Took           time.Duration
	// Unsteady is what runs of the program differ in, its output, what it writes to standard error, or where they are ended, as it does
	// not end by itself; empty if they are alike. Nothing is held against these then.
	Unsteady string

	unrun func(ctx context.Context) ([]gobuild.Block, error)
	mu    sync.Mutex
	known bool
	dead  []gobuild.Block
}

// Unrun lists what a run of the program does not execute. It may be called concurrently.
func (d *Debuggee) Unrun(ctx context.Context) ([]gobuild.Block, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known || d.unrun == nil {
		return d.dead, nil
	}
	dead, err := d.unrun(ctx)
	if err != nil {
		return nil, err
	}
	d.dead, d.known = dead, true
	return dead, nil
}

// OutOfSight reports whether a refusal says that the program is in no function that is known, which in one with C may be so: the
// libraries that C calls have no debug information.
func (d *Debuggee) OutOfSight(refusal string) bool {
	return d != nil && d.Build != nil && d.Build.Symbols != nil && d.Build.Symbols.WithC() && strings.Contains(refusal, "Unable to find enclosing function")
}

// A Maker makes debuggees. It may be used concurrently.
type Maker struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	Loader *source.Loader
	Limits gobuild.Limits
}

// Fit builds a program, runs it as often as it takes to see whether it is fit to be
// debugged, which one whose output is another one each time is, and loads its source. The error is a *gobuild.BuildError if it does not
// compile and a *gobuild.Unfit if it does not run as a program to debug should.
func (m *Maker) Fit(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*Debuggee, error) {
	d, err := m.made(ctx, p, e, func(b *gobuild.Build) (*gobuild.Plain, error) { return m.Cache.Repeated(ctx, b, m.Limits, 2) })
	if err != nil || d.Unsteady != "" || !d.Source.ThrowsDice() {
		return d, err
	}
	again, err := m.Cache.Repeated(ctx, d.Build, m.Limits, diced)
	if err != nil {
		return nil, err
	}
	d.Unsteady = again.Unsteady
	return d, nil
}

// diced is how often a program is run that throws the language's own dice: of a map with two entries, the second comes first in one run of
// eight.
const diced = 40

// Make does the same for a variant of a program that is known to be fit: it is run once,
// for up to twice the time, unless it has no end.
func (m *Maker) Make(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*Debuggee, error) {
	if p.Endless > 0 {
		return m.made(ctx, p, e, func(*gobuild.Build) (*gobuild.Plain, error) { return nil, nil })
	}
	limits := m.Limits
	limits.Time *= 2
	return m.made(ctx, p, e, func(b *gobuild.Build) (*gobuild.Plain, error) { return m.Cache.Plain(ctx, b, limits) })
}

func (m *Maker) made(ctx context.Context, p *gobuild.Program, e gobuild.Engine, run func(*gobuild.Build) (*gobuild.Plain, error)) (*Debuggee, error) {
	dir, err := m.Keeper.TempDir("build")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a build of %s: %w", p.Name, err)
	}
	build, err := m.Cache.Build(ctx, p, e, dir)
	if err != nil {
		return nil, err
	}
	plain, err := run(build)
	if err != nil {
		return nil, err
	}
	src, err := m.Loader.Load(ctx, p, e)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, &gobuild.Unfit{Program: p.Name, Reason: "its source does not load: " + err.Error()}
	}
	return m.Of(build, src, plain), nil
}

// Of is the debuggee of a build whose source and run are known; nothing is known of the run of a program that has no end.
func (m *Maker) Of(b *gobuild.Build, src *source.Source, plain *gobuild.Plain) *Debuggee {
	if b.Program.Endless > 0 {
		plain = &gobuild.Plain{Unsteady: "end"}
	}
	return &Debuggee{
		Build: b, Source: src, Stdout: plain.Stdout, Stderr: plain.Stderr, ExitCode: plain.ExitCode, Took: plain.Took, Unsteady: plain.Unsteady,
		unrun: func(ctx context.Context) ([]gobuild.Block, error) {
			return m.Cache.Unrun(ctx, b.Program, b.Engine, m.Limits)
		},
	}
}
