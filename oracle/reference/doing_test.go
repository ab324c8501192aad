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

// TestDoing: after a call that leaves a trace the program goes on as if that stood there, and a debugger that makes it twice is found, or makes
// another twice which gives its operand.
func TestDoing(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	const text = `package main

var total int

func add(n int) int {
	total += n
	return total
}

func double(n int) int { return 2 * n }

func main() {
	for i := range 3 {
		add(i)
	}
	add(10)
	println(total, double(1))
}
`
	for _, c := range []struct{ call, again string }{{"add(100)", "add(100)"}, {"double(add(100))", "add(100)"}} {
		actions := []dap.Action{
			{Kind: dap.Break, File: "main.go", Line: 14},
			{Kind: dap.Continue},
			{Kind: dap.Continue},
			{Kind: dap.Call, Name: c.call},
			{Kind: dap.Unbreak, File: "main.go", Line: 14},
			{Kind: dap.Break, File: "main.go", Line: 17},
			{Kind: dap.Continue},
			{Kind: dap.Evaluate, Name: "total"},
			{Kind: dap.Finish},
		}
		p, m := recorded(t, h, text, reference.Wanted(actions))
		judged := func(events []dap.Event) (rules []string, made int) {
			found, counts, err := m.Judge(ctx, &oracle.Seen{Events: events})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				rules = append(rules, f.Rule)
			}
			return rules, counts.Made["reference/R14-call"]
		}
		if rules, made := judged(session(t, h, p, actions)); len(rules) > 0 || made == 0 {
			t.Errorf("%s: a healthy debugger breaks %v; R14-call was checked %d times", c.call, rules, made)
		}
		// What the debugger is told to do is not what the session says.
		twice := session(t, h, p, slices.Insert(slices.Clone(actions), 3, dap.Action{Kind: dap.Call, Name: c.again}))
		if rules, _ := judged(slices.Delete(twice, 3, 4)); !slices.Contains(rules, "R14-call") && !slices.Contains(rules, "R9-evaluate") {
			t.Errorf("%s: %s made twice breaks %v", c.call, c.again, rules)
		}
	}
}
