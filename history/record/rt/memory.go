package rt

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// rest lets go of the buffer, which the next goroutine may take.
func (b *MisstepBuffer) rest() {
	misstepMu.Lock()
	b.idle = true
	if !b.listed {
		b.listed = true
		misstepIdles = append(misstepIdles, b)
	}
	misstepMu.Unlock()
}

// misstepAttach finds the goroutine's buffer, or gives it one.
func misstepAttach(g uint64) *MisstepBuffer {
	misstepMu.Lock()
	defer misstepMu.Unlock()
	if !misstepReady {
		misstepReady = true
		misstepBufs = map[uint64]*MisstepBuffer{}
		misstepOpen()
	}
	b := misstepBufs[g]
	for b == nil && len(misstepIdles) > 0 {
		last := misstepIdles[len(misstepIdles)-1]
		misstepIdles = misstepIdles[:len(misstepIdles)-1]
		last.listed = false
		if last.idle {
			b = last
			delete(misstepBufs, b.goid)
		}
	}
	switch {
	case b == nil:
		b = &MisstepBuffer{id: uint32(len(misstepBufs) + 1), goid: g}
		b.take()
	case b.goid != g:
		b.goid, b.depth = g, 0
		b.p[b.n+1], b.p[b.n+2] = uint32(g), uint32(g>>32)
		b.p[b.n] = misstepOwner
		b.n += 3
		if b.n > misstepWords-misstepLong {
			b.give()
			b.take()
		}
	}
	b.idle = false
	misstepBufs[g] = b
	misstepCache[g%uint64(len(misstepCache))] = b
	return b
}

// turn changes the full chunk for an empty one.
func (b *MisstepBuffer) turn() {
	misstepMu.Lock()
	b.give()
	b.take()
	misstepMu.Unlock()
}

func (b *MisstepBuffer) give() {
	if b.chunk < 0 {
		return
	}
	b.p[6] = b.n
	misstepFulls.list[misstepFulls.n] = uint32(b.chunk)
	misstepFulls.n++
	misstepOut++
	if misstepFulls.n == misstepBatch {
		misstepHand()
	}
}

// misstepHand hands the full chunks over.
func misstepHand() {
	if misstepFulls.n > 0 && misstepPipe(syscall.SYS_WRITE, misstepFull, &misstepFulls) <= 0 {
		misstepOut -= misstepFulls.n // they will not come back
	}
	misstepFulls.n = 0
}

// take gets a chunk that is all zeros.
func (b *MisstepBuffer) take() {
	b.chunk, b.loop = -1, 0
	b.p, b.n = &misstepWaste, misstepHead
	if b.muted || misstepMem == nil || misstepWord(1).Load() != 0 {
		return
	}
	// A few chunks go round, so that they stay in the processor's cache.
	if misstepNext < misstepChunks && misstepOut < misstepRound {
		b.chunk = misstepNext
		misstepNext++
		misstepWord(7).Store(uint32(misstepNext))
	} else {
		if misstepFrees.n == 0 && misstepOut > 0 {
			misstepHand()
			misstepFrees.n = misstepBatch
			misstepFrees.n = max(misstepPipe(syscall.SYS_READ, misstepFree, &misstepFrees), 0)
		}
		if misstepFrees.n == 0 || misstepFrees.list[misstepFrees.n-1] >= misstepChunks {
			misstepWord(2).Store(1) // something is lost
			return
		}
		misstepFrees.n--
		misstepOut--
		b.chunk = int(misstepFrees.list[misstepFrees.n])
	}
	b.p = (*[misstepWords]uint32)(unsafe.Pointer(&misstepMem[(b.chunk+1)*misstepWords*4]))
	b.chunks++
	s := misstepClock.Add(1)
	b.p[1], b.p[2], b.p[3] = uint32(b.goid>>32), b.id, b.chunks
	b.p[4], b.p[5] = uint32(s), uint32(s>>32)
	b.p[7] = uint32(misstepHeap >> 26)
	b.p[0] = uint32(b.goid)
}

// misstepWord is a word of the head of the shared memory.
func misstepWord(n int) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&misstepMem[n*4]))
}

// misstepPipe reads or writes numbers of chunks, and returns how many it did. The
// scheduler is not told: that would let other goroutines run, and the program do
// something else than it does by itself.
func misstepPipe(call uintptr, fd int, numbers *misstepNumbers) int {
	for {
		n, _, err := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&numbers.list)), uintptr(numbers.n*4))
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		return int(n) / 4
	}
}

// misstepOpen maps the shared memory, and moves the file descriptors to where
// the program will not meet them.
func misstepOpen() {
	const size = (misstepChunks + 1) * misstepWords * 4
	addr, _, err := syscall.RawSyscall6(syscall.SYS_MMAP, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED, misstepShared, 0)
	if err != 0 {
		return
	}
	// The address is the kernel's, not one of Go's heap.
	mem := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), size)
	if *(*uint32)(unsafe.Pointer(&mem[0])) != misstepMagic {
		return
	}
	const high = 700
	for i := 1; i < 3; i++ {
		fd, _, err := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(misstepShared+i), syscall.F_DUPFD_CLOEXEC, high)
		if err != 0 {
			return
		}
		if i == 1 {
			misstepFull = int(fd)
		} else {
			misstepFree = int(fd)
		}
	}
	for i := 0; i < 3; i++ {
		syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(misstepShared+i), 0, 0)
	}
	misstepMem = mem
	// The map's address is one of the first in the heap.
	misstepHeap = uint64(*(*uintptr)(unsafe.Pointer(&misstepBufs))) >> 26 << 26
	for i := range misstepSets {
		misstepSets[i] = misstepSet{misstepWord(8 + 2*i).Load(), misstepWord(9 + 2*i).Load()}
	}
	misstepChosen, misstepCountdown, misstepShake = misstepWord(4).Load(), misstepWord(5).Load(), misstepWord(6).Load()
	if misstepWord(3).Load() != 0 {
		fd, _, err := syscall.RawSyscall(syscall.SYS_FCNTL, misstepShared+3, syscall.F_DUPFD_CLOEXEC, high)
		if err == 0 {
			misstepSnapOut = int(fd)
		}
		syscall.RawSyscall(syscall.SYS_CLOSE, misstepShared+3, 0, 0)
	}
}
