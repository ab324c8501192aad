package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"misstep/finding"
	"misstep/judge"
	"misstep/triage"
)

// campaign is one that is carried out.
type campaign struct {
	cfg     *Config
	worker  Worker
	store   Store
	rules   finding.Registry
	version string // of the engine's toolchain, for lists of what is known
	handler Handler
	// began is when the runs began, spent how long they took before an interruption.
	began time.Time
	spent time.Duration

	contents []Content // in the order in which they are run

	mu   sync.Mutex
	next int
	// elsewhere says that somebody else was at work on a run.
	elsewhere bool
	keys      map[string]bool // of jobs that are done
	unfit     map[string]bool
	classes   map[string]bool

	found    atomic.Bool             // something that is not known
	stop     context.CancelCauseFunc // of all runs
	handling sync.Mutex
	failed   error // of the handler or the store, which cannot be told to them
}

// Hunt carries a campaign out, or goes on with it, and returns its summary. Version is that
// of the engine's toolchain. What was found is in the summary whatever the error says; it
// is nil only if there is none.
func Hunt(ctx context.Context, cfg *Config, worker Worker, store Store, version string, handler Handler) (*Summary, error) {
	if len(cfg.Programs) == 0 {
		return nil, errors.New("there is no program to hunt with")
	}
	c := &campaign{
		cfg: cfg, worker: worker, store: store, rules: judge.Rules(), version: version, handler: handler,
		unfit: map[string]bool{}, classes: map[string]bool{},
	}
	sum, err := c.carryOut(ctx)
	return sum, errors.Join(err, handler.Flush())
}

func (c *campaign) carryOut(ctx context.Context) (*Summary, error) {
	start := time.Now()
	before, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.preflight(ctx); err != nil {
		return nil, err
	}
	runErr := c.work(ctx)
	// What was found until now is shown even if misstep itself failed.
	keep := context.WithoutCancel(ctx)
	all, err := c.summarise(keep, start, before)
	if err != nil {
		return nil, errors.Join(runErr, err)
	}
	if runErr == nil {
		if runErr = c.reduce(ctx, all); runErr == nil {
			if all.sum.Complete = !c.elsewhere; all.sum.Complete {
				runErr = c.store.Note(keep, NotedComplete, time.Now().UTC().Format(time.RFC3339))
			}
		}
		all.sum.Causes = all.causes(all.counts) // with what was reduced
	}
	c.tellExamples(all)
	c.emit(Event{Type: "summary", Summary: &all.sum})
	if c.failed != nil {
		runErr = errors.Join(runErr, c.failed)
	}
	return &all.sum, runErr
}

// emit tells of an event, and keeps it. Findings are kept without what shows them, which
// the outcome of their job has.
func (c *campaign) emit(e Event) {
	c.handling.Lock()
	defer c.handling.Unlock()
	e.Version, e.At = EventVersion, time.Now()
	err := c.handler.Handle(e)
	e.Finding, e.Early = e.Finding.light(), e.Early.light()
	err = errors.Join(err, c.store.Append(context.Background(), e))
	if c.failed == nil && err != nil {
		c.failed = fmt.Errorf("telling of what happened: %w", err)
	}
}

// begin opens the stream and finds out what was done by an earlier part of the campaign.
func (c *campaign) begin(ctx context.Context) (*collected, error) {
	for _, i := range c.cfg.order() {
		c.contents = append(c.contents, ContentOf(c.cfg.Programs[i]))
	}
	if err := resume(ctx, c.store, c.cfg.Out, c.cfg.settings(c.contents)); err != nil {
		return nil, err
	}
	before, err := collect(ctx, c.store, c.rules)
	if err != nil {
		return nil, err
	}
	c.keys = before.done
	for _, class := range before.names() {
		c.classes[class] = true
		if c.known(class) == "" {
			c.found.Store(true)
		}
	}
	spent, err := c.store.Noted(ctx, notedSpent)
	if err != nil {
		return nil, err
	}
	if spent != "" {
		if c.spent, err = time.ParseDuration(spent); err != nil {
			return nil, fmt.Errorf("reading the campaign's time: %w", err)
		}
	}
	c.emit(Event{Type: "start", Start: &Start{
		Against: c.cfg.against(), Baseline: c.cfg.baseline(), Engine: c.cfg.Engine.String(), Programs: len(c.cfg.Programs), Runs: c.cfg.Runs,
		Done: before.sum.Runs, Seed: c.cfg.Seed, Workers: c.cfg.Workers, Out: c.cfg.Out,
	}})
	if before.sum.Runs > 0 {
		if err := c.retell(ctx); err != nil {
			return nil, err
		}
	}
	for i, u := range c.cfg.Skipped {
		out := &Outcome{Key: "skipped " + u.Program, Index: -1 - i, Unfit: &Unfit{u.Program, u.Reason}}
		if err := c.keep(ctx, out); err != nil {
			return nil, err
		}
	}
	return before, nil
}

// preflights is how many programs are tried at most before the first run: an engine that
// cannot launch any of so many is looked at by the runs.
const preflights = 20

// preparing bounds what is built before the first run: the debugger, and the standard
// library as the engine has it compiled.
const preparing = 15 * time.Minute

// bounded is a context for what is built before the first run.
func bounded(ctx context.Context, cfg *Config) (context.Context, context.CancelFunc) {
	late := fmt.Errorf("preparing %s took longer than %s", cfg.Engine, preparing)
	return context.WithTimeoutCause(ctx, preparing, late)
}

// preflight launches the first program that is fit, so that an engine that
// cannot work at all is an error and not a finding a run.
func (c *campaign) preflight(ctx context.Context) error {
	ctx, cancel := bounded(ctx, c.cfg)
	defer cancel()
	c.emit(Event{Type: "preparing", Preparing: &Preparing{What: c.cfg.Engine.String()}})
	for i, content := range c.contents[:min(len(c.contents), preflights)] {
		fit, err := c.worker.Check(ctx, c.cfg.job(i, content))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if fit || err != nil {
			return err
		}
	}
	return nil
}

var (
	errOutOfTime = errors.New("the campaign's time is up")
	errEnough    = errors.New("something was found")
)

// work lets the workers take runs until there are none left.
func (c *campaign) work(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.stop = stop
	if c.began = time.Now(); c.cfg.Time > 0 {
		t := time.AfterFunc(max(0, c.cfg.Time-c.spent), func() { stop(errOutOfTime) })
		defer t.Stop()
	}
	var wg sync.WaitGroup
	for range max(1, c.cfg.Workers) {
		wg.Go(func() {
			for ctx.Err() == nil {
				if c.cfg.FailFast && c.found.Load() {
					stop(errEnough)
					return
				}
				j, err := c.take(ctx)
				if err == nil && j == nil {
					return
				}
				if err == nil {
					err = c.step(ctx, j)
				}
				if err != nil {
					stop(err)
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errOutOfTime) && !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// leased is how long a worker has a run for itself: many times what one takes.
const leased = 30 * time.Minute

// take is the next run that is not done; nil if there is none.
func (c *campaign) take(ctx context.Context) (*Job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.cfg.Runs == 0 || c.next < c.cfg.Runs {
		if len(c.unfit) >= len(c.contents) && c.allUnfit() {
			return nil, nil
		}
		index := c.next
		c.next++
		nth, _ := c.cfg.due(index)
		content := c.contents[nth%len(c.contents)]
		if c.unfit[content.Name] {
			continue
		}
		j := c.cfg.job(index, content)
		key, err := j.Key()
		if err != nil {
			return nil, err
		}
		if c.keys[key] {
			continue
		}
		ok, err := c.store.Lease(ctx, key, leased)
		if err != nil || ok {
			return j, err
		}
		c.elsewhere = true
	}
	return nil, nil
}

func (c *campaign) allUnfit() bool {
	for i := range c.contents {
		if !c.unfit[c.contents[i].Name] {
			return false
		}
	}
	return true
}

// step does a job, and keeps and tells what came of it.
func (c *campaign) step(ctx context.Context, j *Job) error {
	keep := context.WithoutCancel(ctx)
	j.early = func(f *finding.Finding) { c.early(j.Index, f) }
	out, err := c.worker.Do(ctx, j)
	if err == nil {
		err = c.keep(keep, out)
	} else if ctx.Err() != nil {
		err = nil // it was not even begun
	}
	key, keyErr := j.Key()
	return errors.Join(err, keyErr, c.store.Release(keep, key))
}

// keep keeps an outcome and tells of it.
func (c *campaign) keep(ctx context.Context, out *Outcome) error {
	if u := out.Unfit; u != nil {
		c.mu.Lock()
		known := c.unfit[u.Program]
		c.unfit[u.Program] = true
		c.mu.Unlock()
		if known {
			return nil
		}
		c.emit(Event{Type: "unfit", Unfit: u})
		return c.store.Put(ctx, out)
	}
	if err := c.store.Put(ctx, out); err != nil {
		return err
	}
	if !c.began.IsZero() {
		if err := c.store.Note(ctx, notedSpent, (c.spent + time.Since(c.began)).String()); err != nil {
			return err
		}
	}
	return c.tell(out)
}

// retell tells of outcomes that nobody told of: they came after whoever should have was gone.
func (c *campaign) retell(ctx context.Context) error {
	told := map[int]bool{}
	for e, err := range c.store.Events(ctx) {
		if err != nil {
			return err
		}
		if e.Run != nil {
			told[e.Run.Index] = true
		}
	}
	var late []*Outcome
	for out, err := range c.store.Outcomes(ctx) {
		if err != nil {
			return err
		}
		if out.Run != nil && !out.Run.Cut && !told[out.Index] {
			late = append(late, out)
		}
	}
	for _, out := range late {
		if err := c.tell(out); err != nil {
			return err
		}
	}
	return nil
}

// tell tells of what came of a run.
func (c *campaign) tell(out *Outcome) error {
	if out.Run == nil {
		return nil
	}
	if out.Unjudged != nil && c.first("unjudged "+out.Unjudged.Program) {
		c.emit(Event{Type: "unjudged", Unjudged: out.Unjudged})
	}
	for _, d := range out.Run.Defects {
		c.emit(Event{Type: "defect", Defect: d})
		if err := writeDefect(c.cfg.Out, d); err != nil {
			return err
		}
	}
	for i := range out.Findings {
		f := out.Findings[i].Finding
		class := f.Class.String()
		known := c.known(class)
		isNew := c.first(class) && known == ""
		if known == "" {
			c.found.Store(true)
		}
		c.emit(Event{Type: "finding", Finding: &Found{Index: out.Index, New: isNew, Known: known, What: f}})
	}
	// Last, so that a run that was told of is one of which all was told.
	c.emit(Event{Type: "run", Run: out.Run})
	return nil
}

// early tells of a finding of a run that goes on, of each class once.
func (c *campaign) early(index int, f *finding.Finding) {
	class := f.Class.String()
	known := c.known(class)
	if known == "" {
		c.found.Store(true)
	}
	c.mu.Lock()
	later := c.classes[class]
	c.mu.Unlock()
	if isNew := c.first("early "+class) && !later && known == ""; isNew {
		c.emit(Event{Type: "early", Early: &Found{Index: index, New: true, What: f}})
	}
	if c.cfg.FailFast && known == "" {
		c.stop(errEnough)
	}
}

// first reports whether something comes for the first time.
func (c *campaign) first(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.classes[name]
	c.classes[name] = true
	return !seen
}

// known is the entry of the list of known classes that a class falls under, or empty.
func (c *campaign) known(class string) string {
	if k := triage.LookUp(c.cfg.Known, class, c.cfg.Engine, c.version, time.Now()); k != nil {
		return k.String()
	}
	return ""
}
