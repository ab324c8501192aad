package script_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"misstep/dap"
	"misstep/finding"
	"misstep/script"
)

// TestWitness: a finding of the reference model says what else shows it.
func TestWitness(t *testing.T) {
	paused := at(5, "step")
	paused.Pause.Scopes = []dap.Scope{{Name: "Locals", Vars: []dap.Variable{{Name: "i", Value: "7", Type: "int"}, {Name: "p", Value: "*main.T(0xc000012345)"}}}}
	eval := dap.Action{Kind: dap.Evaluate, Name: "i + 1"}
	logs := dap.Output{Kind: dap.Paused, Logs: []string{"main.go:5: at 1", "main.go:5: at 1"}}
	code := 0
	for _, c := range []struct {
		name      string
		action    dap.Action
		output    dap.Output
		kind      dap.DiffKind
		what      string
		want, got string
		or        string
	}{
		{"wrong value", dap.Action{Kind: dap.Next}, paused, dap.DiffVariables, "i", "0", "7", "'! var i 7'"},
		{"missing variable", dap.Action{Kind: dap.Next}, paused, dap.DiffVariables, "n", "shown", "not shown", "'var n'"},
		{"address", dap.Action{Kind: dap.Next}, paused, dap.DiffVariables, "p", "nil", "0xc000012345", ""},
		{"wrong place", dap.Action{Kind: dap.Next}, paused, dap.DiffLocation, "line 4", "a pause", "none", "'! pause main.go:5 main.main'"},
		{"ran on to the end", dap.Action{Kind: dap.Continue}, dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &code}}, dap.DiffLocation, "line 4", "a pause", "none", "'! ended'"},
		{"other output", dap.Action{Kind: dap.Finish}, dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &code}}, dap.DiffOutput, "standard output", "a", "b", "plain"},
		{"wrong expression", eval, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: "-1"}}, dap.DiffVariables, "i + 1", "255", "-1", `'eval ''i + 1'' ''/^255( = .*)?$/'''`},
		{"expression that panics", eval, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: "7"}}, dap.DiffVariables, "i + 1", "a panic", "7", `'! eval ''i + 1'''`},
		{"string", eval, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: `"b"`}}, dap.DiffVariables, "i + 1", `"a.c"`, `"b"`, `'eval ''i + 1'' ''/^"a\.c"( = .*)?$/'''`},
		{"floating-point number", eval, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: "2"}}, dap.DiffVariables, "i + 1", "1e+06", "2", ""},
		{"part of a value", eval, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: "x"}}, dap.DiffVariables, "(i + 1).f", "1", "2", ""},
		{"refused expression", eval, dap.Output{Kind: dap.Refused, Text: "no"}, dap.DiffVariables, "i + 1", "255", "no", `'eval ''i + 1'''`},
		{"log", dap.Action{Kind: dap.Continue}, logs, dap.DiffLog, "messages", "1", "2", `'! log ''at 1'' ''at 1'''`},
	} {
		f := &finding.Finding{
			Oracle: "reference", Rule: "R3-value", Class: finding.Class{Rule: "R3-value"}, Reason: "x", Engine: "dlv", Kind: c.kind, What: c.what,
			Expected: finding.Said{Text: c.want}, Got: finding.Said{Text: c.got},
			Payload: &finding.Session{Base: []dap.Event{{Action: c.action, Output: c.output}}},
		}
		s, err := script.Of(f, written(t))
		if err != nil {
			t.Fatal(err)
		}
		want := "reference R3-value"
		if c.or != "" {
			want = "reference -or " + c.or + " R3-value"
		}
		if got := s.Judge().String(); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
		if again, err := script.Parse(s.Format(), "x"); err != nil || again.Judge().String() != want {
			t.Errorf("%s: %v: %s", c.name, err, s.Format())
		}
	}
}

// unrecorded is a program that cannot be recorded.
const unrecorded = `debug .
break main.go:10
continue
JUDGE
-- main.go --
package main

import "os"

func main() {
	n := 0
	if len(os.Args) > 0 {
		n = 7
	}
	println(n)
}

//line end.go:1
`

// TestInItsPlace: a program that cannot be recorded is judged by the witness, and by
// nothing without one.
func TestInItsPlace(t *testing.T) {
	env, err := script.NewEnv(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	for _, c := range []struct {
		judge   string
		outcome script.Ending
		reason  string
	}{
		{"reference -or 'var n 7' R3-value", script.Passed, ""},
		{"reference -or '! var n 7' R3-value", script.Reproduced, "n is shown as int 7"},
		{"reference R3-value", script.Unable, "there is no reference"},
	} {
		s, err := script.Parse([]byte(strings.Replace(unrecorded, "JUDGE", c.judge, 1)), "x")
		if err != nil {
			t.Fatal(err)
		}
		if r := env.Run(context.Background(), s); r.Outcome != c.outcome || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %v %s", c.judge, r.Outcome, r.Reason)
		}
	}
	// Nor does one pass that was not carried out.
	s, err := script.Parse([]byte(strings.Replace(unrecorded, "JUDGE", "trace", 1)), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer func(o dap.Options) { env.Options = o }(env.Options)
	env.Options.Launch = time.Nanosecond
	if r := env.Run(context.Background(), s); r.Outcome != script.Unable || !strings.Contains(r.Reason, "on the way") {
		t.Errorf("not launched: %v %s", r.Outcome, r.Reason)
	}
	for judge, want := range map[string]string{
		"reference -or 'reference' R3-value": "expected a command that demands",
		"reference -or 'continue'":           "expected a command that demands",
		"reference -or 'nonsense'":           "unknown command",
	} {
		if _, err := script.Parse([]byte("debug .\n"+judge+"\n"), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", judge, err)
		}
	}
}
