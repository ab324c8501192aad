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

// Runs of the debugger that are compared, at most.
const failedRuns, passedRuns = 12, 36

func newLocalise() *cobra.Command {
	var budget time.Duration
	top := 10
	cmd := &cobra.Command{
		Use:   "localise [flags] FINDING",
		Short: "Rank Delve's functions by how likely they have the bug of a finding",
		Long: `Localise reduces a finding, and keeps the candidates on the way: some show it, some
do not. It builds Delve with counters, runs them, and ranks Delve's functions by
spectrum-based fault localisation: what the runs that show the finding execute, and
the others do not, comes first.

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
			ranked, runs, err := localiseFinding(cmd.Context(), env, text, budget, cmd.ErrOrStderr())
			if err != nil {
				return reproduces(a[0], err)
			}
			out := cmd.OutOrStdout()
			failed := 0
			for _, r := range runs {
				if r.Failed {
					failed++
				}
			}
			fmt.Fprintf(out, "%d runs show the finding, %d do not\n", failed, len(runs)-failed)
			fmt.Fprintf(out, "%4s  %7s  %-9s  %s\n", "rank", "score", "alone", "function")
			for i, f := range ranked[:min(top, len(ranked))] {
				fmt.Fprintf(out, "%4d  %7.3f  %-9s  %s:%d %s\n", i+1, f.Score, fmt.Sprintf("%d of %d", f.Alone, f.Executed), f.File, f.Line, f.Name)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.DurationVar(&budget, "time", 2*time.Minute, "time to reduce the finding in; 0 is no limit")
	f.IntVar(&top, "top", top, "functions to print")
	return cmd
}

// A candidate of a reduction, with whether it shows the finding.
type candidate struct {
	script []byte
	shows  bool
}

// localiseFinding ranks the functions of the Delve that a finding names.
func localiseFinding(ctx context.Context, env *testscripts.Env, text []byte, budget time.Duration, notice io.Writer) ([]localise.Function, []localise.Run, error) {
	engine, err := gobuild.ParseEngine(reduce.Engine(text))
	if err != nil {
		return nil, nil, err
	}
	path, source, err := env.Cache.DlvCovered(ctx, engine)
	if err != nil {
		return nil, nil, err
	}
	adapter, err := dap.Resolve(ctx, env.Cache, engine)
	if err != nil {
		return nil, nil, err
	}
	with := *env
	with.Memo = &testscripts.Memo{}
	defer with.Memo.Close()
	var mu sync.Mutex
	var tried []candidate
	r := &reduce.Reducer{Check: with.Check, Workers: defaultWorkers(), Budget: budget, Tried: func(script []byte, classes []string, same bool) {
		if same || len(classes) == 0 { // what shows something else is neither
			mu.Lock()
			tried = append(tried, candidate{script, same})
			mu.Unlock()
		}
	}}
	res, err := r.Reduce(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(notice, "misstep: reduced to %d lines and %d actions in %s, over %d candidates\n", res.Lines[1], res.Actions[1], res.Took.Round(100*time.Millisecond), len(tried))
	// The last ones are nearest to the reduced finding, and so to each other.
	slices.Reverse(tried)
	chosen := []candidate{{res.Script, true}}
	left := map[bool]int{true: failedRuns - 1, false: passedRuns}
	for _, c := range tried {
		if left[c.shows] > 0 {
			left[c.shows]--
			chosen = append(chosen, c)
		}
	}
	more, err := sound(ctx, &with, engine, reduce.Judge(res.Script))
	if err != nil {
		return nil, nil, err
	}
	runs, err := spectra(ctx, env, adapter, path, append(chosen, more...))
	if err != nil {
		return nil, nil, err
	}
	ranked, err := localise.Rank(runs, gobuild.Delve, source)
	return ranked, runs, err
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
				found[i] = candidate{text, false}
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

// spectra runs candidates with a Delve that counts; what comes out otherwise with it
// is left out.
func spectra(ctx context.Context, env *testscripts.Env, adapter *dap.Adapter, path string, chosen []candidate) ([]localise.Run, error) {
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
			counting.Adapter = &a
			classes, err := counting.Check(ctx, c.script)
			if err != nil || (len(classes) > 0) != c.shows {
				return
			}
			runs[i].Failed = c.shows
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
