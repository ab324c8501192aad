package blame

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/script"
	"misstep/triage/reduce"
)

// Witnesses are asked about a finding: the binary's debug information, another debugger
// on the same binary, and the same debugger on binaries of other toolchains.
type Witnesses struct {
	Env *script.Env
	Out io.Writer // what each says
}

// Ask runs a finding and asks all witnesses. One that does not show is a
// reduce.ErrNotReproduced.
func (w *Witnesses) Ask(ctx context.Context, s *script.Script) error {
	engine, err := gobuild.ParseEngine(s.Engine())
	if err != nil {
		return err
	}
	r, err := w.Env.Try(ctx, s)
	if err != nil {
		return err
	}
	if r.Outcome == script.Passed {
		return reduce.ErrNotReproduced
	}
	f := r.Findings[0]
	fmt.Fprintf(w.Out, "%s: %s\n", f.Class, r.Reason)
	if s.Covers() {
		if f.Evidence != nil {
			fmt.Fprintf(w.Out, "evidence: %s\n", f.Evidence)
		}
		return w.otherToolchains(ctx, s, engine)
	}
	if f.Evidence != nil {
		fmt.Fprintf(w.Out, "debug information: %s\n", f.Evidence)
	} else {
		fmt.Fprintln(w.Out, "debug information: not looked at: the finding names neither a line nor a variable")
	}
	variables := f.Class.Kind == string(dap.DiffVariables) || f.Class.Kind == string(dap.DiffValue)
	if err := w.otherDebugger(ctx, s, engine, variables); err != nil {
		return err
	}
	return w.otherToolchains(ctx, s, engine)
}

// otherDebugger runs a finding with lldb-dap on the same binary.
func (w *Witnesses) otherDebugger(ctx context.Context, s *script.Script, e gobuild.Engine, variables bool) error {
	other := e
	other.Adapter, other.Version, other.Path, other.Unchecked = "lldb-dap", "", "", false
	if other.Adapter == e.Adapter {
		other.Adapter = "dlv"
	}
	if _, err := dap.Resolve(ctx, w.Env.Cache, other); err != nil {
		fmt.Fprintf(w.Out, "another debugger: %v\n", err)
		return ctx.Err()
	}
	if variables && other.Adapter == "lldb-dap" {
		fmt.Fprintln(w.Out, "another debugger: not asked: lldb-dap shows no variables of Go programs")
		return nil
	}
	return w.with(ctx, "another debugger", s, other)
}

// otherToolchains runs a finding with the program built by other releases of Go.
func (w *Witnesses) otherToolchains(ctx context.Context, s *script.Script, e gobuild.Engine) error {
	own, err := w.Env.Cache.GoEnv(ctx, e, "GOVERSION")
	if err != nil {
		return err
	}
	local, err := w.Env.Cache.GoEnv(ctx, gobuild.Engine{}, "GOVERSION")
	if err != nil {
		return err
	}
	known, ok, err := w.Env.Cache.Knows(ctx, e)
	if err != nil {
		return err
	}
	tried, toolchain := 0, "another compiler"
	if s.Covers() {
		toolchain = "another toolchain"
	}
	seen := map[int]bool{gobuild.Minor(own): true}
	for _, v := range append(w.Env.Cache.Kept(ctx), local) {
		minor := gobuild.Minor(v)
		if seen[minor] || !s.Covers() && ok && !e.Unchecked && !known.Has(v) {
			continue
		}
		seen[minor] = true
		tried++
		other := e
		other.Go = v
		if err := w.with(ctx, toolchain, s, other); err != nil {
			return err
		}
	}
	if tried == 0 {
		fmt.Fprintln(w.Out, "another compiler: no toolchain of another release is here that the debugger knows; bisect --over go fetches them")
	}
	return nil
}

// with runs a finding with an engine and prints what that says.
func (w *Witnesses) with(ctx context.Context, what string, s *script.Script, e gobuild.Engine) error {
	name := e.String()
	if s.Covers() {
		name = e.Go
	}
	classes, err := w.Env.With(e).Check(ctx, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case err != nil:
		fmt.Fprintf(w.Out, "%s: %s: cannot be judged: %s\n", what, name, source.Shorten(err.Error(), 160))
	case len(classes) == 0:
		fmt.Fprintf(w.Out, "%s: %s: does not show it\n", what, name)
	default:
		slices.Sort(classes)
		fmt.Fprintf(w.Out, "%s: %s: shows %s\n", what, name, strings.Join(slices.Compact(classes), ", "))
	}
	return nil
}
