package conform

import (
	"context"
	"encoding/json"
	"fmt"

	"misstep/internal/gobuild"
	"misstep/script"
)

// A question is a test on an engine, as it is sent to another machine.
type question struct {
	Test   string
	Engine string
	Script []byte
	// Again is how often it is tried again if it does not pass.
	Again int
}

// An answer is what came of it.
type answer struct {
	*Cell
	Made map[string]int // which a table does not show
}

// Elsewhere is how a test is tried by ask, which has [Answer] called on another machine; and again there, so many times, if it does not
// pass.
func Elsewhere(again int, ask func(ctx context.Context, what, engine string, data []byte) ([]byte, error)) func(context.Context, Test, gobuild.Engine) (*Cell, error) {
	return func(ctx context.Context, t Test, e gobuild.Engine) (*Cell, error) {
		data, err := json.Marshal(question{t.Name, e.String(), t.Script.Format(), again})
		if err != nil {
			return nil, fmt.Errorf("writing the test: %w", err)
		}
		if data, err = ask(ctx, fmt.Sprintf("the test %.100s on %.100s", t.Name, e), e.String(), data); err != nil {
			return nil, err
		}
		a := answer{}
		if err := json.Unmarshal(data, &a); err != nil || a.Cell == nil {
			return nil, fmt.Errorf("what came of the test cannot be read: %w", err)
		}
		a.Cell.Made = a.Made
		return a.Cell, nil
	}
}

// Answer tries the test of a question that came from another machine.
func Answer(ctx context.Context, env *script.Env, data []byte) ([]byte, error) {
	var q question
	if err := json.Unmarshal(data, &q); err != nil {
		return nil, fmt.Errorf("reading a test: %w", err)
	}
	engine, err := gobuild.ParseEngine(q.Engine)
	if err != nil {
		return nil, err
	}
	cell := &Cell{Outcome: Unable}
	if s, err := script.Parse(q.Script, q.Test); err != nil {
		cell.Reason = err.Error()
	} else {
		r := &Runner{Env: env, Again: q.Again}
		if cell, err = r.tried(ctx, Test{q.Test, s}, engine); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return json.Marshal(answer{cell, cell.Made})
}
