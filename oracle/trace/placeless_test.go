package trace

import (
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/testhouse"
)

// TestPlaceless: a value of a variable that has no place is found, and what cannot be read, takes up no room or has a place is left alone.
func TestPlaceless(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/recursion")[0]
	e := h.Engine
	e.GCFlags = ""
	b, err := h.Cache.Build(t.Context(), p, e, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &debuggee.Debuggee{Build: b, Source: h.Load(t, p)}
	table, err := b.Lines()
	if err != nil {
		t.Fatal(err)
	}
	// Somewhere in a function of the runtime's is a variable without a place.
	addr, err := b.Symbols.AddressOf("runtime.gopanic+0x0")
	if err != nil {
		t.Fatal(err)
	}
	var gone string
	for ; gone == ""; addr++ {
		fn, ok := table.Declared(addr, 1)
		if !ok {
			t.Fatal("all variables have places")
		}
		for _, name := range fn.Nowhere {
			if name != "" && name[0] != '~' {
				gone = name
			}
		}
	}
	frame := dap.Frame{Func: "runtime.gopanic", Line: 1, Place: b.Symbols.PlaceAt(addr - 1)}
	for _, c := range []struct {
		name   string
		frame  dap.Frame
		v      dap.Variable
		looked int
		bad    bool
	}{
		{"a value", frame, dap.Variable{Name: gone, Type: "int", Value: "3"}, 1, true},
		{"a value of what another one hides", frame, dap.Variable{Name: "(" + gone + ")", Type: "int", Value: "3"}, 1, true},
		{"what cannot be read", frame, dap.Variable{Name: gone, Type: "int", Value: "(unreadable could not find loclist entry)"}, 1, false},
		{"what takes up no room", frame, dap.Variable{Name: gone, Type: "struct {}", Value: "struct {} {}"}, 0, false},
		{"another variable", frame, dap.Variable{Name: "other", Type: "int", Value: "3"}, 0, false},
		{"another function", dap.Frame{Func: "runtime.other", Place: frame.Place}, dap.Variable{Name: gone, Type: "int", Value: "3"}, 0, false},
		{"without an instruction", dap.Frame{Func: frame.Func}, dap.Variable{Name: gone, Type: "int", Value: "3"}, 0, false},
	} {
		pause := &dap.Pause{Stack: []dap.Frame{c.frame}, Scopes: []dap.Scope{{Name: "Locals", Vars: []dap.Variable{c.v}}}}
		if what, _, looked := placeless(d, pause); looked != c.looked || (what != "") != c.bad {
			t.Errorf("%s: %q, %d", c.name, what, looked)
		}
	}
}
