package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"misstep/history"
	"misstep/history/record"
	"misstep/view"
)

// viewEvents is how many events a page has.
const viewEvents = 2_000_000

func newView() *cobra.Command {
	var html string
	var opts view.Options
	cmd := &cobra.Command{
		Use:   "view [flags] HISTORY",
		Short: "Write a history as one page of HTML, to walk through in a browser",
		Long: `View writes a page that shows what record has written: the history as a tree that
unfolds, beside the sources with the lines that were executed, and what happened to
an object. The page needs nothing beside itself and can be sent to others; it holds
the sources that were recorded.

A history that is damaged or cut short is shown up to there; the exit code is 1
then. Sources that have changed since are shown as they were.

Exit codes: 0 the page was written, 1 error, 2 usage.`,
		Example: `  misstep view misstep.history
  misstep view --object '<List:1>' misstep.history
  misstep view -o - misstep.history > page.html`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if opts.Limit < 0 {
				return usagef("--events %d: expected a number of events, or 0 for all", opts.Limit)
			}
			if html == "" {
				html = a[0] + ".html"
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			engine, err := parseEngine("dlv")
			if err != nil {
				return err
			}
			dir, err := h.keeper.TempDir("view")
			if err != nil {
				return err
			}
			return withHistory(a[0], func(r *history.Reader) error {
				// The page can do without the program's types, if the sources are not there as
				// they were.
				if rec, err := record.Reload(cmd.Context(), r.Plan, engine, dir); err == nil {
					opts.Code = rec.Code()
				} else if cmd.Context().Err() != nil {
					return cmd.Context().Err()
				}
				return writeView(cmd.OutOrStdout(), r, opts, html)
			})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&html, "html", "o", "", "file for the page instead of HISTORY.html; - is standard output")
	f.StringVar(&opts.Object, "object", "", "begin with what happens to this object, such as '<List:1>'; recorded with --objects")
	f.Int64Var(&opts.Limit, "events", viewEvents, "show only so many events; 0 is all")
	return cmd
}

// writeView writes a page and says where.
func writeView(out io.Writer, r *history.Reader, opts view.Options, name string) error {
	if name == "-" {
		return view.Write(out, r, opts)
	}
	size, err := create(name, func(w io.Writer) error { return view.Write(w, r, opts) })
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s (%d bytes)\n", name, size)
	return nil
}
