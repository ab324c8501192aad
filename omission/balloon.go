package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"

	"misstep/history"
)

// A Position is where something stands in a source.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

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
	Place Position `json:"place"`
	// Text is the operation, with the subject in the place of the expression Object if it is sure that it would have been
	// the subject. Object is empty where the object is not in the text.
	Text   string `json:"text"`
	Object string `json:"object,omitempty"`
	Func   string `json:"func"`
	Kind   Kind   `json:"kind"`
	// Through is what a call does with the object in what it calls.
	Through *Inner `json:"through,omitempty"`
	// Distance is how many calls lie between the nearest branch and the operation.
	Distance int `json:"distance"`
	// Sure says that the object would have been the subject; otherwise it may have.
	Sure bool `json:"sure"`
	// On is the object that it is on, where that is not the subject, and what that has to do
	// with it.
	On string `json:"on,omitempty"`
	// Instead says that it was performed, and another way would not have: another value is
	// wanted.
	Instead bool `json:"instead,omitempty"`
	// Alone says that nothing but the inversion of its branch led to it: it ran then, and the program did what is wanted.
	Alone bool `json:"alone,omitempty"`
	// Ran counts how often the operation happened to the subject elsewhere.
	Ran int `json:"ran,omitempty"`
	// Others counts how often it happened to what is known to be something else, Unknown how often to what is not known.
	Others  int `json:"others,omitempty"`
	Unknown int `json:"unknown,omitempty"`
	// Branches are all that decided, the most telling first: many branches may lead to
	// one operation.
	Branches []*Branch `json:"branches"`

	node    *node
	expr    ast.Node
	written string // the operation as it is in the source
	of      *Subject
	goal    goal // the operation by itself
}

// An Inner is an operation in a function that is called.
type Inner struct {
	Place Position `json:"place"`
	Text  string   `json:"text"`
	Func  string   `json:"func"`
}

// A Branch is a decision against an operation.
type Branch struct {
	Place Position `json:"place"`
	Text  string   `json:"text"`
	Func  string   `json:"func"`
	// Outcome is what happened there: "was false".
	Outcome string `json:"outcome"`
	// Distance is how many calls lie between the branch and the operation.
	Distance int `json:"distance"`
	// Count is how often it decided so; Moments are some of them, from the first to the last.
	Count   int       `json:"count"`
	Moments []Decided `json:"moments"`
	// Verdict is what inverting it showed; nil if that was not tried.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Via is the call in the branch's function that leads to the operation, if that is in
	// another.
	Via *Inner `json:"via,omitempty"`
	// Why are the reasons of the value that decided.
	Why []*Reason `json:"why,omitempty"`

	asked    bool // for its reasons
	judges   bool // whether the run is as it should be, and is no cause of how it is
	observes bool // is in what the last condition before the failure called, which may only look: what changes the object says more
	// complains says that its operation would only have told of something wrong.
	complains bool
	call      *call
	score     float64
	far       bool // of what was written to the object, which is known to have had something else that did not happen
	fn        *function
	decision  decision
	sure      bool
	counted   map[int64]int // of activations, by their beginnings
	sample    sample        // of the moments
	known     map[Decided]bool
	// unfit says that it is a switch of which no case fitted at these moments. Others, at which it took another case, are left out, as
	// that one fitted.
	unfit bool
}

// Decided is one time at which a branch decided.
type Decided struct {
	// Activation is when the function was entered, Time that of the last event before
	// the decision; both are numbers of events.
	Activation int64 `json:"activation"`
	Time       int64 `json:"time"`
	// Call is the number of the activation among those of its function, Evaluation that of the
	// evaluation in it, both from 1.
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
	ranges   bool // see Options
	ends     bool
}

// add puts a decision to the operation that it is against.
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
		a.Kind, a.Text, a.Object, a.Ran, a.Through, a.written = better.Kind, better.Text, better.Object, better.Ran, better.Through, better.written
	}
	score := b.score(x, a)
	switch {
	case br != nil && br.unfit && !x.unfit:
		return
	case br == nil || x.unfit && !br.unfit:
		br = &Branch{unfit: x.unfit, score: score, fn: x.fn, decision: x.decision, Distance: x.goal.distance, sure: x.same, call: x.goal.call, complains: x.goal.op.complains(), counted: map[int64]int{}, known: map[Decided]bool{}}
		b.branches[a][bk] = br
	}
	if score < br.score {
		br.score, br.Distance, br.sure, br.decision, br.call = score, x.goal.distance, x.same, x.decision, x.goal.call
	}
	// Several goals of one operation come to the same moments.
	if more := x.count - br.counted[x.activation]; more > 0 {
		br.Count += more
		br.counted[x.activation] = x.count
	}
	for _, m := range x.times {
		if !br.known[m] {
			br.known[m] = true
			br.sample.add(m)
		}
	}
}

// operation describes an operation.
func (b *bundler) operation(op *operation) *Operation {
	a := &Operation{
		Place: b.f.place(op.fn, op.expr.Pos()), Text: b.f.withSubject(op, b.s), Func: op.fn.name, Kind: op.kind, node: op.node, expr: op.expr,
		written: b.f.shortSource(op.fn, op.expr), of: b.s, goal: goal{op: op, node: op.node, operand: op.operand},
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
	type key struct {
		branchKey
		unfit bool
	}
	byBranch := map[key]*Balloon{}
	var list []*Balloon
	for _, op := range ops {
		slices.SortFunc(op.Branches, compareBranches)
		best := op.Branches[0]
		op.Distance, op.Sure = best.Distance, best.sure
		if !op.Sure && op.written != "" {
			op.Text = op.written // the subject's name would say that it is the subject
		}
		k := key{best.decision.key(), best.unfit}
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
	spreadWays(list)
	for i, b := range list {
		b.Rank = i + 1
	}
	return list
}

// spreadWays ranks the nearest of several ways that one branch did not take, as the clauses of a switch are, as it is ranked, and the
// others after those other branches which inverting speaks for as much: they would fill the list and say one thing.
func spreadWays(list []*Balloon) {
	type rung struct {
		node   *node
		remote bool
		order  int
	}
	nth := map[*Balloon]int{}
	seen := map[rung]int{}
	for _, b := range list {
		k := rung{b.Branch.decision.node, b.Branch.remote(), b.Branch.order()}
		nth[b] = seen[k]
		seen[k]++
	}
	slices.SortStableFunc(list, func(x, y *Balloon) int {
		return cmp.Or(compareBools(x.Branch.remote(), y.Branch.remote()), cmp.Compare(x.Branch.order(), y.Branch.order()), cmp.Compare(min(nth[x], 1), min(nth[y], 1)))
	})
}
