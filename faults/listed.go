package faults

import (
	"fmt"
	"strings"
)

// listed are faults in what is said beside what is shown: of threads, of how much there is, of what cannot be. All are there always, in the
// same way.
var listed = []Fault{
	{"threads-unmarked", "does not mark the selected goroutine in the list of threads", ByReference, threadNames(func(name string) string {
		return strings.TrimPrefix(name, "* ")
	})},
	{"threads-misnamed", "names each goroutine by the function main.main", ByReference, threadNames(func(name string) string {
		words := strings.Fields(name)
		for i, w := range words {
			if strings.HasPrefix(w, "main.") {
				words[i] = "main.main"
			}
		}
		return strings.Join(words, " ")
	})},
	{"others-run-on", "does not say that all threads stopped", ByReference, every(1, "event", "stopped", func(_ *pipe, m message) bool {
		delete(m.body(), "allThreadsStopped")
		return false
	})},
	{"one-continues", "says that only one thread continues", ByReference, every(1, "response", "continue", func(_ *pipe, m message) bool {
		m.body()["allThreadsContinued"] = false
		return false
	})},
	{"totals-sent", "gives as the number of frames how many it has sent", ByReference, every(1, "response", "stackTrace", func(_ *pipe, m message) bool {
		if n := len(m.list("stackFrames")); n > 0 {
			m.body()["totalFrames"] = n
		}
		return false
	})},
	{"process-attached", "says that it has attached to a program that it launched", ByReference, every(1, "event", "process", func(_ *pipe, m message) bool {
		m.body()["startMethod"] = "attach"
		return false
	})},
	{"lengths-unshown", "leaves out the last of the children that are no elements", ByReference, every(1, "response", "variables", func(_ *pipe, m message) bool {
		if l := m.list("variables"); len(l) > 1 && !strings.HasPrefix(fmt.Sprint(l[len(l)-1]["name"]), "[") {
			m.setList("variables", l[:len(l)-1])
		}
		return false
	})},
	{"unset-in-silence", "does not say why a breakpoint is not set", ByReference, func() handler {
		return func(p *pipe, m message) {
			for _, b := range m.list("breakpoints") {
				if m["type"] == "response" && b["verified"] != true {
					delete(b, "message")
				}
			}
			p.pass(m)
		}
	}},
	{"nowhere-set", "says of each function breakpoint that it is set", ByReference, every(1, "response", "setFunctionBreakpoints", func(_ *pipe, m message) bool {
		l := m.list("breakpoints")
		for i, b := range l {
			if b["verified"] != true {
				b["verified"], b["id"] = true, 900+i
			}
		}
		return false
	})},
	{"imaginary-first", "shows the two parts of a complex number in the other order", ByReference, children(func(_ string, l []message) []message {
		if len(l) == 2 && l[0]["name"] == "real" && l[1]["name"] == "imaginary" {
			l[0]["value"], l[1]["value"] = l[1]["value"], l[0]["value"]
		}
		return l
	})},
	{"exceptions-traceless", "tells of an exception without the stack of where it came", ByReference, every(1, "response", "exceptionInfo", func(_ *pipe, m message) bool {
		delete(m.body(), "details")
		return false
	})},
	{"assigned-said", "answers that a variable was set to 0, whatever it was set to", ByReference, every(1, "response", "setVariable", func(_ *pipe, m message) bool {
		if m["success"] == true {
			m.body()["value"] = "0"
		}
		return false
	})},
	{"nonsense-zero", "evaluates to 0 what it cannot evaluate for a watch", ByReference, evaluates(func(_ string, m message) {
		if m["success"] == false {
			m["success"] = true
			m["body"] = map[string]any{"result": "0", "type": "int", "variablesReference": 0}
		}
	})},
}

// threadNames has the names of threads changed.
func threadNames(change func(string) string) func() handler {
	return every(1, "response", "threads", func(_ *pipe, m message) bool {
		for _, t := range m.list("threads") {
			t["name"] = change(fmt.Sprint(t["name"]))
		}
		return false
	})
}
