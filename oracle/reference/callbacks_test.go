package reference_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// calling are statements of each kind in which the standard library calls the program back: CB(n) stands for a
// call that calls the method same of n+1 times. They see the integer x, and what callbackProgram declares.
var calling = []string{
	"switch y := CB(1); y {\n\tcase 9:\n\t}",
	"switch y := CB(1); CB(2)+y {\n\tcase 9:\n\t}",
	"switch y := CB(1); {\n\tcase y > 8:\n\t}",
	"switch y, err := two(CB(1)); {\n\tcase err != nil, y > 8:\n\t}",
	"switch y, ok := strings.CutPrefix(\"abc\", string(strings.Map(f, \"a\"))); y {\n\tcase \"z\":\n\t\tprintln(ok)\n\t}",
	"for i := CB(1); i < 0; i++ {\n\t\tx++\n\t}",
	"for i, j := CB(1), CB(2); i < j-5; i++ {\n\t\tx++\n\t}",
	"for i := 0; i < 2; i += CB(1) {\n\t\tx++\n\t}",
	"switch any(CB(1)).(type) {\n\tcase string:\n\t\tx++\n\t}",
	"switch v := any(CB(1)).(type) {\n\tcase string:\n\t\tprintln(v)\n\t}",
	"switch y := CB(1); any(y).(type) {\n\tcase string:\n\t\tx++\n\t}",
	"defer println(CB(1))",
	"defer print(strings.Repeat(\"a\", CB(1)))",
	"go println(CB(1))",
	"select {\n\tcase ch <- CB(1):\n\tdefault:\n\t\tx++\n\t}",
	"select {\n\tcase full <- CB(1):\n\tdefault:\n\t}",
	"switch x {\n\tcase 77 + CB(1):\n\t\tx++\n\t}",
	"switch x {\n\tcase 77 + CB(1), 78 + CB(2):\n\t\tx++\n\t}",
	"switch x {\n\tcase 77 + CB(1):\n\t\tx++\n\tdefault:\n\t\tx--\n\t}",
	"for range CB(0) {\n\t\tx++\n\t}",
	"for _, v := range list[:CB(1)] {\n\t\tx += v\n\t}",
	"again:\n\tif CB(1) > 8 {\n\t\tgoto again\n\t}",
	"if x > 99 {\n\t\tx++\n\t} else if y := CB(1); y > 9 {\n\t\tx++\n\t}",
	"if x > 99 && CB(1) > 3 || CB(2) > 9 {\n\t\tx++\n\t}",
	"if flag(CB(1) > 9) {\n\t\tx++\n\t}",
	"{\n\t\ty := CB(1)\n\t\tx += y\n\t}",
	"x += CB(1)",
	"list[CB(1)] = CB(2)",
	"func() {\n\t\tx += CB(1)\n\t}()",
	"x = twice(CB(1))",
	"list = append(list, CB(1))",
	"a, b := CB(1), CB(2)\n\tx += a + b",
	"var a, b = CB(1), CB(2)\n\tx += a + b",
}

const callbackProgram = `package main

import (
	"slices"
	"strings"
)

type box int

type flag bool

var (
	list = []int{0, 1, 2, 3, 4}
	ch   = make(chan int, 9)
	full = make(chan int)
)

func (b box) same(n int) bool {
	d := n - int(b)
	return d == 0
}

func two(n int) (int, error) { return n, nil }

func twice(n int) int { return 2 * n }

func f(r rune) rune {
	s := r + 0
	return s
}

`

// TestCallbacks: what the standard library calls back is known to be of the statement that called it, and not of one
// that comes before or after: what a log point prints there is counted for the right step.
func TestCallbacks(t *testing.T) {
	h := testhouse.New(t)
	text := callbackProgram
	calls := ""
	actions := []dap.Action{{Kind: dap.Break, File: "main.go", Line: 1 + strings.Count(text[:strings.Index(text, "d := n")], "\n"), Log: "same {n}"}}
	for i, form := range calling {
		for n := range 5 {
			form = strings.ReplaceAll(form, fmt.Sprintf("CB(%d)", n), fmt.Sprintf("slices.IndexFunc(list, box(%d).same)", n))
		}
		text += fmt.Sprintf("func f%d(x int) int {\n", i)
		actions = append(actions, dap.Action{Kind: dap.Break, File: "main.go", Line: 1 + strings.Count(text, "\n")})
		text += "\t" + form + "\n\ty := slices.IndexFunc(list, box(3).same)\n\treturn x + y\n}\n\n"
		calls += fmt.Sprintf("\tf%d(3)\n", i)
	}
	text += "func main() {\n\tprintln(strings.Map(f, \"ab\"))\n" + calls + "}\n"
	p, m := recorded(t, h, text, reference.Probes{})
	for range calling {
		actions = append(actions, dap.Action{Kind: dap.Continue}, dap.Action{Kind: dap.Next}, dap.Action{Kind: dap.Next}, dap.Action{Kind: dap.Next})
	}
	events := session(t, h, p, append(actions, dap.Action{Kind: dap.Finish}))
	judge := func(events []dap.Event) (found []string) {
		t.Helper()
		list, _, err := m.Judge(context.Background(), &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			found = append(found, f.Reason)
		}
		return found
	}
	if found := judge(events); len(found) > 0 {
		t.Errorf("a healthy debugger: %s\nin\n%s", strings.Join(found, "\n"), text)
	}
	// One message less is found, but at some switches, of which the line comes before or behind the calls.
	found, told := 0, 0
	for i, e := range events {
		if len(e.Output.Logs) < 2 || !e.Action.Kind.Resumes() {
			continue
		}
		told++
		other := copyOf(t, events)
		other[i].Output.Logs = other[i].Output.Logs[1:]
		if len(judge(other)) > 0 {
			found++
		}
	}
	if told < len(calling) || found*5 < told*4 {
		t.Errorf("of %d steps with messages, %d are found where one is lost", told, found)
	}
}

// TestCaught: a panic that a function recovers which is not recorded, as package fmt does, ends what it panicked in, and the program goes on;
// and a panic leaves each call of a recursion where that stood, not where the innermost one did.
func TestCaught(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	for _, c := range []struct {
		text    string
		actions []dap.Action
		pauses  int
	}{
		{`package main

import "fmt"

type flag uint8

func (f flag) String() string {
	var b [8]byte
	n := copy(b[:], "____") + int(f)
	return string(b[:n])
}

func twice(x int) (a int) {
	a = x * 2
	return a
}

func main() {
	fmt.Println(flag(1), flag(100))
	twice(1)
	for i := range 2 {
		twice(i)
	}
}
`, []dap.Action{
			{Kind: dap.Break, File: "main.go", Line: 14},
			{Kind: dap.Continue}, {Kind: dap.Next}, {Kind: dap.StepOut}, {Kind: dap.Next}, {Kind: dap.Continue}, {Kind: dap.Continue}, {Kind: dap.Finish},
		}, 5},
		{`package main

func climb(n int, trail *[]int) int {
	if n%2 == 0 {
		defer func() { *trail = append(*trail, n) }()
	}
	if n == 0 {
		panic("bottom")
	}
	below := climb(n-1, trail)
	return below + n
}

func safely(f func() int) (n int) {
	defer func() { recover() }()
	return f()
}

func main() {
	var trail []int
	n := safely(func() int { return climb(7, &trail) })
	println(n, len(trail))
}
`, []dap.Action{
			{Kind: dap.Break, File: "main.go", Line: 8}, {Kind: dap.Break, File: "main.go", Line: 11}, {Kind: dap.Break, File: "main.go", Line: 22},
			{Kind: dap.Continue}, {Kind: dap.Continue}, {Kind: dap.Finish},
		}, 2},
	} {
		p, m := recorded(t, h, c.text, reference.Probes{})
		found, counts, err := m.Judge(ctx, &oracle.Seen{Events: session(t, h, p, c.actions)})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			t.Errorf("a healthy debugger breaks %s: %s", f.Rule, f.Reason)
		}
		if counts.Made["reference/R1-pause"] < c.pauses {
			t.Errorf("%d pauses were judged, want %d", counts.Made["reference/R1-pause"], c.pauses)
		}
	}
}
