package pool

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/judge"
	"misstep/script"
	"misstep/transform/action"
)

// A text is what a reader is told of a test.
type text struct {
	script *script.Script
	// as is how the session is started, if not as usual.
	as string
	// functions are the debugger's of which something is executed for it alone, among the tests that were chosen before, the most first.
	functions []string
	// cases are those of the specification that it has, and none that was chosen before.
	cases []string
}

// named are the names of tests: after the relation, the setting, or the function of the debugger that they are about.
func named(all []text) []string {
	count := map[string]int{}
	names := make([]string, len(all))
	for i, t := range all {
		name := "session-"
		switch j := t.script.Judge(); {
		case j != nil && j.Verb == relate:
			name = relationOf + j.Args[0]
		case t.as != "":
			name += startedAs(t.as)
		case len(t.functions) > 0:
			name += dashed(t.functions[0])
		case len(t.cases) > 0:
			name += dashedCase(t.cases[0])
		default:
			name += "further"
		}
		if count[name]++; count[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, count[name])
		}
		names[i] = name
	}
	return names
}

var upper = regexp.MustCompile(`[A-Z]+`)

// dashed is the name of a function, without its package and its type, as a part of a file's name.
func dashed(function string) string {
	name := function[strings.LastIndex(function, ".")+1:]
	name = upper.ReplaceAllStringFunc(name, func(s string) string { return "-" + strings.ToLower(s) })
	return strings.Trim(strings.ReplaceAll(name, "_", "-"), "-")
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// dashedCase is a case, without how it ended, as a part of a file's name.
func dashedCase(is string) string {
	is, _, _ = strings.Cut(is, ":")
	is = upper.ReplaceAllStringFunc(is, func(s string) string { return "-" + strings.ToLower(s) })
	return strings.Trim(notInNames.ReplaceAllString(is, "-"), "-")
}

// does is what kinds of actions are, several of them.
var does = map[dap.Kind]string{
	dap.Break: "breakpoints at lines", dap.FuncBreak: "breakpoints at functions", dap.InstBreak: "breakpoints at instructions",
	dap.DataBreak: "breakpoints on data", dap.Evaluate: "expressions", dap.SetVar: "assignments", dap.Call: "calls", dap.Vars: "lists of variables",
	dap.Stack: "stacks", dap.Threads: "lists of goroutines", dap.Disas: "disassemblies", dap.Memory: "looks into memory",
	dap.WriteMem: "writes into memory", dap.Exception: "questions about exceptions", dap.Catch: "settings for exceptions", dap.Restart: "restarts",
	dap.Misuse: "requests that make no sense there", dap.Interrupt: "requests to pause",
}

// mostDone is how many kinds of actions a text counts, and mostNamed how many functions it names.
const mostDone, mostNamed = 4, 3

// actions says what a session does most of.
func (t text) actions() string {
	count := map[string]int{}
	for _, c := range t.script.Commands {
		switch a := c.Action; {
		case a.Kind.Steps() && a.Instruction:
			count["steps of one instruction"]++
		case a.Kind.Steps():
			count["steps"]++
		case does[a.Kind] != "":
			count[does[a.Kind]]++
		}
	}
	if n := len(t.script.Early()); n > 0 {
		count["requests that make no sense before it is launched"] = n
	}
	what := make([]string, 0, len(count))
	for w := range count {
		what = append(what, w)
	}
	slices.SortFunc(what, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	var list []string
	for _, w := range what[:min(len(what), mostDone)] {
		if count[w] == 1 {
			list = append(list, "one of "+w)
		} else {
			list = append(list, fmt.Sprintf("%d %s", count[w], w))
		}
	}
	return strings.Join(list, ", ")
}

// paragraphs are what a test is about, what it was chosen for, and what it demands and does not.
func (t text) paragraphs() (list []string) {
	about := "A session"
	if t.as != "" {
		about += " that is started in another way, " + strings.ReplaceAll(t.as, ",", " ")
		if s, err := action.Lookup(startedAs(t.as)); err == nil {
			about += ": " + strings.TrimSuffix(strings.ToLower(s.Doc[:1])+s.Doc[1:], ".")
		}
		about += "."
		if done := t.actions(); done != "" {
			about += " It has " + done + "."
		}
	} else if done := t.actions(); done != "" {
		about += " with " + done + "."
	} else {
		about += "."
	}
	if len(t.functions) > 0 {
		about += " For it Delve executes what it does for none that was chosen before, in " + strings.Join(t.functions[:min(len(t.functions), mostNamed)], ", ") + "."
	}
	list = append(list, about)
	var done []string
	for _, is := range t.cases {
		if rule, ok := strings.CutPrefix(is, ruleCase); ok {
			if rule, ok := judge.Rules().Lookup(rule[strings.LastIndex(rule, "/")+1:]); ok {
				list = append(list, fmt.Sprintf("Before it nothing was judged by %s: %s", rule.ID, rule.Sentence))
			}
		} else if !strings.HasPrefix(is, related) && !strings.HasPrefix(is, startCase) {
			done = append(done, is)
		}
	}
	if len(done) > 0 {
		list = append(list, "What it does that none before it did: "+strings.Join(done[:min(len(done), mostNamed)], "; ")+".")
	}
	j := t.script.Judge()
	if j != nil && j.Verb == relate {
		s, err := action.Lookup(j.Args[0])
		if err == nil {
			list = append(list, fmt.Sprintf("It fails if a second session shows something else, in which something is changed that must not matter, %s: %s", strings.Join(j.Args, " "), s.Doc))
		}
		return list
	}
	judges := func(verb string) bool {
		return slices.ContainsFunc(t.script.Commands, func(c script.Command) bool { return c.Verb == verb })
	}
	demands := "It fails if the debugger breaks the protocol, contradicts itself or the binary"
	if judges("reference") || judges("judge") {
		demands += ", shows what a recorded run of the program does not have"
	}
	list = append(list, demands+", or refuses a command that has no !. One with ! was refused when this was written, and need not be.")
	for _, c := range t.script.Commands {
		for _, name := range c.LeftOut() {
			if rule, ok := judge.Rules().Lookup(name); ok {
				list = append(list, fmt.Sprintf("Not demanded (%s): %s", name, rule.Sentence))
			}
		}
	}
	return list
}

// explain writes into a test what it is about.
func explain(t text) {
	s := t.script
	for i := range s.Commands {
		s.Commands[i].Above = nil
	}
	var lines []string
	for _, p := range t.paragraphs() {
		for _, l := range script.Wrap(p) {
			lines = append(lines, "# "+l)
		}
	}
	if len(s.Commands) > 0 {
		s.Commands[0].Above = lines
	}
}
