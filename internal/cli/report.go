package cli

import (
	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/report"
)

func newReport() *cobra.Command {
	var f format
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
			seen := &told{}
			if err := report.Render(report.Open(cmd.Context(), a[0]), report.Tee(f.handler(cmd), seen)); err != nil {
				return err
			}
			if seen.findings {
				return errFindings
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// told is whether a stream has findings that are not known: what its last summary says,
// and before there is one, what was found.
type told struct{ findings bool }

func (t *told) Handle(e campaign.Event) error {
	switch {
	case e.Summary != nil:
		t.findings = e.Summary.New()
	case e.Finding != nil && e.Finding.Known == "":
		t.findings = true
	}
	return nil
}

func (t *told) Flush() error { return nil }
