package timeline

// ended takes away from the moments of a goroutine, the last that were listed, what follows the statement in which the program ended,
// such as in a library that exits, or by a signal in C. Statements between two marks are supposed to be executed one after the other, and
// of the last ones no mark says how many were. A snapshot does, as it is taken before each. Without snapshots it is not known: sure is the
// moment up to which it is. Of several goroutines the end of one cuts the others off, now sooner and now later: what follows stays, as
// something that may be executed.
func (m *Run) ended(t *Thread) (sure int) {
	end := len(m.Moments)
	t.Last = end
	// What has called what did not come back has not gone on.
	for end > t.Lo && m.Moments[end-1].Call > 0 && m.Moments[end-1].called().open() {
		end--
	}
	sure = end
	if end > t.Lo && m.Moments[end-1].Call == 0 && m.Moments[end-1].Activation.open() {
		end, sure = m.ending(t, end)
	}
	t.Hi = end
	if end == t.Last || m.Concurrent() {
		return sure
	}
	m.Moments, t.Last = m.Moments[:end], end
	last := m.Moments[end-1]
	last.Activation.Steps = last.Activation.Steps[:last.Step+1]
	for x := last.Activation; x != nil; x = x.Parent {
		for i := range x.Steps {
			x.Steps[i].Until = min(x.Steps[i].Until, end-1)
		}
	}
	return sure
}

// ending is the end of the moments before one at which an activation is still open, and how many of them surely are executed.
func (m *Run) ending(t *Thread, end int) (_, sure int) {
	sure = end
	x, last := m.Moments[end-1].Activation, m.Moments[end-1].Step
	for n := end - 1; n >= t.Lo; n-- {
		mo := m.Moments[n]
		if mo.Activation != x {
			break
		}
		s := x.Steps[mo.Step]
		if mo.Call > 0 || len(s.Children) > 0 || s.time != x.Steps[last].time {
			break
		}
		if s.Library {
			sure = n + 1
		}
		if w := m.Watched(x, s); w != nil {
			if _, ok := m.Snaps.At(t.Goroutine, w.Path, w.Offset, s.Nth); ok {
				return n + 1, n + 1
			}
		}
	}
	return end, sure
}

// open reports whether the program has ended in an activation.
func (x *Activation) open() bool { return x.End < 0 && !x.Abrupt }

// called is the activation that has come back at a moment which is after a call.
func (mo Moment) called() *Activation { return mo.Activation.Steps[mo.Step].Children[mo.Call-1] }
