package transform

import (
	"context"
	"slices"

	"misstep/dap"
	"misstep/internal/source"
)

// maxContinues bounds how often a derived base lets the program run on.
const maxContinues = 60

// maxEntries bounds the functions that a derived base has breakpoints at.
const maxEntries = 3

// OnlyFunctions are actions that set breakpoints at functions that a base pauses in, and let the program run on at each; none if
// it pauses in none.
func OnlyFunctions(base []dap.Event, src *source.Source) []dap.Action {
	actions := slices.DeleteFunc(OnlyBreakpoints(base, src), func(a dap.Action) bool { return a.Kind == dap.Break })
	if len(actions) == 0 || actions[0].Kind != dap.FuncBreak {
		return nil
	}
	return actions
}

// OnlyBreakpoints are actions that set the breakpoints of a base, without
// conditions, and some at functions that it pauses in, and let the program run
// on at each; none if it has none.
func OnlyBreakpoints(base []dap.Event, src *source.Source) []dap.Action {
	var actions []dap.Action
	seen := map[string]bool{}
	add := func(a dap.Action) {
		if !seen[a.String()] {
			seen[a.String()] = true
			actions = append(actions, a)
		}
	}
	entries := 0
	for _, e := range base {
		a := e.Action
		if a.Kind == dap.Break && e.Output.Breakpoint != nil && e.Output.Breakpoint.Verified {
			add(dap.Action{Kind: dap.Break, File: a.File, Line: a.Line})
		}
		if p := e.Output.Pause; p != nil && entries < maxEntries {
			fn, ok := declared(src, p.Top().Func)
			if entry := (dap.Action{Kind: dap.FuncBreak, Name: fn.Name}); ok && !seen[entry.String()] {
				add(entry)
				entries++
			}
		}
	}
	if len(actions) == 0 {
		return nil
	}
	for range maxContinues {
		actions = append(actions, dap.Action{Kind: dap.Continue})
	}
	return append(actions, dap.Action{Kind: dap.Finish})
}

// LogPoints are actions that set log points at lines, and let the program run to
// its end.
func LogPoints(places []source.Place) []dap.Action {
	var actions []dap.Action
	for _, p := range places {
		actions = append(actions, dap.Action{Kind: dap.Break, File: p.File, Line: p.Line, Log: "at " + p.String()})
	}
	return append(actions, dap.Action{Kind: dap.Continue}, dap.Action{Kind: dap.Finish})
}

// Counting reports whether a base only lets log points print.
func Counting(base []dap.Event) bool {
	logs := false
	for _, e := range base {
		switch e.Action.Kind {
		case dap.Break:
			if e.Action.Log == "" {
				return false
			}
			logs = true
		case dap.Continue, dap.Finish:
		default:
			return false
		}
	}
	return logs
}

// Record carries actions out, as far as the program lives, and returns the
// trace.
func Record(ctx context.Context, s *dap.Session, actions []dap.Action) ([]dap.Event, error) {
	var events []dap.Event
	for _, a := range actions {
		if s.Ended() {
			break
		}
		out, err := s.Do(ctx, a)
		if err != nil {
			return events, err
		}
		events = append(events, dap.Event{Action: a, Output: out})
		if out.Kind.Fatal() {
			break
		}
	}
	return events, nil
}

// declared is a function by the name that debuggers show; it is not ok for
// literals and generic functions.
func declared(src *source.Source, name string) (source.Func, bool) {
	for _, fn := range src.Funcs() {
		// By the name of a function init there is the compiler's, which calls those of the source.
		if fn.Name == name && !fn.Generic && (fn.Decl.Recv != nil || fn.Decl.Name.Name != "init") {
			return fn, true
		}
	}
	return source.Func{}, false
}
