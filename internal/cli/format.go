package cli

import (
	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/report"
)

// format is how a campaign is printed.
type format struct{ json bool }

func (f *format) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the stream of events as JSON lines; docs/events.md says what is in it")
}

// handler prints to the command's streams.
func (f *format) handler(cmd *cobra.Command) campaign.Handler {
	if f.json {
		return report.JSON(cmd.OutOrStdout())
	}
	return report.Text(cmd.OutOrStdout(), cmd.ErrOrStderr())
}
