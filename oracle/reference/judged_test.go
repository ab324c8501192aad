package reference_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

var update = flag.Bool("update", false, "write what sessions are judged by to testdata/judged")

// judgedBy is the toolchain that wrote testdata/judged: another one has other line tables, so
// that sessions differ.
const judgedBy = "go1.26"

// A lie changes what one event shows, as a broken debugger could; it reports whether there was
// anything to change.
type lie struct {
	name string
	tell func(e *dap.Event) bool
}

// lies are about all that an event shows.
var lies = []lie{
	{"the line is the next one", paused(func(p *dap.Pause) bool { p.Stack[0].Line++; return true })},
	{"the line is the one before", paused(func(p *dap.Pause) bool { p.Stack[0].Line--; return true })},
	{"the file is another", paused(func(p *dap.Pause) bool { p.Stack[0].File = "other.go"; return true })},
	{"the function is another", paused(func(p *dap.Pause) bool { p.Stack[0].Func += "x"; return true })},
	{"the caller's line is the next one", callers(func(p *dap.Pause) bool { p.Stack[1].Line++; return true })},
	{"the caller's function is another", callers(func(p *dap.Pause) bool { p.Stack[1].Func += "x"; return true })},
	{"the caller is missing", callers(func(p *dap.Pause) bool { p.Stack = slices.Delete(p.Stack, 1, 2); return true })},
	{"the caller is there twice", callers(func(p *dap.Pause) bool { p.Stack = slices.Insert(p.Stack, 1, p.Stack[1]); return true })},
	{"the top is missing", callers(func(p *dap.Pause) bool { p.Stack = p.Stack[1:]; return true })},
	{"the goroutine is another", paused(func(p *dap.Pause) bool { p.Thread++; return true })},
	{"the pause is an exception", paused(func(p *dap.Pause) bool {
		was := p.Reason
		p.Reason, p.Description, p.Hit = "exception", "panic", nil
		return was != "exception"
	})},
	{"the breakpoint is not named", paused(func(p *dap.Pause) bool {
		was := p.Hit
		p.Hit, p.Reason = nil, "step"
		return len(was) > 0
	})},
	{"the first variable is missing", variables(func(vars *[]dap.Variable) bool { *vars = (*vars)[1:]; return true })},
	{"the last variable is missing", variables(func(vars *[]dap.Variable) bool { *vars = (*vars)[:len(*vars)-1]; return true })},
	{"a variable is too many", variables(func(vars *[]dap.Variable) bool {
		*vars = append(*vars, dap.Variable{Name: "ghost", Type: "int", Value: "7"})
		return true
	})},
	{"a variable is there twice", variables(func(vars *[]dap.Variable) bool { *vars = append(*vars, (*vars)[0]); return true })},
	{"the name of a variable", variables(func(vars *[]dap.Variable) bool { (*vars)[0].Name += "x"; return true })},
	{"the value of a variable", variables(func(vars *[]dap.Variable) bool { return otherValue(&(*vars)[0]) })},
	{"the value of the last variable", variables(func(vars *[]dap.Variable) bool { return otherValue(&(*vars)[len(*vars)-1]) })},
	{"the type of a variable", variables(func(vars *[]dap.Variable) bool { return otherType(&(*vars)[0]) })},
	{"the type of the last variable", variables(func(vars *[]dap.Variable) bool { return otherType(&(*vars)[len(*vars)-1]) })},
	{"the last part of a value is missing", parts(func(v *dap.Variable) bool { v.Children = v.Children[:len(v.Children)-1]; return true })},
	{"the first part of a value is missing", parts(func(v *dap.Variable) bool { v.Children = v.Children[1:]; return true })},
	{"a part of a value is too many", parts(func(v *dap.Variable) bool {
		v.Children = append(v.Children, v.Children[len(v.Children)-1])
		return true
	})},
	{"the value of a part", parts(func(v *dap.Variable) bool { return otherValue(&v.Children[len(v.Children)-1]) })},
	{"the type of a part", parts(func(v *dap.Variable) bool { return otherType(&v.Children[0]) })},
	{"the name of a part", parts(func(v *dap.Variable) bool { v.Children[0].Name += "x"; return true })},
	{"parts change places", parts(func(v *dap.Variable) bool {
		n := len(v.Children)
		v.Children[0].Value, v.Children[n-1].Value = v.Children[n-1].Value, v.Children[0].Value
		return n > 1 && v.Children[0].Value != v.Children[n-1].Value
	})},
	{"a variable cannot be read", variables(func(vars *[]dap.Variable) bool {
		(*vars)[0].Value, (*vars)[0].Children = "(unreadable could not read memory)", nil
		return true
	})},
	{"another answer", answers(func(o *dap.Output) bool { return otherValue(o.Value) })},
	{"an answer of another type", answers(func(o *dap.Output) bool { return otherType(o.Value) })},
	{"an answer that lacks a part", answers(func(o *dap.Output) bool {
		n := len(o.Value.Children)
		o.Value.Children = o.Value.Children[:max(n-1, 0)]
		return n > 0
	})},
	{"an answer is refused", answers(func(o *dap.Output) bool {
		*o = dap.Output{Kind: dap.Refused, Text: "Unable to evaluate expression: could not find symbol value for x"}
		return true
	})},
	{"an answer is not known how to give", answers(func(o *dap.Output) bool {
		*o = dap.Output{Kind: dap.Refused, Text: "Unable to evaluate expression: not implemented"}
		return true
	})},
	{"a refusal is an answer", func(e *dap.Event) bool {
		if e.Action.Kind != dap.Evaluate || e.Output.Kind != dap.Refused {
			return false
		}
		e.Output = dap.Output{Kind: dap.Answered, Value: &dap.Variable{Type: "int", Value: "7"}}
		return true
	}},
	{"a log point prints another message", logged(func(l *[]string) bool { (*l)[0] += "x"; return true })},
	{"a log point prints once too often", logged(func(l *[]string) bool { *l = append(*l, (*l)[0]); return true })},
	{"a log point does not print", logged(func(l *[]string) bool { *l = (*l)[1:]; return true })},
	{"a breakpoint is refused", func(e *dap.Event) bool {
		if e.Action.Kind != dap.Break || e.Output.Breakpoint == nil || !e.Output.Breakpoint.Verified {
			return false
		}
		e.Output.Breakpoint = &dap.Breakpoint{Message: "could not find statement"}
		return true
	}},
	{"a breakpoint is set one line on", func(e *dap.Event) bool {
		if e.Action.Kind != dap.Break || e.Output.Breakpoint == nil || !e.Output.Breakpoint.Verified {
			return false
		}
		e.Output.Breakpoint.Line++
		return true
	}},
	{"a step is refused", func(e *dap.Event) bool {
		was := e.Action.Kind.Resumes() && e.Output.Pause != nil
		if was {
			e.Output = dap.Output{Kind: dap.Refused, Text: "Unable to step: failed"}
		}
		return was
	}},
	{"the program ends", func(e *dap.Event) bool {
		was := e.Output.Pause != nil
		if code := 0; was {
			e.Output = dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &code}}
		}
		return was
	}},
	{"another exit code", exits(func(x *dap.Exit) bool {
		code := 77
		was := x.Code
		x.Code = &code
		return was != nil
	})},
	{"a character more on stdout", exits(func(x *dap.Exit) bool { x.Stdout += "x"; return true })},
	{"nothing on stderr", exits(func(x *dap.Exit) bool {
		was := x.Stderr
		x.Stderr = ""
		return was != ""
	})},
	{"a goroutine is not listed", func(e *dap.Event) bool {
		if len(e.Output.Threads) == 0 {
			return false
		}
		e.Output.Threads = e.Output.Threads[1:]
		return true
	}},
}

func paused(change func(p *dap.Pause) bool) func(e *dap.Event) bool {
	return func(e *dap.Event) bool {
		return e.Output.Pause != nil && len(e.Output.Pause.Stack) > 0 && change(e.Output.Pause)
	}
}

func callers(change func(p *dap.Pause) bool) func(e *dap.Event) bool {
	return paused(func(p *dap.Pause) bool { return len(p.Stack) > 3 && change(p) })
}

// variables changes those of the first scope of a pause, or of a frame that was asked for.
func variables(change func(vars *[]dap.Variable) bool) func(e *dap.Event) bool {
	return func(e *dap.Event) bool {
		scopes := e.Output.Scopes
		if e.Output.Pause != nil {
			scopes = e.Output.Pause.Scopes
		}
		return len(scopes) > 0 && len(scopes[0].Vars) > 0 && change(&scopes[0].Vars)
	}
}

// parts changes the first variable that has some.
func parts(change func(v *dap.Variable) bool) func(e *dap.Event) bool {
	return variables(func(vars *[]dap.Variable) bool {
		for i := range *vars {
			if v := &(*vars)[i]; len(v.Children) > 0 {
				return change(v)
			}
		}
		return false
	})
}

func answers(change func(o *dap.Output) bool) func(e *dap.Event) bool {
	return func(e *dap.Event) bool {
		return e.Action.Kind == dap.Evaluate && e.Output.Value != nil && change(&e.Output)
	}
}

func logged(change func(logs *[]string) bool) func(e *dap.Event) bool {
	return func(e *dap.Event) bool { return len(e.Output.Logs) > 0 && change(&e.Output.Logs) }
}

func exits(change func(x *dap.Exit) bool) func(e *dap.Event) bool {
	return func(e *dap.Event) bool { return e.Output.Exit != nil && change(e.Output.Exit) }
}

// otherValue changes what a value shows, so that it still looks like one of its type.
func otherValue(v *dap.Variable) bool {
	switch {
	case v.Value == "true":
		v.Value = "false"
	case v.Value == "false":
		v.Value = "true"
	case strings.HasPrefix(v.Value, `"`):
		v.Value = `"x` + v.Value[1:]
	case strings.ContainsAny(v.Value, "0123456789"):
		at := strings.IndexAny(v.Value, "0123456789")
		v.Value = v.Value[:at] + "1" + v.Value[at:]
	case len(v.Children) > 0:
		return otherValue(&v.Children[0])
	default:
		return false
	}
	return true
}

func otherType(v *dap.Variable) bool {
	was := v.Type
	v.Type = "float32"
	return was != v.Type && was != ""
}

// judgedPrograms are those in which nearly all comes up that the rest of the corpus has, by whether lies
// are told in them, which takes its time.
var judgedPrograms = map[string]bool{
	"corpus/closures": true, "corpus/constants": true, "corpus/crashes": true, "corpus/declarations": true,
	"corpus/deferpanic": true, "corpus/embedding": true, "corpus/functions": true, "corpus/generics": true,
	"corpus/inits": true, "corpus/interfaces": true, "corpus/labels": true, "corpus/linkedlist": true, "corpus/methods": true, "corpus/multiline": true,
	"corpus/numbers": true, "corpus/pointers": true, "corpus/recursion": true, "corpus/shadowing": true,
	"corpus/statemachine": true, "corpus/strings": true, "corpus/structs": true, "corpus/switches": true,
	"corpus/bank": false, "corpus/calculator": false, "corpus/conditions": false, "corpus/loops": false,
	"corpus/lister": false, "corpus/maps": false, "corpus/polygons": false, "corpus/queens": false,
	"corpus/slices": false, "corpus/sorting": false, "generated/1": true, "generated/2": false, "generated/4": false,
	"generated/6": false, "generated/7": false, "generated/8": false, "generated/11": false,
	"generated/12": false,
}

// places is how many events of a session a lie is told at.
const places = 3

// TestJudged: what of a session is judged, by which rule, and how much is not, is what
// testdata/judged says, and so is what a debugger is found to do wrong, by class, and which rules find
// a lie. A change of any of it has to be read.
func TestJudged(t *testing.T) {
	if v := runtime.Version(); !strings.HasPrefix(v, judgedBy) {
		t.Skipf("testdata/judged is of %s, this is %s", judgedBy, v)
	}
	h := testhouse.New(t)
	names := slices.Sorted(maps.Keys(judgedPrograms))
	if !*update {
		names = testhouse.Part(names, 20)
	}
	for _, p := range h.Find(t, names...) {
		t.Run(strings.ReplaceAll(p.Name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			d, m := probed(t, h, p)
			var out strings.Builder
			for _, s := range []struct {
				name    string
				chooser gen.Chooser
				lies    bool
			}{
				{"tour 1", m.Tour(1, false), true},
				{"tour 2", m.Tour(2, false), true},
				{"tour 3, with an assignment", m.Tour(3, true), false},
				{"generated 1", gen.NewGenerator(1, gen.DefaultConfig(), d.Source), false},
			} {
				events := chosen(t, h, d, s.chooser)
				found, tally := judged(t, m, d, events)
				fmt.Fprintf(&out, "== %s\n", s.name)
				for _, f := range found {
					fmt.Fprintf(&out, "found: %s\n", f.Class)
				}
				out.WriteString(accounted(tally))
				if !s.lies || !judgedPrograms[p.Name] {
					continue
				}
				for _, l := range lies {
					if told := lied(t, m, d, events, found, l); told != "" {
						fmt.Fprintf(&out, "%s: %s\n", l.name, told)
					}
				}
			}
			golden(t, filepath.Join("testdata", "judged", filepath.Base(t.Name())+".txt"), out.String())
		})
	}
}

// TestLies: each lie is found in some session, and most are found more often than not.
func TestLies(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "judged", "*.txt"))
	if err != nil || len(files) != len(judgedPrograms) {
		t.Fatal(files, err)
	}
	told, found := map[string]int{}, map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			name, rules, _ := strings.Cut(strings.TrimSpace(line), ": ")
			for _, rule := range strings.Split(rules, ", ") {
				i := strings.LastIndexByte(rule, ' ')
				if i < 0 {
					continue
				}
				n, err := strconv.Atoi(rule[i+1:])
				if err != nil {
					continue
				}
				told[name] += n
				if rule[:i] != "not found" {
					found[name] += n
				}
			}
		}
	}
	most := 0
	for _, l := range lies {
		if found[l.name] == 0 {
			t.Errorf("%s: told %d times, never found", l.name, told[l.name])
		}
		if 2*found[l.name] > told[l.name] {
			most++
		}
		t.Logf("%s: %d of %d", l.name, found[l.name], told[l.name])
	}
	if 2*most < len(lies) {
		t.Errorf("%d of %d lies are found more often than not", most, len(lies))
	}
}

// lied tells a lie at some events of a session, one at a time, and says how often it is found, by
// which rules.
func lied(t *testing.T, m *reference.Model, d *debuggee.Debuggee, events []dap.Event, honest []*finding.Finding, l lie) string {
	var at []int
	for i := range events {
		if e := copyOf(t, events[i:i+1]); l.tell(&e[0]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return ""
	}
	rules := map[string]int{}
	n := min(places, len(at))
	for k := range n {
		i := at[k*len(at)/n]
		changed := slices.Clone(events)
		changed[i] = copyOf(t, events[i:i+1])[0]
		l.tell(&changed[i])
		found, _ := judged(t, m, d, changed)
		// What is found without the lie as well is none of it.
		found = slices.DeleteFunc(found, func(f *finding.Finding) bool {
			return slices.ContainsFunc(honest, func(h *finding.Finding) bool { return h.Class == f.Class })
		})
		if len(found) > 0 {
			rules[found[0].Rule]++
		} else {
			rules["not found"]++
			if os.Getenv("MISSTEP_LIES") != "" {
				a, _ := json.Marshal(events[i].Output)
				b, _ := json.Marshal(changed[i].Output)
				k := 0
				for k < min(len(a), len(b)) && a[k] == b[k] {
					k++
				}
				k = max(k-40, 0)
				t.Logf("%s, not found at event %d, %s, %s\n%.100s\n%.100s\n%s", l.name, i, events[i].Action, events[i].Output, a[k:], b[min(k, len(b)):], less(t, m, d, events, changed))
			}
		}
	}
	var says []string
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		says = append(says, fmt.Sprintf("%s %d", rule, rules[rule]))
	}
	return strings.Join(says, ", ")
}

// less is what is counted differently of a session that has changed.
func less(t *testing.T, m *reference.Model, d *debuggee.Debuggee, events, changed []dap.Event) string {
	_, was := judged(t, m, d, events)
	_, is := judged(t, m, d, changed)
	before := strings.Split(accounted(was), "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(accounted(is), "\n"), func(l string) bool { return slices.Contains(before, l) }), "; ")
}

// judged is what the reference model, and the end by itself, say of a session.
func judged(t *testing.T, m *reference.Model, d *debuggee.Debuggee, events []dap.Event) ([]*finding.Finding, *finding.Tally) {
	t.Helper()
	ctx := context.Background()
	seen := &oracle.Seen{Debuggee: d, Events: events}
	found, tally, err := m.Judge(ctx, seen)
	if err != nil {
		t.Fatal(err)
	}
	more, counts, err := reference.Ends{}.Judge(ctx, seen)
	if err != nil {
		t.Fatal(err)
	}
	tally.Merge(counts)
	return append(found, more...), tally
}

// accounted is a tally in lines.
func accounted(tally *finding.Tally) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(tally.Made)) {
		fmt.Fprintf(&out, "%s %d\n", name, tally.Made[name])
	}
	for _, name := range slices.Sorted(maps.Keys(tally.NotMade)) {
		fmt.Fprintf(&out, "not made: %s %d\n", name, tally.NotMade[name])
	}
	for _, kind := range finding.Kinds {
		a := tally.Account(kind)
		fmt.Fprintf(&out, "%s judged: %d\n", kind, a.Judged)
		for _, why := range slices.Sorted(maps.Keys(a.Not)) {
			fmt.Fprintf(&out, "%s not judged, %s: %d\n", kind, why, a.Not[why])
		}
	}
	return out.String()
}

// chosen carries out what is chosen, and lets the program run to its end.
func chosen(t *testing.T, h *testhouse.House, d *debuggee.Debuggee, c gen.Chooser) []dap.Event {
	t.Helper()
	ctx := context.Background()
	a, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := dap.Open(ctx, h.Keeper, a, dap.TargetOf(d.Build), dap.DefaultOptions())
	if err != nil || out != nil {
		t.Fatal(out, err)
	}
	defer s.Close()
	var events []dap.Event
	do := func(a dap.Action) bool {
		out, err := s.Do(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, dap.Event{Action: a, Output: out})
		return !out.Kind.Fatal()
	}
	for n := 1; ; n++ {
		a, more := c.Next(s)
		if !more || !do(a) || n%10 == 0 && s.State() == dap.PausedState && !do(dap.Action{Kind: dap.Threads}) {
			break
		}
	}
	do(dap.Action{Kind: dap.Finish})
	return events
}

// golden holds a text against a file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(got)) {
		a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Fatalf("%s:%d: want %q, got %q; go test ./oracle/reference -run TestJudged -update writes it anew", file, i+1, at(a, i), at(b, i))
			}
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
