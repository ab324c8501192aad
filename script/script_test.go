package script_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
	"misstep/script"
)

// TestRoundTrip: each script of the suite and of the documentation is written as it was
// read, but for quotes that nobody needs.
func TestRoundTrip(t *testing.T) {
	suite, _ := filepath.Glob("../testscripts/suite/*.txtar")
	docs, _ := filepath.Glob("../docs/findings/*.txtar")
	files := append(suite, docs...)
	if len(files) < 50 {
		t.Fatalf("%d scripts", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(text, file)
		if err != nil {
			t.Error(err)
			continue
		}
		// Quotes around a word that needs none are dropped.
		same := func(a []byte) string { return strings.ReplaceAll(string(a), "'", "") }
		out := s.Format()
		if same(out) != same(text) {
			t.Errorf("%s is written as\n%s", file, out)
		}
		again, err := script.Parse(out, file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(again.Format(), out) || !reflect.DeepEqual(s, again) {
			t.Errorf("%s is not read as it was written", file)
		}
	}
}

// TestUnended: a file whose last line has no newline has none when it is read again, and one that is empty is empty.
func TestUnended(t *testing.T) {
	s, err := script.Parse([]byte("debug .\n-- main.go --\npackage main\n"), "s")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"package main\n\nfunc main() {}", "package main\n", "", "\n", "//\n\n"} {
		s.Files[0].Data = []byte(text)
		again, err := script.Parse(s.Format(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if f := again.Files[0]; f.Name != "main.go" || string(f.Data) != text {
			t.Errorf("%q is read as %q, of %s", text, f.Data, f.Name)
		}
	}
}

// TestActions: each kind of action has a command, which holds all of its fields.
func TestActions(t *testing.T) {
	full := dap.Action{
		File: "a b.go", Line: 7, Condition: "x == 'y'", Hit: ">=1", Log: "at {x} # here\n and there ", Name: "-n", Value: "it''s",
		Frame: 2, Page: 3, Order: []int{1, 0}, Instruction: true,
	}
	for _, m := range dap.Meanings() {
		a, full := dap.Action{Kind: m.Kind}, full
		switch m.Kind { // some of which are held against what there is
		case dap.Request:
			full.Name, full.Value = "threads", `{"x": "it's -n"}`
		case dap.Restart:
			full.Value = `{"x": "it's -n"}`
		}
		for _, f := range m.Fields {
			if err := f.Set(&a, f.Get(&full)); err != nil {
				t.Fatal(m.Kind, err)
			}
		}
		c := script.Command{Verb: string(m.Kind), Action: a}
		got, err := script.ParseCommand(c.String())
		if err != nil {
			t.Errorf("%s: %v", c.String(), err)
			continue
		}
		if !reflect.DeepEqual(got.Action, a) || got.Verb != c.Verb || len(got.Args) > 0 {
			t.Errorf("%s is read as %+v, want %+v", c.String(), got.Action, a)
		}
	}
}

// TestErrors: what is no script is said to be so, with file, line and what was expected.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "x: it has no debug or cover command; expected a script, such as a finding of a hunt",
		"next\n":                        "x:1: next: expected debug or cover first, and once",
		"debug .\ndebug .\n":            "x:2: debug: expected debug or cover first, and once",
		"debug .\nbreak main.go\n":      `x:2: break: expected file:line, not "main.go"; usage: break [-if CONDITION] [-hit HITCONDITION] [-log MESSAGE] FILE:LINE`,
		"debug .\n\nbrake main.go:3\n":  `x:3: unknown command "brake"; misstep commands lists them`,
		"debug .\nnext 3\n":             "x:2: next: 1 words; usage: next [-instruction] [-thread N]",
		"debug .\n! disconnect\n":       "x:2: disconnect: ! has no meaning here; usage: disconnect [-plain] [-running] [-way WAY]",
		"debug .\nstack -page x\n":      `x:2: stack: invalid value "x" for flag -page: -page: expected a number from 0 on, not "x"; usage: stack [-page N] [-thread N] FUNCTION[:LINE]…`,
		"debug .\neval 'a\n":            "x:2: a quote is not closed",
		"debug .\nseen main.go:0\n":     `x:2: seen: expected file:line, not "main.go:0"`,
		"debug .\nrestart -with {\n":    `x:2: restart: invalid value "{" for flag -with: expected arguments in JSON, not "{"; usage: restart [-running] [-with JSON]`,
		"debug .\n# why\nseen a.go:1\n": "x:3: seen: expected a command in the line above",
		"debug .\n!\n":                  "x:2: ! stands alone; expected a command after it",
	} {
		if _, err := script.Parse([]byte(text), "x"); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

const program = "package main\n\nfunc main() {\n\tfor i := range 3 {\n\t\tprintln(i)\n\t}\n}\n"

func written(t *testing.T) *gobuild.Program {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	return &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}
}

func at(line int, reason string) dap.Output {
	return dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Reason: reason, Stack: []dap.Frame{{Func: "main.main", File: "main.go", Line: line}}}}
}

// TestOf: a finding as a script.
func TestOf(t *testing.T) {
	f := &finding.Finding{
		Oracle: "metamorphic", Rule: "add-breakpoint", Class: finding.Class{Rule: "c"}, Reason: "It must. But it does not.", Program: "p", Seed: 7,
		Engine: "dlv@v1.26.0", Params: map[string]string{"at": "2", "line": "main.go:5", "expr": "a b"},
		Evidence: &finding.Evidence{Points: "debugger", Because: "so it is"},
		Payload: &finding.Session{Base: []dap.Event{
			{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 4}, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{Verified: true, Line: 4}}},
			{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 2}, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{}}},
			{Action: dap.Action{Kind: dap.Continue}, Output: at(4, "breakpoint")},
			{Action: dap.Action{Kind: dap.Next}, Output: at(5, "step")},
		}},
	}
	s, err := script.Of(f, written(t))
	if err != nil {
		t.Fatal(err)
	}
	const want = `# class: c
# engine: dlv@v1.26.0
# program: p, seed 7
# It must. But it does not.
# evidence: debugger: so it is
debug -engine dlv@v1.26.0 main.go
break main.go:4
! break main.go:2
continue
seen -reason breakpoint main.go:4 main.main
next
seen -reason step main.go:5 main.main
relate add-breakpoint at=2 'expr=a b' line=main.go:5
-- main.go --
` + program
	if got := string(s.Format()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if s.Engine() != "dlv@v1.26.0" || s.Judge() == nil || s.Head.Seed != 7 {
		t.Errorf("%+v", s)
	}
	if _, err := script.Of(&finding.Finding{Rule: "r"}, written(t)); err == nil {
		t.Error("a finding without a reason was written")
	}
	if _, err := script.Of(&finding.Finding{Rule: "r", Reason: "x", Oracle: "none"}, written(t)); err == nil {
		t.Error("a finding was written that no command judges")
	}
}

// TestEdit: places move with the lines of the program, also in what judges, and a line
// that is named cannot go.
func TestEdit(t *testing.T) {
	s, err := script.Parse([]byte("debug .\nbreak main.go:5\ncontinue\nseen main.go:4\npause main.go:5\nlog main.go:5\nrelate add-breakpoint at=1 line=main.go:5\n-- main.go --\n"+program), "x")
	if err != nil {
		t.Fatal(err)
	}
	for place := range map[string]bool{"main.go:4": true, "main.go:5": true} {
		if !s.Places()[place] {
			t.Errorf("%s is not among the places: %v", place, s.Places())
		}
	}
	e := srcedit.New(s.Texts())
	e.Replace("main.go", len("package main\n"), len("package main\n\n")) // a blank line
	moved, err := s.Edit(e)
	if err != nil {
		t.Fatal(err)
	}
	text := string(moved.Format())
	for _, want := range []string{"break main.go:4\n", "seen main.go:3\n", "pause main.go:4\n", "log main.go:5\n", "line=main.go:4\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.Contains(string(s.Format()), "break main.go:5\n") {
		t.Error("the script itself has changed")
	}
	e = srcedit.New(s.Texts())
	from := strings.Index(program, "\t\tprintln")
	e.Replace("main.go", from, from+len("\t\tprintln(i)\n"))
	if _, err := s.Edit(e); err == nil {
		t.Error("a line is gone that a command names")
	}
	if less := s.Without(map[int]bool{1: true}); !strings.Contains(string(less.Format()), "relate add-breakpoint at=0 ") {
		t.Errorf("actions are not counted anew:\n%s", less.Format())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# class: c\n# why\ndebug -early x .\nbreak -if 'a b' main.go:5\ncontinue\nseen main.go:4\n! eval -- -x\nrelate r at=1\n-- main.go --\n" + program))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := script.Parse(text, "fuzz")
		if err != nil {
			return
		}
		out := s.Format()
		again, err := script.Parse(out, "fuzz")
		if err != nil {
			t.Fatalf("%s\nis not read again: %v", out, err)
		}
		if !bytes.Equal(again.Format(), out) {
			t.Fatalf("%s\nis written differently:\n%s", out, again.Format())
		}
		s.Places()
		s.Without(map[int]bool{1: true})
	})
}

// TestBeside: a script has none of the questions that other findings of its rule are about, but what changes the session, and what
// the finding itself asks.
func TestBeside(t *testing.T) {
	ask := func(expr string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Evaluate, Name: expr}, Output: dap.Output{Kind: dap.Refused, Text: "no"}}
	}
	f := &finding.Finding{
		Oracle: "reference", Rule: "R9-evaluate", Class: finding.Class{Rule: "c"}, Reason: "It must. But it does not.",
		Payload: &finding.Session{Index: 5, Beside: []int{1, 2, 3, 4, 5}, Base: []dap.Event{
			ask("a"), ask("b"), ask("call f()"), ask("dlv config -list"),
			{Action: dap.Action{Kind: dap.Next}, Output: at(5, "step")}, ask("c"),
		}},
	}
	s, err := script.Of(f, written(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Commands[1 : len(s.Commands)-1] {
		got = append(got, c.String())
	}
	want := []string{"! eval a", "! eval 'call f()'", "! eval 'dlv config -list'", "next", "! eval c"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
