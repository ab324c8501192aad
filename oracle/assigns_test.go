package oracle_test

import (
	"testing"

	"misstep/dap"
	"misstep/oracle"
)

func TestAssigns(t *testing.T) {
	read := dap.Event{Action: dap.Action{Kind: dap.Memory, Name: "s"}, Output: dap.Output{Value: &dap.Variable{Value: "61 6c 31"}}}
	write := func(offset int, name, bytes string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.WriteMem, Name: name, Offset: offset, Value: bytes}}
	}
	for _, c := range []struct {
		name   string
		events []dap.Event
		want   bool
	}{
		{"nothing", []dap.Event{read}, false},
		{"the same", []dap.Event{read, write(1, "s", "6c 31")}, false},
		{"other bytes", []dap.Event{read, write(1, "s", "6c 32")}, true},
		{"elsewhere", []dap.Event{read, write(0, "s", "6c 31")}, true},
		{"beyond what was read", []dap.Event{read, write(2, "s", "31 00")}, true},
		{"before it", []dap.Event{read, write(-1, "s", "61")}, true},
		{"of another variable", []dap.Event{read, write(1, "t", "6c")}, true},
		{"not read", []dap.Event{write(1, "s", "6c")}, true},
		{"an assignment", []dap.Event{{Action: dap.Action{Kind: dap.SetVar, Name: "s", Value: `"al1"`}}}, true},
	} {
		if got := oracle.Assigns(c.events); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
}
