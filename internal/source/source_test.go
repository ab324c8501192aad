package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

const text = `package main

import "fmt"

type t struct{ v int }

func (x *t) get(k int) (r int) {
	r = x.v *
		k
	for i := range 3 {
		r += i
	}
	return r
}

func main() {
	a, b := 1,
		2
	f := func(n int) int {
		c := a + n
		return c
	}

	if b > 1 {
		b := "shadow"
		fmt.Println(b)
	}
	switch x := any(a).(type) {
	case int:
		fmt.Println(x)
	}
	fmt.Println(f(b), (&t{1}).get(2))
}
`

func load(t *testing.T) *source.Source {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return testhouse.New(t).Load(t, &gobuild.Program{Name: "p", Dir: dir, Files: []string{file}})
}

// lineOf is the line of the text that begins so.
func lineOf(t *testing.T, prefix string) source.Place {
	for i, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), prefix) {
			return source.Place{File: "main.go", Line: i + 1}
		}
	}
	t.Fatalf("no line begins with %q", prefix)
	return source.Place{}
}

func TestNodeAt(t *testing.T) {
	s := load(t)
	for line, want := range map[string]string{
		"for i :=": "RangeStmt", "r += i": "AssignStmt", "return r": "ReturnStmt", "if b": "IfStmt",
		"switch x": "TypeSwitchStmt", "case int": "CaseClause", "func main": "FuncDecl",
		`import`: "GenDecl", "r = x.v": "AssignStmt",
	} {
		if got := s.NodeAt(lineOf(t, line)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if got := s.NodeAt(source.Place{File: "main.go", Line: 2}); got != "blank" {
		t.Errorf("an empty line: %s", got)
	}
	for _, p := range []source.Place{{File: "main.go", Line: 0}, {File: "main.go", Line: 999}, {File: "x.go", Line: 1}} {
		if got := s.NodeAt(p); got != "outside" {
			t.Errorf("%s: %s", p, got)
		}
	}
}

func TestSettled(t *testing.T) {
	s := load(t)
	for _, c := range []struct {
		line, fn, name string
		want           bool
	}{
		{"func (x *t)", "main.(*t).get", "k", true},  // a parameter, at the entry
		{"func (x *t)", "main.(*t).get", "r", false}, // a named result, at the entry
		{"r = x.v", "main.(*t).get", "r", true},
		{"for i :=", "main.(*t).get", "i", false}, // in the head of its loop
		{"r += i", "main.(*t).get", "i", true},
		{"a, b :=", "main.main", "a", false},
		{"2", "main.main", "b", false}, // inside its own initialiser
		{"f :=", "main.main", "a", true},
		{"f :=", "main.main", "f", false},
		{"f :=", "main.main.func1", "a", false}, // captured, at the closure's entry
		{"c := a", "main.main.func1", "a", true},
		{`b := "shadow"`, "main.main", "b", false},
		{"fmt.Println(b)", "main.main", "b", true},
		{"fmt.Println(x)", "main.main", "x", true},
		{"return r", "main.(*t).get", "~r0", false},
		{"return r", "main.(*t).get", "nothing", false},
	} {
		if got := s.Settled(lineOf(t, c.line), c.fn, c.name); got != c.want {
			t.Errorf("%s in %s at %q: %t", c.name, c.fn, c.line, got)
		}
	}
}

func TestFuncs(t *testing.T) {
	s := load(t)
	var names []string
	for _, f := range s.Funcs() {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "main.(*t).get main.main" {
		t.Error(got)
	}
	if f := s.FuncAt(lineOf(t, "r += i")); f == nil || f.Name != "main.(*t).get" {
		t.Errorf("%v", f)
	}
	if f := s.FuncAt(source.Place{File: "main.go", Line: 3}); f != nil {
		t.Errorf("%v", f)
	}
	for _, p := range s.Code() {
		if n := s.NodeAt(p); n == "blank" || n == "FuncDecl" {
			t.Errorf("no statement begins at %s: %s", p, n)
		}
	}
}
