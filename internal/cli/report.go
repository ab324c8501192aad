package cli

import (
	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/report"
)

func newReport() *cobra.Command {
	var f format
	var i issueFlags
	cmd := &cobra.Command{
		Use:   "report [flags] DIR|EVENTS [EARLIER…]",
		Short: "Render a saved campaign once more",
		Long: `Report renders a campaign that is over, or that goes on still: the folder of a hunt
(findings, without --out), or the events that hunt --json has printed.

It prints what the hunt has printed; with --lines a line for each class of findings, which
editors and CI understand; with --json the events. --sarif, --junit and --html write files,
as they do with hunt. The page that --html writes says which classes have come and which
are gone since EARLIER campaigns, which are named after the one to render.

With --issue it prints a finding as the text of an issue instead, in the form that Delve's
or Go's tracker asks for. The finding is carried out once more; its actions are translated
into commands of dlv's terminal client, which are run and have to show the same, or the text
says that it shows over DAP alone. --bisect and --localise put in since which version it
shows, and which functions to look at; they take minutes.

With --study the same is found out of each cause of a campaign, of its first class. It is
kept beside the scripts, so that an interrupted study goes on, and the page and SARIF show
it then and whenever the campaign is rendered.

Exit codes: 0 it was rendered, and there are no findings, 1 error, 2 usage,
3 findings.`,
		Example: `  misstep report findings
  misstep report --html page.html --sarif misstep.sarif --junit misstep.xml findings
  misstep report --html page.html tonight yesterday
  misstep report --study --bisect --most 5 --html page.html findings
  misstep hunt --json >events.json; misstep report events.json
  misstep report --issue --bisect findings/R3-value_next_IfStmt_variables.txtar`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if i.write {
				return i.run(cmd, a)
			}
			switch {
			case i.project != "":
				return usagef("--for is for --issue")
			case !i.study && (i.bisect || i.localise):
				return usagef("--bisect and --localise are for --issue and --study")
			case i.most < 0 || i.most > 0 && !i.study:
				return usagef("--most is for --study, and must not be negative")
			case i.study:
				if err := i.studies(cmd, a[0]); err != nil {
					return err
				}
			}
			var earlier []*report.Campaign
			for _, path := range a[1:] {
				c, err := report.ReadCampaign(cmd.Context(), path)
				if err != nil {
					return err
				}
				earlier = append(earlier, c)
			}
			handler, err := f.handler(cmd, report.Folder(a[0]), earlier...)
			if err != nil {
				return err
			}
			seen := &told{}
			if err := report.Render(report.Open(cmd.Context(), a[0]), report.Tee(handler, seen)); err != nil {
				return err
			}
			if seen.findings {
				return errFindings
			}
			return nil
		},
	}
	f.add(cmd)
	i.add(cmd)
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
