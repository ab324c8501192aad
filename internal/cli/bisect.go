package cli

import (
	"time"

	"github.com/spf13/cobra"

	"misstep/triage/bisect"
)

func newBisect() *cobra.Command {
	b := &bisect.Pipeline{Workers: defaultWorkers()}
	cmd := &cobra.Command{
		Use:   "bisect [flags] FINDING",
		Short: "Find the version of Delve or Go that brought a finding, and the one that mended it",
		Long: `Bisect runs a finding, a testscript that fails, with version after version, and names
the first that shows it and the first after that which does not.

  --over dlv   the released versions of Delve; with --repo the commits of a checkout,
               from --from to --to, which stays as it is
  --over go    the released toolchains, first the last one of each release

The finding is reduced first, as long as --reduce says: what other versions answer
differently on the way to it would be in the way.

A version that cannot be judged is skipped, such as a Delve that does not know the
program's toolchain; --go builds the program with another one. What is built or
fetched is kept.

Exit codes: 0 the versions are named, 1 error, 2 usage, 3 the finding does not
reproduce.`,
		Example: `  misstep bisect --over dlv findings/R3-value_next_IfStmt_variables.txtar
  misstep bisect --over dlv --repo ~/src/delve --from v1.26.0 --to master finding.txtar
  misstep bisect --over go finding.txtar`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if err := b.Check(); err != nil {
				return asUsage[*bisect.OptionError](err)
			}
			env, given, err := openFinding(cmd, a[0], "")
			if err != nil {
				return err
			}
			defer env.Close()
			b.Env, b.Out = env, cmd.OutOrStdout()
			return asUsage[*bisect.OptionError](reproduces(a[0], b.Run(cmd.Context(), given)))
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.Over, "over", "dlv", "dlv or go")
	f.StringVar(&b.Repo, "repo", "", "checkout of Delve whose commits to try instead of the released versions")
	f.StringVar(&b.From, "from", "", "oldest version, toolchain or commit to try")
	f.StringVar(&b.To, "to", "", "newest version, toolchain or commit to try")
	f.StringVar(&b.Go, "go", "", "toolchain to build the program with, such as go1.25.0")
	f.BoolVar(&b.AsIs, "as-is", false, "do not reduce the finding first")
	f.DurationVar(&b.Budget, "reduce", time.Minute, "time to reduce the finding in before the search")
	return cmd
}
