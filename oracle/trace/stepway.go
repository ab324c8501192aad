package trace

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/machine"
)

// strayed says where a step began that has passed by a statement of another line, by the binary: its code leads from there to where the step
// ended by way of such a statement alone, or not at all. Steps are judged that end in the frame they began in, or return from it to its
// caller, from where that is. It is not able to say so where the compiler has inlined or optimised, where functions are on the stack that the
// source does not call, and where something else than the step's own end paused the program. Stacks have to be whole, as calls of one function
// are told apart by them.
func strayed(d *debuggee.Debuggee, before, p *dap.Pause, a dap.Action) (from string, able bool) {
	if !a.Kind.Steps() || a.Instruction || a.Thread > 0 || before == nil || before.Exception() || p.Reason != "step" || len(p.Hit) > 0 ||
		p.Thread != before.Thread || p.Carried() || before.Carried() || len(p.Stack) >= dap.MaxFrames || len(before.Stack) >= dap.MaxFrames ||
		d == nil || d.Build == nil || d.Build.Engine.Optimises(d.Build.Program) {
		return "", false
	}
	below := len(before.Stack) - len(p.Stack) // how many functions have returned
	if below < 0 || below > 1 || a.Kind == dap.StepOut && below == 0 {
		return "", false
	}
	at := before.Stack[below]
	if at.Func != p.Top().Func || !slices.EqualFunc(before.Stack[below+1:], p.Stack[1:], func(f, g dap.Frame) bool { return f.Place == g.Place }) {
		return "", false // another call of the function
	}
	if below == 1 && at.Place == p.Top().Place {
		return "", true // where the call returns to
	}
	leads, known := d.Build.Leads(at.Place, p.Top().Place)
	asked, _ := d.Build.Before(at.Place) // of the system, which may have the program ask anew
	known = known && !asked.System
	switch {
	case leads:
		return "", true
	case !known:
		return "", false
	}
	// Where a deferred function has recovered, the function goes on with those that are left, and returns.
	for _, place := range deferreturns(d.Build, at.Place) {
		if leads, known := d.Build.Leads(place, p.Top().Place); leads || !known || place == p.Top().Place {
			return "", known
		}
	}
	return fmt.Sprintf("%s:%d", at.File, at.Line), true
}

// deferreturns are the places of the function around one at which it calls what it has deferred.
func deferreturns(b *gobuild.Build, place string) (places []string) {
	symbol, _, _ := strings.Cut(place, "+0x")
	into, err := b.Symbols.AddressOf("runtime.deferreturn+0x0")
	addr, code, ok := inCode(b, symbol+"+0x0")
	if err != nil || !ok {
		return nil
	}
	for {
		at := b.Symbols.PlaceAt(addr)
		in, ok := code.At(addr)
		if !ok || !sameFunction(at, place) {
			return places
		}
		if in.Kind == machine.Call && in.Into == into {
			places = append(places, at)
		}
		addr += uint64(len(in.Bytes))
	}
}
