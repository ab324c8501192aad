package localise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/script"
	"misstep/triage/reduce"
)

// Runs of the debugger that are compared, at most: candidates of the reduction that show
// the finding and that do not, and neighbours of the reduced and of the given finding. They
// bound the time, as each is a session with a debugger that counts.
const failedRuns, passedRuns, nearReduced, nearGiven = 12, 36, 24, 24

// soundRuns is how many of the programs that come with misstep are debugged for runs
// that pass: a third of them.
const soundRuns = 16

// A Pipeline goes from a finding to ranked functions: it reduces the finding, runs what it
// tried on the way, sessions one edit away and some of other programs with a Delve that
// has counters, and ranks.
type Pipeline struct {
	Env     *script.Env
	Workers int
	Budget  time.Duration // to reduce in; 0: no bound
	Notice  io.Writer
}

// A sample is a session to compare with others.
type sample struct {
	script *script.Script
	shows  bool // the finding, as far as is known
	known  bool // whether it is
}

// Run ranks the functions of the Delve that a finding names.
func (p *Pipeline) Run(ctx context.Context, given *script.Script) (*Report, error) {
	engine, err := gobuild.ParseEngine(given.Engine())
	if err != nil {
		return nil, err
	}
	path, source, err := p.Env.Cache.DlvCovered(ctx, engine)
	if err != nil {
		return nil, err
	}
	adapter, err := dap.Resolve(ctx, p.Env.Cache, engine)
	if err != nil {
		return nil, err
	}
	env, forget := p.Env.Remembering()
	defer forget()
	with := &Pipeline{Env: env, Workers: p.Workers, Budget: p.Budget, Notice: p.Notice}
	res, samples, err := with.reduced(ctx, given)
	if err != nil {
		return nil, err
	}
	for _, near := range []struct {
		script *script.Script
		most   int
	}{{res.Script, nearReduced}, {given, nearGiven}} {
		for i, s := range Neighbours(near.script) {
			if i < near.most {
				samples = append(samples, sample{script: s})
			}
		}
	}
	if judge := res.Script.Judge(); judge != nil && judge.Verb != "relate" {
		// Transformations belong to their program.
		more, err := with.sound(ctx, adapter, engine, *judge)
		if err != nil {
			return nil, err
		}
		samples = append(samples, more...)
	}
	runs, err := with.spectra(ctx, adapter, path, res.Class, samples)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	for _, r := range runs {
		if r.Failed {
			report.Failed++
		} else {
			report.Passed++
		}
	}
	f := Clues{Words: Say(res.Script, res.Class)}
	if f.Panicked, err = with.panicked(ctx, adapter, res.Script); err != nil {
		return nil, err
	}
	report.Ranked, err = Rank(f, runs, gobuild.Delve, source)
	return report, err
}

// reduced reduces a finding, and keeps of what it tried on the way the last ones, which are
// nearest to the reduced finding, and so to each other.
func (p *Pipeline) reduced(ctx context.Context, given *script.Script) (*reduce.Reduction, []sample, error) {
	var mu sync.Mutex
	var tried []sample
	r := &reduce.Reducer{Check: p.Env.Check, Workers: p.Workers, Budget: p.Budget, Tried: func(s *script.Script, classes []string, same bool) {
		if same || len(classes) == 0 { // what shows something else is neither
			mu.Lock()
			tried = append(tried, sample{s, same, true})
			mu.Unlock()
		}
	}}
	res, err := r.Reduce(ctx, given)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(p.Notice, "misstep: reduced to %d lines and %d actions in %s, over %d candidates\n", res.Lines[1], res.Actions[1], res.Took.Round(100*time.Millisecond), len(tried))
	slices.Reverse(tried)
	chosen := []sample{{res.Script, true, true}}
	left := map[bool]int{true: failedRuns - 1, false: passedRuns}
	for _, c := range tried {
		if left[c.shows] > 0 {
			left[c.shows]--
			chosen = append(chosen, c)
		}
	}
	return res, chosen, nil
}

// each does something for a number of things, a few at a time.
func (p *Pipeline) each(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, p.Workers))
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(errs...)
}

// sound are sessions of other programs that do not show the finding: what they execute
// of the debugger is not what is wrong.
func (p *Pipeline) sound(ctx context.Context, a *dap.Adapter, e gobuild.Engine, judge script.Command) ([]sample, error) {
	finder := &gen.Finder{Cache: p.Env.Cache, Keeper: p.Env.Keeper, Engine: e}
	programs, _, err := finder.Find(ctx, []string{"corpus"})
	if err != nil {
		return nil, err
	}
	found := make([]sample, soundRuns)
	err = p.each(ctx, soundRuns, func(i int) error {
		s, err := p.session(ctx, a, e, programs[i*len(programs)/soundRuns], uint64(i), judge)
		if err != nil || s == nil {
			return err
		}
		classes, err := p.Env.Check(ctx, s)
		if err == nil && len(classes) == 0 {
			found[i] = sample{s, false, true}
		}
		return nil
	})
	return slices.DeleteFunc(found, func(c sample) bool { return c.script == nil }), err
}

// session is a generated session of a program as a script; nil if the program does not
// suit the engine.
func (p *Pipeline) session(ctx context.Context, a *dap.Adapter, e gobuild.Engine, program *gobuild.Program, seed uint64, judge script.Command) (*script.Script, error) {
	dir, err := p.Env.Keeper.TempDir("build")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build, err := p.Env.Cache.Build(ctx, program, e, dir)
	if err != nil {
		return nil, ctx.Err()
	}
	src, err := p.Env.Loader.Load(ctx, program, e)
	if err != nil {
		return nil, ctx.Err()
	}
	s, failed, err := dap.Open(ctx, p.Env.Keeper, a, dap.TargetOf(build), p.Env.Options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if failed != nil {
		return nil, nil
	}
	events, err := gen.Play(ctx, s, gen.NewGenerator(seed, gen.DefaultConfig(), src))
	if err != nil {
		return nil, err
	}
	if n := len(events); n > 0 && events[n-1].Output.Kind.Fatal() {
		return nil, nil
	}
	files, target, err := gobuild.Pack(program)
	if err != nil {
		return nil, err
	}
	made := script.FromSession(events, e.String(), target, program, judge)
	made.Files = files
	return made, nil
}

// spectra runs samples with a Delve that counts. What comes out differently with it, or
// finds something else, is left out.
func (p *Pipeline) spectra(ctx context.Context, adapter *dap.Adapter, path, class string, samples []sample) ([]Run, error) {
	runs := make([]Run, len(samples))
	err := p.each(ctx, len(samples), func(i int) error {
		dir, err := p.Env.Keeper.TempDir("counters")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		a := *adapter
		a.Path, a.Env = path, append(slices.Clone(a.Env), "GOCOVERDIR="+dir)
		counting := *p.Env
		counting.Adapter = &a
		r, err := counting.Try(ctx, samples[i].script)
		if err != nil {
			return nil // it tells nothing
		}
		runs[i].Failed = slices.Contains(r.Classes(), class)
		if !runs[i].Failed && r.Outcome == script.Reproduced || samples[i].known && runs[i].Failed != samples[i].shows {
			return nil
		}
		runs[i].Profiles, err = p.Env.Cache.Profiles(ctx, dir)
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(runs, func(r Run) bool { return len(r.Profiles) == 0 }), nil
}

// panicked is where Delve panicked in a session, as it answers or logs; nothing if it did
// not. It keeps the stack to itself unless it logs.
func (p *Pipeline) panicked(ctx context.Context, adapter *dap.Adapter, s *script.Script) ([]string, error) {
	a := *adapter
	a.Command = append(slices.Clone(a.Command), "--log", "--log-output=dap")
	logging := *p.Env
	logging.Adapter = &a
	r, err := logging.Try(ctx, s)
	if err != nil {
		return nil, err
	}
	return r.Panicked, nil
}
