package record

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"misstep/history"
)

// shared is the memory that a recorded program writes into, and the pipes.
type shared struct {
	mem              []byte
	file             *os.File
	full, free       *os.File // ours
	fullEnd, freeEnd *os.File // the program's
}

// The shared memory's layout; package rt has the same.
const (
	chunkHead    = 8
	sharedChunks = 24575 // 192 MiB with the head
	sharedBatch  = 32
	sharedMagic  = 0x6d697374
)

const sharedSize = (sharedChunks + 1) * history.ChunkWords * 4

func newShared() (*shared, error) {
	file, err := memory()
	if err != nil {
		return nil, err
	}
	s := &shared{file: file}
	if err := s.file.Truncate(sharedSize); err != nil {
		s.close()
		return nil, fmt.Errorf("making memory to record into: %w", err)
	}
	if s.mem, err = unix.Mmap(int(file.Fd()), 0, sharedSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		s.close()
		return nil, fmt.Errorf("mapping memory to record into: %w", err)
	}
	binary.NativeEndian.PutUint32(s.mem, sharedMagic)
	if s.full, s.fullEnd, err = os.Pipe(); err == nil {
		s.freeEnd, s.free, err = os.Pipe()
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	return s, nil
}

// theirs are the files for the program.
func (s *shared) theirs() []*os.File { return []*os.File{s.file, s.fullEnd, s.freeEnd} }

// started closes what only the program needs.
func (s *shared) started() {
	s.fullEnd.Close()
	s.freeEnd.Close()
}

func (s *shared) close() {
	for _, f := range []*os.File{s.file, s.full, s.free, s.fullEnd, s.freeEnd} {
		if f != nil {
			f.Close()
		}
	}
	if s.mem != nil {
		unix.Munmap(s.mem)
	}
}

func (s *shared) word(n int) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&s.mem[n*4]))
}

func (s *shared) stop() { s.word(1).Store(1) }

func (s *shared) words(n int) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&s.mem[(n+1)*history.ChunkWords*4])), history.ChunkWords)
}

// chunk is what the program has written into a chunk; it ends at the first zero.
func (s *shared) chunk(n int) history.Chunk {
	w := s.words(n)
	c := history.Chunk{
		Goroutine: history.Wide(w[0], w[1]), Buffer: w[2], Number: w[3],
		Stamp: history.Wide(w[4], w[5]), Heap: uint64(w[7]) << 26,
	}
	if c.Goroutine == 0 {
		return c
	}
	// One that is full says how long it is.
	if n := w[6]; n > chunkHead && n <= history.ChunkWords {
		c.Words = w[chunkHead:n]
	} else {
		c.Words = w[chunkHead : chunkHead+history.Written(w[chunkHead:])]
	}
	return c
}

func (s *shared) clear(n int) { clear(s.words(n)) }
