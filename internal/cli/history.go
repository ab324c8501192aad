package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"misstep/history"
)

func newHistory() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show a history that record has written, or export it",
		Args:  func(cmd *cobra.Command, args []string) error { return unknownCommand(cmd, args) },
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHistoryShow(), newHistoryInstances(), newHistoryExport())
	return cmd
}

func newHistoryShow() *cobra.Command {
	var f history.Filter
	var fn string
	cmd := &cobra.Command{
		Use:   "show [flags] FILE",
		Short: "Print a history as a tree",
		Long: `Show prints what happened in a recorded run, one line for each event, with its
number: functions that were entered, with those that they called below them, and
which way branches went. What is not shown of a branch did not happen: an if
without a line was false.

A history that is damaged or cut short is shown up to there; the exit code is 1
then.`,
		Example: `  misstep history show misstep.history
  misstep history show --depth 3 misstep.history
  misstep history show --func 'parse.*' misstep.history`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if fn != "" {
				re, err := regexp.Compile(fn)
				if err != nil {
					return usagef("--func: %w", err)
				}
				f.Func = re
			}
			return withHistory(a[0], func(r *history.Reader) error {
				if err := history.Show(cmd.OutOrStdout(), r, f); err != nil {
					return err
				}
				if r.End != nil && r.End.Stopped != "" {
					fmt.Fprintf(cmd.ErrOrStderr(), "misstep: recording stopped before the program did: %s\n", r.End.Stopped)
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Depth, "depth", 0, "show activations only so deep, and count what is below; 0 is no limit")
	flags.StringVar(&fn, "func", "", "show functions whose name matches this regular expression, and who called them")
	flags.StringVar(&f.Site, "site", "", "show branches at FILE:LINE, and in which activations")
	flags.StringVar(&f.Instance, "instance", "", "show what happens to this object, such as '<List:1>', and in which activations; recorded with --objects")
	flags.Uint64Var(&f.Goroutine, "goroutine", 0, "show only this goroutine")
	flags.Int64Var(&f.From, "from", 0, "show only events from this number on")
	flags.Int64Var(&f.To, "to", 0, "show only events up to this number; 0 is all")
	return cmd
}

func newHistoryInstances() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "instances [flags] FILE",
		Short: "List the objects of a history that was recorded with --objects",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withHistory(a[0], func(r *history.Reader) error {
				all := history.NewInstances(r.Plan)
				for _, err := range r.Points(all) {
					if err != nil {
						return err
					}
				}
				for _, i := range all.All {
					if name == "" || i.Type == name {
						fmt.Fprintf(cmd.OutOrStdout(), "%8d  %-24s %8d events  %s\n", i.First, i, i.Events, r.Plan.Made(i))
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "type", "", "only those of this type")
	return cmd
}

func newHistoryExport() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export [flags] FILE",
		Short: "Write a history as a Chrome trace, which chrome://tracing and Perfetto open",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withHistory(a[0], func(r *history.Reader) error {
				var w io.Writer = cmd.OutOrStdout()
				if output != "" {
					out, err := os.Create(output)
					if err != nil {
						return fmt.Errorf("writing the trace: %w", err)
					}
					defer out.Close()
					w = out
				}
				return history.Chrome(w, r)
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file for the trace instead of standard output")
	return cmd
}
