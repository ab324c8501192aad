package reference_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// forms are statements over several lines, of each kind that has expressions in it, with
// calls of the program's own functions on their first line, on later ones, and on both. They
// see n and x, both integers, and the functions of the program that multiline makes.
var forms = []string{
	// Assignments and declarations.
	"x = one(\n\tv(n))", "x = v(n) +\n\tn", "x = n +\n\tv(n)", "x = v(n) +\n\tv(n+1)", "x =\n\tv(n)", "x += one(\n\tv(n),\n)",
	"x, n = v(n),\n\tv(x)", "x, n = swap(\n\tv(n),\n\tv(x))", "var y = one(\n\tv(n))\n\tx = y", "y := two(v(n),\n\tv(x),\n)\n\tx += y",
	"xs[\n\tv(0)] = v(n)", "xs[0], xs[1] = v(1),\n\tv(2)", "p := &pair{\n\ta: v(n),\n\tb: v(x),\n}\n\tx = p.a", "x = pair{v(n),\n\t2}.sum()",
	// Expression statements, chains, and sends.
	"one(\n\tv(n))", "two(v(n),\n\tv(x))", "start.\n\t\tthen(v(n)).\n\t\tthen(2)", "start.then(\n\tv(n)).then(\n\tv(x))", "println(\n\tv(n),\n\tv(x))",
	"ch <- one(\n\tv(n))\n\t<-ch", "ch <-\n\t\tv(n)\n\tx = <-ch",
	// Literals.
	"xs = []int{\n\tv(n),\n\tv(x),\n}", "m := map[int]int{\n\tv(1): 1,\n\t2: v(2),\n}\n\tx = len(m)", "x = len([]int{v(1),\n\tv(2)})",
	// Conditions, loops and switches.
	"if v(n) > 0 &&\n\tv(x) >= 0 {\n\t\tx++\n\t}", "if two(\n\tv(n),\n\tv(x)) > 0 {\n\t\tx++\n\t}", "if y := one(\n\tv(n)); y > 0 {\n\t\tx++\n\t}",
	"for i := one(\n\tv(0)); i < 2; i++ {\n\t\tx++\n\t}", "for i := range one(\n\tv(2)) {\n\t\tx += i\n\t}", "switch one(\n\tv(n)) {\n\tcase 1:\n\t\tx++\n\tdefault:\n\t\tx--\n\t}",
	"switch {\n\tcase v(n) > 5,\n\t\tv(n) > 0:\n\t\tx++\n\t}", "select {\n\tcase ch <- one(\n\t\tv(n)):\n\t\t<-ch\n\tdefault:\n\t\tx++\n\t}",
	// Deferred calls and literals that are called.
	"defer one(\n\tv(n))", "defer two(v(n),\n\tv(x))", "x = func() int {\n\t\treturn v(n)\n\t}()", "apply(func(i int) int {\n\t\treturn i + v(n)\n\t}, v(x))",
	"x = one(v(n)) * two(\n\tv(1), one(\n\t\tv(2)))", "x = one(one(\n\tone(\n\t\tv(n))))",
}

// returns are return statements over several lines, of functions that return an integer.
var returns = []string{
	"return one(\n\tv(n))", "return n +\n\tv(n)", "return v(n) +\n\tn", "return pair{\n\tv(n),\n\tv(n + 1),\n}.sum()", "defer v(1)\n\treturn one(\n\tv(n))",
	"defer func() { v(2) }()\n\treturn n +\n\t\tv(n)", "defer func() { r *= 2 }()\n\tr = n\n\treturn", "defer func() { r *= 2 }()\n\treturn n + 1", "defer func() { recover() }()\n\tr = v(n)\n\treturn r",
}

// multiline is a program with a function for each form, and the lines of these.
func multiline() (text string, lines []int) {
	var b strings.Builder
	b.WriteString(`package main

type pair struct{ a, b int }

type chain struct{ n int }

var start chain

var xs = []int{1, 2, 3}

var ch = make(chan int, 1)

func (p pair) sum() int { return p.a + p.b }

func (c chain) then(n int) chain {
	c.n += n
	return c
}

func v(n int) int {
	return n
}

func one(n int) int {
	n++
	return n - 1
}

func two(a, b int) int {
	return a + b
}

func swap(a, b int) (int, int) {
	return b, a
}

func apply(f func(int) int, n int) int {
	return f(n)
}

`)
	calls := ""
	add := func(head, body, tail string) {
		at := strings.Count(b.String(), "\n") + 2
		fmt.Fprintf(&b, "%s\n\t%s\n%s}\n\n", head, body, tail)
		for l := range strings.Count(body, "\n") + 1 {
			lines = append(lines, at+l)
		}
	}
	for i, f := range forms {
		add(fmt.Sprintf("func f%d(n, x int) int {", i), f, "\treturn x\n")
		calls += fmt.Sprintf("\tf%d(1, 2)\n", i)
	}
	for i, f := range returns {
		add(fmt.Sprintf("func r%d(n int) (r int) {", i), f, "")
		calls += fmt.Sprintf("\tr%d(1)\n", i)
	}
	b.WriteString("func main() {\n" + calls + "}\n")
	return b.String(), lines
}

// TestMultiline: statements over several lines are judged as compiled code runs them: a healthy
// debugger has no finding, whatever it does there, and one that passes by a line on which a
// statement surely has code has one.
func TestMultiline(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	text, lines := multiline()
	p, m := recorded(t, h, text, reference.Probes{})
	var breaks []dap.Action
	for _, l := range lines {
		breaks = append(breaks, dap.Action{Kind: dap.Break, File: "main.go", Line: l})
	}
	many := func(n int, kinds ...dap.Kind) []dap.Action {
		var out []dap.Action
		if !testhouse.All() {
			n /= 2
		}
		for i := range n {
			out = append(out, dap.Action{Kind: kinds[i%len(kinds)]})
		}
		return out
	}
	var logs, hits []dap.Action
	for i, l := range lines {
		a := dap.Action{Kind: dap.Break, File: "main.go", Line: l}
		if i%2 == 0 {
			a.Log = "here"
		}
		logs = append(logs, a)
		hits = append(hits, dap.Action{Kind: dap.Break, File: "main.go", Line: l, Hit: []string{"==1", "% 2", ">=1"}[i%3]})
	}
	inside := []dap.Action{{Kind: dap.Break, File: "main.go", Line: 23}, {Kind: dap.Break, File: "main.go", Line: 27}}
	var all []dap.Event
	for name, actions := range map[string][]dap.Action{
		"breakpoints":            slices.Concat(breaks, many(250, dap.Continue)),
		"breakpoints, and calls": slices.Concat(breaks, inside, many(400, dap.Continue)),
		"steps over":             slices.Concat(breaks[:1], many(350, dap.Continue, dap.Next, dap.Next, dap.Next)),
		"steps in":               slices.Concat(breaks, many(350, dap.StepIn, dap.StepIn, dap.StepIn, dap.StepOut, dap.Continue)),
		"log points":             slices.Concat(logs, many(120, dap.Continue)),
		"hit conditions":         slices.Concat(hits, inside, many(300, dap.Continue)),
	} {
		if actions[len(actions)-1].Kind != dap.Continue {
			actions = append(actions, dap.Action{Kind: dap.Finish})
		}
		start := slices.IndexFunc(actions, func(a dap.Action) bool { return !a.Kind.Sets() })
		if actions[start].Kind != dap.Continue {
			actions = slices.Insert(actions, start, dap.Action{Kind: dap.Continue})
		}
		events := session(t, h, p, actions)
		found, _, err := m.Judge(ctx, &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if strings.Contains(f.Got.Text, "(unreadable ") {
				continue // Delve cannot read functions that are passed in registers
			}
			t.Errorf("%s: a healthy debugger: %s", name, f.Reason)
		}
		if name == "breakpoints" {
			all = events
		}
	}
	// Where functions defer, what comes between their deferred calls and the next clear pause
	// is not known.
	deferring := map[int]bool{}
	for i, l := range lines {
		for k := i; k >= 0 && lines[k] > l-4; k-- {
			deferring[l] = deferring[l] || strings.Contains(strings.Split(text, "\n")[lines[k]-1], "defer ")
		}
	}
	missed := 0
	source := strings.Split(text, "\n")
	for _, l := range lines {
		if !m.Clear("main.go", l) || deferring[l] {
			continue
		}
		without := slices.DeleteFunc(slices.Clone(all), func(e dap.Event) bool {
			return e.Output.Pause != nil && e.Output.Pause.Top().Line == l
		})
		if len(without) == len(all) {
			continue // no breakpoint is set there, which is another finding
		}
		found, tally, err := m.Judge(ctx, &oracle.Seen{Events: without})
		if err != nil {
			t.Fatal(err)
		}
		missed++
		if !slices.ContainsFunc(found, isRule("R2-breakpoint")) {
			t.Errorf("line %d, %q, is passed by: not found; %v, pauses %v", l, strings.TrimSpace(source[l-1]), tally.NotMade, *tally.Account(finding.Pauses))
		}
	}
	if missed < len(forms) {
		t.Errorf("%d lines are demanded, of %d forms", missed, len(forms))
	}
}

func isRule(rule string) func(*finding.Finding) bool {
	return func(f *finding.Finding) bool { return f.Rule == rule }
}
