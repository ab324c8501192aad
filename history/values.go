package history

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"
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
	// Frames are the variables of the functions that called this one, innermost first, as
	// they were at that time.
	Frames []FrameValues `json:"frames"`
}

// FrameValues are the variables of a function that has called another, at the last
// watched statement that it executed. If that is not the one that calls now, some may be
// missing, and some no longer in scope.
type FrameValues struct {
	Path   string `json:"-"`
	Offset int    `json:"-"`
	Nth    int    `json:"n"` // of the statement's executions by the goroutine, from 0

	Depth int     `json:"depth"`
	Site  int     `json:"site"`
	Vars  []Value `json:"vars"`
}

// Unknown is the kind of a value that runs of the program do not have alike.
const Unknown = "unknown"

// MaxResults is of how many results at most those of a call are recorded. More than one is a struct of them.
const MaxResults = 4

// A Value is a variable or a part of one. Children are elements, fields, what a pointer
// points to or an interface holds, and of a map each key before its value, to a depth.
type Value struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // as reflect names it, but for pointer; panic of an expression without a value, or Unknown
	Type string `json:"-"`    // with the whole paths of packages; of an expression that panics none
	// Text is the value of a basic type as Go writes it, the real and the imaginary part of
	// a complex number, a function's name, the length and the capacity of a channel, and of
	// what else may be nil nil or set.
	Text     string  `json:"text"`
	Len      int     `json:"len"`
	Children []Value `json:"children"`

	TypeID int `json:"t"`
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

// Digests are hashes of all that each goroutine has written: two that do the same with the same values have one.
func (s *Snapshots) Digests() map[uint64]uint64 {
	keys := map[uint64][]snapKey{}
	for k := range s.at {
		keys[k.goroutine] = append(keys[k.goroutine], k)
	}
	out := map[uint64]uint64{}
	for g, list := range keys {
		slices.SortFunc(list, func(a, b snapKey) int {
			return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.offset, b.offset))
		})
		h := fnv.New64a()
		for _, k := range list {
			fmt.Fprintln(h, k.path, k.offset)
			for _, snap := range s.at[k] {
				for _, v := range snap.Vars {
					v.digest(h)
				}
			}
		}
		out[g] = h.Sum64()
	}
	return out
}

// digest writes what of a value is the same in each run.
func (v *Value) digest(h io.Writer) {
	fmt.Fprintln(h, v.Name, v.Kind, v.Type, v.Text, v.Len, len(v.Children))
	for i := range v.Children {
		v.Children[i].digest(h)
	}
}

// Agree makes unknown what another run has differently, such as names of temporary files:
// variables, or the parts of them that differ. What follows the random order of maps may
// well agree once. The other run has the goroutines under the numbers that the map gives;
// those that it has not are unknown as a whole.
func (s *Snapshots) Agree(other *Snapshots, goroutines map[uint64]uint64) {
	for k, list := range s.at {
		g, known := goroutines[k.goroutine]
		for n := range list {
			again, ok := Snapshot{}, false
			if known {
				again, ok = other.At(g, k.path, k.offset, n)
			}
			if !ok {
				list[n] = Snapshot{}
				continue
			}
			list[n].Vars, list[n].Exprs = commonOf(list[n].Vars, again.Vars), commonOf(list[n].Exprs, again.Exprs)
			var frames []FrameValues
			for i, f := range list[n].Frames {
				if i >= len(again.Frames) || again.Frames[i].Site != f.Site {
					break
				}
				f.Vars = commonOf(f.Vars, again.Frames[i].Vars)
				frames = append(frames, f)
			}
			list[n].Frames = frames
		}
	}
}

// commonOf is the variables that both have, with the parts that they have alike.
func commonOf(mine, theirs []Value) []Value {
	if sameValues(mine, theirs) {
		return mine
	}
	var out []Value
	for _, v := range mine {
		if i := slices.IndexFunc(theirs, func(w Value) bool { return v.Name == w.Name }); i >= 0 {
			out = append(out, common(v, theirs[i]))
		}
	}
	return out
}

// sameValues reports whether two lists are one, as what runs have alike is read once (see [Memo]).
func sameValues(mine, theirs []Value) bool {
	return len(mine) == len(theirs) && (len(mine) == 0 || &mine[0] == &theirs[0])
}

// common is a value with the parts that another has alike.
func common(v, w Value) Value {
	if v.Kind != w.Kind || v.Type != w.Type || v.Text != w.Text || v.Len != w.Len || len(v.Children) != len(w.Children) {
		return Value{Name: v.Name, Kind: Unknown, Type: v.Type}
	}
	if len(v.Children) == 0 || sameValues(v.Children, w.Children) || reflect.DeepEqual(v.Children, w.Children) {
		return v
	}
	if v.Kind == "map" {
		// The entries are in the order of what they are, so that those which differ do not
		// stand beside each other.
		v.Children = nil
		return v
	}
	children := make([]Value, len(v.Children))
	for i := range v.Children {
		children[i] = common(v.Children[i], w.Children[i])
	}
	v.Children = children
	return v
}

// name gives values their types by number.
func name(values []Value, types []string) {
	for i := range values {
		v := &values[i]
		if v.Kind != "panic" && v.TypeID >= 0 && v.TypeID < len(types) {
			v.Type = types[v.TypeID]
		}
		name(v.Children, types)
	}
}
