package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
)

// campaignFlags are the options of commands that carry campaigns out.
type campaignFlags struct {
	cfg    campaign.Config
	opts   campaign.Options
	format format
	cover  string // the folder for what of Delve was executed; empty for none
	team   teamFlags
}

func newCampaignFlags() *campaignFlags {
	return &campaignFlags{
		cfg: campaign.Config{Generate: gen.DefaultConfig(), Options: dap.DefaultOptions(), Limits: gobuild.DefaultLimits},
	}
}

func (c *campaignFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	cfg := &c.cfg
	f.StringVar(&c.opts.With, "with", "dlv", "engine under test, such as dlv@v1.26.0, dlv=PATH, lldb-dap, or a file that describes an adapter")
	f.DurationVar(&cfg.Time, "time", 0, "stop the runs after this time")
	f.IntVar(&cfg.Runs, "runs", 0, "stop after this many runs")
	f.Uint64Var(&cfg.Seed, "seed", 1, "seed of all that is random")
	f.IntVarP(&cfg.Workers, "jobs", "j", defaultWorkers(), "runs at the same time")
	f.StringVar(&cfg.Out, "out", "findings", "folder for the findings and the state of the hunt")
	f.IntVar(&cfg.Generate.Actions, "actions", cfg.Generate.Actions, "execution actions of a session, at most")
	f.Float64Var(&cfg.Generate.Breakpoints, "breakpoints", cfg.Generate.Breakpoints, "chance that a line gets a breakpoint")
	f.Float64Var(&cfg.Generate.Removals, "removals", cfg.Generate.Removals, "chance that a breakpoint is removed again")
	f.Float64Var(&cfg.Generate.Extras, "extras", cfg.Generate.Extras, "chance that something else is asked after a pause")
	f.DurationVar(&cfg.Limits.Time, "program-time", cfg.Limits.Time, fmt.Sprintf("how long a program may run by itself; one that runs longer is debugged as one without an end, and has no recorded run to be judged by. Of up to %d programs, %s by default, less for one that does nothing", fewPrograms, slowProgram))
	f.DurationVar(&cfg.Options.Run, "run-time", cfg.Options.Run, "an action that lets the program run longer is given up")
	f.StringVar(&c.opts.Known, "known", "", "file with classes that are known, see docs/triage.md: they are counted, but no findings")
	f.IntVar(&cfg.Sample, "sample", 0, "write so many findings, from all classes in turn, where one for each is fewer")
	f.DurationVar(&cfg.Reduce, "reduce", 2*time.Minute, "time to reduce the findings in, one of each class, when the runs are over; 0 leaves them as they are")
	c.format.add(cmd)
	c.team.add(cmd)
}

// defaultWorkers: launching a debugger keeps a core busy, stepping mostly
// waits, so more runs than cores pay: on two cores, two at a time reached 7.8
// sessions a second, three 9.2, four 9.6 and six 10.0.
func defaultWorkers() int { return 2 * runtime.NumCPU() }

// fewPrograms are those that somebody has chosen one by one, and slowProgram is how long each of these may take.
const fewPrograms, slowProgram = 5, 12 * time.Second

// run carries the campaign out.
func (c *campaignFlags) run(cmd *cobra.Command, patterns []string) error {
	if err := c.team.check(); err != nil {
		return err
	}
	if c.team.address != "" && c.cover != "" {
		return usagef("--cover counts on this machine, and --join lets others work")
	}
	h, err := newHouse(cmd)
	if err != nil {
		return err
	}
	defer h.close()
	ctx := cmd.Context()
	c.opts.Patterns = patterns
	if err := c.opts.Configure(ctx, h.keeper, h.cache, &c.cfg); err != nil {
		return asUsage[*campaign.OptionError](err)
	}
	c.cfg.Limits.Waits = cmd.Flags().Changed("program-time")
	if !c.cfg.Limits.Waits && len(c.cfg.Programs) <= fewPrograms {
		c.cfg.Limits.Time = slowProgram
	}
	handler, err := c.format.handler(cmd, "")
	if err != nil {
		return err
	}
	start := time.Now()
	hunt := c.here
	if c.team.address != "" {
		hunt = c.team.hunt
	}
	sum, err := hunt(cmd, h, &c.cfg, handler)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted after %s; the same command goes on from here", time.Since(start).Round(time.Second))
	}
	return ended(cmd, sum, err, len(c.cfg.Programs))
}

// here carries the campaign out on this machine.
func (c *campaignFlags) here(cmd *cobra.Command, h *house, cfg *campaign.Config, handler campaign.Handler) (*campaign.Summary, error) {
	ctx := cmd.Context()
	machine := campaign.NewMachine(h.keeper, h.cache)
	if err := machine.Prepare(ctx, cfg); err != nil {
		return nil, err
	}
	var counted *counters
	if c.cover != "" {
		var err error
		if counted, err = countIn(ctx, h, cfg.Engine, c.cover); err != nil {
			return nil, err
		}
		machine = machine.With(counted.adapter)
	}
	version, err := h.cache.GoEnv(ctx, cfg.Engine, "GOVERSION")
	if err != nil {
		return nil, err
	}
	store, err := campaign.OpenStore(ctx, cfg.Out)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	sum, err := campaign.Hunt(ctx, cfg, machine, store, version, handler)
	if counted != nil {
		err = errors.Join(err, counted.write(cmd))
	}
	return sum, err
}

// ended says how a campaign ended. What was found is told, and counts, whatever ended it.
func ended(cmd *cobra.Command, sum *campaign.Summary, err error, programs int) error {
	switch {
	case sum != nil && sum.New():
		if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", err)
		}
		return errFindings
	case err != nil:
		return err
	case sum.Runs == 0 && sum.Cut > 0 && len(sum.Tally.Made) == 0:
		return fmt.Errorf("no run came to its end within --time; %d were begun, and nothing was checked until then", sum.Cut)
	case sum.Runs == 0 && sum.Cut > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: no run came to its end within --time; %d were begun, and what they showed until then was judged\n", sum.Cut)
	case sum.Runs == 0 && sum.Unfit >= programs:
		return fmt.Errorf("none of the %d programs is fit to be debugged", programs)
	case sum.Runs == 0:
		return fmt.Errorf("no run was begun within --time")
	}
	return nil
}
