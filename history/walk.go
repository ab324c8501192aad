package history

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Code is the syntax and the types behind a plan's numbers.
type Code struct {
	Plan  *Plan
	nodes []ast.Node // of functions
	pkgs  []*Package // of functions
	sites map[siteKey]int
	decls map[types.Object]int // declared functions
	lits  map[*ast.FuncLit]int
}

type siteKey struct {
	fn, offset int
	kind       Kind
}

// Code puts the recorded packages and the plan together.
func (rec *Recording) Code() *Code {
	c := &Code{
		Plan: rec.Plan, nodes: make([]ast.Node, len(rec.Plan.Funcs)), pkgs: make([]*Package, len(rec.Plan.Funcs)),
		sites: map[siteKey]int{}, decls: map[types.Object]int{}, lits: map[*ast.FuncLit]int{},
	}
	type funcKey struct {
		path       string
		start, end int
	}
	funcs := map[funcKey]int{}
	for i, f := range rec.Plan.Funcs {
		funcs[funcKey{rec.Plan.Files[f.File].Path, f.Start, f.End}] = i
	}
	for i, s := range rec.Plan.Sites {
		k := siteKey{s.Func, s.Offset, s.Kind}
		if _, second := c.sites[k]; !second {
			c.sites[k] = i
		}
	}
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			tok := pkg.Fset.File(f.FileStart)
			ast.Inspect(f, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.FuncDecl, *ast.FuncLit:
					i, ok := funcs[funcKey{tok.Name(), tok.Offset(n.Pos()), tok.Offset(n.End())}]
					if !ok {
						return true
					}
					c.nodes[i], c.pkgs[i] = n, pkg
					if lit, ok := n.(*ast.FuncLit); ok {
						c.lits[lit] = i
					} else if obj := pkg.Info.Defs[n.(*ast.FuncDecl).Name]; obj != nil {
						c.decls[obj] = i
					}
				}
				return true
			})
		}
	}
	return c
}

// Node is a function's declaration or literal, and its package.
func (c *Code) Node(fn int) (ast.Node, *Package) { return c.nodes[fn], c.pkgs[fn] }

// Part is what of a statement is executed.
type Part int

// The parts of statements.
const (
	Whole     Part = iota // a statement without others inside
	Head                  // the condition, tag or operand of a statement with a body; the beginning of a for loop
	Next                  // the head of a range loop, before another iteration
	Condition             // the condition of a for loop, each time
	Cases                 // the expressions of a clause
	Return                // the end of a function without a return
)

// A Step is one execution of a statement or a part of one.
type Step struct {
	Node ast.Node
	Part Part
	// Time is that of the last event before it, of whatever function it called
	// before.
	Time int64
	// Calls are the activations that it called, directly or through functions that
	// are not recorded.
	Calls []*Activation
}

// control is how a statement ends.
type control int

const (
	falls control = iota
	breaks
	continues
	jumps
	falling // fallthrough
	leaves  // return, or the activation ends here
)

// A walker replays one activation.
type walker struct {
	c     *Code
	a     *Activation
	pkg   *Package
	i     int // of the next item
	time  int64
	label string // of a break, continue or goto
	yield func(Step)
	marks int // items that are marks and were not passed yet
	calls []*Activation
}

// Walk replays an activation and yields what it executed, in order. Literals and
// other functions are activations of their own. Deferred functions are no steps.
func (c *Code) Walk(a *Activation, yield func(Step)) {
	w := &walker{c: c, a: a, pkg: c.pkgs[a.Func], time: a.Start, yield: yield}
	var block *ast.BlockStmt
	switch n := c.nodes[a.Func].(type) {
	case *ast.FuncDecl:
		block = n.Body
	case *ast.FuncLit:
		block = n.Body
	default:
		return
	}
	for _, it := range a.Items {
		if it.Call == nil && !it.Ends {
			w.marks++
		}
	}
	if w.stmts(block.List) == falls && !w.over(block.Rbrace, block.Rbrace) {
		w.step(block, Return)
	}
}

// take passes the mark of a site, if that is next.
func (w *walker) take(kind Kind, pos token.Pos) bool {
	n, ok := w.site(kind, pos)
	if !ok || !w.next(n) {
		return false
	}
	w.pass()
	return true
}

func (w *walker) site(kind Kind, pos token.Pos) (int, bool) {
	n, ok := w.c.sites[siteKey{w.a.Func, w.pkg.Fset.File(pos).Offset(pos), kind}]
	return n, ok
}

// next tells whether the mark of a site is next.
func (w *walker) next(site int) bool {
	w.ends()
	return w.i < len(w.a.Items) && w.a.Items[w.i].Call == nil && w.a.Items[w.i].Site == site
}

// upcoming tells whether the mark of a site is the next one, behind calls.
func (w *walker) upcoming(site int) bool {
	for _, it := range w.a.Items[w.i:] {
		if it.Call == nil && !it.Ends {
			return it.Site == site
		}
	}
	return false
}

// ends passes the ends of bodies of loops over functions.
func (w *walker) ends() {
	for w.i < len(w.a.Items) && w.a.Items[w.i].Ends {
		w.time = w.a.Items[w.i].Time
		w.i++
	}
}

func (w *walker) pass() {
	it := w.a.Items[w.i]
	w.time = it.Time
	if it.Call == nil {
		w.marks--
	}
	w.i++
}

// over tells whether the activation ended abruptly before a statement's end: in
// one of its lines, or, where the program ended, with the call that is open.
func (w *walker) over(from, to token.Pos) bool {
	if w.marks > 0 {
		return false
	}
	if w.a.Abrupt {
		first, last := w.line(from), w.line(to)
		return w.a.At >= first && w.a.At <= last
	}
	return w.a.End < 0 && w.i >= len(w.a.Items) && w.i > 0 && w.a.Items[w.i-1].Call != nil && w.a.Items[w.i-1].Call.End < 0
}

func (w *walker) line(pos token.Pos) int { return w.pkg.Fset.PositionFor(pos, false).Line }

func (w *walker) step(n ast.Node, part Part) {
	w.yield(Step{Node: n, Part: part, Time: w.time, Calls: w.calls})
	w.calls = nil
}

func (w *walker) stmts(list []ast.Stmt) control {
	for i := 0; i < len(list); i++ {
		ctl := w.stmt(list[i], "")
		for ctl == jumps {
			// To a label in this list, or in one around it.
			target := -1
			for j, s := range list {
				for l, ok := s.(*ast.LabeledStmt); ok; l, ok = l.Stmt.(*ast.LabeledStmt) {
					if l.Label.Name == w.label {
						target = j
					}
				}
			}
			if target < 0 {
				return ctl
			}
			i = target
			ctl = w.stmt(list[i], "")
		}
		if ctl != falls {
			return ctl
		}
	}
	return falls
}

// stmt replays a statement; label is its own.
func (w *walker) stmt(s ast.Stmt, label string) control {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return falls
	case *ast.BlockStmt:
		w.step(s, Head)
		return w.stmts(s.List)
	case *ast.LabeledStmt:
		w.take(Label, s.Pos())
		w.step(s, Head)
		ctl := w.stmt(s.Stmt, s.Label.Name)
		if ctl == breaks && w.label == s.Label.Name {
			return falls
		}
		return ctl
	case *ast.IfStmt:
		if ctl := w.stmt(s.Init, ""); ctl != falls {
			return ctl
		}
		if w.head(s, Head, s.Pos(), s.Cond) {
			return leaves
		}
		if w.take(Then, s.Pos()) {
			return w.stmts(s.Body.List)
		}
		if w.over(s.Pos(), s.Cond.End()) {
			return leaves
		}
		return w.stmt(s.Else, "")
	case *ast.ForStmt:
		return w.forLoop(s, label)
	case *ast.RangeStmt:
		return w.rangeLoop(s, label)
	case *ast.SwitchStmt:
		if ctl := w.stmt(s.Init, ""); ctl != falls {
			return ctl
		}
		if w.head(s, Head, s.Pos(), s.Tag) {
			return leaves
		}
		return w.clauses(s.Body, label)
	case *ast.TypeSwitchStmt:
		if ctl := w.stmt(s.Init, ""); ctl != falls {
			return ctl
		}
		if w.head(s, Head, s.Pos(), assigned(s.Assign)) {
			return leaves
		}
		return w.clauses(s.Body, label)
	case *ast.SelectStmt:
		var xs []ast.Expr
		for _, c := range s.Body.List {
			xs = append(xs, operands(c.(*ast.CommClause).Comm)...)
		}
		if w.head(s, Head, s.Pos(), xs...) {
			return leaves
		}
		return w.clauses(s.Body, label)
	case *ast.ReturnStmt:
		w.exprs(s.Results...)
		w.step(s, Whole)
		return leaves
	case *ast.BranchStmt:
		w.step(s, Whole)
		w.label = ""
		if s.Label != nil {
			w.label = s.Label.Name
		}
		return map[token.Token]control{token.BREAK: breaks, token.CONTINUE: continues, token.GOTO: jumps, token.FALLTHROUGH: falling}[s.Tok]
	case *ast.ExprStmt:
		w.exprs(s.X)
		w.after(s)
		w.step(s, Whole)
		if w.take(Last, s.Pos()) {
			return leaves
		}
		if w.panics(s.X) {
			return leaves
		}
	case *ast.AssignStmt:
		w.exprs(s.Lhs...)
		w.exprs(s.Rhs...)
		w.after(s)
		w.step(s, Whole)
	case *ast.DeferStmt:
		w.exprs(s.Call.Fun)
		w.exprs(s.Call.Args...)
		w.step(s, Whole)
	case *ast.GoStmt:
		w.exprs(s.Call.Fun)
		w.exprs(s.Call.Args...)
		w.step(s, Whole)
	case *ast.SendStmt:
		w.exprs(s.Chan, s.Value)
		w.step(s, Whole)
	case *ast.IncDecStmt:
		w.exprs(s.X)
		w.step(s, Whole)
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				w.exprs(v.Values...)
				return false
			}
			return true
		})
		w.step(s, Whole)
	}
	if w.over(s.Pos(), s.End()) {
		return leaves
	}
	return falls
}

// head replays expressions and tells whether the activation ends there.
func (w *walker) head(n ast.Node, part Part, from token.Pos, xs ...ast.Expr) bool {
	w.exprs(xs...)
	w.step(n, part)
	if len(xs) == 0 || xs[len(xs)-1] == nil {
		return false
	}
	return w.a.Abrupt && w.marks == 0 && w.over(from, xs[len(xs)-1].End()) && w.i >= len(w.a.Items)
}

// panics tells whether an expression is a call of panic.
func (w *walker) panics(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "panic" && w.pkg.Info.Types[call.Fun].IsBuiltin()
}

func assigned(s ast.Stmt) ast.Expr {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Rhs[0]
	case *ast.ExprStmt:
		return s.X
	}
	return nil
}

func operands(s ast.Stmt) []ast.Expr {
	switch s := s.(type) {
	case *ast.SendStmt:
		return []ast.Expr{s.Chan, s.Value}
	case *ast.ExprStmt:
		return []ast.Expr{s.X}
	case *ast.AssignStmt:
		return s.Rhs
	}
	return nil
}

// mine tells whether a break or continue is meant for a statement with a label.
func (w *walker) mine(label string) bool {
	return w.label == "" || w.label == label
}

func (w *walker) forLoop(s *ast.ForStmt, label string) control {
	w.step(s, Head)
	if ctl := w.stmt(s.Init, ""); ctl != falls {
		return ctl
	}
	for {
		if s.Cond != nil && w.head(s, Condition, s.Cond.Pos(), s.Cond) {
			return leaves
		}
		if !w.take(Body, s.Pos()) {
			if s.Cond == nil || w.over(s.Cond.Pos(), s.Cond.End()) {
				return leaves
			}
			return falls
		}
		ctl := w.stmts(s.Body.List)
		switch {
		case ctl == breaks && w.mine(label):
			return falls
		case ctl == falls, ctl == continues && w.mine(label):
		default:
			return ctl
		}
		if ctl := w.stmt(s.Post, ""); ctl != falls {
			return ctl
		}
	}
}

func (w *walker) rangeLoop(s *ast.RangeStmt, label string) control {
	_, nested := w.site(Nested, s.Pos())
	kind := Body
	if nested {
		kind = Nested
		w.expr(s.X)
		w.enter(func(*Activation) bool { return true }) // the iterator
		w.step(s, Head)
	} else if w.head(s, Head, s.Pos(), s.X) {
		return leaves
	}
	for n := 0; ; n++ {
		assigns := false
		if site, ok := w.site(kind, s.Pos()); ok && s.Tok == token.ASSIGN && w.upcoming(site) {
			w.exprs(s.Key, s.Value)
			assigns = true
		}
		if n > 0 || assigns {
			w.step(s, Next)
		}
		if !w.take(kind, s.Pos()) {
			if w.over(s.Pos(), s.X.End()) {
				return leaves
			}
			return falls
		}
		ctl := w.stmts(s.Body.List)
		w.ends()
		switch {
		case ctl == breaks && w.mine(label):
			return falls
		case ctl == falls, ctl == continues && w.mine(label):
		default:
			return ctl
		}
	}
}

func (w *walker) clauses(block *ast.BlockStmt, label string) control {
	chosen := -1
	for i, s := range block.List {
		if c, ok := s.(*ast.CaseClause); ok && len(c.List) > 0 {
			w.exprs(c.List...)
			w.step(c, Cases)
		}
		if w.clause(s) {
			chosen = i
			break
		}
	}
	if chosen < 0 {
		for i, s := range block.List {
			if c, ok := s.(*ast.CaseClause); ok && c.List == nil && w.clause(s) {
				chosen = i
			}
		}
	}
	if chosen < 0 {
		if len(block.List) > 0 {
			if _, sel := block.List[0].(*ast.CommClause); sel {
				return leaves // it waits for ever
			}
		}
		if w.over(block.Pos(), block.Pos()) {
			return leaves
		}
		return falls
	}
	for {
		var body []ast.Stmt
		switch c := block.List[chosen].(type) {
		case *ast.CaseClause:
			body = c.Body
		case *ast.CommClause:
			if c.Comm != nil {
				w.step(c.Comm, Whole)
			}
			body = c.Body
		}
		ctl := w.stmts(body)
		switch {
		case ctl == falling:
			chosen++
			if chosen < len(block.List) && w.clause(block.List[chosen]) {
				continue
			}
			return leaves
		case ctl == breaks && w.mine(label):
			return falls
		}
		return ctl
	}
}

// clause passes the mark of a clause.
func (w *walker) clause(s ast.Stmt) bool { return w.take(Case, s.Pos()) }

// exprs replays expressions: operands behind && and ||, and calls.
func (w *walker) exprs(xs ...ast.Expr) {
	for _, x := range xs {
		w.expr(x)
	}
}

func (w *walker) expr(x ast.Expr) {
	switch x := x.(type) {
	case nil, *ast.FuncLit, *ast.Ident, *ast.BasicLit:
	case *ast.ParenExpr:
		w.expr(x.X)
	case *ast.BinaryExpr:
		w.expr(x.X)
		site, ok := w.site(Second, x.OpPos)
		if !ok {
			w.expr(x.Y)
			return
		}
		// The operand's own events come before its mark.
		if w.evaluated(site) {
			w.expr(x.Y)
			if !w.take2(site) && w.next(site+1) {
				w.pass()
			}
		}
	case *ast.CallExpr:
		tv := w.pkg.Info.Types[x.Fun]
		if !tv.IsType() {
			w.expr(x.Fun)
		}
		w.exprs(x.Args...)
		if !tv.IsType() && !tv.IsBuiltin() {
			w.call(x)
		}
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				w.expr(kv.Key)
				e = kv.Value
			}
			w.expr(e)
		}
	case *ast.SelectorExpr:
		w.expr(x.X)
	case *ast.IndexExpr:
		w.exprs(x.X, x.Index)
	case *ast.IndexListExpr:
		w.expr(x.X)
	case *ast.SliceExpr:
		w.exprs(x.X, x.Low, x.High, x.Max)
	case *ast.StarExpr:
		w.expr(x.X)
	case *ast.TypeAssertExpr:
		w.expr(x.X)
	case *ast.UnaryExpr:
		w.expr(x.X)
	}
}

func (w *walker) take2(site int) bool {
	if !w.next(site) {
		return false
	}
	w.pass()
	return true
}

// evaluated tells whether the operand behind && or || was evaluated: its mark comes
// before any other that does not lie inside of it.
func (w *walker) evaluated(site int) bool {
	for i := w.i; i < len(w.a.Items); i++ {
		it := w.a.Items[i]
		if it.Call != nil {
			continue
		}
		if it.Site == site || it.Site == site+1 {
			return true
		}
		if w.c.Plan.Sites[it.Site].Kind != Second {
			return false
		}
		// Operands are numbered from the outside in, so one inside has a greater
		// number.
		if it.Site < site {
			return false
		}
	}
	return false
}

// call passes the activation that a call began, if it is recorded.
func (w *walker) call(x *ast.CallExpr) {
	if fn := callee(w.pkg.Info, x); fn != nil {
		if n, ok := w.c.decls[fn.Origin()]; ok {
			w.enter(func(a *Activation) bool { return a.Func == n })
			return
		}
		w.callback()
		return
	}
	if lit, ok := ast.Unparen(x.Fun).(*ast.FuncLit); ok {
		n, ok := w.c.lits[lit]
		w.enter(func(a *Activation) bool { return ok && a.Func == n })
		return
	}
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && w.pkg.Info.Selections[sel] != nil && w.pkg.Info.Selections[sel].Kind() == types.MethodVal {
		w.enter(func(a *Activation) bool { return w.named(a, sel.Sel.Name) })
		return
	}
	w.enter(func(*Activation) bool { return true })
}

// after passes what a statement's calls have called back, up to its mark.
func (w *walker) after(s ast.Stmt) {
	site, ok := w.site(After, s.Pos())
	if !ok || !w.upcoming(site) {
		return
	}
	for w.enter(func(*Activation) bool { return true }) {
	}
	w.take(After, s.Pos())
}

// marked tells whether the end of the statement that is replayed is marked, so that
// it is known what was called back.
func (w *walker) marked() bool {
	for _, it := range w.a.Items[w.i:] {
		if it.Call == nil && !it.Ends {
			return w.c.Plan.Sites[it.Site].Kind == After
		}
	}
	return false
}

// named tells whether an activation is of a method of that name.
func (w *walker) named(a *Activation, name string) bool {
	d, ok := w.c.nodes[a.Func].(*ast.FuncDecl)
	return ok && d.Recv != nil && d.Name.Name == name
}

// enter passes the next activation if it is one that fits.
func (w *walker) enter(fits func(*Activation) bool) bool {
	w.ends()
	if w.i >= len(w.a.Items) {
		return false
	}
	a := w.a.Items[w.i].Call
	if a == nil || !fits(a) {
		return false
	}
	w.calls = append(w.calls, a)
	w.pass()
	if a.End >= 0 {
		w.time = a.End
	}
	return true
}

// callback passes activations that a function which is not recorded may have
// begun: of literals, methods, and functions that are used as values.
func (w *walker) callback() {
	if w.marked() {
		return // see after
	}
	for w.enter(func(a *Activation) bool {
		switch n := w.c.nodes[a.Func].(type) {
		case *ast.FuncLit:
			return true
		case *ast.FuncDecl:
			return n.Recv != nil
		}
		return false
	}) {
	}
}

// Recorded tells whether a call surely calls a function that is recorded.
func (c *Code) Recorded(info *types.Info, call *ast.CallExpr) bool {
	if fn := callee(info, call); fn != nil {
		_, ok := c.decls[fn.Origin()]
		return ok
	}
	lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
	if ok {
		_, ok = c.lits[lit]
	}
	return ok
}

// OverFunc tells whether a loop ranges over a function.
func OverFunc(info *types.Info, n *ast.RangeStmt) bool {
	t := info.TypeOf(n.X)
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		_, isFunc := coreType(p).(*types.Signature)
		return isFunc
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
