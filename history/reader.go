package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// A Reader reads a history. It keeps an index in memory, not the events, which are
// read from the file as they are asked for.
type Reader struct {
	Plan *Plan
	// End is how the run ended; nil if the history is cut short, and Err says how.
	End *End
	// Err is what was wrong with the file; what came before it can be read.
	Err error
	// More says that there was more when [Reader.PointsBefore] came to its end.
	More bool

	src      io.ReadSeeker
	blocks   []blockAt
	segments []segment
	cache    map[int][]Chunk
	cached   []int
}

type blockAt struct{ offset int64 }

// A segment is a run of events between two stamps.
type segment struct {
	stamp       uint64
	goroutine   uint64
	block       int32
	chunk       int32
	first, last int32 // words
}

// NewReader reads the plan and the index of a history. A history that is damaged or
// cut short is read up to there, and Err says so; the error is for what is no
// history at all.
func NewReader(src io.ReadSeeker) (*Reader, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	b, err := newBlockReader(src)
	if err != nil {
		return nil, err
	}
	kind, payload, err := b.next()
	if err != nil {
		return nil, err
	}
	r := &Reader{src: src, cache: map[int][]Chunk{}}
	if kind != blockPlan {
		return nil, &FormatError{int64(len(Magic)), "it does not begin with its plan"}
	}
	if err := json.Unmarshal(payload, &r.Plan); err != nil || r.Plan == nil {
		return nil, &FormatError{int64(len(Magic)), fmt.Sprintf("its plan does not decode: %v", err)}
	}
	if err := r.Plan.check(); err != nil {
		return nil, &FormatError{int64(len(Magic)), err.Error()}
	}
	for r.End == nil {
		at := b.at
		kind, payload, err := b.next()
		if err != nil {
			r.Err = err
			break
		}
		switch kind {
		case blockEnd:
			r.End = &End{}
			if err := json.Unmarshal(payload, r.End); err != nil {
				r.End, r.Err = nil, &FormatError{at, fmt.Sprintf("its end does not decode: %v", err)}
			}
		case blockChunks:
			n := len(r.blocks)
			r.blocks = append(r.blocks, blockAt{at})
			i := int32(0)
			err = chunks(payload, at, func(c Chunk) error {
				i++
				return r.index(int32(n), i-1, c, at)
			})
		default:
			err = &FormatError{at, "a second plan"}
		}
		if err != nil {
			r.Err = err
		}
		if r.Err != nil {
			break
		}
	}
	slices.SortStableFunc(r.segments, func(a, b segment) int {
		switch {
		case a.stamp < b.stamp:
			return -1
		case a.stamp > b.stamp:
			return 1
		}
		return 0
	})
	return r, nil
}

// check sees to it that the plan's numbers are in range.
func (p *Plan) check() error {
	for i, f := range p.Funcs {
		if f.File < 0 || f.File >= len(p.Files) || f.Start < 0 || f.End < f.Start || f.End > len(p.Files[f.File].Text) {
			return fmt.Errorf("its plan is damaged: function %d", i)
		}
	}
	for i, s := range p.Sites {
		if s.Func < 0 || s.Func >= len(p.Funcs) {
			return fmt.Errorf("its plan is damaged: site %d", i)
		}
	}
	return nil
}

// index finds the segments of a chunk, and checks its events.
func (r *Reader) index(block, chunk int32, c Chunk, at int64) error {
	seg := segment{stamp: c.Stamp, goroutine: c.Goroutine, block: block, chunk: chunk}
	flush := func(end int) {
		seg.last = int32(end)
		if seg.last > seg.first {
			r.segments = append(r.segments, seg)
		}
	}
	for i := 0; i < len(c.Words); {
		n := length(c.Words[i:])
		if n == 0 || i+n > len(c.Words) {
			return &FormatError{at, "a chunk holds a word that is no event"}
		}
		w := c.Words[i]
		id := int(w >> 3)
		switch w & 7 {
		case wordEnter, wordExit, wordLeave:
			if id >= len(r.Plan.Funcs) {
				return &FormatError{at, fmt.Sprintf("an event of function %d of %d", id, len(r.Plan.Funcs))}
			}
		case wordLoop:
			if id > len(r.Plan.Sites) {
				return &FormatError{at, fmt.Sprintf("an event of site %d of %d", id-1, len(r.Plan.Sites))}
			}
		case WordMark, wordObject, wordMade:
			if id >= len(r.Plan.Sites) {
				return &FormatError{at, fmt.Sprintf("an event of site %d of %d", id, len(r.Plan.Sites))}
			}
		case wordOther:
			if w >= wordLeaf && int(w-wordLeaf)>>3 >= len(r.Plan.Funcs) {
				return &FormatError{at, fmt.Sprintf("an event of function %d of %d", (w-wordLeaf)>>3, len(r.Plan.Funcs))}
			}
			switch w {
			case wordNested, wordUnnest, wordFarObject, wordFarMade:
				if site := int(c.Words[i+1]); site >= len(r.Plan.Sites) {
					return &FormatError{at, fmt.Sprintf("an event of site %d of %d", site, len(r.Plan.Sites))}
				}
			case wordStamp, wordOwner:
				flush(i)
				v := Wide(c.Words[i+1], c.Words[i+2])
				if w == wordStamp {
					seg.stamp = v
				} else {
					seg.goroutine = v
				}
				seg.first = int32(i + n)
			}
		}
		i += n
	}
	flush(len(c.Words))
	return nil
}

// An EventKind says what happened.
type EventKind int

// The kinds of events.
const (
	Enter  EventKind = iota // a function was entered
	Exit                    // a function is about to return
	Leave                   // a guarded function was left, in whatever way
	Mark                    // a site was reached
	Unnest                  // the body of a loop over a function ended
	Unwind                  // a panic ends the functions above a guarded one
	Object                  // an object is touched
	Made                    // one is made
)

func (k EventKind) String() string {
	return [...]string{"enter", "exit", "leave", "mark", "unnest", "unwind", "object", "made"}[k]
}

// An Event is one thing that happened.
type Event struct {
	Time      int64 // its number among all events
	Kind      EventKind
	Goroutine uint64
	ID        int    // of the function or site
	Depth     int    // of the activation, for Leave, Unwind and loops over functions
	Addr      uint64 // of the object
	Size      int64  // in bytes, of one that is made
	At        []Line // where the functions stood, for Unwind, innermost first
}

// A Line is a line of a file, which is known by a hash of its path.
type Line struct {
	Hash uint32
	Line int
}

// Events yields all events in the order in which they happened. The last pair may
// hold an error instead of an event.
func (r *Reader) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		time := int64(0)
		for _, seg := range r.segments {
			list, err := r.read(int(seg.block))
			if err != nil {
				yield(Event{}, err)
				return
			}
			if int(seg.chunk) >= len(list) || int(seg.last) > len(list[seg.chunk].Words) {
				yield(Event{}, errors.New("the history changed while it was read"))
				return
			}
			heap, words := list[seg.chunk].Heap, list[seg.chunk].Words[seg.first:seg.last]
			for len(words) > 0 {
				n := length(words)
				e := Event{Time: time, Goroutine: seg.goroutine, ID: int(words[0] >> 3)}
				times, leaf := uint32(1), false
				switch words[0] & 7 {
				case wordLoop:
					e.Kind, times = Mark, words[1]
					e.ID--
				case wordEnter:
					e.Kind = Enter
				case wordExit:
					e.Kind = Exit
				case wordLeave:
					e.Kind, e.Depth = Leave, int(words[1])
				case WordMark:
					e.Kind = Mark
				case wordObject:
					e.Kind, e.Addr = Object, near(heap, words[1])
				case wordMade:
					e.Kind, e.Size, e.Addr = Made, int64(words[1]), near(heap, words[2])
				case wordOther:
					if words[0] >= wordLeaf {
						e.Kind, e.ID, leaf = Enter, int(words[0]-wordLeaf)>>3, true
						break
					}
					e.ID = int(words[1])
					switch words[0] {
					case wordNested:
						e.Kind, e.Depth = Mark, int(words[2])
					case wordUnnest:
						e.Kind = Unnest
					case wordFarObject:
						e.Kind, e.Addr = Object, Wide(words[2], words[3])
					case wordFarMade:
						e.Kind, e.Size, e.Addr = Made, int64(words[2]), Wide(words[3], words[4])
					case wordUnwind:
						e.Kind, e.ID, e.Depth = Unwind, 0, int(words[2])
						for i := 3; i+1 < n; i += 2 {
							e.At = append(e.At, Line{words[i], int(words[i+1])})
						}
					}
				}
				words = words[n:]
				for range times {
					e.Time = time
					time++
					if !yield(e, nil) {
						return
					}
					if leaf {
						left := Event{Time: time, Kind: Exit, Goroutine: e.Goroutine, ID: e.ID}
						time++
						if !yield(left, nil) {
							return
						}
					}
				}
			}
		}
	}
}

// cachedBlocks is how many blocks are kept decompressed.
const cachedBlocks = 32

// read decompresses a block.
func (r *Reader) read(n int) ([]Chunk, error) {
	if list, ok := r.cache[n]; ok {
		return list, nil
	}
	if _, err := r.src.Seek(r.blocks[n].offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	_, payload, err := newBlockAt(r.src, r.blocks[n].offset).next()
	if err != nil {
		return nil, err
	}
	var list []Chunk
	err = chunks(payload, r.blocks[n].offset, func(c Chunk) error {
		list = append(list, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(r.cached) >= cachedBlocks {
		delete(r.cache, r.cached[0])
		r.cached = r.cached[1:]
	}
	r.cache[n], r.cached = list, append(r.cached, n)
	return list, nil
}
