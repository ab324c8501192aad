package oracle

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
)

// Seen is what was seen of one session.
type Seen struct {
	Debuggee *debuggee.Debuggee
	Events   []dap.Event
	// Early names the misuses sent before the launch.
	Early []string
	// As says how the session's target was changed, see [dap.Target].
	As string
	// Rebuilt says that the adapter has built the program itself, so that the binary is another one than the debuggee's.
	Rebuilt bool
	// Wire is what was said, and Marks how many messages there were after each event.
	Wire  []dap.Wire
	Marks []int
	// Stderr is what the adapter itself printed.
	Stderr string
	// Runs says that the program waits without a debugger, so that it runs until somebody ends it.
	Runs bool
	// Left is how many processes of the program there were when the adapter had ended.
	Left int
	// Stays says that the adapter had to be ended.
	Stays bool
}

// SeenOf is what was seen of a session that is over; of several clients, what the first one saw.
func SeenOf(d *debuggee.Debuggee, s *dap.Session, events []dap.Event, early []string) *Seen {
	events = events[:s.Actions(len(events))]
	return &Seen{Debuggee: d, Events: events, Early: early, As: s.Target().As, Rebuilt: s.Target().Mode != "" && s.Target().Mode != "exec", Wire: s.Wire(), Marks: s.Marks(), Stderr: s.Stderr(), Runs: s.Target().Waits(), Left: s.Left(), Stays: !s.Gone()}
}

// Last is the session's last output; nil if there is none.
func (s *Seen) Last() *dap.Output {
	if len(s.Events) == 0 {
		return nil
	}
	return &s.Events[len(s.Events)-1].Output
}

// exited is how an adapter says on its console how the program has ended.
var exited = regexp.MustCompile(`Process \d+ has exited with status (-?\d+)`)

// Told is the exit code that the adapter has said on its console, as those do that have no event for it; it is not ok if there is none.
func (s *Seen) Told() (code int, ok bool) {
	for i := range s.Wire {
		if e, is := s.Wire[i].Msg.(*godap.OutputEvent); is && (e.Body.Category == "console" || e.Body.Category == "") {
			if m := exited.FindStringSubmatch(e.Body.Output); m != nil {
				n, err := strconv.Atoi(m[1])
				code, ok = n, err == nil
			}
		}
	}
	return code, ok
}

// CutOff reports whether misstep itself cut the session off, as the program ran for too
// long: what is missing then is not the adapter's fault.
func (s *Seen) CutOff() bool { last := s.Last(); return last != nil && last.Kind == dap.Timeout }

// Ends reports whether the session was ended while it had its program.
func (s *Seen) Ends() bool {
	runs := s.Runs
	for _, e := range s.Events {
		switch {
		case e.Action.Kind == dap.Disconnect:
			return runs && e.Output.Kind == dap.Done
		case e.Output.Pause != nil:
			runs = true
		case e.Output.Kind == dap.Ended:
			runs = false
		}
	}
	return false
}

// Leaves is how the session was ended, if it was by an action that was carried out.
func (s *Seen) Leaves() (a dap.Action, ok bool) {
	last := len(s.Events) - 1
	if last < 0 || s.Events[last].Action.Kind != dap.Disconnect || s.Events[last].Output.Kind != dap.Done {
		return dap.Action{}, false
	}
	return s.Events[last].Action, true
}

// Session is the session up to and with an event, as a finding carries it.
func (s *Seen) Session(index int) *finding.Session {
	return &finding.Session{Base: s.Events[:min(max(index+1, 0), len(s.Events))], Index: index, Early: s.Early, As: s.As}
}

// Mangled reports whether a breakpoint was put into the middle of an instruction: the program then runs into what is left
// of that, and does whatever it says.
func (s *Seen) Mangled() bool {
	if s.Debuggee == nil {
		return false
	}
	return slices.ContainsFunc(s.Events, func(e dap.Event) bool { return Mangles(s.Debuggee.Build, e) })
}

// Mangles reports whether an event puts a breakpoint into the middle of an instruction of a build.
func Mangles(b *gobuild.Build, e dap.Event) bool {
	if e.Action.Kind != dap.InstBreak || e.Output.Breakpoint == nil || !e.Output.Breakpoint.Verified || b == nil || b.Symbols == nil {
		return false
	}
	_, begins := b.Before(e.Action.Name)
	return !begins
}

// A Check is an oracle that judges a session by what was seen of it.
type Check interface {
	// Judge returns what is wrong, and how often it looked. The error says that misstep
	// itself could not judge.
	Judge(ctx context.Context, seen *Seen) ([]*finding.Finding, *finding.Tally, error)
}
