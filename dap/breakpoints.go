package dap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"
)

// breakpoints are those that the user has set. DAP has no request for a single
// one: each change sends all of a file's, all functions', all instructions' or all of data.
type breakpoints struct {
	lists map[bpList][]*bp // in the order in which they were set
	// caught are the names of what pauses the program, once they are set.
	caught *string
}

// A bpList is of breakpoints that are sent together.
type bpList struct {
	command string // the request
	file    string // of those of lines
}

// setCommands are the requests that send lists, in the order in which several are sent.
var setCommands = []string{"setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints"}

type bp struct {
	ask   Action
	data  string // what the adapter names the data by
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
	case DataBreak:
		return "data " + b.ask.Name
	}
	return fmt.Sprintf("%s:%d", b.ask.File, b.ask.Line)
}

func (b *bp) same(a Action) bool {
	return b.ask.File == a.File && b.ask.Line == a.Line && b.ask.Name == a.Name
}

// sorted are the lists that are not empty, in the order in which they are sent.
func (bs *breakpoints) sorted() []bpList {
	var out []bpList
	for l, bps := range bs.lists {
		if len(bps) > 0 {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b bpList) int {
		return cmp.Or(cmp.Compare(slices.Index(setCommands, a.command), slices.Index(setCommands, b.command)), cmp.Compare(a.file, b.file))
	})
	return out
}

func (bs *breakpoints) all() []*bp {
	var all []*bp
	for _, l := range bs.sorted() {
		all = append(all, bs.lists[l]...)
	}
	return all
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
	in := bpList{a.Kind.Meaning().Requests[0], a.File}
	list := slices.Clone(s.breakpoints.lists[in])
	var target *bp
	i := slices.IndexFunc(list, func(b *bp) bool { return b.same(a) })
	switch {
	case a.Kind.Places():
		target = &bp{ask: a}
		if a.Kind == DataBreak {
			var err error
			if target.data, err = s.dataID(ctx, a); err != nil {
				return *s.answerError(err)
			}
		}
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
	out := s.sendSet(ctx, in, list, target)
	if out.Kind == Done {
		out.Kind = a.Kind.Meaning().Answer
	}
	return out
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
func (s *Session) sendSet(ctx context.Context, in bpList, list []*bp, target *bp) Output {
	command := in.command
	args, refused := s.listed(in, list)
	if refused != nil {
		return *refused
	}
	r, err := s.ask(ctx, command, args)
	if err != nil {
		return *s.fail(err)
	}
	got, ok := AnsweredBreakpoints(r)
	if !ok {
		return Output{Kind: Refused, Text: refusal(r)}
	}
	if len(got) != len(list) {
		return Output{Kind: Refused, Text: fmt.Sprintf("%s: asked for %d breakpoints, told of %d", command, len(list), len(got))}
	}
	out := Output{Kind: Done}
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
	if s.breakpoints.lists == nil {
		s.breakpoints.lists = map[bpList][]*bp{}
	}
	s.breakpoints.lists[in] = list
	return out
}

// listed is what a request says that sends a list of breakpoints; or why they cannot be
// named.
func (s *Session) listed(in bpList, list []*bp) (any, *Output) {
	switch in.command {
	case "setBreakpoints":
		req := dap.SetBreakpointsArguments{
			Source:      dap.Source{Name: in.file, Path: s.abs(in.file)},
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
	case "setDataBreakpoints":
		req := dap.SetDataBreakpointsArguments{Breakpoints: []dap.DataBreakpoint{}}
		for _, b := range list {
			req.Breakpoints = append(req.Breakpoints, dap.DataBreakpoint{
				DataId: b.data, AccessType: b.ask.AccessType(), Condition: b.ask.Condition, HitCondition: b.ask.Hit,
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
	var changed []string
	for _, l := range bs.sorted() {
		out := s.sendSet(ctx, l, bs.lists[l], nil)
		if out.Kind.Fatal() {
			return out
		}
		if out.Kind == Refused {
			changed = append(changed, strings.TrimSpace(l.command+" "+l.file)+" is refused: "+out.Text)
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
	for _, l := range s.breakpoints.sorted() {
		if out := s.sendSet(ctx, l, nil, nil); out.Kind.Fatal() {
			return &out
		}
	}
	return nil
}

// AnsweredBreakpoints are those that the answer to a request that sets breakpoints tells of; it is not ok if it is another answer.
func AnsweredBreakpoints(r dap.ResponseMessage) (list []dap.Breakpoint, ok bool) {
	switch r := r.(type) {
	case *dap.SetBreakpointsResponse:
		return r.Body.Breakpoints, true
	case *dap.SetFunctionBreakpointsResponse:
		return r.Body.Breakpoints, true
	case *dap.SetInstructionBreakpointsResponse:
		return r.Body.Breakpoints, true
	case *dap.SetDataBreakpointsResponse:
		return r.Body.Breakpoints, true
	}
	return nil, false
}
