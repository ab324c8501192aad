package finding_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/finding"
)

// TestSays: a finding says who is the truth, and what was done before.
func TestSays(t *testing.T) {
	rule := finding.Rule{ID: "R7-log", Oracle: "reference", Sentence: "A log point prints."}
	s := &finding.Session{Base: base(), Index: 3}
	f := finding.OfSession(rule, nil, s, &dap.Difference{Kind: dap.DiffLog, What: "messages", A: "5", B: "1"}, finding.Recorded, finding.Debugger)
	want := `A log point prints. But after next at main.go:4, log: messages: expected 5 (recorded run), got 1 (debugger).`
	if f.Reason != want {
		t.Errorf("%s\nwant %s", f.Reason, want)
	}
	if f.Place != (finding.Place{File: "main.go", Line: 5, Func: "main.main"}) || f.Severity != finding.False {
		t.Errorf("place %s, severity %s", f.Place, f.Severity)
	}
}

// TestBounds: a stack of many lines does not fill the reason; the whole is kept.
func TestBounds(t *testing.T) {
	stack := strings.Repeat("goroutine 1 [running]:\nmain.main()\n", 400)
	f := finding.OfMessage(finding.Rule{ID: "internal", Oracle: "protocol", Sentence: "No panic."}, nil, &finding.Session{Index: -1}, "evaluate", stack)
	if len(f.Reason) > 2*finding.MostReason || f.Full == "" || !strings.Contains(f.Full, stack) {
		t.Errorf("%d bytes of reason, %d in full", len(f.Reason), len(f.Full))
	}
	if f.Severity != finding.Broken {
		t.Errorf("a panic is %s", f.Severity)
	}
}

// TestJSON: a finding is read as it was written, with a payload of any kind.
func TestJSON(t *testing.T) {
	session := &finding.Finding{
		Oracle: "reference", Rule: "R1-pause", Class: finding.Class{Rule: "R1-pause", Action: "next"}, Params: map[string]string{"at": "2"},
		Kind: dap.DiffLocation, Expected: finding.Said{Text: "a", By: finding.Recorded}, Evidence: &finding.Evidence{Points: "debugger"},
		Payload: &finding.Session{Base: base(), Index: 2, Early: []string{"x"}},
	}
	other := &finding.Finding{Oracle: "coverage", Payload: &finding.Raw{Form: "profile", Data: json.RawMessage(`{"blocks":[1,2]}`)}}
	for _, f := range []*finding.Finding{session, other, {Oracle: "trace"}} {
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var again finding.Finding
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(f, &again) {
			t.Errorf("%s\nwas read as %+v", text, again)
		}
	}
	if n := len(other.Session().Base); n != 0 {
		t.Errorf("a profile has %d events", n)
	}
}

// TestCauses: what the same evidence at the same points explains is one cause.
func TestCauses(t *testing.T) {
	at := func(program, fact, about string) *finding.Evidence {
		return &finding.Evidence{Points: "compiler", Fact: fact, About: about}
	}
	symptom := func(rule, program, fact, about string) finding.Symptom {
		return finding.Symptom{Class: finding.Class{Rule: rule}, Program: program, Evidence: at(program, fact, about)}
	}
	wire := func(rule, on string, whole bool) finding.Symptom {
		return finding.Symptom{Class: finding.Class{Rule: "protocol", Action: rule, Node: on}, Whole: whole, Evidence: &finding.Evidence{Fact: "messages"}}
	}
	got := finding.Causes([]finding.Symptom{
		symptom("R2", "p", "no-statement", "main.go:9"),
		symptom("R7", "p", "no-statement", "main.go:9"),
		symptom("R4", "p", "no-statement", "main.go:12"), // another line
		symptom("R3", "q", "no-statement", "main.go:9"),  // another program
		symptom("R5", "p", "statement", "main.go:9"),     // another fact
		// One point of three is not enough.
		symptom("R6", "p", "no-statement", "main.go:12"), symptom("R6", "p", "no-statement", "main.go:13"), symptom("R6", "q", "no-statement", "main.go:1"),
		symptom("R8", "p", "no-statement", "main.go:13"), symptom("R8", "r", "no-statement", "main.go:1"), symptom("R8", "r", "no-statement", "main.go:2"),
		symptom("R9", "p", "expression", ""), symptom("R10", "p", "expression", ""), // which is nowhere
		wire("seq", "stopped", true), wire("seq", "response", true), wire("seq-order", "", true),
		wire("refuse", "next", false), wire("refuse", "continue", false),
	})
	want := [][]string{
		{"R10"}, {"R2", "R7"}, {"R3"}, {"R4", "R6"}, {"R5"}, {"R8"}, {"R9"},
		{"protocol/refuse/continue"}, {"protocol/refuse/next"}, {"protocol/seq-order", "protocol/seq/response", "protocol/seq/stopped"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}
