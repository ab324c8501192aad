package coverage

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"misstep/finding"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
	"misstep/profiler"
)

// A Case is one subject under one profiler. It keeps the runs that were made for it, until it is closed. Its methods may be
// called concurrently.
type Case struct {
	Bench    *profiler.Bench
	Recorder *record.Recorder
	Subject  *profiler.Subject
	Profiler profiler.Profiler

	dir  string
	mu   sync.Mutex
	runs map[string]*once
	// readings are what tools have said of runs.
	readings map[readingOf]reading

	transforming sync.Mutex
	made         map[string]transformed
}

// A once is a run that is made by who asks for it first.
type once struct {
	mu   sync.Mutex
	run  *profiler.Run
	done bool
}

// NewCase makes a case, whose profiler is settled.
func NewCase(ctx context.Context, b *profiler.Bench, r *record.Recorder, s *profiler.Subject, p profiler.Profiler) (*Case, error) {
	p, _, err := b.Settle(ctx, p, s)
	if err != nil {
		return nil, err
	}
	dir, err := b.Keeper.TempDir("coverage")
	if err != nil {
		return nil, fmt.Errorf("making a folder for runs: %w", err)
	}
	return &Case{Bench: b, Recorder: r, Subject: s, Profiler: p, dir: dir, runs: map[string]*once{}, readings: map[readingOf]reading{}, made: map[string]transformed{}}, nil
}

// Close removes what the runs have left.
func (c *Case) Close() { os.RemoveAll(c.dir) }

// A Trial is one thing to try.
type Trial struct {
	Rule string `json:"rule"`
	// As names a variant of the program, see [Variants]; empty for the program as it is.
	As string `json:"as,omitempty"`
	// Seed is for what a variant or a rule chooses.
	Seed uint64 `json:"seed,omitempty"`
	// With is the profiler in its text form, if it is not the case's own; for C8 and for differences between
	// configurations the other one.
	With string `json:"with,omitempty"`
	// By names the converter of rule C9, see [profiler.ParseConverter], and the misuse of rule C10; empty for all misuses.
	By string `json:"by,omitempty"`
}

// Kind says that a trial is the payload of a finding.
func (Trial) Kind() string { return Oracle }

// String is the trial as scripts have it: a rule, and options.
func (t Trial) String() string {
	s := ""
	if t.As != "" {
		s += "-as " + t.As + " "
	}
	if t.Seed != 0 {
		s += fmt.Sprintf("-seed %d ", t.Seed)
	}
	if t.With != "" {
		s += "-to " + t.With + " "
	}
	if t.By != "" {
		s += "-by '" + t.By + "' "
	}
	return s + t.Rule
}

// A Verdict is what came of a trial.
type Verdict struct {
	// Made counts comparisons that could have failed, and Not says why there was none, if there was none.
	Made int
	Not  string
	// Findings are what is wrong; none of a rule's findings is told twice.
	Findings []*finding.Finding
}

// not is a verdict of what could not be tried.
func not(format string, args ...any) *Verdict { return &Verdict{Not: fmt.Sprintf(format, args...)} }

// checks are the rules' checks.
var checks = map[string]func(*Case, context.Context, Trial) (*Verdict, error){
	Without: (*Case).without, Pruned: (*Case).pruned, Truth: (*Case).truth, Mode: (*Case).modes,
	Tools: (*Case).tools, Blocks: (*Case).blocks, Rewrite: (*Case).rewrite, Versions: (*Case).versions, Converters: (*Case).converters,
	Refusals: (*Case).refusals,
}

// Try makes a trial.
func (c *Case) Try(ctx context.Context, t Trial) (*Verdict, error) {
	check := checks[t.Rule]
	if check == nil {
		return nil, fmt.Errorf("no rule %q; misstep rules lists them", t.Rule)
	}
	v, err := check(c, ctx, t)
	var impossible *profiler.Impossible
	switch {
	case errors.As(err, &impossible):
		return not("%s", impossible.Reason), nil
	case err != nil:
		return nil, fmt.Errorf("%s of %s: %w", t, c.Subject.Name, err)
	}
	if slices.ContainsFunc(v.Findings, Counts) {
		steady, err := c.steady(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", t, c.Subject.Name, err)
		}
		if !steady {
			v.Findings = slices.DeleteFunc(v.Findings, Counts)
			if len(v.Findings) == 0 {
				return not("how often its statements are executed may differ from run to run"), nil
			}
		}
	}
	for _, f := range v.Findings {
		f.Program, f.Engine, f.Seed, f.Payload = c.Subject.Name, c.Profiler.String(), t.Seed, t
	}
	return v, nil
}

// varies are calls of functions on whose results counts may depend from run to run or from build to build: of the program's own
// code, and of finalizers, which run when there is time for them.
var varies = regexp.MustCompile(`\bruntime\.(SetFinalizer|AddCleanup|FuncForPC|CallersFrames|MemProfile|ReadMemStats)\(`)

// steady reports whether counts do not depend on time: a second covered run has the same, and the program starts no
// goroutines, or a recorded run shows that all have ended when it does.
func (c *Case) steady(ctx context.Context) (bool, error) {
	if slices.ContainsFunc(c.Subject.Files, func(f gobuild.File) bool { return strings.HasSuffix(f.Name, ".go") && varies.Match(f.Data) }) {
		return false, nil
	}
	first, err := c.Profiled(ctx)
	if err != nil || first.Profile == nil {
		return false, err
	}
	second, err := c.twice(ctx, first)
	if err != nil || second.Profile == nil {
		return false, err
	}
	if _, differ := compareCounts(first, second, nil, nil, ""); len(differ) > 0 {
		return false, nil
	}
	starts := false
	for _, f := range files(c.Subject) {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			_, is := n.(*ast.GoStmt)
			starts = starts || is
			return !starts
		})
	}
	if !starts {
		return true, nil
	}
	_, none, err := c.record(ctx, first)
	return none == nil, err
}

// twice is a second run of what was built for one, or, if nothing was kept of that, of what is built once more.
func (c *Case) twice(ctx context.Context, r *profiler.Run) (*profiler.Run, error) {
	again, err := c.Bench.Rerun(ctx, r, r.Subject.Args)
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) || err == nil && !sameRun(r, again) { // it may have left files
		return c.Bench.Run(ctx, c.Subject, r.Profiler, r.Covered, c.dir)
	}
	return again, err
}

// run is a run of the subject as a variant, which is made once.
func (c *Case) run(ctx context.Context, t Trial, p profiler.Profiler, covered bool) (*profiler.Run, error) {
	key := fmt.Sprintf("%s %d %s %t", t.As, t.Seed, p, covered)
	if t.As == "" {
		key = fmt.Sprintf("%s %t", p, covered)
	}
	c.mu.Lock()
	one := c.runs[key]
	if one == nil {
		one = &once{}
		c.runs[key] = one
	}
	c.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.done {
		return one.run, nil
	}
	r, err := c.make(ctx, t, p, covered)
	if err == nil {
		one.run, one.done = r, true
	}
	return r, err
}

// make makes a run.
func (c *Case) make(ctx context.Context, t Trial, p profiler.Profiler, covered bool) (*profiler.Run, error) {
	s, _, err := c.as(ctx, t)
	if err != nil {
		return nil, err
	}
	if p.Via == profiler.ByAll && t.As != "" {
		// Where the program itself was, as a user who edits it has it.
		base, err := c.Bench.Run(ctx, c.Subject, p, covered, c.dir)
		if err != nil {
			return nil, err
		}
		return c.Bench.Again(ctx, base, s)
	}
	return c.Bench.Run(ctx, s, p, covered, c.dir)
}

// as is the subject as a trial has it, and, if it was transformed, the map of its lines.
func (c *Case) as(ctx context.Context, t Trial) (*profiler.Subject, *srcedit.Map, error) {
	if t.As == "" {
		return c.Subject, nil, nil
	}
	if !strings.HasPrefix(t.As, rewrites) {
		s, err := apply(c.Subject, t.As, t.Seed)
		return s, nil, err
	}
	key := fmt.Sprint(t.As, " ", t.Seed)
	c.transforming.Lock()
	defer c.transforming.Unlock()
	if made, ok := c.made[key]; ok {
		return made.subject, made.lines, made.err
	}
	s, lines, err := c.rewritten(ctx, t)
	if ctx.Err() == nil {
		c.made[key] = transformed{s, lines, err}
	}
	return s, lines, err
}

// transformed is a subject after a transformation.
type transformed struct {
	subject *profiler.Subject
	lines   *srcedit.Map
	err     error
}

// with is the profiler of a trial.
func (c *Case) with(t Trial) (profiler.Profiler, error) {
	if t.With == "" {
		return c.Profiler, nil
	}
	p, err := profiler.Parse(t.With)
	if t.Rule != Versions {
		p.Go = c.Profiler.Go // which a finding that is tried with another toolchain is tried with as a whole
	}
	return p, err
}

// plain is a run without counters.
func (c *Case) plain(ctx context.Context, t Trial, p profiler.Profiler) (*profiler.Run, error) {
	return c.run(ctx, t, p.Uncounted(), false)
}

// profiled is a covered run with a profile; the verdict says why there is none.
func (c *Case) profiled(ctx context.Context, t Trial, p profiler.Profiler) (*profiler.Run, *Verdict, error) {
	r, err := c.run(ctx, t, p, true)
	switch {
	case err != nil:
		return nil, nil, err
	case r.Failed != "":
		return nil, not("it is not built with -cover"), nil // which C1 judges
	case r.Profile == nil:
		return nil, not("%s", r.Unread), nil
	}
	return r, nil, nil
}

// NotBuilt begins what Fit says of a program that has an error.
const NotBuilt = "it is not built without -cover either"

// Fit says why a program is not to be judged: it is not built, or two runs differ; empty if it is.
func (c *Case) Fit(ctx context.Context) (string, error) {
	first, err := c.plain(ctx, Trial{}, c.Profiler)
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) {
		return impossible.Reason, nil
	}
	if err != nil {
		return "", err
	}
	if first.Failed != "" {
		return NotBuilt + ": " + messageOf(first.Failed), nil
	}
	second, err := c.twice(ctx, first)
	if err != nil {
		return "", err
	}
	switch {
	case first.Code < 0:
		return "it does not end by itself", nil
	case first.Took > mostPlain:
		return "it takes long", nil
	case len(differences(first, second)) > 0:
		return "two runs differ", nil
	}
	return "", nil
}

// mostPlain is how long a program may take, so that it ends in time with counters as well.
const mostPlain = 5 * time.Second

// sortedKeys are the keys of a map, in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// engineFor is what builds recordings for a profiler.
func engineFor(p profiler.Profiler) gobuild.Engine {
	e, _ := gobuild.ParseEngine("dlv")
	e.Go = p.Go
	return e
}

// said makes what someone says.
func said(by, format string, args ...any) finding.Said {
	return finding.Said{Text: strings.TrimSpace(fmt.Sprintf(format, args...)), By: by}
}

// Profiled is the covered run of the subject as it is.
func (c *Case) Profiled(ctx context.Context) (*profiler.Run, error) {
	return c.run(ctx, Trial{}, c.Profiler, true)
}

// CountAt is how often a run's profile says that the first statement which begins on a line was executed; ok is false if no
// block has one.
func CountAt(r *profiler.Run, name string, line int) (count uint64, ok bool) {
	f := files(r.Subject)[name]
	if f == nil {
		return 0, false
	}
	for _, s := range f.statements {
		if s.line == line {
			b, ok := blockOf(counted(r)[name], s)
			return b.Count, ok
		}
	}
	return 0, false
}
