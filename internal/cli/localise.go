package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/testscripts"
	"misstep/triage"
	"misstep/triage/localise"
	"misstep/triage/reduce"
)

// Runs of the debugger that are compared, at most: candidates of the reduction that show
// the finding and that do not, and neighbours of the reduced and of the given finding.
const failedRuns, passedRuns, nearReduced, nearGiven = 12, 36, 24, 24

func newLocalise() *cobra.Command {
	var budget time.Duration
	top := 10
	cmd := &cobra.Command{
		Use:   "localise [flags] FINDING",
		Short: "Rank Delve's functions by how likely they have the bug of a finding",
		Long: `Localise reduces a finding, and keeps the candidates on the way: some show it, some
do not. It adds sessions that are one edit away, and some of other programs, runs them
with a Delve that has counters, and ranks Delve's functions by what the runs that show
the finding execute and the others do not, by the words that a function's name and text
share with what the finding says, and by the stack if Delve panicked.

Exit codes: 0 functions are ranked, 1 error, 2 usage, 3 the finding does not
reproduce.`,
		Example: `  misstep localise findings/R9-evaluate_eval_value_value.txtar`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if top < 1 || budget < 0 {
				return usagef("--time must not be negative, --top at least 1")
			}
			text, err := os.ReadFile(a[0])
			if err != nil {
				return fmt.Errorf("reading the finding: %w", err)
			}
			env, err := newEnv(cmd, "")
			if err != nil {
				return err
			}
			defer env.Close()
			ranked, failed, passed, err := localiseFinding(cmd.Context(), env, text, budget, cmd.ErrOrStderr())
			if err != nil {
				return reproduces(a[0], err)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%d runs show the finding, %d do not\n", failed, passed)
			if passed == 0 {
				fmt.Fprintln(out, "every session shows it: what is executed tells nothing")
			}
			fmt.Fprintf(out, "%4s  %6s  %8s  %5s  %5s  %-9s  %s\n", "rank", "score", "spectrum", "words", "panic", "alone", "function")
			for i, f := range ranked[:min(top, len(ranked))] {
				fmt.Fprintf(out, "%4d  %6.3f  %8.3f  %5.3f  %5.3f  %-9s  %s:%d %s\n", i+1, f.Score, f.Spectrum, f.Words, f.Panic, fmt.Sprintf("%d of %d", f.Alone, f.Executed), f.File, f.Line, f.Name)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.DurationVar(&budget, "time", 2*time.Minute, "time to reduce the finding in; 0 is no limit")
	f.IntVar(&top, "top", top, "functions to print")
	return cmd
}

// A candidate is a session to compare with others.
type candidate struct {
	script []byte
	shows  bool // the finding, as far as is known
	// lenient tells that what its actions must be answered with is not known.
	lenient bool
}

// localiseFinding ranks the functions of the Delve that a finding names. It tells how
// many runs showed the finding, and how many did not.
func localiseFinding(ctx context.Context, env *testscripts.Env, text []byte, budget time.Duration, notice io.Writer) (ranked []localise.Function, failed, passed int, err error) {
	engine, err := gobuild.ParseEngine(reduce.Engine(text))
	if err != nil {
		return nil, 0, 0, err
	}
	path, source, err := env.Cache.DlvCovered(ctx, engine)
	if err != nil {
		return nil, 0, 0, err
	}
	adapter, err := dap.Resolve(ctx, env.Cache, engine)
	if err != nil {
		return nil, 0, 0, err
	}
	with := *env
	with.Memo = &testscripts.Memo{}
	defer with.Memo.Close()
	var mu sync.Mutex
	var tried []candidate
	r := &reduce.Reducer{Check: with.Check, Workers: defaultWorkers(), Budget: budget, Tried: func(script []byte, classes []string, same bool) {
		if same || len(classes) == 0 { // what shows something else is neither
			mu.Lock()
			tried = append(tried, candidate{script: script, shows: same})
			mu.Unlock()
		}
	}}
	res, err := r.Reduce(ctx, text)
	if err != nil {
		return nil, 0, 0, err
	}
	fmt.Fprintf(notice, "misstep: reduced to %d lines and %d actions in %s, over %d candidates\n", res.Lines[1], res.Actions[1], res.Took.Round(100*time.Millisecond), len(tried))
	// The last ones are nearest to the reduced finding, and so to each other.
	slices.Reverse(tried)
	chosen := []candidate{{script: res.Script, shows: true}}
	left := map[bool]int{true: failedRuns - 1, false: passedRuns}
	for _, c := range tried {
		if left[c.shows] > 0 {
			left[c.shows]--
			chosen = append(chosen, c)
		}
	}
	for _, near := range []struct {
		script []byte
		most   int
	}{{res.Script, nearReduced}, {text, nearGiven}} {
		for i, script := range localise.Neighbours(near.script) {
			if i < near.most {
				chosen = append(chosen, candidate{script: script, lenient: true})
			}
		}
	}
	more, err := sound(ctx, &with, engine, reduce.Judge(res.Script))
	if err != nil {
		return nil, 0, 0, err
	}
	runs, err := spectra(ctx, &with, adapter, path, res.Class, append(chosen, more...))
	if err != nil {
		return nil, 0, 0, err
	}
	for _, r := range runs {
		if r.Failed {
			failed++
		} else {
			passed++
		}
	}
	f := localise.Finding{Words: localise.Say(res.Script, res.Class)}
	if f.Panicked, err = panicked(ctx, &with, adapter, res.Script); err != nil {
		return nil, 0, 0, err
	}
	ranked, err = localise.Rank(f, runs, gobuild.Delve, source)
	return ranked, failed, passed, err
}

// soundRuns is how many of the programs that come with misstep are debugged for runs
// that pass.
const soundRuns = 16

// sound are sessions of other programs that do not show the finding: what they execute
// of the debugger is not what is wrong. Transformations belong to their program, so a
// finding of one has none.
func sound(ctx context.Context, env *testscripts.Env, e gobuild.Engine, judge string) ([]candidate, error) {
	if strings.HasPrefix(judge, "relate ") {
		return nil, nil
	}
	adapter, err := dap.Resolve(ctx, env.Cache, e)
	if err != nil {
		return nil, err
	}
	finder := &gen.Finder{Cache: env.Cache, Keeper: env.Keeper, Engine: e}
	programs, _, err := finder.Find(ctx, []string{"corpus"})
	if err != nil {
		return nil, err
	}
	found := make([]candidate, soundRuns)
	errs := make([]error, soundRuns)
	var wg sync.WaitGroup
	slots := make(chan struct{}, defaultWorkers())
	for i := range soundRuns {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			text, err := session(ctx, env, adapter, e, programs[i*len(programs)/soundRuns], uint64(i), judge)
			if err != nil || text == nil {
				errs[i] = err
				return
			}
			classes, err := env.Check(ctx, text)
			if err == nil && len(classes) == 0 {
				found[i] = candidate{script: text}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return slices.DeleteFunc(found, func(c candidate) bool { return c.script == nil }), errors.Join(errs...)
}

// session is a generated session of a program as a testscript; nil if the program does
// not suit the engine.
func session(ctx context.Context, env *testscripts.Env, a *dap.Adapter, e gobuild.Engine, p *gobuild.Program, seed uint64, judge string) ([]byte, error) {
	dir, err := env.Keeper.TempDir("build")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build, err := env.Cache.Build(ctx, p, e, dir)
	if err != nil {
		return nil, ctx.Err()
	}
	src, err := env.Loader.Load(ctx, p)
	if err != nil {
		return nil, ctx.Err()
	}
	s, failed, err := dap.Open(ctx, env.Keeper, a, dap.TargetOf(build), env.Options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if failed != nil {
		return nil, nil
	}
	f := &oracle.Finding{Oracle: "script", Class: "none", Rule: judge, Reason: "a session without it", Engine: e.String(), Program: p.Name}
	g := gen.NewGenerator(seed, gen.DefaultConfig(), src)
	for {
		action, more := g.Next(s)
		if !more {
			break
		}
		out, err := s.Do(ctx, action)
		if err != nil {
			return nil, err
		}
		f.Base = append(f.Base, dap.Event{Action: action, Output: out})
		if out.Kind.Fatal() {
			return nil, nil
		}
	}
	return triage.Script(f, p)
}

// spectra runs candidates with a Delve that counts. What comes out otherwise with it, or
// finds something else, is left out.
func spectra(ctx context.Context, env *testscripts.Env, adapter *dap.Adapter, path, class string, chosen []candidate) ([]localise.Run, error) {
	runs := make([]localise.Run, len(chosen))
	errs := make([]error, len(chosen))
	var wg sync.WaitGroup
	slots := make(chan struct{}, defaultWorkers())
	for i, c := range chosen {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			dir, err := env.Keeper.TempDir("counters")
			if err != nil {
				errs[i] = err
				return
			}
			defer os.RemoveAll(dir)
			a := *adapter
			a.Path, a.Env = path, append(slices.Clone(a.Env), "GOCOVERDIR="+dir)
			counting := *env
			counting.Adapter, counting.Lenient = &a, c.lenient
			r, err := counting.Try(ctx, c.script)
			if err != nil {
				return
			}
			runs[i].Failed = slices.Contains(r.Classes, class)
			if !runs[i].Failed && r.Finding || !c.lenient && runs[i].Failed != c.shows {
				return
			}
			runs[i].Profiles, errs[i] = env.Cache.Profiles(ctx, dir)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(runs, func(r localise.Run) bool { return len(r.Profiles) == 0 }), nil
}

// panicked is where Delve panicked in a session, as it answers or logs; nothing if it did
// not. It keeps the stack to itself unless it logs.
func panicked(ctx context.Context, env *testscripts.Env, adapter *dap.Adapter, script []byte) ([]string, error) {
	a := *adapter
	a.Command = append(slices.Clone(a.Command), "--log", "--log-output=dap")
	logging := *env
	logging.Adapter = &a
	r, err := logging.Try(ctx, script)
	if err != nil {
		return nil, err
	}
	return r.Panicked, nil
}
