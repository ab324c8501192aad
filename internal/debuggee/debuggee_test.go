package debuggee_test

import (
	"testing"

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
		text := "-- go.mod --\nmodule unsteady\n\ngo 1.23\n-- main.go --\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\t" + c.body + "\n}\n"
		p, err := (&gen.Finder{Cache: h.Cache, Keeper: h.Keeper, Engine: h.Engine}).Unpack(t.Context(), "unsteady", txtar.Parse([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Fit(t.Context(), p, h.Engine)
		if err != nil || d.Unsteady != c.want {
			t.Errorf("%s: %v; runs differ in their %q, want %q", c.body, err, d.Unsteady, c.want)
		}
	}
}
