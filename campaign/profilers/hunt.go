// Package profilers hunts for missteps of coverage profilers: it makes the trials of package coverage for many programs, has
// each finding shown twice more before it is told, and keeps one of each class.
//
// The trials of a program are independent of those of others. A hunt goes through the programs in rounds: first the
// first few trials of each, then the next ones, until all are made or its time is up; so that a short hunt has seen all
// programs. Which trials there are, and in which order, follows from the seed.
package profilers

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
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
	Subjects []*profiler.Subject
	Profiler profiler.Profiler
	// Others are profilers in their text form whose counts are held against.
	Others []string
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
	Not      map[string]int `json:"not"` // trials in which nothing was compared, by reason
}

// A ClassCount counts the findings of a class.
type ClassCount struct {
	Finding  *finding.Finding `json:"finding"` // the first
	Findings int              `json:"findings"`
	Programs []string         `json:"programs"`
	Rare     bool             `json:"rare"` // each time, it did not show when it was tried again
}

// round is how many trials of a program are made at a time, by each of those that make them.
const round = 4

type hunt struct {
	Config
	mu      sync.Mutex
	summary *Summary
}

// A job is a program with the trials that are left.
type job struct {
	subject *profiler.Subject
	trials  []coverage.Trial
	fit     bool // it is known to be
	width   int  // trials at the same time
}

// Run hunts. The error says that the hunt as a whole failed; one that its context ends has a summary all the same.
func (c Config) Run(ctx context.Context) (*Summary, error) {
	start := time.Now()
	h := &hunt{Config: c, summary: &Summary{Rules: map[string]*RuleCount{}, Classes: map[string]*ClassCount{}}}
	if c.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Time, errTime)
		defer cancel()
	}
	var jobs []*job
	for _, s := range c.Subjects {
		jobs = append(jobs, &job{subject: s})
	}
	var failed error
	for len(jobs) > 0 && failed == nil && ctx.Err() == nil {
		failed = h.round(ctx, jobs)
		jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j.fit && len(j.trials) == 0 || j.subject == nil })
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
func (h *hunt) round(ctx context.Context, jobs []*job) error {
	next := make(chan *job)
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
func (h *hunt) job(ctx context.Context, j *job) error {
	c, err := coverage.NewCase(ctx, h.Bench, h.Recorder, j.subject, h.Profiler)
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) {
		h.unfit(j, impossible.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if !j.fit {
		why, err := c.Fit(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", j.subject.Name, err)
		}
		if why != "" {
			// A program with an error must be refused with -cover as it is without.
			if strings.HasPrefix(why, coverage.NotBuilt) && (len(h.Only) == 0 || slices.Contains(h.Only, coverage.Without)) {
				if err := h.try(ctx, c, coverage.Trial{Rule: coverage.Without}); err != nil {
					return err
				}
			}
			h.unfit(j, why)
			return nil
		}
		h.mu.Lock()
		h.summary.Programs++
		h.mu.Unlock()
		j.fit = true
		r := rand.New(rand.NewPCG(h.Seed, hash(j.subject.Name)))
		j.trials = slices.DeleteFunc(c.Trials(r, h.Others), func(t coverage.Trial) bool { return len(h.Only) > 0 && !slices.Contains(h.Only, t.Rule) })
		if h.Config.Trials > 0 {
			j.trials = j.trials[:min(h.Config.Trials, len(j.trials))]
		}
	}
	next := j.trials[:min(len(j.trials), round*j.width)]
	j.trials = j.trials[len(next):]
	trials := make(chan coverage.Trial)
	var wait sync.WaitGroup
	var failed error
	for range j.width {
		wait.Go(func() {
			for t := range trials {
				if err := h.try(ctx, c, t); err != nil && ctx.Err() == nil {
					h.mu.Lock()
					failed = errors.Join(failed, err)
					h.mu.Unlock()
				}
			}
		})
	}
	for _, t := range next {
		if ctx.Err() != nil {
			break
		}
		trials <- t
	}
	close(trials)
	wait.Wait()
	return failed
}

// hash is a number for a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

func (h *hunt) unfit(j *job, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.summary.Unfit++
	h.tell(Event{Program: j.subject.Name, Unfit: why})
	j.subject, j.fit, j.trials = nil, true, nil
}

func (h *hunt) tell(e Event) {
	if h.Told != nil {
		h.Told(e)
	}
}

// try makes a trial, and has what it finds shown again by cases of its own.
func (h *hunt) try(ctx context.Context, c *coverage.Case, t coverage.Trial) error {
	v, err := c.Try(ctx, t)
	if err != nil {
		return err
	}
	shown := map[string]int{}
	if len(v.Findings) > 0 {
		for range confirmations {
			again, err := Again(ctx, c, t)
			if err != nil {
				return err
			}
			for _, f := range again.Findings {
				shown[f.Class.String()]++
			}
		}
	}
	unsteady := slices.ContainsFunc(v.Findings, func(f *finding.Finding) bool { return coverage.Counts(f) && shown[f.Class.String()] < confirmations })
	if unsteady {
		v.Findings = slices.DeleteFunc(v.Findings, coverage.Counts)
		if len(v.Findings) == 0 {
			v = &coverage.Verdict{Not: "how often its statements are executed differs from run to run"}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.summary.Rules[t.Rule]
	if r == nil {
		r = &RuleCount{Not: map[string]int{}}
		h.summary.Rules[t.Rule] = r
	}
	h.summary.Trials++
	r.Trials++
	r.Checks += v.Made
	if v.Not != "" {
		r.Not[v.Not]++
	} else {
		r.Made++
	}
	for _, f := range v.Findings {
		r.Findings++
		name := f.Class.String()
		times := 1 + shown[name]
		class, known := h.summary.Classes[name]
		if !known {
			class = &ClassCount{Finding: f}
			h.summary.Classes[name] = class
		}
		class.Findings++
		class.Rare = (!known || class.Rare) && times <= confirmations
		if !slices.Contains(class.Programs, c.Subject.Name) {
			class.Programs = append(class.Programs, c.Subject.Name)
		}
		h.tell(Event{Program: c.Subject.Name, Finding: f, New: !known, Shown: times, Subject: c.Subject})
	}
	return nil
}

// confirmations are how often a finding is shown again before it is told.
const confirmations = 2

// Again makes a trial of a case from the beginning.
func Again(ctx context.Context, c *coverage.Case, t coverage.Trial) (*coverage.Verdict, error) {
	again, err := coverage.NewCase(ctx, c.Bench, c.Recorder, c.Subject, c.Profiler)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	return again.Try(ctx, t)
}
