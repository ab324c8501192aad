package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/oracle/protocol"
)

// wire reads a conversation: a line that begins with > was sent, one with <
// was received. The adapter's messages are numbered unless they number
// themselves.
func wire(t *testing.T, text string) []dap.Wire {
	var ws []dap.Wire
	seq := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		w := dap.Wire{Sent: line[0] == '>'}
		body := strings.TrimSpace(line[1:])
		if w.Sent {
			var n int
			var command, args string
			fmt.Sscan(body, &n, &command)
			if i := strings.Index(body, "{"); i >= 0 {
				args = `,"arguments":` + body[i:]
			}
			w.Raw = fmt.Appendf(nil, `{"seq":%d,"type":"request","command":%q%s}`, n, command, args)
			w.Msg = &godap.Request{ProtocolMessage: godap.ProtocolMessage{Seq: n, Type: "request"}, Command: command}
		} else {
			seq++
			if !strings.Contains(body, `"seq"`) {
				body = fmt.Sprintf(`{"seq":%d,`, seq) + body[1:]
			}
			w.Raw = []byte(body)
			msg, err := godap.DecodeProtocolMessage(w.Raw)
			if err != nil {
				w.Err = err.Error()
			} else {
				w.Msg = msg
			}
		}
		ws = append(ws, w)
	}
	return ws
}

func ok(n int, command, body string) string {
	return fmt.Sprintf("< {\"type\":\"response\",\"request_seq\":%d,\"success\":true,\"command\":%q,\"body\":{%s}}\n", n, command, body)
}

func no(n int, command, message string) string {
	return fmt.Sprintf("< {\"type\":\"response\",\"request_seq\":%d,\"success\":false,\"command\":%q,\"message\":%q}\n", n, command, message)
}

func event(name, body string) string {
	return fmt.Sprintf("< {\"type\":\"event\",\"event\":%q,\"body\":{%s}}\n", name, body)
}

// opening goes up to the first pause.
var opening = "> 1 initialize\n" + ok(1, "initialize", `"supportsConfigurationDoneRequest":true`) +
	"> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") +
	"> 3 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3}]}\n" + ok(3, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true,"line":3}]`) +
	"> 4 configurationDone\n" + ok(4, "configurationDone", "") + event("stopped", `"reason":"breakpoint","threadId":1,"hitBreakpointIds":[1]`) +
	"> 5 stackTrace {\"threadId\":1,\"levels\":5}\n" + ok(5, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3},{"id":1001,"name":"g","line":4}],"totalFrames":2`) +
	"> 6 scopes {\"frameId\":1000}\n" + ok(6, "scopes", `"scopes":[{"name":"Locals","variablesReference":1000}]`) +
	"> 7 variables {\"variablesReference\":1000}\n" + ok(7, "variables", `"variables":[{"name":"x","type":"int","value":"1"}]`)

var ending = "> 90 continue {\"threadId\":1}\n" + ok(90, "continue", "") + event("exited", `"exitCode":0`) + event("terminated", "")

// TestProtocol: a healthy conversation has no violation, and each invariant is
// seen to fail.
func TestProtocol(t *testing.T) {
	for _, c := range []struct{ name, text, rule string }{
		{"healthy", opening + ending, ""},
		{"a healthy refusal", opening + "> 8 evaluate {\"expression\":\"nothing\",\"frameId\":1000}\n" + no(8, "evaluate", "no symbol nothing") + ending, ""},
		{"no number", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":0,"type"`, 1), "seq"},
		{"a number twice", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":3,"type"`, 1), "seq"},
		{"a number too early", strings.Replace(opening, `{"type":"event","event":"initialized"`, `{"seq":400,"type":"event","event":"initialized"`, 1), "seq-order"},
		{"no JSON schema", opening + "< {\"seq\":70,\"type\":\"nonsense\"}\n", "decodes"},
		{"answered twice", opening + ok(7, "variables", `"variables":[]`), "answer"},
		{"an answer to nothing", opening + ok(77, "next", ""), "answer"},
		{"never answered", opening + "> 8 threads\n", "answer"},
		{"answered for another", opening + "> 8 threads\n" + ok(8, "scopes", `"scopes":[]`), "answer"},
		{"initialized twice", strings.Replace(opening, ok(2, "launch", ""), ok(2, "launch", "")+event("initialized", ""), 1), "initialized"},
		{"stopped twice", opening + event("stopped", `"reason":"step","threadId":1`), "stopped"},
		{"stopped for no reason", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"threadId":1`), "stopped"},
		{"a thread that is not there", opening + "> 8 threads\n" + ok(8, "threads", `"threads":[{"id":5,"name":"x"}]`), "thread"},
		{"terminated twice", opening + ending + event("terminated", ""), "terminated"},
		{"stopped after the end", opening + ending + event("stopped", `"reason":"step","threadId":1`), "terminated"},
		{"no exited event", opening + strings.Replace(ending, event("exited", `"exitCode":0`), "", 1), "exited"},
		{"exited after terminated", opening + ending + event("exited", `"exitCode":0`), "exited"},
		{"too few breakpoints", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3},{\"line\":4}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true}]`), "breakpoints"},
		{"breakpoints of one number", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3},{\"line\":4}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true},{"id":1,"verified":true}]`), "breakpoints"},
		{"a hit of what is not set", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + event("stopped", `"reason":"breakpoint","threadId":1,"hitBreakpointIds":[9]`), "hit"},
		{"frames of one number", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f"},{"id":1000,"name":"g"}]`), "frames"},
		{"too many frames", opening + "> 8 stackTrace {\"threadId\":1,\"levels\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f"},{"id":1001,"name":"g"}]`), "frames"},
		{"fewer in total", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f"},{"id":1001,"name":"g"}],"totalFrames":1`), "frames"},
		{"scopes of a stale frame", opening + "> 8 scopes {\"frameId\":999}\n" + ok(8, "scopes", `"scopes":[]`), "stale"},
		{"variables of a stale reference", opening + "> 8 variables {\"variablesReference\":999}\n" + ok(8, "variables", `"variables":[]`), "stale"},
		{"an evaluation in a stale frame", opening + "> 8 evaluate {\"expression\":\"1\",\"frameId\":999}\n" + ok(8, "evaluate", `"result":"1"`), "stale"},
		{"next before the start", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 next {\"threadId\":1}\n" + ok(2, "next", ""), "refuse"},
		{"continue after the end", opening + ending + "> 91 continue {\"threadId\":1}\n" + ok(91, "continue", ""), "refuse"},
		{"an internal error", opening + "> 8 threads\n" + no(8, "threads", "Internal Error: runtime error: invalid memory address or nil pointer dereference"), "internal"},
		{"setVariable without a type", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2"`), "set-type"},
		{"offered and refused", opening + "> 8 configurationDone\n" + no(8, "configurationDone", "Unsupported command"), "capability"},
		{"more than a page", opening + "> 8 variables {\"variablesReference\":1000,\"filter\":\"indexed\",\"count\":1}\n" + ok(8, "variables", `"variables":[{"name":"a","value":""},{"name":"b","value":""},{"name":"c","value":""}]`), "variables"},
		{"refused for no reason", opening + "> 8 threads\n" + no(8, "threads", ""), "error-format"},
	} {
		found, tally := protocol.Violations(wire(t, c.text), nil, "")
		rules := map[string]bool{}
		for _, v := range found {
			rules[v.Rule] = true
			if _, ok := protocol.Rules.Lookup(v.Rule); !ok {
				t.Errorf("%s: the rule %q is not in the table", c.name, v.Rule)
			}
		}
		if c.rule == "" && len(found) > 0 || c.rule != "" && !rules[c.rule] {
			t.Errorf("%s: found %v, want %q", c.name, found, c.rule)
		}
		if c.rule != "" && tally.Made["protocol/"+c.rule] == 0 {
			t.Errorf("%s: the check was not counted", c.name)
		}
	}
}

func TestProtocolAlive(t *testing.T) {
	for _, kind := range []dap.OutputKind{dap.Hang, dap.Death} {
		found, _ := protocol.Violations(wire(t, opening), &dap.Output{Kind: kind, Text: "gone"}, "")
		if len(found) != 1 || found[0].Rule != "alive" {
			t.Errorf("%s: %v", kind, found)
		}
	}
	if found, _ := protocol.Violations(wire(t, opening), nil, "time=… recovered panic: …/delve/service/dap …"); len(found) != 1 || found[0].Rule != "internal" {
		t.Errorf("a panic on standard error: %v", found)
	}
	if found, _ := protocol.Violations(wire(t, opening), nil, "panic: the program's own"); len(found) != 0 {
		t.Errorf("the program's panic: %v", found)
	}
}
