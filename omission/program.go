package omission

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
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
	// ranges are what loops range over whose values variables are.
	ranges map[types.Object]ast.Expr
	// loopConds are the conditions of for statements, with those that they are made of.
	loopConds map[ast.Expr]bool
	loops     []*ast.BlockStmt // the bodies of loops
}

// A call is a place where a function calls another.
type call struct {
	node    *node
	expr    *ast.CallExpr
	callees []int
	// operands are what the callee's parameters are, its receiver first if it has one.
	operands []ast.Expr
	// starts says that it only begins here: a go or defer statement, or a callback of
	// a function that is not recorded; indirect that operands do not fit.
	indirect bool
	// external is the function that is not recorded; nil if that is not known.
	external *types.Func
	dynamic  bool
}

func newProgram(code *history.Code, pkgs []*history.Package, aliases Aliases) *program {
	p := &program{code: code, funcs: make([]*function, len(code.Plan.Funcs)), byPkg: map[string]*history.Package{}, methods: map[string][]int{}, aliases: aliases}
	for _, pkg := range pkgs {
		p.byPkg[pkg.Path] = pkg
	}
	for id := range code.Plan.Funcs {
		n, pkg := code.Node(id)
		f := &function{id: id, name: code.Plan.Funcs[id].Name, pkg: pkg, node: n, outer: -1, assigned: map[types.Object]int{}, defs: map[types.Object]ast.Expr{}, ranges: map[types.Object]ast.Expr{}, loopConds: map[ast.Expr]bool{}}
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

// connect has calls of function values that are never any, as far as the analysis of the
// program knows, be calls of the functions of their type that did not run: a hook that was
// never set would have been one of these.
func (p *program) connect(ran func(fn int) bool) {
	var idle []int
	for _, id := range p.values {
		if !ran(id) && p.funcs[id] != nil {
			idle = append(idle, id)
		}
	}
	for _, f := range p.funcs {
		if f == nil || len(idle) == 0 {
			continue
		}
		for _, c := range f.calls {
			if !c.dynamic || len(c.callees) > 0 {
				continue
			}
			sig, ok := typeOf(f, c.expr.Fun).Underlying().(*types.Signature)
			for _, id := range idle {
				if ok && sameSignature(p.funcs[id], sig) {
					c.callees = append(c.callees, id)
				}
			}
		}
	}
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

// newCall finds what a call may call; nil of conversions and builtins.
func (p *program) newCall(f *function, n *node, x *ast.CallExpr) *call {
	info := f.pkg.Info
	if tv := info.Types[x.Fun]; tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	c := &call{node: n, expr: x}
	fun := ast.Unparen(x.Fun)
	sel, _ := fun.(*ast.SelectorExpr)
	if sel != nil {
		switch s := info.Selections[sel]; {
		case s == nil:
		case s.Kind() == types.MethodVal:
			c.operands = append(c.operands, sel.X)
		}
	}
	c.operands = append(c.operands, x.Args...)
	if fn := history.Callee(info, x); fn != nil {
		if id, ok := p.code.Declared(fn); ok {
			c.callees = []int{id}
			return c
		}
		c.external, c.indirect = fn, true
		if name := reflected(fn); name == "" || history.ReflectCalls[name] {
			c.callees = p.callbacks(f, c)
		}
		return c
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		if id, ok := p.code.Literal(lit); ok {
			c.callees = []int{id}
		}
		return c
	}
	c.dynamic = true
	if ids, known := p.aliases.Callees(f.pkg, x); known {
		c.callees = ids
		return c
	}
	if sel != nil && info.Selections[sel] != nil && info.Selections[sel].Kind() == types.MethodVal {
		iface, _ := info.TypeOf(sel.X).Underlying().(*types.Interface)
		for _, id := range p.methods[sel.Sel.Name] {
			if v := p.funcs[id].params[0]; v != nil && iface != nil && types.Implements(v.Type(), iface) {
				c.callees = append(c.callees, id)
			}
		}
		return c
	}
	if id, ok := fun.(*ast.Ident); ok {
		// A variable that is one literal's.
		if lit, ok := p.definition(f, info.Uses[id]).(*ast.FuncLit); ok {
			if id, ok := p.code.Literal(lit); ok {
				c.callees = []int{id}
				return c
			}
		}
	}
	sig, _ := info.TypeOf(fun).Underlying().(*types.Signature)
	for _, id := range p.values {
		if g := p.funcs[id]; g != nil && sig != nil && sameSignature(g, sig) {
			c.callees = append(c.callees, id)
		}
	}
	return c
}

// definition is what a variable is given once and for all, in a function or in those
// around it.
func (p *program) definition(f *function, v types.Object) ast.Expr {
	for v != nil && f != nil {
		if f.assigned[v] == 1 {
			return ast.Unparen(f.defs[v])
		}
		if f.assigned[v] > 1 || f.outer < 0 {
			return nil
		}
		f = p.funcs[f.outer]
	}
	return nil
}

func sameSignature(g *function, sig *types.Signature) bool {
	var t types.Type
	switch n := g.node.(type) {
	case *ast.FuncLit:
		t = g.pkg.Info.TypeOf(n)
	case *ast.FuncDecl:
		if obj := g.pkg.Info.Defs[n.Name]; obj != nil {
			t = obj.Type()
		}
	}
	s, ok := t.(*types.Signature)
	if !ok {
		return false
	}
	a := types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
	b := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	return types.Identical(a, b) || parametersOf(a) == parametersOf(b) // packages are loaded twice
}

// parametersOf is a signature as a text, without the names of its parameters.
func parametersOf(s *types.Signature) string {
	var b strings.Builder
	for _, list := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range list.Variables() {
			b.WriteString(types.TypeString(v.Type(), nil) + ",")
		}
		b.WriteByte(';')
	}
	fmt.Fprint(&b, s.Variadic())
	return b.String()
}

// callbacks are the functions that a function which is not recorded is given.
func (p *program) callbacks(f *function, c *call) []int {
	if ids, known := p.aliases.Callees(f.pkg, c.expr); known {
		return ids
	}
	var list []int
	for _, x := range c.operands {
		x = ast.Unparen(x)
		id, isIdent := x.(*ast.Ident)
		if sel, ok := x.(*ast.SelectorExpr); ok {
			id, isIdent = sel.Sel, true
		}
		if isIdent {
			if fn, ok := f.pkg.Info.Uses[id].(*types.Func); ok {
				if n, ok := p.code.Declared(fn); ok {
					list = append(list, n)
				}
				continue
			}
			x = p.definition(f, f.pkg.Info.Uses[id])
		}
		if lit, ok := x.(*ast.FuncLit); ok {
			if n, ok := p.code.Literal(lit); ok {
				list = append(list, n)
			}
		}
	}
	return list
}

// countAssignments counts what is assigned to local variables, in literals, too.
func (f *function) countAssignments() {
	info := f.pkg.Info
	var loops []ast.Node
	give := func(x ast.Expr, value ast.Expr) {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok {
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
// activation.
func (f *function) varies(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && f.assigned[f.pkg.Info.ObjectOf(id)] > 1
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
