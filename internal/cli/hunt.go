package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/oracle"
	"misstep/report"
	"misstep/testscripts"
	"misstep/transform"
	"misstep/triage"
	"misstep/triage/reduce"
)

// huntRuns is how many runs a hunt without bounds makes, or one for each
// program if there are more. The default hunt takes about a minute on two cores.
const huntRuns = 60

func newHunt() *cobra.Command {
	c := newCampaignFlags()
	var (
		only, skip []string
		oracles    []string
		builds     bool
	)
	cmd := &cobra.Command{
		Use:   "hunt [flags] [PATTERN…]",
		Short: "Drive a debugger over many programs and look for missteps",
		Long: `Hunt drives a debugger over many programs with generated actions, transforms
actions, programs and builds in ways that must not matter, compares, and judges
what is shown by a recorded run of each program.

A PATTERN names programs:

  corpus           the programs that come with misstep; also without a pattern
  corpus/NAME      one of them; misstep programs lists them
  goroot           the runnable programs of $GOROOT/test
  goroot/NAME.go   one of them, or a folder of them
  FILE.go          a file that is a program by itself
  FILE.txtar       an archive with one, such as a finding
  DIR, ./..., …    the main packages that go list finds

Without --runs and --time it makes ` + fmt.Sprint(huntRuns) + ` runs, or one for each program if there are
more. The same seed, programs and
number of runs give the same findings. A hunt that was interrupted goes on when
the same command is given again, for what is left of its --time.

Exit codes: 0 nothing found, 1 error, or interrupted before anything was found,
2 usage, 3 findings.`,
		Example: `  misstep hunt
  misstep hunt --time 5m goroot
  misstep hunt --with dlv@v1.26.0 --only add-breakpoint,restart ./...`,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			if err := choose(&c.cfg, only, skip, builds); err != nil {
				return err
			}
			if err := judges(&c.cfg, oracles); err != nil {
				return err
			}
			return c.hunt(cmd, patterns)
		},
	}
	f := cmd.Flags()
	c.add(cmd)
	f.StringArrayVar(&c.against, "against", nil, "also run sessions side by side with this engine, such as dlv@v1.26.0, lldb-dap or reference; may be repeated")
	f.StringSliceVar(&only, "only", nil, "only these transformations, by name, or all of actions, programs or builds")
	f.StringSliceVar(&skip, "skip", nil, "all transformations but these")
	f.StringSliceVar(&oracles, "oracles", oracleNames, "judges: of the protocol and of each trace, by a recorded run, by transformations; --against adds other debuggers")
	f.BoolVar(&builds, "builds", false, "transform the build in all ways, also those for which the standard library has to be compiled anew, once each")
	f.IntVar(&c.cfg.Iterations, "iterations", 8, "transformations on top of each other, at most")
	return cmd
}

// campaignFlags are the options of commands that carry campaigns out.
type campaignFlags struct {
	cfg     campaign.Config
	with    string
	against []string
	json    bool
	known   string
}

func newCampaignFlags() *campaignFlags {
	return &campaignFlags{
		cfg: campaign.Config{Generate: gen.DefaultConfig(), Options: dap.DefaultOptions(), Limits: gobuild.DefaultLimits},
	}
}

func (c *campaignFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	cfg := &c.cfg
	f.StringVar(&c.with, "with", "dlv", "engine under test, such as dlv@v1.26.0, dlv=PATH, lldb-dap, or a file that describes an adapter")
	f.DurationVar(&cfg.Time, "time", 0, "stop after this time")
	f.IntVar(&cfg.Runs, "runs", 0, "stop after this many runs")
	f.Uint64Var(&cfg.Seed, "seed", 1, "seed of all that is random")
	f.IntVarP(&cfg.Workers, "jobs", "j", defaultWorkers(), "runs at the same time")
	f.StringVar(&cfg.Out, "out", "findings", "folder for the findings and the state of the hunt")
	f.IntVar(&cfg.Generate.Actions, "actions", cfg.Generate.Actions, "execution actions of a session, at most")
	f.Float64Var(&cfg.Generate.Breakpoints, "breakpoints", cfg.Generate.Breakpoints, "chance that a line gets a breakpoint")
	f.Float64Var(&cfg.Generate.Removals, "removals", cfg.Generate.Removals, "chance that a breakpoint is removed again")
	f.Float64Var(&cfg.Generate.Extras, "extras", cfg.Generate.Extras, "chance that something else is asked after a pause")
	f.DurationVar(&cfg.Limits.Time, "program-time", cfg.Limits.Time, "a program that runs longer by itself is unfit")
	f.DurationVar(&cfg.Options.Run, "run-time", cfg.Options.Run, "an action that lets the program run longer is given up")
	f.StringVar(&c.known, "known", "", "file with classes that are known, see docs/triage.md: they are counted, but no findings")
	f.IntVar(&cfg.Sample, "sample", 0, "write so many findings, from all classes in turn, where one for each is fewer")
	f.DurationVar(&cfg.ReduceTime, "reduce", 2*time.Minute, "time to reduce the findings in, one of each class, when the runs are over; 0 leaves them as they are")
	f.BoolVar(&c.json, "json", false, "print the stream of events as JSON lines")
}

// engines reads the engines and picks toolchains for them.
func (c *campaignFlags) engines(cmd *cobra.Command, h *house) error {
	engine, err := parseEngine(c.with)
	if err != nil {
		return err
	}
	all := []gobuild.Engine{engine}
	for _, text := range c.against {
		e, err := parseEngine(text)
		if err != nil {
			return err
		}
		if e.Adapter == oracle.ReferenceAdapter {
			e = engine // recorded as it is built
			e.Adapter, e.Version, e.Path = oracle.ReferenceAdapter, "", ""
		}
		if e.Go == "" {
			e.Go = engine.Go
		}
		if e == engine {
			return usagef("%s is compared with itself", engine)
		}
		all = append(all, e)
	}
	if all, err = h.cache.Settle(cmd.Context(), all); err != nil {
		return err
	}
	c.cfg.Engine, c.cfg.Against = all[0], all[1:]
	return nil
}

// oracleNames are the judges of a hunt.
var oracleNames = []string{"protocol", "reference", "metamorphic"}

// judges chooses the oracles. Without the metamorphic one there is nothing to
// transform.
func judges(cfg *campaign.Config, names []string) error {
	on := map[string]bool{}
	for _, name := range names {
		if !slices.Contains(oracleNames, name) {
			return usagef("unknown oracle %q; expected some of %s", name, strings.Join(oracleNames, ", "))
		}
		on[name] = true
	}
	if len(on) == 0 {
		return usagef("--oracles needs at least one of %s", strings.Join(oracleNames, ", "))
	}
	cfg.Misuse, cfg.Protocol, cfg.Reference = on["protocol"], on["protocol"], on["reference"]
	if !on["metamorphic"] {
		cfg.Iterations, cfg.Actions, cfg.Rewrites, cfg.Builds = 0, nil, nil, nil
	}
	return nil
}

// defaultWorkers: launching a debugger keeps a core busy, stepping mostly
// waits, so more runs than cores pay: on two cores, two at a time reached 7.8
// sessions a second, three 9.2, four 9.6 and six 10.0.
func defaultWorkers() int { return 2 * runtime.NumCPU() }

// choose picks transformations by name or by kind. Those of the build that
// concern the standard library are taken only if they are asked for, as the go
// command then compiles it once more for each.
func choose(cfg *campaign.Config, only, skip []string, builds bool) error {
	if len(only) > 0 && len(skip) > 0 {
		return usagef("--only and --skip exclude each other")
	}
	named := map[string]bool{}
	for _, name := range append(only, skip...) {
		if !slices.Contains(kinds, name) {
			if _, err := lookup(name); err != nil {
				return &usageError{err}
			}
		}
		named[name] = true
	}
	wanted := func(name, kind string) bool {
		return len(named) == 0 || (named[name] || named[kind]) == (len(only) > 0)
	}
	for _, t := range transform.Actions {
		if wanted(t.Name, "actions") {
			cfg.Actions = append(cfg.Actions, t)
		}
	}
	for _, t := range transform.Rewrites {
		if wanted(t.Name, "programs") {
			cfg.Rewrites = append(cfg.Rewrites, t)
		}
	}
	for _, t := range transform.Builds {
		asked := builds || !t.Everything || len(only) > 0
		if wanted(t.Name, "builds") && asked {
			cfg.Builds = append(cfg.Builds, t)
		}
	}
	return nil
}

// hunt carries the campaign out.
func (c *campaignFlags) hunt(cmd *cobra.Command, patterns []string) error {
	ctx, cfg := cmd.Context(), &c.cfg
	if cfg.Sample < 0 || cfg.ReduceTime < 0 {
		return usagef("--sample and --reduce must not be negative")
	}
	if c.known != "" {
		file, err := os.Open(c.known)
		if err != nil {
			return fmt.Errorf("opening the list of known classes: %w", err)
		}
		defer file.Close()
		if cfg.Known, err = triage.ReadKnown(file, c.known); err != nil {
			return err
		}
	}
	if cfg.Runs < 0 || cfg.Time < 0 || cfg.Iterations < 0 || cfg.Workers < 1 {
		return usagef("--runs, --time and --iterations must not be negative, -j at least 1")
	}
	h, err := newHouse(cmd)
	if err != nil {
		return err
	}
	defer h.close()
	if err := c.engines(cmd, h); err != nil {
		return err
	}
	env := &testscripts.Env{Keeper: h.keeper, Cache: h.cache, Loader: &source.Loader{Keeper: h.keeper}, Options: cfg.Options}
	cfg.Reduce = func(ctx context.Context, script []byte, budget time.Duration) (*reduce.Result, error) {
		memo := &testscripts.Memo{}
		defer memo.Close()
		env := *env
		env.Memo = memo
		r := &reduce.Reducer{Check: env.Check, Reason: env.Reason, Workers: cfg.Workers, Budget: budget}
		return r.Reduce(ctx, script)
	}
	finder := &gen.Finder{Cache: h.cache, Keeper: h.keeper, Engine: gobuild.Oldest(append([]gobuild.Engine{cfg.Engine}, cfg.Against...))}
	cfg.Programs, cfg.Skipped, err = finder.Find(ctx, patterns)
	if err != nil {
		return err
	}
	if len(cfg.Programs) == 0 && len(cfg.Skipped) > 0 {
		return fmt.Errorf("there is no program to hunt with: %w", cfg.Skipped[0])
	}
	if cfg.Patterns = patterns; len(patterns) == 0 {
		cfg.Patterns = []string{"corpus"}
	}
	if cfg.Runs == 0 && cfg.Time == 0 {
		cfg.Runs = max(huntRuns, len(cfg.Programs))
	}
	handle := report.Text(cmd.OutOrStdout(), cmd.ErrOrStderr())
	if c.json {
		handle = report.JSON(cmd.OutOrStdout())
	}
	start := time.Now()
	sum, err := campaign.Hunt(ctx, h.keeper, h.cache, cfg, handle)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted after %s; the same command goes on from here", time.Since(start).Round(time.Second))
		if found(sum) {
			// What was found is told, and counts.
			fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", err)
			return errFindings
		}
	}
	if err != nil {
		return err
	}
	if found(sum) {
		return errFindings
	}
	if sum.Runs == 0 {
		return fmt.Errorf("none of the %d programs is fit to be debugged", len(cfg.Programs))
	}
	return nil
}

// found tells whether there is a finding that is not known.
func found(sum *campaign.Summary) bool {
	return sum != nil && slices.ContainsFunc(sum.Classes, func(c campaign.ClassCount) bool { return c.Known == "" })
}
