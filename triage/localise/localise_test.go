package localise_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
	"golang.org/x/tools/txtar"

	"misstep/script"
	"misstep/triage/localise"
)

const source = `package p

// What is always wrong.
func guilty() {
	wrong()
	always()
}

func often() {
	run()
}

func (t *T) everywhere() {
	run()
}
`

// TestRank: what only failed runs execute is first, what most passed runs execute
// last; ER1b's scores are those of the formula, with failed runs as a share.
func TestRank(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(failed bool, lines ...int) localise.Run {
		p := &cover.Profile{FileName: "example.test/p/p.go"}
		for _, l := range []int{5, 6, 10, 14} {
			b := cover.ProfileBlock{StartLine: l, StartCol: 2, EndLine: l, EndCol: 9, NumStmt: 1}
			for _, x := range lines {
				if x == l {
					b.Count = 3
				}
			}
			p.Blocks = append(p.Blocks, b)
		}
		return localise.Run{Failed: failed, Profiles: []*cover.Profile{p}}
	}
	runs := []localise.Run{
		run(true, 5, 6, 10, 14), run(true, 5, 6, 14),
		run(false, 6, 14), run(false, 10, 14), run(false, 14),
	}
	got, err := localise.Rank(localise.Clues{}, runs, "example.test/p", dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []localise.Function{
		{Name: "guilty", File: "p.go", Line: 4, Spectrum: 1, Alone: 1, Executed: 2},
		{Name: "often", File: "p.go", Line: 9, Spectrum: 0.5 - 1.0/4, Executed: 1},
		{Name: "T.everywhere", File: "p.go", Line: 13, Spectrum: 1 - 3.0/4, Executed: 1},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		want[i].Score = want[i].Spectrum
		if got[i] != want[i] {
			t.Errorf("rank %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
	// Words and panics tell where runs do not.
	for _, c := range []struct {
		finding localise.Clues
		first   string
	}{
		{localise.Clues{Words: "the guilty ones are always wrong"}, "guilty"},
		{localise.Clues{Words: "set-everywhere"}, "T.everywhere"},
		{localise.Clues{Panicked: []string{"sync.Mutex.Lock", "p.often.func1", "p.often", "p.T.everywhere"}}, "often"},
	} {
		got, err := localise.Rank(c.finding, runs[:2], "example.test/p", dir)
		if err != nil || got[0].Name != c.first {
			t.Errorf("%+v: %+v, %v", c.finding, got, err)
		}
		if c.finding.Panicked != nil && (got[0].Panic != 1 || got[1].Panic != 0.5) {
			t.Errorf("on the stack: %+v", got)
		}
	}
	if _, err := localise.Rank(localise.Clues{}, runs[2:], "example.test/p", dir); !errors.Is(err, localise.ErrNotShown) {
		t.Errorf("without failed runs: %v", err)
	}
}

const finding = `# class: R9-evaluate/eval/SelectorExpr/variables
# engine: dlv@v1.26.2
# program: p, seed 1
# An expression has its value. But "7 secret" in one, 8 in the other.
# evidence: debugger: an expression
debug .
break main.go:9
continue
eval p.x
reference R9-evaluate
-- main.go --
package main

import "fmt"

type point struct{ x, y int }

func main() {
	p := point{1, 2}
	q := p
	fmt.Println(p.x, q.y)
}
`

func parse(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse([]byte(text), "finding.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNeighbours: what is one edit away, the last action's first, names only in the place
// of names of their kind.
func TestNeighbours(t *testing.T) {
	var edits []string
	for _, n := range localise.Neighbours(parse(t, finding)) {
		ar := txtar.Parse(n.Format())
		lines := strings.Split(strings.TrimSpace(string(ar.Comment)), "\n")
		if len(lines) != 5 || len(ar.Files) != 1 {
			t.Fatalf("%s", n.Format())
		}
		for i, was := range []string{"debug .", "break main.go:9", "continue", "eval p.x", "reference R9-evaluate"} {
			if lines[i] != was {
				edits = append(edits, lines[i])
			}
		}
	}
	for _, want := range []string{"eval q.x", "eval p.y", "eval p", "eval q.y", "break main.go:8", "break main.go:10", "next", "finish"} {
		if !slices.Contains(edits, want) {
			t.Errorf("no %q among %q", want, edits)
		}
	}
	if len(edits) == 0 || edits[0] != "eval q.x" {
		t.Errorf("%q", edits)
	}
	for _, no := range []string{"eval fmt.x", "eval x.x", "eval fmt.Println", "break main.go:3"} {
		if slices.Contains(edits, no) {
			t.Errorf("%q is no neighbour", no)
		}
	}
	if n := localise.Neighbours(parse(t, strings.Replace(finding, "reference R9-evaluate", "eval p.x 2", 1))); n != nil {
		t.Errorf("%d neighbours of a script that does not know what they show", len(n))
	}
}

func TestSay(t *testing.T) {
	got := localise.Say(parse(t, finding), "R9-evaluate/eval/SelectorExpr/variables")
	for _, want := range []string{"SelectorExpr", "An expression has its value", "evaluate", "reference R9-evaluate"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	for _, no := range []string{"secret", "engine", "seed", "debugger"} {
		if strings.Contains(got, no) {
			t.Errorf("%q in %q", no, got)
		}
	}
}
