package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// layers are the packages from the bottom up. One imports only those of lower
// layers, so that the house can be read from either end.
var layers = [][]string{
	{"internal/proc", "internal/srcedit", "internal/executed", "internal/browser", "internal/machine", "internal/lines", "pointsto", "gen/random", "gen/synth"},
	{"mutation"},
	{"internal/gobuild"},
	{"internal/source", "profiler/converted"},
	{"profiler"},
	{"history/record/rt", "internal/debuggee"},
	{"history"},
	{"history/record"},
	{"history/timeline", "history/covered", "dap", "omission"},
	{"faults", "gen", "view", "finding"},
	{"transform", "internal/testhouse", "oracle"},
	{"transform/action", "transform/rewrite", "transform/build", "oracle/protocol", "oracle/trace", "oracle/reference", "oracle/differential", "oracle/baseline"},
	{"oracle/metamorphic", "oracle/coverage", "debugger"},
	{"judge"},
	{"script", "triage"},
	{"triage/reduce"},
	{"triage/blame", "triage/bisect", "triage/localise"},
	{"triage/issue"},
	{"conform"},
	{"campaign", "campaign/profilers", "testscripts", "conform/grow", "conform/pool"},
	{"report", "selftest", "campaign/hub"},
	{"campaign/board"},
	{"internal/cli", "tools/mutants"},
	{"internal/cli/hunts", "internal/cli/clitest", "internal/cli/recorded"},
	{""},
}

func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, packages := range layers {
		for _, p := range packages {
			level[strings.TrimSuffix("misstep/"+p, "/")] = i
		}
	}
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	n := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		n++
		mine, ok := level[p.ImportPath]
		if !ok {
			t.Errorf("%s is in no layer", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if theirs, ok := level[imp]; ok && theirs >= mine {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imp)
			}
		}
	}
	if n < len(level) {
		t.Errorf("%d packages, the layers name %d", n, len(level))
	}
}
