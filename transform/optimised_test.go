package transform

import "testing"

// TestUninlined: a function, or a literal in it, is known by its name, whatever it was inlined into.
func TestUninlined(t *testing.T) {
	for _, c := range []struct{ plain, inlined string }{
		{"main.(*node).walk", "main.(*node).walk"},
		{"main.All.func1", "main.main.All.func2"},
		{"main.All[...].func1", "main.main.func1.1.All[...].2"},
		{"main.(*Tree[string,int]).Keys.func1.1", "main.main.func1.1.(*Tree[go.shape.string,go.shape.int]).Keys.2.1"},
		{"main.Pair[map[string]int,[]byte].Each.func1", "main.F[go.shape.[]uint8].Pair[go.shape.map[string]int,go.shape.[]uint8].Each.func3"},
		{"main.main.func1.gowrap1", "main.main.gowrap2"},
		{"main.main-range1", "main.main-range1"},
	} {
		if a, b := uninlined(c.plain), uninlined(c.inlined); a != b || a == "" {
			t.Errorf("%s is %q, %s is %q", c.plain, a, c.inlined, b)
		}
	}
	if a, b := uninlined("main.Keys.func1"), uninlined("main.main.Values.func1"); a == b {
		t.Errorf("two functions are %q", a)
	}
}
