package script

import (
	"context"
	"fmt"
	"io"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
	"misstep/oracle/reference"
)

// An Env is what scripts run with. Scripts may run concurrently.
type Env struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	Loader *source.Loader
	// Engine is used for every script; if empty, the one that the script names.
	Engine  string
	Options dap.Options
	// Adapter stands in for the engine's adapter, in tests of the oracles.
	Adapter *dap.Adapter
	// Evidence, if not nil, looks in the binary for the cause of what a script finds.
	Evidence func(*finding.Finding, *gobuild.Build) finding.Evidence
	// Memo, if not nil, keeps programs for scripts that have the same.
	Memo *Memo
}

// NewEnv makes an Env with the user's cache. Notices about what is built go to notice.
// Close ends it.
func NewEnv(notice io.Writer) (*Env, error) {
	k, err := proc.NewKeeper()
	if err != nil {
		return nil, err
	}
	dir, err := gobuild.CacheDir()
	if err != nil {
		k.Close()
		return nil, err
	}
	return &Env{
		Keeper: k, Cache: &gobuild.Cache{Dir: dir, Keeper: k, Notice: notice},
		Loader: &source.Loader{Keeper: k}, Options: dap.DefaultOptions(),
	}, nil
}

// Close ends all that the scripts have started.
func (e *Env) Close() error { return e.Keeper.Close() }

// With is the Env with another engine.
func (e *Env) With(engine gobuild.Engine) *Env {
	with := *e
	with.Engine = engine.String()
	return &with
}

// Remembering is the Env with a memo of its own, and what drops that.
func (e *Env) Remembering() (*Env, func()) {
	with := *e
	with.Memo = &Memo{}
	return &with, with.Memo.Close
}

func (e *Env) maker() *debuggee.Maker {
	return &debuggee.Maker{Keeper: e.Keeper, Cache: e.Cache, Loader: e.Loader, Limits: gobuild.DefaultLimits}
}

// An Ending says how a script ended.
type Ending int

// The endings.
const (
	// Unable says that the script could not be carried out up to what it demands.
	Unable Ending = iota
	// Passed says that the debugger behaves as the script demands.
	Passed
	// Reproduced says that it does not.
	Reproduced
)

// A Result is how one script ended.
type Result struct {
	Outcome Ending
	// Line is that of the command that the script ended at, and Reason why.
	Line   int
	Reason string
	// Findings are what the script found; the first is what Reason says.
	Findings []*finding.Finding
	// Granted counts the commands with ! which the debugger granted, and which were asked for leniently: it went another way.
	Granted int
	// Panicked are the adapter's functions that were active when it panicked, innermost
	// first, if it answered or printed a stack.
	Panicked []string
	// Demanded says that the script ended at a command that demands something of what was shown, such as pause or var, also
	// where another judges at its end.
	Demanded bool
	// Died is what was seen of the debugger when it died, hung or did not launch the program; empty if nothing of that
	// happened.
	Died string
	// Lacks is what the script asks for and the adapter does not offer: a capability, or in words; empty if there
	// is nothing.
	Lacks string
	// Made are the checks that were made of the session, by rule, as [finding.Tally] names them.
	Made  map[string]int
	Log   string     // what happened, line by line
	Trace *dap.Trace // of the script's session; nil if there was none
}

// Classes are the names of the classes of what was found.
func (r *Result) Classes() []string {
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Class.String())
	}
	return names
}

// An UnableError says why a script could not be carried out.
type UnableError struct {
	Line   int
	Reason string
}

// Error is the reason, with the line of the command.
func (e *UnableError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return e.Reason
}

// Explain runs a script, and puts what it finds into its head, with what the debugger
// shows on the way.
func (e *Env) Explain(ctx context.Context, s *Script) (*Script, error) {
	r, err := e.Try(ctx, s)
	if err != nil || len(r.Findings) == 0 {
		return s, err
	}
	f := r.Findings[0]
	t := s.Clone()
	evidence := ""
	if f.Evidence != nil {
		evidence = f.Evidence.String()
	}
	if t.Head.Class != "" {
		t.Explain(f.Reason, evidence)
	}
	if c := t.Judge(); c != nil && f.Oracle == reference.Oracle {
		c.Or = witness(f)
	}
	if r.Trace == nil {
		return t, nil
	}
	events := r.Trace.Events
	for i := range t.Commands {
		c := &t.Commands[i]
		for c.Acts() && len(events) > 0 {
			e := events[0]
			events = events[1:]
			if e.Action.String() == c.Action.String() {
				c.Seen = seenIn(e)
				break
			}
		}
	}
	return t, nil
}
