package gobuild_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

func TestParseEngine(t *testing.T) {
	for _, c := range []struct{ in, out, err string }{
		{"dlv", "dlv@" + gobuild.PinnedDelve, ""},
		{"dlv@v1.26.0", "dlv@v1.26.0", ""},
		{"dlv=./dlv", "dlv=./dlv", ""},
		{"lldb-dap", "lldb-dap", ""},
		{"my.toml", "my.toml", ""},
		{"dlv@v1.26.0,go=go1.25.0,experiment=nodwarf5,buildmode=pie,gcflags=all=-N,ldflags=-s,cgo=0,amd64=v3,trimpath",
			"dlv@v1.26.0,go=go1.25.0,experiment=nodwarf5,buildmode=pie,gcflags=all=-N,ldflags=-s,cgo=0,amd64=v3,trimpath", ""},
		{"", "", "expected an adapter"},
		{",go=go1.25.0", "", "expected an adapter"},
		{"gdb@14", "", "only dlv can be built by version"},
		{"dlv,colour=red", "", `unknown option "colour"`},
		{"dlv,trimpath=no", "", "takes no value"},
	} {
		e, err := gobuild.ParseEngine(c.in)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: error %v, want one with %q", c.in, err, c.err)
		case c.err == "" && (err != nil || e.String() != c.out):
			t.Errorf("%q: %q, %v; want %q", c.in, e, err, c.out)
		}
	}
}

func TestEngineRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		e, err := gobuild.ParseEngine(text)
		if err != nil {
			return
		}
		again, err := gobuild.ParseEngine(e.String())
		if err != nil || again.String() != e.String() {
			t.Fatalf("%q is %q, which is %q, %v", text, e, again, err)
		}
	})
}

// TestPinned holds the pinned version together with tools/dlv/go.mod.
func TestPinned(t *testing.T) {
	mod, err := os.ReadFile("../../tools/dlv/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`github.com/go-delve/delve (v\S+)`).FindSubmatch(mod)
	if m == nil || string(m[1]) != gobuild.PinnedDelve {
		t.Errorf("tools/dlv/go.mod requires %s, gobuild.PinnedDelve is %s", m, gobuild.PinnedDelve)
	}
}

func program(t *testing.T, body string) *gobuild.Program {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n\n"+body), 0o666); err != nil {
		t.Fatal(err)
	}
	return &gobuild.Program{Name: t.Name(), Dir: dir, Target: []string{file}, Files: []string{file}}
}

func TestFit(t *testing.T) {
	c := testhouse.New(t).Cache
	e, err := gobuild.ParseEngine("dlv")
	if err != nil {
		t.Fatal(err)
	}
	lim := gobuild.Limits{Time: 2 * time.Second, Output: 10_000}
	for _, tt := range []struct {
		name, body string
		unfit      string
		code       int
	}{
		{"fine", `func main() { println("x") }`, "", 0},
		{"exits", "import \"os\"\nfunc main() { os.Exit(7) }", "", 7},
		{"panics", `func main() { panic("no") }`, "", 2},
		{"loops", `func main() { for { } }`, "does not end", 0},
		{"prints", "import \"fmt\"\nfunc main() { for { fmt.Println(\"again and again\") } }", "prints more than", 0},
		{"waits", "import \"time\"\nfunc main() { time.Sleep(time.Hour) }", "does not end", 0},
		{"reads nothing", "import (\"os\"; \"bufio\")\nfunc main() { if _, err := bufio.NewReader(os.Stdin).ReadByte(); err != nil { os.Exit(3) } }", "", 3},
		{"time", "import (\"fmt\"; \"time\")\nfunc main() { fmt.Println(time.Now().UnixNano()) }", "not deterministic", 0},
		{"child", "import \"os/exec\"\nfunc main() { exec.Command(\"sleep\", \"986\").Start() }", "leaves a process behind", 0},
		{"killed", "import \"syscall\"\nfunc main() { syscall.Kill(syscall.Getpid(), syscall.SIGKILL) }", "", -9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := c.Build(context.Background(), program(t, tt.body), e, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			plain, err := c.Fit(context.Background(), b, lim)
			var unfit *gobuild.Unfit
			switch {
			case tt.unfit == "" && err != nil:
				t.Errorf("unfit: %v", err)
			case tt.unfit == "" && plain.ExitCode != tt.code:
				t.Errorf("exit code %d, want %d", plain.ExitCode, tt.code)
			case tt.unfit != "" && (!errors.As(err, &unfit) || !strings.Contains(unfit.Reason, tt.unfit)):
				t.Errorf("error %v, want one with %q", err, tt.unfit)
			}
			if err != nil && errors.As(err, &unfit) && (unfit.Endless != (tt.unfit == "does not end") || unfit.Idle != (tt.name == "waits")) {
				t.Errorf("endless %t, idle %t", unfit.Endless, unfit.Idle)
			}
			if tt.name == "time" {
				if plain, err := c.Repeated(context.Background(), b, lim, 2); err != nil || plain.Unsteady != "output" {
					t.Errorf("run twice: %+v, %v", plain, err)
				}
			}
		})
	}
}

func TestBuildError(t *testing.T) {
	c := testhouse.New(t).Cache
	e, _ := gobuild.ParseEngine("dlv")
	_, err := c.Build(context.Background(), program(t, "func main() { undefined() }"), e, t.TempDir())
	var b *gobuild.BuildError
	if !errors.As(err, &b) || !strings.Contains(b.Output, "main.go:3") {
		t.Errorf("error %v; want a BuildError with the place", err)
	}
}

func TestSymbols(t *testing.T) {
	c := testhouse.New(t).Cache
	e, _ := gobuild.ParseEngine("dlv")
	b, err := c.Build(context.Background(), program(t, "func f() { println(1) }\nfunc main() { f() }"), e, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	addr, err := b.Symbols.Address("main.f+0x4")
	if err != nil {
		t.Fatal(err)
	}
	if place := b.Symbols.Place(addr); place != "main.f+0x4" {
		t.Errorf("%s is at %s", addr, place)
	}
	for _, bad := range []string{"", "main.f", "main.f+x", "main.nothing+0x1"} {
		if _, err := b.Symbols.Address(bad); err == nil {
			t.Errorf("%q has an address", bad)
		}
	}
	for _, bad := range []string{"", "x", "0x1", "0xffffffffffffffff"} {
		if place := b.Symbols.Place(bad); place != "" {
			t.Errorf("%q is at %s", bad, place)
		}
	}
}

// TestBefore: instructions begin where the one before ends, and nowhere else.
func TestBefore(t *testing.T) {
	c := testhouse.New(t).Cache
	e, _ := gobuild.ParseEngine("dlv")
	b, err := c.Build(context.Background(), program(t, "func f(a, b int) int { return a / b }\nfunc main() { println(f(7, 2)) }"), e, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	code, err := b.Code()
	if err != nil {
		t.Fatal(err)
	}
	start, err := b.Symbols.AddressOf("main.f+0x0")
	if err != nil {
		t.Fatal(err)
	}
	begins := map[uint64]int{0: 0} // by offset, how long the one before is
	at := start
	for range 8 {
		in, ok := code.At(at)
		if !ok {
			t.Fatalf("no instruction at %#x", at-start)
		}
		at += uint64(len(in.Bytes))
		begins[at-start] = len(in.Bytes)
	}
	for offset := range at - start + 1 {
		place := fmt.Sprintf("main.f+%#x", offset)
		length, want := begins[offset]
		before, ok := b.Before(place)
		if ok != want || ok && len(before.Bytes) != length {
			t.Errorf("%s: %t, after %d bytes; want %t, after %d", place, ok, len(before.Bytes), want, length)
		}
	}
	for _, bad := range []string{"", "main.f", "main.nothing+0x0"} {
		if _, ok := b.Before(bad); ok {
			t.Errorf("an instruction begins at %q", bad)
		}
	}
}

func TestDlvMissing(t *testing.T) {
	c := testhouse.New(t).Cache
	e, _ := gobuild.ParseEngine("dlv=/no/such/dlv")
	if _, err := c.Dlv(context.Background(), e); err == nil || !strings.Contains(err.Error(), "/no/such/dlv") {
		t.Errorf("error %v", err)
	}
}

// TestStripped: which flags of the linker leave out the debug information.
func TestStripped(t *testing.T) {
	for _, c := range []struct {
		engine string
		flags  []string
		want   bool
	}{
		{"dlv", nil, false},
		{"dlv,ldflags=-w", nil, true},
		{"dlv,ldflags=-s", nil, true},
		{"dlv,ldflags=-s -w=0", nil, false},
		{"dlv,ldflags=-w=false -s=true", nil, false},
		{"dlv,ldflags=-s=false -w=true", nil, true},
		{"dlv,ldflags=-w", []string{"-ldflags=-X main.v=-w"}, false},
		{"dlv", []string{"-ldflags", "-s"}, true},
	} {
		e, err := gobuild.ParseEngine(c.engine)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Stripped(&gobuild.Program{Flags: c.flags}); got != c.want {
			t.Errorf("%s, %q: %v, want %v", c.engine, c.flags, got, c.want)
		}
	}
}

func TestOptimises(t *testing.T) {
	for _, c := range []struct {
		engine string
		flags  []string
		want   bool
	}{
		{"dlv", nil, false},
		{"dlv,gcflags=", nil, true},
		{"dlv,gcflags=all=-N", nil, true},
		{"dlv,gcflags=all=-l", nil, true},
		{"dlv,gcflags=-N -l", nil, true}, // of the named packages alone
		{"dlv,gcflags=all=-l -N -dwarflocationlists=true", nil, false},
		{"dlv,gcflags=own=", nil, true},
		{"dlv,gcflags=own=-N", nil, true},
		{"dlv,gcflags=own=-N -l", nil, false},
		{"dlv,gcflags=own=-N -l", []string{"-gcflags="}, true},
		{"dlv", []string{"-tags=x"}, false},
		{"dlv", []string{"-gcflags=-m"}, true},
		{"dlv", []string{"-gcflags", "all=-N"}, true},
		{"dlv,gcflags=", []string{"--gcflags=all=-N -l"}, false},
	} {
		e, err := gobuild.ParseEngine(c.engine)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Optimises(&gobuild.Program{Flags: c.flags}); got != c.want {
			t.Errorf("%s, %q: %v, want %v", c.engine, c.flags, got, c.want)
		}
	}
}
