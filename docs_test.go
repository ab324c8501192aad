package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"misstep/script"
)

// TestFindings holds docs/findings.md to the truth: each of its cases is linked
// and still shows a defect of the pinned Delve.
func TestFindings(t *testing.T) {
	page, err := os.ReadFile("docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("docs/findings/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	env, err := script.NewEnv(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	for _, file := range files {
		if !strings.Contains(string(page), "findings/"+filepath.Base(file)) {
			t.Errorf("%s is not on the page", file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(text, file)
		if err != nil {
			t.Error(err)
			continue
		}
		r := env.Run(context.Background(), s)
		// A race: that it does not show this time says nothing.
		if filepath.Base(file) == "step-after-end.txtar" && r.Outcome == script.Passed {
			continue
		}
		if r.Outcome != script.Reproduced {
			t.Errorf("%s:%d: it does not show its defect: outcome %d, %s", file, r.Line, r.Outcome, r.Reason)
		}
	}
	for _, m := range regexp.MustCompile(`\]\((findings/[^)]+)\)`).FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join("docs", m[1])); err != nil {
			t.Errorf("the page links %s: %v", m[1], err)
		}
	}
}
