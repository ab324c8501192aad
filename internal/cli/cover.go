package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"misstep/campaign/profilers"
	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/oracle/coverage"
	"misstep/profiler"
	"misstep/script"
	"misstep/testscripts"
)

// coverFlags are those of cover.
type coverFlags struct {
	with   []string
	by     []string
	mode   string
	only   []string
	time   time.Duration
	seed   uint64
	jobs   int
	trials int
	tests  bool
	out    string
	json   bool
	unfit  bool
	team   teamFlags
}

func newCover() *cobra.Command {
	c := &coverFlags{}
	var variants, ways, misuses strings.Builder
	var converters []string
	for _, known := range profiler.Converters {
		converters = append(converters, known.Name)
	}
	for _, v := range coverage.Variants() {
		fmt.Fprintf(&variants, "  %-22s %s\n", v.Name, v.Doc)
	}
	for _, m := range coverage.Misuses() {
		fmt.Fprintf(&misuses, "  %-22s %s\n", m.Name, m.Doc)
	}
	for _, w := range profiler.Ways {
		fmt.Fprintf(&ways, "  %-22s %s\n", w.Name, strings.Join(append([]string{w.Doc + ":"}, append(w.Env, w.Flags...)...), " "))
	}
	cmd := &cobra.Command{
		Use:   "cover [flags] [PATTERN…]",
		Short: "Test Go's coverage: look for missteps of its profilers",
		Long: `Cover tests Go's coverage profilers over many programs. Each program is built with
-cover, run, and judged by what must hold: a program with counters does what it does
without; counts are those of a recorded run; statements that were not executed can be
taken out, and the text can be laid out differently, without a change in what is counted;
modes, tools, ways to build and toolchains agree; each statement is in one block. These are
the rules C1 to C8; misstep rules says what each demands. Rule C9 is about converters, which
read profiles and write other formats: each --converter is tried. Rule C10 asks the tools for
what makes no sense.

A PATTERN names programs as for hunt. Without any, they are those that come with misstep:
the corpus, and the programs of the conformance suite. The same seed makes the same trials.
With --with, other toolchains are tested; the counts of all that are named are held against
the first one's. A debugger (dlv, dlv@v1.26.0) counts as well, by log points.

With --join the workers of a hub make the trials. With a --name, those that were made in the
last hour are not made again, whoever asks.

Findings are written to --out, one script for each class, which replay, reduce and bisect
--over go take. Variants of programs, for rules C7 and C1:

` + variants.String() + `
Ways to ask the go command, for way=:

` + ways.String() + `
Misuses of the tools, for rule C10:

` + misuses.String() + `
Exit codes: 0 nothing found, 1 error, 2 usage, 3 findings.`,
		Example: `  misstep cover
  misstep cover --time 5m goroot
  misstep cover --with go1.27.0 --with go1.26.8 ./...
  misstep cover --with cover --with dlv corpus
  misstep cover --only C5-tools,C6-blocks --test ./...
  misstep cover --with cover@go1.20.14,mode=atomic FILE.txtar
  misstep cover --only C9-converters --converter gcov2lcov --converter lcov=./mine ./...
  misstep cover --join localhost:4250 --time 5m goroot`,
		RunE: c.run,
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.with, "with", []string{profiler.Name}, "profiler to test, such as go1.27.0 or cover@go1.26.8,mode=atomic,coverpkg=./...,via=test,race,trimpath,way=pie; what is named after the first one, which may be a debugger such as dlv, is held against it")
	f.StringArrayVar(&c.by, "converter", nil, "converter to test as well: "+strings.Join(converters, ", ")+", each with @VERSION or without; or a format and a command that reads a profile and writes it, such as lcov=./converter or cobertura=example.com/converter@latest")
	f.StringVar(&c.mode, "mode", "", "mode of the counters: set, count or atomic (default count)")
	f.StringSliceVar(&c.only, "only", nil, "only these rules")
	f.DurationVar(&c.time, "time", 0, "stop after this time, such as 5m")
	f.Uint64Var(&c.seed, "seed", 1, "seed of the trials")
	f.IntVarP(&c.jobs, "jobs", "j", defaultWorkers(), "programs at the same time")
	f.IntVar(&c.trials, "trials", 0, "most trials of each program; 0 for all")
	f.BoolVar(&c.tests, "test", false, "only the tests of the packages that the patterns name, not their main functions")
	f.StringVar(&c.out, "out", "coverage-findings", "folder for the findings' scripts")
	f.BoolVar(&c.json, "json", false, "print the summary as JSON")
	f.BoolVar(&c.unfit, "unfit", false, "say of all programs that are left out why, not of ten only")
	c.team.joinFlags.add(cmd, "let the workers of a hub make the trials")
	f.StringVar(&c.team.name, "name", "", "with --join, a name by which others go on with the same trials")
	return cmd
}

func (c *coverFlags) run(cmd *cobra.Command, patterns []string) error {
	var all []profiler.Profiler
	var others []string
	var debuggers []gobuild.Engine
	for i, with := range c.with {
		if i > 0 && coverage.Debugs(with) {
			e, err := parseEngine(with)
			if err != nil {
				return err
			}
			debuggers = append(debuggers, e)
			others = append(others, with)
			continue
		}
		p, err := profiler.Parse(with)
		if err != nil {
			return usagef("--with: %w", err)
		}
		if c.mode != "" {
			if !slices.Contains(profiler.Modes, c.mode) {
				return usagef("--mode %s: expected one of %s", c.mode, strings.Join(profiler.Modes, ", "))
			}
			p.Mode = c.mode
		}
		all = append(all, p)
		if i > 0 {
			others = append(others, p.String())
		}
	}
	var converters []*profiler.Converter
	for _, by := range c.by {
		converter, err := profiler.ParseConverter(by)
		if err != nil {
			return usagef("--converter: %w", err)
		}
		converters = append(converters, converter)
		if c.team.address != "" && !converter.Installs() {
			return usagef("--converter %s: the workers of a hub do not have it; expected one that is installed, such as lcov=example.com/converter@latest", by)
		}
	}
	for _, rule := range c.only {
		if _, ok := coverage.Rules.Lookup(rule); !ok {
			return usagef("--only: no rule %q%s; the rules of coverage are %s", rule, near(coverage.Rules, rule), strings.Join(idsOf(coverage.Rules), ", "))
		}
	}
	if err := c.team.check(); err != nil {
		return err
	}
	if c.jobs < 1 || c.trials < 0 || c.time < 0 {
		return usagef("-j must be at least 1, --trials and --time must not be negative")
	}
	env, err := newEnv(cmd, "")
	if err != nil {
		return err
	}
	defer env.Close()
	subjects, skipped, err := c.subjects(cmd, env, patterns)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if c.json {
		out = io.Discard
	}
	names := map[string]string{}
	left := 0
	cfg := profilers.Config{
		Bench:    &profiler.Bench{Keeper: env.Keeper, Cache: env.Cache},
		Recorder: &record.Recorder{Keeper: env.Keeper, Cache: env.Cache},
		Subjects: subjects, Profiler: all[0], Others: others, Converters: c.by, Only: c.only, Seed: c.seed, Time: c.time, Workers: c.jobs, Trials: c.trials,
		Told: func(e profilers.Event) {
			switch {
			case e.Finding == nil:
				switch left++; {
				case c.unfit:
					fmt.Fprintf(out, "left out: %s: %s\n", e.Program, e.Unfit)
				case left <= mostLeftOut:
					fmt.Fprintf(cmd.ErrOrStderr(), "left out: %s: %s\n", e.Program, e.Unfit)
				case left == mostLeftOut+1:
					fmt.Fprintln(cmd.ErrOrStderr(), "left out: more, which --unfit tells of")
				}
			case e.New:
				file, err := c.write(e, len(names))
				if err != nil {
					file = err.Error()
				}
				names[e.Finding.Class.String()] = file
				rare := ""
				if e.Shown < 3 {
					rare = fmt.Sprintf(" (in %d of 3 tries)", e.Shown)
				}
				fmt.Fprintf(out, "%s: %s%s\n  %s\n  %s\n", e.Program, e.Finding.Class, rare, e.Finding.Reason, file)
			}
		},
	}
	if c.team.address == "" {
		// What is not to be had is told at once, and not of each program.
		for _, p := range all {
			if err := cfg.Bench.Prepare(cmd.Context(), p); err != nil {
				return err
			}
		}
		for _, e := range debuggers {
			if _, err := dap.Resolve(cmd.Context(), env.Cache, e); err != nil {
				return err
			}
		}
		for _, converter := range converters {
			if _, err := cfg.Bench.Converter(cmd.Context(), converter); err != nil {
				return err
			}
		}
	}
	if c.team.address != "" {
		team, err := c.team.tasker(cmd, "cover")
		if err != nil {
			return err
		}
		defer team.close()
		if cfg.Profiler.Go == "" { // another machine's own may be another
			if cfg.Profiler.Go, err = env.Cache.GoEnv(cmd.Context(), gobuild.Engine{Adapter: "dlv"}, "GOVERSION"); err != nil {
				return err
			}
		}
		cfg.Do = profilers.Elsewhere(func(ctx context.Context, what string, data, program []byte) ([]byte, error) {
			return team.ask(ctx, what, nil, data, program)
		})
		if !cmd.Flags().Changed("jobs") {
			cfg.Workers = mostTrials
		}
	}
	sum, err := cfg.Run(cmd.Context())
	if sum != nil {
		sum.Unfit += len(skipped)
		if c.json {
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetIndent("", "\t")
			if err := enc.Encode(sum); err != nil {
				return fmt.Errorf("writing the summary: %w", err)
			}
		} else {
			sayCoverage(out, sum)
		}
	}
	if err != nil {
		return err
	}
	if len(sum.Classes) > 0 {
		return errFindings
	}
	if sum.Programs == 0 && sum.Unfit > 0 && !sum.Cut {
		return fmt.Errorf("none of the %d programs is fit to have its coverage taken", sum.Unfit)
	}
	return nil
}

// mostLeftOut is of how many programs it is told by itself why they are left out.
const mostLeftOut = 10

// mostTrials is how many parts of trials lie on a hub at a time.
const mostTrials = 64

func idsOf(rules finding.Registry) []string {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	return ids
}

// subjects are the programs that patterns name.
func (c *coverFlags) subjects(cmd *cobra.Command, env *script.Env, patterns []string) (all []*profiler.Subject, skipped []*gobuild.Unfit, err error) {
	engine, err := parseEngine("dlv")
	if err != nil {
		return nil, nil, err
	}
	finder := &gen.Finder{Cache: env.Cache, Keeper: env.Keeper, Engine: engine, Tests: c.tests}
	if len(patterns) == 0 && !c.tests {
		tests, err := testscripts.Conformance()
		if err != nil {
			return nil, nil, err
		}
		for _, t := range tests {
			all = append(all, &profiler.Subject{Name: "conformance/" + t.Name, Files: t.Script.Files, Package: t.Script.Commands[0].Args[0]})
		}
		patterns = finder.Default()
	}
	programs, skipped, err := finder.Find(cmd.Context(), patterns)
	if !c.tests && slices.ContainsFunc(patterns, ofPackages) {
		// A package may have tests beside a main function, or in its place.
		tests := *finder
		tests.Tests, tests.Untested = true, true
		more, left, failed := tests.Find(cmd.Context(), slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return !ofPackages(p) }))
		if failed == nil {
			programs, skipped, err = append(programs, more...), append(skipped, left...), nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, p := range programs {
		s, err := profiler.SubjectOf(p)
		if err != nil {
			skipped = append(skipped, &gobuild.Unfit{Program: p.Name, Reason: err.Error()})
			continue
		}
		all = append(all, s)
	}
	if len(all) == 0 && len(skipped) > 0 {
		return nil, nil, fmt.Errorf("there is no program to take the coverage of: %w", skipped[0])
	}
	if len(all) == 0 {
		return nil, nil, errors.New("there is no program to take the coverage of")
	}
	return all, skipped, nil
}

// ofPackages reports whether a pattern is one of the go command's.
func ofPackages(pattern string) bool {
	first, _, _ := strings.Cut(pattern, "/")
	return !slices.Contains([]string{"corpus", "goroot", "generated"}, first) && !strings.HasSuffix(pattern, ".go") && !strings.HasSuffix(pattern, ".txtar")
}

// write writes the script of a finding.
func (c *coverFlags) write(e profilers.Event, number int) (string, error) {
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, e.Finding.Class.String())
	const most = 80
	name = fmt.Sprintf("%s-%d.txtar", strings.Trim(name[:min(len(name), most)], "-"), number)
	file := filepath.Join(c.out, name)
	s := script.OfCoverage(e.Finding, e.Subject, e.Finding.Payload.(coverage.Trial))
	if err := os.WriteFile(file, s.Format(), 0o666); err != nil {
		return "", fmt.Errorf("writing a finding: %w", err)
	}
	return file, nil
}

// sayCoverage prints what became of a hunt.
func sayCoverage(out io.Writer, sum *profilers.Summary) {
	minutes := sum.Took.Minutes()
	fmt.Fprintf(out, "%d programs, %d left out, %d trials in %s: %.0f programs and %.0f trials a minute\n", sum.Programs, sum.Unfit, sum.Trials, sum.Took.Round(time.Second), float64(sum.Programs)/minutes, float64(sum.Trials)/minutes)
	if sum.Cut {
		fmt.Fprintln(out, "the time was up before all was tried")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rule\ttrials\tmade\tchecks\tfindings\tstrong\tweak\tnot made, mostly")
	for _, r := range coverage.Rules {
		n := sum.Rules[r.ID]
		if n == nil {
			fmt.Fprintf(w, "%s\t0\t0\t0\t0\t0\t0\tit was not tried\n", r.ID)
			continue
		}
		why := ""
		if reasons := slices.SortedFunc(maps.Keys(n.Not), func(a, b string) int {
			if n.Not[a] != n.Not[b] {
				return n.Not[b] - n.Not[a]
			}
			return strings.Compare(a, b)
		}); len(reasons) > 0 {
			why = fmt.Sprintf("%s (%d)", firstLine(reasons[0]), n.Not[reasons[0]])
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", r.ID, n.Trials, n.Made, n.Checks, n.Findings, n.Strong, n.Weak, why)
	}
	w.Flush()
	for _, rare := range []bool{false, true} {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(sum.Classes)) {
			if class := sum.Classes[name]; class.Rare == rare {
				list = append(list, fmt.Sprintf("  %s: %d findings in %d programs", name, class.Findings, len(class.Programs)))
			}
		}
		switch {
		case len(list) == 0:
		case rare:
			fmt.Fprintf(out, "classes that show only sometimes:\n%s\n", strings.Join(list, "\n"))
		default:
			fmt.Fprintf(out, "classes:\n%s\n", strings.Join(list, "\n"))
		}
	}
}

// firstLine is a text up to its first newline, shortened.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
