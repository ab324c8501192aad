package history

import (
	"go/ast"
	"go/token"
)

// loopOver replays a loop over a function, the iterations of which are activations of their own.
func (w *walker) loopOver(s *ast.RangeStmt, site int, label string) control {
	w.expr(s.X)
	w.enter(w.value) // the iterator
	bodies := w.iterations(site)
	w.step(s, Head)
	ctl := falls
	for _, b := range bodies {
		d := w.c.departure(b)
		w.deferred = append(w.deferred, d.deferred...)
		w.label = d.label
		_, ctl = w.again(d.control, label)
	}
	if ctl != falls {
		return ctl
	}
	if w.over(s.Pos(), s.End()) {
		return leaves
	}
	w.step(s.Body, LoopEnd)
	return falls
}

// iterations passes the iterations of a loop over a function, and what else an iterator that is not recorded calls.
func (w *walker) iterations(site int) (bodies []*Activation) {
	for w.i < len(w.a.Items) {
		it := w.a.Items[w.i]
		mine := it.Body != nil && it.Site == site
		if !mine && (it.Call == nil || !w.iterates(site)) {
			break
		}
		if mine {
			bodies = append(bodies, it.Body)
		}
		if it.Call != nil {
			w.entered(it.Call)
			continue
		}
		w.i++
	}
	return bodies
}

// iterates reports whether an iteration of a loop comes before any mark.
func (w *walker) iterates(site int) bool {
	for _, it := range w.a.Items[w.i:] {
		switch {
		case it.Body != nil && it.Site == site:
			return true
		case it.Marks():
			return false
		}
	}
	return false
}

// body replays an iteration of a loop over a function that is an activation of its own.
func (w *walker) body() {
	s := w.c.loops[w.a.Loop]
	if s == nil {
		return
	}
	if s.Tok == token.ASSIGN {
		w.exprs(s.Key, s.Value)
	}
	w.step(s, Next)
	ctl := w.stmts(s.Body.List)
	if ctl == falls && !w.over(s.Body.Rbrace, s.Body.Rbrace) {
		w.step(s.Body, LoopEnd)
	}
	w.a.left = &departure{ctl, w.label, w.deferred}
	w.a.Astray = w.a.Abrupt && ctl != leaves
}

// departure is how an iteration ended.
func (c *Code) departure(a *Activation) *departure {
	if a.left == nil {
		c.Walk(a, func(Step) {})
	}
	if a.left == nil {
		return &departure{}
	}
	return a.left
}
