package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"misstep/testscripts"
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
			found, failed := 0, 0
			for _, r := range env.Replay(cmd.Context(), files) {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				if traces != "" && r.Trace != nil {
					if err := writeTrace(traces, r); err != nil {
						return err
					}
				}
				out := cmd.OutOrStdout()
				if verbose {
					fmt.Fprintln(out, strings.TrimSpace(r.Log))
				}
				switch {
				case r.Passed:
					fmt.Fprintf(out, "%s: passed: the debugger behaves as the script says\n", r.File)
				case r.Skipped:
					fmt.Fprintf(out, "%s: skipped\n", r.File)
				case r.Finding:
					found++
					fmt.Fprintf(out, "%s: reproduced: %s\n", r.File, r.Reason)
				default:
					failed++
					fmt.Fprintf(cmd.ErrOrStderr(), "misstep: %s: %s\n", r.File, r.Reason)
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
	cmd.Flags().StringVar(&with, "with", "", "engine to use instead of the one that the script names")
	cmd.Flags().StringVar(&traces, "trace", "", "write each script's trace into this folder, as JSON lines")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print each command of the scripts")
	return cmd
}

// writeTrace writes a script's trace beside others, named after the script.
func writeTrace(dir string, r testscripts.Result) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the folder for traces: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(r.File), ".txtar") + ".jsonl"
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("writing a trace: %w", err)
	}
	defer f.Close()
	if err := r.Trace.Write(f); err != nil {
		return err
	}
	return f.Close()
}
