package localise_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/cover"

	"misstep/triage/localise"
)

const source = `package p

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
// last; ER1b's scores are those of the formula.
func TestRank(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(failed bool, lines ...int) localise.Run {
		p := &cover.Profile{FileName: "example.test/p/p.go"}
		for _, l := range []int{4, 5, 9, 13} {
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
		run(true, 4, 5, 9, 13), run(true, 4, 5, 13),
		run(false, 5, 13), run(false, 9, 13), run(false, 13),
	}
	got, err := localise.Rank(runs, "example.test/p", dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []localise.Function{
		{Name: "guilty", File: "p.go", Line: 3, Score: 2, Alone: 1, Executed: 2},
		{Name: "T.everywhere", File: "p.go", Line: 12, Score: 2 - 3.0/4, Executed: 1},
		{Name: "often", File: "p.go", Line: 8, Score: 1 - 1.0/4, Executed: 1},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("rank %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
	if _, err := localise.Rank(runs[:2], "example.test/p", dir); !errors.Is(err, localise.ErrNoContrast) {
		t.Errorf("without passed runs: %v", err)
	}
}
