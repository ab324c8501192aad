package campaign

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/oracle/metamorphic"
	"misstep/transform/action"
	"misstep/transform/build"
	"misstep/transform/rewrite"
	"misstep/triage"
)

// Options say by name what a campaign is to do, as a user does.
type Options struct {
	With     string   // the engine under test
	Against  []string // the engines to compare it with
	Baseline string   // an engine that does not show what is told; empty for none
	Patterns []string // of programs
	Tests    bool     // the programs are the tests of packages
	Run      string   // only the tests that match this regular expression; empty for all
	Args     []string // the arguments of each program, after its own
	// Oracles are some of [OracleNames].
	Oracles []string
	// Only and Skip name transformations, or kinds of them; see [Kinds].
	Only, Skip []string
	// AllBuilds says to take those transformations of the build, too, for which the
	// standard library is compiled anew.
	AllBuilds bool
	Known     string // the file of a list of known classes
}

// An OptionError is an option that makes no sense.
type OptionError struct{ Text string }

// Error says what is wrong, and what was expected.
func (e *OptionError) Error() string { return e.Text }

func optionf(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }

// OracleNames are the judges of a hunt, besides other debuggers.
var OracleNames = []string{"protocol", "reference", "metamorphic", "baseline"}

// Kinds of transformations, as options name them.
var Kinds = []string{"actions", "programs", "builds"}

// defaultRuns is how many runs a hunt without bounds makes, or one for each program if
// there are more: as many as take some minutes on two cores.
const defaultRuns = 60

// DefaultRuns is how many runs a hunt without bounds makes over so many programs.
func DefaultRuns(programs int) int { return max(defaultRuns, programs) }

// Configure finds out what the options name, and puts it into a configuration.
func (o *Options) Configure(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, cfg *Config) error {
	if err := cfg.check(); err != nil {
		return err
	}
	if err := o.choose(cfg); err != nil {
		return err
	}
	if err := o.judges(cfg); err != nil {
		return err
	}
	if err := o.readKnown(cfg); err != nil {
		return err
	}
	if err := o.engines(ctx, cache, cfg); err != nil {
		return err
	}
	if o.Run != "" && !o.Tests {
		return optionf("--run is for --test")
	}
	if _, err := regexp.Compile(o.Run); err != nil {
		return optionf("--run %s: %v", o.Run, err)
	}
	finder := &gen.Finder{Cache: cache, Keeper: keeper, Engine: gobuild.Oldest(cfg.engines()), Tests: o.Tests, Run: o.Run}
	if cfg.Patterns = o.Patterns; len(cfg.Patterns) == 0 {
		cfg.Patterns = finder.Default()
	}
	var err error
	if cfg.Programs, cfg.Skipped, err = finder.Find(ctx, cfg.Patterns); err != nil {
		return err
	}
	for _, p := range cfg.Programs {
		p.RunArgs = append(p.RunArgs, o.Args...)
	}
	if len(cfg.Programs) == 0 && len(cfg.Skipped) > 0 {
		return fmt.Errorf("there is no program to hunt with: %w", cfg.Skipped[0])
	}
	if cfg.Runs == 0 && cfg.Time == 0 {
		cfg.Runs = DefaultRuns(len(cfg.Programs))
		if cfg.Oracles.Baseline {
			cfg.Runs *= 2 // half of them are sweeps
		}
	}
	return nil
}

// check is an error if a bound makes no sense.
func (c *Config) check() error {
	if c.Sample < 0 || c.Reduce < 0 {
		return optionf("--sample and --reduce must not be negative")
	}
	if c.Runs < 0 || c.Time < 0 || c.Iterations < 0 || c.Workers < 1 {
		return optionf("--runs, --time and --iterations must not be negative, -j at least 1")
	}
	return nil
}

func (o *Options) readKnown(cfg *Config) error {
	if o.Known == "" {
		return nil
	}
	file, err := os.Open(o.Known)
	if err != nil {
		return fmt.Errorf("opening the list of known classes: %w", err)
	}
	defer file.Close()
	cfg.Known, err = triage.ReadKnown(file, o.Known)
	return err
}

// engines reads the engines and picks toolchains for them.
func (o *Options) engines(ctx context.Context, cache *gobuild.Cache, cfg *Config) error {
	read := func(text string) (gobuild.Engine, error) {
		e, err := gobuild.ParseEngine(text)
		if err != nil {
			return e, &OptionError{err.Error()}
		}
		return e, nil
	}
	engine, err := read(o.With)
	if err != nil {
		return err
	}
	all := []gobuild.Engine{engine}
	for _, text := range o.Against {
		e, err := read(text)
		if err != nil {
			return err
		}
		if e.Adapter == dap.Recorded {
			e = engine // recorded as it is built
			e.Adapter, e.Version, e.Path = dap.Recorded, "", ""
		}
		if e.Go == "" {
			e.Go = engine.Go
		}
		if e == engine {
			return optionf("%s is compared with itself", engine)
		}
		all = append(all, e)
	}
	if o.Baseline != "" {
		e, err := read(o.Baseline)
		if err != nil {
			return err
		}
		if e = e.BuiltAs(engine); e.Go == "" {
			e.Go = engine.Go
		}
		if e == engine {
			return optionf("%s is its own baseline", engine)
		}
		all = append(all, e)
	}
	if all, err = cache.Settle(ctx, all); err != nil {
		return err
	}
	cfg.Engine, cfg.Against = all[0], all[1:len(o.Against)+1]
	if o.Baseline != "" {
		cfg.Baseline = &all[len(all)-1]
	}
	return nil
}

// judges chooses the oracles. Without the metamorphic one there is nothing to
// transform.
func (o *Options) judges(cfg *Config) error {
	if o.Oracles == nil {
		return nil
	}
	on := map[string]bool{}
	for _, name := range o.Oracles {
		if !slices.Contains(OracleNames, name) {
			return optionf("unknown oracle %q; expected some of %s", name, strings.Join(OracleNames, ", "))
		}
		on[name] = true
	}
	if len(on) == 0 {
		return optionf("--oracles needs at least one of %s", strings.Join(OracleNames, ", "))
	}
	cfg.Oracles = Oracles{Protocol: on["protocol"], Misuse: on["protocol"], Reference: on["reference"], Baseline: on["baseline"] && o.Baseline != ""}
	if !on["metamorphic"] {
		cfg.Iterations, cfg.Actions, cfg.Rewrites, cfg.Builds = 0, nil, nil, nil
	}
	return nil
}

// choose picks transformations by name or by kind; none if no oracles are named. Those of
// the build that concern the standard library are taken only if they are asked for, as the
// go command then compiles it once more for each.
func (o *Options) choose(cfg *Config) error {
	if o.Oracles == nil {
		return nil
	}
	if len(o.Only) > 0 && len(o.Skip) > 0 {
		return optionf("--only and --skip exclude each other")
	}
	named := map[string]bool{}
	for _, name := range append(slices.Clone(o.Only), o.Skip...) {
		if !slices.Contains(Kinds, name) {
			if _, ok := metamorphic.Rules().Lookup(name); !ok {
				return optionf("unknown transformation %q; misstep transform --list lists them, and all of a kind are %s", name, strings.Join(Kinds, ", "))
			}
		}
		named[name] = true
	}
	wanted := func(name, kind string) bool {
		return len(named) == 0 || (named[name] || named[kind]) == (len(o.Only) > 0)
	}
	for _, t := range action.All {
		if wanted(t.Name, "actions") {
			cfg.Actions = append(cfg.Actions, t)
		}
	}
	for _, t := range rewrite.All {
		if wanted(t.Name, "programs") {
			cfg.Rewrites = append(cfg.Rewrites, t)
		}
	}
	for _, t := range build.All {
		asked := o.AllBuilds || !t.Everything || len(o.Only) > 0
		if wanted(t.Name, "builds") && asked {
			cfg.Builds = append(cfg.Builds, t)
		}
	}
	return nil
}
