package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/oracle/coverage"
	"misstep/profiler"
)

// coverVerb is the first command of a script about a coverage profiler.
const coverVerb = "cover"

// coverVerbs are the commands of such scripts.
var coverVerbs = []Verb{
	{
		Name: coverVerb, Usage: "cover [-with PROFILER] [-test true] PACKAGE [ARG…]",
		Doc: "Takes the coverage of the package's program, or of its tests, such as by cover@go1.26.8,mode=atomic. It is built and run when a command asks for that.",
		min: 1, max: -1, do: takeCoverage,
		options: []option{{name: "with"}, {name: "test"}},
	},
	{
		Name: "count", Usage: "count FILE:LINE N",
		Doc: "Demands that the profile counts the first statement of the line N times. ! demands that it does not.",
		min: 2, max: 2, not: true, places: []int{0}, do: counted,
	},
	{
		Name: "percent", Usage: "percent SHARE",
		Doc: "Demands that so many percent of the profile's statements were executed, with one digit behind the point. ! demands that it is another share.",
		min: 1, max: 1, not: true, do: percent,
	},
	{
		Name: "holds", Usage: "holds [-as VARIANT] [-seed N] [-to PROFILER] [-by CONVERTER|MISUSE] RULE",
		Doc: "Demands that a rule of coverage profilers holds for the program, written as a variant of it, or in another configuration; of rule C9, for a converter, such as gcov2lcov or lcov=COMMAND; of rule C10, for one misuse of the tools, or all.",
		min: 1, max: 1, judges: true, do: holds,
		options: []option{{name: "as"}, {name: "seed", number: true}, {name: "to"}, {name: "by"}},
	},
}

// first reports whether a verb begins scripts.
func (v *Verb) first() bool { return v.Name == debugVerb || v.Name == coverVerb }

// Covers reports whether the script is about a coverage profiler, not a debugger.
func (s *Script) Covers() bool { return len(s.Commands) > 0 && s.Commands[0].Verb == coverVerb }

// takeCoverage makes the case that the script is about.
func takeCoverage(r *run, c *Command) error {
	p := profiler.Profiler{}
	if with := c.Option("with"); with != "" {
		var err error
		if p, err = profiler.Parse(with); err != nil {
			return fmt.Errorf("-with: %w", err)
		}
	}
	if r.env.Engine != "" {
		toolchain, err := toolchainOf(r.env.Engine)
		if err != nil {
			return err
		}
		p.Go = toolchain
	}
	test := false
	if t := c.Option("test"); t != "" {
		var err error
		if test, err = strconv.ParseBool(t); err != nil {
			return fmt.Errorf("-test: expected true or false, not %q", t)
		}
	}
	name := r.script.Head.Program
	if name == "" {
		name = "script"
	}
	s := &profiler.Subject{Name: name, Files: r.script.Files, Package: c.Args[0], Args: c.Args[1:], Test: test}
	bench := &profiler.Bench{Keeper: r.env.Keeper, Cache: r.env.Cache}
	kase, err := coverage.NewCase(r.ctx, bench, &record.Recorder{Keeper: r.env.Keeper, Cache: r.env.Cache}, s, p)
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) {
		r.lacks(impossible.Reason)
	}
	r.coverage = kase
	return err
}

// toolchainOf is the toolchain that an engine names.
func toolchainOf(engine string) (string, error) {
	if p, err := profiler.Parse(engine); err == nil {
		return p.Go, nil
	}
	e, err := gobuild.ParseEngine(engine)
	return e.Go, err
}

// covered is the program's covered run, which must have a profile.
func (r *run) covered() (*profiler.Run, error) {
	if r.coverage == nil {
		return nil, errNotCovered
	}
	run, err := r.coverage.Profiled(r.ctx)
	if err != nil {
		return nil, err
	}
	if run.Failed != "" {
		return nil, failf("it is not built with -cover: %s", run.Failed)
	}
	if run.Profile == nil {
		return nil, failf("there is no profile: %s", run.Unread)
	}
	return run, nil
}

// errNotCovered says that a command needs the coverage of a program.
var errNotCovered = errors.New("only in scripts that begin with " + coverVerb)

func counted(r *run, c *Command) error {
	run, err := r.covered()
	if err != nil {
		return err
	}
	file, line, err := dap.ParsePlace(c.Args[0])
	if err != nil {
		return err
	}
	want, err := strconv.ParseUint(c.Args[1], 10, 64)
	if err != nil {
		return fmt.Errorf("expected a number, not %q", c.Args[1])
	}
	got, ok := coverage.CountAt(run, file, line)
	if !ok {
		return failf("no block has a statement that begins at %s", c.Args[0])
	}
	if (got == want) == c.Not {
		return failf("%s is counted %d times", c.Args[0], got)
	}
	return nil
}

func percent(r *run, c *Command) error {
	run, err := r.covered()
	if err != nil {
		return err
	}
	covered, all := profiler.Sum(run.Profile.Merged())
	if all == 0 {
		return failf("the profile has no statements")
	}
	got := fmt.Sprintf("%.1f", 100*float64(covered)/float64(all))
	if (got == strings.TrimSuffix(c.Args[0], "%")) == c.Not {
		return failf("%s%% of the statements were executed", got)
	}
	return nil
}

// toolsAgree demands that what tools say of the profile is what it says.
func toolsAgree(r *run, c *Command) error {
	if _, err := r.covered(); err != nil {
		return err
	}
	v, err := r.coverage.Agree(r.ctx, c.Args)
	if err != nil {
		return err
	}
	return r.verdict(coverage.Tools, v)
}

func holds(r *run, c *Command) error {
	if r.coverage == nil {
		return errNotCovered
	}
	t := coverage.Trial{Rule: c.Args[0], As: c.Option("as"), With: c.Option("to"), By: c.Option("by")}
	if n := c.Option("seed"); n != "" {
		var err error
		if t.Seed, err = strconv.ParseUint(n, 10, 64); err != nil {
			return fmt.Errorf("-seed: %w", err)
		}
	}
	v, err := r.coverage.Try(r.ctx, t)
	if err != nil {
		return err
	}
	return r.verdict(t.Rule, v)
}

// verdict is what comes of a trial of a rule.
func (r *run) verdict(rule string, v *coverage.Verdict) error {
	if v.Not != "" {
		return fmt.Errorf("nothing was checked: %s", v.Not)
	}
	r.result.Made = map[string]int{coverage.Oracle + "/" + rule: v.Made}
	// What the script is about comes first.
	slices.SortStableFunc(v.Findings, func(a, b *finding.Finding) int {
		mine := func(f *finding.Finding) int {
			if f.Class.String() == r.script.Head.Class {
				return 0
			}
			return 1
		}
		return mine(a) - mine(b)
	})
	return r.found(v.Findings...)
}

// OfCoverage is a finding of a coverage profiler as a script.
func OfCoverage(f *finding.Finding, s *profiler.Subject, t coverage.Trial) *Script {
	first := Command{Verb: coverVerb, Args: append([]string{s.Package}, s.Args...)}
	first.SetOption("with", f.Engine)
	if s.Test {
		first.SetOption("test", "true")
	}
	last := Command{Verb: "holds", Args: []string{t.Rule}}
	last.SetOption("as", t.As)
	if t.Seed > 0 {
		last.SetOption("seed", strconv.FormatUint(t.Seed, 10))
	}
	last.SetOption("to", t.With)
	last.SetOption("by", t.By)
	script := &Script{
		Head:     Head{Class: f.Class.String(), Engine: f.Engine, Program: s.Name, Seed: f.Seed, Reason: Wrap(f.Reason)},
		Commands: []Command{first, last}, Files: s.Files,
	}
	if f.Evidence != nil {
		script.Head.Evidence = Wrap(f.Evidence.String())
	}
	return script
}
