package baseline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/oracle"
	"misstep/oracle/baseline"
)

// seen is a session in which the client asks for what lines with > say, and the adapter sends the others: of each the body, after the
// event's name or after <, <ok or <no for the answer to the last request.
func seen(t *testing.T, lines ...string) *oracle.Seen {
	t.Helper()
	s := &oracle.Seen{}
	seq, asked, command := 0, 0, ""
	for _, line := range lines {
		seq++
		word, rest, _ := strings.Cut(line, " ")
		var raw string
		switch word {
		case ">":
			if len(s.Events) > 0 {
				s.Marks = append(s.Marks, len(s.Wire))
			}
			raw = fmt.Sprintf(`{"seq":%d,"type":"request","command":%q}`, seq, rest)
			asked, command = seq, rest
			s.Wire = append(s.Wire, dap.Wire{Sent: true, Raw: json.RawMessage(raw), Msg: &godap.Request{ProtocolMessage: godap.ProtocolMessage{Seq: seq, Type: "request"}, Command: command}})
			s.Events = append(s.Events, dap.Event{Action: dap.Action{Kind: dap.Next}})
			continue
		case "<", "<no":
			raw = fmt.Sprintf(`{"seq":%d,"type":"response","request_seq":%d,"command":%q,"success":%t,"message":%q,"body":%s}`, seq, asked, command, word == "<", map[bool]string{false: "no"}[word == "<"], rest)
		default:
			raw = fmt.Sprintf(`{"seq":%d,"type":"event","event":%q,"body":%s}`, seq, word, rest)
		}
		msg, err := godap.DecodeProtocolMessage([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s.Wire = append(s.Wire, dap.Wire{Raw: json.RawMessage(raw), Msg: msg})
	}
	s.Marks = append(s.Marks, len(s.Wire))
	return s
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		name             string
		tested, baseline []string
		want             []string // event, kind, what the baseline and the debugger say
	}{
		{
			"the same, in another order",
			[]string{"> next", "< {}", `stopped {"reason":"step"}`, `output {"category":"stdout","output":"ab"}`},
			[]string{"> next", `output {"category":"stdout","output":"a"}`, `stopped {"reason":"step"}`, "< {}", `output {"category":"stdout","output":"b"}`},
			nil,
		},
		{
			"values",
			[]string{"> variables", `< {"variables":[{"name":"a","value":"1"},{"name":"b","value":"2"}]}`, "> threads", "< {}"},
			[]string{"> variables", `< {"variables":[{"name":"a","value":"1"},{"name":"b","value":"3"}]}`, "> threads", `< {"threads":[]}`},
			[]string{"0 variables/body.variables.value 3 2", "1 threads/body.threads [] none"},
		},
		{
			"a list that is longer is that alone",
			[]string{"> variables", `< {"variables":[{"name":"a"},{"name":"b"}]}`},
			[]string{"> variables", `< {"variables":[{"name":"b"}]}`},
			[]string{"0 variables/body.variables.length 1 2"},
		},
		{
			"a refusal",
			[]string{"> evaluate", `<no {"error":{"format":"none"}}`},
			[]string{"> evaluate", `< {"result":"1"}`},
			[]string{"0 evaluate/success true false, no"},
		},
		{
			"no answer",
			[]string{"> evaluate", "> threads", "< {}"},
			[]string{"> evaluate", "< {}", "> threads", "< {}"},
			[]string{`0 evaluate/ {"body":{},"success":true} none`},
		},
		{
			"two answers",
			[]string{"> restart", "< {}", "<no {}", "> threads", "< {}"},
			[]string{"> restart", "< {}", "<no {}", "> threads", "< {}"},
			nil,
		},
		{
			"the stack of a panic",
			[]string{"> evaluate", `<no {"error":{"format":"panic: goroutine 1 [running]: f at 1"}}`},
			[]string{"> evaluate", `<no {"error":{"format":"panic: goroutine 2 [running]: f at 2"}}`},
			nil,
		},
		{
			"an event that does not come",
			[]string{"> pause", "< {}", "> threads", "< {}"},
			[]string{"> pause", "< {}", `invalidated {"areas":["all"]}`, "> threads", "< {}"},
			[]string{`0 invalidated event/ {"areas":["all"]} none`},
		},
		{
			"what follows from another place is not compared",
			[]string{"> pause", "< {}", "> stackTrace", `< {"stackFrames":[{"line":3}]}`, "> variables", `< {"variables":[]}`},
			[]string{"> pause", "< {}", "> stackTrace", `< {"stackFrames":[{"line":4}]}`, "> variables", `< {"variables":[{}]}`},
			[]string{"1 stackTrace/body.stackFrames.line 4 3"},
		},
		{
			"nor what comes when other requests are sent",
			[]string{"> pause", "< {}", "> threads", `< {"threads":[]}`},
			[]string{"> pause", "< {}", "> scopes", `< {}`},
			nil,
		},
		{
			"nor what is asked for while the program runs",
			[]string{"> next", "< {}", "> threads", `< {"threads":[]}`},
			[]string{"> next", "< {}", "> threads", `< {"threads":[{}]}`},
			nil,
		},
		{
			"output",
			[]string{"> next", "< {}", `output {"category":"stdout","output":"a"}`},
			[]string{"> next", "< {}", `output {"category":"stdout","output":"b"}`},
			[]string{"0 output stdout/ b a"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			carry := func(lines []string) baseline.Carrier {
				return func(context.Context) (*oracle.Seen, error) { return seen(t, lines...), nil }
			}
			test := &baseline.Test{Tested: carry(c.tested), Baseline: carry(c.baseline), Times: 2}
			out, err := test.Run(t.Context(), seen(t, c.tested...))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range out.Differences {
				got = append(got, fmt.Sprintf("%d %s %s %s", d.Event, d.Of(), d.Baseline, d.Tested))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if out.Messages == 0 {
				t.Error("no message was compared")
			}
		})
	}
}

// TestConcurrent: of a program with goroutines it is not compared which of them comes first, but all before that is, and what the first
// one shows.
func TestConcurrent(t *testing.T) {
	stop := func(thread int, line string) []string {
		return []string{"> evaluate", "< {}", "> next", "< {}", fmt.Sprintf(`stopped {"reason":"step","threadId":%d}`, thread), "> threads", fmt.Sprintf(`< {"threads":[{"id":%d}]}`, thread), "> stackTrace", `< {"stackFrames":[{"line":` + line + `}]}`}
	}
	for _, c := range []struct {
		one, two   []string
		concurrent bool
		want       []string
	}{
		{stop(1, "3"), stop(2, "4"), true, nil},
		{stop(1, "3"), stop(2, "4"), false, []string{"stopped event/threadId"}},
		{stop(1, "3"), stop(1, "4"), true, []string{"stackTrace/body.stackFrames.line"}},
		{append([]string{"> scopes", "<no {}"}, stop(1, "3")...), append([]string{"> scopes", "< {}"}, stop(2, "4")...), true, []string{"scopes/success"}},
	} {
		carry := func(lines []string) baseline.Carrier {
			return func(context.Context) (*oracle.Seen, error) { return seen(t, lines...), nil }
		}
		out, err := (&baseline.Test{Tested: carry(c.one), Baseline: carry(c.two), Times: 2, Concurrent: c.concurrent}).Run(t.Context(), seen(t, c.one...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range out.Differences {
			got = append(got, d.Of())
		}
		if !slices.Equal(got, c.want) || out.Alike {
			t.Errorf("%q and %q: %q, want %q", c.one, c.two, got, c.want)
		}
	}
}

// TestVarying: what a side does not say each time is not believed, and the rest is.
func TestVarying(t *testing.T) {
	n := 0
	sides := func(fixed string) baseline.Carrier {
		return func(context.Context) (*oracle.Seen, error) {
			n++
			return seen(t, "> initialize", fmt.Sprintf(`< {"pid":%d,"name":%q}`, n, fixed), "> threads", fmt.Sprintf(`< {"threads":[%s]}`, strings.Repeat("{},", n)+"{}")), nil
		}
	}
	first, err := sides("a")(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	test := &baseline.Test{Tested: sides("a"), Baseline: sides("b"), Times: 3}
	out, err := test.Run(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Differences) != 1 || out.Differences[0].Of() != "initialize/body.name" {
		t.Errorf("differences: %v", out.Differences)
	}
	if want := []string{"initialize/body.pid", "threads/body.threads.length"}; !slices.Equal(out.Varying, want) {
		t.Errorf("varying: %q, want %q", out.Varying, want)
	}
	if n != 6 {
		t.Errorf("%d sessions, want 6: three of each side", n)
	}

	// What is in doubt is tried twice as often.
	n = 0
	if first, err = sides("a")(t.Context()); err != nil {
		t.Fatal(err)
	}
	test.Doubted = func(of string) bool { return of == "initialize/body.name" }
	if out, err = test.Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if len(out.Differences) != 1 || n != 12 {
		t.Errorf("%d sessions, differences %v; want 12, six of each side, and one", n, out.Differences)
	}

	// What is known is neither tried again nor told, or told at once.
	n = 0
	if first, err = sides("a")(t.Context()); err != nil {
		t.Fatal(err)
	}
	test.Believed = func(of string) bool { return of == "initialize/body.name" }
	test.Varies = func(of string) bool { return of != "initialize/body.name" }
	if out, err = test.Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if len(out.Differences) != 1 || len(out.Varying) != 0 || n != 2 {
		t.Errorf("%d sessions, differences %v, varying %q; want 2, and the one that is believed", n, out.Differences, out.Varying)
	}
}
