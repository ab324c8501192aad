package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutants: of a package with one test, the mutants that the test cannot see survive, and no
// others.
func TestMutants(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26.0\n",
		"m.go": `package m

func most(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func add(a, b int, on bool) (sum int) {
	sum = a
	if on && a >= 0 {
		sum += b
	}
	return sum - 1
}

func never() { println("never") }
`,
		"m_test.go": `package m

import "testing"

func TestMost(t *testing.T) {
	if most(1, 2) != 2 || most(3, 2) != 3 {
		t.Fatal()
	}
}

func TestAdd(t *testing.T) {
	for _, c := range []struct {
		a, want int
		on      bool
	}{{1, 2, true}, {1, 0, false}} {
		t.Run("case", func(t *testing.T) {
			if add(c.a, 2, c.on) != c.want {
				t.Fatal()
			}
		})
	}
}
`,
		"same.txt": "# nothing\nm/m.go most | boundary | a > b | both are the same then\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out strings.Builder
	if err := run(context.Background(), &options{jobs: 2, equivalent: "same.txt"}, []string{"."}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var survives, unreached []string
	for _, l := range lines {
		if _, m, ok := strings.Cut(l, "survives: "); ok {
			survives = append(survives, m)
		}
		if _, m, ok := strings.Cut(l, "not reached: "); ok {
			unreached = append(unreached, m)
		}
	}
	if got := strings.Join(survives, "\n"); got != "m/m.go:12 add: boundary: a >= 0" {
		t.Errorf("survives: %s", got)
	}
	if got := strings.Join(unreached, "\n"); got != `m/m.go:18 never: statement deleted: println("never")` {
		t.Errorf("not reached: %s", got)
	}
	if got, want := strings.Join(strings.Fields(lines[len(lines)-1]), " "), "m 9 9 1 6 1 1 75 %"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestList: what a list of equivalent mutants must be.
func TestList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(file, []byte("m/m.go most | boundary\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := equivalents(file); err == nil || !strings.Contains(err.Error(), "list:1: want") {
		t.Error(err)
	}
	if same, err := equivalents(file + "none"); err != nil || same != nil {
		t.Error(same, err)
	}
}
