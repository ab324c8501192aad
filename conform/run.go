package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"misstep/internal/gobuild"
	"misstep/script"
)

// A Test is a testscript with its name.
type Test struct {
	Name   string
	Script *script.Script
}

// An Outcome is how a test ended on an engine.
type Outcome string

// The outcomes.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"
	NotApplicable Outcome = "not applicable"
	Unable        Outcome = "unable" // it could not be carried out, so that nothing is known
)

// A Cell is what came of a test on an engine.
type Cell struct {
	Outcome Outcome `json:"outcome"`
	// Reason says what is wrong, with the line of the script, or what the engine lacks.
	Reason string `json:"reason,omitempty"`
	Line   int    `json:"line,omitempty"`
	Class  string `json:"class,omitempty"` // of the finding, if there is one
	// At is the outcome that a test had the first time, which passes when it is tried again: what shows by chance is no verdict. Reason says
	// what was wrong then.
	At Outcome `json:"at,omitempty"`
	// Took is how long the test took, with trying it again.
	Took time.Duration `json:"took"`
	// Made are the checks that were made, by rule.
	Made map[string]int `json:"-"`
}

// A Row is what came of a test, by engine in their order.
type Row struct {
	Test  string  `json:"test"`
	Cells []*Cell `json:"cells"`
}

// A Table is what came of a suite.
type Table struct {
	Engines []string      `json:"engines"`
	Rows    []*Row        `json:"rows"`
	Took    time.Duration `json:"took"`
}

// A Runner runs suites.
type Runner struct {
	Env     *script.Env
	Workers int
	// FailFast ends the run when a test has failed: the table has the tests then that were tried on each engine, or failed on one.
	FailFast bool
	// Again is how often a test is tried again that does not pass.
	Again int
	// Try, if not nil, is what tries a test on an engine, in the place of Env.
	Try func(ctx context.Context, test Test, engine gobuild.Engine) (*Cell, error)
	// Done, if not nil, is told of each test that has ended, in no order. It is not called concurrently.
	Done func(test, engine string, c *Cell)
}

// Run runs each test on each engine.
func (r *Runner) Run(ctx context.Context, tests []Test, engines []gobuild.Engine) (*Table, error) {
	start := time.Now()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	enough := false
	t := &Table{}
	for _, e := range engines {
		t.Engines = append(t.Engines, e.String())
	}
	type job struct{ row, col int }
	jobs := make(chan job)
	for _, test := range tests {
		t.Rows = append(t.Rows, &Row{Test: test.Name, Cells: make([]*Cell, len(engines))})
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range max(1, r.Workers) {
		wg.Go(func() {
			for j := range jobs {
				if ctx.Err() != nil {
					continue
				}
				begun := time.Now()
				cell, err := r.tried(ctx, tests[j.row], engines[j.col])
				if cell != nil {
					cell.Took = time.Since(begun)
				}
				if err != nil {
					fail(fmt.Errorf("%s on %s: %w", tests[j.row].Name, t.Engines[j.col], err))
					continue
				}
				mu.Lock()
				t.Rows[j.row].Cells[j.col] = cell
				if enough = enough || r.FailFast && cell.Outcome == Failed; enough {
					fail(errEnough)
				}
				if r.Done != nil && ctx.Err() == nil {
					r.Done(tests[j.row].Name, t.Engines[j.col], cell)
				}
				mu.Unlock()
			}
		})
	}
	for i := range tests {
		for k := range engines {
			if ctx.Err() == nil {
				jobs <- job{i, k}
			}
		}
	}
	close(jobs)
	wg.Wait()
	if err := context.Cause(ctx); errors.Is(err, errEnough) {
		t.Rows = slices.DeleteFunc(t.Rows, func(row *Row) bool {
			return slices.Contains(row.Cells, nil) && !slices.ContainsFunc(row.Cells, func(c *Cell) bool { return c != nil && c.Outcome == Failed })
		})
		for _, row := range t.Rows {
			for i, c := range row.Cells {
				if c == nil {
					row.Cells[i] = &Cell{Outcome: Unable, Reason: "it was not tried any more"}
				}
			}
		}
	} else if err != nil {
		return nil, fmt.Errorf("running the suite: %w", err)
	}
	t.Took = time.Since(start)
	return t, nil
}

var errEnough = errors.New("a test has failed")

// tried is what came of a test, and of trying it again if it did not pass.
func (r *Runner) tried(ctx context.Context, test Test, engine gobuild.Engine) (*Cell, error) {
	first, err := r.try(ctx, test, engine)
	for n := 0; err == nil && n < r.Again && (first.Outcome == Failed || first.Outcome == Unable) && ctx.Err() == nil; n++ {
		var again *Cell
		if again, err = r.try(ctx, test, engine); err == nil && again.Outcome == Passed {
			again.At, again.Reason, again.Line, again.Class = first.Outcome, first.Reason, first.Line, first.Class
			return again, nil
		}
	}
	return first, err
}

func (r *Runner) try(ctx context.Context, test Test, engine gobuild.Engine) (*Cell, error) {
	if r.Try != nil {
		return r.Try(ctx, test, engine)
	}
	return cellOf(r.Env.With(engine).Run(ctx, test.Script)), nil
}

// cellOf says what a script's result means for the engine.
func cellOf(res *script.Result) *Cell {
	c := &Cell{Outcome: Passed, Made: res.Made}
	switch {
	case res.Outcome != script.Passed && res.Died != "":
		c.Outcome, c.Reason, c.Line = Failed, res.Died, res.Line
		return c
	case res.Lacks != "":
		c.Outcome, c.Reason = NotApplicable, "the adapter does not offer "+res.Lacks
		return c
	case res.Outcome == script.Passed:
		return c
	case res.Outcome == script.Unable && !res.Demanded:
		c.Outcome = Unable
	default:
		c.Outcome = Failed
		if len(res.Findings) > 0 {
			c.Class = res.Findings[0].Class.String()
		}
	}
	c.Reason, c.Line = res.Reason, res.Line
	return c
}
