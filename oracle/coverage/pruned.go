package coverage

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/profiler"
)

// pruned takes statements out of the program that were not executed, or puts others in their place, and holds the counts
// of the rest against what they were (Cod, section III).
func (c *Case) pruned(ctx context.Context, t Trial) (*Verdict, error) {
	if t.As != "" {
		return not("a variant is not pruned"), nil
	}
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	base, none, err := c.profiled(ctx, Trial{}, p)
	if none != nil || err != nil {
		return none, err
	}
	parsed, blocks := files(c.Subject), counted(base)
	r := rand.New(rand.NewPCG(t.Seed, 0))
	const tries = 4
	for range tries {
		cuts := cutsOf(parsed, blocks, r, 3)
		if len(cuts) == 0 {
			cuts = cutsOf(parsed, blocks, r, 0)
		}
		if len(cuts) == 0 {
			return not("all statements are executed, or none"), nil
		}
		s, err := c.prune(cuts)
		if err != nil {
			return nil, err
		}
		pruned, err := c.Bench.Run(ctx, s, base.Profiler, true, c.dir)
		if err != nil {
			return nil, err
		}
		if pruned.Failed != "" {
			continue // something else needs what was taken out
		}
		var all []difference
		unlike := differences(base, pruned)
		if asks(c.Subject) {
			unlike = nil
		}
		for _, d := range unlike {
			d.place = cuts[0].place()
			d.what = "without what was executed 0 times, " + d.what
			d.expected.By, d.got.By = "before", "after"
			d.kind, d.detail = strong, d.kind
			all = append(all, d)
		}
		if pruned.Profile == nil {
			return not("pruned, it leaves no profile: %s", pruned.Unread), nil
		}
		made, more := c.compareRest(parsed, cuts, blocks, pruned.Subject, counted(pruned))
		return verdict(Pruned, made+1, append(all, more...)), nil
	}
	return not("no program without what is not executed is built"), nil
}

// A cut is a statement that is taken out, and what stands in its place.
type cut struct {
	file       *file
	start, end int // offsets
	statement
	text string
}

func (c cut) place() finding.Place {
	return finding.Place{File: c.file.name, Line: c.line, Column: c.column, Func: c.fn}
}

// strange are statements that do much, if they are executed.
var strange = []string{
	"", "panic(\"misstep\")", "for { }", "select { }", "func() { for { panic(1) } }()", "switch { default: panic(2) }",
	"if true { println(\"misstep\") } else { panic(3) }", "for range 3 { println(\"misstep\") }", "defer func() { recover(); println(\"misstep\") }()", "{ ; { println(\"misstep\") } ; }",
}

// cutsOf chooses statements that were not executed, and that have none in them which was. It leaves one of so many; none if
// that is 0.
func cutsOf(parsed map[string]*file, blocks map[string][]profiler.Block, r *rand.Rand, left int) []cut {
	var all []cut
	for _, name := range sortedKeys(parsed) {
		f := parsed[name]
		if blocks[name] == nil {
			continue
		}
		uses := f.uses(parsed)
		dead := map[ast.Stmt]bool{}
		for _, s := range f.statements {
			b, ok := blockOf(blocks[name], s)
			dead[s.node] = ok && b.Count == 0
		}
		until := 0
		for i, s := range f.statements {
			start, end := f.at(s.node.Pos()).Offset, f.at(s.node.End()).Offset
			if start < until || !dead[s.node] || left > 0 && r.IntN(left) == 0 {
				continue
			}
			alive := slices.ContainsFunc(f.statements[i:], func(x statement) bool {
				return x.node.Pos() < s.node.End() && !dead[x.node]
			})
			if _, declares := s.node.(*ast.DeclStmt); alive || declares || s.declares() {
				continue
			}
			until = end
			text := strange[r.IntN(len(strange))]
			if s.ends() && !strings.HasPrefix(text, "panic") {
				text = strings.TrimPrefix(text+" ; panic(\"misstep\")", " ; ")
			}
			if list := uses(s.node); len(list) > 0 {
				text = fmt.Sprintf("%s = %s ; %s", strings.TrimSuffix(strings.Repeat("_, ", len(list)), ", "), strings.Join(list, ", "), text)
			}
			text += strings.Repeat("\n", strings.Count(string(f.text[start:end]), "\n")) // what comes after stays where it is
			all = append(all, cut{f, start, end, s, text})
		}
	}
	return all
}

// declares reports whether what comes after a statement may need what it declares.
func (s statement) declares() bool {
	a, ok := s.node.(*ast.AssignStmt)
	return ok && a.Tok == token.DEFINE
}

// ends reports whether a function may end with the statement, so that one has to stand in its place that ends as well.
func (s statement) ends() bool {
	switch n := s.node.(type) {
	case *ast.ReturnStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.IfStmt, *ast.BlockStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// uses says which variables and functions a statement uses that are declared outside of it: the compiler refuses locals and
// packages that are not used, and what a function uses of its package says in which order variables are initialised. What it
// cannot tell without other packages it leaves out.
func (f *file) uses(parsed map[string]*file) func(ast.Stmt) []string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Error: func(error) {}, Importer: nameOnly{}, FakeImportC: true}
	var whole []*ast.File
	for _, name := range sortedKeys(parsed) {
		if other := parsed[name]; path.Dir(name) == path.Dir(f.name) && other.tree.Name.Name == f.tree.Name.Name {
			whole = append(whole, other.tree)
		}
	}
	pkg, _ := conf.Check("p", f.fset, whole, info)
	return func(s ast.Stmt) []string {
		var names []string
		add := func(name string) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				switch o := info.Uses[n].(type) {
				case *types.Var:
					ofPackage := pkg != nil && o.Parent() == pkg.Scope()
					if !o.IsField() && (ofPackage || o.Pos() < s.Pos() || o.Pos() > s.End()) {
						add(n.Name)
					}
				case *types.Func:
					if pkg != nil && o.Parent() == pkg.Scope() && o.Signature().TypeParams().Len() == 0 {
						add(n.Name)
					}
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok {
						if _, is := info.Uses[id].(*types.PkgName); is {
							add(id.Name + "." + sel.Sel.Name)
						}
					}
				}
			}
			return true
		})
		return names
	}
}

// nameOnly imports packages of which only the name is known.
type nameOnly struct{}

func (nameOnly) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// prune is the subject with cuts made.
func (c *Case) prune(cuts []cut) (*profiler.Subject, error) {
	files := slices.Clone(c.Subject.Files)
	for i, f := range files {
		text, at := "", 0
		for _, cut := range cuts {
			if cut.file.name == f.Name {
				text += string(f.Data[at:cut.start]) + cut.text
				at = cut.end
			}
		}
		if at > 0 {
			files[i] = gobuild.File{Name: f.Name, Data: []byte(text + string(f.Data[at:]))}
		}
	}
	return c.Subject.With(files), nil
}

// compareRest holds the counts of the statements that are left against what they were.
func (c *Case) compareRest(parsed map[string]*file, cuts []cut, before map[string][]profiler.Block, s *profiler.Subject, after map[string][]profiler.Block) (made int, all []difference) {
	pruned := files(s)
	for _, name := range sortedKeys(parsed) {
		f, g := parsed[name], pruned[name]
		if g == nil || before[name] == nil {
			continue
		}
		mine := f.statements
		theirs := g.statements
		shift := 0
		for _, cut := range cuts {
			if cut.file != f {
				continue
			}
			mine = slices.DeleteFunc(slices.Clone(mine), func(s statement) bool { return f.within(s, cut.start, cut.end) })
			start := cut.start + shift
			theirs = slices.DeleteFunc(slices.Clone(theirs), func(s statement) bool { return g.within(s, start, start+len(cut.text)) })
			shift += len(cut.text) - (cut.end - cut.start)
		}
		if len(mine) != len(theirs) {
			continue
		}
		for i, s := range mine {
			x, ok := blockOf(before[name], s)
			if !ok || s.fn == "_" {
				continue
			}
			made++
			y, ok := blockOf(after[name], theirs[i])
			if ok && y.Count == x.Count {
				continue
			}
			d := difference{
				place: finding.Place{File: name, Line: s.line, Column: s.column, Func: s.fn}, what: "statement " + s.place(name),
				expected: said("before", "executed %d times", x.Count), got: said("without what was executed 0 times", "executed %s times", strconv.FormatUint(y.Count, 10)),
				kind: strength(x.Count, y.Count), node: s.kind,
			}
			if !ok {
				d.got, d.kind = said("without what was executed 0 times", "no block has it"), "no-block"
			}
			all = append(all, d)
		}
	}
	return made, all
}

// within reports whether a statement lies between two offsets.
func (f *file) within(s statement, start, end int) bool {
	at := f.at(s.node.Pos()).Offset
	return start <= at && at < end
}
