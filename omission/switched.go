package omission

import (
	"cmp"
	"context"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"misstep/history"
	"misstep/history/record"
)

// Where a run fails, branches are inverted that no operation on the object led to as well, all that ran: those with which the program does
// what is wanted are critical predicates (Zhang, Gupta and Gupta, Locating faults through automated predicate switching, ICSE 2006). What
// they are about is what ran then and had not. That needs no analysis, so that it finds what goes by ways which none knows of; and it says less,
// as a branch that leads around what fails does what is wanted, too. So what judges the run is never inverted, and has to be asked as before:
// the branches that decided last in what was left by the failure, and those of tests.

// maxSwitched is how many evaluations of a condition are inverted one by one, beside all of them at once, and how many other ways
// each evaluation of a switch is sent.
const maxSwitched = 6

// switchedRuns is how many times as many runs there may be for that as for what is known of the object.
const switchedRuns = 4

// maxCritical is how many branches are told of with which the program does what is wanted: the more there are, the less each says.
const maxCritical = 5

// maxNew is how many steps are told of that ran where they had not.
const maxNew = 3

// switchedScore puts what inverting alone led to after what is known to be about the object, and judgingScore what stands in functions
// that had not returned when the program failed after that.
const switchedScore, judgingScore = 100.0, 100.0

// lostWeight is for each step that ran without the inversion, and does not with it.
const lostWeight = 0.25

// stepWeight is for each step of a run that comes before another one.
const stepWeight = 0.01

// switchedPace is how many times as long as by itself a run may take, and switchedPause what it may take beside that.
const switchedPace, switchedPause = 4, 500 * time.Millisecond

// wrong reports whether a run is known to be not as it should.
func (v *Verifier) wrong(o *outcome, steady bool) bool {
	if v.Expect != nil {
		return !v.Expect.Match(o.out)
	}
	return steady && o.end.ExitCode != 0
}

// switched are the operations that inverting each branch of a failing run leads to, and what it cost.
func (v *Verifier) switched(ctx context.Context, f *Finder, rec *history.Recording, known []*Balloon, dir string, until time.Time) ([]*Operation, *Switching, error) {
	sum := &Switching{}
	attempts, turn, judges := f.conditions()
	if most := switchedRuns * v.Runs; len(attempts) > most {
		sum.Left = len(attempts) - most
		attempts = attempts[:most]
	}
	if time.Now().After(until) || len(attempts) == 0 {
		sum.Left += len(attempts)
		return nil, sum, nil
	}
	turn = needed(attempts, turn)
	rebuilt, err := v.Recorder.Rebuild(ctx, rec, v.Engine, dir, record.BuildOptions{Turn: turn})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		sum.Unbuilt = true
		return nil, sum, nil
	}
	began := time.Now()
	base, err := v.run(ctx, f, rebuilt, nil, 30*time.Second, dir)
	if err != nil {
		return nil, nil, err
	}
	limit := switchedPause + switchedPace*time.Duration(max(v.Jobs, 1))*time.Since(began)
	again, err := v.run(ctx, f, rebuilt, nil, limit, dir)
	if err != nil {
		return nil, nil, err
	}
	if steady := base.end.ExitCode == again.end.ExitCode; !v.wrong(base, steady) || !v.wrong(again, steady) {
		return nil, sum, nil
	}
	told := map[branchKey]bool{}
	for _, b := range known {
		for _, op := range b.Operations {
			op.Branches[0].each(func(br *Branch, _ int) {
				if br.Verdict != nil && br.Verdict.Expected && br.Verdict.Happens {
					told[br.decision.key()] = true
				}
			})
		}
	}
	ordinals := ordinals(base, attempts)
	var mu sync.Mutex
	var ops []*Operation
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(v.Jobs, 1))
	for _, a := range attempts {
		ordinal, ok := ordinals[a.at]
		if !ok {
			continue
		}
		if a.each {
			ordinal = record.Each
		}
		mu.Lock()
		skip := told[a.branch.decision.key()]
		mu.Unlock()
		if skip {
			continue
		}
		if time.Now().After(until) || ctx.Err() != nil {
			sum.Left++
			continue
		}
		sum.Tried++
		work.Go(func() error {
			does := func(o *outcome) bool { return !o.crashed && !v.wrong(o, true) }
			got, err := v.runFor(ctx, f, rebuilt, &record.Set{Number: a.number, Nth: ordinal}, limit, dir, does)
			if err != nil || !does(got) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			runs := got.executed()
			if slices.ContainsFunc(judges, func(n *node) bool { return !runs[n] }) {
				return nil // it succeeds as nobody asks
			}
			sum.Critical++
			told[a.branch.decision.key()] = true
			ops = append(ops, v.critical(f, a, got, base)...)
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, nil, err
	}
	return fewest(ops), sum, nil
}

// needed are the conditions of some attempts, which get their numbers anew.
func needed(attempts []attempt, all []record.Turn) (turn []record.Turn) {
	numbers := map[int]int{}
	for i, a := range attempts {
		n, known := numbers[a.number]
		if !known {
			n = len(turn)
			numbers[a.number] = n
			turn = append(turn, all[a.number])
		}
		attempts[i].number = n
	}
	return turn
}

// fewest are the operations of the best branches.
func fewest(ops []*Operation) []*Operation {
	var best []*Branch
	for _, op := range ops {
		if br := op.Branches[0]; !slices.ContainsFunc(best, func(b *Branch) bool { return b.decision.key() == br.decision.key() }) {
			best = append(best, br)
		}
	}
	slices.SortStableFunc(best, compareBranches)
	best = best[:min(len(best), maxCritical)]
	return slices.DeleteFunc(ops, func(op *Operation) bool {
		return !slices.ContainsFunc(best, func(b *Branch) bool { return b.decision.key() == op.Branches[0].decision.key() })
	})
}

// conditions are the attempts to invert conditions that ran, in the order in which they are tried: of each the first, the last, and some
// between; of those the ones that were evaluated last first. Turn are the conditions by their numbers, judges those that decide whether the
// run is as it should be.
func (f *Finder) conditions() (attempts []attempt, turn []record.Turn, judges []*node) {
	type evaluation struct {
		fn    *function
		a     *history.Activation
		time  int64
		nth   int
		taken int
		judge bool // it decided last in an activation that was left by the failure
	}
	all := map[*node][]evaluation{}
	asked := map[*history.Activation]bool{} // what the last condition before the failure called
	judging := map[*function]bool{}
	judge := map[*node]bool{}
	noticed := f.judging().noticed
	for _, a := range f.events.tree.Activations {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		trace := f.trace(fn, a)
		if strings.HasSuffix(f.plan.Files[f.plan.Funcs[fn.id].File].Name, "_test.go") {
			for _, v := range trace {
				if v.node.cond != nil || chooses(v.node) {
					judge[v.node] = true
				}
			}
			continue
		}
		n := map[*node]int{}
		var last *node
		var calls []*history.Activation // of the last
		for i, v := range trace {
			if v.node.cond == nil && !chooses(v.node) {
				continue
			}
			way := taken(trace, i)
			if i+1 < len(trace) && v.node.joins() {
				way = either
			}
			n[v.node]++
			if noticed[v.node] {
				judge[v.node] = true
				continue
			}
			if way < 0 && way != either {
				continue
			}
			all[v.node] = append(all[v.node], evaluation{fn: fn, a: a, time: v.time, nth: n[v.node], taken: way})
			last, calls = v.node, v.calls
		}
		if a.Abrupt || a.End < 0 {
			judging[fn] = true
			for _, called := range calls {
				asked[called] = true
			}
			if last != nil {
				all[last][len(all[last])-1].judge = true
				judge[last] = true
			}
		}
	}
	var nodes []*node
	for n := range all {
		slices.SortStableFunc(all[n], func(x, y evaluation) int { return cmp.Compare(x.time, y.time) })
		nodes = append(nodes, n)
	}
	latest := func(n *node) int64 { return all[n][len(all[n])-1].time }
	slices.SortFunc(nodes, func(x, y *node) int {
		return cmp.Or(-cmp.Compare(latest(x), latest(y)), cmp.Compare(x.fn.id, y.fn.id), cmp.Compare(x.index, y.index))
	})
	for _, n := range nodes {
		list := all[n]
		fn := list[0].fn
		numbers := map[int]int{} // of a way
		try := func(e evaluation, alt, late int, each bool) {
			br := &Branch{fn: fn, decision: decision{node: n, alt: alt}, sure: true, score: switchedScore}
			if judging[fn] {
				br.score += judgingScore
			}
			for x := e.a; x != nil && !br.observes; x = x.Parent {
				br.observes = asked[x]
			}
			way := alt
			if n.cond != nil {
				way = 0 // to either
			}
			if _, known := numbers[way]; !known {
				x, ok := f.turn(br)
				if !ok {
					return
				}
				numbers[way] = len(turn)
				turn = append(turn, x)
			}
			m := Decided{Activation: e.a.Start, Time: e.time, Evaluation: e.nth, Call: f.callNumber(fn.id, e.a.Start), taken: e.taken}
			br.sample.add(m)
			for _, o := range list {
				if o.taken == e.taken {
					br.Count++
				}
			}
			attempts = append(attempts, attempt{branch: br, number: numbers[way], moment: m, at: place{n, m.Call, m.Evaluation}, late: late, each: each})
		}
		ways := func(e evaluation) []int {
			_, loop := n.at.(*ast.RangeStmt)
			switch {
			case e.taken == either:
				return []int{0}
			case n.cond != nil:
				return []int{1 - e.taken}
			case loop && e.taken == 1:
				return []int{0} // an element
			case loop && judging[fn]:
				return nil // without any of them, nothing is asked
			case loop:
				return []int{1} // none
			}
			var others []int
			for alt := range n.succs {
				if alt != e.taken && len(others) < maxSwitched {
					others = append(others, alt)
				}
			}
			return others
		}
		for j, i := range spread(len(list)) {
			e := list[i]
			if e.judge || j >= maxSwitched {
				continue
			}
			for k, alt := range ways(e) {
				try(e, alt, j+k, false)
			}
		}
		alike := !slices.ContainsFunc(list, func(e evaluation) bool { return e.taken != list[0].taken || e.judge })
		if _, loop := fn.loopConds[n.cond]; !loop && alike && len(list) > 1 {
			for k, alt := range ways(list[0]) {
				try(list[0], alt, 1+k, true)
			}
		}
	}
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.late, b.late) })
	return attempts, turn, slices.Collect(maps.Keys(judge))
}

// either is the way of a condition both of whose ways lead on to the same step, as of the last operand of what is assigned: which
// it was, a history does not say.
const either = -2

// joins reports whether a node is such a condition.
func (n *node) joins() bool { return n.cond != nil && n.succs[0] == n.succs[1] }

// chooses reports whether a step takes one of the clauses of a switch, or begins a loop over a range.
func chooses(n *node) bool {
	switch n.at.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.RangeStmt:
		return n.part == history.Head
	}
	return false
}

// critical are the operations of a branch with which the program does what is wanted.
func (v *Verifier) critical(f *Finder, a attempt, got, base *outcome) []*Operation {
	br := a.branch
	f.describeBranch(br)
	// A run that goes on as before but for what is missing says more than one in which nothing is done that could be wrong.
	runs := got.executed()
	for n := range base.executed() {
		if !runs[n] {
			br.score += lostWeight
		}
	}
	d := differing{a, got, base, f.sites}
	nodes, instead := d.more(), false
	if len(nodes) == 0 {
		nodes, instead = d.less(), true
	}
	br.Verdict = &Verdict{
		Happens: true, Instead: instead, Expected: true, Printed: v.Expect != nil, Output: true, Compared: true, Each: a.each,
		ExitCode: got.end.ExitCode, Moment: a.moment,
	}
	if len(nodes) == 0 {
		nodes = d.next()
		br.Verdict.Happens = false
	}
	return f.alone(br, nodes, instead, base)
}

// alone are steps as operations of a branch, the inversion of which led to them, in their order.
func (f *Finder) alone(br *Branch, nodes []*node, instead bool, base *outcome) (ops []*Operation) {
	for i, n := range nodes {
		own := *br
		own.score += stepWeight * float64(i)
		op := &Operation{
			Place: f.place(n.fn, n.at.Pos()), Text: f.stepText(n), Func: n.fn.name, Kind: Other, Sure: true, Alone: true, Instead: instead,
			Branches: []*Branch{&own}, node: n, expr: n.at,
		}
		if !instead {
			op.Ran = base.count(n)
		}
		ops = append(ops, op)
	}
	return ops
}

// rather are the steps that ran where a branch was inverted and the program did what is wanted: in the place of an operation that was performed, as
// what should have happened says more than what should not have; and beside one of which it is not known whether it is on the subject.
func (f *Finder) rather(a attempt, got, base *outcome) []*Operation {
	nodes := differing{a, got, base, f.sites}.more()
	br := *a.branch
	verdict := *br.Verdict
	verdict.Instead, verdict.Still = false, false
	br.Verdict, br.Why, br.sure = &verdict, slices.Clone(br.Why), true
	if a.op.Instead {
		br.score -= stepWeight * float64(len(nodes))
	} else {
		br.score += stepWeight
	}
	return f.alone(&br, nodes, false, base)
}

// merged are operations without those that a list has at the same branch already; these get the verdict.
func merged(alone []*Operation, list []*Balloon) []*Operation {
	return slices.DeleteFunc(alone, func(op *Operation) bool {
		for _, b := range list {
			for _, known := range b.Operations {
				for _, br := range known.Branches {
					v := op.Branches[0].Verdict
					if known.node != op.node || known.Instead != op.Instead || br.decision.key() != op.Branches[0].decision.key() {
						continue
					}
					if br.Verdict == nil || v.order() < br.Verdict.order() {
						br.Verdict = v
					}
					return true
				}
			}
		}
		return false
	})
}
