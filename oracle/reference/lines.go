package reference

import "misstep/history"

// lineKey is a line of a file, by the file's number in the plan.
type lineKey struct{ file, line int }

// lineInfo is what the history knows of a line.
type lineInfo struct {
	file string
	line int
	// clear tells that a clear statement begins there; vague, that something else is
	// executed there, too.
	clear, vague bool
	calls        bool // the clear statement called something that is recorded
	watched      *history.Watched
}

// index notes what is executed on which lines.
func (m *Run) index() {
	m.lines = map[lineKey]*lineInfo{}
	at := func(file, line int) *lineInfo {
		k := lineKey{file, line}
		if m.lines[k] == nil {
			m.lines[k] = &lineInfo{file: m.plan.Files[file].Name, line: line}
		}
		return m.lines[k]
	}
	for _, f := range m.plan.Funcs {
		at(f.File, f.Line).vague = true
		at(f.File, f.EndLine).vague = true
	}
	for _, x := range m.acts {
		file := m.plan.Funcs[x.Func].File
		for i := range x.steps {
			s := &x.steps[i]
			for l := s.first; l <= s.last; l++ {
				if s.covers(l) && (l > s.first || !s.clear) {
					at(file, l).vague = true
				}
			}
			if !s.clear {
				continue
			}
			l := at(file, s.first)
			if !l.clear {
				l.clear, l.watched = true, m.watched(x, *s)
				m.clears = append(m.clears, l)
			}
			l.calls = l.calls || len(s.children) > 0
		}
	}
}

// lineAt is what the history knows of a line; of others, the zero value.
func (m *Run) lineAt(file string, line int) lineInfo {
	if f, ok := m.files[file]; ok && m.lines[lineKey{f, line}] != nil {
		return *m.lines[lineKey{f, line}]
	}
	return lineInfo{}
}

// Clear tells whether a debugger must pause at each execution of a line: a statement
// begins there that is executed, and nothing else does.
func (m *Run) Clear(file string, line int) bool {
	l := m.lineAt(file, line)
	return l.clear && !l.vague
}

// clearLine tells whether a line begins a clear statement wherever it is executed;
// lines that never are count as clear.
func (m *Run) clearLine(file string, line int) bool {
	_, ok := m.files[file]
	return ok && !m.lineAt(file, line).vague
}
