package synth

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"html"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func grammar(t testing.TB) *Grammar {
	t.Helper()
	g, err := Go()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSpec: the grammar is that of the specification that comes with the toolchain, if it comes with one.
func TestSpec(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "doc", "go_spec.html"))
	if err != nil {
		t.Skip("this toolchain has no specification: ", err)
	}
	var productions []string
	for _, m := range regexp.MustCompile(`(?s)<pre class="ebnf">(.*?)</pre>`).FindAllStringSubmatch(string(text), -1) {
		productions = append(productions, html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1], "")))
	}
	theirs, err := parse(strings.Join(productions, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	ours := grammar(t)
	for name, p := range theirs.productions {
		if q := ours.productions[name]; q == nil || q.String() != p.String() {
			t.Errorf("%s = %s, the specification of this toolchain has %s", name, q, p)
		}
	}
}

func TestAlternatives(t *testing.T) {
	g, err := parse(`A = "a" | B [ "c" ] . B = { "b" "d" } .`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range g.Alternatives() {
		if !strings.Contains("newline unicode_char unicode_letter unicode_digit", a.Production) {
			got = append(got, a.String()+" "+g.Say(a))
		}
	}
	want := []string{
		"A A", `A.1.0 A: "a"`, `A.1.1 A: B [ "c" ]`, `A.2.0 A: without "c"`, `A.2.1 A: with "c"`,
		"B B", `B.1.0 B: no "b" "d"`, `B.1.1 B: one "b" "d"`, `B.1.2 B: several "b" "d"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestShortest: the length of the shortest string of some productions, in tokens.
func TestShortest(t *testing.T) {
	g := grammar(t)
	for name, want := range map[string]int{"EmptyStmt": 0, "Expression": 1, "Block": 2, "ForStmt": 3, "IfStmt": 4, "SelectStmt": 3, "TypeSwitchGuard": 5} {
		if got := g.productions[name].size; got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	for name, n := range g.productions {
		if n.size >= none {
			t.Errorf("%s has no string", name)
		}
	}
}

// TestDerive: a derivation has the alternative that it is steered to.
func TestDerive(t *testing.T) {
	g := grammar(t)
	all := g.Alternatives()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SampledFrom(all).Draw(t, "alternative")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		ids := &identifiers{r: r, mostly: map[string][]string{}}
		text, used, ok := g.derive(r, "SourceFile", want, ids.leaf)
		if !ok || !used[want] {
			t.Fatalf("%s is not in %s", g.Say(want), text)
		}
	})
}

// TestPrograms: programs for alternatives that are sampled parse and type-check, and are the same for the same seed.
func TestPrograms(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	wanted := s.Sample(3, 40)
	all := func(*Program) bool { return true }
	first, second := s.Programs(t.Context(), 3, wanted, all), s.Programs(t.Context(), 3, wanted, all)
	if len(first.Programs) != len(second.Programs) || len(first.Left) > 2 {
		t.Fatalf("%d programs, then %d; left are %v", len(first.Programs), len(second.Programs), first.Left)
	}
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for i, p := range first.Programs {
		if p.Text != second.Programs[i].Text {
			t.Errorf("%s: another program with the same seed:\n%s\n%s", s.Grammar.Say(p.For), p.Text, second.Programs[i].Text)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "main.go", p.Text, 0)
		if err != nil {
			t.Fatalf("%s: %v", p.Text, err)
		}
		cfg := types.Config{Importer: imports}
		if _, err := cfg.Check("main", fset, []*ast.File{file}, nil); err != nil {
			t.Errorf("%s: %v", p.Text, err)
		}
		if !p.Has[p.For] {
			t.Errorf("%s is not in the program for it", s.Grammar.Say(p.For))
		}
	}
}

// TestMend: what is only unused is used, what does not end is ended, and what is wrong stays wrong.
func TestMend(t *testing.T) {
	c := &checker{imports: importer.ForCompiler(token.NewFileSet(), "source", nil)}
	for _, test := range []struct{ body, want string }{
		{"x := 1", "_ = x"},
		{"if x := 1; count > 2 {\n}", "_ = x"},
		{"switch x := any(1).(type) {\n}", "default:"},
		{"switch x := any(1).(type) {\ncase int:\n}", "_ = x"},
		{"for x := range 3 {\n}", "_ = x"},
		{"for {\n}", "count > 4"},
		{"again:\ncount++", "goto again"},
		{"_ = func() (int, string) {\n}", "*new(int), *new(string)"},
		{"ch := make(chan int)\nselect {\ncase x := <-ch:\n}", "_ = x"},
		{"count := \"a\" + 1", ""},
	} {
		text, err := c.mend("package main\nvar count int\nvar never bool\nfunc main() {\n" + test.body + "\n}\n")
		if (test.want == "") != (err != nil) || !strings.Contains(text, test.want) {
			t.Errorf("%s: %v\n%s", test.body, err, text)
		}
	}
}
