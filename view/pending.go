package view

import (
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// derived is what goes before the next event: an if that was false, or a decision.
type derived struct {
	after   int64
	until   int64 // the last event about an object before it
	head    span  // of the statement
	site    int   // of the if; -1 of a decision
	balloon int
	branch  Position
	file    int
	text    string
	outcome string
}

// flush makes the rows of what is before an event. Decisions of the branch that the
// event itself is of are handed back.
func (b *builder) flush(x *entry, time int64, coming *what) (against []derived) {
	n := 0
	for n < len(x.f.pending) && x.f.pending[n].after < time {
		n++
	}
	return b.flushBefore(x, n, coming)
}

// due counts what is before an event about an object. Only the events of control flow
// tell that for sure; between two of those, the source is executed from top to bottom.
func (x *entry) due(time int64, offset int) int {
	f := x.f
	for n := range f.pending {
		d := &f.pending[n]
		if d.after >= time {
			return n
		}
		leaves := func(c container) bool { return c.in.holds(d.head.from) && !c.in.holds(offset) }
		if offset >= 0 && offset < d.head.to && !slices.ContainsFunc(x.open, leaves) {
			for i := n; i < len(f.pending) && f.pending[i].after < time; i++ {
				f.pending[i].until = time
			}
			return n
		}
	}
	return len(f.pending)
}

// flushBefore makes the first n of the rows that are to be made.
func (b *builder) flushBefore(x *entry, n int, coming *what) (against []derived) {
	f := x.f
	if n == 0 {
		return nil
	}
	due := f.pending[:n]
	f.pending = f.pending[n:]
	type made struct {
		derived
		row int32
	}
	var rows []made
	for _, d := range due {
		if d.site < 0 {
			continue
		}
		s := b.plan.Sites[d.site]
		d.file, d.branch.Line, d.branch.Column = b.plan.Funcs[s.Func].File, s.Line, s.Column
		w := what{kind: kindLapse, site: d.site, file: d.file, line: s.Line, column: s.Column}
		rows = append(rows, made{d, b.add(x.inside(s.Offset), w, b.before)})
	}
	for _, d := range due {
		if d.site >= 0 {
			continue
		}
		i := slices.IndexFunc(rows, func(m made) bool {
			return m.file == d.file && m.sameBranch(d) && m.after <= d.until && d.after <= m.until
		})
		if i < 0 && coming != nil && b.decides(coming, d) {
			against = append(against, d)
			continue
		}
		if i < 0 {
			offset := -1
			if d.file >= 0 {
				offset = b.src.offset(d.file, d.branch.Line, d.branch.Column)
			}
			w := what{kind: kindBranch, file: max(d.file, 0), line: d.branch.Line, column: d.branch.Column, text: source.Shorten(d.text, maxText), outcome: d.outcome}
			i = len(rows)
			rows = append(rows, made{d, b.add(x.inside(offset), w, b.before)})
		}
		b.balloon(rows[i].row, d)
	}
	return against
}

// decides reports whether a mark says how a decision came out: it is at the same place, of
// the statement whose head the decision is in, or of the operand that it is.
func (b *builder) decides(w *what, d derived) bool {
	if w.file != d.file {
		return false
	}
	if w.line == d.branch.Line && w.column == d.branch.Column {
		return true
	}
	s := b.plan.Sites[w.site]
	switch s.Kind {
	case history.Then:
		return d.head.to > 0 && d.head == b.headOf(w.site)
	case history.Second:
		operand := span{s.Offset, b.src.sites[w.site].whole.to}
		return operand.holds(b.src.offset(d.file, d.branch.Line, d.branch.Column))
	}
	return false
}

// sameBranch reports whether two are about the same branch: at the same place, or in the
// head of the same statement, such as at its condition.
func (d *derived) sameBranch(other derived) bool {
	return d.branch.Line == other.branch.Line && d.branch.Column == other.branch.Column || d.head.to > 0 && d.head == other.head
}

// headOf is the head of the statement that a site is of.
func (b *builder) headOf(site int) span {
	s := b.plan.Sites[site]
	return b.src.heads[headKey{b.plan.Funcs[s.Func].File, s.Offset}]
}

// balloon makes the row of a balloon on that of the branch.
func (b *builder) balloon(parent int32, d derived) {
	w := what{kind: kindBalloon, site: d.balloon}
	if x := b.balloons[d.balloon].Operation; x.File != "" {
		w.file, w.line, w.column = b.src.names[x.File], x.Line, x.Column
	}
	n := b.add(parent, w, b.rows[parent].time)
	b.rows[n].aux = uint32(d.balloon)
	b.placed[d.balloon] = append(b.placed[d.balloon], n)
}
