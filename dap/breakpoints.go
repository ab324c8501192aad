package dap

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-dap"
)

// breakpoints are those that the user has set. DAP has no request for a single
// one: each change sends all of a file's, all functions' or all instructions'.
type breakpoints struct {
	lines map[string][]*bp // by file, in the order in which they were set
	funcs []*bp
	insts []*bp
	// caught are the names of what pauses the program, once they are set.
	caught *string
}

type bp struct {
	ask   Action
	id    int
	state Breakpoint // as last told
}

// text names the breakpoint as a pause does that hit it.
func (b *bp) text() string {
	switch b.ask.Kind {
	case FuncBreak:
		return "func " + b.ask.Name
	case InstBreak:
		return "inst " + b.ask.Name
	}
	return fmt.Sprintf("%s:%d", b.ask.File, b.ask.Line)
}

func (b *bp) same(a Action) bool {
	return b.ask.File == a.File && b.ask.Line == a.Line && b.ask.Name == a.Name
}

func (bs *breakpoints) all() []*bp {
	var all []*bp
	for _, file := range slices.Sorted(mapKeys(bs.lines)) {
		all = append(all, bs.lines[file]...)
	}
	return append(append(all, bs.funcs...), bs.insts...)
}

func mapKeys[K comparable, V any](m map[K]V) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// byID finds the breakpoint that the adapter numbers so.
func (bs *breakpoints) byID(id int) *bp {
	for _, b := range bs.all() {
		if b.id == id {
			return b
		}
	}
	return nil
}

// Breakpoints lists those that are set now, as the actions that set them.
func (s *Session) Breakpoints() []Action {
	var as []Action
	for _, b := range s.breakpoints.all() {
		as = append(as, b.ask)
	}
	return as
}

// doSet carries out an action that sets or removes breakpoints.
func (s *Session) doSet(ctx context.Context, a Action) Output {
	var list []*bp
	bs := &s.breakpoints
	if bs.lines == nil {
		bs.lines = map[string][]*bp{}
	}
	request := a.Kind.Meaning().Requests[0]
	switch request {
	case "setBreakpoints":
		list = bs.lines[a.File]
	case "setFunctionBreakpoints":
		list = bs.funcs
	case "setInstructionBreakpoints":
		list = bs.insts
	}
	list = slices.Clone(list)
	var target *bp
	i := slices.IndexFunc(list, func(b *bp) bool { return b.same(a) })
	switch {
	case a.Kind.Places():
		target = &bp{ask: a}
		if i >= 0 {
			list[i] = target
		} else {
			list = append(list, target)
		}
	case a.Kind == Resend:
		list = reorder(list, a.Order)
	case i < 0:
		return Output{Kind: Refused, Text: "no such breakpoint is set"}
	default:
		list = slices.Delete(list, i, i+1)
	}
	return s.sendSet(ctx, a, list, target)
}

// reorder puts the i-th of order first, and so on; what order does not name
// comes last.
func reorder(list []*bp, order []int) []*bp {
	var out []*bp
	used := map[int]bool{}
	for _, i := range order {
		if i >= 0 && i < len(list) && !used[i] {
			used[i] = true
			out = append(out, list[i])
		}
	}
	for i, b := range list {
		if !used[i] {
			out = append(out, b)
		}
	}
	return out
}

// sendSet sends one whole list and takes in what the adapter says of each. A
// target is the one that the action is about; of the others, changes are told.
func (s *Session) sendSet(ctx context.Context, a Action, list []*bp, target *bp) Output {
	command := a.Kind.Meaning().Requests[0]
	args, refused := s.listed(command, a.File, list)
	if refused != nil {
		return *refused
	}
	r, err := s.ask(ctx, command, args)
	if err != nil {
		return *s.fail(err)
	}
	var got []dap.Breakpoint
	switch r := r.(type) {
	case *dap.SetBreakpointsResponse:
		got = r.Body.Breakpoints
	case *dap.SetFunctionBreakpointsResponse:
		got = r.Body.Breakpoints
	case *dap.SetInstructionBreakpointsResponse:
		got = r.Body.Breakpoints
	default:
		return Output{Kind: Refused, Text: refusal(r)}
	}
	if len(got) != len(list) {
		return Output{Kind: Refused, Text: fmt.Sprintf("%s: asked for %d breakpoints, told of %d", command, len(list), len(got))}
	}
	out := Output{Kind: Done}
	if a.Kind.Meaning().Answer == Removed {
		out.Kind = Removed
	}
	for i, b := range list {
		g := got[i]
		before := b.state
		b.id = g.Id
		b.state = Breakpoint{Verified: g.Verified, Line: g.Line, Message: normalText(g.Message)}
		if g.Source != nil {
			b.state.File = s.rel(g.Source.Path)
		}
		if b == target {
			out.Kind = Set
			state := b.state
			out.Breakpoint = &state
		} else if b.ask.Hit != "" && before.Verified && !b.state.Verified {
			// Tolerance spent-hit-condition: Delve takes the breakpoint out of the
			// program when its hit condition can no longer be met, and says so the
			// next time that it is told of any breakpoint.
			continue
		} else if before.Verified != b.state.Verified || before.Line != b.state.Line || before.File != b.state.File {
			out.Changed = append(out.Changed, fmt.Sprintf("%s: was %s, is %s", b.text(), before.String(), b.state.String()))
		}
	}
	switch command {
	case "setBreakpoints":
		s.breakpoints.lines[a.File] = list
	case "setFunctionBreakpoints":
		s.breakpoints.funcs = list
	case "setInstructionBreakpoints":
		s.breakpoints.insts = list
	}
	return out
}

// listed is what a request says that sends a list of breakpoints; or why they cannot be
// named.
func (s *Session) listed(command, file string, list []*bp) (any, *Output) {
	switch command {
	case "setBreakpoints":
		req := dap.SetBreakpointsArguments{
			Source:      dap.Source{Name: file, Path: s.abs(file)},
			Breakpoints: []dap.SourceBreakpoint{},
		}
		for _, b := range list {
			req.Breakpoints = append(req.Breakpoints, dap.SourceBreakpoint{
				Line: b.ask.Line, Condition: b.ask.Condition, HitCondition: b.ask.Hit, LogMessage: b.ask.Log,
			})
		}
		return req, nil
	case "setFunctionBreakpoints":
		req := dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{}}
		for _, b := range list {
			req.Breakpoints = append(req.Breakpoints, dap.FunctionBreakpoint{
				Name: b.ask.Name, Condition: b.ask.Condition, HitCondition: b.ask.Hit,
			})
		}
		return req, nil
	}
	req := dap.SetInstructionBreakpointsArguments{Breakpoints: []dap.InstructionBreakpoint{}}
	for _, b := range list {
		addr, err := s.target.Symbols.Address(b.ask.Name)
		if err != nil {
			return nil, &Output{Kind: Refused, Text: err.Error()}
		}
		req.Breakpoints = append(req.Breakpoints, dap.InstructionBreakpoint{
			InstructionReference: addr, Condition: b.ask.Condition, HitCondition: b.ask.Hit,
		})
	}
	return req, nil
}

// resendAll sends every list as it is. Of what changes by that, the output tells.
func (s *Session) resendAll(ctx context.Context) Output {
	bs := &s.breakpoints
	lists := []struct {
		a    Action
		list []*bp
	}{{Action{Kind: FuncUnset}, bs.funcs}, {Action{Kind: InstUnset}, bs.insts}}
	for _, file := range slices.Sorted(mapKeys(bs.lines)) {
		lists = append(lists, struct {
			a    Action
			list []*bp
		}{Action{Kind: Resend, File: file}, bs.lines[file]})
	}
	var changed []string
	for _, l := range lists {
		if len(l.list) == 0 {
			continue
		}
		out := s.sendSet(ctx, l.a, l.list, nil)
		if out.Kind.Fatal() {
			return out
		}
		if out.Kind == Refused {
			changed = append(changed, l.a.String()+" is refused: "+out.Text)
		}
		changed = append(changed, out.Changed...)
	}
	if bs.caught != nil {
		if out := s.doCatch(ctx, *bs.caught); out.Kind.Fatal() {
			return out
		}
	}
	return Output{Kind: Done, Changed: changed}
}

// clearAll removes every breakpoint.
func (s *Session) clearAll(ctx context.Context) *Output {
	for _, file := range slices.Sorted(mapKeys(s.breakpoints.lines)) {
		if len(s.breakpoints.lines[file]) == 0 {
			continue
		}
		if out := s.sendSet(ctx, Action{Kind: Resend, File: file}, nil, nil); out.Kind.Fatal() {
			return &out
		}
	}
	if len(s.breakpoints.funcs) > 0 {
		if out := s.sendSet(ctx, Action{Kind: FuncUnset}, nil, nil); out.Kind.Fatal() {
			return &out
		}
	}
	if len(s.breakpoints.insts) > 0 {
		if out := s.sendSet(ctx, Action{Kind: InstUnset}, nil, nil); out.Kind.Fatal() {
			return &out
		}
	}
	return nil
}
