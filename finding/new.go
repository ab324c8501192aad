package finding

import (
	"fmt"

	"misstep/dap"
	"misstep/internal/debuggee"
)

// By names who says something.
const (
	Recorded      = "recorded run"
	Plainly       = "without a debugger"
	Debugger      = "debugger"
	Specification = "specification"
	Untransformed = "before the transformation"
	Transformed   = "after the transformation"
)

// OfSession is a finding of a rule that a debugging session broke: what differs, and who
// says each side of it. The debuggee is what the session ran.
func OfSession(rule Rule, d *debuggee.Debuggee, s *Session, diff *dap.Difference, expectedBy, gotBy string) *Finding {
	return OfSaid(rule, d, s, "", diff, expectedBy, gotBy)
}

// OfSaid is one that is about a message or a request: what differs in that.
func OfSaid(rule Rule, d *debuggee.Debuggee, s *Session, on string, diff *dap.Difference, expectedBy, gotBy string) *Finding {
	f := &Finding{Oracle: rule.Oracle, Rule: rule.ID, On: on, Payload: s, Debuggee: d}
	if diff != nil {
		f.Kind, f.What = diff.Kind, diff.What
		f.Expected, f.Got = Said{diff.A, expectedBy}, Said{diff.B, gotBy}
	}
	f.settle(rule, diff)
	return f
}

// OfMessage is a finding of a rule of the protocol: what is wrong with a message or a
// request.
func OfMessage(rule Rule, d *debuggee.Debuggee, s *Session, on, what string) *Finding {
	f := &Finding{Oracle: rule.Oracle, Rule: rule.ID, On: on, Payload: s, Debuggee: d, Got: Said{what, ""}}
	f.settle(rule, nil)
	return f
}

// Of is a finding of a rule that something else than a session shows: where, what is wrong
// there, and who says each side of it. Its class is the rule with the payload's kind; what
// tells its findings apart is for the oracle to add.
func Of(rule Rule, place Place, what string, expected, got Said, payload Payload) *Finding {
	f := &Finding{
		Oracle: rule.Oracle, Rule: rule.ID, Class: Class{Rule: rule.ID, Kind: payload.Kind()}, Severity: False,
		Place: place, What: what, Expected: expected, Got: got, Payload: payload,
	}
	f.Explain(rule.Sentence)
	return f
}

// settle fills in what follows from the rest.
func (f *Finding) settle(rule Rule, diff *dap.Difference) {
	f.Severity = f.severity(diff)
	if p := f.Session().Pause(); p != nil {
		top := p.Top()
		f.Place = Place{File: top.File, Line: top.Line, Func: top.Func}
	}
	f.Explain(rule.Sentence)
	if f.Debuggee != nil && f.Debuggee.Build != nil {
		f.Engine = f.Debuggee.Build.Engine.String()
		f.Classify(f.Debuggee.Source)
	}
}

// Note adds something to the reason, such as which engine is the odd one out.
func (f *Finding) Note(format string, args ...any) {
	f.Reason += " " + fmt.Sprintf(format, args...)
}
