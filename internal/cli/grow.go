package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"misstep/conform"
	"misstep/conform/grow"
	"misstep/gen"
	"misstep/internal/gobuild"
)

// growFlags are those of grow.
type growFlags struct {
	with, out  string
	seed       uint64
	sample     int
	grammar    bool
	sessions   time.Duration
	most, jobs int
	lines      int
	commands   int
	reduce     time.Duration
	unguided   bool
	written    int // members of the pool that are on disk
}

func newGrow() *cobra.Command {
	g := &growFlags{}
	cmd := &cobra.Command{
		Use:   "grow [flags] --out DIR [PATTERN…]",
		Short: "Make conformance tests from Go's grammar and from what a debugger executes",
		Long: `Grow makes testscripts that nobody wrote.

For each alternative of each production of Go's grammar it synthesises a program that has it,
compiles, runs and ends, and a session that pauses there and steps on. A recorded run of the program
judges what the debugger shows, and what it has judged is written down as what the test demands.
The tests in DIR are few that together have all alternatives and make all checks.

With --sessions it also tries sessions of all kinds, for so long, of the programs that the
patterns name as for hunt (the corpus without any), on a build of Delve that counts what of it is executed.
Of programs that are longer than --lines, slices are taken. Sessions that have Delve execute a block, or a rule judge a case,
that none before has, make a pool, of which further sessions are made by mutation. Few tests that together execute all that the pool does are made small, and join the
others. The pool is kept in DIR/pool: the same command goes on with it. DIR/curve.csv has how it has grown, DIR/profile.txt and
DIR/coverage.txt what of Delve it executes, as hunt --cover has it.

Those that the debugger fails go to DIR/failing: each is a finding to read. The same seed gives the same programs; sessions
depend on what a debugger executes, which depends a little on time.

Exit codes: 0 the debugger passes all, 1 error, 2 usage, 3 it failed some.`,
		Example: `  misstep grow --out conformance
  misstep grow --with dlv@v1.26.0 --seed 7 --out conformance
  misstep grow --sessions 30m --out conformance corpus generated
  misstep conform --with my-adapter.toml conformance`,
		RunE: g.run,
	}
	f := cmd.Flags()
	f.StringVar(&g.with, "with", "dlv", "engine to try the tests on")
	f.StringVar(&g.out, "out", "", "folder for the tests")
	f.Uint64Var(&g.seed, "seed", 1, "seed of the programs and sessions")
	f.IntVar(&g.sample, "n", 0, "only so many alternatives, chosen by the seed; 0 for all")
	f.BoolVar(&g.grammar, "grammar", true, "make tests of the alternatives of Go's grammar")
	f.DurationVar(&g.sessions, "sessions", 0, "also try sessions of all kinds, for so long")
	f.IntVar(&g.most, "most", 1000, "with --sessions, so many tests of them at most")
	f.IntVar(&g.lines, "lines", 20, "with --sessions, lines of a test's program at most; slices of longer programs are taken; 0 for any number")
	f.IntVar(&g.commands, "commands", 10, "with --sessions, commands of a test at most; 0 for any number")
	f.DurationVar(&g.reduce, "reduce", 15*time.Second, "with --sessions, time to make each of these tests small")
	f.BoolVar(&g.unguided, "unguided", false, "with --sessions, do not make sessions of those that the pool has, to see what that is worth")
	f.IntVarP(&g.jobs, "jobs", "j", defaultWorkers(), "with --sessions, sessions at the same time")
	return cmd
}

// fewest are the commands of a test that has an action between the launch, the end and what judges.
const fewest = 4

// check reports flags that make no sense.
func (g *growFlags) check(patterns []string) error {
	switch {
	case g.out == "":
		return usagef("--out: expected a folder for the tests")
	case g.sample < 0:
		return usagef("--n must not be negative")
	case g.sessions < 0 || g.reduce < 0:
		return usagef("--sessions and --reduce must not be negative")
	case g.lines < 0 || g.commands < 0 || g.commands > 0 && g.commands < fewest:
		return usagef("--lines and --commands: expected 0, or at least 1 line and %d commands", fewest)
	case g.most < 1 || g.jobs < 1:
		return usagef("--most and -j must be at least 1")
	case g.sessions == 0 && !g.grammar:
		return usagef("--grammar=false: expected --sessions, as nothing is made without either")
	case g.sessions == 0 && (len(patterns) > 0 || g.unguided):
		return usagef("a pattern or --unguided: expected --sessions as well, to which they belong")
	}
	return nil
}

func (g *growFlags) run(cmd *cobra.Command, patterns []string) error {
	if err := g.check(patterns); err != nil {
		return err
	}
	env, engines, err := trying(cmd, []string{g.with}, false)
	if err != nil {
		return err
	}
	defer env.Close()
	if e := engines[0]; g.sessions > 0 && (e.Adapter != "dlv" || e.Path != "") {
		return usagef("--sessions: expected a released version of Delve, such as dlv@%s, as it is built to count what is executed", gobuild.PinnedDelve)
	}
	var programs []*gobuild.Program
	if g.sessions > 0 {
		finder := &gen.Finder{Cache: env.Cache, Keeper: env.Keeper, Engine: engines[0]}
		if programs, _, err = finder.Find(cmd.Context(), patterns); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(g.out, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	there, _ := filepath.Glob(filepath.Join(g.out, "*.txtar"))
	old, _ := filepath.Glob(filepath.Join(g.pool(), "*.txtar"))
	if len(there) > 0 && (g.sessions == 0 || len(old) == 0) {
		return usagef("--out: %s holds tests already; name another folder", g.out)
	}
	var suite, failing []conform.Test
	if g.grammar && len(there) == 0 {
		grower := &grow.Grower{Env: env, Engine: engines[0], Seed: g.seed, Sample: g.sample, Said: saidTo(cmd)}
		grown, err := grower.Grow(cmd.Context())
		if err != nil {
			return err
		}
		suite, failing = grown.Suite, grown.Failing
		sayGrown(cmd.OutOrStdout(), grown)
	}
	for _, file := range there {
		s, err := readScript(file)
		if err != nil {
			return err
		}
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); !ofPool(name) {
			suite = append(suite, conform.Test{Name: name, Script: s})
		} else if err := os.Remove(file); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if g.sessions > 0 {
		more, failed, err := g.growPool(cmd, env, engines[0], programs, old, suite)
		if err != nil {
			return err
		}
		suite, failing = append(suite, more...), append(failing, failed...)
	}
	if err := writeTests(g.out, suite); err != nil {
		return err
	}
	if err := writeTests(filepath.Join(g.out, "failing"), failing); err != nil {
		return err
	}
	if len(failing) > 0 {
		return errFindings
	}
	return nil
}

// saidTo tells a command's user of what is done.
func saidTo(cmd *cobra.Command) func(format string, args ...any) {
	return func(format string, args ...any) {
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: "+format+"\n", args...)
	}
}

// writeTests writes tests into a folder, which is made if there are any.
func writeTests(dir string, tests []conform.Test) error {
	for i, t := range tests {
		if i == 0 {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return fmt.Errorf("writing the tests: %w", err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, t.Name+".txtar"), t.Script.Format(), 0o666); err != nil {
			return fmt.Errorf("writing the tests: %w", err)
		}
	}
	return nil
}

// sayGrown says what has come of it.
func sayGrown(out io.Writer, g *grow.Growth) {
	share := func(n int) float64 { return 100 * float64(n) / float64(g.Alternatives) }
	fmt.Fprintf(out, "alternatives  %d of the grammar are wanted\n", g.Alternatives)
	fmt.Fprintf(out, "built         %d (%.1f %%) in %d programs that run and end\n", g.Built, share(g.Built), g.Programs)
	fmt.Fprintf(out, "judged        %d (%.1f %%) in sessions that a recorded run judges\n", g.Judged, share(g.Judged))
	fmt.Fprintf(out, "suite         %d tests\n", len(g.Suite))
	fmt.Fprintf(out, "failing       %d tests\n", len(g.Failing))
	if len(g.Left) > 0 {
		fmt.Fprintln(out, "not judged:")
	}
	for _, a := range slices.Sorted(maps.Keys(g.Left)) {
		fmt.Fprintf(out, "  %s: %s\n", a, g.Left[a])
	}
}
