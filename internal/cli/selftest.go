package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"misstep/faults"
	"misstep/selftest"
)

func newSelftest() *cobra.Command {
	with, seed, runs, workers := "dlv", uint64(1), 30, defaultWorkers()
	cmd := &cobra.Command{
		Use:   "selftest [FAULT…]",
		Short: "Break a healthy debugger on purpose and see whether it is found out",
		Long: `Selftest puts a proxy between misstep and a healthy debugger that breaks it in one
way after another, and hunts. A fault is found when a finding's script fails with
the broken debugger and passes with the healthy one.

Faults that are always there, so that a debugger compared with itself looks
healthy, are marked "reference": only a record of the true execution shows them.

Exit codes: 0 every fault is found, 1 error, 2 usage, 3 one is not.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			engine, err := parseEngine(with)
			if err != nil {
				return err
			}
			list := faults.Faults
			if len(names) > 0 {
				list = nil
				for _, name := range names {
					f, err := faults.Lookup(name)
					if err != nil {
						return &usageError{err}
					}
					list = append(list, f)
				}
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			t := &selftest.Test{Keeper: h.keeper, Cache: h.cache, Engine: engine, Seed: seed, Runs: runs, Workers: workers}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%-18s %-10s %-6s %8s %7s  %s\n", "fault", "seen by", "found", "sessions", "time", "by")
			missed := 0
			for _, f := range list {
				r, err := t.Run(cmd.Context(), f)
				if err != nil {
					return err
				}
				found := "yes"
				if !r.Found {
					found = "no"
					missed++
				}
				fmt.Fprintf(out, "%-18s %-10s %-6s %8d %7s  %s\n", f.Name, f.Sight, found, r.Sessions, r.Took.Round(100*time.Millisecond), r.By)
			}
			if missed > 0 {
				fmt.Fprintf(out, "%d faults were not found\n", missed)
				return errFindings
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&with, "with", with, "the healthy engine")
	f.Uint64Var(&seed, "seed", seed, "seed of all that is random")
	f.IntVar(&runs, "runs", runs, "runs of a fault's campaign, at most")
	f.IntVarP(&workers, "jobs", "j", workers, "runs at the same time")
	return cmd
}
