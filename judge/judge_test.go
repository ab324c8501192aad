package judge

import (
	"testing"

	"misstep/dap"
	"misstep/finding"
)

// TestOnce: of which findings one session is enough.
func TestOnce(t *testing.T) {
	ended := func(kind dap.OutputKind) *finding.Session {
		return &finding.Session{Base: []dap.Event{{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: kind}}}}
	}
	for _, c := range []struct {
		name, oracle, rule string
		session            *finding.Session
		once               bool
	}{
		{"an adapter that died", "protocol", "alive", ended(dap.Death), true},
		{"an adapter that is silent", "protocol", "alive", ended(dap.Hang), false},
		{"an adapter that is silent before anything was done", "protocol", "alive", &finding.Session{}, false},
		{"two answers", "protocol", "answer", ended(dap.Paused), true},
		{"a pause that nobody asked for", "protocol", "nobody", ended(dap.Paused), true},
		{"another value", "reference", "R3-value", ended(dap.Paused), false},
		{"a rule that there is not", "protocol", "none", ended(dap.Death), false},
	} {
		if got := Once(&finding.Finding{Oracle: c.oracle, Rule: c.rule, Payload: c.session}); got != c.once {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
