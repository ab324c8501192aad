package profilers

import (
	"context"
	"encoding/json"
	"fmt"

	"misstep/profiler"
)

// Elsewhere is how jobs are done by ask, which has [Answer] called on another machine. The program is sent by itself, as
// it is that of many jobs.
func Elsewhere(ask func(ctx context.Context, what string, data, program []byte) ([]byte, error)) func(context.Context, *Job) (*Outcome, error) {
	return func(ctx context.Context, j *Job) (*Outcome, error) {
		data, err := json.Marshal(j)
		if err != nil {
			return nil, fmt.Errorf("writing trials of %s: %w", j.Subject.Name, err)
		}
		program, err := json.Marshal(j.Subject)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", j.Subject.Name, err)
		}
		if data, err = ask(ctx, fmt.Sprintf("trials %d to %d of %.100s", j.From, j.From+j.Count, j.Subject.Name), data, program); err != nil {
			return nil, err
		}
		out := &Outcome{}
		if err := json.Unmarshal(data, out); err != nil {
			return nil, fmt.Errorf("reading what came of %s: %w", j.Subject.Name, err)
		}
		return out, nil
	}
}

// most bounds the trials of a job that comes from another machine, and how many are made at the same time.
const most = 1000

// Answer does a job that came from another machine.
func (m *Machine) Answer(ctx context.Context, data, program []byte) ([]byte, error) {
	j := &Job{Subject: &profiler.Subject{}}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("reading trials: %w", err)
	}
	if err := json.Unmarshal(program, j.Subject); err != nil {
		return nil, fmt.Errorf("reading a program: %w", err)
	}
	if j.From < 0 || j.Count < 0 || j.Count > most || j.Width > most {
		return nil, fmt.Errorf("%d trials of %.80q from %d on: expected at most %d", j.Count, j.Subject.Name, j.From, most)
	}
	out, err := m.Do(ctx, j)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
