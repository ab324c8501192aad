package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"misstep/testscripts"
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
	env, err := testscripts.NewEnv(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	for _, r := range env.Replay(context.Background(), files) {
		if !strings.Contains(string(page), "findings/"+filepath.Base(r.File)) {
			t.Errorf("%s is not on the page", r.File)
		}
		// A race: that it does not show this time says nothing.
		if filepath.Base(r.File) == "step-after-end.txtar" && r.Passed {
			continue
		}
		if !r.Finding {
			t.Errorf("%s does not show its defect: passed %t, %s", r.File, r.Passed, r.Reason)
		}
	}
	for _, m := range regexp.MustCompile(`\]\((findings/[^)]+)\)`).FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join("docs", m[1])); err != nil {
			t.Errorf("the page links %s: %v", m[1], err)
		}
	}
}
