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

// misstepReflected is what a reflect.Value is about: the variable that it can set, or else
// what it refers to, or the receiver of a method; with into, what it refers to, if it does; and the address of the last
// byte of that, or the same where only its beginning is known. The layout of a Value, its
// flags and the kinds are package reflect's; zero is no object.
func misstepReflected(v *[3]uintptr, into bool) (from, to uintptr) {
	const (
		indirect    = 1 << 7
		addressable = 1 << 8
		method      = 1 << 9
		kinds       = 1<<5 - 1

		channel, function, inter, mapping, pointer, slice, raw = 18, 19, 20, 21, 22, 23, 26
	)
	at, flags := v[1], v[2]
	refers := false
	word := uintptr(0)
	switch flags & kinds {
	case inter:
		word = 1
		fallthrough
	case channel, function, mapping, pointer, slice, raw:
		refers = true
	}
	switch {
	case at == 0 || flags&addressable == 0 && !refers:
		return 0, 0 // a copy
	case flags&method != 0:
		return at, at // the receiver
	case flags&addressable != 0 && !(into && refers):
		size := **(**uintptr)(unsafe.Pointer(v)) // of its type, comes first in what is known of it
		return at, at + max(size, 1) - 1
	case flags&indirect != 0:
		at = (*(**[2]uintptr)(unsafe.Pointer(&v[1])))[word]
	}
	return at, at
}

// reflected writes two events, with the first and the last address.
func (b *MisstepBuffer) reflected(site uint32, from, to uintptr) {
	if from != 0 {
		b.object(site, from)
		b.object(site, to)
	}
}

// MisstepR passes a reflect.Value on, MisstepRI one of which what it refers to counts.
func MisstepR[T any](b *MisstepBuffer, site uint32, v T) T {
	from, to := misstepReflected((*[3]uintptr)(unsafe.Pointer(&v)), false)
	b.reflected(site, from, to)
	return v
}

func MisstepRI[T any](b *MisstepBuffer, site uint32, v T) T {
	from, to := misstepReflected((*[3]uintptr)(unsafe.Pointer(&v)), true)
	b.reflected(site, from, to)
	return v
}

// MisstepRP and MisstepRIP are the same of a pointer to one.
func MisstepRP[T any](b *MisstepBuffer, site uint32, v *T) *T {
	if v != nil {
		MisstepR(b, site, *v)
	}
	return v
}

func MisstepRIP[T any](b *MisstepBuffer, site uint32, v *T) *T {
	if v != nil {
		MisstepRI(b, site, *v)
	}
	return v
}

func MisstepRPAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v *T) *T {
	if v != nil {
		MisstepRAgain(b, site, last, *v)
	}
	return v
}

func MisstepRIPAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v *T) *T {
	if v != nil {
		MisstepRIAgain(b, site, last, *v)
	}
	return v
}

func MisstepRAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v T) T {
	if from, to := misstepReflected((*[3]uintptr)(unsafe.Pointer(&v)), false); from != *last {
		*last = from
		b.reflected(site, from, to)
	}
	return v
}

func MisstepRIAgain[T any](b *MisstepBuffer, site uint32, last *uintptr, v T) T {
	if from, to := misstepReflected((*[3]uintptr)(unsafe.Pointer(&v)), true); from != *last {
		*last = from
		b.reflected(site, from, to)
	}
	return v
}

// MisstepRNew passes on what reflect.New gives, a pointer to a new object: the size of its
// type comes first in what reflect knows of it, after what it knows of the pointer's.
func MisstepRNew[T any](b *MisstepBuffer, site uint32, v T) T {
	const elem = 6 // words of internal/abi.Type, before that of what a pointer points to
	w := (*[3]unsafe.Pointer)(unsafe.Pointer(&v))
	typ := (*[elem + 1]*uintptr)(w[0])
	b.alloc(site, *typ[elem], w[1])
	return v
}
