package profilers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"misstep/finding"
	"misstep/history/record"
	"misstep/oracle/coverage"
	"misstep/profiler"
)

// A Job is a part of the trials of a program. All that its outcome depends on is in it, so any machine may do it.
type Job struct {
	Subject  *profiler.Subject `json:"-"` // which is sent by itself
	Profiler profiler.Profiler
	// Others, Converters, Only, Seed and Most are the hunt's, of which the program's trials follow.
	Others, Converters, Only []string
	Seed                     uint64
	Most                     int
	// From is the place of the first trial among the program's, and Count how many there are; the part that
	// begins with the first one finds out whether the program is fit.
	From, Count int
	// Width is how many are made at the same time.
	Width int
}

// An Outcome is what came of a job.
type Outcome struct {
	// Unfit says why the program is left out; empty if it is not.
	Unfit string
	// Trials is how many there are of the program.
	Trials int
	Tried  []*Tried
}

// Tried is a trial that was made.
type Tried struct {
	Trial coverage.Trial
	Made  int    // comparisons that could have failed
	Not   string // why there was none; empty if there was
	Found []*Found
}

// Found is something that a trial found, and in how many of three tries it showed.
type Found struct {
	Finding *finding.Finding
	Shown   int
}

// UnmarshalJSON reads what another machine found.
func (f *Found) UnmarshalJSON(text []byte) error {
	type plain Found
	if err := json.Unmarshal(text, (*plain)(f)); err != nil {
		return err
	}
	if f.Finding == nil {
		return errors.New("something was found that is no finding")
	}
	raw, ok := f.Finding.Payload.(*finding.Raw)
	if !ok {
		return errors.New("a finding without its trial")
	}
	var trial coverage.Trial
	if err := json.Unmarshal(raw.Data, &trial); err != nil {
		return fmt.Errorf("reading the trial of a finding: %w", err)
	}
	f.Finding.Payload = trial
	return nil
}

// A Machine does jobs on this machine.
type Machine struct {
	Bench    *profiler.Bench
	Recorder *record.Recorder // nil to record nothing
}

// Do does a job. The outcome has what was tried until an error, or until its context ended.
func (m *Machine) Do(ctx context.Context, j *Job) (*Outcome, error) {
	out := &Outcome{}
	c, err := coverage.NewCase(ctx, m.Bench, m.Recorder, j.Subject, j.Profiler)
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) {
		out.Unfit = impossible.Reason
		return out, nil
	}
	if err != nil {
		return out, err
	}
	defer c.Close()
	if j.From == 0 {
		why, err := c.Fit(ctx)
		if err != nil {
			return out, fmt.Errorf("%s: %w", j.Subject.Name, err)
		}
		if why != "" {
			// A program with an error must be refused with -cover as it is without.
			if strings.HasPrefix(why, coverage.NotBuilt) && (len(j.Only) == 0 || slices.Contains(j.Only, coverage.Without)) {
				tried, err := try(ctx, c, coverage.Trial{Rule: coverage.Without})
				if err != nil {
					return out, err
				}
				out.Tried = append(out.Tried, tried)
			}
			out.Unfit = why
			return out, nil
		}
	}
	trials := j.trials(c)
	out.Trials = len(trials)
	trials = trials[min(j.From, len(trials)):min(j.From+j.Count, len(trials))]
	out.Tried, err = tryAll(ctx, c, trials, j.Width)
	return out, err
}

// trials are all of the program, in their order.
func (j *Job) trials(c *coverage.Case) []coverage.Trial {
	r := rand.New(rand.NewPCG(j.Seed, hash(j.Subject.Name)))
	trials := slices.DeleteFunc(c.Trials(r, j.Others, j.Converters), func(t coverage.Trial) bool { return len(j.Only) > 0 && !slices.Contains(j.Only, t.Rule) })
	if j.Most > 0 {
		trials = trials[:min(j.Most, len(trials))]
	}
	return trials
}

// hash is a number for a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// tryAll makes trials, some at the same time. What was tried is in their order.
func tryAll(ctx context.Context, c *coverage.Case, trials []coverage.Trial, width int) ([]*Tried, error) {
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		failed error
		places = make(chan int)
		tried  = make([]*Tried, len(trials))
	)
	for range max(width, 1) {
		wait.Go(func() {
			for i := range places {
				done, err := try(ctx, c, trials[i])
				mu.Lock()
				if tried[i] = done; err != nil && ctx.Err() == nil {
					failed = errors.Join(failed, err)
				}
				mu.Unlock()
			}
		})
	}
	for i := range trials {
		if ctx.Err() != nil {
			break
		}
		places <- i
	}
	close(places)
	wait.Wait()
	return slices.DeleteFunc(tried, func(t *Tried) bool { return t == nil }), failed
}

// confirmations are how often a finding is shown again before it is told.
const confirmations = 2

// try makes a trial, and has what it finds shown again by cases of its own. It is nil if there is an error.
func try(ctx context.Context, c *coverage.Case, t coverage.Trial) (*Tried, error) {
	v, err := c.Try(ctx, t)
	if err != nil {
		return nil, err
	}
	shown := map[string]int{}
	if len(v.Findings) > 0 {
		for range confirmations {
			again, err := Again(ctx, c, t)
			if err != nil {
				return nil, err
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
	tried := &Tried{Trial: t, Made: v.Made, Not: v.Not}
	for _, f := range v.Findings {
		tried.Found = append(tried.Found, &Found{f, 1 + shown[f.Class.String()]})
	}
	return tried, nil
}

// Again makes a trial of a case from the beginning.
func Again(ctx context.Context, c *coverage.Case, t coverage.Trial) (*coverage.Verdict, error) {
	again, err := coverage.NewCase(ctx, c.Bench, c.Recorder, c.Subject, c.Profiler)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	return again.Try(ctx, t)
}
