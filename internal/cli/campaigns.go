package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"misstep/campaign/hub"
)

func newCampaigns() *cobra.Command {
	var join joinFlags
	var forget []string
	var older time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "campaigns [flags] --join HOST:PORT",
		Short: "List the campaigns of a hub, or forget some",
		Long: `Campaigns lists what a hub has, those begun last first: the name, when it was begun and by
whom, whether it came to its end, and its programs.

With --forget the campaigns that it names are removed for good: what they are, their jobs,
findings and events; and programs and scripts that none of the others has, once they are an
hour old. A campaign that somebody submits just now is refused. A worker that is at one of
its jobs is asked to end it, and waited for. With --forget-older those are that were begun
longer ago than a time and are not submitted by anybody.

Exit codes: 0, 1 error, 2 usage.`,
		Example: `  misstep campaigns --join localhost:4250
  misstep campaigns --join localhost:4250 --forget nightly --forget 5f3c2a10-2
  misstep campaigns --join localhost:4250 --forget-older 2160h`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case join.address == "":
				return usagef("campaigns are on a hub: --join HOST:PORT, of misstep serve")
			case older < 0 || older == 0 && cmd.Flags().Changed("forget-older"):
				return usagef("--forget-older %s: expected a time above zero, such as 720h", older)
			case asJSON && (len(forget) > 0 || older > 0):
				return usagef("--json is for the list")
			}
			ctx := cmd.Context()
			h, err := join.hub(ctx)
			if err != nil {
				return err
			}
			defer h.Close()
			all, err := h.Campaigns(ctx)
			if err != nil {
				return err
			}
			if len(forget) == 0 && older == 0 {
				return listCampaigns(cmd, all, asJSON)
			}
			for _, name := range forget {
				if !slices.ContainsFunc(all, func(l hub.Listed) bool { return l.Name == name }) {
					return fmt.Errorf("--forget %s: the hub has no such campaign, and nothing was forgotten; misstep campaigns --join %s lists them", name, join.address)
				}
			}
			return forgetCampaigns(cmd, h, all, forget, older)
		},
	}
	join.add(cmd, "the hub that has them")
	cmd.Flags().StringArrayVar(&forget, "forget", nil, "the name of a campaign to remove for good; it may be given several times")
	cmd.Flags().DurationVar(&older, "forget-older", 0, "remove the campaigns that were begun longer ago than this, and that nobody submits")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON, a line a campaign")
	return cmd
}

func listCampaigns(cmd *cobra.Command, all []hub.Listed, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		e := json.NewEncoder(out)
		for _, l := range all {
			if err := e.Encode(l); err != nil {
				return fmt.Errorf("writing the list: %w", err)
			}
		}
		return nil
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "the hub has no campaign")
	}
	for _, l := range all {
		state := "not at its end"
		if l.Complete {
			state = "complete"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\tby %s\t%s\n", l.Name, l.Begun.Format(time.RFC3339), state, l.By, l.Over)
	}
	return nil
}

// forgetCampaigns removes those that are named, and those that are older than a time; 0 is none.
func forgetCampaigns(cmd *cobra.Command, h *hub.Hub, all []hub.Listed, named []string, older time.Duration) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	for _, l := range all {
		byName := slices.Contains(named, l.Name)
		if !byName && (older == 0 || time.Since(l.Begun) <= older) {
			continue
		}
		switch err := h.Forget(ctx, l.Name); {
		case errors.Is(err, hub.ErrHeld) && !byName:
			fmt.Fprintf(out, "%s stays, as somebody is at work on it\n", l.Name)
		case err != nil:
			return err
		default:
			fmt.Fprintf(out, "%s is forgotten\n", l.Name)
		}
	}
	n, size, err := h.Sweep(ctx)
	switch {
	case errors.Is(err, hub.ErrAtWork):
		fmt.Fprintln(out, "programs stay for now, as the queue has jobs; the next --forget removes those that nobody needs")
	case err != nil:
		return err
	default:
		fmt.Fprintf(out, "%d programs and long texts that nobody needs are removed, %.1f MB\n", n, float64(size)/1e6)
	}
	return nil
}
