package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle"
)

// Check judges the messages of a session.
type Check struct{}

// told reports whether a client was told that its session is over.
func told(wire []dap.Wire) bool {
	return slices.ContainsFunc(wire, func(w dap.Wire) bool {
		_, is := w.Msg.(*godap.TerminatedEvent)
		return is && !w.Sent
	})
}

// Judge implements [oracle.Check].
func (Check) Judge(_ context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	violations, tally := Violations(seen.Wire, seen.Last(), seen.Stderr)
	if seen.Ends() && !startsOthers(seen) {
		tally.Add(Oracle+"/left", 1)
		if seen.Left > 0 {
			violations = append(violations, Violation{"left", "disconnect", fmt.Sprintf("%d processes of the program were left when the adapter had ended", seen.Left), len(seen.Wire) - 1})
		}
	}
	if a, ok := seen.Leaves(); ok {
		tally.Add(Oracle+"/gone", 1)
		if seen.Stays {
			violations = append(violations, Violation{"gone", "disconnect", fmt.Sprintf("the adapter had not ended long after %q", a), len(seen.Wire) - 1})
		}
		if a.Way == "" && seen.Ends() {
			tally.Add(Oracle+"/farewell", 1)
			if !told(seen.Wire) {
				violations = append(violations, Violation{"farewell", "disconnect", fmt.Sprintf("no terminated event comes after %q was granted", a), len(seen.Wire) - 1})
			}
		}
		if a.Way != "" {
			// Nobody is there any more who could be answered.
			violations = slices.DeleteFunc(violations, func(v Violation) bool { return v.Rule == "answer" })
		}
	}
	if d := seen.Debuggee; d != nil && d.Build != nil && d.Build.Engine.Adapter == "dlv" {
		violations = append(violations, unexplained(seen.Wire, tally)...)
		violations = append(violations, untold(seen.Wire, tally)...)
	}
	if len(seen.Events) > 0 {
		// The program runs by itself, and whatever was refused before, it is one that can be launched.
		rule, after := "launches", ""
		if len(seen.Early) > 0 {
			rule, after = "unchanged", "after "+few(seen.Early)+" "
		}
		first := seen.Events[0]
		switch refused := first.Action.Kind == "" && first.Output.Kind == dap.Refused; {
		case refused && lacking(seen, first.Output.Text):
			tally.Missed(Oracle + "/" + rule)
		case !refused:
			tally.Add(Oracle+"/"+rule, 1)
		default:
			tally.Add(Oracle+"/"+rule, 1)
			on := "launch"
			if ways := dap.Starts(seen.As); len(ways) > 0 && rule == "launches" {
				as, _, _ := strings.Cut(ways[0], ",")
				if len(ways) > 1 {
					as = "several"
				}
				// What one way to launch it shows, another need not.
				on += "/" + as + "/" + finding.Refusal(strings.TrimPrefix(first.Output.Text, "launch: Failed to launch: "))
			}
			violations = append(violations, Violation{rule, on, fmt.Sprintf("%sthe program is not launched: %s", after, &first.Output), len(seen.Wire) - 1})
		}
	}
	var found []*finding.Finding
	for _, v := range violations {
		// The events up to and with the action during which it showed.
		upTo := len(seen.Events)
		for i, mark := range seen.Marks {
			if v.At < mark && i < len(seen.Events) {
				upTo = i + 1
				break
			}
		}
		rule, _ := Rules.Lookup(v.Rule)
		found = append(found, finding.OfMessage(rule, seen.Debuggee, seen.Session(upTo-1), v.On, v.What))
	}
	return found, tally, nil
}

// startsOthers reports whether a program may start processes of its own.
func startsOthers(seen *oracle.Seen) bool {
	if seen.Debuggee == nil || seen.Debuggee.Source == nil {
		return true
	}
	for _, f := range seen.Debuggee.Source.Files {
		for _, spec := range f.AST.Imports {
			switch spec.Path.Value {
			case `"os/exec"`, `"syscall"`, `"golang.org/x/sys/unix"`:
				return true
			}
		}
	}
	return false
}

// A Violation is an invariant of the protocol that did not hold.
type Violation struct {
	Rule string // an ID of Rules
	On   string // the kind of message or request that it is about
	What string
	At   int // index of the message in the wire
}

// checker follows a session on the wire.
type checker struct {
	tally finding.Tally
	found []Violation
	at    int
	on    string

	misuses  map[int]string         // requests that are misuses, by number
	open     map[int]*godap.Request // requests without an answer yet
	answered map[int]bool
	commands map[int]string
	before   map[int]bool            // whether the program ran when a request to let it run came
	raws     map[int]json.RawMessage // arguments of requests, by number
	must     map[int]bool            // requests that must be answered although those of their kind may not be
	last     int                     // the last request that was answered
	halted   int                     // the last request to pause that was
	lastSeq  int
	seqs     map[int]bool

	initAnswered, launched bool
	served                 bool // the program was there before the session
	owed                   int  // initialized events that may come
	launches               int
	configured, running    bool
	ended                  bool
	exitSeen               bool
	disconnecting          bool
	afterEnd               bool // it was let run after its end
	paused                 bool
	nobody                 int  // which of those found is of the last pause that was not asked for; -1 if there is none
	toPause                int  // requests to pause that came while the program ran, and that no pause was for yet
	restarting             bool // restart was granted while the program ran, and it is not initialized yet
	calls                  bool // the last request may let the program run, to call a function of it
	switched               bool // another thread was selected at Delve's prompt since the last stopped event, which may run no goroutine
	stirred                bool // a function was called since the last stopped event, while which other threads ran, and may have come to breakpoints
	kinds                  map[string]int
	during                 map[int]bool // requests that came while the program ran

	frames       map[int]bool
	refs         map[int]map[string]string     // variable references with names and types of their children
	scopes       map[int]int                   // those of the references that are scopes, with the frames that they are of
	assigned     map[frameVariable]string      // the types that setVariable has answered with, until the program runs on
	promised     map[int]promise               // how many children the variables of this pause say that they have
	filtered     bool                          // which threads are listed was asked for
	written      bool                          // memory was written to, of whatever lies there
	limited      bool                          // how many elements are loaded was set to another number than the adapter's own
	stoppedAt    int                           // thread of the last stopped event
	allStopped   bool                          // as that event said
	functions    map[int]string                // of this pause: which function each thread is listed in
	totals, ends map[int]int                   // of this pause: how many frames each thread is said to have where these were shown, and how many were shown
	begun        string                        // the last request that the session was begun by
	raw          json.RawMessage               // the message that is judged
	windows      *windows                      // what was shown since the program last changed
	known        map[int]bool                  // threads that were shown at all
	ids          map[string]map[int]bool       // breakpoint numbers by request
	points       map[string][]godap.Breakpoint // those breakpoints
	caps         godap.Capabilities
	client       godap.InitializeRequestArguments
}

// Violations judges all that was said in a session. Last is the session's last
// output: if that is a hang or a death, it is a violation of "alive". Stderr
// is what the adapter itself printed.
func Violations(wire []dap.Wire, last *dap.Output, stderr string) ([]Violation, *finding.Tally) {
	c := &checker{
		misuses: map[int]string{}, open: map[int]*godap.Request{}, answered: map[int]bool{}, commands: map[int]string{}, before: map[int]bool{}, raws: map[int]json.RawMessage{},
		seqs: map[int]bool{}, must: map[int]bool{}, known: map[int]bool{}, ids: map[string]map[int]bool{}, points: map[string][]godap.Breakpoint{}, nobody: -1, during: map[int]bool{}, kinds: map[string]int{},
	}
	c.forget()
	c.served = slices.ContainsFunc(wire, remote)
	for i := range wire {
		c.at = i
		c.message(&wire[i])
	}
	c.on = "session"
	c.tally.Add(Oracle+"/alive", 1)
	fatal := last != nil && (last.Kind == dap.Hang || last.Kind == dap.Death)
	if fatal {
		// It hangs or dies at a request: the first of those that wait.
		if waiting := slices.Sorted(maps.Keys(c.open)); len(waiting) > 0 {
			c.on += "/" + c.open[waiting[0]].Command
		}
		c.fail("alive", "%s", last)
		c.on = "session"
	} else {
		for seq, r := range c.open {
			if r.Command == "pause" && c.halted > seq {
				c.on = "session/pause"
				c.check("answer", false, "request %d, pause, was never answered, and a later one was", seq)
				c.on = "session"
				continue
			}
			if r.Command != "disconnect" && (r.Command != "pause" || c.must[seq] && c.last > seq) {
				c.check("answer", false, "request %d, %s, was never answered", seq, r.Command)
			}
		}
	}
	if stack := Panicked(stderr); len(stack) > 0 {
		c.on += "/" + stack[0] // one session may fail in many ways
	}
	// The program may print a panic of its own there; that there was no memory says nothing of why.
	c.check("internal", strings.Contains(stderr, "out of memory") || !strings.Contains(stderr, "panic") && !strings.Contains(stderr, "fatal error: ") || !strings.Contains(stderr, delve),
		"the adapter printed a panic: %s", firstLines(dap.LastWords(stderr), 3))
	return c.found, &c.tally
}

// remote reports whether a message asks for the program that a server has already, whoever came first.
func remote(w dap.Wire) bool {
	var r struct {
		Command   string
		Arguments struct{ Mode string }
	}
	return w.Sent && json.Unmarshal(w.Raw, &r) == nil && r.Command == "attach" && r.Arguments.Mode == "remote"
}

// firstLines are the beginning of a text; goroutines have other numbers each time.
func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return goroutine.ReplaceAllString(strings.Join(lines[:min(n, len(lines))], " | "), "goroutine")
}

var goroutine = regexp.MustCompile(`goroutine \d+`)

func (c *checker) fail(rule, format string, args ...any) {
	c.found = append(c.found, Violation{rule, c.on, fmt.Sprintf(format, args...), c.at})
}

func (c *checker) check(rule string, ok bool, format string, args ...any) {
	c.tally.Add(Oracle+"/"+rule, 1)
	if !ok {
		c.fail(rule, format, args...)
	}
}

// forget drops what lives only as long as a pause.
func (c *checker) forget() {
	c.frames = map[int]bool{}
	c.refs, c.assigned = map[int]map[string]string{}, map[frameVariable]string{}
	c.scopes, c.promised = map[int]int{}, map[int]promise{}
	c.windows = newWindows()
}

func (c *checker) message(w *dap.Wire) {
	if w.Sent {
		c.request(w)
		return
	}
	c.check("decodes", w.Msg != nil, "a message does not decode: %s: %.200s", w.Err, w.Raw)
	if w.Msg == nil {
		return
	}
	// Messages of one kind are made by the same code.
	if kind := kindOf(w.Msg); c.kinds[kind] < firstKinds {
		c.kinds[kind]++
		where := missing(reflect.TypeOf(w.Msg), w.Raw, "")
		c.on = kind
		c.check("required", where == "", "it has no %s: %.200s", where, w.Raw)
	}
	c.raw = w.Raw
	switch m := w.Msg.(type) {
	case godap.ResponseMessage:
		c.on = "response"
	case godap.EventMessage:
		c.on = m.GetEvent().Event
	}
	seq := w.Msg.GetSeq()
	c.check("seq", seq > 0 && !c.seqs[seq], "a message has the number %d, after %d: %.120s", seq, c.lastSeq, w.Raw)
	if seq > 0 {
		c.on = "" // whatever it is that came too early, the numbering is the fault
		c.check("seq-order", seq > c.lastSeq, "the message numbered %d came after %d: %.120s", seq, c.lastSeq, w.Raw)
	}
	c.seqs[seq], c.lastSeq = true, max(seq, c.lastSeq)
	switch m := w.Msg.(type) {
	case godap.ResponseMessage:
		c.response(m)
	case godap.EventMessage:
		c.event(m)
	}
}
