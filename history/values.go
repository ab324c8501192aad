package history

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"io"
	"reflect"
	"slices"
)

// Snapshots are the values of the variables in scope at executions of statements:
// the truth about what a debugger shows there.
type Snapshots struct {
	at map[snapKey][]Snapshot
}

type snapKey struct {
	goroutine uint64
	path      string
	offset    int
}

// A Snapshot is the variables and the expressions at one execution of a statement.
type Snapshot struct {
	Vars  []Value `json:"vars"`
	Exprs []Value `json:"exprs"`
}

// A Value is a variable or a part of one. Children are elements, fields, or what a
// pointer points to, to a depth.
type Value struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // as reflect names it; panic of an expression without a value
	// Text is the value of a basic type as Go writes it, and of a pointer, a function
	// and the like nil or set.
	Text     string  `json:"text"`
	Len      int     `json:"len"`
	Children []Value `json:"children"`
}

// At is the nth execution of a statement by a goroutine; ok is false if there is no
// snapshot.
func (s *Snapshots) At(goroutine uint64, path string, offset, n int) (Snapshot, bool) {
	if s == nil {
		return Snapshot{}, false
	}
	list := s.at[snapKey{goroutine, path, offset}]
	if n < 0 || n >= len(list) {
		return Snapshot{}, false
	}
	return list[n], true
}

// Agree leaves out the variables that another run has differently, such as names of
// temporary files. What follows the random order of maps may well agree once. The
// other run has the goroutines under the numbers that the map gives; those that it
// has not are left out.
func (s *Snapshots) Agree(other *Snapshots, goroutines map[uint64]uint64) {
	for k, list := range s.at {
		g, known := goroutines[k.goroutine]
		for n := range list {
			again, ok := other.At(g, k.path, k.offset, n)
			both := func(mine, theirs []Value) []Value {
				return slices.DeleteFunc(mine, func(v Value) bool {
					return !ok || !known || !slices.ContainsFunc(theirs, func(w Value) bool { return reflect.DeepEqual(v, w) })
				})
			}
			list[n].Vars, list[n].Exprs = both(list[n].Vars, again.Vars), both(list[n].Exprs, again.Exprs)
		}
	}
}

// ReadSnapshots reads what a watched program writes, up to its end.
func ReadSnapshots(in io.Reader, watched []Watched) *Snapshots {
	s := &Snapshots{at: map[snapKey][]Snapshot{}}
	dec := json.NewDecoder(bufio.NewReader(in))
	for {
		var line struct {
			Goid    uint64
			Site, N int
			Snapshot
		}
		if err := dec.Decode(&line); err != nil {
			break // the end, or a line that the program's end has cut off
		}
		if line.Site < 0 || line.Site >= len(watched) {
			break
		}
		k := snapKey{line.Goid, watched[line.Site].Path, watched[line.Site].Offset}
		if len(s.at[k]) != line.N {
			break
		}
		s.at[k] = append(s.at[k], line.Snapshot)
	}
	io.Copy(io.Discard, in) // so that the program does not wait
	return s
}
