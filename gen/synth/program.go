package synth

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// places are the kinds of place that a statement may stand at.
var places = []string{"main", "function", "loop", "case"}

// A chunk is a part of a program's text. Those of a group other than 0 are left out together if nothing uses them.
type chunk struct {
	text  string
	group int
}

// join is the program that chunks make, without some groups.
func join(chunks []chunk, without map[int]bool) string {
	var b strings.Builder
	for _, c := range chunks {
		if c.group == 0 || !without[c.group] {
			b.WriteString(c.text + "\n")
		}
	}
	return b.String()
}

// program puts a fragment into the context: a declaration of the package or of imports, or a statement at a place. Call is
// what main does beside.
func program(fragment, start, place, call string) (chunks []chunk, groups int) {
	add := func(format string, args ...any) { chunks = append(chunks, chunk{fmt.Sprintf(format, args...), 0}) }
	add("package main\n")
	if start == "ImportDecl" {
		add("%s\n", fragment)
		if place != "main" {
			add("import \"os\"\n\nvar _ = os.Args\n")
		}
	}
	imported := map[string]bool{}
	for _, q := range qualified {
		if strings.Contains(strings.ReplaceAll(fragment, " ", ""), q.pkg+"."+q.name) && !imported[q.pkg] {
			imported[q.pkg] = true
			add("import %q\n", q.pkg)
		}
	}
	for _, g := range globals {
		groups++
		chunks = append(chunks, chunk{g + "\n", groups})
	}
	if start == "TopLevelDecl" {
		add("%s\n", fragment)
	}
	if place == "main" {
		add("func main() {")
	} else {
		add("func work() (res int, err error) {")
	}
	first := groups
	for _, l := range locals {
		groups++
		chunks = append(chunks, chunk{l.text, groups})
	}
	if start == "Expression" {
		fragment = "keep(" + fragment + ")"
	}
	if start == "Statement" || start == "Expression" {
		switch place {
		case "loop":
			add("loop:\nfor i := range 2 {\nif i > 5 {\ncontinue loop\n}\n%s\n}", fragment)
		case "case":
			add("switch k {\ncase 3:\n%s\ndefault:\nn = 1\n}", fragment)
		default:
			add("%s", fragment)
		}
	}
	if strings.Contains(fragment, "goto done") {
		add("done:")
	}
	for i, l := range locals {
		chunks = append(chunks, chunk{fmt.Sprintf("println(%s)", l.shown), first + 1 + i})
	}
	if place != "main" {
		add("return\n}\n\nfunc main() {\nres, err := work()\nprintln(res, err == nil)")
	}
	if call != "" {
		add("%s", call)
	}
	add("}")
	return chunks, groups
}

// OfContext reports whether a statement is a declaration of a variable of the context.
func OfContext(s ast.Stmt) bool {
	var name string
	switch s := s.(type) {
	case *ast.AssignStmt:
		if id, ok := s.Lhs[0].(*ast.Ident); ok && s.Tok == token.DEFINE {
			name = id.Name
		}
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR && len(g.Specs) == 1 {
			name = g.Specs[0].(*ast.ValueSpec).Names[0].Name
		}
	}
	return slices.ContainsFunc(locals, func(l struct{ name, text, shown string }) bool { return l.name == name })
}

// Within is the fragment within the statement of the context that it stands in, if it does.
func Within(s ast.Stmt) ast.Stmt {
	switch outer := s.(type) {
	case *ast.LabeledStmt:
		if loop, ok := outer.Stmt.(*ast.RangeStmt); ok && outer.Label.Name == "loop" && len(loop.Body.List) > 1 {
			return loop.Body.List[1] // after what uses the label
		}
	case *ast.SwitchStmt:
		tag, ok := outer.Tag.(*ast.Ident)
		if len(outer.Body.List) == 0 {
			return s
		}
		if first, is := outer.Body.List[0].(*ast.CaseClause); ok && is && tag.Name == "k" && len(first.Body) > 0 {
			return first.Body[0]
		}
	}
	return s
}
