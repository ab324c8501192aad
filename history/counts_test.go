package history_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/testhouse"
)

// TestStatements: each statement with how many times it ran, in order; what never ran is not
// there, and a loop counts once for each time that it is entered.
func TestStatements(t *testing.T) {
	h := testhouse.New(t)
	p, err := h.Finder().Unpack(context.Background(), "p", txtar.Parse([]byte(`-- main.go --
package main

func main() {
	n := 0
	for i := range 3 {
		if i > 0 {
			n += twice(i)
		} else if i > 5 {
			n = 0
		}
	}
	println(n)
}

func twice(n int) int {
	return 2 * n
}
`)))
	if err != nil {
		t.Fatal(err)
	}
	rec, _, text, _ := recordRun(t, h, p, record.BuildOptions{})
	r, _ := read(t, text)
	tree, err := r.Tree()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range history.Count(rec.Code(), tree).Statements(rec.Plan.Files[0].Path) {
		got = append(got, fmt.Sprintf("%d:%d %d", s.Line, s.Column, s.Count))
	}
	want := []string{"4:2 1", "5:2 1", "6:3 3", "7:4 2", "8:10 1", "12:2 1", "16:2 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
