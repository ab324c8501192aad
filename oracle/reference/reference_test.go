package reference_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
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
	{Kind: dap.Continue},
}

// TestRules: all rules hold for what a healthy debugger shows, each was checked,
// and each fails where that is changed so as to break it.
func TestRules(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}
	m, err := reference.Record(ctx, h.Keeper, h.Cache, p, h.Engine, gobuild.DefaultLimits, t.TempDir(), reference.Wanted(actions))
	if err != nil || m.Why != "" {
		t.Fatal(m.Why, err)
	}
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
	found, counts, err := m.Judge(ctx, events)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("a healthy debugger breaks %s at %d: %s", v.Rule, v.Index, v.Diff)
	}
	for rule := range reference.Rules {
		if counts.Made[rule] == 0 {
			t.Errorf("%s was not checked", rule)
		}
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
		{"R7-log", "a message that is missing", func(e []dap.Event) []dap.Event {
			for i := range e {
				e[i].Output.Logs = nil
			}
			return e
		}},
	} {
		found, _, err := m.Judge(ctx, c.change(copyOf(t, events)))
		if err != nil {
			t.Fatal(err)
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
