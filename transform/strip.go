package transform

import (
	"slices"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// oldFunc is the function of a frame of the new program as the old one named it.
func (r *Relation) oldFunc(f dap.Frame) string {
	name := f.Func
	_, line, ok := r.back(placeOf(f))
	for _, c := range r.Funcs {
		if !ok || !c.In.Has(line) {
			continue
		}
		if m := c.From.FindStringIndex(name); m != nil && m[0] == 0 {
			name = c.Old + name[m[1]:]
			break
		}
	}
	return r.unpackage(name)
}

// strip is what the new program shows without what is the rewrite's own. Diff
// is set if something of the rewrite's own is not as it must be.
func (r *Relation) strip(o *dap.Output, at dap.Frame) (*dap.Output, *dap.Difference) {
	e := *o
	e.Logs = nil
	for _, m := range o.Logs {
		e.Logs = append(e.Logs, logText(m))
	}
	var diff *dap.Difference
	if b := o.Breakpoint; b != nil {
		c := *b
		e.Breakpoint = &c
	}
	if p := o.Pause; p != nil {
		q := *p
		q.Stack = r.stripStack(p.Stack)
		q.Hit = nil
		for _, h := range p.Hit {
			q.Hit = append(q.Hit, r.unpackage(h))
		}
		slices.Sort(q.Hit)
		q.Scopes = r.stripScopes(p.Scopes, p.Top())
		if !p.Exception() {
			diff = r.shown(p)
		}
		e.Pause = &q
	}
	e.Stack = r.stripStack(o.Stack)
	e.Scopes = r.stripScopes(o.Scopes, at)
	if o.Value != nil {
		v := r.value(*o.Value)
		e.Value = &v
	}
	r.common(&e)
	return &e, diff
}

// shown checks the rewrite's own variables.
func (r *Relation) shown(p *dap.Pause) *dap.Difference {
	top := p.Top()
	_, line, ok := r.back(placeOf(top))
	if !ok {
		return nil
	}
	for _, s := range r.Shown {
		if !s.In.Has(line) || r.unpackage(source.WithoutTypes(top.Func)) != s.Func {
			continue
		}
		v := p.Var(s.Name)
		want := s.Type + " " + s.Value
		switch {
		case v == nil:
			return &dap.Difference{Kind: dap.DiffVariables, What: "the new variable " + s.Name, A: want, B: "not shown"}
		case v.Type != s.Type || v.Value != s.Value:
			return &dap.Difference{Kind: dap.DiffVariables, What: "the new variable " + s.Name, A: want, B: v.Type + " " + v.Value}
		}
	}
	return nil
}

func (r *Relation) stripStack(stack []dap.Frame) []dap.Frame {
	var out []dap.Frame
	for i, f := range stack {
		if r.dropped(stack, i) {
			continue
		}
		name := r.oldFunc(f)
		f.Func = r.funcName(name)
		// Of several pieces of an old line, the first stands for all.
		if old, _, ok := r.back(placeOf(f)); ok {
			if to, ok := r.forward(old); ok {
				f.File, f.Line = to.File, to.Line
			}
		}
		out = append(out, f)
		if r.Bottom != "" && name == r.Bottom {
			break
		}
	}
	return out
}

func (r *Relation) stripScopes(scopes []dap.Scope, at dap.Frame) []dap.Scope {
	_, l, _ := r.back(placeOf(at))
	var out []dap.Scope
	for _, s := range scopes {
		t := dap.Scope{Name: s.Name}
		covered := map[string]bool{}
		for _, sh := range r.Shadowed {
			if sh.In.Has(l) && slices.ContainsFunc(s.Vars, func(v dap.Variable) bool { return v.Name == "("+sh.Name+")" }) {
				covered[sh.Name] = true
			}
		}
		for _, v := range s.Vars {
			if r.Own[bareName(v.Name)] || covered[v.Name] || !r.compared(r.oldName(v.Name, l), l) {
				continue
			}
			if name := bareName(v.Name); covered[name] {
				v.Name = name
			}
			t.Vars = append(t.Vars, r.value(v))
		}
		sortVars(t.Vars)
		out = append(out, t)
	}
	return out
}

func (r *Relation) oldName(name string, l srcedit.Line) string {
	for _, n := range r.Renamed {
		if n.In.Has(l) && bareName(name) == n.New {
			return n.Old
		}
	}
	return name
}
