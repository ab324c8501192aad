package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"misstep/triage/reduce"
)

func newReduce() *cobra.Command {
	var output, with string
	var jobs int
	var budget time.Duration
	cmd := &cobra.Command{
		Use:   "reduce [flags] FINDING",
		Short: "Make a finding small: its program and its actions together",
		Long: `Reduce removes from a finding, a script that fails, what it does not need: actions,
and of the program files, declarations, statements, expressions and more, as long as
the debugger does the same thing wrong: the finding stays in its class. Candidates
that do not parse or type-check are not run. The result is tried three times before
it is believed.

The reduced script is printed, or written with --output. What each pass did goes
to standard error.

Exit codes: 0 reduced, 1 error, 2 usage, 3 the finding does not reproduce.`,
		Example: `  misstep reduce findings/R3-value_next_IfStmt_variables.txtar
  misstep reduce --time 5m -o small.txtar big.txtar`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if jobs < 1 || budget < 0 {
				return usagef("--time must not be negative, -j at least 1")
			}
			if err := hasFolder("--output", output); err != nil {
				return err
			}
			env, given, err := openFinding(cmd, a[0], with)
			if err != nil {
				return err
			}
			defer env.Close()
			env, forget := env.Remembering()
			defer forget()
			r := &reduce.Reducer{Check: env.Check, Explain: env.Explain, Workers: jobs, Budget: budget}
			res, err := r.Reduce(cmd.Context(), given)
			if err != nil {
				return reproduces(a[0], err)
			}
			w := cmd.ErrOrStderr()
			for _, p := range res.Passes {
				fmt.Fprintln(w, "misstep:", p)
			}
			fmt.Fprintf(w, "misstep: %s: %s: from %d to %d lines, from %d to %d actions, %d candidates run in %s%s\n",
				a[0], res.Class, res.Lines[0], res.Lines[1], res.Actions[0], res.Actions[1], res.Ran, res.Took.Round(100*time.Millisecond), unfinished(res))
			if output == "" {
				_, err = cmd.OutOrStdout().Write(res.Script.Format())
			} else if err = os.WriteFile(output, res.Script.Format(), 0o666); err != nil {
				err = fmt.Errorf("writing the reduced finding: %w", err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "file for the reduced finding instead of standard output")
	f.StringVar(&with, "with", "", "engine to use instead of the one that the finding names; options of the build stay, where it has none of its own")
	f.DurationVar(&budget, "time", 2*time.Minute, "stop after this time with what there is; 0 is no limit")
	f.IntVarP(&jobs, "jobs", "j", defaultWorkers(), "candidates to try at the same time")
	return cmd
}

func unfinished(res *reduce.Reduction) string {
	if res.Complete {
		return ""
	}
	return "; time is up, there may be more to remove"
}
