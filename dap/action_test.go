package dap_test

import (
	"testing"

	"misstep/dap"
)

// TestMeanings: each kind of action says what it is, and by which requests.
func TestMeanings(t *testing.T) {
	for _, m := range dap.Meanings() {
		if m.Doc == "" || len(m.Requests) == 0 && m.Effect != dap.Errs {
			t.Errorf("%+v", m)
		}
		if m.Undo == "" {
			continue
		}
		back := dap.Action{Kind: m.Kind, Name: "x"}.Removal()
		if u := m.Undo.Meaning(); back.Kind != m.Undo || u.Effect != dap.Sets || u.Requests[0] != m.Requests[0] || u.Answer != dap.Removed {
			t.Errorf("%s is taken back by %+v", m.Kind, u)
		}
	}
	if dap.Kind("unheard-of").Known() || !dap.Next.Known() {
		t.Error("what is an action and what is none")
	}
}
