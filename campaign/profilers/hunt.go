// Package profilers hunts for missteps of coverage profilers: it makes the trials of package coverage for many programs, has
// each finding shown twice more before it is told, and keeps one of each class.
//
// The trials of a program are independent of those of others. A hunt goes through the programs in rounds: first the
// first few trials of each, then the next ones, until all are made or its time is up; so that a short hunt has seen all
// programs. If there are only a few of each, they are made at once. Which trials there are, and in which order, follows from the seed.
package profilers

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"misstep/finding"
	"misstep/history/record"
	"misstep/oracle/coverage"
	"misstep/profiler"
)

// A Config says what a hunt does.
type Config struct {
	Bench    *profiler.Bench
	Recorder *record.Recorder // nil to record nothing
	// Do, if not nil, does jobs, in the place of Bench and Recorder; of one program as well, several at the same time.
	Do       func(context.Context, *Job) (*Outcome, error)
	Subjects []*profiler.Subject
	Profiler profiler.Profiler
	// Others are profilers in their text form whose counts are held against.
	Others []string
	// Converters are programs that read profiles, see [profiler.ParseConverter].
	Converters []string
	// Only are the rules to try; empty for all.
	Only    []string
	Seed    uint64
	Time    time.Duration // zero for no bound
	Workers int
	// Trials bounds how many are made of each program; zero for all.
	Trials int
	// Told gets each event. It is called from one goroutine at a time.
	Told func(Event)
}

// An Event is something that a hunt has come to.
type Event struct {
	// Unfit says why a program was left out.
	Program, Unfit string
	// Finding is what was found, New that its class is.
	Finding *finding.Finding
	New     bool
	// Shown is in how many of three tries it showed.
	Shown int
	// Subject is the program of a finding.
	Subject *profiler.Subject
}

// A Summary says what became of a hunt.
type Summary struct {
	Programs int `json:"programs"`
	Unfit    int `json:"unfit"` // programs that were left out
	Trials   int `json:"trials"`
	// Rules are counts by rule.
	Rules   map[string]*RuleCount  `json:"rules"`
	Classes map[string]*ClassCount `json:"classes"`
	Took    time.Duration          `json:"took"` // in nanoseconds
	// Cut says that the time was up before all was tried.
	Cut bool `json:"cut"`
}

// A RuleCount counts the trials of a rule.
type RuleCount struct {
	Trials   int            `json:"trials"`
	Made     int            `json:"made"` // trials in which something was compared
	Checks   int            `json:"checks"`
	Findings int            `json:"findings"`
	Strong   int            `json:"strong"` // findings about counts one of which is zero
	Weak     int            `json:"weak"`   // findings about other counts
	Not      map[string]int `json:"not"`    // trials in which nothing was compared, by reason
}

// A ClassCount counts the findings of a class.
type ClassCount struct {
	Finding  *finding.Finding `json:"finding"` // the first
	Findings int              `json:"findings"`
	Programs []string         `json:"programs"`
	Rare     bool             `json:"rare"` // each time, it did not show when it was tried again
}

// round is how many trials of a program are made at a time, by each of those that make them. What is built for all of them is
// built once each time.
const round = 4

// perRound is that of the hunt.
func (h *hunt) perRound() int {
	if h.Trials > 0 && h.Trials <= 2*round {
		return h.Trials
	}
	return round
}

type hunt struct {
	Config
	mu      sync.Mutex
	summary *Summary
}

// A work is a program with the trials that are left.
type work struct {
	subject *profiler.Subject
	fit     bool // it is known to be
	from    int  // the first trial that is left
	trials  int  // how many there are, if it is fit
	width   int  // trials at the same time
}

// left reports whether there is something to do.
func (w *work) left() bool { return w.subject != nil && (!w.fit || w.from < w.trials) }

// Run hunts. The error says that the hunt as a whole failed; one that its context ends has a summary all the same.
func (c Config) Run(ctx context.Context) (*Summary, error) {
	start := time.Now()
	h := &hunt{Config: c, summary: &Summary{Rules: map[string]*RuleCount{}, Classes: map[string]*ClassCount{}}}
	if c.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Time, errTime)
		defer cancel()
	}
	var jobs []*work
	for _, s := range c.Subjects {
		jobs = append(jobs, &work{subject: s})
	}
	var failed error
	for len(jobs) > 0 && failed == nil && ctx.Err() == nil {
		failed = h.round(ctx, jobs)
		jobs = slices.DeleteFunc(jobs, func(w *work) bool { return !w.left() })
	}
	h.summary.Took = time.Since(start)
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		h.summary.Cut = true
		return h.summary, nil
	case ctx.Err() != nil:
		return h.summary, context.Cause(ctx)
	}
	return h.summary, failed
}

var errTime = errors.New("the time is up")

// round makes the next trials of each program.
func (h *hunt) round(ctx context.Context, jobs []*work) error {
	next := make(chan *work)
	var wait sync.WaitGroup
	var failed error
	for range max(h.Workers, 1) {
		wait.Go(func() {
			for j := range next {
				if err := h.job(ctx, j); err != nil && ctx.Err() == nil {
					h.mu.Lock()
					failed = errors.Join(failed, err)
					h.mu.Unlock()
				}
			}
		})
	}
	for _, j := range jobs {
		j.width = max(1, h.Workers/len(jobs)) // where there are fewer programs than workers
		select {
		case next <- j:
		case <-ctx.Done():
		}
	}
	close(next)
	wait.Wait()
	return failed
}

// job makes the next trials of a program.
func (h *hunt) job(ctx context.Context, w *work) error {
	round := h.perRound()
	count := round * w.width
	if !w.fit {
		return h.part(ctx, w, Job{Count: min(count, round), Width: w.width})
	}
	from := w.from
	w.from = min(from+count, w.trials)
	if h.Do == nil {
		return h.part(ctx, w, Job{From: from, Count: w.from - from, Width: w.width})
	}
	var wait sync.WaitGroup
	failed := make([]error, w.width)
	for i := range failed {
		if at := from + i*round; at < w.from {
			wait.Go(func() { failed[i] = h.part(ctx, w, Job{From: at, Count: min(round, w.from-at), Width: 1}) })
		}
	}
	wait.Wait()
	return errors.Join(failed...)
}

// part does a job and tells what came of it.
func (h *hunt) part(ctx context.Context, w *work, j Job) error {
	j.Subject, j.Profiler, j.Others, j.Converters, j.Only, j.Seed, j.Most = w.subject, h.Profiler, h.Others, h.Converters, h.Only, h.Seed, h.Config.Trials
	do := h.Do
	if do == nil {
		do = (&Machine{h.Bench, h.Recorder}).Do
	}
	out, err := do(ctx, &j)
	if out == nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range out.Tried {
		h.tried(w, t)
	}
	switch {
	case out.Unfit != "":
		h.unfit(w, out.Unfit)
	case err == nil && !w.fit && ctx.Err() == nil:
		h.summary.Programs++
		w.fit, w.trials, w.from = true, out.Trials, j.Count
	}
	return err
}

// unfit leaves a program out. The caller has the lock.
func (h *hunt) unfit(w *work, why string) {
	h.summary.Unfit++
	h.tell(Event{Program: w.subject.Name, Unfit: why})
	w.subject = nil
}

func (h *hunt) tell(e Event) {
	if h.Told != nil {
		h.Told(e)
	}
}

// tried counts a trial and tells of what it found. The caller has the lock.
func (h *hunt) tried(w *work, t *Tried) {
	r := h.summary.Rules[t.Trial.Rule]
	if r == nil {
		r = &RuleCount{Not: map[string]int{}}
		h.summary.Rules[t.Trial.Rule] = r
	}
	h.summary.Trials++
	r.Trials++
	r.Checks += t.Made
	if t.Not != "" {
		r.Not[t.Not]++
	} else {
		r.Made++
	}
	for _, f := range t.Found {
		r.Findings++
		if coverage.Strong(f.Finding) {
			r.Strong++
		} else if coverage.Counts(f.Finding) {
			r.Weak++
		}
		name := f.Finding.Class.String()
		class, known := h.summary.Classes[name]
		if !known {
			class = &ClassCount{Finding: f.Finding}
			h.summary.Classes[name] = class
		}
		class.Findings++
		class.Rare = (!known || class.Rare) && f.Shown <= confirmations
		if !slices.Contains(class.Programs, w.subject.Name) {
			class.Programs = append(class.Programs, w.subject.Name)
		}
		h.tell(Event{Program: w.subject.Name, Finding: f.Finding, New: !known, Shown: f.Shown, Subject: w.subject})
	}
}
