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

	"misstep/dap"
	"misstep/script"
)

// Neighbours are the sessions that are one edit away from a finding's, the likeliest to
// tell what matters first: another action, place or expression in the place of one of
// the finding's, from the last action backwards. The program and the judge are the
// same. There are none for a script that judges by no oracle, which would not know what
// they must show.
//
// They are what BugEx generates around a failing run (Rößler et al., ISSTA 2012): some
// still fail, and those that pass differ from the failing ones in little else but the
// failure.
func Neighbours(s *script.Script) []*script.Script {
	if s.Judge() == nil {
		return nil
	}
	p := contentsOf(s)
	type edit struct {
		far, at int
		with    script.Command
	}
	var edits []edit
	last := len(s.Commands) - 1
	for i := last - 1; i >= 0; i-- {
		for turn, other := range p.instead(&s.Commands[i]) {
			// The last action is likelier to matter than the one before, and so on.
			edits = append(edits, edit{(turn + 1) * (last - i), i, other})
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.far - b.far })
	var found []*script.Script
	for _, e := range edits {
		changed := s.Bare()
		changed.Head = script.Head{}
		changed.Commands[e.at] = e.with
		found = append(found, changed)
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

func contentsOf(s *script.Script) *contents {
	p := &contents{}
	for _, f := range s.Files {
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
		ast.Inspect(tree, func(n ast.Node) bool {
			p.declared(tree.Name.Name, n)
			p.used(packages, n)
			if _, block := n.(*ast.BlockStmt); !block {
				if stmt, ok := n.(ast.Stmt); ok {
					add(&p.places, f.Name+":"+strconv.Itoa(fset.Position(stmt.Pos()).Line))
				}
			}
			return true
		})
	}
	return p
}

// add adds what is not there yet.
func add(list *[]string, text string) {
	if text != "_" && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// addFields adds the names of fields.
func addFields(list *[]string, fields *ast.FieldList) {
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			add(list, name.Name)
		}
	}
}

// declared notes what a node declares in a package.
func (p *contents) declared(pkg string, n ast.Node) {
	defined := func(tok token.Token, list ...ast.Expr) {
		for _, x := range list {
			if id, ok := x.(*ast.Ident); ok && tok == token.DEFINE {
				add(&p.variables, id.Name)
			}
		}
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil {
			add(&p.functions, pkg+"."+n.Name.Name)
		} else {
			add(&p.members, n.Name.Name)
		}
		addFields(&p.variables, n.Recv)
	case *ast.FuncType:
		addFields(&p.variables, n.Params)
		addFields(&p.variables, n.Results)
	case *ast.StructType:
		addFields(&p.members, n.Fields)
	case *ast.ValueSpec:
		for _, name := range n.Names {
			add(&p.variables, name.Name)
		}
	case *ast.AssignStmt:
		defined(n.Tok, n.Lhs...)
	case *ast.RangeStmt:
		defined(n.Tok, n.Key, n.Value)
	}
}

// used notes the expressions that a node is, but for those of other packages.
func (p *contents) used(packages map[string]bool, n ast.Node) {
	foreign := func(x ast.Expr) bool {
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && packages[id.Name]
	}
	switch n := n.(type) {
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
}

// instead are the commands that may stand in the place of one.
func (p *contents) instead(c *script.Command) []script.Command {
	var others []script.Command
	add := func(how func(*script.Command)) {
		other := *c
		other.Seen, other.Above, other.Not = nil, nil, false
		how(&other)
		same := func(x script.Command) bool { return x.String() == other.String() }
		if other.String() != c.String() && !slices.ContainsFunc(others, same) {
			others = append(others, other)
		}
	}
	names := func(list []string) {
		for _, name := range list {
			add(func(other *script.Command) { other.Action.Name = name })
		}
	}
	a := c.Action
	switch {
	case c.Verb == "debug" && c.Option("early") != "":
		for _, when := range []string{"early", "configuring"} {
			for _, name := range dap.Misuses(when) {
				add(func(other *script.Command) { other.SetOption("early", name) })
			}
		}
	case a.Kind == dap.Break:
		for _, place := range p.places {
			add(func(other *script.Command) { other.Action.File, other.Action.Line, _ = dap.ParsePlace(place) })
		}
	case a.Kind == dap.FuncBreak:
		names(p.functions)
	case a.Kind == dap.Evaluate:
		bare := strings.TrimPrefix(a.Name, "call ")
		call := a.Name[:len(a.Name)-len(bare)]
		list := p.near(bare)
		for i := range list {
			list[i] = call + list[i]
		}
		names(list)
		names(p.variables)
		names(p.expressions)
	case a.Kind == dap.SetVar:
		names(p.variables)
	case a.Kind == dap.Call:
		names(p.near(a.Name))
	case a.Kind == dap.Misuse:
		for _, when := range []string{"paused", "ended"} {
			names(dap.Misuses(when))
		}
	case a.Kind.Resumes():
		for _, k := range []dap.Kind{dap.Next, dap.StepIn, dap.StepOut, dap.Continue, dap.Finish, dap.Restart} {
			add(func(other *script.Command) { other.Verb, other.Action = string(k), dap.Action{Kind: k} })
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
