package reduce_test

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/script"
	"misstep/triage/reduce"
)

// TestPasses: each case has what one pass is for. The debugger does something wrong as
// long as all of needs is in the script.
func TestPasses(t *testing.T) {
	for _, c := range []struct {
		name              string
		start             string // how the session is started, with a blank after it
		commands, program string
		needs             []string
		left, leftover    string // the program and the commands; empty if they do not matter
	}{
		{
			name:    "parameters go with their arguments, and what uses them",
			program: "func f(a, b int, c string) {\n\tprintln(c)\n\tprintln(a)\n}\n\nfunc main() {\n\tf(1, 2, \"x\")\n\tg := f\n\t_ = g\n}\n",
			needs:   []string{"func f(", "println(a)", "\tf("},
			left:    "func f(a int) {\n\tprintln(a)\n}\n\nfunc main() {\n\tf(1)\n}\n",
		},
		{
			name:    "results go where they are got",
			program: "func f() (int, error) {\n\tprintln(1)\n\treturn 1, nil\n}\n\nfunc main() {\n\tn, err := f()\n\tif err != nil {\n\t\tprintln(n)\n\t}\n}\n",
			needs:   []string{"func f()", "println(1)"},
			left:    "func f() {\n\tprintln(1)\n}\n\nfunc main() {\n}\n",
		},
		{
			name:    "a body takes the place of the call",
			program: "func f(n int) {\n\tfor i := range n {\n\t\tprintln(i)\n\t}\n}\n\nfunc main() {\n\tf(3)\n}\n",
			needs:   []string{"range", "println(i)", "main() {\n\tvar n"},
			left:    "func main() {\n\tvar n int = 0\n\tfor i := range n {\n\t\tprintln(i)\n\t}\n}\n",
		},
		{
			name:    "what is printed without fmt",
			program: "import \"fmt\"\n\nfunc main() {\n\tn := 1\n\tfmt.Println(n)\n}\n",
			needs:   []string{"rintln(n)", "n := "},
			left:    "func main() {\n\tn := 1\n\tprintln(n)\n}\n",
		},
		{
			name:    "what names something that is gone goes along",
			program: "type pair struct {\n\ta int\n\tb other\n}\n\ntype other struct{ c int }\n\nfunc main() {\n\tp := pair{a: 1, b: other{c: 2}}\n\tprintln(p.a)\n\tprintln(p.b.c)\n}\n",
			needs:   []string{"pair{a", "println(p.a)"},
			left:    "type pair struct {\n\ta int\n}\n\nfunc main() {\n\tp := pair{a: 1}\n\tprintln(p.a)\n}\n",
		},
		{
			name:     "a slice, of what leads to a line",
			commands: "break main.go:7\ncontinue\n",
			program:  "func f(n int) {\n\tprintln(\"in f\")\n\tprintln(\"more\")\n\tif n > 1 {\n\t\tprintln(\"here\")\n\t}\n}\n\nfunc g() { println(\"g\") }\n\nfunc main() {\n\tg()\n\tx := 2\n\ty := 3\n\tprintln(y)\n\tf(x)\n\tg()\n}\n",
			// Only the slice leaves all of this out at once.
			needs: []string{"func f(", "if n > 1 {", "\tx := 2\n\tf(x)\n}", "break main.go:5"},
			left:  "func f(n int) {\n\tif n > 1 {\n\t\tprintln(\"\")\n\t}\n}\n\nfunc main() {\n\tx := 2\n\tf(x)\n}\n",
		},
		{
			name:     "the call stays whose result is not used",
			commands: "break main.go:7\n",
			program:  "func f() int {\n\treturn 1\n}\n\nfunc main() {\n\tx := f()\n\tprintln(x)\n}\n",
			needs:    []string{"break main.go:", "return 1", "\tf()"},
			left:     "func f() int {\n\treturn 1\n}\n\nfunc main() {\n\tf()\n}\n",
		},
		{
			name:    "what is left of functions and assignments",
			program: "func f() int {\n\treturn 1\n}\n\nfunc main() {\n\ta, b := f(), 2\n\tprintln(a, b)\n}\n",
			needs:   []string{"int {\n\tpanic(0)\n}", "f(), "},
			left:    "func f() int {\n\tpanic(0)\n}\n\nfunc main() {\n\t_, _ = f(), 0\n}\n",
		},
		{
			name:     "operands of conditions, with what has them",
			commands: "break -if '((n == 2) || false)' main.go:4\ncontinue\neval '(n + (2 * n))'\n",
			program:  "func main() {\n\tn := 1\n\tprintln(n)\n}\n",
			needs:    []string{"n == 2", "2 * n", "main.go:4", "main.go"},
			leftover: "break -if 'n == 2' main.go:4\neval '2 * n'\n",
		},
		{
			name:     "a shortcut with the breakpoint that has a condition",
			commands: "break main.go:4\nbreak -if 'n == 2' main.go:5\ncontinue\nseen -reason breakpoint main.go:4 main.main\nnext\nseen -reason step main.go:5 main.main\nnext\nseen -reason step main.go:6 main.main\nnext\n",
			program:  "func main() {\n\tn := 1\n\tprintln(n)\n\tprintln(n)\n\tprintln(n)\n}\n",
			needs:    []string{"-if 'n == 2'", "break main.go:6\n", "continue\nnext\nreference"},
			leftover: "break -if 'n == 2' main.go:5\nbreak main.go:6\ncontinue\nnext\n",
		},
		{
			name:     "a breakpoint with the pauses at it",
			commands: "fbreak main.main\nbreak main.go:4\nbreak main.go:5\ncontinue\nseen -reason 'function breakpoint' main.go:3 main.main\ncontinue\nseen -reason breakpoint main.go:4 main.main\ncontinue\nseen -reason breakpoint main.go:5 main.main\ncontinue\n",
			program:  "func main() {\n\tn := 1\n\tprintln(n)\n}\n",
			// As many continues as breakpoints, and one more.
			needs:    []string{"break main.go:5\ncontinue\ncontinue\nreference"},
			leftover: "break main.go:5\ncontinue\ncontinue\n",
		},
		{
			name:     "the program may as well run to its end",
			commands: "break main.go:4\ncontinue\nrestart\nstepin\nnext\ncontinue\n",
			program:  "func main() {\n\tn := 1\n\tprintln(n)\n}\n",
			needs:    []string{"restart\nfinish\n", "main.go"},
			leftover: "restart\nfinish\n",
		},
		{
			name:     "one of the arguments with which it is launched",
			start:    "-as arguments,client.locale=C,maxArrayValues=3,maxStringLen=4 ",
			commands: "continue\n",
			program:  "func main() {\n}\n",
			needs:    []string{"arguments,", "maxArrayValues=3"},
			leftover: "debug -as arguments,maxArrayValues=3 .\n",
		},
		{
			name:     "one of the ways in which it is started",
			start:    "-as name-backend+short-strings+arguments,maxArrayValues=3 ",
			commands: "continue\n",
			program:  "func main() {\n}\n",
			needs:    []string{"short-strings"},
			leftover: "debug -as short-strings .\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "debug " + c.start + ".\n" + c.commands + "reference\n-- go.mod --\nmodule m\n\ngo 1.26\n-- main.go --\npackage main\n\n" + c.program
			first := true
			r := &reduce.Reducer{Workers: 1, Check: func(_ context.Context, s *script.Script) ([]string, error) {
				for _, part := range c.needs {
					if !first && !strings.Contains(bare(s), part) {
						return nil, nil
					}
				}
				first = false
				return []string{"x"}, nil
			}}
			res, err := r.Reduce(context.Background(), parse(t, text))
			if err != nil {
				t.Fatal(err)
			}
			ar := txtar.Parse(res.Script.Format())
			commands := strings.TrimSuffix(strings.TrimPrefix(string(ar.Comment), "debug .\n"), "reference\n")
			program := strings.TrimPrefix(string(ar.Files[len(ar.Files)-1].Data), "package main\n\n")
			if c.left != "" && program != c.left {
				t.Errorf("left:\n%s\nwant:\n%s", program, c.left)
			}
			if c.leftover != "" && commands != c.leftover {
				t.Errorf("left:\n%s\nwant:\n%s", commands, c.leftover)
			}
		})
	}
}

// bare is a script without what was seen.
func bare(s *script.Script) string {
	t := s.Clone()
	for i := range t.Commands {
		t.Commands[i].Seen = nil
	}
	return string(t.Format())
}
