package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
	"misstep/oracle/differential"
	"misstep/oracle/reference"
	"misstep/script"
	"misstep/triage/blame"
	"misstep/triage/reduce"
)

// A Machine does jobs on this machine. It keeps what it has built and recorded, so that
// jobs of one program share it; what comes of a job does not depend on that, but for how often a
// finding is tried again.
type Machine struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	Loader *source.Loader
	// Adapter stands in for the engine's own, in the oracles' own test.
	Adapter *dap.Adapter

	kept *kept
}

// kept is what machines share.
type kept struct {
	mu       sync.Mutex
	programs map[string]*program // by content and engines
	adapters map[string]*dap.Adapter
	shared   classes       // of the protocol, which the baseline shows as well
	varying  classes       // kinds of differences from the baseline that have come and gone
	alone    chan struct{} // holds a token while a program runs that has to be alone
}

// NewMachine makes a machine.
func NewMachine(keeper *proc.Keeper, cache *gobuild.Cache) *Machine {
	return &Machine{
		Keeper: keeper, Cache: cache, Loader: &source.Loader{Keeper: keeper},
		kept: &kept{programs: map[string]*program{}, adapters: map[string]*dap.Adapter{}, alone: make(chan struct{}, 1)},
	}
}

// With is the machine with another adapter in the place of the engine's; it shares all
// that is kept.
func (m *Machine) With(a *dap.Adapter) *Machine {
	with := *m
	with.Adapter = a
	return &with
}

// adapter is that of an engine; nil for the recorded run.
func (m *Machine) adapter(ctx context.Context, e gobuild.Engine) (*dap.Adapter, error) {
	if e.Adapter == dap.Recorded {
		return nil, nil
	}
	m.kept.mu.Lock()
	defer m.kept.mu.Unlock()
	if a := m.kept.adapters[e.String()]; a != nil {
		return a, nil
	}
	a, err := dap.Resolve(ctx, m.Cache, e)
	if err != nil {
		return nil, err
	}
	m.kept.adapters[e.String()] = a
	return a, nil
}

// Prepare builds or finds the debuggers of a campaign, so that one which is not to be had is
// an error before anything is begun.
func (m *Machine) Prepare(ctx context.Context, cfg *Config) error {
	ctx, cancel := bounded(ctx, cfg)
	defer cancel()
	for _, e := range cfg.engines() {
		if _, err := m.adapter(ctx, e); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
	}
	return nil
}

// engines are those of a job, with their adapters: the one under test first.
func (m *Machine) engines(ctx context.Context, j *Job) (engines []gobuild.Engine, adapters []*dap.Adapter, err error) {
	for i, text := range append([]string{j.Engine}, j.Against...) {
		e, err := gobuild.ParseEngine(text)
		if err != nil {
			return nil, nil, err
		}
		a := m.Adapter
		if i > 0 || a == nil {
			if a, err = m.adapter(ctx, e); err != nil {
				return nil, nil, err
			}
		}
		engines, adapters = append(engines, e), append(adapters, a)
	}
	return engines, adapters, nil
}

// Check implements [Worker]: it launches the program once.
func (m *Machine) Check(ctx context.Context, j *Job) (fit bool, err error) {
	engines, adapters, err := m.engines(ctx, j)
	if err != nil {
		return false, err
	}
	p, err := m.program(ctx, j, engines[0])
	if err != nil || p.unfit != nil {
		return false, err
	}
	session, failed, err := dap.Open(ctx, m.Keeper, adapters[0], dap.TargetOf(p.tested.Build), j.Options)
	if err != nil {
		return false, err
	}
	session.Close()
	if failed == nil {
		return true, nil
	}
	other, err := m.launchesAnother(ctx, engines[0], adapters[0], j.Options)
	if err != nil {
		return false, err
	}
	if !other {
		return false, fmt.Errorf("engine %s cannot launch %s: %s", engines[0], p.name, failed.Text)
	}
	return true, nil // which is a finding of its runs
}

// small is a program that every debugger can launch.
const small = "corpus/loops"

// launchesAnother reports whether an engine can launch a small program.
func (m *Machine) launchesAnother(ctx context.Context, e gobuild.Engine, a *dap.Adapter, opts dap.Options) (bool, error) {
	finder := &gen.Finder{Cache: m.Cache, Keeper: m.Keeper, Engine: e}
	programs, _, err := finder.Find(ctx, []string{small})
	if err != nil || len(programs) == 0 {
		return false, err
	}
	dir, err := m.Keeper.TempDir("launch")
	if err != nil {
		return false, err
	}
	b, err := m.Cache.Build(ctx, programs[0], e, dir)
	if err != nil {
		return false, fmt.Errorf("trying another program: %w", err)
	}
	session, failed, err := dap.Open(ctx, m.Keeper, a, dap.TargetOf(b), opts)
	if err != nil {
		return false, err
	}
	session.Close()
	return failed == nil, nil
}

// Do implements [Worker].
func (m *Machine) Do(ctx context.Context, j *Job) (*Outcome, error) {
	key, err := j.Key()
	if err != nil {
		return nil, err
	}
	out := &Outcome{Key: key, Index: j.Index}
	if j.Reduce != nil {
		out.Reduction, err = m.reduce(ctx, j)
		return out, err
	}
	engines, adapters, err := m.engines(ctx, j)
	if err != nil {
		return nil, err
	}
	p, err := m.program(ctx, j, engines[0])
	if err != nil {
		return nil, err
	}
	if out.Unfit = p.unfit; out.Unfit != nil {
		return out, nil
	}
	if j.recorded() && p.model != nil && p.model.Why != "" {
		out.Unjudged = &Unfit{p.name, p.model.Why}
	}
	w, err := newWorker(m, j, p, engines, adapters)
	if err != nil {
		return nil, err
	}
	err = w.work(ctx)
	if ctx.Err() != nil {
		w.run.Cut, err = true, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run %d of %s: %w", j.Index, p.name, err)
	}
	out.Run = w.run
	out.Findings, err = w.packed()
	return out, err
}

// env is what the machine runs scripts with.
func (m *Machine) env(o dap.Options) *script.Env {
	return &script.Env{Keeper: m.Keeper, Cache: m.Cache, Loader: m.Loader, Options: o, Adapter: m.Adapter, Evidence: blame.Of}
}

// reduce makes a script small. What went wrong is in the outcome.
func (m *Machine) reduce(ctx context.Context, j *Job) (*Reduction, error) {
	r := j.Reduce
	out := &Reduction{Reduced: Reduced{Class: r.Class}}
	given, err := script.Parse(r.Script, r.Class)
	if err == nil {
		env, forget := m.env(j.Options).Remembering()
		defer forget()
		reducer := &reduce.Reducer{Check: env.Check, Explain: env.Explain, Workers: r.Workers, Budget: r.Budget}
		var res *reduce.Reduction
		if res, err = reducer.Reduce(ctx, given); err == nil {
			out.Script, out.Lines, out.Actions = res.Script.Format(), res.Lines, res.Actions
			return out, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out.Failed = err.Error()
	return out, nil
}

// A program is ready to be debugged, or unfit.
type program struct {
	name string

	mu         sync.Mutex
	ready      bool
	source     *gobuild.Program
	tested     *debuggee.Debuggee
	concurrent bool // it starts goroutines
	alone      bool // no other such program may run at the same time
	model      *reference.Model
	unfit      *Unfit
	// sides are the engines that it is compared on, or unlike says why it cannot be.
	sides  []*differential.Side
	unlike string

	confirmed classes
	shared    classes // which the baseline shows as well
	// changed are kinds of differences from the baseline that came each time, and varying those that did not.
	changed, varying classes
}

// program is the job's, built once on this machine, and recorded when that is first needed.
func (m *Machine) program(ctx context.Context, j *Job, e gobuild.Engine) (*program, error) {
	r := j.Run
	key := (&Job{Engine: j.Engine, Against: j.Against, Limits: j.Limits, Run: &RunJob{Program: r.Program}})
	name, err := key.Key()
	if err != nil {
		return nil, err
	}
	if r.Program.Files == nil {
		name += r.Program.here.Dir
	}
	m.kept.mu.Lock()
	p := m.kept.programs[name]
	if p == nil {
		p = &program{name: r.Program.Name}
		m.kept.programs[name] = p
	}
	m.kept.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	// One that was stopped half-way is prepared again.
	if !p.ready {
		if err := m.prepare(ctx, p, j, e); err != nil {
			return nil, err
		}
		p.ready = true
	}
	if j.recorded() && p.unfit == nil {
		_, err = m.modelOf(ctx, p, e, j.Limits)
	}
	return p, err
}

func (m *Machine) maker(l gobuild.Limits) *debuggee.Maker {
	return &debuggee.Maker{Keeper: m.Keeper, Cache: m.Cache, Loader: m.Loader, Limits: l}
}

// prepare builds a program, runs it by itself and loads its source.
func (m *Machine) prepare(ctx context.Context, p *program, j *Job, e gobuild.Engine) error {
	unfit := func(reason string) error {
		p.unfit = &Unfit{p.name, reason}
		return nil
	}
	var err error
	if p.source, err = j.Run.Program.program(m.Keeper); err != nil {
		return err
	}
	p.tested, err = m.maker(j.Limits).Fit(ctx, p.source, e)
	var build *gobuild.BuildError
	var u *gobuild.Unfit
	switch {
	case errors.As(err, &build):
		return unfit("does not build: " + firstLine(build.Output))
	case errors.As(err, &u) && u.Endless:
		if p.tested, p.alone, err = m.maker(j.Limits).Endless(ctx, p.source, e); err != nil {
			return err
		}
		p.model = reference.Unrecorded("it " + u.Reason)
	case errors.As(err, &u):
		return unfit(firstLine(u.Reason))
	case err != nil:
		return err
	}
	if len(p.tested.Source.Code()) == 0 {
		return unfit("has no statements")
	}
	p.concurrent = p.tested.Source.Concurrent()
	return nil
}

// record makes the reference model of a program that is built.
func (m *Machine) record(ctx context.Context, p *program, e gobuild.Engine, l gobuild.Limits) (*reference.Model, error) {
	dir, err := m.Keeper.TempDir("record")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a recording: %w", err)
	}
	model, err := reference.Record(ctx, m.Keeper, m.Cache, p.source, e, l, dir, reference.Probes{Source: p.tested.Source})
	if err != nil {
		return nil, err
	}
	model.Held(p.tested.Stdout, p.tested.ExitCode)
	if what := p.tested.Unsteady; what != "" && model.Why == "" {
		model.Why = "two runs of it differ in their " + what
	}
	return model, nil
}

// modelOf is the reference model of a program, recorded when it is first needed. The
// caller has the program's lock.
func (m *Machine) modelOf(ctx context.Context, p *program, e gobuild.Engine, l gobuild.Limits) (*reference.Model, error) {
	if p.model == nil {
		model, err := m.record(ctx, p, e, l)
		if err != nil {
			return nil, err
		}
		p.model = model
	}
	return p.model, nil
}
