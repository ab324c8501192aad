package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// A program is the recorded functions of a program, with their graphs and calls.
type program struct {
	code  *history.Code
	funcs []*function // by number; nil where there is no body
	byPkg map[string]*history.Package
	// methods are the recorded methods by name, values the functions that are used as
	// values, for calls whose callee is not in the text.
	methods map[string][]int
	values  []int
	aliases Aliases
	// literals are those of structs, when they have been looked for.
	literals []filling
}

// A function is a recorded function.
type function struct {
	id    int
	name  string
	pkg   *history.Package
	node  ast.Node // its declaration or literal
	body  *ast.BlockStmt
	graph *graph
	// owners are the nodes in which expressions are evaluated.
	calls  []*call
	params []*types.Var // with the receiver first, if there is one
	outer  int          // the function that a literal lies in, or -1
	// assigned counts the assignments to local variables and parameters; defs are what
	// variables with one were given.
	assigned map[types.Object]int
	defs     map[types.Object]ast.Expr
	// moved are the fields, by their text, that loops assign to.
	moved map[string]bool
	// ranges are what loops range over whose values variables are.
	ranges map[types.Object]ast.Expr
	// loopConds are the conditions of for statements, with those that they are made of.
	loopConds map[ast.Expr]bool
	loops     []*ast.BlockStmt // the bodies of loops
	used      map[ast.Expr]usage
}

func newProgram(code *history.Code, pkgs []*history.Package, aliases Aliases) *program {
	p := &program{code: code, funcs: make([]*function, len(code.Plan.Funcs)), byPkg: map[string]*history.Package{}, methods: map[string][]int{}, aliases: aliases}
	for _, pkg := range pkgs {
		p.byPkg[pkg.Path] = pkg
	}
	for id := range code.Plan.Funcs {
		n, pkg := code.Node(id)
		f := &function{id: id, name: code.Plan.Funcs[id].Name, pkg: pkg, node: n, outer: -1, assigned: map[types.Object]int{}, defs: map[types.Object]ast.Expr{}, moved: map[string]bool{}, ranges: map[types.Object]ast.Expr{}, loopConds: map[ast.Expr]bool{}}
		var typ *ast.FuncType
		var recv *ast.FieldList
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.body, typ, recv = n.Body, n.Type, n.Recv
			if n.Recv != nil {
				p.methods[n.Name.Name] = append(p.methods[n.Name.Name], id)
			}
		case *ast.FuncLit:
			f.body, typ = n.Body, n.Type
		default:
			continue
		}
		p.funcs[id] = f
		for _, list := range []*ast.FieldList{recv, typ.Params} {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				for _, id := range field.Names {
					v, _ := pkg.Info.Defs[id].(*types.Var)
					f.params = append(f.params, v)
				}
				if len(field.Names) == 0 {
					f.params = append(f.params, nil)
				}
			}
		}
	}
	p.findValues()
	for _, f := range p.funcs {
		if f == nil {
			continue
		}
		f.graph = newGraph(f.pkg.Info, f.body, func(x *ast.BinaryExpr) bool { return code.Marked(f.id, x) })
		for _, n := range f.graph.nodes {
			n.fn = f
		}
		f.countAssignments()
		for _, n := range f.graph.nodes {
			n.evaluates(f.graph, func(x ast.Node) {
				if c, ok := x.(*ast.CallExpr); ok {
					if c := p.newCall(f, n, c); c != nil {
						f.calls = append(f.calls, c)
					}
				}
			})
		}
		ast.Inspect(f.body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				if id, ok := code.Literal(lit); ok && p.funcs[id] != nil {
					p.funcs[id].outer = f.id
				}
				return false
			}
			return true
		})
	}
	return p
}

// evaluates yields all syntax that is evaluated in a node, outside of literals and of
// what has nodes of its own.
func (n *node) evaluates(g *graph, yield func(ast.Node)) {
	var roots []ast.Node
	switch {
	case n.cond != nil:
		roots = append(roots, n.cond)
	case n.part == history.Return || n.at == nil:
	default:
		switch s := n.at.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt, *ast.ForStmt, *ast.SelectStmt:
		case *ast.RangeStmt:
			if n.part == history.Head {
				roots = append(roots, s.X)
			} else {
				for _, x := range []ast.Expr{s.Key, s.Value} {
					if x != nil && s.Tok == token.ASSIGN {
						roots = append(roots, x)
					}
				}
			}
		case *ast.SwitchStmt:
			if s.Tag == nil {
				break
			}
			roots = append(roots, s.Tag)
			for _, c := range s.Body.List {
				for _, x := range c.(*ast.CaseClause).List {
					roots = append(roots, x)
				}
			}
		case *ast.TypeSwitchStmt:
			roots = append(roots, s.Assign)
		case *ast.CaseClause:
			for _, x := range s.List {
				roots = append(roots, x)
			}
		default:
			roots = append(roots, s)
		}
	}
	for _, root := range roots {
		ast.Inspect(root, func(x ast.Node) bool {
			switch e := x.(type) {
			case nil:
				return false
			case *ast.FuncLit:
				yield(e)
				return false
			case *ast.BinaryExpr:
				if g.marked(e) {
					return false
				}
			case ast.Expr:
				if e != n.cond && g.conds[e] != nil {
					return false
				}
			}
			yield(x)
			return true
		})
	}
}

// findValues finds the functions that are used as values.
func (p *program) findValues() {
	for _, pkg := range p.byPkg {
		called := map[ast.Expr]bool{}
		for _, file := range pkg.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					fun := ast.Unparen(n.Fun)
					called[fun] = true
					if sel, ok := fun.(*ast.SelectorExpr); ok {
						called[sel.Sel] = true
					}
				case *ast.FuncLit:
					if id, ok := p.code.Literal(n); ok && !called[n] {
						p.values = append(p.values, id)
					}
				case *ast.Ident:
					if fn, ok := pkg.Info.Uses[n].(*types.Func); ok && !called[n] {
						if id, ok := p.code.Declared(fn); ok {
							p.values = append(p.values, id)
						}
					}
				}
				return true
			})
		}
	}
	slices.Sort(p.values)
	p.values = slices.Compact(p.values)
}

// countAssignments counts what is assigned to local variables, in literals, too.
func (f *function) countAssignments() {
	info := f.pkg.Info
	var loops []ast.Node
	give := func(x ast.Expr, value ast.Expr) {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok {
			in := func(l ast.Node) bool { return l.Pos() <= x.Pos() && x.End() <= l.End() }
			if text := f.field(x); text != "" && slices.ContainsFunc(loops, in) {
				f.moved[text] = true
			}
			return
		}
		v := info.ObjectOf(id)
		if v == nil {
			return
		}
		f.assigned[v]++
		f.defs[v] = value
		for _, l := range loops {
			if l.Pos() <= id.Pos() && id.End() <= l.End() {
				f.assigned[v]++ // in each iteration
				break
			}
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			loops = append(loops, n.Body)
			if n.Post != nil {
				loops = append(loops, n.Post)
			}
			f.loops = append(f.loops, n.Body)
			if n.Cond != nil {
				ast.Inspect(n.Cond, func(c ast.Node) bool {
					if x, ok := c.(ast.Expr); ok {
						f.loopConds[x] = true
					}
					return true
				})
			}
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					give(x, n.Rhs[i])
				} else {
					give(x, nil)
				}
			}
		case *ast.IncDecStmt:
			give(n.X, nil)
		case *ast.RangeStmt:
			loops = append(loops, n.Body)
			f.loops = append(f.loops, n.Body)
			if id, ok := n.Value.(*ast.Ident); ok {
				f.ranges[info.ObjectOf(id)] = ast.Unparen(n.X)
			}
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if x != nil {
					give(x, nil)
					give(x, nil) // each iteration
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				switch {
				case len(n.Values) == len(n.Names):
					give(id, n.Values[i])
				case len(n.Values) > 0:
					give(id, nil)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				// Others may assign to it.
				give(n.X, nil)
				give(n.X, nil)
			}
		}
		return true
	})
	// A parameter is given its argument.
	for _, v := range f.params {
		if v != nil {
			f.assigned[v]++
		}
	}
}

// varies reports whether an expression may be another object at another time in an
// activation: a variable that is assigned to more than once, or a field that the function moves on.
func (f *function) varies(x ast.Expr) bool {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		return f.assigned[f.pkg.Info.ObjectOf(id)] > 1
	}
	text := f.field(x)
	return text != "" && f.moved[text]
}

// field is the text of an expression that is a field of something; empty of others.
func (f *function) field(x ast.Expr) string {
	if x == nil {
		return ""
	}
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok || f.pkg.Info.Selections[sel] == nil || f.pkg.Info.Selections[sel].Kind() != types.FieldVal || source.Calls(sel) {
		return ""
	}
	return types.ExprString(sel)
}

// variable is the variable that an expression is, or is the address of; nil of others.
func (f *function) variable(x ast.Expr) types.Object {
	if x == nil {
		return nil
	}
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	if id, ok := x.(*ast.Ident); ok {
		return f.pkg.Info.ObjectOf(id)
	}
	return nil
}
