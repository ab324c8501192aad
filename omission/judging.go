package omission

import (
	"go/ast"
	"slices"
	"strings"

	"misstep/history"
)

// judging is what decides whether a run is as it should be, and so is no cause of how it is: where it was asked otherwise, or not at all,
// a run succeeds as nobody asks.
type judging struct {
	// nodes are conditions that have to be asked as before: those in tests, and those below.
	nodes map[*node]bool
	// noticed are conditions in the line of the question that read the variable which that names: there the user has noticed what is missing.
	noticed map[*node]bool
	// last are the evaluations that led to where the program failed, and around it else.
	last map[evaluated]bool
}

// evaluated is one evaluation of a condition in an activation, which is known by its beginning.
type evaluated struct {
	node       *node
	activation int64
	evaluation int
}

// noticedAt is a variable in a line that a question names.
type noticedAt struct {
	file, line int
	name       string
}

// judging are the judges of the run. They are looked for once.
func (f *Finder) judging() *judging {
	if f.judges != nil {
		return f.judges
	}
	j := &judging{nodes: map[*node]bool{}, noticed: map[*node]bool{}, last: map[evaluated]bool{}}
	f.judges = j
	last := f.lastGoroutine()
	for _, a := range f.events.tree.Activations {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		file := f.plan.Funcs[fn.id].File
		test := strings.HasSuffix(f.plan.Files[file].Name, "_test.go")
		named := f.noticed != nil && f.noticed.file == file
		failed := endedByFailure(a, last)
		if !test && !named && !failed {
			continue
		}
		trace := f.trace(fn, a)
		for _, v := range trace {
			decides := v.node.cond != nil || chooses(v.node)
			if decides && named && f.notices(v.node) {
				j.noticed[v.node] = true
			}
			if decides && test || j.noticed[v.node] {
				j.nodes[v.node] = true
			}
		}
		if !failed || len(trace) == 0 {
			continue
		}
		j.failing(fn, a, trace)
	}
	return j
}

// lastGoroutine is that of the last event of the run, which ended it if nothing else did.
func (f *Finder) lastGoroutine() (id uint64) {
	latest := int64(-1)
	for _, a := range f.events.tree.Activations {
		at := max(a.Start, a.End)
		if n := len(a.Items); n > 0 {
			at = max(at, a.Items[n-1].Time)
		}
		if at > latest {
			latest, id = at, a.Goroutine
		}
	}
	return id
}

// endedByFailure reports whether an activation was left by a panic that nothing recovered from, or by the end of the program, in the goroutine that
// ended it: others are cut off where they wait.
func endedByFailure(a *history.Activation, last uint64) bool {
	if a.End < 0 && !a.Abrupt && a.Goroutine != last {
		return false
	}
	for x := a; x != nil; x = x.Parent {
		if !x.Abrupt && x.End >= 0 {
			return false
		}
	}
	return true
}

// failing adds the evaluations that led an activation to where the program failed in it: the last one, and those of the same condition
// before it. None of them is one without which the program would have come there as well.
func (j *judging) failing(fn *function, a *history.Activation, trace []visit) {
	end := trace[len(trace)-1].node
	var whole ast.Expr
	for i := len(trace) - 2; i >= 0; i-- {
		n := trace[i].node
		if n.cond == nil && !chooses(n) {
			continue
		}
		if whole != nil && (n.cond == nil || fn.around(n.cond) != whole) {
			return
		}
		if slices.ContainsFunc(n.succs, func(s *node) bool { return s != trace[i+1].node && fn.graph.leads(s, end, n) }) {
			return
		}
		nth := 0
		for _, v := range trace[:i+1] {
			if v.node == n {
				nth++
			}
		}
		j.nodes[n] = true
		j.last[evaluated{n, a.Start, nth}] = true
		if n.cond != nil {
			whole = fn.around(n.cond)
		}
		if whole == nil {
			return
		}
	}
}

// notices reports whether a condition is in the line of the question, and reads the variable that it names.
func (f *Finder) notices(n *node) bool {
	x := n.cond
	if s, ok := n.at.(*ast.SwitchStmt); ok && x == nil {
		x = s.Tag
	}
	if x == nil || f.place(n.fn, x.Pos()).Line != f.noticed.line {
		return false
	}
	reads := false
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		reads = reads || ok && id.Name == f.noticed.name
		return !reads
	})
	return reads
}

// notice keeps where a question is asked: a variable in a line.
func (f *Finder) notice(file, line int, x ast.Expr) {
	if id := root(x); id != nil {
		f.noticed, f.judges = &noticedAt{file, line, id.Name}, nil
	}
}

// judged reports whether all that a branch has decided judges the run.
func (f *Finder) judged(b *Branch) bool {
	if b.decision.alt < 0 {
		return false
	}
	j := f.judging()
	if j.noticed[b.decision.node] {
		return true
	}
	moments := b.sample.list()
	return len(moments) > 0 && !slices.ContainsFunc(moments, func(m Decided) bool {
		return !j.last[evaluated{b.decision.node, m.Activation, m.Evaluation}]
	})
}
