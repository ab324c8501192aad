package omission

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
)

// A Verdict is what the inversion of one evaluation of a branch showed (predicate
// switching: Zhang, Tallam, Gupta and Gupta, PLDI 2007).
type Verdict struct {
	// Happens says that the operation happened then, more often than before.
	Happens bool `json:"happens"`
	// Expected says that the run was as is wanted: it printed what is expected; or, if
	// nothing is said of that, it succeeded, and had failed before.
	Expected bool `json:"expected"`
	// Output says that the program printed or returned something else; Compared that this
	// says something, as it prints the same when it is run twice.
	Output   bool `json:"output"`
	Compared bool `json:"compared"`
	// Crashes says that the program ended by a panic or a signal, or did not end.
	Crashes bool `json:"crashes"`
	// ExitCode is what the program returned.
	ExitCode int `json:"exitCode"`
	// Moment is the decision that was inverted.
	Moment Decided `json:"moment"`
}

// String says in words what became of the operation.
func (v *Verdict) String() string {
	switch {
	case v.Happens && v.Expected:
		return "it happens, and the output is as expected"
	case v.Happens && v.Crashes:
		return "it happens, and the program crashes"
	case v.Happens && !v.Compared:
		return "it happens"
	case v.Happens && v.Output:
		return "it happens, and the output changes"
	case v.Happens:
		return "it happens, and the output stays"
	case v.Crashes:
		return "it does not happen: the program crashes"
	}
	return "it does not happen"
}

// order is where a verdict stands in a ranking, untried where those stand without one.
func (v *Verdict) order() int {
	switch {
	case v.Happens && v.Expected:
		return 0
	case v.Happens && v.Output && !v.Crashes:
		return 1
	case v.Happens && !v.Crashes:
		return 2
	case v.Happens:
		return 4
	}
	return 5
}

const untried = 3

// A Verifier runs a program again, with branches inverted.
type Verifier struct {
	Recorder *record.Recorder
	Engine   gobuild.Engine
	// Runs and Time bound what is tried.
	Runs int
	Time time.Duration
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
	// Impossible counts branches that cannot be inverted, such as those of a switch; Left
	// what there was no time for.
	Impossible int `json:"impossible"`
	Left       int `json:"left"`
	// Gone counts moments that did not come up again when the program was run without any
	// inversion, as it does not run the same twice.
	Gone int `json:"gone"`
	// Deterministic says that two runs printed the same; without that, what a run prints
	// says nothing.
	Deterministic bool    `json:"deterministic"`
	Seconds       float64 `json:"seconds"`
}

// attempt is a branch to invert.
type attempt struct {
	op     *Operation
	branch *Branch
	number int // of its condition
	moment Decided
}

// outcome is what a run did.
type outcome struct {
	out     []byte
	end     history.End
	crashed bool
	counts  map[*node]int
}

// Verify tries to make the operations of balloons happen, in their order, and ranks them
// anew.
func (v *Verifier) Verify(ctx context.Context, f *Finder, rec *history.Recording, list []*Balloon, dir string) ([]*Balloon, *Verification, error) {
	start := time.Now()
	sum := &Verification{Deterministic: true}
	attempts, turn, impossible := f.attempts(list)
	sum.Impossible = impossible
	if len(attempts) == 0 {
		return list, sum, nil
	}
	rebuilt, err := v.Recorder.Rebuild(ctx, rec, v.Engine, dir, record.BuildOptions{Turn: turn})
	if err != nil {
		return nil, nil, err
	}
	code := rebuilt.Code()
	functions := map[int]bool{}
	for _, a := range attempts {
		functions[a.op.node.fn.id] = true
	}
	limit := 30 * time.Second
	began := time.Now()
	base, tree, err := v.run(ctx, f, code, rebuilt, functions, nil, limit, dir)
	if err != nil {
		return nil, nil, err
	}
	limit = 2*time.Second + 4*time.Since(began)
	again, _, err := v.run(ctx, f, code, rebuilt, functions, nil, limit, dir)
	if err != nil {
		return nil, nil, err
	}
	steady := base.end.ExitCode == again.end.ExitCode
	sum.Deterministic = steady && bytes.Equal(base.out, again.out)
	ordinals := f.ordinals(code, tree, attempts)
	type try struct{ number, ordinal int }
	done, happened := map[try]*outcome{}, map[try]bool{}
	for i := range attempts {
		a := &attempts[i]
		ordinal, ok := ordinals[momentKey{a.branch.decision.node, a.moment.Call, a.moment.Evaluation}]
		if !ok {
			sum.Gone++
			continue
		}
		if a.branch.Verdict != nil && a.branch.Verdict.order() == 0 {
			continue
		}
		k := try{a.number, ordinal}
		got := done[k]
		if got == nil {
			if sum.Tried >= v.Runs || time.Since(start) > v.Time {
				sum.Left++
				continue
			}
			sum.Tried++
			if got, _, err = v.run(ctx, f, code, rebuilt, functions, &record.Set{Number: a.number, Nth: ordinal}, limit, dir); err != nil {
				return nil, nil, err
			}
			done[k] = got
		}
		verdict := v.verdict(a, got, base, sum.Deterministic, steady)
		if a.branch.Verdict == nil || verdict.order() < a.branch.Verdict.order() {
			a.branch.Verdict = verdict
		}
		if verdict.Happens && !happened[k] {
			happened[k] = true
			sum.Happened++
		}
	}
	sum.Seconds = time.Since(start).Seconds()
	var ops []*Operation
	for _, b := range list {
		ops = append(ops, b.Operations...)
	}
	return bundle(ops), sum, nil
}

// attempts are what is to be tried, first the best branch of each operation and one moment
// of each branch; with the conditions to be turned, and how many branches cannot be.
func (f *Finder) attempts(list []*Balloon) (attempts []attempt, turn []record.Turn, impossible int) {
	numbers := map[record.Turn]int{}
	not := map[branchKey]bool{}
	for round := range maxTries {
		for _, b := range list {
			for _, op := range b.Operations {
				i, j := round%2, round/2
				if i >= len(op.Branches) {
					continue
				}
				br := op.Branches[i]
				x, ok := f.turn(br)
				if !ok {
					not[br.decision.key()] = true
					continue
				}
				moments := spread(br.Moments)
				if j >= len(moments) {
					continue
				}
				if _, known := numbers[x]; !known {
					numbers[x] = len(turn)
					turn = append(turn, x)
				}
				attempts = append(attempts, attempt{op: op, branch: br, number: numbers[x], moment: moments[j]})
			}
		}
	}
	return attempts, turn, len(not)
}

// verdict holds a run with an inverted branch against the one without. Outputs are compared
// of programs that print the same twice; the exit code of one that is steady says whether it
// succeeds.
func (v *Verifier) verdict(a *attempt, got, base *outcome, compared, steady bool) *Verdict {
	verdict := &Verdict{
		Compared: compared,
		Happens:  got.counts[a.op.node] > base.counts[a.op.node],
		Output:   compared && (!bytes.Equal(got.out, base.out) || got.end.ExitCode != base.end.ExitCode),
		Crashes:  got.crashed && !base.crashed, ExitCode: got.end.ExitCode, Moment: a.moment,
	}
	if v.Expect != nil {
		verdict.Expected = v.Expect.Match(got.out)
	} else {
		verdict.Expected = got.end.ExitCode == 0 && base.end.ExitCode != 0 && steady
	}
	return verdict
}

// maxTries is how often an operation is tried to be made to happen: by its two best
// branches, at three moments each.
const maxTries = 6

// spread are the first, the last and the middle of some moments.
func spread(list []Decided) []Decided {
	switch n := len(list); {
	case n <= 2:
		return list
	default:
		return []Decided{list[0], list[n-1], list[n/2]}
	}
}

// turn is how a branch can be made to go the other way: by its condition, or by the tag
// of a switch, which gets the first value of the clause.
func (f *Finder) turn(b *Branch) (record.Turn, bool) {
	n, info := b.decision.node, b.fn.pkg.Info
	if b.decision.alt < 0 {
		return record.Turn{}, false
	}
	file := b.fn.pkg.Fset.File(b.fn.node.Pos())
	at := func(x ast.Expr, value string) record.Turn {
		return record.Turn{File: file.Name(), Start: file.Offset(x.Pos()), End: file.Offset(x.End()), Value: value}
	}
	if n.cond != nil {
		if tv := info.Types[n.cond]; tv.Value != nil || !record.PlainBool(tv.Type) {
			return record.Turn{}, false
		}
		return at(n.cond, ""), true
	}
	s, ok := n.at.(*ast.SwitchStmt)
	if !ok || n.part != history.Head || b.decision.alt >= len(s.Body.List) {
		return record.Turn{}, false
	}
	c := s.Body.List[b.decision.alt].(*ast.CaseClause)
	tag := info.Types[s.Tag]
	if len(c.List) == 0 || tag.Value != nil || calls(c.List[0]) {
		return record.Turn{}, false
	}
	if tv := info.Types[c.List[0]]; tv.Value == nil && !types.Identical(tv.Type, tag.Type) {
		return record.Turn{}, false // a value of another type, in or for an interface
	}
	return at(s.Tag, f.source(b.fn, c.List[0])), true
}

type momentKey struct {
	node             *node
	call, evaluation int
}

// ordinals are the numbers, from 0, that moments have among the evaluations of their
// conditions in the whole run.
func (f *Finder) ordinals(code *history.Code, tree *history.Tree, attempts []attempt) map[momentKey]int {
	wanted := map[int]map[*node]bool{}
	for _, a := range attempts {
		fn := a.branch.fn.id
		if wanted[fn] == nil {
			wanted[fn] = map[*node]bool{}
		}
		wanted[fn][a.branch.decision.node] = true
	}
	type evaluation struct {
		time int64
		key  momentKey
	}
	all := map[*node][]evaluation{}
	calls := map[int]int{}
	for _, a := range tree.Activations {
		calls[a.Func]++
		if len(wanted[a.Func]) == 0 {
			continue
		}
		n := map[*node]int{}
		for _, v := range f.program.funcs[a.Func].trace(code, a) {
			if wanted[a.Func][v.node] {
				n[v.node]++
				all[v.node] = append(all[v.node], evaluation{v.time, momentKey{v.node, calls[a.Func], n[v.node]}})
			}
		}
	}
	ordinals := map[momentKey]int{}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b evaluation) int { return cmp.Compare(a.time, b.time) })
		for i, e := range list {
			ordinals[e.key] = i
		}
	}
	return ordinals
}

// run runs the program once.
func (v *Verifier) run(ctx context.Context, f *Finder, code *history.Code, rec *history.Recording, functions map[int]bool, set *record.Set, limit time.Duration, dir string) (*outcome, *history.Tree, error) {
	file, err := os.Create(filepath.Join(dir, "inverted"))
	if err != nil {
		return nil, nil, fmt.Errorf("writing a history: %w", err)
	}
	defer file.Close()
	run, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := &bounded{max: 1 << 20}
	// What it writes and what it reports are one stream, so that their order counts.
	end, err := v.Recorder.Run(run, rec, record.Options{Turn: set, Stdin: bytes.NewReader(v.Stdin), Stdout: out, Stderr: out, Size: 256 << 20}, file)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if rec.Plan.Test {
		// What a test took is no part of what it says.
		out.text = seconds.ReplaceAll(out.text, []byte("0.00s"))
	}
	o := &outcome{out: out.text, end: end, counts: map[*node]int{}}
	o.crashed = run.Err() != nil || err != nil || end.ExitCode < 0 || end.ExitCode >= 128 ||
		end.ExitCode == 2 && (bytes.Contains(out.text, []byte("panic: ")) || bytes.Contains(out.text, []byte("fatal error: ")))
	if err != nil && run.Err() == nil {
		return nil, nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, fmt.Errorf("reading a history: %w", err)
	}
	r, err := history.NewReader(file)
	if err != nil {
		return o, &history.Tree{}, nil // it was stopped before there was any
	}
	tree, err := r.TreeUntil(2 * f.limit)
	if err != nil {
		return o, &history.Tree{}, nil
	}
	for _, a := range tree.Activations {
		if !functions[a.Func] {
			continue
		}
		for _, visit := range f.program.funcs[a.Func].trace(code, a) {
			o.counts[visit.node]++
		}
	}
	return o, tree, nil
}

var seconds = regexp.MustCompile(`[0-9]+\.[0-9]+s\b`)

// bounded keeps the beginning of what is written.
type bounded struct {
	mu   sync.Mutex
	text []byte
	max  int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, p[:min(len(p), b.max-len(b.text))]...)
	return len(p), nil
}
