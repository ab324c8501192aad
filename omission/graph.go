package omission

import (
	"go/ast"
	"go/token"
	"go/types"

	"misstep/history"
)

// A node is a place in a function's control-flow graph: a step as history.Code.Walk
// yields it, or the evaluation of one condition. Those without a point only join
// others, and are not there any more when the graph is done.
type node struct {
	at   ast.Node
	part history.Part
	// cond is the condition that is evaluated here; of a node of its own, at is nil.
	cond ast.Expr
	// succs are where control goes next. Of a condition, the first is where it goes if
	// it is true, the second if it is false.
	succs []*node
	index int
	real  bool
	fn    *function
}

type key struct {
	at   ast.Node
	part history.Part
}

// A graph is the control-flow graph of a function.
type graph struct {
	entry *node
	exit  *node
	nodes []*node // those that are real; exit is the last
	steps map[key]*node
	conds map[ast.Expr]*node
	// logic are the conditions that come before a step, in their order: the operators &&
	// and || of a statement; the condition of one with a body, whose head is no node.
	logic  map[key][]ast.Expr
	marked func(*ast.BinaryExpr) bool
	info   *types.Info
	preds  [][]*node       // see predecessors
	led    map[[3]int]bool // see leads
}

// newGraph makes the graph of a function's body. Marked tells which operators && and ||
// leave a mark in a history.
func newGraph(info *types.Info, body *ast.BlockStmt, marked func(*ast.BinaryExpr) bool) *graph {
	g := &graph{steps: map[key]*node{}, conds: map[ast.Expr]*node{}, logic: map[key][]ast.Expr{}, marked: marked, info: info}
	b := &graphBuilder{graph: g, labels: map[string]*node{}}
	g.exit = &node{real: true}
	end := b.step(body, history.Return, g.exit)
	start := b.stmts(body.List, end)
	for _, fix := range b.gotos {
		fix.from.succs = []*node{b.labels[fix.label]}
		if b.labels[fix.label] == nil {
			fix.from.succs = []*node{g.exit}
		}
	}
	g.finish(start)
	return g
}

// finish leaves the joins out, and numbers what can be reached.
func (g *graph) finish(start *node) {
	through := func(n *node, seen map[*node]bool) *node {
		for !n.real {
			if seen[n] || len(n.succs) == 0 {
				return g.exit // a loop that does nothing
			}
			seen[n] = true
			n = n.succs[0]
		}
		return n
	}
	g.entry = through(start, map[*node]bool{})
	queue := []*node{g.entry}
	seen := map[*node]bool{g.entry: true}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n == g.exit {
			continue
		}
		n.index = len(g.nodes)
		g.nodes = append(g.nodes, n)
		for i, s := range n.succs {
			n.succs[i] = through(s, map[*node]bool{})
			if !seen[n.succs[i]] {
				seen[n.succs[i]] = true
				queue = append(queue, n.succs[i])
			}
		}
	}
	g.exit.index = len(g.nodes)
	g.nodes = append(g.nodes, g.exit)
}

// A graphBuilder makes a graph from its end to its beginning: what comes before gets
// where control goes after it.
type graphBuilder struct {
	*graph
	labels map[string]*node
	gotos  []fix
	around []target
	label  string // of the statement that comes
}

// fix is a goto whose label is looked for at the end.
type fix struct {
	from  *node
	label string
}

// target is where break and continue lead in a statement.
type target struct {
	label           string
	breaks, resumes *node
	loop, breakable bool
	falls           *node // the next clause of a switch
}

func join(to *node) *node { return &node{succs: []*node{to}} }

// step is a step of a statement, and the operators in what it evaluates before.
func (b *graphBuilder) step(at ast.Node, part history.Part, next *node, xs ...ast.Expr) *node {
	n := &node{at: at, part: part, real: true, succs: []*node{next}}
	b.steps[key{at, part}] = n
	return b.before(key{at, part}, n, xs...)
}

// before is what is evaluated before a step.
func (b *graphBuilder) before(k key, next *node, xs ...ast.Expr) *node {
	var ops []ast.Expr
	for _, x := range xs {
		ops = append(ops, b.operators(x)...)
	}
	b.logic[k] = append(b.logic[k], ops...)
	for i := len(ops) - 1; i >= 0; i-- {
		next = b.value(ops[i], next)
	}
	return next
}

// operators are the outermost marked && and || in an expression, outside of literals.
func (b *graphBuilder) operators(x ast.Expr) []ast.Expr {
	if x == nil {
		return nil
	}
	var list []ast.Expr
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if b.marked(n) {
				list = append(list, n)
				return false
			}
		}
		return true
	})
	return list
}

// value evaluates an operator whose value does not decide where control goes.
func (b *graphBuilder) value(x ast.Expr, next *node) *node {
	done := join(next)
	return b.condition(x, done, done)
}

// condition evaluates an expression and goes where its value says.
func (b *graphBuilder) condition(x ast.Expr, yes, no *node) *node {
	switch e := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT && len(b.operators(e.X)) > 0 {
			return b.condition(e.X, no, yes)
		}
	case *ast.BinaryExpr:
		if !b.marked(e) {
			break
		}
		// The step of the operand comes when it is evaluated; where it leads, its
		// conditions have said.
		second := b.condition(e.Y, yes, no)
		if e.Op == token.LAND {
			return b.condition(e.X, second, no)
		}
		return b.condition(e.X, yes, second)
	}
	n := &node{cond: x, real: true, succs: []*node{yes, no}}
	b.conds[x] = n
	// Operators inside of a leaf, such as arguments of a call.
	first := n
	ops := b.operators(x)
	for i := len(ops) - 1; i >= 0; i-- {
		first = b.value(ops[i], first)
	}
	return first
}

func (b *graphBuilder) stmts(list []ast.Stmt, next *node) *node {
	for i := len(list) - 1; i >= 0; i-- {
		next = b.stmt(list[i], next)
	}
	return next
}

func (b *graphBuilder) stmt(s ast.Stmt, next *node) *node {
	label := b.label
	b.label = ""
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return next
	case *ast.BlockStmt:
		return b.step(s, history.Head, b.stmts(s.List, next))
	case *ast.LabeledStmt:
		after := join(next)
		b.around = append(b.around, target{label: s.Label.Name, breaks: after})
		at := join(nil)
		b.labels[s.Label.Name] = at
		b.label = s.Label.Name
		inner := b.stmt(s.Stmt, next)
		b.label = ""
		b.around = b.around[:len(b.around)-1]
		at.succs[0] = b.step(s, history.Head, inner)
		return at
	case *ast.IfStmt:
		yes := b.stmts(s.Body.List, next)
		no := b.stmt(s.Else, next)
		b.logic[key{s, history.Head}] = []ast.Expr{s.Cond}
		return b.stmt(s.Init, b.condition(s.Cond, yes, no))
	case *ast.ForStmt:
		return b.forLoop(s, label, next)
	case *ast.RangeStmt:
		return b.rangeLoop(s, label, next)
	case *ast.SwitchStmt:
		if s.Tag == nil {
			return b.stmt(s.Init, b.tagless(s, label, next))
		}
		head := b.step(s, history.Head, nil, s.Tag)
		b.steps[key{s, history.Head}].succs = b.clauses(s.Body, label, next)
		return b.stmt(s.Init, head)
	case *ast.TypeSwitchStmt:
		head := b.step(s, history.Head, nil)
		b.steps[key{s, history.Head}].succs = b.clauses(s.Body, label, next)
		return b.stmt(s.Init, head)
	case *ast.SelectStmt:
		head := b.step(s, history.Head, nil)
		b.steps[key{s, history.Head}].succs = b.clauses(s.Body, label, next)
		return head
	}
	return b.simple(s, next)
}

// simple is a statement that has no others in it.
func (b *graphBuilder) simple(s ast.Stmt, next *node) *node {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return b.step(s, history.Whole, b.exit, s.Results...)
	case *ast.BranchStmt:
		return b.branch(s)
	case *ast.ExprStmt:
		if endsFunction(b.info, s.X) {
			next = b.exit
		}
		return b.step(s, history.Whole, next, s.X)
	case *ast.AssignStmt:
		return b.step(s, history.Whole, next, append(s.Lhs[:len(s.Lhs):len(s.Lhs)], s.Rhs...)...)
	case *ast.DeferStmt:
		return b.step(s, history.Whole, next, s.Call)
	case *ast.GoStmt:
		return b.step(s, history.Whole, next, s.Call)
	case *ast.SendStmt:
		return b.step(s, history.Whole, next, s.Chan, s.Value)
	case *ast.IncDecStmt:
		return b.step(s, history.Whole, next, s.X)
	case *ast.DeclStmt:
		var xs []ast.Expr
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				xs = append(xs, spec.(*ast.ValueSpec).Values...)
			}
		}
		return b.step(s, history.Whole, next, xs...)
	}
	return next
}

func (b *graphBuilder) forLoop(s *ast.ForStmt, label string, next *node) *node {
	again := join(nil)
	post := b.stmt(s.Post, again)
	b.around = append(b.around, target{label: label, breaks: next, resumes: post, loop: true, breakable: true})
	body := b.stmts(s.Body.List, post)
	b.around = b.around[:len(b.around)-1]
	if s.Cond != nil {
		b.logic[key{s, history.Condition}] = []ast.Expr{s.Cond}
		again.succs[0] = b.condition(s.Cond, body, next)
	} else {
		again.succs[0] = body
	}
	return b.step(s, history.Head, b.stmt(s.Init, again))
}

func (b *graphBuilder) rangeLoop(s *ast.RangeStmt, label string, next *node) *node {
	again := &node{at: s, part: history.Next, real: true}
	b.steps[key{s, history.Next}] = again
	b.around = append(b.around, target{label: label, breaks: next, resumes: again, loop: true, breakable: true})
	body := b.stmts(s.Body.List, again)
	b.around = b.around[:len(b.around)-1]
	again.succs = []*node{body, next}
	head := b.step(s, history.Head, nil, s.X)
	first := b.steps[key{s, history.Head}]
	first.succs = []*node{body, next, again}
	return head
}

// tagless is a switch without a tag: its cases are conditions, one after the other.
func (b *graphBuilder) tagless(s *ast.SwitchStmt, label string, next *node) *node {
	bodies, after := b.bodies(s.Body, label, next)
	otherwise := after
	for i, c := range s.Body.List {
		if c.(*ast.CaseClause).List == nil {
			otherwise = bodies[i]
		}
	}
	at := otherwise
	for i := len(s.Body.List) - 1; i >= 0; i-- {
		switch c := s.Body.List[i].(*ast.CaseClause); len(c.List) {
		case 0:
		case 1:
			at = b.condition(c.List[0], bodies[i], at)
			b.logic[key{c, history.Cases}] = c.List
		default:
			// Which of them was true, a history does not say.
			several := b.step(c, history.Cases, nil, c.List...)
			b.steps[key{c, history.Cases}].succs = []*node{bodies[i], at}
			at = several
		}
	}
	return b.step(s, history.Head, at)
}

// clauses are where a switch may lead: the bodies of its clauses and, without a
// default, what comes after it.
func (b *graphBuilder) clauses(block *ast.BlockStmt, label string, next *node) []*node {
	bodies, after := b.bodies(block, label, next)
	for _, c := range block.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			if c.List == nil {
				return bodies
			}
		case *ast.CommClause:
			return bodies // one of them is taken
		}
	}
	return append(bodies, after)
}

func (b *graphBuilder) bodies(block *ast.BlockStmt, label string, next *node) ([]*node, *node) {
	after := join(next)
	list := make([]*node, len(block.List))
	var falls *node
	for i := len(block.List) - 1; i >= 0; i-- {
		b.around = append(b.around, target{label: label, breaks: after, breakable: true, falls: falls})
		switch c := block.List[i].(type) {
		case *ast.CaseClause:
			list[i] = b.stmts(c.Body, after)
		case *ast.CommClause:
			list[i] = b.stmts(c.Body, after)
			if c.Comm != nil {
				list[i] = b.step(c.Comm, history.Whole, list[i])
			}
		}
		// A join of its own, so that an empty clause is a way of its own.
		list[i] = join(list[i])
		b.around = b.around[:len(b.around)-1]
		falls = list[i]
	}
	return list, after
}

func (b *graphBuilder) branch(s *ast.BranchStmt) *node {
	name := ""
	if s.Label != nil {
		name = s.Label.Name
	}
	if s.Tok == token.GOTO {
		at := b.step(s, history.Whole, nil)
		b.gotos = append(b.gotos, fix{at, name})
		return at
	}
	to := b.exit
	for i := len(b.around) - 1; i >= 0; i-- {
		t := b.around[i]
		if s.Tok == token.FALLTHROUGH && t.falls != nil {
			to = t.falls
			break
		}
		if s.Tok == token.CONTINUE && t.loop && (name == "" || t.label == name) {
			to = t.resumes
			break
		}
		if s.Tok == token.BREAK && (name == "" && t.breakable || name != "" && t.label == name) {
			to = t.breaks
			break
		}
	}
	return b.step(s, history.Whole, to)
}

// endsFunction reports whether control does not come back from a call: it panics, or
// ends the goroutine or the program.
func endsFunction(info *types.Info, x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	switch fn := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fn.Name == "panic" && info.Types[call.Fun].IsBuiltin()
	case *ast.SelectorExpr:
		f, ok := info.Uses[fn.Sel].(*types.Func)
		return ok && f.Pkg() != nil && neverReturn[f.FullName()]
	}
	return false
}

// neverReturn are functions of the standard library that control does not come back
// from.
var neverReturn = map[string]bool{
	"os.Exit": true, "syscall.Exit": true, "runtime.Goexit": true,
	"log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true,
	"(*log.Logger).Fatal": true, "(*log.Logger).Fatalf": true, "(*log.Logger).Fatalln": true,
	"(*testing.common).FailNow": true, "(*testing.common).Fatal": true, "(*testing.common).Fatalf": true,
	"(*testing.common).SkipNow": true, "(*testing.common).Skip": true, "(*testing.common).Skipf": true,
}
