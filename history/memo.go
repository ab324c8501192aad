package history

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"io"
	"sync"
)

// A Memo keeps what was read of a watched program's runs. Runs of one program write nearly the same, line by line; what
// was read before is taken from there, and is then the same in memory, too. Its zero value is empty. It may be used
// concurrently.
type Memo struct {
	mu    sync.Mutex
	lines map[[sha256.Size]byte]*line
	size  int // of the lines, as they were written
}

// maxMemo bounds the lines that are kept, in bytes as they were written. In memory they take several times that.
const maxMemo = 32 << 20

// A line is what a watched program writes at one execution of a statement.
type line struct {
	Goid    uint64
	Site, N int
	Types   []string
	Snapshot
}

// ReadSnapshots reads what a watched program writes, up to its end.
func (m *Memo) ReadSnapshots(in io.Reader, watched []Watched) *Snapshots {
	s := &Snapshots{at: map[snapKey][]Snapshot{}}
	r := bufio.NewReaderSize(in, 1<<16)
	type place struct {
		goroutine uint64
		depth     int
	}
	var types []string
	var before [sha256.Size]byte // stands for the types so far, by whose numbers a line names its own
	written := map[place][]Value{}
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			break // the end, or a line that the program's end has cut off
		}
		l := m.line(text, before, types)
		if l == nil || l.Site < 0 || l.Site >= len(watched) {
			break
		}
		if len(l.Types) > 0 {
			types = append(types, l.Types...)
			before = sha256.Sum256(append(before[:], text...))
		}
		snap := l.Snapshot
		snap.Frames = append([]FrameValues(nil), l.Frames...)
		for i := range snap.Frames {
			f := &snap.Frames[i]
			if f.Site < 0 || f.Site >= len(watched) {
				snap.Frames = nil
				break
			}
			f.Path, f.Offset = watched[f.Site].Path, watched[f.Site].Offset
			// What is not written again is as it was.
			at := place{l.Goid, f.Depth}
			if f.Vars == nil {
				f.Vars = written[at]
			} else {
				written[at] = f.Vars
			}
		}
		k := snapKey{l.Goid, watched[l.Site].Path, watched[l.Site].Offset}
		if len(s.at[k]) != l.N {
			break
		}
		s.at[k] = append(s.at[k], snap)
	}
	io.Copy(io.Discard, r) // so that the program does not wait
	return s
}

// line is a line that is read, with the names of its types, of which there were some before it; nil if it is none.
func (m *Memo) line(text []byte, before [sha256.Size]byte, types []string) *line {
	key := sha256.Sum256(append(before[:], text...))
	m.mu.Lock()
	l := m.lines[key]
	m.mu.Unlock()
	if l != nil {
		return l
	}
	l = &line{}
	if json.Unmarshal(text, l) != nil {
		return nil
	}
	if len(l.Types) > 0 {
		types = append(types[:len(types):len(types)], l.Types...)
	}
	name(l.Vars, types)
	name(l.Exprs, types)
	for i := range l.Frames {
		name(l.Frames[i].Vars, types)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lines == nil {
		m.lines = map[[sha256.Size]byte]*line{}
	}
	if m.size += len(text); m.size <= maxMemo {
		m.lines[key] = l
	}
	return l
}
