package baseline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/oracle"
)

// A key names a message so that its counterpart in another session is found: the nth of those on one thing, where each request is a
// thing of its own.
type key struct {
	on      string
	request int // the number of that which is answered; 0 of what is no answer
	nth     int
}

// A message is what an adapter said at one time, or of the program's output, all that it said.
type message struct {
	key
	// request is how many requests had been sent before it, or with it.
	request int
	// body is its JSON, without what numbers the message.
	body json.RawMessage
}

// Names of what is no message by itself: what the adapter has left when it is over, and the events.
const (
	afterwards = "end"
	eventOf    = " event"
	outputOf   = "output "
)

// A log is what was said in a session.
type log struct {
	requests []string // their commands
	// races is the first request that was sent while the program ran, or how many requests there are: what comes of it depends on how
	// far the program is by then.
	races    int
	messages []message
	byKey    map[key]*message
}

// resuming are the requests that let the program run.
var resuming = []string{"configurationDone", "continue", "next", "stepIn", "stepOut"}

// whole is the number of the request that what is about the whole session counts as coming after.
func (l *log) whole() int { return len(l.requests) }

// logOf reads the log of a session.
func logOf(seen *oracle.Seen) *log {
	l := &log{byKey: map[key]*message{}}
	nth := map[string]int{}
	answers := map[int]int{} // how many each request has
	numbers := map[int]int{} // of requests, by what the client has called them
	outputs := map[string]*strings.Builder{}
	// What comes once a client has said that it leaves may come too late for it, or not.
	leaving := func() bool { n := len(l.requests); return n > 0 && l.requests[n-1] == "disconnect" }
	add := func(on string, request int, body json.RawMessage) {
		l.messages = append(l.messages, message{key{on: on, nth: nth[on]}, request, body})
		nth[on]++
	}
	running := false
	l.races = -1
	for i := range seen.Wire {
		w := &seen.Wire[i]
		if w.Sent {
			if r, ok := w.Msg.(godap.RequestMessage); ok {
				command := r.GetRequest().Command
				if running && l.races < 0 {
					l.races = len(l.requests)
				}
				numbers[r.GetRequest().Seq] = len(l.requests)
				l.requests = append(l.requests, command)
				running = running || slices.Contains(resuming, command)
			}
			continue
		}
		switch m := w.Msg.(type) {
		case *godap.StoppedEvent, *godap.TerminatedEvent:
			running = false
		case godap.ResponseMessage:
			r := m.GetResponse()
			if n, ok := numbers[r.RequestSeq]; ok && !r.Success && slices.Contains(resuming, l.requests[n]) {
				running = false
			}
		}
		if _, event := w.Msg.(godap.EventMessage); event && leaving() {
			continue
		}
		switch m := w.Msg.(type) {
		case *godap.OutputEvent:
			category := m.Body.Category
			if category == "" {
				category = "console"
			}
			if outputs[category] == nil {
				outputs[category] = &strings.Builder{}
			}
			outputs[category].WriteString(m.Body.Output)
		case godap.ResponseMessage:
			n, ok := numbers[m.GetResponse().RequestSeq]
			if !ok {
				continue
			}
			// One may be answered twice.
			l.messages = append(l.messages, message{key{l.requests[n], n, answers[n]}, n, answer(w.Raw)})
			answers[n]++
		case godap.EventMessage:
			var raw struct{ Body json.RawMessage }
			if json.Unmarshal(w.Raw, &raw) == nil {
				add(m.GetEvent().Event+eventOf, len(l.requests)-1, raw.Body)
			}
		}
	}
	if l.races < 0 {
		l.races = len(l.requests)
	}
	for _, category := range slices.Sorted(maps.Keys(outputs)) {
		text, err := json.Marshal(outputs[category].String())
		if err == nil {
			add(outputOf+category, l.whole(), text)
		}
	}
	over, err := json.Marshal(map[string]any{"processes": seen.Left, "stays": seen.Stays, "printed": seen.Stderr})
	if err == nil {
		add(afterwards, l.whole(), over)
	}
	slices.SortStableFunc(l.messages, func(a, b message) int { return a.request - b.request })
	for i := range l.messages {
		l.byKey[l.messages[i].key] = &l.messages[i]
	}
	return l
}

// answer is what a response says beside its numbers.
func answer(raw json.RawMessage) json.RawMessage {
	var r struct {
		Success bool            `json:"success"`
		Message string          `json:"message,omitempty"`
		Body    json.RawMessage `json:"body,omitempty"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return raw
	}
	said, err := json.Marshal(r)
	if err != nil {
		return raw
	}
	return said
}

// absent is said of what there is not.
const absent = "none"

// A place is where in a message a value is: the names and numbers that lead there.
type place string

// within is a part of it.
func (p place) within(name string) place {
	if p == "" {
		return place(name)
	}
	return p + place("."+name)
}

// apart are the places in which two messages differ, in the order of their names, with what each says there. Lists that are not of
// the same length differ in that alone, and answers of which one is a refusal.
func apart(a, b json.RawMessage) []value {
	if bytes.Equal(a, b) {
		return nil
	}
	var all []value
	var visit func(at place, x, y any)
	visit = func(at place, x, y any) {
		if strings.HasSuffix(string(at), "systemProcessId") {
			return
		}
		switch x := x.(type) {
		case map[string]any:
			y, ok := y.(map[string]any)
			if !ok {
				break
			}
			names := maps.Clone(x)
			maps.Copy(names, y)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				one, has := x[name]
				other, too := y[name]
				switch {
				case has && too:
					visit(at.within(name), one, other)
				case has:
					all = append(all, value{at.within(name), text(one), absent})
				default:
					all = append(all, value{at.within(name), absent, text(other)})
				}
			}
			return
		case []any:
			y, ok := y.([]any)
			if !ok {
				break
			}
			if len(x) != len(y) {
				all = append(all, value{at.within("length"), strconv.Itoa(len(x)), strconv.Itoa(len(y))})
				return
			}
			for i := range x {
				visit(at.within(strconv.Itoa(i)), x[i], y[i])
			}
			return
		}
		if one, other := text(x), text(y); one != other {
			all = append(all, value{at, one, other})
		}
	}
	x, y := parsed(a), parsed(b)
	visit("", x, y)
	if i := slices.IndexFunc(all, func(v value) bool { return v.at == granted }); i >= 0 {
		return []value{{granted, all[i].one + reason(x), all[i].two + reason(y)}}
	}
	return all
}

// granted is where an answer says whether the request is.
const granted = "success"

// reason is why a request is refused.
func reason(answer any) string {
	if m, ok := answer.(map[string]any); ok && m["message"] != nil {
		return ", " + text(m["message"])
	}
	return ""
}

// A value is what two messages say at one place.
type value struct {
	at       place
	one, two string
}

// parsed is a message's JSON, with numbers as they are written; nil if it is none.
func parsed(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var x any
	if d.Decode(&x) != nil {
		return nil
	}
	return x
}

// text is a value as JSON, but strings by themselves, without what differs between any two sessions.
func text(x any) string {
	switch x := x.(type) {
	case nil:
		return absent
	case string:
		// A stack of the debugger's own is another one in each build of it.
		said, _, _ := strings.Cut(dap.Unnumbered(x), "[running]")
		return said
	}
	raw, err := json.Marshal(x)
	if err != nil {
		return fmt.Sprint(x)
	}
	return string(raw)
}
