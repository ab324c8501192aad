package rt

import "unsafe"

// What follows is only part of programs whose objects are recorded: expressions that
// lead to an object are passed through functions that write its address.

// The words of objects; see misstepOther.
const (
	misstepObject = 4<<3 | misstepOther // a site, see misstepOwner's number, and two more: an address, see misstepWide
	misstepAlloc  = 5<<3 | misstepOther // a site, a size in bytes, and two more: an address
)

// misstepKeep is nil: what would be stored in it moves to the heap, where addresses
// stay.
var (
	misstepNever bool
	//lint:ignore U1000 it need not be read
	misstepKeep unsafe.Pointer
)

func (b *MisstepBuffer) object(site uint32, p uintptr) {
	b.room(4)
	low, high := misstepWide(uint64(p))
	b.p[b.n], b.p[b.n+1], b.p[b.n+2] = misstepObject, site<<3|7, low
	b.n += 3
	b.E(high)
}

func (b *MisstepBuffer) alloc(site uint32, size uintptr, p unsafe.Pointer) {
	if misstepNever {
		misstepKeep = p
	}
	b.room(5)
	low, high := misstepWide(uint64(uintptr(p)))
	b.p[b.n], b.p[b.n+1], b.p[b.n+2], b.p[b.n+3] = misstepAlloc, site<<3|7, uint32(min(size, 1<<28))<<3|7, low
	b.n += 4
	b.E(high)
}

// MisstepP passes a value on whose first word is the address: a pointer, slice, map,
// channel or function.
func MisstepP[T any](b *MisstepBuffer, site uint32, v T) T {
	b.object(site, *(*uintptr)(unsafe.Pointer(&v)))
	return v
}

// MisstepI passes an interface on, whose second word is the address.
func MisstepI[T any](b *MisstepBuffer, site uint32, v T) T {
	b.object(site, (*[2]uintptr)(unsafe.Pointer(&v))[1])
	return v
}

// MisstepAgain is MisstepP in a loop: it writes the address only where that is not the
// last one.
func MisstepAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v T) T {
	if p := *(*uintptr)(unsafe.Pointer(&v)); p != *last {
		*last = p
		b.object(site, p)
	}
	return v
}

// MisstepAgainI is MisstepI in a loop.
func MisstepAgainI[T any](b *MisstepBuffer, site uint32, last *uintptr, v T) T {
	if p := (*[2]uintptr)(unsafe.Pointer(&v))[1]; p != *last {
		*last = p
		b.object(site, p)
	}
	return v
}

// MisstepNew passes a pointer to a new object on.
func MisstepNew[T any](b *MisstepBuffer, site uint32, p *T) *T {
	b.alloc(site, unsafe.Sizeof(*p), unsafe.Pointer(p))
	return p
}

// MisstepSlice passes a slice with a new array on.
func MisstepSlice[S ~[]E, E any](b *MisstepBuffer, site uint32, s S) S {
	var e E
	b.alloc(site, uintptr(cap(s))*unsafe.Sizeof(e), unsafe.Pointer(unsafe.SliceData(s)))
	return s
}

// MisstepMake passes a new map or channel on.
func MisstepMake[T any](b *MisstepBuffer, site uint32, v T) T {
	b.alloc(site, 8, *(*unsafe.Pointer)(unsafe.Pointer(&v)))
	return v
}
