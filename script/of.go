package script

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/oracle/baseline"
	"misstep/oracle/metamorphic"
	"misstep/transform"
)

// Of is a finding as a script, which is reproduced as long as the debugger behaves as it
// was found to.
func Of(f *finding.Finding, p *gobuild.Program) (*Script, error) {
	if f.Reason == "" {
		return nil, fmt.Errorf("writing a script: a finding of %s without a reason", f.Rule)
	}
	judge, ok := judgeOf(f)
	if !ok {
		return nil, fmt.Errorf("writing a script: no command judges by the %s oracle", f.Oracle)
	}
	files, target, err := gobuild.Pack(p)
	if err != nil {
		return nil, err
	}
	session := f.Session()
	s := FromSession(alone(session), f.Engine, target, p, judge)
	s.Commands[0].SetOption("early", strings.Join(session.Early, ","))
	s.Commands[0].SetOption("as", session.As)
	s.Files = files
	s.Head = Head{Class: f.Class.String(), Engine: f.Engine, Program: f.Program, Seed: f.Seed, Reason: Wrap(f.Reason)}
	if f.Evidence != nil {
		s.Head.Evidence = Wrap(f.Evidence.String())
	}
	return s, nil
}

// alone are a session's events without those that only ask, and what is said to which is another finding of the rule: with them, the
// script would be reproduced by that one as well.
func alone(s *finding.Session) []dap.Event {
	var events []dap.Event
	for i, e := range s.Base {
		changes := strings.HasPrefix(e.Action.Name, "call ") || strings.HasPrefix(e.Action.Name, dap.Prompt)
		if slices.Contains(s.Beside, i) && i != s.Index && e.Action.Kind.Meaning().Effect == dap.Asks && !changes {
			continue
		}
		events = append(events, e)
	}
	return events
}

// FromSession is a script of what was done in a session of a program, with the command that judges it.
func FromSession(events []dap.Event, engine, target string, p *gobuild.Program, judge Command) *Script {
	launch := Command{Verb: debugVerb, Args: append([]string{target}, p.RunArgs...)}
	if p.Endless > 0 {
		launch.SetOption("endless", p.Endless.String())
	}
	if p.Test {
		launch.SetOption("mode", testsMode)
	}
	if engine != pinned {
		launch.SetOption("engine", engine)
	}
	s := &Script{Commands: []Command{launch}}
	for _, e := range events {
		if e.Action.Kind == "" {
			continue // the launch
		}
		if e.Action.Kind == dap.Misuse && strings.HasPrefix(e.Output.Text, "misstep") {
			continue // it did not fit the moment, and was not sent
		}
		c := Command{Verb: string(e.Action.Kind), Action: e.Action}
		c.Not = e.Action.Kind != dap.Misuse && lookup(c.Verb).not && refuses(&e.Output)
		c.Seen = seenIn(e)
		s.Commands = append(s.Commands, c)
	}
	s.Commands = append(s.Commands, judge)
	return s
}

// seenIn is the pause that an action led to; nil if there was none at a known place.
func seenIn(e dap.Event) *Seen {
	p := e.Output.Pause
	if p == nil || !e.Action.Kind.Resumes() || p.Top().Line <= 0 || p.Top().File == "" {
		return nil
	}
	top := p.Top()
	return &Seen{File: top.File, Line: top.Line, Func: top.Func, Reason: p.Reason}
}

// judgeOf is the command that judges by what a finding says is broken.
func judgeOf(f *finding.Finding) (c Command, ok bool) {
	switch f.Oracle {
	case "protocol":
		c = Command{Verb: "protocol", Args: []string{f.Rule}}
		if f.On != "" {
			c.Args = append(c.Args, f.On)
		}
	case "trace", "reference":
		c = Command{Verb: f.Oracle, Args: []string{f.Rule}, Or: witness(f)}
	case "differential":
		c = Command{Verb: "agree", Args: f.Against}
	case baseline.Oracle:
		c = Command{Verb: "alike", Args: append(slices.Clone(f.Against), transform.Params(f.Params).Words()...)}
	case metamorphic.Oracle:
		if f.Rule == metamorphic.Debugged {
			return Command{Verb: "plain"}, true
		}
		c = Command{Verb: "relate", Args: []string{f.Rule}}
		c.Args = append(c.Args, transform.Params(f.Params).Words()...)
	default:
		return c, false
	}
	return c, true
}
