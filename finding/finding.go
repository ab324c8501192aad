package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
)

// A Finding is one violation of a rule, with everything needed to replay it.
type Finding struct {
	Oracle string `json:"oracle"` // protocol, trace, reference, metamorphic, differential, baseline, …
	Rule   string `json:"rule"`   // a rule's ID
	// On is the message or request that a rule of the protocol is about, or what the baseline answers differently.
	On string `json:"on,omitempty"`
	// Params are the transformation's, if a relation was violated.
	Params map[string]string `json:"params,omitempty"`

	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	// Reason is the rule and what there is instead, in a sentence or two for a person.
	Reason string `json:"reason"`
	// Full is the whole of a reason that was too long.
	Full string `json:"full,omitempty"`

	Place Place `json:"place"`
	// Kind is what differs, and What where in the output.
	Kind     dap.DiffKind `json:"kind,omitempty"`
	What     string       `json:"what,omitempty"`
	Expected Said         `json:"expected"`
	Got      Said         `json:"got"`
	// Evidence says where to look for the cause.
	Evidence *Evidence `json:"evidence,omitempty"`

	Program string `json:"program"`
	Engine  string `json:"engine"`
	// Against are the other engines of a differential finding.
	Against []string `json:"against,omitempty"`
	Seed    uint64   `json:"seed"`
	// Iteration counts the transformations up to and with the one that failed.
	Iteration int `json:"iteration,omitempty"`

	// Payload is what shows it.
	Payload Payload `json:"-"`
	// Debuggee is the program as it was before the transformation that failed, with all
	// earlier ones made and as it was built.
	Debuggee *debuggee.Debuggee `json:"-"`
	// Ran is the build of the same source that shows it, where a transformation of the build has made another one than
	// the debuggee's; nil otherwise.
	Ran *gobuild.Build `json:"-"`
}

// Light is the finding without its payload, as streams of events carry it.
func (f *Finding) Light() *Finding {
	light := *f
	light.Payload = nil
	return &light
}

// A Place is a point of a program, as far as it is known.
type Place struct {
	File   string `json:"file,omitempty"` // relative to the program's folder
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Func   string `json:"func,omitempty"`
}

// String is the place as file:line function.
func (p Place) String() string {
	switch {
	case p.File == "":
		return p.Func
	case p.Column > 0:
		return strings.TrimSpace(fmt.Sprintf("%s:%d:%d %s", p.File, p.Line, p.Column, p.Func))
	}
	return strings.TrimSpace(fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Func))
}

// A Said is what someone says, such as the recorded run, the specification, the session
// without a transformation, or a debugger.
type Said struct {
	Text string `json:"text"`
	By   string `json:"by"`
}

// String is what is said, and by whom.
func (s Said) String() string {
	if s.By == "" {
		return s.Text
	}
	return fmt.Sprintf("%s (%s)", s.Text, s.By)
}

// A Severity says how much a finding hurts who debugs.
type Severity string

// The severities, the worst first.
const (
	Broken   Severity = "broken"   // the session is over: a hang, a death, a panic
	False    Severity = "false"    // what is shown is not so
	Missed   Severity = "missed"   // something is not shown, or not paused at
	Refused  Severity = "refused"  // something that is possible is refused
	Improper Severity = "improper" // messages that break the protocol, or differ in form
)

// telling are the parts of messages that say where the program is, and what it has.
var telling = []string{"value", "result", "line", "name", "reason", "exitCode", "length"}

// severity follows from the rule, what differs and what the debugger answered last.
func (f *Finding) severity(d *dap.Difference) Severity {
	refused := false
	if s := f.Session(); s.Index >= 0 && s.Index < len(s.Base) {
		refused = s.Base[s.Index].Output.Kind == dap.Refused
	}
	switch {
	case f.Rule == "alive" || f.Rule == "internal" || d != nil && d.Kind == dap.DiffFailure:
		return Broken
	case f.Oracle == "protocol" || d == nil:
		return Improper
	case d.Kind == dap.DiffMessage && strings.HasSuffix(d.What, "success"):
		return Refused
	case d.Kind == dap.DiffMessage && !slices.Contains(telling, d.What[strings.LastIndex(d.What, ".")+1:]):
		return Improper
	case refused || d.Kind == dap.DiffAnswer:
		return Refused
	case d.B == "none" || d.B == "not shown" || d.B == "nothing" || strings.HasPrefix(d.B, "none before"):
		return Missed
	}
	return False
}

// Evidence says what a finding's cause most likely is part of, and why.
type Evidence struct {
	Points string `json:"points"` // debugger, adapter, compiler or unclear
	// Fact is the kind of what was found, in a word, and About the line or the variable
	// that it is about; empty if it is about none.
	Fact  string `json:"fact"`
	About string `json:"about,omitempty"`
	// Because says it in a sentence.
	Because string `json:"because"`
}

// String is what the evidence points to, and why.
func (e *Evidence) String() string { return e.Points + ": " + e.Because }

// A Payload is what shows a finding.
type Payload interface {
	// Kind names the form of the payload: "session" of a [Session].
	Kind() string
}

// A Session is a debugging session that shows a finding.
type Session struct {
	// Base holds the actions that led there, with their outputs.
	Base []dap.Event `json:"base"`
	// Index is the event of the base at which the difference showed.
	Index int `json:"index"`
	// Follow is the trace of the follow-up run, or of the other engine.
	Follow []dap.Event `json:"follow,omitempty"`
	// Early names the misuses sent before the launch, if the finding needs them.
	Early []string `json:"early,omitempty"`
	// As says how the session was started, if in another way than sessions are: see [dap.Target].
	As string `json:"as,omitempty"`
	// Beside are events of the base at which the session has findings of the same rule that are of other classes: what is only asked
	// there, a script of this one does without.
	Beside []int `json:"beside,omitempty"`
}

// Kind is "session".
func (*Session) Kind() string { return "session" }

// A Raw is a payload of a kind that is not known here.
type Raw struct {
	Form string
	Data json.RawMessage
}

// Kind is the payload's form.
func (r *Raw) Kind() string { return r.Form }

// MarshalJSON writes the payload as it was read.
func (r *Raw) MarshalJSON() ([]byte, error) { return r.Data, nil }

// Session is the finding's debugging session; one without events if it is of something
// else.
func (f *Finding) Session() *Session {
	if s, ok := f.Payload.(*Session); ok {
		return s
	}
	return &Session{}
}

// Difference is what differs; nil if that is not known.
func (f *Finding) Difference() *dap.Difference {
	if f.Kind == "" {
		return nil
	}
	return &dap.Difference{Kind: f.Kind, What: f.What, A: f.Expected.Text, B: f.Got.Text}
}

type wrapped struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

type plain Finding

// MarshalJSON writes the finding with its payload.
func (f *Finding) MarshalJSON() ([]byte, error) {
	out := struct {
		*plain
		Payload *wrapped `json:"payload,omitempty"`
	}{plain: (*plain)(f)}
	if f.Payload != nil {
		data, err := json.Marshal(f.Payload)
		if err != nil {
			return nil, fmt.Errorf("writing the payload of a finding of %s: %w", f.Rule, err)
		}
		out.Payload = &wrapped{f.Payload.Kind(), data}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Finding) UnmarshalJSON(text []byte) error {
	in := struct {
		*plain
		Payload *wrapped `json:"payload"`
	}{plain: (*plain)(f)}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	switch {
	case in.Payload == nil:
		f.Payload = nil
	case in.Payload.Kind == (&Session{}).Kind():
		s := &Session{}
		f.Payload = s
		return json.Unmarshal(in.Payload.Data, s)
	default:
		f.Payload = &Raw{in.Payload.Kind, in.Payload.Data}
	}
	return nil
}
