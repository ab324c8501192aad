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

// TestChance: of a program that takes branches in the random order of a map, what comes before them is judged, and
// what comes after them is not.
func TestChance(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	const text = `package main

func best(m map[string]int) int {
	top := -1
	for _, v := range m {
		if v > top {
			top = v
		}
	}
	return top
}

func main() {
	m := map[string]int{"a": 3, "b": 9, "c": 4, "d": 1}
	total := 0
	for i := range 3 {
		total += i
	}
	total += best(m)
	println(total)
}
`
	p, m := recorded(t, h, text, reference.Probes{})
	if m.Sure == 0 || m.Sure == len(m.Moments) {
		t.Fatal(m.Sure, len(m.Moments))
	}
	events := session(t, h, p, []dap.Action{
		{Kind: dap.Break, File: "main.go", Line: 16}, {Kind: dap.Break, File: "main.go", Line: 7}, {Kind: dap.Break, File: "main.go", Line: 20},
		{Kind: dap.Continue}, {Kind: dap.Next}, {Kind: dap.Next}, {Kind: dap.Unbreak, File: "main.go", Line: 16},
		{Kind: dap.Next}, {Kind: dap.Continue}, {Kind: dap.Continue},
	})
	judge := func(events []dap.Event) (rules string, pauses, after int) {
		t.Helper()
		found, tally, err := m.Judge(ctx, &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rules += f.Rule + " "
		}
		a := tally.Account("pauses")
		for why, n := range a.Not {
			if strings.Contains(why, "chance") {
				after += n
			}
		}
		return rules, a.Judged, after
	}
	if rules, pauses, after := judge(events); rules != "" || pauses != 5 || after != 1 {
		t.Errorf("a healthy session: %q, %d pauses judged, %d not", rules, pauses, after)
	}
	for _, c := range []struct {
		name  string
		at    int // the pause, from 0
		found bool
	}{{"before", 1, true}, {"after", 5, false}} {
		e, n := copyOf(t, events), 0
		for i := range e {
			if p := e[i].Output.Pause; p != nil {
				if n == c.at {
					p.Stack[0].Line = 19
				}
				n++
			}
		}
		if rules, _, _ := judge(e); (rules != "") != c.found {
			t.Errorf("a wrong line %s: %q", c.name, rules)
		}
	}
}
