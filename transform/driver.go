package transform

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
)

// A Transformation is one of debugging actions. Those of programs are rewrites, in the package
// of that name.
type Transformation struct {
	Name string
	// Doc says in one or two sentences what is changed and what must hold.
	Doc string
	// Choose picks a place in the base at random where the transformation
	// applies, as parameters; ok is false if there is none.
	Choose func(c *Choice) (p Params, ok bool)
	// Target changes how the session of the follow-up run is started; nil for as that of the base.
	Target func(t *dap.Target, p Params)
	// Run drives the follow-up run.
	Run func(d *Driver, p Params) error
	// Differs says that what the follow-up shows is not the whole truth of the program: only the relation,
	// and the protocol's rules, judge it.
	Differs bool
	// Last says that the follow-up is no base for further transformations.
	Last bool
	// Ways is in how many ways it is made each time that it is due, on the beginning of the base: for one that is about how a session
	// is started, or about one moment of it, in ways that have little to do with each other. 0 and 1 are one, on the whole base.
	Ways int
}

// Start changes how the session of the follow-up run is started, which the target says of itself from then on.
func (t Transformation) Start(target *dap.Target, p Params) {
	if t.Target == nil {
		return
	}
	t.Target(target, p)
	target.As = strings.Join(append([]string{t.Name}, p.Words()...), ",")
}

// Params say where and how a transformation was applied.
type Params map[string]string

// ParseParams reads parameters as scripts have them, name=value.
func ParseParams(words []string) (Params, error) {
	p := Params{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("expected parameter=value, not %q", word)
		}
		p[key] = value
	}
	return p, nil
}

// Words are the parameters as scripts have them, in order.
func (p Params) Words() []string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(p)) {
		words = append(words, k+"="+p[k])
	}
	return words
}

func (p Params) String() string { return strings.Join(p.Words(), " ") }

// Num reads a number; parameters that come from a script may be anything.
func (p Params) Num(name string) (int, error) {
	n, err := strconv.Atoi(p[name])
	if err != nil {
		return 0, fmt.Errorf("parameter %s: expected a number, not %q", name, p[name])
	}
	return n, nil
}

// Place reads a file:line.
func (p Params) Place(name string) (source.Place, error) {
	file, line, ok := strings.Cut(p[name], ":")
	n, err := strconv.Atoi(line)
	if !ok || err != nil {
		return source.Place{}, fmt.Errorf("parameter %s: expected file:line, not %q", name, p[name])
	}
	return source.Place{File: file, Line: n}, nil
}

// A Mismatch is a relation that does not hold.
type Mismatch struct {
	Index  int        // of the event of the base
	Action dap.Action // the base's
	At     string     // where the program was paused then
	Diff   *dap.Difference
}

func (m *Mismatch) Error() string {
	at := ""
	if m.At != "" {
		at = " at " + m.At
	}
	return fmt.Sprintf("after %q%s: %s", m.Action, at, m.Diff.Says("before the transformation", "after it"))
}

// NotLaunched is a mismatch: the debugger does not launch what it launched before it was built in another way.
func NotLaunched(out *dap.Output) *Mismatch {
	return &Mismatch{Diff: &dap.Difference{Kind: dap.DiffAnswer, What: "the launch", A: "done", B: out.String()}}
}

// NotMade says that a relation could not be checked.
type NotMade struct{ Reason string }

func (n *NotMade) Error() string { return "not made: " + n.Reason }

func NotMadef(format string, args ...any) error { return &NotMade{fmt.Sprintf(format, args...)} }

// Told reports whether an error says what came of a transformation, a [Mismatch] or a [NotMade], and not that misstep itself failed.
func Told(err error) bool {
	var mismatch *Mismatch
	var notMade *NotMade
	return errors.As(err, &mismatch) || errors.As(err, &notMade)
}

// A Driver is one follow-up run.
type Driver struct {
	Base    []dap.Event
	Source  *source.Source
	Session *dap.Session
	// Events is the trace of the follow-up: the base of the next iteration.
	Events []dap.Event
	// Checks counts the outputs that were held against the base's.
	Checks int

	ctx context.Context
}

// Run transforms a base as the transformation and its parameters say, in a
// session that has just been opened. The error is a *Mismatch, a *NotMade, or
// something that went wrong with misstep itself.
func Run(ctx context.Context, t Transformation, p Params, base []dap.Event, src *source.Source, s *dap.Session) (*Driver, error) {
	d := &Driver{Base: base, Source: src, Session: s, ctx: ctx}
	if len(base) == 0 {
		return d, NotMadef("nothing was done before")
	}
	if _, ok := p["at"]; ok {
		if at, err := p.Num("at"); err != nil {
			return d, err
		} else if at < 0 || at > len(base) {
			return d, NotMadef("the base has no action %d", at)
		}
	}
	return d, t.Run(d, p)
}

// DefaultStack is how many frames the follow-up's adapter shows to a client that does not say how many it wants.
func (d *Driver) DefaultStack() (int, error) {
	n, err := d.Session.DefaultStack(d.ctx)
	if err != nil {
		return 0, NotMadef("asking for a stack without saying how much of it: %v", err)
	}
	return n, nil
}

// Do carries out an action of the transformation's own.
func (d *Driver) Do(a dap.Action) (*dap.Output, error) {
	out, err := d.Session.Do(d.ctx, a)
	if err != nil {
		return nil, err
	}
	d.Events = append(d.Events, dap.Event{Action: a, Output: out})
	switch out.Kind {
	case dap.Timeout:
		return nil, NotMadef("the follow-up run takes too long")
	case dap.Hang, dap.Death:
		return nil, &Mismatch{Index: len(d.Events) - 1, Action: a, Diff: &dap.Difference{
			Kind: dap.DiffFailure, What: "adapter", A: "lives", B: out.String(),
		}}
	}
	return &out, nil
}

// Wait does something with the session that is no action. An adapter that does not answer is a mismatch.
func (d *Driver) Wait(do func(context.Context) dap.Output) (*dap.Output, error) {
	out := do(d.ctx)
	if err := d.ctx.Err(); err != nil {
		return nil, context.Cause(d.ctx)
	}
	if out.Kind.Fatal() {
		return nil, &Mismatch{Index: len(d.Events), Diff: &dap.Difference{Kind: dap.DiffFailure, What: "adapter", A: "lives", B: out.String()}}
	}
	return &out, nil
}

// Beside is the follow-up as another session shows it: what that does is no part of the follow-up's own trace, and what it is held against
// counts there once f is done.
func (d *Driver) Beside(s *dap.Session, f func(*Driver) error) error {
	other := &Driver{Base: d.Base, Source: d.Source, Session: s, ctx: d.ctx}
	err := f(other)
	d.Checks += other.Checks
	return err
}

// Granted holds the kind of an output against what an action of the transformation's own has to give.
func (d *Driver) Granted(a dap.Action, out *dap.Output, want dap.OutputKind, what string) error {
	if out.Kind == dap.Unsupported {
		return NotMadef("%s", out)
	}
	d.Checks++
	if out.Kind != want {
		return &Mismatch{Index: len(d.Base), Action: a, Diff: &dap.Difference{Kind: dap.DiffAnswer, What: what, A: string(want), B: out.String()}}
	}
	return nil
}

// Want carries out an action of the transformation's own that must give an
// output of that kind; otherwise the relation cannot be checked.
func (d *Driver) Want(kind dap.OutputKind, a dap.Action) (*dap.Output, error) {
	out, err := d.Do(a)
	if err != nil {
		return nil, err
	}
	if out.Kind != kind || kind == dap.Set && !out.Breakpoint.Verified {
		return nil, NotMadef("%s: %s", a, out)
	}
	return out, nil
}

// Play does what the base did at i, with the same result but for the lens.
func (d *Driver) Play(i int, lens dap.Lens) error {
	_, err := d.play(i, lens)
	return err
}

func (d *Driver) play(i int, lens dap.Lens) (*dap.Output, error) {
	out, err := d.Do(d.Base[i].Action)
	if err != nil {
		var m *Mismatch
		if errors.As(err, &m) {
			m.Index = i
		}
		return nil, err
	}
	return out, d.Match(i, out, lens)
}

// Match holds an output against that of the base at i.
func (d *Driver) Match(i int, out *dap.Output, lens dap.Lens) error {
	d.Checks++
	a := d.Base[i].Action
	lens = d.Lens(lens, a.Frame)
	if a.Thread > 0 && a.Frame < len(out.Stack) {
		lens.Frame = out.Stack[a.Frame]
	}
	if out.Kind == dap.Unsupported && d.Base[i].Output.Kind != dap.Unsupported {
		return NotMadef("the adapter lacks %s", out.Text)
	}
	if diff := dap.Diff(lasting(a, &d.Base[i].Output), lasting(a, out), lens); diff != nil {
		return &Mismatch{Index: i, Action: d.Base[i].Action, At: place(&d.Base[i].Output), Diff: diff}
	}
	return nil
}

// lasting is an output without what differs from run to run: the values of registers (tolerance register-values).
func lasting(a dap.Action, o *dap.Output) *dap.Output {
	if a.Kind != dap.Evaluate || o.Value == nil || !gen.Register(a.Name) {
		return o
	}
	without, v := *o, *o.Value
	v.Value = ""
	without.Value = &v
	return &without
}

// Lens adds what the source knows.
func (d *Driver) Lens(l dap.Lens, frame int) dap.Lens {
	narrower := l.Settled
	l.Settled = func(f dap.Frame, name string) bool {
		return (narrower == nil || narrower(f, name)) && d.Source.Settled(source.Place{File: f.File, Line: f.Line}, f.Func, name)
	}
	l.ByGoroutine = Counting(d.Base)
	if p := d.Session.Pause(); p != nil && frame >= 0 && frame < len(p.Stack) {
		l.Frame = p.Stack[frame]
	}
	return l
}

// Equal holds two outputs of the follow-up run against each other.
func (d *Driver) Equal(i int, a, b *dap.Output, lens dap.Lens) error {
	d.Checks++
	lens = d.Lens(lens, 0)
	if diff := dap.Diff(a, b, lens); diff != nil {
		return &Mismatch{Index: i, Action: d.Events[len(d.Events)-1].Action, At: place(b), Diff: diff}
	}
	return nil
}

// place is where an output shows the program, or "".
func place(o *dap.Output) string {
	if o.Pause == nil || len(o.Pause.Stack) == 0 {
		return ""
	}
	f := o.Pause.Stack[0]
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// PlayAll plays the whole base and calls before ahead of each action.
func (d *Driver) PlayAll(lens dap.Lens, before func(i int) error) error {
	for i := range d.Base {
		if err := before(i); err != nil {
			return err
		}
		if err := d.Play(i, lens); err != nil {
			return err
		}
	}
	return nil
}

// Instead plays the base, but calls f with the number of the action at the parameter at, which is to do
// something else for that.
func (d *Driver) Instead(p Params, lens dap.Lens, f func(at int) error) error {
	at, err := p.Num("at")
	if err != nil {
		return err
	}
	for i := range d.Base {
		if i == at {
			err = f(i)
		} else {
			err = d.Play(i, lens)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Here reports whether two pauses are at the same instruction of the same
// activation: the same place at the same depth of the same goroutine.
func Here(a, b *dap.Pause) bool {
	if a == nil || b == nil || len(a.Stack) != len(b.Stack) || len(a.Stack) == 0 {
		return false
	}
	x, y := a.Top(), b.Top()
	return x.File == y.File && x.Line == y.Line && x.Func == y.Func && x.Place == y.Place
}

// MaxInserted bounds the pauses that a transformation passes over between two
// of the base's.
const MaxInserted = 200

// AtPause is Insert for what is done where the program is paused.
func (d *Driver) AtPause(p Params, do func(pause *dap.Pause) error) error {
	return d.Insert(p, dap.Lens{}, func() error {
		pause := d.Session.Pause()
		if pause == nil {
			return NotMadef("the program is not paused")
		}
		return do(pause)
	})
}

// Insert plays the base and calls f once, before the action at the parameter
// at, or after the last.
func (d *Driver) Insert(p Params, lens dap.Lens, f func() error) error {
	at, err := p.Num("at")
	if err != nil {
		return err
	}
	err = d.PlayAll(lens, func(i int) error {
		if i == at {
			return f()
		}
		return nil
	})
	if err == nil && at == len(d.Base) {
		err = f()
	}
	return err
}
