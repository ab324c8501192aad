package executed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/cover"

	"misstep/internal/executed"
)

const source = `package p

type T struct{}

func (t *T) used() {
	println()
}

func unused() {
	println()
	println()
}

func empty() {}
`

func TestOf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	profiles := []*cover.Profile{
		{FileName: "example.test/p/p.go", Blocks: []cover.ProfileBlock{
			{StartLine: 5, EndLine: 7, NumStmt: 1, Count: 3},
			{StartLine: 9, EndLine: 12, NumStmt: 2},
			{StartLine: 14, EndLine: 14},
		}},
		{FileName: "example.test/other/q.go", Blocks: []cover.ProfileBlock{{StartLine: 1, EndLine: 1, NumStmt: 1}}},
	}
	r, err := executed.Of(profiles, "example.test/p", dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `  statements  executed  percent  package
           3         1     33.3  .
           3         1     33.3  all

Functions of which nothing was executed, by their statements:

  2  p.go:9 unused
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	if r, err = executed.Of(profiles, "example.test/p", ""); err != nil || len(r.Unused) != 0 || len(r.Packages) != 1 {
		t.Errorf("without the source: %+v, %v", r, err)
	}
}
