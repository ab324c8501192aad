package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocsNameFiles holds the pages against the tree: a file or folder of misstep that a
// page names is there.
func TestDocsNameFiles(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:dap|finding|oracle|judge|script|triage|campaign|report|history|transform|omission|view|internal|gen|faults|selftest|testscripts|debugger|pointsto)/[a-z0-9_/.]+)`")
	n := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			n++
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d files are named; expected 30 and more", n)
	}
}
