package cli

import (
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/campaign/hub"
	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

func newWork() *cobra.Command {
	var join joinFlags
	var slots int
	var root bool
	cmd := &cobra.Command{
		Use:   "work [flags] --join HOST:PORT",
		Short: "Take jobs from a hub and do them, until it is interrupted",
		Long: `Work takes the jobs of campaigns that were submitted to a hub, as many at a time as it has
cores for, and puts what came of them back. It takes those that this machine can do: of its
system and architecture, for Delve, and for other debuggers that are installed here.

A worker executes the programs that it is sent, and whoever has the hub's key may send some.
Run it as a user without rights, in a container, or without a network beyond the hub;
docs/teams.md says how. It does not start as root without --as-root.

Interrupted, it gives its jobs back, and others take them up.

Exit codes: 0 it was interrupted, 1 error, 2 usage.`,
		Example: `  misstep work --join localhost:4250
  misstep work --join hub.example.org:4250 --key team.key -j 8`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if join.address == "" {
				return usagef("work needs a hub: --join HOST:PORT, of misstep serve")
			}
			if slots < 1 {
				return usagef("-j must be at least 1")
			}
			if os.Geteuid() == 0 && !root {
				return usagef("a worker executes the programs that it is sent, and this is root: start it as a user without rights, or with --as-root")
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			joined, err := join.hub(cmd.Context())
			if err != nil {
				return err
			}
			defer joined.Close()
			say := func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", text) }
			w := &hub.Worker{
				Hub: joined, Slots: slots, Adapters: dap.Installed(), Say: say, Free: hub.Room, Tasks: tasks(),
				Open: func(string) (campaign.Worker, func(), error) {
					k, err := proc.NewKeeper()
					if err != nil {
						return nil, nil, err
					}
					cache := &gobuild.Cache{Dir: h.cache.Dir, Keeper: k, Notice: h.cache.Notice, Shared: joined.Binaries()}
					return campaign.NewMachine(k, cache), func() { k.Close() }, nil
				},
			}
			say(fmt.Sprintf("working for the hub at %s, %d jobs at a time; interrupt to end", join.address, slots))
			return w.Run(cmd.Context())
		},
	}
	join.add(cmd, "the hub to take jobs from")
	cmd.Flags().IntVarP(&slots, "jobs", "j", runtime.NumCPU(), "jobs at the same time")
	cmd.Flags().BoolVar(&root, "as-root", false, "start although this is root, as in a container that is a fence itself")
	return cmd
}
