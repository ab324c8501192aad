package dap

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/go-dap"
)

// Accesses are what a data breakpoint can pause the program at.
var Accesses = []string{"write", "read", "readWrite"}

// AccessType is what a data breakpoint is to pause the program at.
func (a Action) AccessType() dap.DataBreakpointAccessType {
	return dap.DataBreakpointAccessType(cmp.Or(a.Access, "write"))
}

// dataID asks the adapter what names the data that an action is about: as the child of what holds it, which
// is how editors do it whose user points at a variable, or as an expression.
func (s *Session) dataID(ctx context.Context, a Action) (string, error) {
	if s.state != PausedState {
		return "", &refusedError{"the program is not paused"}
	}
	_, frame, out := s.frame(ctx, a)
	if out != nil {
		return "", &refusedError{out.Text}
	}
	args := dap.DataBreakpointInfoArguments{Name: a.Name, FrameId: frame.id}
	if a.As != "expression" {
		scopes, err := s.scopeList(ctx, frame.id)
		if err != nil {
			return "", err
		}
		if args.VariablesReference, args.Name, err = s.holder(ctx, scopes, a.Name); err != nil {
			return "", err
		}
		args.FrameId = 0
	}
	r, err := s.ask(ctx, "dataBreakpointInfo", args)
	if err != nil {
		return "", err
	}
	info, ok := r.(*dap.DataBreakpointInfoResponse)
	if !ok {
		return "", &refusedError{normalText(refusal(r))}
	}
	id, ok := info.Body.DataId.(string)
	if !ok {
		return "", &refusedError{info.Body.Description} // null: there is no such breakpoint
	}
	if can := info.Body.AccessTypes; len(can) > 0 && !slices.Contains(can, a.AccessType()) {
		return "", &refusedError{fmt.Sprintf("misstep: the adapter offers %v, not %s", can, a.AccessType())}
	}
	return id, nil
}
