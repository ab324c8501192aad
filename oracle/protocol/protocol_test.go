package protocol_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle"
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
			command, w.Misuse, _ = strings.Cut(command, "!")
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
				if full, err := json.Marshal(msg); err == nil && !strings.Contains(body, asItIs) {
					// What has to be there is, beside what a test is about.
					w.Raw = bytes.ReplaceAll(full, []byte(":null"), []byte(":[]"))
				}
			}
		}
		ws = append(ws, w)
	}
	return ws
}

// asItIs keeps a message of a test from being completed.
const asItIs = `"asItIs":true`

func ok(n int, command, body string) string {
	if command == "continue" && body == "" {
		body = `"allThreadsContinued":true`
	}
	return fmt.Sprintf("< {\"type\":\"response\",\"request_seq\":%d,\"success\":true,\"command\":%q,\"body\":{%s}}\n", n, command, body)
}

func no(n int, command, message string) string {
	return fmt.Sprintf("< {\"type\":\"response\",\"request_seq\":%d,\"success\":false,\"command\":%q,\"message\":%q}\n", n, command, message)
}

func event(name, body string) string {
	return fmt.Sprintf("< {\"type\":\"event\",\"event\":%q,\"body\":{%s}}\n", name, body)
}

// threads are so many of a list that has not the number 1.
func threads(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":%d,"name":"x"}`, 2+i))
	}
	return strings.Join(list, ",")
}

// opening goes up to the first pause.
var opening = "> 1 initialize {\"supportsVariableType\":true,\"supportsMemoryReferences\":true}\n" + ok(1, "initialize", `"supportsConfigurationDoneRequest":true,"supportsRestartRequest":true,"supportsSetVariable":true,"supportsFunctionBreakpoints":true,"supportsInstructionBreakpoints":true,"supportsReadMemoryRequest":true,"supportsExceptionInfoRequest":true`) +
	"> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") +
	"> 3 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3}]}\n" + ok(3, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true,"line":3}]`) +
	"> 4 configurationDone\n" + ok(4, "configurationDone", "") + event("stopped", `"reason":"breakpoint","threadId":1,"allThreadsStopped":true,"hitBreakpointIds":[1]`) +
	"> 5 stackTrace {\"threadId\":1,\"levels\":5}\n" + ok(5, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3},{"id":1001,"name":"g","line":4}],"totalFrames":2`) +
	"> 6 scopes {\"frameId\":1000}\n" + ok(6, "scopes", `"scopes":[{"name":"Locals","variablesReference":1000}]`) +
	"> 7 variables {\"variablesReference\":1000}\n" + ok(7, "variables", `"variables":[{"name":"x","type":"int","value":"1"}]`)

// offering is one of an adapter that disassembles.
var offering = strings.Replace(opening, `"supportsConfigurationDoneRequest":true`, `"supportsConfigurationDoneRequest":true,"supportsDisassembleRequest":true`, 1)

var ending = "> 90 continue {\"threadId\":1}\n" + ok(90, "continue", "") + event("exited", `"exitCode":0`) + event("terminated", "")

// TestProtocol: a healthy conversation has no violation, and each invariant is
// seen to fail.
func TestProtocol(t *testing.T) {
	for _, c := range []struct{ name, text, rule string }{
		{"a healthy end by disconnect", opening + "> 8 disconnect\n" + ok(8, "disconnect", "") + event("terminated", "") + event("stopped", `"threadId":1`), ""},
		{"what is asked while it disconnects", opening + "> 8 disconnect\n> 9 threads\n" + ok(8, "disconnect", "") + ok(9, "threads", `"threads":[{"id":5,"name":"x"}]`), ""},
		{"a healthy end by terminate", opening + "> 8 terminate\n" + ok(8, "terminate", "") + event("terminated", ""), ""},
		{"disconnect and pause may stay without an answer", opening + "> 8 pause {\"threadId\":1}\n> 9 disconnect\n", ""},
		{"a healthy continued event", opening + "> 8 next {\"threadId\":1}\n" + event("continued", `"threadId":1`) + ok(8, "next", "") + event("stopped", `"reason":"step","threadId":1`), ""},
		{"continued while it does not run", opening + event("continued", `"threadId":1`), "stopped"},
		{"continued after the end", opening + ending + "> 91 next {\"threadId\":1}\n" + event("continued", `"threadId":1`) + no(91, "next", "the program has ended"), ""},
		{"a stop that overtakes the answer", opening + "> 8 next {\"threadId\":1}\n" + event("stopped", `"reason":"step","threadId":1`) + ok(8, "next", ""), ""},
		{"stopped after a step that was refused", opening + "> 8 next {\"threadId\":1}\n" + no(8, "next", "cannot") + event("stopped", `"reason":"step","threadId":1`), "stopped"},
		{"stopped after an evaluation that was refused", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 evaluate {\"expression\":\"x\",\"frameId\":1000}\n" + no(9, "evaluate", "running") + event("stopped", `"reason":"step","threadId":1`), ""},
		{"a healthy restart", opening + "> 8 restart\n" + ok(8, "restart", "") + event("initialized", "") + "> 9 configurationDone\n" + ok(9, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + ending, ""},
		{"a stop of the run that a restart ends", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 restart\n" + ok(9, "restart", "") + event("stopped", `"reason":"pause","threadId":1`) + event("initialized", "") + "> 10 configurationDone\n" + ok(10, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + ending, ""},
		{"a breakpoint of the run that a restart ends, and that it is stopped", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 restart\n" + event("stopped", `"reason":"breakpoint","threadId":1`) + ok(9, "restart", "") + event("stopped", `"reason":"pause","threadId":1`) + event("initialized", "") + "> 10 configurationDone\n" + ok(10, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + ending, ""},
		{"a stop after a restart of a program that did not run", opening + "> 9 restart\n" + ok(9, "restart", "") + event("stopped", `"reason":"pause","threadId":1`) + event("initialized", "") + "> 10 configurationDone\n" + ok(10, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + ending, "stopped"},
		{"the end of the run that a restart ends", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 restart\n" + ok(9, "restart", "") + event("exited", `"exitCode":0`) + event("terminated", "") + event("initialized", "") + "> 10 configurationDone\n" + ok(10, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + ending, ""},
		{"a restart that is granted, and no new run", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 restart\n" + ok(9, "restart", "") + event("exited", `"exitCode":0`) + event("terminated", "") + "> 10 configurationDone\n" + ok(10, "configurationDone", ""), "refuse"},
		{"a healthy restart after the end", opening + ending + "> 91 restart\n" + ok(91, "restart", "") + event("initialized", "") + "> 92 configurationDone\n" + ok(92, "configurationDone", "") + event("exited", `"exitCode":0`) + event("terminated", ""), ""},
		{"no exited event after a restart", opening + ending + "> 91 restart\n" + ok(91, "restart", "") + event("initialized", "") + "> 92 configurationDone\n" + ok(92, "configurationDone", "") + event("terminated", ""), "exited"},
		{"frames of before a restart", opening + "> 8 restart\n" + ok(8, "restart", "") + event("initialized", "") + "> 9 scopes {\"frameId\":1000}\n" + ok(9, "scopes", `"scopes":[]`), "stale"},
		{"frames of before the end", opening + ending + "> 91 scopes {\"frameId\":1000}\n" + ok(91, "scopes", `"scopes":[]`), "stale"},
		{"frames of the pause before", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"reason":"step","threadId":1`) + "> 9 scopes {\"frameId\":1000}\n" + ok(9, "scopes", `"scopes":[]`), "stale"},
		{"a step back after the end", opening + ending + "> 91 stepBack {\"threadId\":1}\n" + ok(91, "stepBack", "") + event("stopped", `"reason":"error","threadId":1`), "refuse"},
		{"a step back that is not offered", opening + "> 8 stepBack {\"threadId\":1}\n" + ok(8, "stepBack", "") + event("stopped", `"reason":"step","threadId":1`), "announced stopped"},
		{"frames of the pause before a step that failed", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"reason":"error","threadId":1`) + "> 9 scopes {\"frameId\":1000}\n" + ok(9, "scopes", `"scopes":[]`), ""},
		{"variables of before the end", opening + ending + "> 91 variables {\"variablesReference\":1000}\n" + ok(91, "variables", `"variables":[]`), ""},
		{"variables of the pause before", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"reason":"step","threadId":1`) + "> 9 variables {\"variablesReference\":1000}\n" + ok(9, "variables", `"variables":[]`), "stale"},
		{"variables of variables", strings.Replace(opening, `"value":"1"}`, `"value":"1","variablesReference":1001}`, 1) + "> 8 variables {\"variablesReference\":1001}\n" + ok(8, "variables", `"variables":[{"name":"y","value":"2","variablesReference":1001}]`) + "> 9 variables {\"variablesReference\":1001}\n" + ok(9, "variables", `"variables":[]`), ""},
		{"variables of an answer", opening + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000}\n" + ok(8, "evaluate", `"type":"int","result":"1","variablesReference":1005`) + "> 9 variables {\"variablesReference\":1005}\n" + ok(9, "variables", `"variables":[]`), ""},
		{"variables of what has none", opening + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000}\n" + ok(8, "evaluate", `"type":"int","result":"1","variablesReference":0`) + "> 9 variables {\"variablesReference\":0}\n" + ok(9, "variables", `"variables":[]`), "stale"},
		{"an evaluation in no frame", opening + "> 8 evaluate {\"expression\":\"1\"}\n" + ok(8, "evaluate", `"type":"int","result":"1"`), ""},
		{"a healthy assignment", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int","variablesReference":1007`) + "> 9 variables {\"variablesReference\":1007}\n" + ok(9, "variables", `"variables":[]`), ""},
		{"an assignment to what has no type", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"y\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int","variablesReference":0`) + "> 9 variables {\"variablesReference\":0}\n" + ok(9, "variables", `"variables":[]`), "stale"},
		{"an assignment by a stale reference", opening + "> 8 setVariable {\"variablesReference\":999,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int"`), "stale"},
		{"two launches", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") + "> 3 launch\n" + event("initialized", "") + no(3, "launch", "already launched"), ""},
		{"a stop before anything is launched", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 next {\"threadId\":1}\n" + no(2, "next", "no program") + event("stopped", `"reason":"step","threadId":1`), "stopped"},
		{"a stop while a step is asked for before the launch", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 next {\"threadId\":1}\n" + event("stopped", `"reason":"step","threadId":1`) + no(2, "next", "no program"), "stopped"},
		{"a second evaluation that makes no sense", "> 1 evaluate {\"expression\":\"1\"}\n" + ok(1, "evaluate", `"result":"1"`) + "> 2 initialize\n" + ok(2, "initialize", "") + "> 3 evaluate {\"expression\":\"1\"}\n" + ok(3, "evaluate", `"result":"1"`), "refuse"},
		{"configurationDone after the end", opening + ending + "> 91 configurationDone\n" + ok(91, "configurationDone", ""), "refuse"},
		{"what comes after a step after the end", opening + ending + "> 91 next {\"threadId\":1}\n" + ok(91, "next", "") + event("stopped", `"reason":"step","threadId":1`), "refuse"},
		{"a launch that is granted before it is initialized", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + ok(2, "launch", "") + event("initialized", "") + "> 3 configurationDone\n" + ok(3, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`), ""},
		{"an adapter that launches before it says that it is initialized", "> 1 launch\n" + ok(1, "launch", "") + "> 2 initialize\n" + ok(2, "initialize", "") + event("initialized", "") + "> 3 evaluate {\"expression\":\"1\"}\n" + ok(3, "evaluate", `"result":"1"`), ""},
		{"a refused step while it runs", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 next {\"threadId\":1}\n" + no(9, "next", "it runs") + event("stopped", `"reason":"breakpoint","threadId":1,"allThreadsStopped":true,"hitBreakpointIds":[1]`), ""},
		{"an assignment to what is shown without a type", strings.Replace(opening, `"type":"int",`, "", 1) + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int"`), ""},
		{"no frames for no levels", opening + "> 8 stackTrace {\"threadId\":1,\"levels\":0}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3}],"totalFrames":0`), ""},
		{"three initialized events for two launches", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") + "> 3 launch\n" + event("initialized", "") + event("initialized", "") + no(3, "launch", "already launched"), "initialized"},
		{"initialized too early", "> 1 initialize\n" + event("initialized", "") + ok(1, "initialize", ""), "initialized"},
		{"configurationDone without a launch", "> 1 initialize\n> 2 configurationDone\n" + ok(2, "configurationDone", ""), "answer refuse"},
		{"configurationDone when a program may be launched", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 configurationDone\n" + ok(2, "configurationDone", ""), ""},
		{"an evaluation before a launch", "> 1 evaluate {\"expression\":\"1\"}\n" + ok(1, "evaluate", `"result":"1"`), "refuse"},
		{"an evaluation when a program may be launched", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 evaluate {\"expression\":\"1\"}\n" + ok(2, "evaluate", `"result":"1"`), ""},
		{"next before configurationDone", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") + "> 3 next {\"threadId\":1}\n" + ok(3, "next", ""), "refuse"},
		{"a stack before configurationDone", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") + "> 3 stackTrace {\"threadId\":1}\n" + ok(3, "stackTrace", ""), "refuse"},
		{"exited without terminated", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + event("exited", `"exitCode":0`), ""},
		{"terminated where it is paused", opening + event("terminated", ""), ""},
		{"stopped by an exception at a breakpoint that is not set", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + event("stopped", `"reason":"exception","threadId":1,"hitBreakpointIds":[9]`), "hit"},
		{"a hit of a function breakpoint", opening + "> 8 setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"f\"}]}\n" + ok(8, "setFunctionBreakpoints", `"breakpoints":[{"id":9,"verified":true}]`) + "> 9 continue {\"threadId\":1}\n" + ok(9, "continue", "") + event("stopped", `"reason":"function breakpoint","threadId":1,"hitBreakpointIds":[9]`), ""},
		{"too few function breakpoints", opening + "> 8 setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"f\"}]}\n" + ok(8, "setFunctionBreakpoints", `"breakpoints":[]`), "breakpoints"},
		{"too many instruction breakpoints", opening + "> 8 setInstructionBreakpoints {\"breakpoints\":[]}\n" + ok(8, "setInstructionBreakpoints", `"breakpoints":[{"id":9,"verified":true}]`), "breakpoints"},
		{"a hit of what is not set any more", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[]}\n" + ok(8, "setBreakpoints", `"breakpoints":[]`) + "> 9 continue {\"threadId\":1}\n" + ok(9, "continue", "") + event("stopped", `"reason":"breakpoint","threadId":1,"allThreadsStopped":true,"hitBreakpointIds":[1]`), "hit"},
		{"a hit of another file's", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"n.go\"},\"breakpoints\":[]}\n" + ok(8, "setBreakpoints", `"breakpoints":[]`) + "> 9 continue {\"threadId\":1}\n" + ok(9, "continue", "") + event("stopped", `"reason":"breakpoint","threadId":1,"allThreadsStopped":true,"hitBreakpointIds":[1]`), ""},
		{"two hits, one of which is not set", opening + "> 9 continue {\"threadId\":1}\n" + ok(9, "continue", "") + event("stopped", `"reason":"breakpoint","threadId":1,"hitBreakpointIds":[9,1]`), "hit"},
		{"a breakpoint that is verified, with no number", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":0,"verified":true}]`), "breakpoints"},
		{"breakpoints that are not verified, with no numbers", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3},{\"line\":4}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"verified":false},{"verified":false}]`), ""},
		{"a frame with no number", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":0,"name":"f","line":3}]`), "frames"},
		{"as many frames as levels", opening + "> 8 stackTrace {\"threadId\":1,\"levels\":2}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3},{"id":1001,"name":"g","line":4}],"totalFrames":2`), ""},
		{"fewer in total than from where it starts", opening + "> 8 stackTrace {\"threadId\":1,\"startFrame\":1,\"levels\":5}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1001,"name":"g","line":4},{"id":1002,"name":"h"}],"totalFrames":2`), "frames"},
		{"all in total from where it starts", opening + "> 8 stackTrace {\"threadId\":1,\"startFrame\":1,\"levels\":5}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1001,"name":"g","line":4}],"totalFrames":2`), ""},
		{"no more frames, and a total", opening + "> 8 stackTrace {\"threadId\":1,\"startFrame\":9,\"levels\":5}\n" + ok(8, "stackTrace", `"stackFrames":[],"totalFrames":2`), ""},
		{"keys and values of a page apart", opening + "> 8 variables {\"variablesReference\":1000,\"filter\":\"indexed\",\"count\":1}\n" + ok(8, "variables", `"variables":[{"name":"a","value":""},{"name":"b","value":""}]`), ""},
		{"named variables beside a page", opening + "> 8 variables {\"variablesReference\":1000,\"filter\":\"named\",\"count\":1}\n" + ok(8, "variables", `"variables":[{"name":"a","value":""},{"name":"b","value":""},{"name":"c","value":""}]`), ""},
		{"a page without a count", opening + "> 8 variables {\"variablesReference\":1000,\"filter\":\"indexed\"}\n" + ok(8, "variables", `"variables":[{"name":"a","value":""}]`), ""},
		{"threads where it has not stopped yet", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") + "> 3 threads\n" + ok(3, "threads", `"threads":[{"id":5,"name":"x"}]`), ""},
		{"threads while it runs", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + event("stopped", `"reason":"breakpoint","threadId":2,"hitBreakpointIds":[1]`) + "> 9 threads\n" + ok(9, "threads", `"threads":[{"id":2,"name":"x"},{"id":5,"name":"x"}]`), ""},
		{"offered, and refused for another reason", opening + "> 8 configurationDone\n" + no(8, "configurationDone", "it is done"), ""},
		{"offered, and not implemented", opening + "> 8 configurationDone\n" + no(8, "configurationDone", "Not yet implemented"), "capability"},
		{"not offered, and refused", opening + "> 8 restartFrame\n" + no(8, "restartFrame", "Unsupported command"), ""},
		{"a request that there is not", opening + "> 8 misstepNoSuchRequest\n" + no(8, "misstepNoSuchRequest", "Internal Error"), ""},
		{"refused for the reason in the body", opening + "> 8 threads\n" + "< {\"type\":\"response\",\"request_seq\":8,\"success\":false,\"command\":\"threads\",\"body\":{\"error\":{\"id\":1,\"format\":\"no threads\"}}}\n", ""},
		{"healthy", opening + ending, ""},
		{"a healthy refusal", opening + "> 8 evaluate {\"expression\":\"nothing\",\"frameId\":1000}\n" + no(8, "evaluate", "no symbol nothing") + ending, ""},
		{"no number", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":0,"type"`, 1), "seq"},
		{"a number twice", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":3,"type"`, 1), "seq seq-order"},
		{"a number too early", strings.Replace(opening, `{"type":"event","event":"initialized"`, `{"seq":400,"type":"event","event":"initialized"`, 1), "seq-order"},
		{"no JSON schema", opening + "< {\"seq\":70,\"type\":\"nonsense\"}\n", "decodes"},
		{"answered twice", opening + ok(7, "variables", `"variables":[]`), "answer"},
		{"an answer to nothing", opening + ok(77, "next", ""), "answer"},
		{"never answered", opening + "> 8 threads\n", "answer"},
		{"answered for another", opening + "> 8 threads\n" + ok(8, "scopes", `"scopes":[]`), "answer stale"},
		{"initialized twice", strings.Replace(opening, ok(2, "launch", ""), ok(2, "launch", "")+event("initialized", ""), 1), "initialized"},
		{"stopped twice", opening + event("stopped", `"reason":"step","threadId":1`), "stopped"},
		{"stopped for no reason", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"threadId":1`), "stopped"},
		{"a thread that is not there", opening + "> 8 threads\n" + ok(8, "threads", `"threads":[{"id":5,"name":"x"}]`), "thread"},
		{"a thread that is not among those that were asked for", opening + "> 8 evaluate {\"expression\":\"dlv config goroutineFilters -with user\",\"context\":\"repl\"}\n" + ok(8, "evaluate", `"result":"Updated"`) +
			"> 9 threads\n" + ok(9, "threads", `"threads":[{"id":5,"name":"x"}]`), ""},
		{"a thread that is not there, after the filter was looked at", opening + "> 8 evaluate {\"expression\":\"dlv config -list goroutineFilters\",\"context\":\"repl\"}\n" + ok(8, "evaluate", `"result":"x"`) +
			"> 9 threads\n" + ok(9, "threads", `"threads":[{"id":5,"name":"x"}]`), "thread"},
		{"terminated twice", opening + ending + event("terminated", ""), "terminated"},
		{"stopped after the end", opening + ending + event("stopped", `"reason":"step","threadId":1`), "stopped terminated"},
		{"no exited event", opening + strings.Replace(ending, event("exited", `"exitCode":0`), "", 1), "exited"},
		{"exited after terminated", opening + ending + event("exited", `"exitCode":0`), "exited"},
		{"too few breakpoints", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3},{\"line\":4}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true}]`), "breakpoints"},
		{"breakpoints of one number", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3},{\"line\":4}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true},{"id":1,"verified":true}]`), "breakpoints"},
		{"a hit of what is not set", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + event("stopped", `"reason":"breakpoint","threadId":1,"hitBreakpointIds":[9]`), "hit"},
		{"frames of one number", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3},{"id":1000,"name":"g","line":4}]`), "frames"},
		{"too many frames", opening + "> 8 stackTrace {\"threadId\":1,\"levels\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3},{"id":1001,"name":"g","line":4}]`), "frames"},
		{"fewer in total", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3},{"id":1001,"name":"g","line":4}],"totalFrames":1`), "frames"},
		{"scopes of a stale frame", opening + "> 8 scopes {\"frameId\":999}\n" + ok(8, "scopes", `"scopes":[]`), "stale"},
		{"variables of a stale reference", opening + "> 8 variables {\"variablesReference\":999}\n" + ok(8, "variables", `"variables":[]`), "stale"},
		{"an evaluation in a stale frame", opening + "> 8 evaluate {\"expression\":\"1\",\"frameId\":999}\n" + ok(8, "evaluate", `"type":"int","result":"1"`), "stale"},
		{"next before the start", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 next {\"threadId\":1}\n" + ok(2, "next", ""), "refuse"},
		{"continue after the end", opening + ending + "> 91 continue {\"threadId\":1}\n" + ok(91, "continue", ""), "refuse"},
		{"an internal error", opening + "> 8 threads\n" + no(8, "threads", "Internal Error: runtime error: invalid memory address or nil pointer dereference"), "internal"},
		{"a type for a client that shows none", strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":false`, 1), "understood"},
		{"no types for a client that shows none", strings.Replace(strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":false`, 1), `"type":"int",`, "", 1), ""},
		{"memory of an answer for a client that reads none", strings.Replace(opening, `"supportsMemoryReferences":true`, `"supportsMemoryReferences":false`, 1) + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000}\n" + ok(8, "evaluate", `"type":"int","result":"1","memoryReference":"0x10"`), "understood"},
		{"variables are invalidated for a client that does not know what that is", opening + event("invalidated", `"areas":["variables"]`), "understood"},
		{"variables are invalidated", strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":true,"supportsInvalidatedEvent":true`, 1) + event("invalidated", `"areas":["variables"]`), ""},
		{"two breakpoints with one number", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":7,"verified":true}]`) +
			"> 9 setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"main.f\"}]}\n" + ok(9, "setFunctionBreakpoints", `"breakpoints":[{"id":7,"verified":true}]`), "breakpoints"},
		{"a number that is free again", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":7,"verified":true}]`) +
			"> 9 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[]}\n" + ok(9, "setBreakpoints", `"breakpoints":[]`) +
			"> 10 setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"main.f\"}]}\n" + ok(10, "setFunctionBreakpoints", `"breakpoints":[{"id":7,"verified":true}]`), ""},
		{"evaluate without a type", opening + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000,\"context\":\"watch\"}\n" + ok(8, "evaluate", `"result":"1"`), "eval-type"},
		{"a prompt's answer without a type", opening + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000,\"context\":\"repl\"}\n" + ok(8, "evaluate", `"result":"1"`), ""},
		{"a call without a type that reads like one of Go's", opening + "> 8 evaluate {\"expression\":\"call (f())\",\"frameId\":1000,\"context\":\"watch\"}\n" + ok(8, "evaluate", `"result":""`), ""},
		{"a call without a type", opening + "> 8 evaluate {\"expression\":\"call f()\",\"frameId\":1000,\"context\":\"watch\"}\n" + ok(8, "evaluate", `"result":""`), ""},
		{"setVariable without a type", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2"`), "set-type"},
		{"granted, and not offered", opening + "> 8 restartFrame {\"frameId\":1000}\n" + ok(8, "restartFrame", ""), "announced"},
		{"granted, and offered by an event", opening + event("capabilities", `"capabilities":{"supportsRestartFrame":true}`) + "> 8 restartFrame {\"frameId\":1000}\n" + ok(8, "restartFrame", ""), ""},
		{"a hit condition that is not offered", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3,\"hitCondition\":\"2\"}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":1,"verified":true}]`), "announced"},
		{"a hit condition that is refused", opening + "> 8 setBreakpoints {\"source\":{\"path\":\"m.go\"},\"breakpoints\":[{\"line\":3,\"hitCondition\":\"2\"}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"id":1,"verified":false}]`), ""},
		{"instructions with odd addresses", offering + "> 8 disassemble {\"memoryReference\":\"0x10\",\"instructionCount\":1}\n" + ok(8, "disassemble", `"instructions":[{"address":"out of bounds","instruction":"?"}]`), "instructions"},
		{"too few instructions", offering + "> 8 disassemble {\"memoryReference\":\"0x10\",\"instructionCount\":2}\n" + ok(8, "disassemble", `"instructions":[{"address":"0x10","instruction":"nop"}]`), "instructions"},
		{"instructions", offering + "> 8 disassemble {\"memoryReference\":\"0x10\",\"instructionCount\":1}\n" + ok(8, "disassemble", `"instructions":[{"address":"0x10","instruction":"nop"}]`), ""},
		{"offered and refused", opening + "> 8 configurationDone\n" + no(8, "configurationDone", "Unsupported command"), "capability"},
		{"more than a page", opening + "> 8 variables {\"variablesReference\":1000,\"filter\":\"indexed\",\"count\":1}\n" + ok(8, "variables", `"variables":[{"name":"a","value":""},{"name":"b","value":""},{"name":"c","value":""}]`), "variables"},
		{"a type assertion of the program's that fails", opening + "> 8 evaluate {\"expression\":\"x.(int)\"}\n" + no(8, "evaluate", "interface conversion: interface {} is string, not int"), ""},
		{"a type assertion in an assignment that fails", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"s.(*main.square)\"}\n" + no(8, "setVariable", "Unable to set variable: interface conversion: main.shape is nil, not *main.square"), ""},
		{"a type assertion of the adapter's that fails", opening + "> 8 evaluate {\"expression\":\"x\"}\n" + no(8, "evaluate", "interface conversion: ast.Expr is nil"), "internal"},
		{"an internal error about a type assertion", opening + "> 8 evaluate {\"expression\":\"x.(int)\"}\n" + no(8, "evaluate", "Internal Error"), "internal"},
		{"an adapter that never says that it is initialized", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + ok(2, "launch", "") + "> 3 configurationDone\n" + ok(3, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + "> 4 next {\"threadId\":1}\n" + ok(4, "next", "") + event("stopped", `"reason":"step","threadId":1`), ""},
		{"a launch that is answered late", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + "> 3 configurationDone\n" + ok(3, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + "> 4 next {\"threadId\":1}\n" + ok(4, "next", "") + event("stopped", `"reason":"step","threadId":1`) + ok(2, "launch", ""), ""},
		{"an evaluation after a launch without initialize", "> 1 launch\n" + ok(1, "launch", "") + "> 2 evaluate {\"expression\":\"1\"}\n" + ok(2, "evaluate", `"result":"1"`), "refuse"},
		{"configurationDone after a launch without initialize", "> 1 launch\n" + ok(1, "launch", "") + "> 2 configurationDone\n" + ok(2, "configurationDone", ""), "refuse"},
		{"threads of a restarted program", opening + "> 8 restart\n" + ok(8, "restart", "") + event("initialized", "") + "> 9 threads\n" + ok(9, "threads", `"threads":[{"id":5,"name":"x"}]`), ""},
		{"threads of a program that has ended", opening + ending + "> 91 threads\n" + ok(91, "threads", `"threads":[{"id":5,"name":"x"}]`), ""},
		{"a step after the end, a restart, and two stops", opening + ending + "> 91 next {\"threadId\":1}\n" + ok(91, "next", "") + "> 92 restart\n" + ok(92, "restart", "") + event("initialized", "") + "> 93 configurationDone\n" + ok(93, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + event("stopped", `"reason":"entry","threadId":1`), "refuse stopped"},
		{"two stops after a restart while it ran", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 restart\n" + ok(9, "restart", "") + event("initialized", "") + "> 10 configurationDone\n" + ok(10, "configurationDone", "") + event("stopped", `"reason":"entry","threadId":1`) + event("stopped", `"reason":"entry","threadId":1`), "stopped"},
		{"a thousand threads without that which stopped", opening + "> 8 threads\n" + ok(8, "threads", `"threads":[`+threads(1000)+`]`), "thread"},
		{"so many threads that the list is cut off, without that which stopped", opening + "> 8 threads\n" + ok(8, "threads", `"threads":[`+threads(1001)+`]`), "thread"},
		{"a list that is null", opening + "> 8 threads\n" + ok(8, "threads", asItIs+`,"threads":null`), "required thread"},
		{"a frame without a column", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", asItIs+`,"stackFrames":[{"id":1000,"name":"f","line":3}]`), "required"},
		{"a thread whose name is null", opening + "> 8 threads\n" + ok(8, "threads", asItIs+`,"threads":[{"id":1,"name":null}]`), "required"},
		{"a scope that may be left out in part", opening + "> 8 scopes {\"frameId\":1000}\n" + ok(8, "scopes", asItIs+`,"scopes":[{"name":"Locals","variablesReference":1000,"expensive":false}]`), ""},
		{"a pause that nobody asked for", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"reason":"pause","threadId":1`), "nobody"},
		{"a pause that was asked for while it was paused", opening + "> 8 pause {\"threadId\":1}\n" + ok(8, "pause", "") + "> 9 next {\"threadId\":1}\n" + ok(9, "next", "") + event("stopped", `"reason":"pause","threadId":1`), "nobody"},
		{"a pause that was asked for", opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + "> 9 pause {\"threadId\":1}\n" + ok(9, "pause", "") + event("stopped", `"reason":"pause","threadId":1`), ""},
		{"the number 1 for the variables of an answer", opening + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000}\n" + ok(8, "evaluate", `"type":"int","result":"1","variablesReference":1`) + "> 9 variables {\"variablesReference\":1}\n" + ok(9, "variables", `"variables":[]`), ""},
		{"the number 1 for the variables of what is set", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int","variablesReference":1`) + "> 9 variables {\"variablesReference\":1}\n" + ok(9, "variables", `"variables":[]`), ""},
		{"the number 1 for the variables of a variable", strings.Replace(opening, `"value":"1"}`, `"value":"1","variablesReference":1}`, 1) + "> 8 variables {\"variablesReference\":1}\n" + ok(8, "variables", `"variables":[]`), ""},
		{"the number 1 for a frame", opening + "> 8 stackTrace {\"threadId\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1,"name":"f","line":3}]`), ""},
		{"one frame too many for one in all", opening + "> 8 stackTrace {\"threadId\":1,\"startFrame\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"g","line":4}],"totalFrames":1`), "frames"},
		{"a hit of an instruction breakpoint", opening + "> 8 setInstructionBreakpoints {\"breakpoints\":[{\"instructionReference\":\"0x10\"}]}\n" + ok(8, "setInstructionBreakpoints", `"breakpoints":[{"id":9,"verified":true}]`) + "> 9 continue {\"threadId\":1}\n" + ok(9, "continue", "") + event("stopped", `"reason":"instruction breakpoint","threadId":1,"hitBreakpointIds":[9]`), ""},
		{"frames before it has stopped at all", "> 1 initialize\n" + ok(1, "initialize", "") + "> 2 launch\n" + event("initialized", "") + ok(2, "launch", "") + "> 3 stackTrace {\"threadId\":1}\n" + ok(3, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3}]`), "refuse"},
		{"the last number once more", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":9,"type"`, 1), "seq seq-order"},
		{"the first number once more", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":1,"type"`, 1), "seq seq-order"},
		{"a stop in a function that is called", opening + "> 8 evaluate {\"expression\":\"call f()\",\"frameId\":1000}\n" + event("stopped", `"reason":"breakpoint","threadId":1`) + no(8, "evaluate", "call stopped"), ""},
		{"a stop while something else is evaluated", opening + "> 8 evaluate {\"expression\":\"f\",\"frameId\":1000}\n" + event("stopped", `"reason":"breakpoint","threadId":1`) + no(8, "evaluate", "no"), "stopped"},
		{"a stop after a function was called", opening + "> 8 evaluate {\"expression\":\"call f()\",\"frameId\":1000}\n" + ok(8, "evaluate", `"type":"int","result":"1"`) + "> 9 threads\n" + ok(9, "threads", `"threads":[{"id":1,"name":"x"}]`) + event("stopped", `"reason":"breakpoint","threadId":1`), "stopped"},
		{"a stop in a function that an assignment calls", opening + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"f()\"}\n" + event("stopped", `"reason":"breakpoint","threadId":1`) + no(8, "setVariable", "call stopped"), ""},
		{"a type for a client that shows none any more", "> 0 initialize {\"supportsVariableType\":true,\"supportsMemoryReferences\":true}\n" + ok(0, "initialize", "") + strings.Replace(opening, `{"supportsVariableType":true,"supportsMemoryReferences":true}`, `{}`, 1), "understood"},
		{"the type of what is set for a client that shows none", strings.Replace(strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":false`, 1), `"type":"int",`, "", 1) + "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int"`), "understood"},
		{"memory has changed for a client that does not know what that is", opening + event("memory", `"memoryReference":"0x10","offset":0,"count":1`), "understood"},
		{"memory has changed", strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":true,"supportsMemoryEvent":true`, 1) + event("memory", `"memoryReference":"0x10","offset":0,"count":1`), ""},
		{"progress for a client that does not know what that is", opening + event("progressStart", `"progressId":"1","title":"x"`), "understood"},
		{"progress", strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":true,"supportsProgressReporting":true`, 1) + event("progressUpdate", `"progressId":"1"`), ""},
		{"a pause after the end that is not answered", opening + ending + "> 91 pause {\"threadId\":1}\n> 92 threads\n" + ok(92, "threads", `"threads":[]`), "answer"},
		{"a pause after the end that is answered", opening + ending + "> 91 pause {\"threadId\":1}\n" + no(91, "pause", "it has ended") + "> 92 threads\n" + ok(92, "threads", `"threads":[]`), ""},
		{"a pause that may have met the end", opening + "> 8 continue {\"threadId\":1}\n" + ok(8, "continue", "") + "> 9 pause {\"threadId\":1}\n" + event("exited", `"exitCode":0`) + event("terminated", "") + "> 10 threads\n" + ok(10, "threads", `"threads":[]`), ""},
		{"a pause at the end of all", opening + ending + "> 91 pause {\"threadId\":1}\n> 92 disconnect\n", ""},
		{"the stack of a thread that never was", opening + "> 8 stackTrace {\"threadId\":77}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3}]`), "stale"},
		{"the stack of a thread that is listed", opening + "> 8 threads\n" + ok(8, "threads", `"threads":[{"id":1,"name":"x"},{"id":77,"name":"y"}]`) + "> 9 stackTrace {\"threadId\":77}\n" + ok(9, "stackTrace", `"stackFrames":[{"id":1000,"name":"f","line":3}]`), ""},
		{"no stack of a thread that never was", opening + "> 8 stackTrace {\"threadId\":77}\n" + ok(8, "stackTrace", `"stackFrames":[]`), ""},
		{"a frame that is another one in a page", opening + "> 8 stackTrace {\"threadId\":1,\"startFrame\":1,\"levels\":1}\n" + ok(8, "stackTrace", `"stackFrames":[{"id":1001,"name":"g","line":5}]`), "windows"},
		{"memory that changes by itself", opening + "> 8 readMemory {\"memoryReference\":\"0x10\",\"count\":3}\n" + ok(8, "readMemory", `"address":"0x10","data":"AAEC"`) + "> 9 readMemory {\"memoryReference\":\"0x11\",\"count\":2}\n" + ok(9, "readMemory", `"address":"0x11","data":"AQM="`), "windows"},
		{"memory that was written", opening + "> 8 readMemory {\"memoryReference\":\"0x10\",\"count\":3}\n" + ok(8, "readMemory", `"address":"0x10","data":"AAEC"`) + "> 9 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(9, "setVariable", `"value":"2","type":"int"`) + "> 10 readMemory {\"memoryReference\":\"0x11\",\"count\":2}\n" + ok(10, "readMemory", `"address":"0x11","data":"AQM="`), ""},
		{"an instruction that is another one", opening + "> 8 disassemble {\"memoryReference\":\"0x10\",\"instructionCount\":2}\n" + ok(8, "disassemble", `"instructions":[{"address":"0x10","instruction":"nop","instructionBytes":"90"},{"address":"0x11","instruction":"ret","instructionBytes":"c3"}]`) + "> 9 disassemble {\"memoryReference\":\"0x11\",\"instructionCount\":1}\n" + ok(9, "disassemble", `"instructions":[{"address":"0x11","instruction":"hlt","instructionBytes":"f4"}]`), "announced windows"},
		{"a child that is another one in a page", strings.Replace(opening, `"value":"1"}`, `"value":"1","variablesReference":1001}`, 1) + "> 8 variables {\"variablesReference\":1001}\n" + ok(8, "variables", `"variables":[{"name":"[0]","value":"7","type":"int"}]`) + "> 9 variables {\"variablesReference\":1001,\"filter\":\"indexed\",\"start\":0,\"count\":1}\n" + ok(9, "variables", `"variables":[{"name":"[0]","value":"8","type":"int"}]`), "windows"},
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
		if got := strings.Join(slices.Sorted(maps.Keys(rules)), " "); got != c.rule {
			t.Errorf("%s: found %v, want %q", c.name, found, c.rule)
		}
		if n := strings.Count("\n"+c.text, "\n<"); tally.Made["protocol/decodes"] != n {
			t.Errorf("%s: %d of %d messages decode, as is counted", c.name, tally.Made["protocol/decodes"], n)
		}
		for rule := range strings.FieldsSeq(c.rule) {
			if tally.Made["protocol/"+rule] == 0 {
				t.Errorf("%s: the check %s was not counted", c.name, rule)
			}
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
	if found, _ := protocol.Violations(wire(t, opening), nil, "time=… recovered panic: … github.com/go-delve/delve/service/dap.(*Session) …"); len(found) != 1 || found[0].Rule != "internal" {
		t.Errorf("a panic on standard error: %v", found)
	}
	if found, _ := protocol.Violations(wire(t, opening), nil, "panic: the program's own"); len(found) != 0 {
		t.Errorf("the program's panic: %v", found)
	}
}

// TestSays: a violation names what it is about, says what is wrong, and where.
func TestSays(t *testing.T) {
	panicked := "Internal Error: runtime error: invalid memory address\ngoroutine 1 [running]:\npanic({0x1, 0x2})\n\t/go/panic.go:1 +0x1\ngithub.com/go-delve/delve/service/dap.(*Session).onThreads(0x1)\n\t/x.go:1 +0x2\n"
	n := len(wire(t, opening))
	paused := opening + "> 8 next {\"threadId\":1}\n" + ok(8, "next", "") + event("stopped", `"reason":"pause","threadId":1`)
	stack := func(line int) string {
		return "> 9 stackTrace {\"threadId\":1,\"levels\":5}\n" + ok(9, "stackTrace", fmt.Sprintf(`"stackFrames":[{"id":1000,"name":"f","line":%d}],"totalFrames":1`, line))
	}
	for _, c := range []struct {
		name, text string
		last       *dap.Output
		stderr     string
		rule, on   string
		what       string
		at         int
	}{
		{"a number twice", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":3,"type"`, 1), nil, "", "seq", "output", "has the number 3, after 9", n},
		{"a response's number", opening + "> 8 threads\n" + strings.Replace(ok(8, "threads", `"threads":[{"id":1,"name":"x"}]`), `{"type"`, `{"seq":0,"type"`, 1), nil, "", "seq", "response", "has the number 0", n + 1},
		{"what is out of order is any message", opening + strings.Replace(event("output", `"output":"x"`), `{"type"`, `{"seq":3,"type"`, 1), nil, "", "seq-order", "", "numbered 3 came after 9", n},
		{"answered twice", opening + ok(7, "variables", `"variables":[]`), nil, "", "answer", "variables", "was answered before", n},
		{"never sent", opening + ok(77, "next", ""), nil, "", "answer", "", "was never sent", n},
		{"never answered", opening + "> 8 threads\n", nil, "", "answer", "session", "request 8, threads,", n},
		{"a hang at a request", opening + "> 8 pause\n> 9 threads\n", &dap.Output{Kind: dap.Hang, Text: "gone"}, "", "alive", "session/pause", "gone", n + 1},
		{"a pause that nobody asked for, at a breakpoint", paused + stack(3), nil, "", "nobody", "", "the program is said to have paused because it was asked to", n + 2},
		{"a pause that nobody asked for, elsewhere", paused + stack(4), nil, "", "nobody", "stopped/elsewhere", "the program is said to have paused because it was asked to", n + 2},
		{"a death at a request", opening + "> 8 setDataBreakpoints\n", &dap.Output{Kind: dap.Death, Text: "gone"}, "", "alive", "session/setDataBreakpoints", "gone", n},
		{"a hang", opening, &dap.Output{Kind: dap.Hang, Text: "gone"}, "", "alive", "session", "gone", n - 1},
		{"a panic in an answer", opening + "> 8 threads\n" + no(8, "threads", panicked), nil, "", "internal", "threads/dap.Session.onThreads", "threads is answered: Internal Error: runtime error: invalid memory address | goroutine [running]:", n + 1},
		{"a panic on standard error", opening, nil, "panic: x\n\ngoroutine 1:\ngithub.com/go-delve/delve/x.f()", "internal", "session/x.f", "the adapter printed a panic: panic: x", n - 1},
		{"a recovered panic on standard error", opening, nil, "a recovered panic in /go/pkg/mod/github.com/go-delve/delve/x.go", "internal", "session", "the adapter printed", n - 1},
		{"what it printed, as much as fits", opening, nil, "recovered panic\nb\ngo-delve/delve/c\nd\n", "internal", "session", "printed a panic: recovered panic | b | go-delve/delve/c$", n - 1},
		{"an internal error, as much as fits", opening + "> 8 threads\n" + no(8, "threads", "Internal Error\nb\nc\n"), nil, "", "internal", "threads", "Internal Error | b$", n + 1},
		{"an exception's number", opening + "> 8 next\n" + event("stopped", `"reason":"exception","threadId":1,"hitBreakpointIds":[7]`) + ok(8, "next", ""), nil, "", "hit", "exception", "at breakpoint 7", n + 1},
		{"a breakpoint's number", opening + "> 8 next\n" + event("stopped", `"reason":"breakpoint","threadId":1,"hitBreakpointIds":[7]`) + ok(8, "next", ""), nil, "", "hit", "", "at breakpoint 7", n + 1},
		{"an event that is not understood", opening + event("memory", `"memoryReference":"0x10"`), nil, "", "understood", "memory", "that event", n},
		{"what follows an event that is not understood", opening + event("memory", `"memoryReference":"0x10"`) + event("stopped", `"reason":"step","threadId":1`), nil, "", "stopped", "", "did not run", n + 1},
		{"a type that is not understood", strings.Replace(opening, `"supportsVariableType":true`, `"supportsVariableType":false`, 1), nil, "", "understood", "variables/type", "that of x", n - 1},
		{"a type of what has no name", strings.NewReplacer(`"supportsVariableType":true`, `"supportsVariableType":false`, `"name":"x"`, `"name":""`).Replace(opening), nil, "", "understood", "variables/type", "that of a variable", n - 1},
		{"memory that is not understood", strings.Replace(opening, `"supportsMemoryReferences":true`, `"supportsMemoryReferences":false`, 1) + "> 8 evaluate {\"expression\":\"x\",\"frameId\":1000}\n" + ok(8, "evaluate", `"type":"int","result":"1","memoryReference":"0x10"`), nil, "", "understood", "evaluate/memoryReference", "references to memory", n + 1},
		{"what else is wrong with an answer that is not understood", strings.Replace(opening, `"supportsMemoryReferences":true`, `"supportsMemoryReferences":false`, 1) + "> 8 evaluate {\"expression\":\"x\",\"frameId\":7}\n" + ok(8, "evaluate", `"type":"int","result":"1","memoryReference":"0x10"`), nil, "", "stale", "evaluate", "frame 7", n + 1},
		{"offered, and refused with a panic", opening + "> 8 configurationDone\n" + no(8, "configurationDone", "Unsupported command "+panicked), nil, "", "capability", "configurationDone", "is offered", n + 1},
	} {
		found, tally := protocol.Violations(wire(t, c.text), c.last, c.stderr)
		i := slices.IndexFunc(found, func(v protocol.Violation) bool { return v.Rule == c.rule })
		if i < 0 {
			t.Errorf("%s: found %v, want %s", c.name, found, c.rule)
			continue
		}
		// A dollar sign stands for the end.
		if v := found[i]; v.On != c.on || !strings.Contains(v.What+"$", c.what) || v.At != c.at {
			t.Errorf("%s: %q %q at %d, want %q %q at %d", c.name, v.On, v.What, v.At, c.on, c.what, c.at)
		}
		if tally.Made["protocol/alive"] != 1 {
			t.Errorf("%s: %d checks whether it lives", c.name, tally.Made["protocol/alive"])
		}
	}
}

// TestDuring: a violation is told of the action during which it showed.
func TestDuring(t *testing.T) {
	ws := wire(t, opening+event("stopped", `"reason":"step","threadId":1`)+"> 8 threads\n"+ok(8, "threads", `"threads":[{"id":1,"name":"x"}]`))
	n := len(wire(t, opening))
	events := []dap.Event{{Action: dap.Action{Kind: dap.Continue}}, {Action: dap.Action{Kind: dap.Next}}, {Action: dap.Action{Kind: dap.Threads}}}
	for _, c := range []struct {
		marks []int
		want  int
	}{
		{[]int{n, n + 1, n + 3}, 1},
		{[]int{n + 1, n + 2, n + 3}, 0},
		{[]int{n - 1, n, n + 3}, 2},
		{[]int{n - 1, n}, 2},                      // after the last
		{[]int{n - 3, n - 2, n - 1, n + 1}, 2},    // a further mark
		{[]int{n - 3, n - 2, n - 1, n, n + 1}, 2}, // more marks than events
	} {
		found, _, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Wire: ws, Marks: c.marks, Events: events})
		if err != nil || len(found) != 1 || found[0].Rule != "stopped" || found[0].Session().Index != c.want {
			t.Errorf("marks %v: %v %v, want it at %d", c.marks, found, err, c.want)
		}
	}
}

// TestUnchanged: what was refused before a program was launched must not keep it from being launched.
func TestUnchanged(t *testing.T) {
	ws := wire(t, opening)
	launch := func(kind dap.OutputKind) []dap.Event {
		return []dap.Event{{Output: dap.Output{Kind: kind, Text: "no such file"}}, {Action: dap.Action{Kind: dap.Next}}}
	}
	for _, c := range []struct {
		name   string
		early  []string
		events []dap.Event
		found  int
		made   int
	}{
		{"launched", []string{"launch-path"}, launch(dap.Done), 0, 1},
		{"not launched", []string{"launch-path", "launch-number"}, launch(dap.Refused), 1, 1},
		{"not launched after many", []string{"launch-path", "launch-number", "launch-list", "launch-object", "launch-text"}, launch(dap.Refused), 1, 1},
		{"not launched, with nothing before", nil, launch(dap.Refused), 1, 1},
		{"launched, with nothing before", nil, launch(dap.Done), 0, 1},
		{"no session", []string{"launch-path"}, nil, 0, 0},
		{"another action that is refused", []string{"launch-path"}, []dap.Event{{Action: dap.Action{Kind: dap.Next}, Output: dap.Output{Kind: dap.Refused}}}, 0, 1},
	} {
		found, tally, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Wire: ws, Early: c.early, Events: c.events, Marks: []int{len(ws) - 1, len(ws)}})
		rule := "unchanged"
		if c.early == nil {
			rule = "launches"
		}
		if err != nil || len(found) != c.found || tally.Made["protocol/"+rule] != c.made {
			t.Errorf("%s: %v, %v, %d checks", c.name, found, err, tally.Made["protocol/"+rule])
			continue
		}
		if c.found > 0 && found[0].Rule != rule {
			t.Errorf("%s: %s", c.name, found[0].Rule)
		}
		if c.found > 0 && c.early != nil && (found[0].Rule != "unchanged" || !strings.Contains(found[0].Reason, "launch-path, launch-number") || !strings.Contains(found[0].Reason, "no such file") || found[0].Session().Index != len(c.events)-1) {
			t.Errorf("%s: %s at %d", c.name, found[0].Reason, found[0].Session().Index)
		}
	}
}

// TestLacking: what an older debugger of an unknown version refuses, as that came later, is not held against it; its
// neighbours are.
func TestLacking(t *testing.T) {
	ws := wire(t, opening)
	for _, c := range []struct {
		engine, as, text string
		found            int
	}{
		{"dlv=./old", "debug-mode,flags=list", "'buildFlags' attribute '[-x]' in debug configuration is not a string.", 0},
		{"dlv=./old", "no-paging+debug-mode,flags=list", `cannot unmarshal array into "buildFlags" of type string`, 0},
		{"dlv", "debug-mode,flags=list", `cannot unmarshal array into "buildFlags" of type string`, 1}, // which has it
		{"dlv=./old", "held", `cannot unmarshal array into "buildFlags" of type string`, 1},            // which has no list
		{"dlv=./old", "debug-mode,flags=list", `cannot unmarshal array into "args" of type string`, 1},
		{"dlv=./old", "attach,to=name", "The 'processId' attribute is missing in debug configuration", 0},
		{"dlv=./old", "", "The 'processId' attribute is missing in debug configuration", 1},
		{"dlv=./old,debuginfo=below", "", "could not open debug info", 0},
		{"dlv=./old,ldflags=-w", "", "could not open debug info - debuggee must not be built with", 0},
		{"dlv=./old", "", "could not open debug info", 1},
		{"lldb-dap", "debug-mode", "'buildFlags' is not a string", 1},
	} {
		e, err := gobuild.ParseEngine(c.engine)
		if err != nil {
			t.Fatal(err)
		}
		events := []dap.Event{{Output: dap.Output{Kind: dap.Refused, Text: "launch: Failed to launch: " + c.text}}}
		d := &debuggee.Debuggee{Build: &gobuild.Build{Engine: e, Program: &gobuild.Program{}}}
		found, tally, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Wire: ws, As: c.as, Debuggee: d, Events: events, Marks: []int{len(ws)}})
		if err != nil || len(found) != c.found || tally.Made["protocol/launches"] != c.found || tally.NotMade["protocol/launches"] != 1-c.found {
			t.Errorf("%s, %s: %v, %v, made %d", c.engine, c.text, found, err, tally.Made["protocol/launches"])
		}
	}
}

// TestLaunchClasses: a launch that is refused in one way of it, and for one reason, is another class than others are.
func TestLaunchClasses(t *testing.T) {
	ws := wire(t, opening)
	on := func(as, text string) string {
		events := []dap.Event{{Output: dap.Output{Kind: dap.Refused, Text: "launch: Failed to launch: " + text}}}
		found, _, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Wire: ws, As: as, Events: events, Marks: []int{len(ws)}})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", as, found, err)
		}
		return found[0].On
	}
	for _, c := range []struct{ as, text, want string }{
		{"", "no such file", "launch"},
		{"debug-mode,flags=list", `cannot unmarshal array into "buildFlags"`, "launch/debug-mode/cannot-unmarshal-array-into"},
		{"debug-mode,flags=text,from=elsewhere", "Build error: see there", "launch/debug-mode/Build-error-see-there"},
		{"attach,to=process", "Build error: see there", "launch/attach/Build-error-see-there"},
	} {
		if got := on(c.as, c.text); got != c.want {
			t.Errorf("%q refused with %q: %s, want %s", c.as, c.text, got, c.want)
		}
	}
}

// TestGone: an adapter that stays after it was told to disconnect, or has lost its client, is a finding; what it does not answer then is none.
func TestGone(t *testing.T) {
	ws := wire(t, opening+"> 8 continue {\"threadId\":1}\n")
	for _, c := range []struct {
		name  string
		leave dap.Action
		kind  dap.OutputKind
		stays bool
		want  string
	}{
		{"it ends", dap.Action{Kind: dap.Disconnect, Way: "close"}, dap.Done, false, ""},
		{"it stays", dap.Action{Kind: dap.Disconnect, Way: "terminate"}, dap.Done, true, "gone"},
		{"it refuses", dap.Action{Kind: dap.Disconnect}, dap.Refused, true, "answer"},
		{"the session goes on", dap.Action{Kind: dap.Next}, dap.Done, true, "answer"},
	} {
		found, _, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Wire: ws, Stays: c.stays, Events: []dap.Event{{Action: c.leave, Output: dap.Output{Kind: c.kind}}}})
		var rules []string
		for _, f := range found {
			rules = append(rules, f.Rule)
		}
		if got := strings.Join(rules, " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestFarewell: a client whose disconnect is granted is told of the session's end, if there was a program.
func TestFarewell(t *testing.T) {
	h := testhouse.New(t)
	paused := dap.Event{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{}}}
	left := func(a dap.Action) dap.Event {
		a.Kind = dap.Disconnect
		return dap.Event{Action: a, Output: dap.Output{Kind: dap.Done}}
	}
	d := &debuggee.Debuggee{Source: h.Load(t, h.Find(t, "corpus/loops")[0])}
	silent := opening + "> 8 disconnect {}\n" + ok(8, "disconnect", "")
	for _, c := range []struct {
		name   string
		wire   string
		events []dap.Event
		made   int
		found  bool
	}{
		{"told", silent + event("terminated", ""), []dap.Event{paused, left(dap.Action{})}, 1, false},
		{"not told", silent, []dap.Event{paused, left(dap.Action{})}, 1, true},
		{"not told, plain", silent, []dap.Event{paused, left(dap.Action{Plain: true})}, 1, true},
		{"nobody is there", opening, []dap.Event{paused, left(dap.Action{Way: "close"})}, 0, false},
		{"no program yet", silent, []dap.Event{left(dap.Action{})}, 0, false},
	} {
		found, tally, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Debuggee: d, Wire: wire(t, c.wire), Events: c.events})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(found, func(f *finding.Finding) bool { return f.Rule == "farewell" })
		if made := tally.Made["protocol/farewell"]; got != c.found || made != c.made {
			t.Errorf("%s: found %v, made %d; want %v, %d", c.name, got, made, c.found, c.made)
		}
	}
}

// TestLeft: a program that outlives the session that launched it is a finding, if the session had it until then and it
// starts no others.
func TestLeft(t *testing.T) {
	h := testhouse.New(t)
	paused := dap.Event{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{}}}
	asked := dap.Event{Action: dap.Action{Kind: dap.Threads}, Output: dap.Output{Kind: dap.Answered}}
	ended := dap.Event{Action: dap.Action{Kind: dap.Finish}, Output: dap.Output{Kind: dap.Ended, Exit: &dap.Exit{}}}
	left := dap.Event{Action: dap.Action{Kind: dap.Disconnect, Plain: true}, Output: dap.Output{Kind: dap.Done}}
	for _, c := range []struct {
		name, program string
		events        []dap.Event
		left          int
		found, made   int
	}{
		{"one that is left", "corpus/loops", []dap.Event{paused, left}, 1, 1, 1},
		{"one that is left after a question", "corpus/loops", []dap.Event{paused, asked, left}, 1, 1, 1},
		{"none", "corpus/loops", []dap.Event{paused, left}, 0, 0, 1},
		{"of a session whose program had ended", "corpus/loops", []dap.Event{ended, left}, 1, 0, 0},
		{"of a session that was not ended", "corpus/loops", []dap.Event{paused}, 1, 0, 0},
	} {
		d := &debuggee.Debuggee{Source: h.Load(t, h.Find(t, c.program)[0])}
		found, tally, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Debuggee: d, Events: c.events, Wire: wire(t, opening), Left: c.left})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range found {
			if f.Rule == "left" {
				n++
			}
		}
		if n != c.found || tally.Made["protocol/left"] != c.made {
			t.Errorf("%s: %d findings of %d checks; want %d of %d", c.name, n, tally.Made["protocol/left"], c.found, c.made)
		}
	}
}
