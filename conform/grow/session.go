package grow

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strings"

	"misstep/dap"
	"misstep/gen/synth"
	"misstep/script"
)

// steps are the most that a session makes.
const steps = 4

// session is one that pauses at the fragment of a program, and steps on from there; nil if there is nothing to pause at. From
// the second try on it is any line, as what only declares has no code of its own.
func (g *Grower) session(r *rand.Rand, p *synth.Program, try int) *script.Script {
	line, lines := fragment(p)
	if line == 0 {
		return nil
	}
	if try > 0 {
		line = lines[r.IntN(len(lines))]
	}
	return g.walk(r, p, line)
}

// walk is a session that pauses at a line.
func (g *Grower) walk(r *rand.Rand, p *synth.Program, line int) *script.Script {
	lines := []string{"debug .", fmt.Sprintf("break main.go:%d", line), "continue"}
	for range 1 + r.IntN(steps) {
		lines = append(lines, []string{"stepin", "stepin", "next", "stepout"}[r.IntN(4)])
	}
	lines = append(lines, "reference")
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l + "\n")
	}
	for _, f := range g.files(p) {
		fmt.Fprintf(&text, "-- %s --\n%s", f.Name, f.Data)
	}
	s, err := script.Parse([]byte(text.String()), "grown")
	if err != nil {
		return nil
	}
	return s
}

// fragment is the line of a program's fragment, of the statement or of what uses the declaration, and those that the function
// around it has statements or its end on; 0 if there is none.
func fragment(p *synth.Program) (line int, lines []int) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", p.Text, parser.SkipObjectResolution)
	if err != nil {
		return 0, nil
	}
	var body *ast.BlockStmt
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Recv == nil && (fn.Name.Name == "work" && !p.Declares || fn.Name.Name == "main" && body == nil) {
			body = fn.Body
		}
	}
	if body == nil {
		return 0, nil
	}
	at := func(p token.Pos) int { return fset.Position(p).Line }
	line = at(body.Rbrace)
	lines = []int{line, at(body.Lbrace)}
	for i, s := range body.List {
		lines = append(lines, at(s.Pos()))
		if p.Declares && i == len(body.List)-1 || !p.Declares && line == at(body.Rbrace) && !synth.OfContext(s) {
			line = at(synth.Within(s).Pos())
			lines = append(lines, line)
		}
	}
	return line, lines
}

// most bounds what a test demands of variables.
const most = 3

// demand is a session's script that demands what was shown and judged: where it paused each time, and values of
// basic types at the last pause. It ends where a function has returned, and where a statement lies on several lines: whether
// there is code on the line of the call then, and which line comes next, is the compiler's choice, and with it where all
// further steps lead.
func demand(s *script.Script, res *script.Result) *script.Script {
	t := s.Clone()
	t.Commands = nil
	events := res.Trace.Events
	var last *dap.Pause
	depth, over, entered := 0, false, false
	several := severalLines(s)
	add := func(line string) {
		if c, err := script.Parse([]byte("debug .\n"+line+"\n-- main.go --\npackage main\n"), "grown"); err == nil {
			t.Commands = append(t.Commands, c.Commands[1:]...)
		}
	}
	for _, c := range s.Commands {
		if over && !c.Judges() {
			continue
		}
		if c.Judges() && !entered {
			for _, v := range shown(last) {
				add(v)
			}
		}
		t.Commands = append(t.Commands, c)
		if !c.Acts() || len(events) == 0 {
			continue
		}
		out := events[0].Output
		events = events[1:]
		if !c.Action.Kind.Resumes() {
			continue
		}
		was := last
		last = out.Pause
		switch {
		case out.Pause == nil, was != nil && several[was.Top().Line]:
			last, over = nil, true
		case len(out.Pause.Stack) < depth:
			last, over = nil, true
		case strings.HasPrefix(out.Pause.Top().File, "$"), out.Pause.Top().File == "":
			last, over = nil, true
		default:
			// At the beginning of a function its results are not there yet.
			entered = depth > 0 && len(out.Pause.Stack) > depth
			depth = len(out.Pause.Stack)
			place := fmt.Sprintf("pause %s:%d", out.Pause.Top().File, out.Pause.Top().Line)
			if fn := out.Pause.Top().Func; !strings.Contains(fn, ".func") && !strings.Contains(fn, "[") {
				place += " " + fn
			}
			add(place)
		}
	}
	return t
}

// shown are commands that demand some of the variables of a pause.
func shown(p *dap.Pause) []string {
	if p == nil {
		return nil
	}
	var all []string
	for _, sc := range p.Scopes {
		for _, v := range sc.Vars {
			basic := v.Type == "int" || v.Type == "bool" || v.Type == "string"
			if basic && len(all) < most && !strings.ContainsAny(v.Name, "(~. ") && v.Value != "" && !strings.ContainsAny(v.Value, "/(") {
				all = append(all, fmt.Sprintf("var %s %s", v.Name, dap.Quote(v.Value)))
			}
		}
	}
	return all
}

// severalLines are the lines of a script's program on which there is a part of a statement that has several, other than
// statements with bodies.
func severalLines(s *script.Script) map[int]bool {
	lines := map[int]bool{}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", s.File("main.go"), parser.SkipObjectResolution)
	if err != nil {
		return lines
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.IncDecStmt:
			first, last := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
			for l := first; l <= last && first < last; l++ {
				lines[l] = true
			}
		}
		return true
	})
	return lines
}
