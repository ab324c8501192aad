package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/coverage"
	"misstep/oracle/protocol"
)

// run is a script that is being carried out.
type run struct {
	env    *Env
	ctx    context.Context
	script *Script
	result *Result
	log    strings.Builder
	// lenient says that the script judges at its end, so that what was granted or refused
	// on the way is not what it is about.
	lenient bool

	engine  gobuild.Engine
	adapter *dap.Adapter
	target  dap.Target
	program *gobuild.Program
	build   *gobuild.Build // in mode exec
	opts    dap.Options
	session *dap.Session
	events  []dap.Event
	last    *dap.Output
	over    bool // nothing comes after the command
	refused []refusal
	dirs    []string // to remove at the end
	memo    *memoized
	release func() // gives it back

	coverage *coverage.Case // of a script about a profiler
}

// A failure is a command that found the debugger to behave differently from what the
// script says.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

func failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }

// errOver says that the session is over before its script is.
var errOver = errors.New("the session is over")

// Run carries a script out. It never fails: what went wrong is in the result.
func (e *Env) Run(ctx context.Context, s *Script) *Result {
	r := &run{env: e, ctx: ctx, script: s, result: &Result{}, lenient: s.Judge() != nil}
	defer func() { r.result.Log = r.log.String() }()
	defer r.close()
	var early error // why the session was over before the script was, at a command
	var at *Command
	for i := 0; i < len(s.Commands); i++ {
		c := &s.Commands[i]
		r.over = i == len(s.Commands)-1
		fmt.Fprintf(&r.log, "> %s\n", c)
		v := lookup(c.Verb)
		err := v.do(r, c)
		if c.Or != nil && errors.Is(err, errNoReference) && early == nil {
			fmt.Fprintf(&r.log, "%v; in its place: %s\n", err, c.Or)
			err = lookup(c.Or.Verb).do(r, c.Or)
		}
		if errors.Is(err, errOver) && r.lenient && i < len(s.Commands)-1 {
			early, at = err, c
			i = len(s.Commands) - 2 // what ended it may be what is to be judged
			continue
		}
		if early != nil && !errors.As(err, new(*failure)) {
			r.ends(at, early, false) // nothing is wrong with what was carried out, but not all was
			return r.result
		}
		if err != nil {
			r.ends(c, err, v.judges)
			return r.result
		}
	}
	r.result.Outcome = Passed
	return r.result
}

// ends says how the script ended at a command that failed.
func (r *run) ends(c *Command, err error, judges bool) {
	var f *failure
	res := r.result
	res.Line = c.Line
	res.Demanded = errors.As(err, &f) && !c.Acts()
	res.Reason = fmt.Sprintf("%s: %v", c.Verb, err)
	fmt.Fprintf(&r.log, "FAIL: %s\n", res.Reason)
	switch {
	case r.ctx.Err() != nil:
		res.Reason = context.Cause(r.ctx).Error()
	case r.lenient && !judges:
		res.Reason = fmt.Sprintf("on the way to what is judged, %s", res.Reason)
	case errors.As(err, &f), errors.Is(err, errOver):
		res.Outcome = Reproduced
		if res.Findings == nil {
			res.Findings = []*finding.Finding{r.unexpected(c, err)}
		}
	}
}

// unexpected is the finding of a command that expects something else than there is.
func (r *run) unexpected(c *Command, err error) *finding.Finding {
	f := &finding.Finding{
		Oracle: "script", Rule: c.Verb, Class: finding.Class{Rule: "script", Action: c.Verb}, Severity: finding.False,
		Reason: err.Error(), Got: finding.Said{Text: err.Error(), By: finding.Debugger}, Engine: r.engine.String(),
		Payload: &finding.Session{Base: r.events, Index: len(r.events) - 1},
	}
	if len(c.Args) == 0 || r.build == nil {
		return f
	}
	// Where the script itself names the place or the variable, there may be evidence.
	if _, _, err := dap.ParsePlace(c.Args[0]); err == nil {
		f.Kind, f.Expected.Text = dap.DiffLocation, c.Args[0]
	} else if c.Verb == "var" {
		f.Kind, f.What = dap.DiffVariables, c.Args[0]
	} else {
		return f
	}
	r.evidence(f)
	return f
}

func (r *run) evidence(f *finding.Finding) {
	if r.env.Evidence != nil && r.build != nil && f.Evidence == nil {
		e := r.env.Evidence(f, r.build)
		f.Evidence = &e
	}
}

// found ends a command that judges, with what it found.
func (r *run) found(found ...*finding.Finding) error {
	if len(found) == 0 {
		return nil
	}
	// What the script is about comes first, also where the session shows more by the same rule.
	of := r.script.Head.Class
	is := func(f *finding.Finding) bool { return f.Class.String() == of }
	slices.SortStableFunc(found, func(a, b *finding.Finding) int {
		switch {
		case is(a) == is(b):
			return 0
		case is(a):
			return -1
		}
		return 1
	})
	r.evidence(found[0])
	r.result.Findings = found
	other := ""
	if of != "" && !is(found[0]) {
		other = fmt.Sprintf("; this is of class %s, and not of the script's own, %s", found[0].Class, of)
	}
	return failf("%s: %s%s", found[0].Rule, found[0].Says(), other)
}

// Try carries a script out. The error says why it could not be, as an [UnableError].
func (e *Env) Try(ctx context.Context, s *Script) (*Result, error) {
	r := e.Run(ctx, s)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case r.Outcome == Unable:
		return nil, &UnableError{r.Line, r.Reason}
	}
	return r, nil
}

// Check carries a script out, and returns the classes of what it found.
func (e *Env) Check(ctx context.Context, s *Script) ([]string, error) {
	r, err := e.Try(ctx, s)
	if err != nil {
		return nil, err
	}
	return r.Classes(), nil
}

// ofGo is what debuggers of other languages lack.
const ofGo = "variables and expressions of Go"

// lacks notes that the adapter does not offer what the script asks for.
func (r *run) lacks(what string) {
	if r.result.Lacks == "" {
		r.result.Lacks = what
	}
}

func (r *run) close() {
	if r.session != nil {
		r.result.Trace = &dap.Trace{Program: r.program.Name, Engine: r.engine.String(), Events: r.events}
		r.result.Panicked = r.panicked()
		r.session.Close()
	}
	if r.release != nil {
		r.release()
	}
	if r.coverage != nil {
		r.coverage.Close()
	}
	for _, dir := range r.dirs {
		os.RemoveAll(dir)
	}
}

// panicked are the adapter's functions on the first stack of a panic that it answered
// with, or printed.
func (r *run) panicked() []string {
	for _, w := range r.session.Wire() {
		e, ok := w.Msg.(*godap.ErrorResponse)
		if !ok || e.Body.Error == nil {
			continue
		}
		if stack := protocol.Panicked(e.Body.Error.Format); len(stack) > 0 {
			return stack
		}
	}
	return protocol.Panicked(r.session.Stderr())
}

// temp makes a folder that goes with the script.
func (r *run) temp(name string) (string, error) {
	dir, err := r.env.Keeper.TempDir(name)
	if err == nil {
		r.dirs = append(r.dirs, dir)
	}
	return dir, err
}

// seen is what was seen of the session so far.
func (r *run) seen() (*oracle.Seen, error) {
	if last := r.last; r.session != nil && last != nil && last.Kind == dap.Ended && last.Exit != nil && last.Exit.Code == nil && r.over {
		// An adapter that has no event for it may say how the program has ended when it is left.
		if _, err := r.session.Do(r.ctx, dap.Action{Kind: dap.Disconnect}); err != nil {
			return nil, err
		}
		r.over = false
	}
	seen := oracle.SeenOf(nil, r.session, r.events, r.opts.Early)
	if r.build == nil {
		return seen, nil
	}
	d, err := r.debuggee()
	seen.Debuggee = d
	return seen, err
}

// do carries out an action and remembers it.
func (r *run) do(a dap.Action) (*dap.Output, error) {
	if r.session == nil {
		return nil, errOver
	}
	out, err := r.session.Do(r.ctx, a)
	if err != nil {
		return nil, err
	}
	switch values := a.Kind == dap.Evaluate || a.Kind == dap.SetVar || a.Kind == dap.Call || a.Kind == dap.DataBreak || a.Kind == dap.Memory || a.Kind == dap.WriteMem; {
	case out.Kind == dap.Unsupported:
		r.lacks(out.Text)
	case strings.HasPrefix(a.Name, dap.Prompt) && r.adapter.Name != "dlv":
		r.lacks("Delve's prompt")
	case values && r.adapter.NoVariables, a.Condition != "" && r.adapter.NoVariables, a.Log != "" && r.adapter.NoVariables:
		r.lacks(ofGo)
	}
	r.events = append(r.events, dap.Event{Action: a, Output: out})
	r.last = &out
	fmt.Fprintln(&r.log, out)
	if out.Kind.Fatal() {
		r.result.Died = out.String()
		return nil, fmt.Errorf("%w: %s", errOver, out)
	}
	return &out, nil
}
