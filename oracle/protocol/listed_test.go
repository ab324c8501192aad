package protocol_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/protocol"
)

// TestListed: what is said of threads, of the children of variables, of the process and of nonsense, each true and untrue.
func TestListed(t *testing.T) {
	list := func(threads string) string { return "> 8 threads\n" + ok(8, "threads", `"threads":[`+threads+`]`) }
	stack := func(args, body string) string {
		return fmt.Sprintf("> 9 stackTrace {%s}\n", args) + ok(9, "stackTrace", body)
	}
	evaluated := func(request, args, body string) string {
		return opening + "> 8 " + request + " {" + args + "}\n" + ok(8, request[:strings.IndexAny(request+"!", "!")], body)
	}
	const one, two = `{"id":1,"name":"* [Go 1] main.f (Thread 5)"}`, `{"id":2,"name":"[Go 2] main.g"}`
	const parked = `"stackFrames":[{"id":1005,"name":"runtime.gopark"},{"id":1006,"name":"main.g"}]`
	const further = `"stackFrames":[{"id":1005,"name":"h"}]`
	alone := strings.Replace(strings.Replace(opening, `"allThreadsStopped":true,`, "", 1), `"name":"f"`, `"name":"main.f"`, 1)
	watching := strings.Replace(opening, `"supportsSetVariable":true`, `"supportsSetVariable":true,"supportsDataBreakpoints":true`, 1)
	started := func(method string) string {
		return strings.Replace(opening, ok(2, "launch", ""), event("process", `"name":"p","startMethod":"`+method+`"`)+ok(2, "launch", ""), 1)
	}
	unread := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"[%d]","value":"(unreadable bad address)"}`, i))
		}
		return strings.Join(list, ",")
	}
	children := func(promise, args, list string) string {
		return evaluated("evaluate", `"expression":"x","frameId":1000`, `"result":"x","type":"T","variablesReference":1007,`+promise) +
			"> 9 variables {\"variablesReference\":1007" + args + "}\n" + ok(9, "variables", `"variables":[`+list+`]`)
	}
	const a, b, n = `{"name":"[0]","value":"1"}`, `{"name":"[1]","value":"1"}`, `{"name":"len()","value":"2"}`
	const page = `,"filter":"indexed","start":1,"count":5`
	for _, c := range []struct{ name, text, rule string }{
		{"a list of goroutines", opening + list(one+","+two) + stack(`"threadId":2`, parked), ""},
		{"a number twice", opening + list(one+","+two+","+strings.Replace(two, "[Go 2] ", "", 1)), "threads"},
		{"another goroutine's name", opening + list(one+","+strings.Replace(two, "Go 2", "Go 3", 1)), "threads"},
		{"no mark", opening + list(strings.Replace(one, "* ", "", 1)+","+two), "threads"},
		{"a mark at another one", opening + list(strings.Replace(one, "* ", "", 1)+","+strings.Replace(two, "[", "* [", 1)), "threads"},
		{"a mark at another one after a call, while which others ran", evaluated("evaluate", `"expression":"call f()","frameId":1000`, `"result":"1","type":"int"`) + list(strings.Replace(one, "* ", "", 1)+","+strings.Replace(two, "[", "* [", 1)), ""},
		{"a mark at another one after a value", evaluated("evaluate", `"expression":"f","frameId":1000`, `"result":"1","type":"int"`) + list(strings.Replace(one, "* ", "", 1)+","+strings.Replace(two, "[", "* [", 1)), "threads"},
		{"fewer frames after a call that is refused", opening + "> 7 evaluate {\"expression\":\"call f()\",\"frameId\":1000}\n" + no(7, "evaluate", "no") + stack(`"threadId":1,"startFrame":2`, further), ""},
		{"two marks", opening + list(one+","+strings.Replace(two, "[", "* [", 1)), "threads"},
		{"a function that it is not in", opening + list(one+","+strings.Replace(two, "main.g", "main.h", 1)) + stack(`"threadId":2`, parked), "threads"},
		{"a function that the runtime offers", opening + list(one+","+strings.Replace(two, "main.g", "runtime.GC", 1)) + stack(`"threadId":2`, parked), ""},
		{"a function with spaces in its name", opening + list(one+","+strings.Replace(two, "main.g", "w.Start[go.shape.string,go.shape.struct { main.a int }].gowrap1", 1)) + stack(`"threadId":2`, strings.Replace(parked, "main.g", "some/w.Start[go.shape.string,go.shape.struct { main.a int }].gowrap1", 1)), ""},
		{"stacks of others, which are not said to have stopped", alone + list(one+","+two) + stack(`"threadId":2`, parked), "all-stopped"},
		{"the stack of the only one that stopped", alone + list(one+","+two) + stack(`"threadId":1`, `"stackFrames":[{"id":1005,"name":"main.f","line":3}]`), ""},
		{"not all continue", evaluated("continue", `"threadId":1`, `"allThreadsContinued":false`), "all-stopped"},
		{"one continues, as it was asked for", evaluated("continue", `"threadId":1,"singleThread":true`, `"allThreadsContinued":false`), ""},
		{"fewer frames than there are", opening + stack(`"threadId":1,"startFrame":2`, further), "frames"},
		{"frames after a total that was not told", strings.Replace(opening, `,"totalFrames":2`, "", 1) + stack(`"threadId":1,"startFrame":2`, further), ""},
		{"a process that was launched", started("launch"), ""},
		{"a process that was not attached to", started("attach"), "process"},
		{"a process without a name", strings.Replace(started("launch"), `"name":"p"`, `"name":""`, 1), "process"},
		{"all children", children(`"indexedVariables":2,"namedVariables":1`, "", a+","+b+","+n), ""},
		{"a child too few", children(`"indexedVariables":2,"namedVariables":1`, "", a+","+n), "children"},
		{"those of a page", children(`"indexedVariables":2,"namedVariables":1`, page, b), ""},
		{"none of a page", children(`"indexedVariables":2,"namedVariables":1`, page, ""), "children"},
		{"others than elements", children(`"indexedVariables":2,"namedVariables":1`, `,"filter":"named"`, n+","+a), "children"},
		{"keys and values", children(`"indexedVariables":2`, "", `{"name":"[key 0]","value":"1"},{"name":"[val 0]","value":"1"},`+b), ""},
		{"more than can be counted", children(`"indexedVariables":100000`, page, b), ""},
		{"nothing is promised", children(`"namedVariables":0`, "", a+","+b), ""},
		{"three that cannot be read", children(`"indexedVariables":9`, "", unread(3)), ""},
		{"two that cannot be read", children(`"indexedVariables":9`, "", unread(2)), "children"},
		{"keys that look alike", children(`"indexedVariables":2`, "", strings.Replace(a, `}`, `,"evaluateName":"m[p]"}`, 1)+","+strings.Replace(a, `}`, `,"evaluateName":"m[q]"}`, 1)), ""},
		{"keys that are no numbers", children(`"indexedVariables":2`, "", strings.ReplaceAll(a+","+a, "[0]", "NaN")), ""},
		{"a name twice", children(`"indexedVariables":2`, "", a+","+a), "children"},
		{"a name twice, after memory was written to", strings.Replace(children(`"indexedVariables":2`, "", a+","+a), "> 9 ",
			"> 80 writeMemory {\"memoryReference\":\"0x10\",\"data\":\"Yg==\"}\n"+ok(80, "writeMemory", `"bytesWritten":1`)+"> 9 ", 1), "announced"},
		{"fields without a name", children(`"namedVariables":2`, "", `{"name":"_","value":"1"},{"name":"_","value":"1"}`), ""},
		{"an expression that is none", evaluated("evaluate!bad-expression", `"expression":"1 +"`, `"result":"1","type":"int"`), "nonsense"},
		{"a refusal", opening + "> 8 evaluate!bad-expression {\"expression\":\"1 +\"}\n" + no(8, "evaluate", "expected operand"), ""},
		{"a misuse that may be granted", evaluated("evaluate!empty-expression", `"expression":""`, `"result":"1","type":"int"`), ""},
		{"no breakpoint in no file", evaluated("setBreakpoints!no-such-file", `"breakpoints":[{"line":1}]`, `"breakpoints":[{"verified":false,"message":"no such file"}]`), ""},
		{"a breakpoint in no file", evaluated("setBreakpoints!no-such-file", `"breakpoints":[{"line":1}]`, `"breakpoints":[{"id":7,"verified":true}]`), "nonsense"},
		{"nothing to watch", strings.Replace(evaluated("dataBreakpointInfo!unknown-data", `"name":"x"`, `"dataId":null,"description":"none"`), opening, watching, 1), ""},
		{"something to watch", strings.Replace(evaluated("dataBreakpointInfo!unknown-data", `"name":"x"`, `"dataId":"1","description":"x"`), opening, watching, 1), "nonsense"},
		{"a data breakpoint that is not answered", strings.Replace(evaluated("setDataBreakpoints", `"breakpoints":[{"dataId":"1"}]`, `"breakpoints":[]`), opening, watching, 1), "breakpoints"},
		{"exceptions, of which none is answered", evaluated("setExceptionBreakpoints", `"filters":["a"]`, ""), ""},
		{"exceptions, of which too many are answered", evaluated("setExceptionBreakpoints", `"filters":["a"]`, `"breakpoints":[{"verified":true},{"verified":true}]`), "breakpoints"},
	} {
		found, _ := protocol.Violations(wire(t, c.text), nil, "")
		rules := map[string]bool{}
		for _, v := range found {
			rules[v.Rule] = true
		}
		if got := strings.Join(slices.Sorted(maps.Keys(rules)), " "); got != c.rule {
			t.Errorf("%s: found %v, want %q", c.name, found, c.rule)
		}
	}
}

// TestUnverifiedWhy: Delve says why it does not set a breakpoint; others need not.
func TestUnverifiedWhy(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/bank")[0]
	for _, c := range []struct {
		adapter, message string
		found            int
	}{{"dlv", "", 1}, {"dlv", "no code there", 0}, {"lldb-dap", "", 0}} {
		d := &debuggee.Debuggee{Source: h.Load(t, p), Build: &gobuild.Build{Engine: gobuild.Engine{Adapter: c.adapter}, Program: p}}
		text := opening + "> 8 setBreakpoints {\"breakpoints\":[{\"line\":1}]}\n" + ok(8, "setBreakpoints", `"breakpoints":[{"verified":false,"message":"`+c.message+`"}]`)
		found, tally, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Debuggee: d, Wire: wire(t, text), Events: []dap.Event{{Action: dap.Action{Kind: dap.Break}}}})
		if err != nil || len(found) != c.found || (tally.Made["protocol/unverified-why"] > 0) != (c.adapter == "dlv") {
			t.Errorf("%s, %q: %v, %v", c.adapter, c.message, found, err)
		}
	}
}

// TestTold: a client that understands invalidated events gets one after each change.
func TestTold(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/bank")[0]
	hearing := strings.Replace(opening, `{"supports`, `{"supportsInvalidatedEvent":true,"supports`, 1)
	set := "> 8 setVariable {\"variablesReference\":1000,\"name\":\"x\",\"value\":\"2\"}\n" + ok(8, "setVariable", `"value":"2","type":"int"`)
	next := "> 9 threads\n" + ok(9, "threads", `"threads":[{"id":1,"name":"x"}]`)
	for _, c := range []struct {
		name, text string
		found      int
	}{
		{"told", hearing + set + event("invalidated", `"areas":["all"]`) + next, 0},
		{"not told", hearing + set + next, 1},
		{"told to nobody", opening + set + next, 0},
		{"nothing comes after it", hearing + set, 0},
	} {
		d := &debuggee.Debuggee{Source: h.Load(t, p), Build: &gobuild.Build{Engine: gobuild.Engine{Adapter: "dlv"}, Program: p}}
		found, _, err := protocol.Check{}.Judge(context.Background(), &oracle.Seen{Debuggee: d, Wire: wire(t, c.text), Events: []dap.Event{{Action: dap.Action{Kind: dap.Break}}}})
		if err != nil || len(found) != c.found {
			t.Errorf("%s: %v, %v", c.name, found, err)
		}
	}
}
