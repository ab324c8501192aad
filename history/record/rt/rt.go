// Package rt is what an instrumented program records with: its text is put into
// the program, in a package of its own or, where the program is no module, into
// its main package, which is why all names here begin with misstep.
//
// Each goroutine writes words into a chunk of memory that it shares with the
// recorder, a process beside it. Nothing has to be flushed, so that a program
// which crashes, exits or is killed has recorded all up to then: a word is
// recorded as soon as it is stored, and a chunk ends at its first zero. Full
// chunks are handed to the recorder by their numbers through a pipe, and empty ones
// taken in the same way, some at a time, which happens once in thousands of events;
// those that were not handed over when the program ends the recorder finds. There are
// no locks, no system calls and no allocations on the way of an event.
//
// A buffer belongs to one goroutine while that is in a recorded function; then
// the next goroutine without one may get it. So the memory follows how many
// goroutines are in recorded functions at the same time. If that is more than
// there are chunks, or the recorder says stop, the goroutine writes into a chunk
// that nobody reads, and the history says so.
//
// Events of different goroutines are ordered by stamps, which are taken where a
// function is entered, and after operations that may wait, if another goroutine
// has written in between.
package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	_ "unsafe" // for go:linkname
)

// The layout of the shared memory; package history has the same numbers. Of its
// head, word 0 is the magic number, 1 says stop, 2 that something was lost, or
// that a call which was made for a debugger panicked, 3 that
// snapshots are wanted, 4 to 6 are for watched programs, and 7 says how many chunks
// were ever used.
const (
	misstepWords  = 2048 // of a chunk
	misstepLong   = 5    // words of the longest event but those that call room
	misstepHead   = 8    // of these are the chunk's head
	misstepChunks = 24575
	misstepMagic  = 0x6d697374
	misstepRound  = 256 // chunks that the recorder may have at a time
	misstepBatch  = 32  // of these are handed over or taken at once
	misstepLines  = 256 // that a panic tells of at most
	misstepShared = 3   // file descriptors, and the two after it
)

// The kinds of words, in their lowest three bits; the rest is a number of a
// function or a site. A zero is none.
const (
	misstepLoop   = 0 // the site's number and one; one more word: how often in a row
	misstepEnter  = 1
	misstepExit   = 2
	misstepMark   = 3
	misstepLeave  = 4 // one more word: the depth
	misstepOther  = 5 // the rest says what it is, see below
	misstepMade   = 6 // an object is made; two more words: a size in bytes, and the address, see misstepNear
	misstepObject = 7 // one is touched; one more word: the address
)

// Other words.
const (
	misstepOwner     = 1<<3 | misstepOther // two more: the lower and the higher half of the goroutine's number
	misstepStamp     = 2<<3 | misstepOther // two more: the stamp, in the same way
	misstepUnwind    = 3<<3 | misstepOther // a count, the depth, and so many words in pairs: a file's hash, a line
	misstepNested    = 4<<3 | misstepOther // a mark in a loop over a function; two more: the site and the depth
	misstepUnnest    = 5<<3 | misstepOther // its end; one more: the site
	misstepFarObject = 6<<3 | misstepOther // misstepObject with a long address; three more: the site, and the address in halves
	misstepFarMade   = 7<<3 | misstepOther // misstepMade, in the same way; four more: the site, the size, and the address
	// From 16<<3 | misstepOther on: leaf functions, which are entered and left.
)

// A MisstepBuffer is where one goroutine writes.
type MisstepBuffer struct {
	p     *[misstepWords]uint32
	n     uint32
	depth uint32
	loop  uint32 // where the event of a loop ended that was the last, or 0
	goid  uint64

	id, chunks   uint32
	chunk        int // -1 where nobody reads
	idle, listed bool
	muted        bool // what happens now is not the program's doing
}

// misstepNumbers are numbers of chunks on their way through a pipe.
type misstepNumbers struct {
	list [misstepBatch]uint32
	n    int
}

//go:linkname misstepGoid internal/runtime/exithook.Goid
var misstepGoid func() uint64

var (
	misstepCache [512]*MisstepBuffer // by goroutine; a guess
	misstepLast  *MisstepBuffer      // who took the last stamp
	misstepClock atomic.Uint64

	misstepMu    sync.Mutex // of all that follows
	misstepReady bool
	misstepBufs  map[uint64]*MisstepBuffer
	misstepIdles []*MisstepBuffer
	misstepMem   []byte
	misstepHeap  uint64         // where addresses of objects begin, a multiple of 1<<26
	misstepNext  int            // chunks from there on were never used
	misstepFull  int            // file descriptors
	misstepFree  int            // …
	misstepOut   int            // full chunks that have not come back
	misstepFulls misstepNumbers // of these, those that are still to be handed over
	misstepFrees misstepNumbers // empty chunks
	misstepWaste [misstepWords]uint32

	// Of watched programs, see MisstepSnap and MisstepSet.
	misstepSnapOut   int    // a file descriptor, or 0
	misstepShake     uint32 // a seed, or 0
	misstepSets      [16]misstepSet
	misstepChosen    uint32 // the number of a condition and one, or 0
	misstepCountdown uint32 // evaluations up to and with that at which it is inverted
)

// misstepSet is an assignment to make: its number and one, and the executions up to and with
// that at which it is made.
type misstepSet struct{ number, countdown uint32 }

// MisstepIn enters a function.
func MisstepIn(fn uint32) *MisstepBuffer {
	g := misstepGoid()
	b := misstepCache[g%uint64(len(misstepCache))]
	if b == nil || b.goid != g || b.depth == 0 {
		b = misstepAttach(g)
	}
	if b != misstepLast {
		b.stamp()
	}
	b.depth++
	b.E(fn<<3 | misstepEnter)
	return b
}

// E writes a word. Behind an event there is room for another.
func (b *MisstepBuffer) E(w uint32) {
	b.p[b.n%misstepWords] = w
	b.n++
	if b.n > misstepWords-misstepLong {
		b.turn()
	}
}

// A writes a word before a truth value is computed.
func (b *MisstepBuffer) A(w uint32) bool {
	b.E(w)
	return true
}

// MisstepV writes a word after a value was computed, and passes that on.
func MisstepV[T any](b *MisstepBuffer, w uint32, v T) T {
	b.E(w)
	return v
}

// two and three write events of so many words: the first one last, as an event is one
// when that is stored.
func (b *MisstepBuffer) two(w, x uint32) {
	n := b.n
	b.p[(n+1)%misstepWords] = x
	b.p[n%misstepWords] = w
	b.n = n + 2
	if n+2 > misstepWords-misstepLong {
		b.turn()
	}
}

func (b *MisstepBuffer) three(w, x, y uint32) {
	n := b.n
	b.p[(n+2)%misstepWords] = y
	b.p[(n+1)%misstepWords] = x
	b.p[n%misstepWords] = w
	b.n = n + 3
	if n+3 > misstepWords-misstepLong {
		b.turn()
	}
}

// L is the mark of a loop's body. Of several in a row, it counts.
func (b *MisstepBuffer) L(w uint32) {
	if b.loop == b.n && b.p[(b.n-2)%misstepWords] == w {
		b.p[(b.n-1)%misstepWords]++
		return
	}
	b.two(w, 1)
	b.loop = b.n
}

// Q sets a word aside in which a loop counts its iterations: until the loop is over
// there are no other events.
func (b *MisstepBuffer) Q(w uint32) *uint32 {
	b.room(2 + misstepLong) // for the next event, too
	b.p[b.n] = w
	b.n += 2
	return &b.p[b.n-1]
}

// MisstepLeaf enters and leaves a function that has no events.
func MisstepLeaf(w uint32) {
	g := misstepGoid()
	b := misstepCache[g%uint64(len(misstepCache))]
	if b == nil || b.goid != g || b.depth == 0 {
		if b = misstepAttach(g); b.depth == 0 {
			b.stamp()
			b.E(w)
			b.rest()
			return
		}
	}
	if b != misstepLast {
		b.stamp()
	}
	b.E(w)
}

// X leaves a function.
func (b *MisstepBuffer) X(fn uint32) {
	b.E(fn<<3 | misstepExit)
	b.depth--
	if b.depth == 0 {
		b.rest()
	}
}

// D is the depth, for Leave and Nest.
func (b *MisstepBuffer) D() uint32 { return b.depth }

// MisstepOK says how a function that defers is being left: 0 by a panic, unless it
// still runs, 1 by a return, 2 by a panic that was noted. Programs may give bool
// another meaning.
type MisstepOK uint8

// P is deferred after each deferred call of the program's, and so runs before it:
// a panic's stack is gone once that has recovered.
func (b *MisstepBuffer) P(depth uint32, ok *MisstepOK) {
	if *ok == 0 {
		*ok = 2
		b.unwind(depth)
	}
}

// Leave leaves a function that defers, however that happens.
func (b *MisstepBuffer) Leave(fn, depth uint32, ok *MisstepOK) {
	if *ok == 0 {
		b.unwind(depth)
	}
	b.two(fn<<3|misstepLeave, depth)
	b.depth = depth - 1
	if b.depth == 0 {
		b.rest()
	}
}

// Nest begins the body of a loop over a function.
func (b *MisstepBuffer) Nest(site, depth uint32) {
	if b != misstepLast {
		b.stamp()
	}
	b.three(misstepNested, site, depth)
}

// Unnest ends it.
func (b *MisstepBuffer) Unnest(site uint32) { b.two(misstepUnnest, site) }

// S takes a stamp, after an operation that may have waited.
func (b *MisstepBuffer) S() {
	if b != misstepLast {
		b.stamp()
	}
}

// MisstepB is the second operand of && and ||: its outcome is the mark.
func MisstepB(b *MisstepBuffer, site uint32, v bool) bool {
	if v {
		site++
	}
	b.E(site<<3 | misstepMark)
	return v
}

// room sees to it that an event of n words does not lie in two chunks.
func (b *MisstepBuffer) room(n uint32) {
	if b.n+n > misstepWords {
		b.turn()
	}
}

func (b *MisstepBuffer) stamp() {
	misstepLast = b
	s := misstepClock.Add(1)
	b.three(misstepStamp, uint32(s), uint32(s>>32))
}

// unwind notes where the functions stand that a panic or Goexit ends.
func (b *MisstepBuffer) unwind(depth uint32) {
	var pcs [misstepLines]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	var pairs []uint32
	for n > 0 {
		f, more := frames.Next()
		h := uint32(2166136261)
		for i := 0; i < len(f.File); i++ {
			h = (h ^ uint32(f.File[i])) * 16777619
		}
		pairs = append(pairs, h|7, uint32(f.Line))
		if !more {
			break
		}
	}
	b.room(uint32(len(pairs)) + 3)
	b.p[b.n] = misstepUnwind
	b.p[b.n+1] = uint32(len(pairs))
	b.p[b.n+2] = depth
	b.n += 3
	copy(b.p[b.n:], pairs)
	b.n += uint32(len(pairs))
	b.room(misstepLong)
}
