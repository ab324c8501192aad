package cli

import (
	"time"

	"github.com/spf13/cobra"

	"misstep/triage/localise"
)

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
			env, given, err := openFinding(cmd, a[0], "")
			if err != nil {
				return err
			}
			defer env.Close()
			p := &localise.Pipeline{Env: env, Workers: defaultWorkers(), Budget: budget, Notice: cmd.ErrOrStderr()}
			report, err := p.Run(cmd.Context(), given)
			if err != nil {
				return reproduces(a[0], err)
			}
			return report.Write(cmd.OutOrStdout(), top)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&budget, "time", 2*time.Minute, "time to reduce the finding in; 0 is no limit")
	f.IntVar(&top, "top", top, "functions to print")
	return cmd
}
