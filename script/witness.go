package script

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle/reference"
)

// orOption is the option with the command that judges where no run can be recorded.
const orOption = "or"

// witness is a command that fails where the debugger shows what a finding of the reference
// model is about, without a recorded run: it demands the recorded value where a value is
// asked for, and elsewhere that the program is not paused where it was, or a variable not
// shown as it was. It is nil if there is none.
func witness(f *finding.Finding) *Command {
	s := f.Session()
	if f.Oracle != reference.Oracle || s.Index < 0 || s.Index != len(s.Base)-1 {
		return nil // a later action would have led the program on
	}
	last := s.Base[s.Index]
	out := last.Output
	switch {
	case f.Kind == dap.DiffOutput || f.Kind == dap.DiffExit:
		return &Command{Verb: "plain"}
	case f.Kind == dap.DiffLog && len(out.Logs) > 0:
		return &Command{Verb: "log", Not: true, Args: messages(out.Logs)}
	case f.Kind == dap.DiffVariables && last.Action.Kind == dap.Evaluate:
		return evaluates(f, last)
	case f.Kind == dap.DiffVariables && out.Pause != nil:
		return shownOtherwise(f, out.Pause)
	case f.Kind != dap.DiffLocation && f.Kind != dap.DiffStack:
		return nil
	case out.Exit != nil:
		return &Command{Verb: "ended", Not: true}
	}
	if seen := seenIn(last); seen != nil {
		return &Command{Verb: "pause", Not: true, Args: slices.DeleteFunc([]string{seen.place(), seen.Func}, func(s string) bool { return s == "" })}
	}
	return nil
}

// written are values that each debugger writes as the recorded run does: floating-point
// numbers, pointers and what is made of parts it may write in another way.
var written = regexp.MustCompile(`^(-?[0-9]+|true|false|"[^"\\]{0,60}")$`)

// evaluates demands that an expression has its recorded value: that it is granted, where it
// was refused, and refused, where it panics.
func evaluates(f *finding.Finding, last dap.Event) *Command {
	c := &Command{Verb: string(dap.Evaluate), Action: last.Action}
	switch {
	case last.Output.Kind != dap.Answered:
	case f.What != last.Action.Name:
		return nil // it is a part of the value
	case f.Expected.Text == reference.Panics:
		c.Not = true
	case written.MatchString(f.Expected.Text):
		// Debuggers may show a number in another base, too.
		c.Args = []string{"/^" + regexp.QuoteMeta(f.Expected.Text) + "( = .*)?$/"}
	default:
		return nil
	}
	return c
}

// shownOtherwise demands that a variable is shown, or not as it was.
func shownOtherwise(f *finding.Finding, p *dap.Pause) *Command {
	var vars []dap.Variable
	for _, sc := range p.Scopes {
		vars = append(vars, sc.Vars...)
	}
	v, _, _ := find(vars, f.What)
	switch {
	case v == nil && f.Got.Text == "not shown":
		return &Command{Verb: "var", Args: []string{f.What}}
	case v == nil || strings.Contains(v.Value, "0x"):
		return nil // addresses are others in each run
	}
	return &Command{Verb: "var", Not: true, Args: []string{f.What, v.Value}}
}

// messages are the texts of log points' messages.
func messages(logs []string) []string {
	var texts []string
	for _, l := range logs {
		_, text, _ := strings.Cut(l, ": ")
		texts = append(texts, text)
	}
	return texts
}

// parseWitness reads a command that judges in the place of another.
func parseWitness(text string) (*Command, error) {
	c, err := ParseCommand(text)
	if err != nil {
		return nil, err
	}
	if v := lookup(c.Verb); v.judges && c.Verb != "plain" || v.action != "" && v.action != dap.Evaluate || c.Verb == debugVerb {
		return nil, errors.New(c.Verb + ": expected a command that demands something of what is shown, such as pause or var")
	}
	return c, nil
}

// errNoReference says that there is no recorded run.
var errNoReference = errors.New("there is no reference for this program")
