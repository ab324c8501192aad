// Package cli is the misstep command: one file for each subcommand, the exit
// codes in one file. A command is a function of its arguments and streams.
package cli

import (
	"context"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// Main runs the command and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return exitCode(root.ExecuteContext(ctx), stderr)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "misstep",
		Short: "Finds the missteps of debuggers",
		Long: `Misstep finds the missteps of debuggers: a breakpoint that is not hit, a step
that jumps over a line, a variable that is missing or wrong, a hang, a crash.

It drives Delve, or another debugger that speaks the Debug Adapter Protocol,
with generated actions, transforms them in ways that must not matter, and hands
back a testscript for each thing that it found.

Exit codes: 0 nothing found, 1 error, 2 usage, 3 findings.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          func(cmd *cobra.Command, args []string) error { return unknownCommand(cmd, args) },
		RunE:          func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(newHunt(), newDiff(), newReplay(), newReduce(), newBisect(), newLocalise(), newBlame(), newReport(), newRules(), newSelftest(), newPrograms(), newTransform(), newCommands(), newRecord(), newDebug(), newHistory(), newView(), newOmit(), newMutate(), newConform(), newCover(), newServe(), newWork(), newCampaigns(), newCoverage(), newGrow())
	return root
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "; did you mean " + s[0] + "?"
	}
	return usagef("unknown command %q%s; see misstep --help", args[0], hint)
}

// args makes an argument check whose error is a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		if err := check(cmd, a); err != nil {
			return usagef("%w; usage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// house is what most commands need: a keeper of processes and a cache.
type house struct {
	keeper *proc.Keeper
	cache  *gobuild.Cache
}

func newHouse(cmd *cobra.Command) (*house, error) {
	dir, err := gobuild.CacheDir()
	if err != nil {
		return nil, err
	}
	k, err := proc.NewKeeper()
	if err != nil {
		return nil, err
	}
	return &house{k, &gobuild.Cache{Dir: dir, Keeper: k, Notice: cmd.ErrOrStderr()}}, nil
}

func (h *house) close() { h.keeper.Close() }

func parseEngine(text string) (gobuild.Engine, error) {
	e, err := gobuild.ParseEngine(text)
	if err != nil {
		return e, &usageError{err}
	}
	return e, nil
}
