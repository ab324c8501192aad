package reference_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// TestEnding: where a program ends in what it calls, none of the statements after that call is executed, and no debugger is blamed for
// passing by a breakpoint there; those before it are executed.
func TestEnding(t *testing.T) {
	h := testhouse.New(t)
	for _, test := range []struct{ name, imports, top, dies string }{
		{"a library exits", `import "flag"`, "", `err := flag.NewFlagSet("", flag.ExitOnError).Parse([]string{"-none"}); _ = err`},
		{"a method exits", "import \"log\"\nimport \"os\"", "", `log.New(os.Stdout, "", 0).Fatal("dies")`},
		{"a function value exits", `import "os"`, "var exit = os.Exit", `exit(3)`},
		{"all goroutines wait", "", "", `v := <-make(chan int); _ = v`},
		{"a fatal error", `import "sync"`, "", `new(sync.Mutex).Unlock()`},
		{"a signal in C", "/*\nstatic int poke(int *p) { return *p; }\n*/\nimport \"C\"", "", `v := C.poke(nil); _ = v`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := exec.LookPath("gcc"); err != nil && strings.Contains(test.imports, `"C"`) {
				t.Skip("there is no C compiler")
			}
			text := strings.NewReplacer("IMPORTS", test.imports, "TOP", test.top, "DIES", test.dies).Replace(`package main

IMPORTS

TOP

func work(n int) int {
	n *= 2
	DIES
	n++
	return n
}

func main() {
	x := work(3)
	println(x)
}
`)
			line := func(of string) int {
				before, _, _ := strings.Cut(text, of)
				return strings.Count(before, "\n") + 1
			}
			p, m := recorded(t, h, text, reference.Probes{})
			last := m.Moments[len(m.Moments)-1]
			if got := last.Activation.Steps[last.Step].First; got != line(test.dies) {
				t.Errorf("the last statement that is executed is at line %d, want %d", got, line(test.dies))
			}
			events := session(t, h, p, []dap.Action{
				{Kind: dap.Break, File: "main.go", Line: line("n *= 2")}, {Kind: dap.Break, File: "main.go", Line: line("return n\n")},
				{Kind: dap.Break, File: "main.go", Line: line("println(x)")}, {Kind: dap.Catch, Name: "none"},
				{Kind: dap.Continue}, {Kind: dap.StepOut},
			})
			found, tally, err := m.Judge(context.Background(), &oracle.Seen{Events: events})
			if err != nil || len(found) > 0 {
				t.Error(err, found)
			}
			if tally.Made["reference/R2-breakpoint"] == 0 {
				t.Error("no breakpoint was judged")
			}
			// A debugger that does not pause before the end has missed the first breakpoint.
			missed := append(events[:4:4], events[5])
			if found, _, err = m.Judge(context.Background(), &oracle.Seen{Events: missed}); err != nil || len(found) != 1 || found[0].Rule != "R2-breakpoint" {
				t.Error("a breakpoint that is missed:", err, found)
			}
		})
	}
}

// TestEndsElsewhere: where another goroutine ends the program, or none is left, nothing is told of what the one that is followed does until
// then.
func TestEndsElsewhere(t *testing.T) {
	h := testhouse.New(t)
	for _, test := range []struct {
		name, text string
		actions    []dap.Action
	}{
		{"another goroutine exits", `package main

import "os"

func work(c chan int) {
	n := <-c
	os.Exit(n)
}

func main() {
	c := make(chan int)
	go work(c)
	x := 3
	c <- x
	x++
	select {}
}
`, []dap.Action{{Kind: dap.Break, File: "main.go", Line: 15}, {Kind: dap.Break, File: "main.go", Line: 13, Log: "here"}, {Kind: dap.Continue}, {Kind: dap.Continue}}},
		{"none is left", `package main

import "runtime"

func stop(n int) int {
	n++
	n *= 2
	runtime.Goexit()
	return n
}

func main() {
	x := 2
	x = stop(x)
	println(x)
}
`, []dap.Action{{Kind: dap.Break, File: "main.go", Line: 14}, {Kind: dap.Break, File: "main.go", Line: 7, Log: "here"}, {Kind: dap.Continue}, {Kind: dap.Next}, {Kind: dap.Continue}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, m := recorded(t, h, test.text, reference.Probes{})
			found, tally, err := m.Judge(context.Background(), &oracle.Seen{Events: session(t, h, p, test.actions)})
			if err != nil || len(found) > 0 {
				t.Error(err, found, tally)
			}
		})
	}
}
