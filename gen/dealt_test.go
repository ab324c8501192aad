package gen_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

// paused is a debugger that is paused wherever it is looked at.
type paused struct{ gen.View }

func (paused) Pause() *dap.Pause { return &dap.Pause{Stack: []dap.Frame{{Func: "main.main"}}} }
func (paused) Ended() bool       { return false }

// TestLeavers: thirty sessions that are left in a row have all moments in all ways, and each is left once, at its end.
func TestLeavers(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	seen := map[string]bool{}
	for n := range 30 {
		var last dap.Action
		resumed, stepped, busy, interrupted, left := false, false, false, false, 0
		l := gen.NewLeaver(n, uint64(n), src)
		for a, ok := l.Next(paused{}); ok; a, ok = l.Next(paused{}) {
			resumed, stepped, last = resumed || a.Kind == dap.Continue, stepped || a.Kind.Steps(), a
			busy, interrupted = busy || a.Meanwhile != "", interrupted || a.Kind == dap.Interrupt
			if a.Kind == dap.Disconnect {
				left++
			}
		}
		if left != 1 || last.Kind != dap.Disconnect {
			t.Errorf("session %d is left %d times, and ends with %q", n, left, last)
		}
		seen[fmt.Sprint(last.Way, last.Plain, last.Running, resumed, stepped, busy, interrupted)] = true
	}
	if want := (2 + len(dap.Ways)) * 6; len(seen) != want {
		t.Errorf("%d combinations of ways and moments, want %d: %v", len(seen), want, seen)
	}
}

// shows is a debugger that is paused in a function, with two variables.
type shows struct {
	gen.View
	at source.Func
}

func (s shows) Pause() *dap.Pause {
	return &dap.Pause{
		Stack:  []dap.Frame{{Func: s.at.Name, File: s.at.File, Line: s.at.Line + 1}},
		Scopes: []dap.Scope{{Name: "Locals", Vars: []dap.Variable{{Name: "s", Type: "string"}, {Name: "p", Type: "[]int", Children: []dap.Variable{{Name: "[0]"}}}}}},
	}
}
func (shows) Ended() bool               { return false }
func (shows) State() dap.State          { return dap.PausedState }
func (shows) Breakpoints() []dap.Action { return nil }
func (shows) Threads() []*dap.Pause     { return nil }

// TestAskers: sessions that only ask send each request that Delve offers and that only asks, with arguments that are JSON.
func TestAskers(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	sent := map[string]int{}
	for seed := range uint64(30) {
		k := gen.NewAsker(seed, src)
		for a, ok := k.Next(shows{at: src.Funcs()[0]}); ok; a, ok = k.Next(shows{at: src.Funcs()[0]}) {
			if a.Kind != dap.Request {
				continue
			}
			if !json.Valid([]byte(a.Value)) {
				t.Errorf("%s has arguments that are no JSON", a)
			}
			sent[a.Name]++
		}
	}
	for _, name := range dap.Questions() {
		offered := !slices.Contains([]string{"loadedSources", "modules", "stepInTargets", "gotoTargets", "completions", "breakpointLocations"}, name)
		if offered != (sent[name] > 0) {
			t.Errorf("%s is sent %d times", name, sent[name])
		}
	}
}

// TestMedley: a session that asks much at once steps as others do, asks what those ask that only ask, and does the same with the same seed.
func TestMedley(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	play := func(seed uint64) (all []string, kinds map[dap.Kind]int) {
		kinds = map[dap.Kind]int{}
		m := gen.NewMedley(int(seed), seed, gen.DefaultConfig(), src, nil, seed%2 == 0)
		for a, ok := m.Next(shows{at: src.Funcs()[0]}); ok; a, ok = m.Next(shows{at: src.Funcs()[0]}) {
			all = append(all, a.String())
			kinds[a.Kind]++
		}
		return all, kinds
	}
	sum := map[dap.Kind]int{}
	for seed := range uint64(20) {
		one, kinds := play(seed)
		if again, _ := play(seed); !slices.Equal(one, again) {
			t.Errorf("seed %d gives %q and %q", seed, one, again)
		}
		if resumes := kinds[dap.Continue] + kinds[dap.Next] + kinds[dap.StepIn] + kinds[dap.StepOut]; resumes == 0 || len(one) < 3*resumes {
			t.Errorf("seed %d: %d actions, %d of which let the program run", seed, len(one), resumes)
		}
		for k, n := range kinds {
			sum[k] += n
		}
	}
	for _, k := range []dap.Kind{dap.Break, dap.Request, dap.Evaluate, dap.Vars, dap.Disas, dap.Stack, dap.Threads, dap.Exception, dap.Restart} {
		if sum[k] == 0 {
			t.Errorf("there is no %s", k)
		}
	}
}

// TestDealt: eight sessions in a row that ask much at once have all of Delve's commands that need nothing, each kind of request and each
// context, from whichever on.
func TestDealt(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	for _, from := range []int{0, 3, 50} {
		seen := map[string]bool{}
		for nth := from; nth < from+8; nth++ {
			m := gen.NewMedley(nth, uint64(nth), gen.DefaultConfig(), src, nil, false)
			for a, ok := m.Next(shows{at: src.Funcs()[0]}); ok; a, ok = m.Next(shows{at: src.Funcs()[0]}) {
				switch {
				case a.Kind == dap.Evaluate:
					seen[a.Name], seen["context "+a.Context] = true, true
				default:
					seen[strings.TrimSpace(string(a.Kind)+" "+a.Access)] = true
				}
				if a.Kind == dap.Request {
					seen["request "+a.Name] = true
				}
			}
		}
		want := []string{"threads", "exception", "disas", "vars", "stack", "misuse", "request readMemory", "request dataBreakpointInfo", "request source"}
		for _, command := range []string{"help", "config -list", "config -list goroutineFilters", "target list", "target follow-exec", "types ^main", "sources nosuchfile"} {
			want = append(want, dap.Prompt+command)
		}
		for _, context := range dap.Contexts {
			want = append(want, "context "+context)
		}
		for _, what := range want {
			if !seen[what] {
				t.Errorf("from %d on, no session has %s", from, what)
			}
		}
	}
}

// TestMisusers: four sessions of misuses in a row have all of them, from whichever on.
func TestMisusers(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	for _, from := range []int{0, 1, 7} {
		seen := map[string]bool{}
		for n := range 4 {
			m := gen.NewMisuser(from+n, uint64(n), src)
			for _, name := range m.Early {
				seen[name] = true
			}
			for a, ok := m.Next(paused{}); ok; a, ok = m.Next(paused{}) {
				if a.Kind == dap.Misuse {
					seen[a.Name] = true
				}
			}
		}
		for _, when := range []string{"early", "configuring", "paused", "ended"} {
			for _, name := range dap.Misuses(when) {
				if !seen[name] {
					t.Errorf("from %d on, no session has %s", from, name)
				}
			}
		}
	}
}

// TestShort: short sessions in a row have all misuses, and all that is dealt to those that ask much at once; each ends by itself.
func TestShort(t *testing.T) {
	h := testhouse.New(t)
	src := h.Load(t, h.Find(t, "corpus/loops")[0])
	seen := map[string]bool{}
	note := func(c gen.Chooser, v gen.View) {
		n := 0
		for a, ok := c.Next(v); ok; a, ok = c.Next(v) {
			seen[strings.TrimSpace(string(a.Kind)+" "+a.Name)], seen["context "+a.Context] = true, true
			if n++; n > 30 {
				t.Fatalf("a session goes on and on with %s", a)
			}
		}
	}
	for n := range 150 {
		m := gen.NewShortMisuser(n, uint64(n), src)
		for _, name := range m.Early {
			seen["misuse "+name] = true
		}
		note(m, paused{})
		note(gen.NewDealer(n, uint64(n), src), shows{at: src.Funcs()[0]})
	}
	var want []string
	for _, when := range []string{"early", "configuring", "paused", "ended"} {
		for _, name := range dap.Misuses(when) {
			want = append(want, "misuse "+name)
		}
	}
	for _, command := range []string{"help", "config -list", "target list", "types ^main", "sources nosuchfile"} {
		want = append(want, "eval "+dap.Prompt+command)
	}
	for _, what := range append(want, "threads", "exception", "disas", "vars", "stack", "request readMemory", "request source", "context hover", "context clipboard") {
		if !seen[what] {
			t.Errorf("no session has %s", what)
		}
	}
}
