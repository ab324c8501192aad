package localise

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/dap"
)

// truths are the judges that know by themselves what is right, in whatever session.
// Others, such as pause, say what a certain session shows.
var truths = []string{"protocol", "trace", "reference", "agree", "plain", "relate"}

// parts are the comments at the head of a script, without their marks, and its commands.
func parts(ar *txtar.Archive) (head, commands []string) {
	for line := range strings.Lines(string(ar.Comment)) {
		line = strings.TrimSpace(line)
		switch comment, ok := strings.CutPrefix(line, "#"); {
		case ok && len(commands) == 0:
			head = append(head, strings.TrimSpace(comment))
		case !ok && line != "":
			commands = append(commands, line)
		}
	}
	return head, commands
}

// Neighbours are the sessions that are one edit away from a finding's, the likeliest to
// tell what matters first: another action, place or expression in the place of one of
// the finding's, from the last action backwards. The program and the judge are the
// same. There are none for a script whose judge would not know what they must show.
//
// They are what BugEx generates around a failing run (Rößler et al., ISSTA 2012): some
// still fail, and those that pass differ from the failing ones in little else but the
// failure.
func Neighbours(script []byte) [][]byte {
	ar := txtar.Parse(script)
	_, lines := parts(ar)
	if len(lines) < 2 {
		return nil
	}
	judge, _, _ := strings.Cut(lines[len(lines)-1], " ")
	if !slices.Contains(truths, judge) {
		return nil
	}
	p := contentsOf(ar)
	type edit struct {
		far, line int
		with      string
	}
	var edits []edit
	for i := len(lines) - 2; i >= 0; i-- {
		for turn, other := range p.instead(lines[i]) {
			// The last action is likelier to matter than the one before, and so on.
			edits = append(edits, edit{(turn + 1) * (len(lines) - 1 - i), i, other})
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.far - b.far })
	var found [][]byte
	for _, e := range edits {
		changed := slices.Clone(lines)
		changed[e.line] = e.with
		found = append(found, txtar.Format(&txtar.Archive{Comment: []byte(strings.Join(changed, "\n") + "\n"), Files: ar.Files}))
	}
	return found
}

// contents is what of a program an action may name.
type contents struct {
	places, functions []string
	// variables and members are names that may stand in each other's place.
	variables, members []string
	expressions        []string
}

func contentsOf(ar *txtar.Archive) *contents {
	p := &contents{}
	add := func(list *[]string, text string) {
		if text != "_" && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	names := func(list *[]string, fields *ast.FieldList) {
		if fields != nil {
			for _, field := range fields.List {
				for _, name := range field.Names {
					add(list, name.Name)
				}
			}
		}
	}
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		packages := map[string]bool{}
		for _, spec := range tree.Imports {
			text, _ := strconv.Unquote(spec.Path.Value)
			packages[path.Base(text)] = true
		}
		foreign := func(x ast.Expr) bool {
			sel, ok := x.(*ast.SelectorExpr)
			if !ok {
				return false
			}
			id, ok := sel.X.(*ast.Ident)
			return ok && packages[id.Name]
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil {
					add(&p.functions, tree.Name.Name+"."+n.Name.Name)
				} else {
					add(&p.members, n.Name.Name)
				}
				names(&p.variables, n.Recv)
			case *ast.FuncType:
				names(&p.variables, n.Params)
				names(&p.variables, n.Results)
			case *ast.StructType:
				names(&p.members, n.Fields)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					add(&p.variables, name.Name)
				}
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
						add(&p.variables, id.Name)
					}
				}
			case *ast.RangeStmt:
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
						add(&p.variables, id.Name)
					}
				}
			case *ast.CallExpr:
				if !foreign(n.Fun) {
					add(&p.expressions, textOf(n))
				}
			case *ast.SelectorExpr:
				if !foreign(n) {
					add(&p.members, n.Sel.Name)
					add(&p.expressions, textOf(n))
				}
			case *ast.BinaryExpr, *ast.IndexExpr, *ast.StarExpr:
				add(&p.expressions, textOf(n.(ast.Expr)))
			}
			if _, block := n.(*ast.BlockStmt); !block {
				if s, ok := n.(ast.Stmt); ok {
					add(&p.places, f.Name+":"+strconv.Itoa(fset.Position(s.Pos()).Line))
				}
			}
			return true
		})
	}
	return p
}

// instead are the commands that may stand in the place of one.
func (p *contents) instead(line string) []string {
	word, rest, _ := strings.Cut(strings.TrimPrefix(line, "! "), " ")
	var others []string
	add := func(text string) {
		if text != line && !slices.Contains(others, text) {
			others = append(others, text)
		}
	}
	// The last word is what most actions are about.
	last := strings.LastIndexByte(rest, ' ') + 1
	each := func(list []string) {
		for _, x := range list {
			add(word + " " + rest[:last] + dap.Quote(x))
		}
	}
	kind := dap.Kind(word)
	switch {
	case word == "debug":
		for _, when := range []string{"early", "configuring"} {
			for _, name := range dap.Misuses(when) {
				if fields := strings.Fields(line); slices.Contains(fields, "-early") {
					fields[slices.Index(fields, "-early")+1] = name
					add(strings.Join(fields, " "))
				}
			}
		}
	case kind == dap.Break:
		each(p.places)
	case kind == dap.FuncBreak:
		each(p.functions)
	case kind == dap.Evaluate:
		if at := strings.IndexByte(rest, '\''); at >= 0 {
			last = at
		}
		text := strings.Trim(rest[last:], "'")
		bare := strings.TrimPrefix(text, "call ")
		call := text[:len(text)-len(bare)]
		list := p.near(bare)
		for i := range list {
			list[i] = call + list[i]
		}
		each(list)
		each(p.variables)
		each(p.expressions)
	case kind == dap.SetVar:
		words := strings.Fields(rest)
		for _, name := range p.variables {
			if len(words) == 2 {
				add(word + " " + name + " " + words[1])
			}
		}
	case kind == dap.Misuse:
		for _, when := range []string{"paused", "ended"} {
			for _, name := range dap.Misuses(when) {
				add(word + " " + name)
			}
		}
	case kind.Resumes():
		for _, k := range []dap.Kind{dap.Next, dap.StepIn, dap.StepOut, dap.Continue, dap.Finish, dap.Restart} {
			add(string(k))
		}
	}
	return others
}

// near are expressions with another of the program's names in one place, and then the
// parts of an expression.
func (p *contents) near(text string) []string {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return nil
	}
	var names, parts []string
	member := map[*ast.Ident]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			member[n.Sel] = true
		case *ast.Ident:
			was, others := n.Name, p.variables
			if member[n] {
				others = p.members
			}
			for _, other := range others {
				if n.Name = other; other != was {
					names = append(names, textOf(x))
				}
			}
			n.Name = was
		}
		if part, ok := n.(ast.Expr); ok && n != ast.Node(x) {
			parts = append(parts, textOf(part))
		}
		return true
	})
	return append(names, parts...)
}

func textOf(x ast.Expr) string {
	var b bytes.Buffer
	format.Node(&b, token.NewFileSet(), x)
	return b.String()
}
