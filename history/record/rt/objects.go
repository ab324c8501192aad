package rt

import "unsafe"

// What follows is only part of programs whose objects are recorded: expressions that
// lead to an object are passed through functions that write its address.

// misstepKeep is nil: what would be stored in it moves to the heap, where addresses
// stay.
var (
	misstepNever bool
	//lint:ignore U1000 it need not be read
	misstepKeep unsafe.Pointer
)

// misstepNear is an address in one word, if it is a low one or one of the two
// gigabytes from where Go's heap begins.
func misstepNear(p uintptr) (uint32, bool) {
	if at := uint64(p) - misstepHeap; at < 1<<31 {
		return uint32(at) | 1<<31, true
	}
	return uint32(p), uint64(p) < 1<<31
}

// object is two with an address, written out: it is what happens most often.
func (b *MisstepBuffer) object(site uint32, p uintptr) {
	near, ok := misstepNear(p)
	if !ok {
		b.far(misstepFarObject, site, 0, p)
		return
	}
	n := b.n
	b.p[(n+1)%misstepWords] = near
	b.p[n%misstepWords] = site<<3 | misstepObject
	b.n = n + 2
	if n+2 > misstepWords-misstepLong {
		b.turn()
	}
}

func (b *MisstepBuffer) alloc(site uint32, bytes uintptr, p unsafe.Pointer) {
	if misstepNever {
		misstepKeep = p
	}
	size := uint32(min(bytes, 1<<28))
	if near, ok := misstepNear(uintptr(p)); ok {
		b.three(site<<3|misstepMade, size, near)
		return
	}
	b.far(misstepFarMade, site, size, uintptr(p))
}

func (b *MisstepBuffer) far(w, site, size uint32, p uintptr) {
	b.p[b.n+1] = site
	n := b.n + 2
	if w == misstepFarMade {
		b.p[n] = size
		n++
	}
	b.p[n], b.p[n+1] = uint32(p), uint32(uint64(p)>>32)
	b.p[b.n] = w
	b.n = n + 2
	b.room(misstepLong)
}

// MisstepP passes a pointer on. That the value is not made to have an address, here and
// for slices, leaves it in registers.
func MisstepP[P ~*T, T any](b *MisstepBuffer, site uint32, p P) P {
	b.object(site, uintptr(unsafe.Pointer(p)))
	return p
}

// MisstepS passes a slice on.
func MisstepS[S ~[]E, E any](b *MisstepBuffer, site uint32, s S) S {
	b.object(site, uintptr(unsafe.Pointer(unsafe.SliceData(s))))
	return s
}

// MisstepM passes a map or channel on, whose one word is the address.
func MisstepM[T any](b *MisstepBuffer, site uint32, v T) T {
	b.object(site, *(*uintptr)(unsafe.Pointer(&v)))
	return v
}

// MisstepI passes an interface on, whose second word is the address.
func MisstepI[T any](b *MisstepBuffer, site uint32, v T) T {
	b.object(site, (*[2]uintptr)(unsafe.Pointer(&v))[1])
	return v
}

// MisstepPAgain is MisstepP in a loop: it writes the address only where that is not the
// last one. So do the others.
func MisstepPAgain[P ~*T, T any](b *MisstepBuffer, site uint32, last *uintptr, p P) P {
	if at := uintptr(unsafe.Pointer(p)); at != *last {
		*last = at
		b.object(site, at)
	}
	return p
}

func MisstepSAgain[S ~[]E, E any](b *MisstepBuffer, site uint32, last *uintptr, s S) S {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(s))); at != *last {
		*last = at
		b.object(site, at)
	}
	return s
}

func MisstepMAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v T) T {
	if at := *(*uintptr)(unsafe.Pointer(&v)); at != *last {
		*last = at
		b.object(site, at)
	}
	return v
}

func MisstepIAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v T) T {
	if at := (*[2]uintptr)(unsafe.Pointer(&v))[1]; at != *last {
		*last = at
		b.object(site, at)
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
