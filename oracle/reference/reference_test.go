package reference_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/history/timeline"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

const program = `package main

func double(n int) int {
	m := n
	m += n
	return m
}

func main() {
	sum := 0
	for i := range 6 {
		sum += i
		sum += double(i)
		sum++
	}
	limit := 3
	double(limit)
	if sum > limit {
		sum = limit
	}
	println(sum)
}
`

// actions go through the program with all that the rules speak of.
var actions = []dap.Action{
	{Kind: dap.Break, File: "main.go", Line: 12},
	{Kind: dap.Break, File: "main.go", Line: 5, Log: "here"},
	{Kind: dap.Break, File: "main.go", Line: 14, Hit: "% 2"},
	{Kind: dap.Continue},
	{Kind: dap.Next},    // 13
	{Kind: dap.StepIn},  // double
	{Kind: dap.Next},    // 4
	{Kind: dap.StepOut}, // 13 again
	{Kind: dap.Next},    // 14
	{Kind: dap.Continue},
	{Kind: dap.Next},
	{Kind: dap.Continue},
	{Kind: dap.Continue},
	{Kind: dap.Continue},
	{Kind: dap.Unbreak, File: "main.go", Line: 12},
	{Kind: dap.Unbreak, File: "main.go", Line: 14},
	{Kind: dap.Break, File: "main.go", Line: 13, Condition: "i == 4"},
	{Kind: dap.Continue}, // 13, i is 4
	{Kind: dap.StepIn},
	{Kind: dap.Next}, // 4
	{Kind: dap.Evaluate, Name: "n + 1"},
	{Kind: dap.Evaluate, Name: "sum", Frame: 1},
	{Kind: dap.Break, File: "main.go", Line: 18},
	{Kind: dap.Continue},
	{Kind: dap.SetVar, Name: "limit", Value: "100"},
	{Kind: dap.Next}, // 21
	{Kind: dap.Finish},
}

// recorded is a program of one file, main.go, and the model of its recorded run.
func recorded(t *testing.T, h *testhouse.House, text string, probes reference.Probes) (*gobuild.Program, *reference.Model) {
	t.Helper()
	p := programOf(t, text)
	m, err := reference.Record(context.Background(), h.Keeper, h.Cache, p, h.Engine, gobuild.DefaultLimits, t.TempDir(), probes)
	if err != nil || m.Why != "" {
		t.Fatal(m.Why, err)
	}
	return p, m
}

// programOf is a program of one file, main.go.
func programOf(t *testing.T, text string) *gobuild.Program {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}
}

// probed is a program to debug, and the model of its run with the expressions that its source has.
func probed(t *testing.T, h *testhouse.House, p *gobuild.Program) (*debuggee.Debuggee, *reference.Model) {
	t.Helper()
	ctx := context.Background()
	maker := &debuggee.Maker{Keeper: h.Keeper, Cache: h.Cache, Loader: h.Loader, Limits: gobuild.DefaultLimits}
	d, err := maker.Make(ctx, p, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	m, err := reference.Record(ctx, h.Keeper, h.Cache, p, h.Engine, gobuild.DefaultLimits, t.TempDir(), reference.Probes{Source: d.Source})
	if err != nil || m.Why != "" {
		t.Fatal(m.Why, err)
	}
	return d, m
}

// session is what the healthy debugger shows.
func session(t *testing.T, h *testhouse.House, p *gobuild.Program, actions []dap.Action) []dap.Event {
	t.Helper()
	ctx := context.Background()
	a, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := dap.Open(ctx, h.Keeper, a, dap.TargetOf(h.Build(t, p)), dap.DefaultOptions())
	if err != nil || out != nil {
		t.Fatal(out, err)
	}
	defer s.Close()
	var events []dap.Event
	for _, a := range actions {
		out, err := s.Do(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, dap.Event{Action: a, Output: out})
	}
	return events
}

// concurrent has goroutines that do different things, and two that do the same.
const concurrent = `package main; import "runtime"

func produce(out chan<- int) {
	for i := range 4 {
		out <- i
		i++
	}
	close(out)
}

func work(done chan<- bool) {
	n := 1
	n *= 2
	done <- n == 2
}

func main() {
	a, done := make(chan int), make(chan bool)
	go produce(a)
	go work(done)
	go work(done)
	sum := 0
	for v := range a {
		sum += v
	}
	<-done
	<-done
	for range 10 {
		runtime.Gosched() // so that the others end
	}
	println(sum)
}
`

// TestGoroutines: the rules hold for each goroutine, and hits are counted over all.
func TestGoroutines(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	p, m := recorded(t, h, concurrent, reference.Probes{})
	// On a machine that is busy the program's end may cut a goroutine off, of which less is known then.
	for range 40 {
		if !slices.ContainsFunc(m.Threads, func(t *timeline.Thread) bool { return !m.Whole(t) || !t.Steady }) {
			break
		}
		p, m = recorded(t, h, concurrent, reference.Probes{})
	}
	actions := []dap.Action{
		{Kind: dap.Break, File: "main.go", Line: 6},
		{Kind: dap.Break, File: "main.go", Line: 13},
		{Kind: dap.Break, File: "main.go", Line: 14, Log: "here"},
	}
	for range 7 {
		actions = append(actions, dap.Action{Kind: dap.Continue})
	}
	events := session(t, h, p, actions)
	found, counts, err := m.Judge(ctx, &oracle.Seen{Events: events})
	if err != nil || len(found) > 0 {
		t.Fatal(found, err)
	}
	for _, rule := range []string{"R11-goroutine", "R11-hits"} {
		if counts.Made["reference/"+rule] == 0 {
			t.Errorf("%s was not checked: %v", rule, counts)
		}
	}
	pauses := slices.DeleteFunc(slices.Clone(events), func(e dap.Event) bool {
		return e.Output.Pause != nil && e.Output.Pause.Top().Line == 13
	})
	if len(pauses) != len(events)-2 {
		t.Fatalf("%d of %d events without the workers'", len(pauses), len(events))
	}
	for _, c := range []struct {
		rule, what string
		events     []dap.Event
	}{
		{"R11-hits", "the hits of two goroutines", pauses},
		{"R11-goroutine", "a line that the goroutine does not execute any more", func() []dap.Event {
			e := copyOf(t, events)
			n := 0
			for i := range e {
				if p := e[i].Output.Pause; p != nil && p.Top().Line == 6 {
					if n++; n == 2 {
						p.Stack[0].Line = 8
						e[i].Output.Pause.Hit = nil
						e[i].Output.Pause.Reason = "step"
						return e
					}
				}
			}
			return e
		}()},
	} {
		found, tally, err := m.Judge(ctx, &oracle.Seen{Events: c.events})
		if err != nil || len(found) == 0 || found[0].Rule != c.rule {
			t.Errorf("%s: %v %v, want %s; %v", c.what, found, err, c.rule, tally)
		}
	}
}

// TestCalls: expressions that call the program's functions, and panic there, leave no
// trace in what is recorded.
func TestCalls(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	const text = `package main

type acc struct{ n int }

func (a *acc) get() int {
	return a.n + 1
}

func main() {
	a := &acc{1}
	var none *acc
	for range 3 {
		a.n += a.get()
	}
	a.n++
	println(a.n, none == nil)
}
`
	probes := reference.Probes{Exprs: []string{"call a.get()", "call none.get()"}}
	p, m := recorded(t, h, text, probes)
	actions := []dap.Action{
		{Kind: dap.Break, File: "main.go", Line: 15},
		{Kind: dap.Break, File: "main.go", Line: 6},
		{Kind: dap.Continue}, {Kind: dap.Continue}, {Kind: dap.Continue},
		{Kind: dap.Unbreak, File: "main.go", Line: 6},
		{Kind: dap.Continue},
		{Kind: dap.Evaluate, Name: "call none.get()"},
	}
	events := session(t, h, p, actions)
	found, counts, err := m.Judge(ctx, &oracle.Seen{Events: events})
	if err != nil || len(found) > 0 || counts.Made["reference/R9-evaluate"] != 1 || counts.Made["reference/R1-pause"] != 4 {
		t.Fatal(found, counts, err)
	}
	answer := &events[len(events)-1].Output
	answer.Kind, answer.Value = dap.Answered, &dap.Variable{Type: "int", Value: "1"}
	if found, _, err = m.Judge(ctx, &oracle.Seen{Events: events}); err != nil || len(found) != 1 || found[0].Rule != "R9-evaluate" {
		t.Errorf("a call through nil that gives a value: %v %v", found, err)
	}
}

// TestRules: all rules hold for what a healthy debugger shows, each was checked,
// and each fails where that is changed so as to break it.
func TestRules(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	probes := reference.Wanted(actions)
	probes.Exprs = append(probes.Exprs, "i == 9")
	p, m := recorded(t, h, program, probes)
	events := session(t, h, p, actions)
	found, counts, err := m.Judge(ctx, &oracle.Seen{Events: events})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("a healthy debugger breaks %s at %d: %s", v.Rule, v.Session().Index, v.Says())
	}
	for _, r := range reference.Rules {
		rule := r.ID
		if counts.Made["reference/"+rule] == 0 && !strings.HasPrefix(rule, "R11-") && !strings.HasPrefix(rule, "R12-") && rule != "R14-call" && rule != "R9-refuse" && !strings.HasPrefix(rule, "R13-") {
			t.Errorf("%s was not checked", rule)
		}
	}
	// find is the place of an action.
	find := func(e []dap.Event, kind dap.Kind, frame int) int {
		return slices.IndexFunc(e, func(e dap.Event) bool { return e.Action.Kind == kind && e.Action.Frame == frame })
	}
	conditional := slices.IndexFunc(events, func(e dap.Event) bool { return e.Action.Condition != "" })
	ends := func(events []dap.Event) ([]*finding.Finding, *finding.Tally) {
		d := &debuggee.Debuggee{Build: &gobuild.Build{Program: p}, Source: h.Load(t, p)}
		found, counts, err := reference.Ends{}.Judge(ctx, &oracle.Seen{Events: events, Debuggee: d})
		if err != nil {
			t.Fatal(err)
		}
		return found, counts
	}
	found, counts = ends(events[:len(events)-3])
	if len(found) > 0 || counts.NotMade["reference/R8-end"] == 0 {
		t.Errorf("a session without an end: %v", found)
	}
	top := func(e *dap.Event) *dap.Frame { return &e.Output.Pause.Stack[0] }
	for _, c := range []struct {
		rule, what string
		change     func(e []dap.Event) []dap.Event
	}{
		{"R1-pause", "a pause at a line that is not executed any more", func(e []dap.Event) []dap.Event {
			top(&e[3]).Line = 5
			return e
		}},
		{"R1-pause", "a caller's line", func(e []dap.Event) []dap.Event {
			e[6].Output.Pause.Stack[1].Line = 14
			return e
		}},
		{"R2-breakpoint", "a breakpoint passed by", func(e []dap.Event) []dap.Event {
			e[9].Output = e[11].Output
			return e[:10]
		}},
		{"R3-value", "a variable one assignment old", func(e []dap.Event) []dap.Event {
			for i := range e[4].Output.Pause.Scopes {
				for j := range e[4].Output.Pause.Scopes[i].Vars {
					if v := &e[4].Output.Pause.Scopes[i].Vars[j]; v.Name == "sum" {
						v.Value = "7"
					}
				}
			}
			return e
		}},
		{"R3-value", "a variable that is missing", func(e []dap.Event) []dap.Event {
			e[4].Output.Pause.Scopes[0].Vars = nil
			return e
		}},
		{"R4-next", "a statement jumped over", func(e []dap.Event) []dap.Event {
			return jump(e, 4)
		}},
		{"R5-stepin", "a call that is not entered", func(e []dap.Event) []dap.Event {
			return jump(e, 5)
		}},
		{"R6-stepout", "a step out that stays", func(e []dap.Event) []dap.Event {
			stack := e[6].Output.Pause.Stack
			p := *e[6].Output.Pause
			p.Stack = append([]dap.Frame{}, stack...)
			p.Stack[0].Line = 6
			p.Scopes = nil
			e[7].Output.Pause = &p
			return e[:8]
		}},
		{"R7-hit", "an execution that a hit condition counts", func(e []dap.Event) []dap.Event {
			e[2].Action.Hit = ">1"
			return e
		}},
		{"R7-condition", "an execution at which the condition holds", func(e []dap.Event) []dap.Event {
			assigned := find(e, dap.SetVar, 0)
			return slices.Concat(e[:conditional+1], e[assigned-2:assigned]) // to the breakpoint after the loop
		}},
		{"R7-condition", "a pause where the condition does not hold", func(e []dap.Event) []dap.Event {
			e[conditional].Action.Condition = "i == 9"
			return e
		}},
		{"R8-end", "another exit code", func(e []dap.Event) []dap.Event {
			*e[len(e)-1].Output.Exit.Code = 1
			return slices.DeleteFunc(e, func(e dap.Event) bool { return e.Action.Kind == dap.SetVar })
		}},
		{"R9-evaluate", "another value of an expression", func(e []dap.Event) []dap.Event {
			e[find(e, dap.Evaluate, 0)].Output.Value.Value = "6"
			return e
		}},
		{"R9-evaluate", "another value in a caller", func(e []dap.Event) []dap.Event {
			e[find(e, dap.Evaluate, 1)].Output.Value.Value = "6"
			return e
		}},
		{"R10-assign", "an assignment without effect", func(e []dap.Event) []dap.Event {
			e[find(e, dap.SetVar, 0)+1].Output.Pause.Stack[0].Line = 19
			return e
		}},
		{"R7-log", "a message that is missing", func(e []dap.Event) []dap.Event {
			for i := range e {
				e[i].Output.Logs = nil
			}
			return e
		}},
	} {
		changed := c.change(copyOf(t, events))
		found, _, err := m.Judge(ctx, &oracle.Seen{Events: changed})
		if err != nil {
			t.Fatal(err)
		}
		if c.rule == "R8-end" {
			found, _ = ends(changed)
		}
		if len(found) == 0 || found[0].Rule != c.rule {
			t.Errorf("%s: %v, want %s", c.what, found, c.rule)
		}
	}
}

// jump lets an action show what a later one did, with all that was logged between.
func jump(e []dap.Event, at int) []dap.Event {
	logs := []string{}
	for _, later := range e[at:9] {
		logs = append(logs, later.Output.Logs...)
	}
	e[at].Output = e[8].Output
	e[at].Output.Logs = logs
	return e[:at+1]
}

// copyOf is a deep copy.
func copyOf(t *testing.T, events []dap.Event) []dap.Event {
	text, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	var out []dap.Event
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
