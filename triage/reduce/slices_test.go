package reduce_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"misstep/script"
	"misstep/triage/reduce"
)

const shop = `debug .
continue
-- go.mod --
module m

go 1.26
-- main.go --
package main

import (
	"fmt"
	"strings"
)

// shout is loud.
func shout(s string) string {
	return strings.ToUpper(s)
}

func sum(xs []int) int {
	total := 0
	for _, x := range xs {
		if x > 0 {
			total += x
		}
	}
	return total
}

func main() {
	fmt.Println(shout("x"))
	prices := []int{1, 2, 3}
	fmt.Println(sum(prices))
}
`

// TestSlices: slices are programs within the bound, each with a statement of the program and what that needs; what does not fit is not
// among them.
func TestSlices(t *testing.T) {
	s, err := script.Parse([]byte(shop), "test")
	if err != nil {
		t.Fatal(err)
	}
	all := reduce.Slices(s.Files, ".", 17)
	has := func(text string) bool {
		for _, files := range all {
			for _, f := range files {
				if strings.Contains(string(f.Data), text) {
					return true
				}
			}
		}
		return false
	}
	if len(all) < 2 || !has("strings.ToUpper") || !has("func sum") || has("import (\n)") {
		t.Errorf("%d slices: %s", len(all), all)
	}
	for _, files := range all {
		slice := &script.Script{Files: files}
		if n := slice.Lines(); n > 17 {
			t.Errorf("a slice has %d lines", n)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name, ".go") {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, 0); err != nil {
				t.Error(err)
			}
		}
	}
	if got := reduce.Slices(s.Files, ".", 2); len(got) > 0 {
		t.Errorf("within two lines there are %d slices", len(got))
	}
}
