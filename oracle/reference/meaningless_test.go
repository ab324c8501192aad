package reference_test

import (
	"context"
	"slices"
	"testing"

	"misstep/dap"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// TestMeaningless: what has no meaning has to be refused, and what a debugger may have added to the language need not.
func TestMeaningless(t *testing.T) {
	h := testhouse.New(t)
	p, m := recorded(t, h, `package main

type inner struct{ deep int }

type pair struct {
	inner
	a int
	s string
}

func (p *pair) sum() int { return p.a }

type summer interface{ sum() int }

func main() {
	n, f, s, b := 3, 2.5, "text", true
	p, q := pair{a: n, s: s}, &pair{}
	var i summer = q
	l := []int{n}
	println(n, f, s, b, p.a, q.a, i.sum(), l[0])
}
`, reference.Probes{})
	meaningless := []string{
		"n + s", "s - s", "b + b", "n && b", "b < b", "s == n", "f % f", "s << n", "(n + s)", `2 * "a"`,
		"!n", "-s", "^f", "^b", "n[0]", "b[1:]", "n.(int)", "n.a", "p.nosuch", "q.nosuch",
		"len(n)", "cap(s)", "int(s)", "bool(n)", "string(f)", "string(b)",
	}
	others := []string{"n.(data)", "n + nosuch", "l.len", "i.a", "n + l", "p + p", "*n", "n(1)", "1 +", "nosuch.x", "n + 1", "p.deep"}
	actions := []dap.Action{{Kind: dap.Break, File: "main.go", Line: 20}, {Kind: dap.Continue}}
	first := len(actions)
	for _, text := range append(meaningless, others...) {
		actions = append(actions, dap.Action{Kind: dap.Evaluate, Name: text})
	}
	events := session(t, h, p, actions)
	judge := func(events []dap.Event) (refuse []string, made int) {
		found, counts, err := m.Judge(context.Background(), &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Rule == "R9-refuse" {
				refuse = append(refuse, f.Says())
			}
		}
		return refuse, counts.Made["reference/R9-refuse"]
	}
	if refuse, made := judge(events); made != len(meaningless) || len(refuse) > 0 {
		t.Errorf("%d checks of %d, %q", made, len(meaningless), refuse)
	}
	for i, a := range actions[first:] {
		broken := slices.Clone(events)
		broken[first+i].Output = dap.Output{Kind: dap.Answered, Value: &dap.Variable{Type: "int", Value: "0"}}
		if refuse, _ := judge(broken); (len(refuse) == 1) != (i < len(meaningless)) {
			t.Errorf("an answer to %s: %q", a.Name, refuse)
		}
	}
}
