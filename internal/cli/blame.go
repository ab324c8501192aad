package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/testscripts"
	"misstep/triage/reduce"
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
			ctx := cmd.Context()
			text, err := os.ReadFile(a[0])
			if err != nil {
				return fmt.Errorf("reading the finding: %w", err)
			}
			engine, err := parseEngine(reduce.Engine(text))
			if err != nil {
				return fmt.Errorf("%s: %w", a[0], err)
			}
			env, err := newEnv(cmd, "")
			if err != nil {
				return err
			}
			defer env.Close()
			env.Blame = true
			r := env.Replay(ctx, a)[0]
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case r.Passed:
				return reproduces(a[0], reduce.ErrNotReproduced)
			case !r.Finding:
				return fmt.Errorf("%s: %s", a[0], r.Reason)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s: %s\n", r.Classes[0], r.Reason)
			if r.Evidence != nil {
				fmt.Fprintf(out, "debug information: %s\n", r.Evidence)
			} else {
				fmt.Fprintln(out, "debug information: not looked at: the finding names neither a line nor a variable")
			}
			env.Blame = false
			variables := strings.Contains(r.Classes[0], "/variables") || strings.Contains(r.Classes[0], "/value")
			if err := otherDebugger(ctx, cmd, env, engine, text, variables); err != nil {
				return err
			}
			return otherToolchains(ctx, cmd, env, engine, text)
		},
	}
	return cmd
}

// otherDebugger runs a finding with lldb-dap on the same binary.
func otherDebugger(ctx context.Context, cmd *cobra.Command, env *testscripts.Env, e gobuild.Engine, text []byte, variables bool) error {
	out := cmd.OutOrStdout()
	other := e
	other.Adapter, other.Version, other.Path, other.Unchecked = "lldb-dap", "", "", false
	if other.Adapter == e.Adapter {
		other.Adapter = "dlv"
	}
	if _, err := dap.Resolve(ctx, env.Cache, other); err != nil {
		fmt.Fprintf(out, "another debugger: %v\n", err)
		return ctx.Err()
	}
	if variables && other.Adapter == "lldb-dap" {
		fmt.Fprintln(out, "another debugger: not asked: lldb-dap shows no variables of Go programs")
		return nil
	}
	return with(ctx, cmd, env, "another debugger", other, text)
}

// otherToolchains runs a finding with the program built by other releases of Go.
func otherToolchains(ctx context.Context, cmd *cobra.Command, env *testscripts.Env, e gobuild.Engine, text []byte) error {
	own, err := env.Cache.GoEnv(ctx, e, "GOVERSION")
	if err != nil {
		return err
	}
	local, err := env.Cache.GoEnv(ctx, gobuild.Engine{}, "GOVERSION")
	if err != nil {
		return err
	}
	known, ok, err := env.Cache.Knows(ctx, e)
	if err != nil {
		return err
	}
	tried := 0
	seen := map[int]bool{gobuild.Minor(own): true}
	for _, v := range append(env.Cache.Kept(ctx), local) {
		minor := gobuild.Minor(v)
		if seen[minor] || ok && !e.Unchecked && !known.Has(v) {
			continue
		}
		seen[minor] = true
		tried++
		other := e
		other.Go = v
		if err := with(ctx, cmd, env, "another compiler", other, text); err != nil {
			return err
		}
	}
	if tried == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "another compiler: no toolchain of another release is here that the debugger knows; bisect --over go fetches them")
	}
	return nil
}

// with runs a finding with an engine and prints what that says.
func with(ctx context.Context, cmd *cobra.Command, env *testscripts.Env, what string, e gobuild.Engine, text []byte) error {
	under := *env
	under.Engine = e.String()
	classes, err := under.Check(ctx, text)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out := cmd.OutOrStdout()
	switch {
	case err != nil:
		fmt.Fprintf(out, "%s: %s: cannot be judged: %s\n", what, e, source.Shorten(err.Error(), 160))
	case len(classes) == 0:
		fmt.Fprintf(out, "%s: %s: does not show it\n", what, e)
	default:
		slices.Sort(classes)
		fmt.Fprintf(out, "%s: %s: shows %s\n", what, e, strings.Join(slices.Compact(classes), ", "))
	}
	return nil
}
