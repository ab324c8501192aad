package omission

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"misstep/history"
	"misstep/history/record"
)

// outcome is what a run did.
type outcome struct {
	out     []byte
	end     history.End
	crashed bool
	hung    bool // it was ended, as it ran on

	program *program
	code    *history.Code
	byFunc  map[int][]*history.Activation
	traces  map[*history.Activation][]visit
}

// place is an evaluation of a condition in a run: the nth of an activation of its function,
// the nth of those, both from 1.
type place struct {
	node             *node
	call, evaluation int
}

func (o *outcome) trace(a *history.Activation) []visit {
	list, ok := o.traces[a]
	if !ok {
		list = o.program.funcs[a.Func].trace(o.code, a)
		o.traces[a] = list
	}
	return list
}

// count counts how often a node was executed to its end.
func (o *outcome) count(n *node) int {
	sum := 0
	for _, a := range o.byFunc[n.fn.id] {
		for i, v := range o.trace(a) {
			if v.node == n && !o.crashedAt(a, i) {
				sum++
			}
		}
	}
	return sum
}

// crashedAt reports whether the program crashed in a step of an activation, before that came to its end.
func (o *outcome) crashedAt(a *history.Activation, i int) bool {
	return o.crashed && i == len(o.trace(a))-1 && (a.Abrupt || a.End < 0)
}

// crashedIn reports whether the program crashed in a node.
func (o *outcome) crashedIn(n *node) bool {
	return slices.ContainsFunc(o.byFunc[n.fn.id], func(a *history.Activation) bool {
		trace := o.trace(a)
		return len(trace) > 0 && trace[len(trace)-1].node == n && o.crashedAt(a, len(trace)-1)
	})
}

// since is the activation of an evaluation, and what that executed from the evaluation on, which comes first; nil if it did not come up.
func (o *outcome) since(at place) (*history.Activation, []visit) {
	list := o.byFunc[at.node.fn.id]
	if at.call > len(list) {
		return nil, nil
	}
	a := list[at.call-1]
	trace := o.trace(a)
	if i := nth(trace, at.node, at.evaluation); i >= 0 {
		return a, trace[i:]
	}
	return nil, nil
}

// afterwards counts how often a node was executed to its end after an evaluation, in its activation and what
// that called; and how often of these before the next evaluation of the same.
func (o *outcome) afterwards(at place, n *node) (all, soon int) {
	a, rest := o.since(at)
	if a == nil {
		return 0, 0
	}
	next := int64(math.MaxInt64)
	if i := slices.IndexFunc(rest[1:], func(v visit) bool { return v.node == at.node }); i >= 0 {
		next = rest[1+i].time
	}
	add := func(time int64) {
		all++
		if time < next {
			soon++
		}
	}
	skipped := len(o.trace(a)) - len(rest)
	for k, v := range rest[1:] {
		if v.node == n && !o.crashedAt(a, skipped+1+k) {
			add(v.time)
		}
	}
	for _, d := range o.byFunc[n.fn.id] {
		if d == a || d.Start < rest[0].time || !below(d, a) {
			continue
		}
		for k, v := range o.trace(d) {
			if v.node == n && !o.crashedAt(d, k) {
				add(v.time)
			}
		}
	}
	return all, soon
}

// after is how often it was executed in all.
func (o *outcome) after(at place, n *node) int {
	all, _ := o.afterwards(at, n)
	return all
}

// more reports whether a node was executed more often than in another run: in all, after an evaluation, or before the next of the same, as
// what happens may end the run.
func (o *outcome) more(base *outcome, at place, n *node) bool {
	all, soon := o.afterwards(at, n)
	all0, soon0 := base.afterwards(at, n)
	return all > all0 || soon > soon0 || o.count(n) > base.count(n)
}

// below reports whether an activation was called by another, directly or not.
func below(d, a *history.Activation) bool {
	for d = d.Parent; d != nil; d = d.Parent {
		if d == a {
			return true
		}
	}
	return false
}

// run runs the program once.
func (v *Verifier) run(ctx context.Context, f *Finder, rec *history.Recording, set *record.Set, limit time.Duration, dir string) (*outcome, error) {
	return v.runFor(ctx, f, rec, set, limit, dir, func(*outcome) bool { return true })
}

// runFor is run, but what the program executed is only read of a run that is of use.
func (v *Verifier) runFor(ctx context.Context, f *Finder, rec *history.Recording, set *record.Set, limit time.Duration, dir string, use func(*outcome) bool) (*outcome, error) {
	file, err := os.CreateTemp(dir, "inverted")
	if err != nil {
		return nil, fmt.Errorf("writing a history: %w", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	run, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := &bounded{max: 1 << 20}
	// What it writes and what it reports are one stream, so that their order counts.
	end, err := v.Recorder.Run(run, rec, record.Options{Turn: set, Stdin: bytes.NewReader(v.Stdin), Stdout: out, Stderr: out, Size: 256 << 20}, file)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rec.Plan.Test {
		// What a test took is no part of what it says.
		out.text = seconds.ReplaceAll(out.text, []byte("0.00s"))
	}
	o := &outcome{out: out.text, end: end, program: f.program, code: rec.Code(), byFunc: map[int][]*history.Activation{}, traces: map[*history.Activation][]visit{}}
	o.hung = run.Err() != nil
	o.crashed = o.hung || err != nil || end.ExitCode < 0 || end.ExitCode >= 128 ||
		end.ExitCode == 2 && (bytes.Contains(out.text, []byte("panic: ")) || bytes.Contains(out.text, []byte("fatal error: ")))
	if err != nil && run.Err() == nil {
		return nil, err
	}
	if !use(o) {
		return o, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading a history: %w", err)
	}
	r, err := history.NewReader(file)
	if err != nil {
		return o, nil // it was stopped before there was any
	}
	tree, err := r.TreeUntil(2 * f.limit)
	if err != nil {
		return o, nil
	}
	for _, a := range tree.Activations {
		o.byFunc[a.Func] = append(o.byFunc[a.Func], a)
	}
	return o, nil
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
