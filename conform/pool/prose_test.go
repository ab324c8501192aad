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
			"debug .\nbreak -if true main.go:3\ncontinue\nnext\nnext\n! eval 1\njudge -but stale,seq-order\n",
			[]string{"proc.EvalScope.evalBinary", "proc.x"},
			"session-eval-binary",
			[]string{
				"The session: breaks at main.go:3 if true; runs on; steps over (2 times); evaluates 1 (refused).",
				"something without ! is refused. What has ! may be refused or answered.",
				"some of Delve's proc.EvalScope.evalBinary, proc.x.",
				"Exempt, as Delve broke it in this session when it was written: stale (A frame or a variable of an earlier pause, or one that never was, is refused).",
			},
			[]string{"makes no sense", "Launched", "seq-order ("},
		},
		{
			"debug -as no-types .\ncontinue\nmisuse stale-frame\njudge\n", nil, "session-no-types",
			[]string{"Launched in another way, no-types: says that the client does not show types", "judged by itself", "What makes no sense must be answered"},
			[]string{"Exempt", "What has !"},
		},
		{
			"debug .\ncontinue\nrelate restart at=0\n", []string{"dap.Session.onRestartRequest"}, "relation-restart",
			[]string{"The session: runs on.", "something different that must not matter, restart at=0. Restarts the program"},
			[]string{"general rules"},
		},
		{
			"debug .\nbreak main.go:3\ncontinue\njudge -but seq-order\n", nil, "session-next-at-call-expr",
			[]string{"the first that R4-next judges (A step over", "with next at CallExpr: paused step."},
			[]string{"What has !"},
		},
		{"debug .\njudge\n", nil, "session-further", []string{"It fails if the general rules are broken that judge demands."}, []string{"Why it is here", "The session"}},
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
