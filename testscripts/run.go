package testscripts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/machine"
	"misstep/script"
)

// EngineVariable is the environment variable that names another engine than the one that
// the scripts name.
const EngineVariable = "MISSTEP_ENGINE"

// Run runs the scripts that match a pattern, each as a parallel subtest.
func Run(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts match %s", pattern)
	}
	env, err := script.NewEnv(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	env.Engine = os.Getenv(EngineVariable)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := script.Parse(text, file)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			r := env.Run(ctx, s)
			if notices, known := machine.Watches(); known && !notices && r.Outcome != script.Passed && bytes.Contains(text, []byte("\n"+string(dap.DataBreak)+" ")) {
				t.Skip("the processor's watchpoints do not notice writes on this machine")
			}
			if r.Outcome != script.Passed {
				t.Fatal(failure(file, r))
			}
		})
	}
}

// failure says why a script did not pass, as a line that editors can follow.
func failure(file string, r *script.Result) string {
	what := "the debugger does not behave as the script says"
	if r.Outcome == script.Unable {
		what = "the script could not be carried out"
	}
	return fmt.Sprintf("%s\n%s:%d: %s: %s", r.Log, file, r.Line, what, r.Reason)
}
