package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"misstep/conform"
	"misstep/conform/grow"
)

func newGrow() *cobra.Command {
	var with, out string
	var seed uint64
	var sample int
	cmd := &cobra.Command{
		Use:   "grow [flags] --out DIR",
		Short: "Make conformance tests from Go's grammar",
		Long: `Grow makes testscripts that nobody wrote. For each alternative of each production of Go's
grammar it synthesises a program that has it, compiles, runs and ends, and a session that
pauses there and steps on. A recorded run of the program judges what the debugger shows,
and what it has judged is written down as what the test demands.

The tests in DIR are few that together have all alternatives and make all checks. Those that the debugger fails go to DIR/failing: each is a finding to read. The
same seed gives the same programs and sessions.

Exit codes: 0 the debugger passes all, 1 error, 2 usage, 3 it failed some.`,
		Example: `  misstep grow --out conformance
  misstep grow --with dlv@v1.26.0 --seed 7 --out conformance
  misstep conform --with my-adapter.toml conformance`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usagef("--out: expected a folder for the tests")
			}
			if sample < 0 {
				return usagef("--n must not be negative")
			}
			env, engines, err := trying(cmd, []string{with}, false)
			if err != nil {
				return err
			}
			defer env.Close()
			if err := os.MkdirAll(out, 0o777); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			if there, _ := filepath.Glob(filepath.Join(out, "*.txtar")); len(there) > 0 {
				return usagef("--out: %s holds tests already; name another folder", out)
			}
			g := &grow.Grower{Env: env, Engine: engines[0], Seed: seed, Sample: sample, Said: func(format string, args ...any) {
				fmt.Fprintf(cmd.ErrOrStderr(), "misstep: "+format+"\n", args...)
			}}
			grown, err := g.Grow(cmd.Context())
			if err != nil {
				return err
			}
			if err := writeTests(out, grown.Suite); err != nil {
				return err
			}
			if err := writeTests(filepath.Join(out, "failing"), grown.Failing); err != nil {
				return err
			}
			sayGrown(cmd.OutOrStdout(), grown)
			if len(grown.Failing) > 0 {
				return errFindings
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&with, "with", "dlv", "engine to try the tests on")
	f.StringVar(&out, "out", "", "folder for the tests")
	f.Uint64Var(&seed, "seed", 1, "seed of the programs and sessions")
	f.IntVar(&sample, "n", 0, "only so many alternatives, chosen by the seed; 0 for all")
	return cmd
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
