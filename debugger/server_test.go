package debugger_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"

	"misstep/debugger"
	"misstep/history/timeline"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

const program = `package main

func double(n int) int {
	return 2 * n
}

func main() {
	sum := 0
	for i := range 3 {
		sum += double(i)
		sum++
	}
	println(sum)
}
`

// client speaks to a server that runs beside it.
type client struct {
	t   *testing.T
	in  *bufio.Reader
	out io.Writer
	seq int
}

// ask sends a request and reads up to the event, or the response if that is empty.
func (c *client) ask(command string, args any, event string) map[string]any {
	c.t.Helper()
	c.seq++
	raw, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": args})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := dap.WriteBaseMessage(c.out, raw); err != nil {
		c.t.Fatal(err)
	}
	for {
		raw, err := dap.ReadBaseMessage(c.in)
		if err != nil {
			c.t.Fatalf("after %s: %v", command, err)
		}
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			c.t.Fatal(err)
		}
		if m["type"] == "response" && (event == "" || m["success"] != true) || event != "" && m["event"] == event {
			return m
		}
	}
}

// at goes somewhere and tells the line.
func (c *client) at(command string) int {
	c.t.Helper()
	if m := c.ask(command, map[string]any{"threadId": 1}, "stopped"); m["event"] != "stopped" {
		c.t.Fatalf("%s: %v", command, m)
	}
	m := c.ask("stackTrace", map[string]any{"threadId": 1}, "")
	return int(m["body"].(map[string]any)["stackFrames"].([]any)[0].(map[string]any)["line"].(float64))
}

// TestBothWays: steps and breakpoints lead forwards and back to where they came from.
func TestBothWays(t *testing.T) {
	h := testhouse.New(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	m, err := timeline.Record(ctx, h.Keeper, h.Cache, p, h.Engine, gobuild.DefaultLimits, t.TempDir(), nil)
	if err != nil || m.Why != "" {
		t.Fatal(m.Why, err)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- (&debugger.Server{Timeline: m.Stops()}).Serve(ctx, toServer, fromServer)
	}()
	c := &client{t: t, in: bufio.NewReader(toClient), out: fromClient}
	c.ask("initialize", map[string]any{"adapterID": "test"}, "")
	c.ask("launch", map[string]any{}, "initialized")
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file}, "breakpoints": []any{map[string]any{"line": 11}}}, "")
	if line := c.at("configurationDone"); line != 11 {
		t.Fatalf("the first stop is at %d", line)
	}
	for _, s := range []struct {
		command string
		line    int
	}{
		{"next", 9}, {"next", 10}, {"stepIn", 3}, {"next", 4}, {"stepBack", 3}, {"stepBack", 10}, {"stepBack", 9}, {"stepBack", 11},
		{"continue", 11}, {"continue", 11}, {"reverseContinue", 11}, {"reverseContinue", 11}, {"reverseContinue", 7}, {"continue", 11},
	} {
		if line := c.at(s.command); line != s.line {
			t.Errorf("%s leads to line %d, want %d", s.command, line, s.line)
		}
	}
	if m := c.ask("evaluate", map[string]any{"expression": "sum"}, ""); m["body"].(map[string]any)["result"] != "0" {
		t.Errorf("sum is %v", m["body"])
	}
	for _, bad := range []struct{ command, args string }{
		{"setVariable", `{"name": "sum", "value": "1", "variablesReference": 1}`}, {"evaluate", `{"expression": "nothing"}`},
		{"evaluate", `{"expression": "f()"}`}, {"variables", `{"variablesReference": 99}`}, {"stackTrace", `{"threadId": 99}`}, {"nonsense", `{}`},
	} {
		if m := c.ask(bad.command, json.RawMessage(bad.args), ""); m["success"] != false {
			t.Errorf("%s %s: %v", bad.command, bad.args, m)
		}
	}
	c.ask("disconnect", map[string]any{}, "")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
