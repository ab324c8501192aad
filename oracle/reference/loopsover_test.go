package reference_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// loopsOver has loops over functions of all kinds: by each form of the head, left in each way, in and around other loops,
// with iterators of the program and of the library.
const loopsOver = `package main

import (
	"iter"
	"slices"
	"strings"
)

type tree struct {
	left, right *tree
	n           int
}

func (t *tree) all(yield func(int) bool) bool {
	if t == nil {
		return true
	}
	return t.left.all(yield) && yield(t.n) && t.right.all(yield)
}

func (t *tree) walk(yield func(int) bool) {
	t.all(yield)
}

func three(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

func none(func(int) bool) {
}

func twice(yield func() bool) {
	_ = yield() && yield()
}

func evens(seq iter.Seq[int]) iter.Seq[int] {
	return func(yield func(int) bool) {
		for v := range seq {
			if v%2 == 0 && !yield(v) {
				return
			}
		}
	}
}

func pairs(yield func(int, string) bool) {
	for i, s := range strings.Fields("a b c") {
		if !yield(i, s) {
			break
		}
	}
}

func plain() (sum int) {
	for i := range three {
		sum += i
	}
	for range twice {
		sum++
	}
	for range none {
		sum = -1
	}
	return sum
}

func leaves(limit int) int {
	for i := range three {
		if i == limit {
			return i * 10
		}
	}
	n := 0
	for i := range three {
		if i == 1 {
			continue
		}
		n += i
		if n > limit {
			break
		}
	}
	return n
}

func labels() (n int) {
outer:
	for i := range three {
		for j := range three {
			if j > i {
				continue outer
			}
			n += j
			if n > 2 {
				break outer
			}
		}
	}
	for i := 0; i < 2; i++ {
		for j := range three {
			if j == 1 {
				break
			}
			n += i + j
		}
	}
	return n
}

func assigns() int {
	var i, k int
	var s [2]string
	for i = range three {
		k += i
	}
	for i, s[1] = range pairs {
		k += len(s[1])
	}
	return i + k
}

func defers() (n int) {
	for i := range three {
		defer func() {
			n += i
		}()
	}
	n = 10
	return n
}

func library() int {
	n := 0
	for i, v := range slices.Backward([]int{4, 5}) {
		n += i * v
	}
	for w := range strings.SplitSeq("x,y", ",") {
		n += len(w)
	}
	for v := range evens(slices.Values([]int{1, 2, 4})) {
		n += v
	}
	return n
}

func closures() int {
	var fs []func() int
	for i := range evens(three) {
		fs = append(fs, func() int {
			j := i * 2
			return j
		})
	}
	n := 0
	for _, f := range fs {
		n += f()
	}
	return n
}

func walks(t *tree) int {
	n := 0
	for v := range t.walk {
		if v > 2 {
			break
		}
		n += v
	}
	switch n {
	case 3:
		for v := range t.walk {
			n += v
		}
	}
	return n
}

func calls(n int) int {
	m := n
	for i := range three {
		m += leaves(i)
	}
	return m
}

func jumps() int {
	n := 0
again:
	for i := range three {
		if i == 1 && n < 3 {
			n += 2
			goto again
		}
		n++
	}
	return n
}

func check(i int) int {
	if i == 1 {
		panic("one")
	}
	return i
}

func try() (n int) {
	defer func() {
		recover()
		n += 100
	}()
	for i := range three {
		n += check(i)
		n++
	}
	return n
}

func direct() (n int) {
	defer func() {
		if recover() != nil {
			n = -1
		}
	}()
	for i := range three {
		for j := range three {
			if i+j == 2 {
				panic("two")
			}
		}
	}
	return n
}

func main() {
	t := &tree{&tree{nil, nil, 1}, &tree{nil, nil, 3}, 2}
	println(plain(), leaves(1), leaves(5), labels(), assigns())
	println(defers(), library(), closures(), walks(t), calls(1))
	println(try(), direct(), jumps())
}
`

// TestLoopsOver: loops over functions are judged as the compiler makes functions of their bodies.
func TestLoopsOver(t *testing.T) {
	h := testhouse.New(t)
	p, m := recorded(t, h, loopsOver, reference.Probes{})
	var breaks, logs, hits []dap.Action
	source := strings.Split(loopsOver, "\n")
	for i, text := range source {
		if !m.Clear("main.go", i+1) || !strings.HasPrefix(text, "\t") || strings.Contains(text, "t.all(yield)") {
			continue // where functions in registers cannot be read
		}
		a := dap.Action{Kind: dap.Break, File: "main.go", Line: i + 1}
		breaks = append(breaks, a)
		if i%2 == 0 {
			a.Log = "here"
		}
		logs = append(logs, a)
		a.Log, a.Hit = "", []string{"==1", "% 2", ">=1"}[i%3]
		hits = append(hits, a)
	}
	many := func(n int, kinds ...dap.Kind) []dap.Action {
		out := []dap.Action{{Kind: dap.Continue}}
		if !testhouse.All() {
			n /= 2
		}
		for i := range n {
			out = append(out, dap.Action{Kind: kinds[i%len(kinds)]})
		}
		return append(out, dap.Action{Kind: dap.Finish})
	}
	var entries []dap.Action
	for _, name := range []string{"plain", "leaves", "labels", "assigns", "defers", "library", "closures", "walks", "calls", "try", "direct", "jumps"} {
		entries = append(entries, dap.Action{Kind: dap.FuncBreak, Name: "main." + name})
	}
	over := []dap.Action{{Kind: dap.Continue}}
	for range 14 {
		over = append(append(over, slices.Repeat([]dap.Action{{Kind: dap.Next}}, 24)...), dap.Action{Kind: dap.Continue})
	}
	judge := func(events []dap.Event) (out []string, tally *finding.Tally) {
		t.Helper()
		found, tally, err := m.Judge(context.Background(), &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if !strings.Contains(f.Got.Text, "(unreadable ") { // Delve cannot read functions that are passed in registers
				out = append(out, f.Reason)
			}
		}
		return out, tally
	}
	placed := 0
	for name, actions := range map[string][]dap.Action{
		"breakpoints":    slices.Concat(breaks, many(400, dap.Continue)),
		"log points":     slices.Concat(logs, many(300, dap.Continue)),
		"hit conditions": slices.Concat(hits, many(300, dap.Continue)),
		"steps over":     slices.Concat(entries, over),
		"steps in":       slices.Concat([]dap.Action{{Kind: dap.FuncBreak, Name: "main.main"}}, many(400, dap.StepIn)),
		"steps out":      slices.Concat(breaks, many(400, dap.StepIn, dap.StepOut, dap.Next)),
		"a bit of all":   slices.Concat(breaks[:len(breaks)/2], many(400, dap.Next, dap.StepIn, dap.StepOut, dap.Continue)),
	} {
		events := session(t, h, p, actions)
		found, tally := judge(events)
		for _, f := range found {
			t.Errorf("%s: a healthy debugger: %s", name, f)
		}
		a := tally.Account(finding.Pauses)
		placed += a.Judged
		t.Logf("%s: %d pauses are judged; not: %v", name, a.Judged, a.Not)
		if name == "steps over" {
			stuttered := copyOf(t, events)
			for i, e := range stuttered[1:] {
				was, p := stuttered[i].Output.Pause, e.Output.Pause
				if was != nil && p != nil && e.Action.Kind == dap.Next && strings.HasSuffix(p.Top().Func, "-range1") && !strings.Contains(was.Top().Func, "-range") {
					p.Stack[0].Line = was.Top().Line
					break
				}
			}
			if found, _ := judge(stuttered); len(found) == 0 || !strings.Contains(found[0], "from the head of a loop") {
				t.Errorf("a step that stays at the head of a loop: %v", found)
			}
		}
		if name != "breakpoints" {
			continue
		}
		// A pause that is left out is found, in bodies as elsewhere.
		missed, left := 0, 0
		for i, e := range events {
			if e.Output.Pause == nil || len(e.Output.Pause.Hit) == 0 {
				continue
			}
			left++
			if found, _ := judge(slices.Delete(slices.Clone(events), i, i+1)); len(found) == 0 {
				missed++
			}
		}
		if left < 100 || missed > left/10 {
			t.Errorf("of %d pauses that are left out, %d are not found", left, missed)
		}
	}
	want := 1300
	if !testhouse.All() {
		want = 1000 // of shorter sessions
	}
	if placed < want {
		t.Errorf("%d pauses are judged", placed)
	}
}
