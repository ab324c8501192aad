package cli

import (
	"github.com/spf13/cobra"
)

func newDiff() *cobra.Command {
	c := newCampaignFlags()
	cmd := &cobra.Command{
		Use:   "diff [flags] --against ENGINE [PATTERN…]",
		Short: "Run debuggers side by side and look for differences",
		Long: `Diff runs debuggers side by side over many programs, with the same generated
actions, and stops a session at the first difference of what they show: where a
breakpoint is set, whether it is removed, whether the program has ended, where it is
paused, its stack, its variables, or what is answered. With several --against, the
debuggers vote, and the odd one out is named.

Programs are named as for hunt. What an adapter cannot do is not compared, and the
summary says so: lldb-dap, for one, shows no variables of Go programs. Engines that
name no toolchain get one that all of them know.

The engine "reference" answers from a recorded run of the program.

Exit codes: 0 no difference, 1 error, 2 usage, 3 findings.`,
		Example: `  misstep diff --with dlv --against dlv@v1.26.0
  misstep diff --with dlv,go=go1.26.8 --against dlv,go=go1.25.0 --time 5m goroot
  misstep diff --with dlv --against lldb-dap --against reference corpus`,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			if len(c.opts.Against) == 0 {
				return usagef("diff needs an engine to compare with: --against, such as --against dlv@v1.26.0")
			}
			return c.run(cmd, patterns)
		},
	}
	c.add(cmd)
	cmd.Flags().StringArrayVar(&c.opts.Against, "against", nil, "engine to compare with, such as dlv@v1.26.0, lldb-dap or reference; may be repeated")
	return cmd
}
