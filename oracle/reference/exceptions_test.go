package reference_test

import (
	"context"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// TestExceptions: what ends a program badly pauses it where that is asked for, and is told as it is printed.
func TestExceptions(t *testing.T) {
	const boom = "panic: boom\n\ngoroutine 1 [running]:\n"
	const nested = "panic: first\n\tpanic: boom\n\ngoroutine 1 [running]:\n"
	code := 2
	catch := func(name string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Catch, Name: name}, Output: dap.Output{Kind: dap.Done}}
	}
	pause := func(text string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Reason: "exception", Description: "panic", Text: text}}}
	}
	end := dap.Event{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &code, Stderr: boom}}}
	finish := func(passed ...string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Finish}, Output: dap.Output{Kind: dap.Ended, Exit: end.Output.Exit, Passed: passed}}
	}
	for _, c := range []struct {
		name   string
		stderr string
		events []dap.Event
		made   bool
		fails  bool
	}{
		{"caught by default", boom, []dap.Event{pause(`"boom"`), end}, true, false},
		{"caught", boom, []dap.Event{catch("all"), pause(`"boom"`), end}, true, false},
		{"caught, and not ended", boom, []dap.Event{catch("all"), pause(`"boom"`)}, true, false},
		{"caught on the way to the end", boom, []dap.Event{catch("all"), finish("panic")}, true, false},
		{"not caught, as it is asked", boom, []dap.Event{catch("none"), end}, true, false},
		{"not caught", boom, []dap.Event{catch("all"), end}, true, true},
		{"not caught on the way to the end", boom, []dap.Event{catch("all"), finish()}, true, true},
		{"caught though it is not asked", boom, []dap.Event{catch("none"), pause(`"boom"`), end}, true, true},
		{"caught on the way to the end though it is not asked", boom, []dap.Event{catch("none"), finish("panic")}, true, true},
		{"another text", boom, []dap.Event{pause(`"bang"`), end}, true, true},
		{"the last of several that unwind", nested, []dap.Event{pause(`"boom"`), end}, true, false},
		{"the first of several that unwind", nested, []dap.Event{pause(`"first"`), end}, true, true},
		{"not caught by an adapter that was not asked to", boom, []dap.Event{end}, false, false},
		{"printed by the program", "panic: boom\n", []dap.Event{catch("all"), end}, false, false},
	} {
		d := &debuggee.Debuggee{Build: &gobuild.Build{Program: &gobuild.Program{}}, ExitCode: 2, Stderr: c.stderr}
		found, tally, err := reference.Ends{}.Judge(context.Background(), &oracle.Seen{Events: c.events, Debuggee: d})
		if err != nil {
			t.Fatal(err)
		}
		fails := false
		for _, f := range found {
			fails = fails || f.Rule == "R12-exception"
		}
		if made := tally.Made["reference/R12-exception"] > 0; made != c.made || fails != c.fails {
			t.Errorf("%s: made %v, fails %v, want %v and %v", c.name, made, fails, c.made, c.fails)
		}
	}
}
