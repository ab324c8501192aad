package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
	slices.Sort(survives)
	slices.Sort(unreached)
	if got := strings.Join(survives, "\n"); got != "m/m.go:12 add: boundary: a >= 0\nm/m.go:12 add: constant: 0" {
		t.Errorf("survives: %s", got)
	}
	if got := strings.Join(unreached, "\n"); got != "m/m.go:18 never: returns at once: never\nm/m.go:18 never: statement deleted: println(\"never\")" {
		t.Errorf("not reached: %s", got)
	}
	if got, want := strings.Join(strings.Fields(lines[len(lines)-1]), " "), "m 14 14 1 9 2 2 69 %"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
