package issue

import (
	"testing"

	"misstep/dap"
)

func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		want, expected, output string
		same                   bool
	}{
		{"2", "1", "2\n", true},
		{"2", "one", "12\n", false},
		{"2", "1", "12\n", true},      // another wrong number
		{"824634", "7", "7\n", false}, // the right one
		{"main.T {A: 2}", "1", "main.T {\n\tA: 2,}\n", true},
		{"main.T {A: 2}", "1", "main.T {A: 12}\n", false},
		{"true", "false", "true\n", true},
		{"true", "false", "Command failed: no\n", false}, // words are no numbers
		{`"a b"`, `"c"`, "\"a  c\"\n", false},
		{"", "1", "\n", true},
	} {
		if why := sameValue(c.want, c.expected, c.output); (why == "") != c.same {
			t.Errorf("DAP %q, expected %q, terminal %q: %q", c.want, c.expected, c.output, why)
		}
	}
}

func TestSameRefusal(t *testing.T) {
	for _, c := range []struct {
		want, output string
		same         bool
	}{
		{"could not find symbol value for x", "Command failed: could not find symbol value for x\n", true},
		{"could not find symbol value for x", "could not find symbol value for x\n", false},
		{"division by zero", "Command failed: no such type\n", false},
		{"", "Command failed: no such type\n", false},
	} {
		if why := sameRefusal(c.want, c.output); (why == "") != c.same {
			t.Errorf("DAP %q, terminal %q: %q", c.want, c.output, why)
		}
	}
}

func TestSameStack(t *testing.T) {
	p := &dap.Pause{Stack: []dap.Frame{{Func: "main.f"}, {Func: "main.main"}}}
	for _, c := range []struct {
		output string
		same   bool
	}{
		{"0  0x0000000000480001 in main.f\n   at ./main.go:3\n1  0x0000000000480005 in main.main\n   at ./main.go:7\n", true},
		{" 0  0x0000000000480001 in main.f\n   at ./main.go:3\n 1  0x0000000000480005 in main.g\n   at ./main.go:7\n", false},
		{"Command failed: no\n", false},
	} {
		if why := sameStack(p, c.output); (why == "") != c.same {
			t.Errorf("terminal %q: %q", c.output, why)
		}
	}
}
