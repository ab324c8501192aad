package dap_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/testhouse"
)

// script is an adapter that is a shell script on standard input and output.
func script(text string) *dap.Adapter {
	return &dap.Adapter{Name: "script", Command: []string{"sh", "-c", text}, Path: "/bin/sh", Transport: "stdio", Launch: map[string]any{"program": "{program}"}}
}

func short() dap.Options {
	o := dap.DefaultOptions()
	o.Launch, o.Request, o.Run = 700*time.Millisecond, 700*time.Millisecond, 700*time.Millisecond
	return o
}

// TestBadAdapters: whatever an adapter does is an output, not an error, and
// nothing of it is left.
func TestBadAdapters(t *testing.T) {
	k := testhouse.New(t).Keeper
	frame := func(body string) string {
		return `printf 'Content-Length: ` + strings.TrimSpace(itoa(len(body))) + `\r\n\r\n%s' '` + body + `'; `
	}
	for _, c := range []struct {
		name, text string
		want       dap.OutputKind
	}{
		{"exits at once", "exit 1", dap.Death},
		{"says nothing", "sleep 60", dap.Hang},
		{"is not DAP", "echo hello; sleep 60", dap.Death},
		{"sends what is no JSON", frame("no json") + "sleep 60", dap.Hang},
		{"refuses", `read x; ` + frame(`{"seq":1,"type":"response","request_seq":1,"success":false,"command":"initialize","message":"no"}`) + "sleep 60", dap.Refused},
		{"dies after initialize", `read x; ` + frame(`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize"}`) + "echo went wrong >&2; exit 3", dap.Death},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, out, err := dap.Open(context.Background(), k, script(c.text), dap.Target{Program: "/bin/true", Dir: t.TempDir()}, short())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if out == nil || out.Kind != c.want {
				t.Fatalf("%v, want %s", out, c.want)
			}
			again, err := s.Do(context.Background(), dap.Action{Kind: dap.Continue})
			if err != nil || out.Kind.Fatal() && again.Kind != out.Kind {
				t.Errorf("after that: %v, %v", again, err)
			}
			if c.name == "is not DAP" && !strings.Contains(out.Text, `"hello\n"`) {
				t.Errorf("what it sent is lost: %v", out)
			}
			if c.name == "dies after initialize" && !strings.Contains(out.Text, "went wrong") {
				t.Errorf("its standard error is lost: %v", out)
			}
		})
	}
}

func itoa(n int) string {
	const digits = "0123456789"
	if n < 10 {
		return digits[n : n+1]
	}
	return itoa(n/10) + digits[n%10:n%10+1]
}

// engine builds a program and finds an adapter for it.
func engine(t *testing.T, k *proc.Keeper, name, text string) (*dap.Adapter, *gobuild.Build) {
	dir, err := gobuild.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	c := &gobuild.Cache{Dir: dir, Keeper: k, Notice: os.Stderr}
	e, err := gobuild.ParseEngine(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := dap.Resolve(context.Background(), c, e)
	if err != nil {
		if e.Adapter == "dlv" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := c.Build(context.Background(), &gobuild.Program{Name: "p", Dir: folder, Target: []string{file}, Files: []string{file}}, e, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

func do(t *testing.T, s *dap.Session, a dap.Action) dap.Output {
	t.Helper()
	out, err := s.Do(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLLDB drives a second real debugger: lines, stacks, sliding.
func TestLLDB(t *testing.T) {
	k := testhouse.New(t).Keeper
	a, b := engine(t, k, "lldb-dap", "package main\n\nfunc f(n int) int {\n\t// nothing here\n\treturn n + 1\n}\n\nfunc main() {\n\tprintln(f(1))\n}\n")
	s, out, err := dap.Open(context.Background(), k, a, dap.TargetOf(b), dap.DefaultOptions())
	if err != nil || out != nil {
		t.Fatal(out, err)
	}
	defer s.Close()
	set := do(t, s, dap.Action{Kind: dap.Break, File: "main.go", Line: 4})
	if set.Breakpoint == nil || !set.Breakpoint.Verified || set.Breakpoint.Line != 5 {
		t.Errorf("a breakpoint at a comment does not slide: %v", set)
	}
	p := do(t, s, dap.Action{Kind: dap.Continue})
	if p.Pause == nil || p.Pause.Top().Line != 5 || p.Pause.Top().Func != "main.f" || len(p.Pause.Stack) < 2 || p.Pause.Stack[1].Func != "main.main" {
		t.Fatalf("%v", p)
	}
	if o := do(t, s, dap.Action{Kind: dap.StepOut}); o.Pause == nil || o.Pause.Top().Func != "main.main" {
		t.Errorf("%v", o)
	}
	// Which exit code it tells is not certain: lldb-dap 22 says -1 now and then.
	if e := do(t, s, dap.Action{Kind: dap.Finish}); e.Kind != dap.Ended || e.Exit.Code == nil {
		t.Errorf("%v", e)
	}
}

// TestRunsTooLong: a program that does not pause is told from an adapter that
// does not answer, and can be interrupted.
func TestRunsTooLong(t *testing.T) {
	k := testhouse.New(t).Keeper
	a, b := engine(t, k, "dlv", "package main\n\nvar n int\n\nfunc main() {\n\tfor {\n\t\tn++\n\t}\n}\n")
	opts := dap.DefaultOptions()
	opts.Run = 500 * time.Millisecond
	for kind, want := range map[dap.Kind]dap.OutputKind{dap.Continue: dap.Timeout, dap.Interrupt: dap.Paused, dap.Finish: dap.Timeout} {
		s, out, err := dap.Open(context.Background(), k, a, dap.TargetOf(b), opts)
		if err != nil || out != nil {
			t.Fatal(out, err)
		}
		if kind != dap.Continue {
			do(t, s, dap.Action{Kind: dap.Break, File: "main.go", Line: 7})
			do(t, s, dap.Action{Kind: dap.Continue})
			do(t, s, dap.Action{Kind: dap.Unbreak, File: "main.go", Line: 7})
		}
		if got := do(t, s, dap.Action{Kind: kind}); got.Kind != want {
			t.Errorf("%s: %v, want %s", kind, got, want)
		}
		s.Close()
	}
}

// TestContextEnds: a session whose context ends is over, and so is its program.
func TestContextEnds(t *testing.T) {
	k := testhouse.New(t).Keeper
	a, b := engine(t, k, "dlv", "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n")
	ctx, cancel := context.WithCancel(context.Background())
	s, out, err := dap.Open(ctx, k, a, dap.TargetOf(b), dap.DefaultOptions())
	if err != nil || out != nil {
		t.Fatal(out, err)
	}
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := s.Do(ctx, dap.Action{Kind: dap.Continue}); err == nil {
		t.Error("no error though the context has ended")
	}
	s.Close()
}

// TestLeaves: an adapter ends that is told to, that loses its client, or that gets a signal, also while the program runs, and takes the
// program with it.
func TestLeaves(t *testing.T) {
	k := testhouse.New(t).Keeper
	a, b := engine(t, k, "dlv", "package main\n\nimport \"time\"\n\nfunc main() {\n\ttime.Sleep(time.Minute)\n}\n")
	ctx := context.Background()
	for _, way := range append([]string{""}, dap.Ways...) {
		for _, running := range []bool{false, true} {
			s, out, err := dap.Open(ctx, k, a, dap.TargetOf(b), dap.DefaultOptions())
			if err != nil || out != nil {
				t.Fatal(out, err)
			}
			for _, do := range []dap.Action{{Kind: dap.Break, File: "main.go", Line: 6}, {Kind: dap.Continue}, {Kind: dap.Disconnect, Way: way, Running: running}} {
				if out, err := s.Do(ctx, do); err != nil || out.Kind.Fatal() || out.Kind == dap.Refused {
					t.Errorf("%s: %v %v", do, out, err)
				}
			}
			s.Close()
			if !s.Gone() || s.Left() > 0 {
				t.Errorf("%q, running %t: it stays, or %d of the program's processes", way, running, s.Left())
			}
		}
	}
}

// TestMarks: each action knows what went over the wire until it was done.
func TestMarks(t *testing.T) {
	k := testhouse.New(t).Keeper
	a, b := engine(t, k, "dlv", "package main\n\nfunc main() {\n\tx := 1\n\tprintln(x)\n}\n")
	s, out, err := dap.Open(context.Background(), k, a, dap.TargetOf(b), dap.DefaultOptions())
	if err != nil || out != nil {
		t.Fatal(out, err)
	}
	defer s.Close()
	do(t, s, dap.Action{Kind: dap.Break, File: "main.go", Line: 5})
	do(t, s, dap.Action{Kind: dap.Continue})
	marks := s.Marks()
	if len(marks) != 2 || marks[0] >= marks[1] || marks[1] > len(s.Wire()) {
		t.Errorf("marks %v of %d messages", marks, len(s.Wire()))
	}
}

// TestAttachFile: a description that cannot attach as it says is refused with the reason.
func TestAttachFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[attach.process]\npid = \"{pid}\"\n", ""},
		{"server = [\"x\", \"{addr}\"]\nserverReady = \"at (.*)\"\n[attach.server]\n", ""},
		{"[attach.server]\n", "attach.server needs server"},
		{"server = [\"x\"]\nserverReady = \"(\"\n[attach.server]\n", "attach.server needs server"},
		{"[attach.somehow]\n", "attach.somehow: expected one of process, name, server"},
	} {
		file := filepath.Join(t.TempDir(), "a.toml")
		text := "name = \"x\"\ncommand = [\"x\"]\ntransport = \"stdio\"\n" + c.text
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := dap.ReadAdapter(file)
		if c.want == "" && (err != nil || len(a.Attach) != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestShippedFile: the adapter file in the documentation is one.
func TestShippedFile(t *testing.T) {
	a, err := dap.ReadAdapter("../docs/gdb.toml")
	if err != nil {
		t.Fatal(err)
	}
	if a.Transport != "stdio" || !a.NoVariables || a.Launch["program"] != "{program}" {
		t.Errorf("%+v", a)
	}
}

// TestOpenEnds: a launch that its caller gives up is the caller's error, and no hang of the adapter.
func TestOpenEnds(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("out of time")
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	s, out, err := dap.Open(ctx, k, script("sleep 30"), dap.Target{Program: "/bin/true", Dir: t.TempDir()}, dap.DefaultOptions())
	if s != nil || out != nil || !errors.Is(err, why) {
		t.Errorf("got %v, %v, want the error %v", out, err, why)
	}
}

// TestOlderDelve: a Delve that cannot call back is called, and what the program prints beside it is not taken for its own.
func TestOlderDelve(t *testing.T) {
	h := testhouse.New(t)
	ctx := context.Background()
	newer, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(t.TempDir(), "dlv")
	text := "#!/bin/sh\ncase \"$*\" in\n*--help*) echo 'Usage: dlv dap [flags]'; exit;;\n*client-addr*) echo 'unknown flag: --client-addr' >&2; exit 1;;\nesac\nexec " + newer.Path + " \"$@\"\n"
	if err := os.WriteFile(older, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	a, err := dap.Resolve(ctx, h.Cache, gobuild.Engine{Adapter: "dlv", Path: older, Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	b := h.Build(t, h.Find(t, "corpus/loops")[0])
	for _, mode := range []string{"remote", "local"} {
		target := dap.TargetOf(b)
		target.Settings = map[string]any{"outputMode": mode}
		s, failed, err := dap.Open(ctx, h.Keeper, a, target, dap.DefaultOptions())
		if err != nil || failed != nil {
			t.Fatal(failed, err)
		}
		out, err := s.Do(ctx, dap.Action{Kind: dap.Finish})
		s.Close()
		if err != nil || out.Exit == nil || strings.Count(out.Exit.Stdout, "\n") != 1 {
			t.Errorf("with the output %s: %v, %v; want the program's one line", mode, out, err)
		}
	}
}
