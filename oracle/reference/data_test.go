package reference_test

import (
	"context"
	"slices"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/machine"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

const sums = `package main

func sum(n int) int {
	total := 0
	for i := 1; i < n; i++ {
		total += i * 10
		println(total)
	}
	return total
}

func main() {
	println(sum(4))
}
`

// TestData: data breakpoints are judged by the values of the history: a write that no pause is for, a pause
// where nothing is written, and a breakpoint that is refused.
func TestData(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	actions := []dap.Action{
		{Kind: dap.Break, File: "main.go", Line: 6},
		{Kind: dap.Continue},
		{Kind: dap.DataBreak, Name: "total"},
		{Kind: dap.Unbreak, File: "main.go", Line: 6},
		{Kind: dap.Continue},
		{Kind: dap.Next},
		{Kind: dap.Continue},
		{Kind: dap.Continue},
		{Kind: dap.Continue},
	}
	p, m := recorded(t, h, sums, reference.Wanted(actions))
	events := session(t, h, p, actions)
	if notices, known := machine.Watches(); known && !notices && len(events) > 6 && events[6].Output.Pause == nil {
		t.Skip("the processor's watchpoints do not notice writes on this machine")
	}
	for _, c := range []struct {
		name   string
		change func(e []dap.Event) []dap.Event
		rule   string
	}{
		{"as it was", func(e []dap.Event) []dap.Event { return e }, ""},
		{"the first write is passed by", func(e []dap.Event) []dap.Event { return slices.Delete(e, 4, 6) }, "R13-data-first"},
		{"a write is passed by", func(e []dap.Event) []dap.Event { return slices.Delete(e, 6, 7) }, "R13-data"},
		{"all later writes are passed by", func(e []dap.Event) []dap.Event { return slices.Delete(e, 6, 8) }, "R13-data"},
		{"a pause where nothing is written", func(e []dap.Event) []dap.Event {
			top := &e[6].Output.Pause.Stack[0]
			top.Line, top.Place = 10, ""
			return e[:7]
		}, "R13-data"},
		{"refused", func(e []dap.Event) []dap.Event {
			e[2].Output.Breakpoint = &dap.Breakpoint{Message: "no"}
			return e[:3]
		}, "R13-data"},
		{"on what is out of scope", func(e []dap.Event) []dap.Event {
			e[2].Action.Name = "nosuch"
			e[2].Output.Breakpoint = &dap.Breakpoint{Message: "no"}
			return e[:3]
		}, ""},
		{"with a condition", func(e []dap.Event) []dap.Event {
			e[2].Action.Condition = "total > 10"
			return slices.Delete(e, 4, 6)
		}, ""},
	} {
		e := slices.Clone(events)
		for i := range e {
			if p := e[i].Output.Pause; p != nil {
				copied := *p
				copied.Stack = slices.Clone(p.Stack)
				e[i].Output.Pause = &copied
			}
		}
		found, tally, err := m.Judge(ctx, &oracle.Seen{Events: c.change(e)})
		if err != nil {
			t.Fatal(err)
		}
		if c.rule == "" && len(found) > 0 || c.rule != "" && (len(found) == 0 || found[0].Rule != c.rule) {
			t.Errorf("%s: %v, want %q", c.name, said(found), c.rule)
		}
		if c.name == "as it was" && (tally.Made["reference/R13-data"] == 0 || tally.Made["reference/R13-data-first"] == 0) {
			t.Errorf("%s: not all is counted: %v", c.name, tally.Made)
		}
	}
}

// said are the rules that findings break, and how.
func said(found []*finding.Finding) (out []string) {
	for _, f := range found {
		out = append(out, f.Rule+": "+f.Reason)
	}
	return out
}
