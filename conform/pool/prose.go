package pool

import (
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

// does is what an action does about which there is no more to say.
var does = map[dap.Kind]string{
	dap.Vars: "lists the variables", dap.Stack: "asks for the stack", dap.Threads: "lists the goroutines", dap.Disas: "disassembles",
	dap.Memory: "reads memory", dap.WriteMem: "writes memory", dap.Exception: "asks what the exception is", dap.Request: "asks with arguments of its own", dap.Catch: "says which exceptions pause",
	dap.Restart: "restarts", dap.Misuse: "asks for what makes no sense", dap.Interrupt: "pauses the program", dap.Resend: "sends the breakpoints again",
	dap.Continue: "runs on", dap.Next: "steps over", dap.StepIn: "steps in", dap.StepOut: "steps out", dap.Finish: "runs to the end", dap.Disconnect: "leaves",
}

// mostDone is how many actions a text tells, and mostNamed how many functions and cases it names.
const mostDone, mostNamed = 7, 3

// told says what an action does.
func told(c script.Command) string {
	a := c.Action
	text := does[a.Kind]
	switch a.Kind {
	case dap.Evaluate:
		text = "evaluates " + a.Name
	case dap.Call:
		text = "calls " + a.Name
	case dap.SetVar:
		text = "sets " + a.Name + " to " + a.Value
	case dap.Misuse:
		text += ", " + a.Name
	case dap.DataBreak:
		text = "watches " + a.Name
	case dap.DataUnset:
		text = "watches " + a.Name + " no more"
	case dap.Unbreak, dap.FuncUnset, dap.InstUnset:
		text = "removes that at " + placeOf(a)
	case dap.Break, dap.FuncBreak, dap.InstBreak:
		text = "breaks at " + placeOf(a)
		for _, more := range []struct{ word, value string }{{"if", a.Condition}, {"at hit", a.Hit}, {"logging", a.Log}} {
			if more.value != "" {
				text += " " + more.word + " " + more.value
			}
		}
	}
	if text == "" {
		text = string(a.Kind)
	}
	if a.Instruction {
		text += " one instruction"
	}
	if a.Frame > 0 {
		text += fmt.Sprintf(" in frame %d", a.Frame)
	}
	if c.Not {
		text += " (refused)"
	}
	return text
}

// placeOf is where a breakpoint stands.
func placeOf(a dap.Action) string {
	if a.File != "" {
		return fmt.Sprintf("%s:%d", a.File, a.Line)
	}
	return a.Name
}

// actions says what a session does, in order.
func (t text) actions() string {
	var list []string
	times := map[int]int{}
	for _, c := range t.script.Commands {
		if !c.Acts() {
			continue
		}
		what := told(c)
		if n := len(list); n > 0 && list[n-1] == what {
			times[n-1]++
			continue
		}
		list = append(list, what)
	}
	for i, n := range times {
		list[i] += fmt.Sprintf(" (%d times)", n+1)
	}
	if len(list) > mostDone {
		list = append(list[:mostDone], "and so on")
	}
	return strings.Join(list, "; ")
}

// paragraphs are what a test does, what it demands and does not, and why it is there.
func (t text) paragraphs() (list []string) {
	j := t.script.Judge()
	relates := j != nil && j.Verb == relate
	if t.as != "" {
		start := "Launched in another way, " + strings.ReplaceAll(t.as, ",", " ")
		if s, err := action.Lookup(startedAs(t.as)); err == nil {
			start += ": " + strings.ToLower(s.Doc[:1]) + strings.TrimSuffix(s.Doc[1:], ".")
		}
		list = append(list, start+". It is not compared with a plain launch here, but judged by itself.")
	}
	if n := len(t.script.Early()); n > 0 {
		list = append(list, fmt.Sprintf("Before the launch come %d requests that make no sense then, each of which must be answered, and change nothing.", n))
	}
	if done := t.actions(); done != "" {
		list = append(list, "The session: "+done+".")
	}
	if relates {
		if s, err := action.Lookup(j.Args[0]); err == nil {
			list = append(list, fmt.Sprintf("It is run twice, the second time with something different that must not matter, %s. %s It fails if that is not so.", strings.Join(j.Args, " "), s.Doc))
		}
	} else {
		list = append(list, t.demands())
	}
	for _, c := range t.script.Commands {
		for _, name := range c.LeftOut() {
			if rule, ok := judge.Rules().Lookup(name); ok && name != raced { // which none demands
				list = append(list, fmt.Sprintf("Exempt, as Delve broke it in this session when it was written: %s (%s).", name, strings.TrimSuffix(rule.Sentence, ".")))
			}
		}
	}
	return append(list, t.reasons()...)
}

// demands says when a test fails that is judged by rules.
func (t text) demands() string {
	has := func(fits func(c script.Command) bool) bool { return slices.ContainsFunc(t.script.Commands, fits) }
	text := "It fails if the general rules are broken that judge demands"
	if has(func(c script.Command) bool { return c.Acts() && !c.Not && c.Action.Kind != dap.Misuse }) {
		text += ", or something without ! is refused"
	}
	text += "."
	if has(func(c script.Command) bool { return c.Acts() && c.Not }) {
		text += " What has ! may be refused or answered."
	}
	if has(func(c script.Command) bool { return c.Action.Kind == dap.Misuse }) {
		text += " What makes no sense must be answered, and may be refused."
	}
	return text
}

// reasons are why a test was chosen: what it has first, among those that were chosen before it.
func (t text) reasons() (list []string) {
	var first []string
	if len(t.functions) > 0 {
		first = append(first, "to execute some of Delve's "+strings.Join(t.functions[:min(len(t.functions), mostNamed)], ", "))
	}
	var done []string
	for _, is := range t.cases {
		if rule, ok := strings.CutPrefix(is, ruleCase); ok {
			if rule, ok := judge.Rules().Lookup(rule[strings.LastIndex(rule, "/")+1:]); ok {
				first = append(first, fmt.Sprintf("that %s judges (%s)", rule.ID, strings.TrimSuffix(rule.Sentence, ".")))
			}
		} else if !strings.HasPrefix(is, related) && !strings.HasPrefix(is, startCase) {
			done = append(done, is)
		}
	}
	if len(done) > 0 {
		first = append(first, "with "+strings.Join(done[:min(len(done), mostNamed)], "; with "))
	}
	if len(first) == 0 {
		return nil
	}
	return []string{"Why it is here: it was the first " + strings.Join(first, "; ") + "."}
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
