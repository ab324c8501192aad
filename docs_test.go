package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"misstep/dap"
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

// TestProtocolPage holds the page about the protocol to the types of go-dap and to the actions: it has a row for
// each request and each event, and a request's names the actions that send it.
func TestProtocolPage(t *testing.T) {
	page, err := os.ReadFile("docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, " | "); len(cells) > 1 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells[1]
		}
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/go-dap").Output()
	if err != nil {
		t.Fatal(err)
	}
	types, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "schematypes.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^type (\w+)(Request|Event) struct`).FindAllStringSubmatch(string(types), -1) {
		n++
		if name := strings.ToLower(m[1][:1]) + m[1][1:]; rows[name] == "" {
			t.Errorf("there is no row for the %s %s", strings.ToLower(m[2]), name)
		}
	}
	if n < 50 {
		t.Errorf("go-dap has %d requests and events; expected 50 and more", n)
	}
	for _, m := range dap.Meanings() {
		for _, request := range m.Requests {
			if !strings.Contains(rows[request], "`"+string(m.Kind)+"`") {
				t.Errorf("the row for %s does not name the action %s", request, m.Kind)
			}
		}
	}
}
