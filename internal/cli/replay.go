package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"misstep/dap"
	"misstep/script"
)

func newReplay() *cobra.Command {
	var with, traces string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "replay [--with ENGINE] FILE…",
		Short: "Run testscripts, such as a hunt's findings",
		Long: `Replay runs testscripts one after another and says of each whether the debugger
behaves as it demands. A finding of a hunt is such a script, and fails as long as
the debugger has the defect.

Exit codes: 0 all scripts passed, 1 a script could not be carried out, 2 usage,
3 a debugger did not behave as a script says.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			env, err := newEnv(cmd, with)
			if err != nil {
				return err
			}
			defer env.Close()
			env.Evidence = nil // which costs time, and is not told here
			found, failed := 0, 0
			for _, file := range files {
				s, err := readScript(file)
				if err != nil {
					failed++
					fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", err)
					continue
				}
				r := env.Run(cmd.Context(), s)
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				if traces != "" && r.Trace != nil {
					if err := writeTrace(traces, file, r.Trace); err != nil {
						return err
					}
				}
				if verbose {
					fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSpace(r.Log))
				}
				switch sayReplayed(cmd, file, r) {
				case script.Reproduced:
					found++
				case script.Unable:
					failed++
				}
			}
			switch {
			case failed > 0:
				return fmt.Errorf("%d of %d scripts could not be carried out", failed, len(files))
			case found > 0:
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&with, "with", "", "engine to use instead of the one that the script names; options of the build stay, where it has none of its own")
	cmd.Flags().StringVar(&traces, "trace", "", "write each script's trace into this folder, as JSON lines")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print each command of the scripts")
	return cmd
}

// sayReplayed says how a script ended.
func sayReplayed(cmd *cobra.Command, file string, r *script.Result) script.Ending {
	switch r.Outcome {
	case script.Passed:
		who := "the debugger"
		if r.Trace == nil {
			who = "the program" // it was not debugged
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: passed: %s behaves as the script says\n", file, who)
	case script.Reproduced:
		fmt.Fprintf(cmd.OutOrStdout(), "%s: reproduced: %s:%d: %s\n", file, file, r.Line, r.Reason)
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: %s:%d: %s\n", file, r.Line, r.Reason)
	}
	return r.Outcome
}

// writeTrace writes a script's trace beside others, named after the script.
func writeTrace(dir, script string, t *dap.Trace) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the folder for traces: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(script), ".txtar") + ".jsonl"
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("writing a trace: %w", err)
	}
	defer f.Close()
	if err := t.Write(f); err != nil {
		return err
	}
	return f.Close()
}
