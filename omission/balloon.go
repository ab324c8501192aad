package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"misstep/history"
)

// A Place is where something stands in a source.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// A Balloon is a branch with the operations that did not happen because of what was
// decided there (Sakurai and Masuhara, Figure 6).
type Balloon struct {
	Rank int `json:"rank"`
	// Branch is what decided; the most telling for each of the operations.
	Branch *Branch `json:"branch"`
	// Operations are those that it kept from happening, the nearest first.
	Operations []*Operation `json:"operations"`
}

// An Operation is something that could have happened to the subject.
type Operation struct {
	Place Place `json:"place"`
	// Text is the operation with the subject in the place of the expression Object, which
	// is empty where the object is not in its text.
	Text   string `json:"text"`
	Object string `json:"object,omitempty"`
	Func   string `json:"func"`
	Kind   Kind   `json:"kind"`
	// Through is what a call does with the object in what it calls.
	Through *Inner `json:"through,omitempty"`
	// Distance is how many calls lie between the nearest branch and the operation.
	Distance int `json:"distance"`
	// Sure tells that the object would have been the subject; otherwise it may have.
	Sure bool `json:"sure"`
	// Ran counts how often the operation happened to the subject elsewhere.
	Ran int `json:"ran,omitempty"`
	// Branches are all that decided, the most telling first: many branches may lead to
	// one operation.
	Branches []*Branch `json:"branches"`

	node *node
	expr ast.Node
}

// An Inner is an operation in a function that is called.
type Inner struct {
	Place Place  `json:"place"`
	Text  string `json:"text"`
	Func  string `json:"func"`
}

// A Branch is a decision against an operation.
type Branch struct {
	Place Place  `json:"place"`
	Text  string `json:"text"`
	Func  string `json:"func"`
	// Outcome is what happened there: "was false".
	Outcome string `json:"outcome"`
	// Distance is how many calls lie between the branch and the operation.
	Distance int `json:"distance"`
	// Count is how often it decided so; Moments are the first of them.
	Count   int      `json:"count"`
	Moments []Moment `json:"moments"`
	// Verdict is what inverting it showed; nil if that was not tried.
	Verdict *Verdict `json:"verdict,omitempty"`

	score    float64
	fn       *function
	decision decision
	goal     goal
	sure     bool
	counted  map[int64]int // of activations, by their beginnings
}

// A Moment is one time at which a branch decided.
type Moment struct {
	// Activation is when the function was entered, Time that of the last event before
	// the decision; both are numbers of events.
	Activation int64 `json:"activation"`
	Time       int64 `json:"time"`
	// Call is the how manieth activation of the function it was, Evaluation the how
	// manieth evaluation in it, both from 1.
	Call       int `json:"call"`
	Evaluation int `json:"evaluation"`

	taken int
}

type branchKey struct {
	node *node
	alt  int
	kind string
}

// key is what a decision has in common with others of the same branch.
func (d decision) key() branchKey {
	n, kind := d.node, d.kind
	if kind == "iteration" {
		kind = ""
	}
	if s, ok := n.at.(*ast.RangeStmt); ok && d.alt == 1 {
		n = n.fn.graph.steps[key{s, history.Head}] // whether it is the first element or another
	}
	return branchKey{n, d.alt, kind}
}

// A bundler puts decisions together: by operations, and these by branches.
type bundler struct {
	f        *Finder
	s        *Subject
	ops      map[ast.Node]*Operation
	branches map[*Operation]map[branchKey]*Branch
	ran      map[ast.Expr]int
}

func (b *bundler) add(x found) {
	if x.count == 0 {
		return
	}
	op := x.goal.op
	a := b.ops[op.expr]
	if a == nil {
		a = b.operation(op)
		b.ops[op.expr] = a
		b.branches[a] = map[branchKey]*Branch{}
	}
	bk := x.key()
	br := b.branches[a][bk]
	if order[op.kind] < order[a.Kind] {
		// It does several things with the object; the weightiest counts.
		better := b.operation(op)
		a.Kind, a.Text, a.Object, a.Ran, a.Through = better.Kind, better.Text, better.Object, better.Ran, better.Through
	}
	score := b.score(x, a)
	if br == nil {
		br = &Branch{score: score, fn: x.fn, decision: x.decision, goal: x.goal, Distance: x.goal.distance, sure: x.same, counted: map[int64]int{}}
		b.branches[a][bk] = br
	}
	if score < br.score {
		br.score, br.goal, br.Distance, br.sure, br.decision = score, x.goal, x.goal.distance, x.same, x.decision
	}
	// Several goals of one operation come to the same moments.
	if more := x.count - br.counted[x.activation]; more > 0 {
		br.Count += more
		br.counted[x.activation] = x.count
	}
	for _, m := range x.times {
		if len(br.Moments) < maxMoments && !slices.Contains(br.Moments, m) {
			br.Moments = append(br.Moments, m)
		}
	}
}

func (b *bundler) operation(op *operation) *Operation {
	a := &Operation{
		Place: b.f.place(op.fn, op.expr.Pos()), Text: b.f.withSubject(op, b.s), Func: op.fn.name, Kind: op.kind, node: op.node, expr: op.expr,
	}
	if op.operand != nil {
		a.Object = b.f.source(op.fn, op.operand)
		a.Ran = b.ran[op.operand]
	}
	if in := op.inner; in != nil {
		for in.inner != nil {
			in = in.inner
		}
		a.Through = &Inner{b.f.place(in.fn, in.expr.Pos()), b.f.shortSource(in.fn, in.expr), in.fn.name}
	}
	return a
}

// The weights of a ranking, in the unit of one condition that would have to be other
// than it was.
const (
	keepWeight     = 2.0 // it puts the object somewhere, and does not change it
	readWeight     = 6.0
	maybeWeight    = 2.0 // the object may be another
	ranWeight      = 3.0 // it happened to the object elsewhere
	distanceWeight = 1.5 // for each call
	depthWeight    = 0.5 // for each call further in which a call does what it does with the object
	loopWeight     = 2.0 // it happened in the same activation to another object
	againWeight    = 1.0 // … and to the subject, in another iteration
	ownerWeight    = 1.0 // the condition reads what the operation names: it comes first
)

// score is how far an operation is from what happened: the conditions that would have
// to be otherwise, the calls between, and what speaks against it.
func (b *bundler) score(x found, a *Operation) float64 {
	s := x.cost + distanceWeight*float64(x.goal.distance) + depthWeight*float64(x.goal.op.depth)
	switch x.goal.op.kind {
	case Keep:
		s += keepWeight
	case Read:
		s += readWeight
	}
	if !x.same {
		s += maybeWeight
	}
	if a.Ran > 0 {
		s += ranWeight
	}
	if x.loops {
		s += loopWeight
	}
	if x.again {
		s += againWeight
	}
	if x.node.cond != nil && b.reads(x) {
		s -= ownerWeight
	}
	return s
}

// reads tells whether a condition reads something of what the operation's object is
// reached through: the variable at the root of the operand.
func (b *bundler) reads(x found) bool {
	if x.goal.operand == nil {
		return false
	}
	root := rootOf(x.goal.operand)
	if root == nil {
		return false
	}
	v := x.fn.pkg.Info.ObjectOf(root)
	hit := false
	ast.Inspect(x.node.cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && v != nil && x.fn.pkg.Info.ObjectOf(id) == v {
			hit = true
		}
		return !hit
	})
	return hit
}

func rootOf(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.UnaryExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.Ident:
			return e
		default:
			return nil
		}
	}
}

// result are the balloons by rank.
func (b *bundler) result() []*Balloon {
	var ops []*Operation
	for _, a := range b.ops {
		for _, br := range b.branches[a] {
			b.f.describeBranch(br)
			a.Branches = append(a.Branches, br)
		}
		ops = append(ops, a)
	}
	return bundle(outermost(ops))
}

// outermost leaves out operations that are part of another on the same object, such as
// the append of x = append(x, y).
func outermost(ops []*Operation) []*Operation {
	type place struct {
		node   *node
		object string
	}
	at := map[place][]*Operation{}
	for _, op := range ops {
		k := place{op.node, op.Object}
		at[k] = append(at[k], op)
	}
	return slices.DeleteFunc(ops, func(op *Operation) bool {
		return slices.ContainsFunc(at[place{op.node, op.Object}], func(other *Operation) bool {
			return other != op && other.expr.Pos() <= op.expr.Pos() && op.expr.End() <= other.expr.End() && order[other.Kind] <= order[op.Kind]
		})
	})
}

// bundle makes one balloon of all operations that the same branch decided against, and
// ranks the balloons: those first whose operation happened when the branch was inverted,
// and changed what the program does; then by how little would have had to be other than
// it was.
func bundle(ops []*Operation) []*Balloon {
	byBranch := map[branchKey]*Balloon{}
	var list []*Balloon
	for _, op := range ops {
		slices.SortFunc(op.Branches, compareBranches)
		best := op.Branches[0]
		op.Distance, op.Sure = best.Distance, best.sure
		k := best.decision.key()
		b := byBranch[k]
		if b == nil {
			b = &Balloon{}
			byBranch[k] = b
			list = append(list, b)
		}
		b.Operations = append(b.Operations, op)
	}
	for _, b := range list {
		slices.SortFunc(b.Operations, func(x, y *Operation) int {
			return cmp.Or(compareBranches(x.Branches[0], y.Branches[0]), comparePlaces(x.Place, y.Place), cmp.Compare(x.Text, y.Text))
		})
		b.Branch = b.Operations[0].Branches[0]
	}
	slices.SortFunc(list, func(x, y *Balloon) int {
		return cmp.Or(compareBranches(x.Branch, y.Branch), comparePlaces(x.Operations[0].Place, y.Operations[0].Place))
	})
	for i, b := range list {
		b.Rank = i + 1
	}
	return list
}

func compareBranches(x, y *Branch) int {
	return cmp.Or(cmp.Compare(x.order(), y.order()), cmp.Compare(x.score, y.score), cmp.Compare(x.Count, y.Count), comparePlaces(x.Place, y.Place), cmp.Compare(x.Outcome, y.Outcome))
}

// order is where a branch stands by what its inversion showed.
func (b *Branch) order() int {
	if b.Verdict == nil {
		return untried
	}
	return b.Verdict.order()
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

func (f *Finder) place(fn *function, pos token.Pos) Place {
	p := fn.pkg.Fset.PositionFor(pos, false)
	return Place{f.plan.Files[f.plan.Funcs[fn.id].File].Name, p.Line, p.Column}
}

// source is the text of a node.
func (f *Finder) source(fn *function, n ast.Node) string {
	file := fn.pkg.Fset.File(n.Pos())
	text := f.plan.Files[f.plan.Funcs[fn.id].File].Text
	from, to := file.Offset(n.Pos()), file.Offset(n.End())
	if from < 0 || to > len(text) || from > to {
		return ""
	}
	return text[from:to]
}

const maxText = 90

func shorten(s string) string {
	s = lineText(s)
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText-1]) + "…"
	}
	return s
}

func (f *Finder) shortSource(fn *function, n ast.Node) string { return shorten(f.source(fn, n)) }

// withSubject is the text of an operation with the subject's name in the place of the
// operand, as in <List:1>.add(n).
func (f *Finder) withSubject(op *operation, s *Subject) string {
	text := f.source(op.fn, op.expr)
	if op.operand == nil || len(s.Instances) != 1 || len(s.Vars) > 0 {
		return shorten(text)
	}
	file := op.fn.pkg.Fset.File(op.expr.Pos())
	from := file.Offset(op.operand.Pos()) - file.Offset(op.expr.Pos())
	to := file.Offset(op.operand.End()) - file.Offset(op.expr.Pos())
	if from < 0 || to > len(text) {
		return shorten(text)
	}
	return shorten(text[:from] + s.Name + text[to:])
}

// describeBranch says where a branch is and what happened there.
func (f *Finder) describeBranch(b *Branch) {
	n := b.decision.node
	b.Func = b.fn.name
	var at ast.Node = n.at
	switch s := n.at.(type) {
	case nil:
		at = n.cond
	case *ast.RangeStmt:
		b.Text = "for range " + f.shortSource(b.fn, s.X)
	case *ast.SwitchStmt:
		b.Text = "switch " + f.shortSource(b.fn, s.Tag)
	case *ast.TypeSwitchStmt:
		b.Text = "switch " + f.shortSource(b.fn, s.Assign)
	case *ast.SelectStmt:
		b.Text = "select"
	case *ast.CaseClause:
		b.Text = "case " + f.caseText(b.fn, s)
	}
	b.Place = f.place(b.fn, at.Pos())
	if b.Text == "" {
		b.Text = f.shortSource(b.fn, at)
	}
	for i := range b.Moments {
		b.Moments[i].Call = f.callNumber(b.fn.id, b.Moments[i].Activation)
	}
	slices.SortFunc(b.Moments, func(x, y Moment) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Activation, y.Activation))
	})
	b.Outcome = f.outcome(b)
}

func (f *Finder) outcome(b *Branch) string {
	n := b.decision.node
	switch b.decision.kind {
	case "lost":
		return "was left by a panic or the program's end"
	case "dispatch":
		return "called another function"
	}
	switch s := n.at.(type) {
	case nil:
		if b.decision.alt == 0 {
			return "was false"
		}
		return "was true"
	case *ast.CaseClause:
		if b.decision.alt == 0 {
			return "did not fit"
		}
		return "fitted"
	case *ast.RangeStmt:
		switch {
		case b.decision.alt != 0:
			return "had another element"
		case n.part == history.Head:
			return "had no element"
		}
		return "had no further element"
	case *ast.SwitchStmt:
		return f.clause(b, s.Body)
	case *ast.TypeSwitchStmt:
		return f.clause(b, s.Body)
	case *ast.SelectStmt:
		return f.clause(b, s.Body)
	}
	return "went another way"
}

// caseText are the expressions of a clause.
func (f *Finder) caseText(fn *function, c *ast.CaseClause) string {
	var list []string
	for _, x := range c.List {
		list = append(list, f.source(fn, x))
	}
	return shorten(strings.Join(list, ", "))
}

// clause says which clause was taken instead of the one that leads to the operation.
func (f *Finder) clause(b *Branch, body *ast.BlockStmt) string {
	name := func(i int) string {
		if i < 0 || i >= len(body.List) {
			return "no case"
		}
		switch c := body.List[i].(type) {
		case *ast.CaseClause:
			if c.List == nil {
				return "default"
			}
			return "case " + f.caseText(b.fn, c)
		case *ast.CommClause:
			if c.Comm == nil {
				return "default"
			}
			return "case " + f.shortSource(b.fn, c.Comm)
		}
		return "another case"
	}
	// Clauses without statements cannot be told apart, nor from none.
	taken, same := b.Moments[0].taken, 0
	for _, s := range b.decision.node.succs {
		if taken >= 0 && s == b.decision.node.succs[taken] {
			same++
		}
	}
	if taken < 0 || same > 1 {
		return "did not take " + name(b.decision.alt)
	}
	return fmt.Sprintf("took %s, not %s", name(taken), name(b.decision.alt))
}

// callNumber is the how manieth activation of a function began at a time.
func (f *Finder) callNumber(fn int, start int64) int {
	if f.calls == nil {
		f.calls = map[int][]int64{}
		for _, a := range f.events.tree.Activations {
			f.calls[a.Func] = append(f.calls[a.Func], a.Start)
		}
	}
	n, _ := slices.BinarySearch(f.calls[fn], start)
	return n + 1
}
