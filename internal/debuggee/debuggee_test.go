package debuggee_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// TestUnsteady: a program that prints what follows the order of a map's entries is found to print something else at times.
func TestUnsteady(t *testing.T) {
	h := testhouse.New(t)
	m := &debuggee.Maker{Keeper: h.Keeper, Cache: h.Cache, Loader: h.Loader, Limits: gobuild.DefaultLimits}
	for _, c := range []struct{ body, want string }{
		{"for k := range map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true} {\n\t\tprint(k)\n\t\tfmt.Println(k)\n\t}", "output"},
		{"n := 0\n\tfor k := range map[int]bool{1: true, 2: true, 3: true} {\n\t\tn += k\n\t}\n\tfmt.Println(n)", ""},
	} {
		p := program(t, h, "fmt", c.body)
		d, err := m.Fit(t.Context(), p, h.Engine)
		if err != nil || d.Unsteady != c.want {
			t.Errorf("%s: %v; runs differ in their %q, want %q", c.body, err, d.Unsteady, c.want)
		}
	}
}

// TestEndless: a program that does not end can be debugged, beside itself unless two of it cannot run at the same time.
func TestEndless(t *testing.T) {
	h := testhouse.New(t)
	limits := gobuild.DefaultLimits
	limits.Time = 2 * time.Second
	m := &debuggee.Maker{Keeper: h.Keeper, Cache: h.Cache, Loader: h.Loader, Limits: limits}
	for _, c := range []struct {
		imports, body string
		alone         bool
	}{
		{"time", "for {\n\t\ttime.Sleep(time.Second)\n\t}", false},
		{"net", fmt.Sprintf("if _, err := net.Listen(\"unix\", \"@misstep-%d\"); err != nil {\n\t\tpanic(err)\n\t}\n\tfor {\n\t}", os.Getpid()), true},
	} {
		p := program(t, h, c.imports, c.body)
		var unfit *gobuild.Unfit
		if _, err := m.Fit(t.Context(), p, h.Engine); !errors.As(err, &unfit) || !unfit.Endless {
			t.Errorf("%s: %v, want that it does not end", c.body, err)
		}
		d, alone, err := m.Endless(t.Context(), p, h.Engine)
		if err != nil || alone != c.alone {
			t.Errorf("%s: %v; alone %t, want %t", c.body, err, alone, c.alone)
		}
		if err == nil && (d.Build.Program.Endless == 0 || p.Endless != 0 || d.Unsteady == "") {
			t.Errorf("%s: its debuggee does not say that it has no end, or the program itself does", c.body)
		}
	}
}

// program is one whose main has a body.
func program(t *testing.T, h *testhouse.House, imports, body string) *gobuild.Program {
	text := fmt.Sprintf("-- go.mod --\nmodule body\n\ngo 1.23\n-- main.go --\npackage main\n\nimport %q\n\nfunc main() {\n\t%s\n}\n", imports, body)
	p, err := (&gen.Finder{Cache: h.Cache, Keeper: h.Keeper, Engine: h.Engine}).Unpack(t.Context(), "body", txtar.Parse([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
