package transform

import (
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// expect is what the new program must show where the old one showed o.
func (r *Relation) expect(o *dap.Output, at dap.Frame) *dap.Output {
	e := *o
	if b := o.Breakpoint; b != nil {
		c := *b
		if to, ok := r.forward(source.Place{File: b.File, Line: b.Line}); ok && b.File != "" {
			c.File, c.Line = to.File, to.Line
		}
		e.Breakpoint = &c
	}
	if p := o.Pause; p != nil {
		q := *p
		q.Stack = r.expectStack(p.Stack)
		q.Hit = nil
		for _, h := range p.Hit {
			q.Hit = append(q.Hit, r.expectHit(h))
		}
		slices.Sort(q.Hit)
		q.Scopes = r.expectScopes(p.Scopes, p.Top())
		e.Pause = &q
	}
	if o.Exit != nil {
		x := *o.Exit
		x.Stdout += r.Stdout
		e.Exit = &x
	}
	e.Logs = nil
	for _, m := range o.Logs {
		if place, text, ok := strings.Cut(m, ": "); ok {
			m = r.expectHit(place) + ": " + text
		}
		e.Logs = append(e.Logs, logText(m))
	}
	e.Stack = r.expectStack(o.Stack)
	e.Scopes = r.expectScopes(o.Scopes, at)
	if o.Value != nil {
		v := r.expectVar(*o.Value, at)
		e.Value = &v
	}
	r.common(&e)
	return &e
}

// common leaves out of both outputs what a rewrite changes by its nature:
// instructions, and texts in which names and lines stand.
func (r *Relation) common(o *dap.Output) {
	o.Changed = nil
	if o.Kind == dap.Refused {
		o.Text = ""
	}
	if r.Outermost || len(r.Funcs) > 0 || r.Bottom != "" || len(r.OwnFuncs) > 0 || r.Package != "" {
		o.Threads = nil
	}
	if o.Breakpoint != nil {
		o.Breakpoint.Message = ""
	}
}

func (r *Relation) expectHit(h string) string {
	i := strings.LastIndex(h, ":")
	if i < 0 || strings.HasPrefix(h, "func ") || strings.HasPrefix(h, "inst ") {
		return h
	}
	n, err := strconv.Atoi(h[i+1:])
	if err != nil {
		return h
	}
	if to, ok := r.forward(source.Place{File: h[:i], Line: n}); ok {
		return to.String()
	}
	return h
}

func (r *Relation) expectStack(stack []dap.Frame) []dap.Frame {
	var out []dap.Frame
	for i, f := range stack {
		if i > 0 && panicking(f) {
			continue
		}
		name := f.Func
		if to, ok := r.forward(placeOf(f)); ok {
			f.File, f.Line = to.File, to.Line
		}
		f.Func = r.funcName(f.Func)
		out = append(out, f)
		if r.Bottom != "" && name == r.Bottom {
			break
		}
	}
	return out
}

// expectScopes takes in what is shown in a frame of the old program.
func (r *Relation) expectScopes(scopes []dap.Scope, at dap.Frame) []dap.Scope {
	l := r.physical(placeOf(at))
	var out []dap.Scope
	for _, s := range scopes {
		t := dap.Scope{Name: s.Name}
		for _, v := range s.Vars {
			if !r.compared(v.Name, l) {
				continue
			}
			t.Vars = append(t.Vars, r.expectVar(v, at))
		}
		sortVars(t.Vars)
		out = append(out, t)
	}
	return out
}

func (r *Relation) expectVar(v dap.Variable, at dap.Frame) dap.Variable {
	l := r.physical(placeOf(at))
	for _, n := range r.Renamed {
		if n.In.Has(l) && bareName(v.Name) == n.Old {
			v.Name = strings.Replace(v.Name, n.Old, n.New, 1)
		}
	}
	return r.value(v)
}

// Expected is what the new program must print and return, where the old one
// prints and returns that.
func (r *Relation) Expected(stdout string) string { return stdout + r.Stdout }
