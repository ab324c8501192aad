package cli

import (
	"github.com/spf13/cobra"

	"misstep/triage/blame"
)

func newBlame() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "blame FINDING",
		Short: "Say whether a finding is the debugger's, its adapter's or the compiler's",
		Long: `Blame runs a finding and looks for evidence of what causes it: in the line table and
the variables of the binary's debug information, with another debugger on the same
binary, and with the same debugger on binaries of other toolchains.

lldb-dap is the other debugger, if it is installed; it is asked only where no variables
are concerned, which it does not show of Go programs. Toolchains are those that are
here already, one of each release that the debugger knows.

Exit codes: 0 the evidence is printed, 1 error, 2 usage, 3 the finding does not
reproduce.`,
		Example: `  misstep blame findings/R2-breakpoint_continue_ReturnStmt_location.txtar`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			env, given, err := openFinding(cmd, a[0], "")
			if err != nil {
				return err
			}
			defer env.Close()
			w := &blame.Witnesses{Env: env, Out: cmd.OutOrStdout()}
			return reproduces(a[0], w.Ask(cmd.Context(), given))
		},
	}
	return cmd
}
