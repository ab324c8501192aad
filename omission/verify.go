package omission

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
)

// A Verifier runs a program again, with branches inverted.
type Verifier struct {
	Recorder *record.Recorder
	Engine   gobuild.Engine
	// Runs and Time bound what is tried, Jobs how many runs there are side by side; 0 is
	// one.
	Runs int
	Time time.Duration
	Jobs int
	// Stdin is what the program reads.
	Stdin []byte
	// Expect is what the program prints when it does what it should; nil if that is not
	// known.
	Expect *regexp.Regexp
}

// A Verification counts what was done.
type Verification struct {
	// Tried is how many evaluations were inverted, Happened how many made an operation
	// happen.
	Tried    int `json:"tried"`
	Happened int `json:"happened"`
	// Impossible counts branches that cannot be inverted, such as those of a select; Left
	// what there was no time for.
	Impossible int `json:"impossible"`
	Left       int `json:"left"`
	// Gone counts moments that did not come up again when the program was run without any
	// inversion, as it does not run the same twice.
	Gone int `json:"gone"`
	// Deterministic says that two runs printed the same; without that, what a run prints
	// says nothing.
	Deterministic bool `json:"deterministic"`
	// Printed says that whether the program did what is wanted goes by what it printed, and not by its exit code.
	Printed bool `json:"printed,omitempty"`
	// Wrong says that the run by itself is not as it should be, so that it is seen which inversions mend it.
	Wrong   bool    `json:"wrong,omitempty"`
	Seconds float64 `json:"seconds"`
	// Switching counts what was tried beside; nil if nothing was.
	Switching *Switching `json:"switching,omitempty"`
}

// A Switching counts branches that were inverted wherever they ran, to see what makes a program that fails do what is wanted.
type Switching struct {
	// Tried is how many evaluations were inverted, or conditions each time; Critical how many of these made the program do what is
	// wanted; Left what there was no time for.
	Tried    int `json:"tried"`
	Critical int `json:"critical"`
	Left     int `json:"left"`
	// Unbuilt says that nothing was tried, as the program does not compile with all of its conditions made to be inverted.
	Unbuilt bool `json:"unbuilt,omitempty"`
}

// Verify tries to make the operations of balloons happen, and ranks them anew. Of a run that is not as it should be, what all other
// branches lead to is looked at as well, see [Verification.Switching].
func (v *Verifier) Verify(ctx context.Context, f *Finder, rec *history.Recording, list []*Balloon, dir string) ([]*Balloon, *Verification, error) {
	start := time.Now()
	sum := &Verification{Deterministic: true, Printed: v.Expect != nil}
	attempts, turn, impossible := f.attempts(list)
	sum.Impossible = impossible
	wrong := true
	var rather []*Operation
	if len(attempts) > 0 {
		rebuilt, err := v.Recorder.Rebuild(ctx, rec, v.Engine, dir, record.BuildOptions{Turn: turn})
		if err != nil {
			return nil, nil, err
		}
		if wrong, rather, err = v.invert(ctx, f, rebuilt, attempts, sum, start.Add(v.Time), dir); err != nil {
			return nil, nil, err
		}
	}
	sum.Wrong = wrong
	var ops []*Operation
	if wrong {
		var err error
		if ops, sum.Switching, err = v.switched(ctx, f, rec, list, dir, start.Add(v.Time)); err != nil {
			return nil, nil, err
		}
		ops = merged(append(ops, rather...), list)
	}
	sum.Seconds = time.Since(start).Seconds()
	for _, b := range list {
		for _, op := range b.Operations {
			for _, br := range op.Branches {
				br.Why = unrefuted(br.Why)
			}
		}
		ops = append(ops, b.Operations...)
	}
	return bundle(ops), sum, nil
}

// invert carries attempts out, and gives each branch the verdict that says most for it. Wrong says that the run by itself is not as it
// should be, as far as that is known; rather are steps that ran in the place of others, see rather.
func (v *Verifier) invert(ctx context.Context, f *Finder, rec *history.Recording, attempts []attempt, sum *Verification, until time.Time, dir string) (wrong bool, rather []*Operation, err error) {
	limit := 30 * time.Second
	began := time.Now()
	base, err := v.run(ctx, f, rec, nil, limit, dir)
	if err != nil {
		return false, nil, err
	}
	limit = 2*time.Second + time.Duration(3+v.Jobs)*time.Since(began)
	again, err := v.run(ctx, f, rec, nil, limit, dir)
	if err != nil {
		return false, nil, err
	}
	steady := base.end.ExitCode == again.end.ExitCode
	sum.Deterministic = steady && bytes.Equal(base.out, again.out)

	judges := f.judging().nodes
	var mu sync.Mutex
	seen := map[*Operation]bool{}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(v.Jobs, 1))
	for _, t := range f.trials(attempts, base, sum) {
		if sum.Tried >= v.Runs || time.Now().After(until) || ctx.Err() != nil {
			sum.Left++
			continue
		}
		mu.Lock()
		settled := t.settled()
		mu.Unlock()
		if settled {
			continue
		}
		sum.Tried++
		work.Go(func() error {
			got, err := v.run(ctx, f, rec, &record.Set{Number: t.number, Nth: t.ordinal}, limit, dir)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			happened := false
			for _, a := range t.attempts {
				verdict := v.verdict(a, got, base, judges, sum.Deterministic, steady)
				if a.branch.Verdict == nil || verdict.order() < a.branch.Verdict.order() {
					a.branch.Verdict = verdict
				}
				happened = happened || verdict.Happens
				if (a.op.Instead || !a.op.Sure) && verdict.Happens && verdict.Expected && a.branch == a.op.Branches[0] && !seen[a.op] {
					seen[a.op] = true
					rather = append(rather, f.rather(a, got, base)...)
				}
			}
			if happened {
				sum.Happened++
			}
			return nil
		})
	}
	err = work.Wait()
	return v.wrong(base, steady), rather, err
}

// unrefuted are the reasons but those that say that a step was not performed, by a branch of which the inversion showed that the
// operation does not happen all the same, and none of whose own reasons does better.
func unrefuted(list []*Reason) []*Reason {
	return slices.DeleteFunc(list, func(r *Reason) bool {
		r.Why = unrefuted(r.Why)
		return r.Omitted && r.Branch != nil && r.Branch.Verdict != nil && r.Branch.Verdict.order() > untried && r.order() >= untried
	})
}

// attempt is a branch to invert for an operation.
type attempt struct {
	op     *Operation
	branch *Branch
	number int // of its condition
	moment Decided
	at     place
	// whole says that the condition is inverted which the branch is an operand of.
	whole bool
	// each says that all evaluations of the condition are inverted at once.
	each bool
	// late is how much comes before it: better branches of the operation, and moments.
	late int
}

// attempts are what is to be tried, first the best branch of each operation and the first
// moment of each branch; with the conditions to be turned, and how many branches cannot be.
func (f *Finder) attempts(list []*Balloon) (attempts []attempt, turn []record.Turn, impossible int) {
	numbers := map[record.Turn]int{}
	number := func(x record.Turn) int {
		if _, known := numbers[x]; !known {
			numbers[x] = len(turn)
			turn = append(turn, x)
		}
		return numbers[x]
	}
	not := map[branchKey]bool{}
	for _, b := range list {
		for _, op := range b.Operations {
			for i, br := range op.Branches {
				br.each(func(br *Branch, hops int) {
					if br.judges {
						return // without it the program succeeds as nobody asks
					}
					x, ok := f.turn(br)
					if !ok {
						not[br.decision.key()] = true
						return
					}
					for j, n := range spread(len(br.Moments)) {
						m := br.Moments[n]
						attempts = append(attempts, attempt{op: op, branch: br, number: number(x), moment: m, at: place{br.decision.node, m.Call, m.Evaluation}, late: i + j + hops})
						if j > 1 {
							continue
						}
						if x, at, ok := f.whole(br, m); ok {
							attempts = append(attempts, attempt{op: op, branch: br, number: number(x), moment: m, at: at, whole: true, late: i + j + hops + 1})
						}
					}
				})
			}
		}
	}
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.late, b.late) })
	return attempts, turn, len(not)
}

// spread are the numbers of some things in the order in which they say most of all of
// them: the first, the last, and then always what lies in the middle of the widest gaps.
func spread(n int) []int {
	var list []int
	seen := make([]bool, n)
	add := func(i int) {
		if !seen[i] {
			seen[i] = true
			list = append(list, i)
		}
	}
	if n > 0 {
		add(0)
		add(n - 1)
	}
	for parts := 2; len(list) < n; parts *= 2 {
		for i := 1; i < parts; i += 2 {
			add(i * (n - 1) / parts)
		}
		if parts > n {
			for i := range n {
				add(i)
			}
		}
	}
	return list
}

// A trial is one run: an evaluation that is inverted, and all that it is tried for.
type trial struct {
	number, ordinal int
	attempts        []attempt
}

// settled reports whether there is nothing to be found out by a trial any more.
func (t *trial) settled() bool {
	for _, a := range t.attempts {
		v := a.branch.Verdict
		// The whole is for where an operand alone cannot be inverted.
		if v == nil || v.order() > 0 && (!a.whole || v.Crashes) {
			return false
		}
	}
	return true
}

// trials are the runs for some attempts, in their order.
func (f *Finder) trials(attempts []attempt, base *outcome, sum *Verification) []*trial {
	ordinals := ordinals(base, attempts)
	type evaluation struct{ number, ordinal int }
	byPlace := map[evaluation]*trial{}
	var list []*trial
	for _, a := range attempts {
		ordinal, ok := ordinals[a.at]
		if !ok {
			sum.Gone++
			continue
		}
		k := evaluation{a.number, ordinal}
		t := byPlace[k]
		if t == nil {
			t = &trial{number: a.number, ordinal: ordinal}
			byPlace[k] = t
			list = append(list, t)
		}
		t.attempts = append(t.attempts, a)
	}
	return list
}

// ordinals are the numbers, from 0, that evaluations have among those of their conditions in
// the whole run.
func ordinals(base *outcome, attempts []attempt) map[place]int {
	wanted := map[int]map[*node]bool{}
	for _, a := range attempts {
		n := a.at.node
		if wanted[n.fn.id] == nil {
			wanted[n.fn.id] = map[*node]bool{}
		}
		wanted[n.fn.id][n] = true
	}
	type evaluation struct {
		time  int64
		place place
	}
	all := map[*node][]evaluation{}
	for fn, nodes := range wanted {
		for call, a := range base.byFunc[fn] {
			n := map[*node]int{}
			for _, v := range base.trace(a) {
				if nodes[v.node] {
					n[v.node]++
					all[v.node] = append(all[v.node], evaluation{v.time, place{v.node, call + 1, n[v.node]}})
				}
			}
		}
	}
	ordinals := map[place]int{}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b evaluation) int { return cmp.Compare(a.time, b.time) })
		for i, e := range list {
			ordinals[e.place] = i
		}
	}
	return ordinals
}
