package reference_test

import (
	"context"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// TestAnother: what is shown of goroutines that have not paused is judged, and so is one that the program's end cuts off,
// until then.
func TestAnother(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	const text = `package main

func work(n int, in <-chan int, out chan<- int) {
	total := n
	for v := range in {
		total += v
		out <- total
	}
	close(out)
}

func collect(in <-chan int, done chan<- bool) {
	sum := 0
	for v := range in {
		sum += v
	}
	done <- true
	println(sum)
}

func main() {
	in, out, done := make(chan int), make(chan int), make(chan bool)
	last := 3
	go work(10, in, out)
	go collect(out, done)
	for i := range last {
		in <- i
	}
	close(in)
	<-done
}
`
	p, m := recorded(t, h, text, reference.Probes{})
	events := session(t, h, p, []dap.Action{
		{Kind: dap.Break, File: "main.go", Line: 15}, {Kind: dap.Continue},
		{Kind: dap.Threads},
		{Kind: dap.Stack, Thread: 1}, {Kind: dap.Vars, Thread: 1, Frame: 3}, {Kind: dap.Evaluate, Thread: 1, Frame: 3, Name: "last"},
		{Kind: dap.Stack, Thread: 2}, {Kind: dap.Vars, Thread: 2, Frame: 3},
		{Kind: dap.Continue}, {Kind: dap.Stack, Thread: 2}, {Kind: dap.Next}, {Kind: dap.Next},
	})
	judge := func(events []dap.Event) (rules string, unknown int) {
		t.Helper()
		found, tally, err := m.Judge(ctx, &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rules += f.Rule + " "
		}
		for _, n := range tally.Account("pauses").Not {
			unknown += n
		}
		return rules, unknown
	}
	if rules, unknown := judge(events); rules != "" || unknown > 0 {
		t.Errorf("a healthy session: %q, %d pauses not judged", rules, unknown)
	}
	lies := map[string]func(*dap.Event) bool{
		"a line": func(e *dap.Event) bool { return own(e, func(f *dap.Frame) { f.Line = 13 }) },
		"a function": func(e *dap.Event) bool {
			return own(e, func(f *dap.Frame) { f.Func, f.Line = "main.collect", 13 })
		},
		"a variable": func(e *dap.Event) bool {
			for i := range e.Output.Scopes {
				for k := range e.Output.Scopes[i].Vars {
					if v := &e.Output.Scopes[i].Vars[k]; v.Name == "last" {
						v.Value = "77"
						return true
					}
				}
			}
			return false
		},
		"a value": func(e *dap.Event) bool {
			if e.Output.Value != nil {
				e.Output.Value.Value = "77"
			}
			return e.Output.Value != nil
		},
	}
	for what, lie := range lies {
		told := 0
		for i := range events {
			e := copyOf(t, events)
			if e[i].Action.Thread == 0 || !lie(&e[i]) {
				continue
			}
			told++
			if rules, _ := judge(e); !strings.Contains(rules, "R11-goroutine") {
				t.Errorf("%s of %s is another: %q", what, e[i].Action, rules)
			}
		}
		if told == 0 {
			t.Errorf("%s: no event has one", what)
		}
	}
}

// own changes the innermost frame of the program on a stack.
func own(e *dap.Event, change func(*dap.Frame)) bool {
	for i := range e.Output.Stack {
		if f := &e.Output.Stack[i]; !f.Foreign() && f.Func != "main.main.gowrap1" {
			change(f)
			return true
		}
	}
	return false
}
