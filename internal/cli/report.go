package cli

import (
	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/report"
)

func newReport() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report [flags] DIR|EVENTS",
		Short: "Render a saved campaign once more",
		Long: `Report renders a campaign that is over, or that goes on still: the folder of a hunt
(findings, without --out), or the events that hunt --json has printed.

Exit codes: 0 it was rendered, and there are no findings, 1 error, 2 usage,
3 findings.`,
		Example: `  misstep report findings
  misstep hunt --json >events.json; misstep report events.json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			var handler campaign.Handler = report.Text(cmd.OutOrStdout(), cmd.ErrOrStderr())
			if asJSON {
				handler = report.JSON(cmd.OutOrStdout())
			}
			last := &lastSummary{}
			if err := report.Render(report.Open(cmd.Context(), a[0]), report.Tee(handler, last)); err != nil {
				return err
			}
			if last.sum != nil && last.sum.New() {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the stream of events as JSON lines")
	return cmd
}

// lastSummary keeps the last summary of a stream.
type lastSummary struct{ sum *campaign.Summary }

func (l *lastSummary) Handle(e campaign.Event) error {
	if e.Summary != nil {
		l.sum = e.Summary
	}
	return nil
}

func (l *lastSummary) Flush() error { return nil }
