package pool

import (
	"slices"
	"strings"
	"testing"

	"misstep/script"
)

// TestExplain: a test says what it does, what it was chosen for, what it demands, and what it does not, and is named after that.
func TestExplain(t *testing.T) {
	const program = "-- main.go --\npackage main\n\nfunc main() {}\n"
	tests := []struct {
		commands  string
		functions []string
		name      string
		has       []string
		hasNot    []string
	}{
		{
			"debug .\nbreak main.go:3\ncontinue\nnext\nnext\neval 1\nprotocol -but seq-order\ntrace\nreference\ngranted\n",
			[]string{"proc.EvalScope.evalBinary", "proc.x"},
			"session-eval-binary",
			[]string{
				"A session with 2 steps, one of breakpoints at lines, one of expressions.", "in proc.EvalScope.evalBinary, proc.x.", "what a recorded run of the program does not have",
				"Not demanded (seq-order): The numbers of the adapter's messages come in order.",
			},
			nil,
		},
		{
			"debug -as no-types .\ncontinue\nprotocol\ntrace\ngranted\n", nil, "session-no-types",
			[]string{"started in another way, no-types: says that the client does not show types"},
			[]string{"recorded run", "Not demanded"},
		},
		{
			"debug .\ncontinue\nrelate restart at=0\n", []string{"dap.Session.onRestartRequest"}, "relation-restart",
			[]string{"something is changed that must not matter, restart at=0: Restarts the program"},
			[]string{"refuses a command"},
		},
		{
			"debug .\nbreak main.go:3\ncontinue\njudge -but seq-order\n", nil, "session-next-at-call-expr",
			[]string{"It fails if", "shows what a recorded run of the program does not have", "Before it nothing was judged by R4-next: A step over", "What it does that none before it did: next at CallExpr: paused step."},
			nil,
		},
		{"debug .\ncontinue\nprotocol\ngranted\n", nil, "session-further", []string{"A session."}, nil},
	}
	for _, test := range tests {
		s, err := script.Parse([]byte(test.commands+program), "test")
		if err != nil {
			t.Fatal(err)
		}
		about := text{script: s, as: s.Commands[0].Option("as"), functions: test.functions}
		if strings.HasPrefix(test.name, "session-next") {
			about.cases = []string{"next at CallExpr: paused step", "rule reference/R4-next"}
		}
		explain(about)
		if got := named([]text{about, about}); !slices.Equal(got, []string{test.name, test.name + "-2"}) {
			t.Errorf("%q: named %v", test.commands, got)
		}
		got := strings.ReplaceAll(strings.Join(s.Commands[0].Above, " "), " # ", " ")
		for _, want := range test.has {
			if !strings.Contains(got, want) {
				t.Errorf("%q: it does not say %q:\n%s", test.commands, want, got)
			}
		}
		for _, not := range test.hasNot {
			if strings.Contains(got, not) {
				t.Errorf("%q: it says %q:\n%s", test.commands, not, got)
			}
		}
		if _, err := script.Parse(s.Format(), "test"); err != nil {
			t.Errorf("%q: %v", test.commands, err)
		}
	}
}
