package dap

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// snapshot reads all that is shown of the pause that has just begun.
func (s *Session) snapshot(ctx context.Context) (*Pause, error) {
	b := s.stopped.Body
	s.thread = b.ThreadId
	p := &Pause{
		Reason: b.Reason, Description: b.Description, Text: normalText(b.Text),
		Thread: s.number(b.ThreadId),
	}
	for _, id := range b.HitBreakpointIds {
		if hit := s.breakpoints.byID(id); hit != nil {
			p.Hit = append(p.Hit, hit.text())
		} else if b.Reason != "exception" {
			p.Hit = append(p.Hit, fmt.Sprintf("unknown breakpoint %d", id))
		}
	}
	var err error
	if p.Stack, err = s.stack(ctx, b.ThreadId, 0); err != nil {
		var refused *refusedError
		if b.Reason == "entry" && errors.As(err, &refused) {
			return p, nil // there is no goroutine yet whose stack it could be
		}
		return nil, err
	}
	// Variables of the runtime and of libraries are not asked for: they hold
	// addresses, pools and counters, which differ from run to run.
	if len(p.Stack) > 0 && !s.adapter.NoVariables && !s.target.Stripped {
		if s.own(p.Stack[0].File) {
			p.Scopes, err = s.scopes(ctx, p.Stack[0].id, 0)
		} else {
			// There may be no debug information of what it is in.
			var refused *refusedError
			if _, err = s.scopeList(ctx, p.Stack[0].id); errors.As(err, &refused) {
				err = nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// own reports whether a file, as outputs name it, is the program's.
func (s *Session) own(file string) bool {
	return !Frame{File: file}.Foreign()
}

// MaxFrames bounds a stack; deeper frames are not asked for.
const MaxFrames = 64

// stack reads a thread's frames, page at a time, or all at once if page is 0.
func (s *Session) stack(ctx context.Context, thread, page int) ([]Frame, error) {
	levels := page
	if page == 0 {
		levels = MaxFrames
	}
	var frames []Frame
	for len(frames) < MaxFrames {
		r, err := s.ask(ctx, "stackTrace", dap.StackTraceArguments{ThreadId: thread, StartFrame: len(frames), Levels: levels})
		if err != nil {
			return nil, err
		}
		st, ok := r.(*dap.StackTraceResponse)
		if !ok {
			return nil, &refusedError{"stackTrace: " + normalText(refusal(r))}
		}
		for _, f := range st.Body.StackFrames {
			frame := Frame{Func: WrapperName(f.Name), Line: f.Line, id: f.Id}
			if f.Source != nil {
				frame.File = s.rel(f.Source.Path)
			}
			if s.target.Symbols != nil {
				frame.Place = s.target.Symbols.Place(f.InstructionPointerReference)
			}
			frames = append(frames, frame)
		}
		if page == 0 || len(st.Body.StackFrames) < levels {
			break
		}
	}
	return frames[:min(len(frames), MaxFrames)], nil
}

// scopeList reads a frame's scopes without their variables.
func (s *Session) scopeList(ctx context.Context, frame int) ([]Scope, error) {
	r, err := s.ask(ctx, "scopes", dap.ScopesArguments{FrameId: frame})
	if err != nil {
		return nil, err
	}
	sc, ok := r.(*dap.ScopesResponse)
	if !ok {
		return nil, &refusedError{"scopes: " + normalText(refusal(r))}
	}
	var scopes []Scope
	for _, b := range sc.Body.Scopes {
		if b.Expensive || b.PresentationHint == "registers" {
			continue
		}
		scopes = append(scopes, Scope{Name: b.Name, ref: b.VariablesReference})
	}
	return scopes, nil
}

// scopes reads a frame's variables, expanded as the options say. Page is how
// many children are asked for at a time where there are more than that; 0 is
// the options' own.
func (s *Session) scopes(ctx context.Context, frame, page int) ([]Scope, error) {
	scopes, err := s.scopeList(ctx, frame)
	if err != nil {
		return nil, err
	}
	list := make([]Variable, len(scopes))
	for i, sc := range scopes {
		list[i].ref = sc.ref
	}
	if err := s.expand(ctx, list, s.opts.Depth+1, page); err != nil {
		return nil, err
	}
	for i := range scopes {
		scopes[i].Vars = list[i].Children
		normalVars(scopes[i].Vars)
	}
	return scopes, nil
}

// pages are the requests that give a variable's children, so many at a time where there are
// more. Who asks for pages expressly has also what fits into one asked for as one.
func (s *Session) pages(v *Variable, page int, expressly bool) []dap.VariablesArguments {
	if v.indexed == 0 || v.indexed <= page && !expressly {
		return []dap.VariablesArguments{{VariablesReference: v.ref}}
	}
	var pages []dap.VariablesArguments
	if v.named > 0 {
		pages = append(pages, dap.VariablesArguments{VariablesReference: v.ref, Filter: "named"})
	}
	limit := min(v.indexed, s.opts.Page*s.opts.Pages)
	if limit < v.indexed {
		v.Cut = "count"
	}
	for at := 0; at < limit; at += page {
		pages = append(pages, dap.VariablesArguments{
			VariablesReference: v.ref, Filter: "indexed", Start: at, Count: min(page, limit-at),
		})
	}
	return pages
}

// expand reads the children of each variable, level by level. All requests of
// a level are sent before the first answer is waited for.
func (s *Session) expand(ctx context.Context, level []Variable, depth, page int) error {
	expressly := page != 0
	if page == 0 {
		page = s.opts.Page
	}
	type want struct {
		v     *Variable
		depth int // to which its children are expanded
		seqs  []int
	}
	var open []want
	for i := range level {
		open = append(open, want{v: &level[i], depth: depth})
	}
	breadth := s.opts.Breadth
	for len(open) > 0 {
		var wants []want
		for _, w := range open {
			v := w.v
			if v.ref == 0 || internals(v.Type) {
				continue
			}
			if w.depth == 0 {
				v.Cut = "depth"
				continue
			}
			if breadth == 0 {
				v.Cut = "count"
				continue
			}
			breadth--
			for _, args := range s.pages(v, page, expressly) {
				seq, err := s.post("variables", args)
				if err != nil {
					return err
				}
				w.seqs = append(w.seqs, seq)
			}
			wants = append(wants, w)
		}
		open = nil
		for _, w := range wants {
			for _, seq := range w.seqs {
				r, err := s.answer(ctx, seq, "variables")
				if err != nil {
					return err
				}
				vs, ok := r.(*dap.VariablesResponse)
				if !ok {
					// One that cannot be read must not hide the others.
					w.v.Children = append(w.v.Children, Variable{Name: "refused", Value: normalText(refusal(r))})
					continue
				}
				for _, c := range vs.Body.Variables {
					w.v.Children = append(w.v.Children, Variable{
						Name: c.Name, Type: c.Type, Value: c.Value,
						ref: c.VariablesReference, indexed: c.IndexedVariables, named: c.NamedVariables, memory: c.MemoryReference, evaluated: c.EvaluateName,
					})
				}
			}
			left := w.depth - 1
			if channel(w.v.Type) {
				w.v.Children = buffered(*w.v)
				left = w.depth + 1 // its elements are two levels further down
			}
			for i := range w.v.Children {
				open = append(open, want{v: &w.v.Children[i], depth: left})
			}
		}
	}
	return nil
}
