package source_test

import (
	"strings"
	"testing"

	"misstep/internal/source"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a  b\n\tc", "a b c"},
		{`T{Name:    "  x  ",` + "\n\tOf: 1}", `T{Name: "  x  ", Of: 1}`},
		{`f("a\"  b",  c)`, `f("a\"  b", c)`},
		{"`a  b`  +  `c\n   d`", "`a  b` + `c d`"},
		{`a "  b`, `a " b`},
		{"\"" + strings.Repeat("\\\"", 1<<20), "\"" + strings.Repeat("\\\"", 14) + "\\…"},
		{"", ""},
		{"  ", ""},
		{"abcdefghijkl", "abcdefghij…"},
	} {
		n := 30
		if len(c.text) == 12 {
			n = 10
		}
		if got := source.Shorten(c.text, n); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
