package action_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/testhouse"
	"misstep/transform/action"
)

// TestStart: what changes a target several times does all of it.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		text  string
		whole bool
		check func(*dap.Target) bool
	}{
		{"", true, func(t *dap.Target) bool { return t.Settings == nil && t.Client == nil }},
		{"show-registers", false, func(t *dap.Target) bool { return t.Settings["showRegisters"] == true }},
		{"deep-stacks+name-backend+no-references", true, func(t *dap.Target) bool {
			return t.Settings["stackTraceDepth"] == 1000 && t.Settings["backend"] == "native" && t.Client["supportsMemoryReferences"] == false
		}},
		{"deep-stacks+raw-strings", false, func(t *dap.Target) bool {
			return t.Settings["showRawStrings"] == true && t.Settings["stackTraceDepth"] == 1000
		}},
		{"substitute-nothing+arguments,maxStringLen=7,goroutineFilters=-with user,client.locale=de-DE,showPprofLabels=[\"*\"]", false, func(t *dap.Target) bool {
			labels, _ := t.Settings["showPprofLabels"].([]any)
			return len(t.Substitute) == 1 && t.Settings["maxStringLen"] == 7.0 && t.Settings["goroutineFilters"] == "-with user" && t.Client["locale"] == "de-DE" && len(labels) == 1
		}},
	} {
		var target dap.Target
		if err := action.Start(&target, c.text); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if target.As != c.text || !c.check(&target) {
			t.Errorf("%q makes %+v", c.text, target)
		}
		if action.ShowsAll(c.text) != c.whole {
			t.Errorf("%q shows all: %t", c.text, !c.whole)
		}
	}
	for text, want := range map[string]string{
		"nosuch":                 "unknown transformation",
		"show-registers+":        "unknown transformation",
		"show-registers+at":      "unknown transformation",
		"ask-twice":              "changes nothing of how a session starts",
		"arguments,maxStringLen": "parameter=value",
	} {
		if err := action.Start(&dap.Target{}, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// TestMix: what is mixed can be started, each argument is given once, and sooner or later each setting takes part, and each value.
func TestMix(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	all := func(string) bool { return true }
	names, empty := map[string]bool{}, 0
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := action.Mix(r, src, all)
		if text == "" {
			empty++
			continue
		}
		var mixed dap.Target
		if err := action.Start(&mixed, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		given := 0
		for _, one := range dap.Starts(text) {
			var target dap.Target
			if err := action.Start(&target, one); err != nil {
				t.Fatalf("%s: %v", one, err)
			}
			given += len(target.Settings) + len(target.Client)
			name, params, _ := strings.Cut(one, ",")
			names[name] = true
			for p := range strings.SplitSeq(params, ",") {
				names[p] = true
			}
		}
		if given != len(mixed.Settings)+len(mixed.Client) {
			t.Errorf("%s gives an argument twice", text)
		}
	}
	for range 100 {
		if text := action.Mix(r, src, func(name string) bool { return name == "show-registers" }); text != "" && text != "show-registers" {
			t.Errorf("of one setting comes %q", text)
		}
	}
	if empty == 0 {
		t.Error("no session is started as usual")
	}
	for _, want := range []string{"show-registers", "short-strings", "substitute-folder", "no-types", "form=windows", "maxStringLen=64", "goroutineFilters=-nonsense", "client.supportsMemoryEvent=false"} {
		if !names[want] {
			t.Errorf("%s never takes part", want)
		}
	}
	for _, never := range []string{"stop-on-entry", "output-files", "keep-output", "attach"} {
		if names[never] {
			t.Errorf("%s takes part", never)
		}
	}
	for _, tr := range action.All {
		if action.Sets(tr.Name) && !names[tr.Name] {
			t.Errorf("%s never takes part", tr.Name)
		}
	}
	if slices.Contains(dap.Starts(""), "") {
		t.Error("nothing is something")
	}
}
