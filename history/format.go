package history

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/s2"
)

// A history file is a line, Magic, and blocks: a letter for the kind, the length of
// the payload as a varint, the payload, and its CRC-32 (IEEE), little-endian. The
// first block is the plan (P), the last the end (E), both JSON; between are chunks
// of words (C). Payloads are compressed by S2: the program waits for that, and zstd at
// its fastest makes files half as large, but takes three times as long.
//
// A block of chunks holds for each its head, as varints (goroutine, buffer, number
// of the chunk within the buffer, stamp, where Go's heap begins, number of words, bytes
// of a word),
// and then the words, little-endian, in one or two bytes each where that is enough
// for all of them. Fixed words were found to compress better than varints, and faster:
// loops are repetitions of bytes.

// Magic is how a history's file begins.
const Magic = "misstep history 3\n"

const (
	blockPlan   = 'P'
	blockChunks = 'C'
	blockEnd    = 'E'
)

// maxBlock bounds what a reader allocates for one block, compressed or not.
const maxBlock = 64 << 20

// Words; package rt has the same.
const (
	wordLoop   = 0
	wordEnter  = 1
	wordExit   = 2
	WordMark   = 3
	wordLeave  = 4
	wordOther  = 5
	wordMade   = 6
	wordObject = 7

	wordOwner     = 1<<3 | wordOther
	wordStamp     = 2<<3 | wordOther
	wordUnwind    = 3<<3 | wordOther
	wordNested    = 4<<3 | wordOther
	wordUnnest    = 5<<3 | wordOther
	wordFarObject = 6<<3 | wordOther
	wordFarMade   = 7<<3 | wordOther
	// From there on, leaf functions, which are entered and left.
	wordLeaf = 16<<3 | wordOther
)

// LoopWord and leafWord are the words of a loop's body and of a leaf function.
func LoopWord(site int) uint32 { return uint32(site+1)<<3 | wordLoop }
func LeafWord(fn int) uint32   { return uint32(fn)<<3 + wordLeaf }

// near is an address that was written in one word: a low one, or one of the heap.
func near(heap uint64, w uint32) uint64 {
	if w>>31 == 0 {
		return uint64(w)
	}
	return heap + uint64(w&^(1<<31))
}

// Wide is a number of two words.
func Wide(low, high uint32) uint64 { return uint64(low) | uint64(high)<<32 }

// ChunkWords is how many words a chunk has room for; package rt has the same.
const ChunkWords = 2048

// PanicLines is how many lines a panic tells of at most, so that so many may not be all; package rt has the same.
const PanicLines = 256

// An End says how a recorded run ended.
type End struct {
	// ExitCode is the program's, or minus the number of the signal that ended it.
	ExitCode int `json:"exitCode"`
	// Stopped says why recording stopped before the program did, or is empty.
	Stopped string `json:"stopped,omitempty"`
	// Words counts the recorded words.
	Words int64 `json:"words"`
}

// A Chunk is a run of words of one buffer.
type Chunk struct {
	Goroutine uint64
	Buffer    uint32
	Number    uint32
	Stamp     uint64
	Heap      uint64 // where the addresses of objects begin, a multiple of 1<<26
	Words     []uint32
}

// A Writer writes a history.
type Writer struct {
	w      *bufio.Writer
	buf    []byte
	packed []byte
	size   int64
	words  int64
}

// NewWriter begins a history with its plan.
func NewWriter(w io.Writer, plan *Plan) (*Writer, error) {
	h := &Writer{w: bufio.NewWriterSize(w, 1<<20)}
	if _, err := h.w.WriteString(Magic); err != nil {
		return nil, fmt.Errorf("writing the history: %w", err)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	return h, h.block(blockPlan, text)
}

// Size is how many bytes were written so far.
func (h *Writer) Size() int64 { return h.size }

// Words is how many words were written so far.
func (h *Writer) Words() int64 { return h.words }

func (h *Writer) block(kind byte, payload []byte) error {
	h.packed = s2.Encode(h.packed[:cap(h.packed)], payload)
	head := binary.AppendUvarint([]byte{kind}, uint64(len(h.packed)))
	sum := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(h.packed))
	for _, part := range [][]byte{head, h.packed, sum} {
		if _, err := h.w.Write(part); err != nil {
			return fmt.Errorf("writing the history: %w", err)
		}
		h.size += int64(len(part))
	}
	return nil
}

// blockSize is how many bytes of chunks are compressed together.
const blockSize = 512 << 10

// Chunk adds a chunk.
func (h *Writer) Chunk(c Chunk) error {
	width := widthOf(c.Words)
	for _, v := range []uint64{c.Goroutine, uint64(c.Buffer), uint64(c.Number), c.Stamp, c.Heap >> 26, uint64(len(c.Words)), uint64(width)} {
		h.buf = binary.AppendUvarint(h.buf, v)
	}
	n := len(h.buf)
	h.buf = slices.Grow(h.buf, width*len(c.Words))[:n+width*len(c.Words)]
	pack(h.buf[n:], c.Words, width)
	h.words += int64(len(c.Words))
	if len(h.buf) >= blockSize {
		return h.flush()
	}
	return nil
}

// widthOf is how many bytes are enough for each of some words.
func widthOf(words []uint32) int {
	all := uint32(0)
	for len(words) >= 8 {
		w := words[:8]
		all |= w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]
		words = words[8:]
	}
	for _, w := range words {
		all |= w
	}
	switch {
	case all < 1<<8:
		return 1
	case all < 1<<16:
		return 2
	}
	return 4
}

// pack writes words of a width, eight bytes at a time: the program may have to wait
// for this.
func pack(out []byte, words []uint32, width int) {
	switch width {
	case 1:
		for ; len(words) >= 8; words, out = words[8:], out[8:] {
			w := (*[8]uint32)(words)
			binary.LittleEndian.PutUint64(out, uint64(w[0]|w[1]<<8|w[2]<<16|w[3]<<24)|uint64(w[4]|w[5]<<8|w[6]<<16|w[7]<<24)<<32)
		}
		for i, w := range words {
			out[i] = byte(w)
		}
	case 2:
		for ; len(words) >= 8; words, out = words[8:], out[16:] {
			w, o := (*[8]uint32)(words), (*[16]byte)(out)
			binary.LittleEndian.PutUint64(o[:8], uint64(w[0]|w[1]<<16)|uint64(w[2]|w[3]<<16)<<32)
			binary.LittleEndian.PutUint64(o[8:], uint64(w[4]|w[5]<<16)|uint64(w[6]|w[7]<<16)<<32)
		}
		for i, w := range words {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(w))
		}
	default:
		// All processors that misstep is for are little-endian.
		copy(out, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*4))
	}
}

func (h *Writer) flush() error {
	if len(h.buf) == 0 {
		return nil
	}
	err := h.block(blockChunks, h.buf)
	h.buf = h.buf[:0]
	return err
}

// Close ends the history.
func (h *Writer) Close(end End) error {
	if err := h.flush(); err != nil {
		return err
	}
	text, err := json.Marshal(end)
	if err != nil {
		return err
	}
	if err := h.block(blockEnd, text); err != nil {
		return err
	}
	if err := h.w.Flush(); err != nil {
		return fmt.Errorf("writing the history: %w", err)
	}
	return nil
}

// ErrTruncated says that a history has no end: what was read is all up to there.
var ErrTruncated = errors.New("the history is cut short: it has no end")

// A FormatError says what is wrong with a history, and where.
type FormatError struct {
	Offset int64
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("the history is damaged at byte %d: %s", e.Offset, e.Reason)
}

// A blockReader reads blocks in order.
type blockReader struct {
	r  *bufio.Reader
	at int64
}

// newBlockAt reads blocks from an offset on, where the reader stands.
func newBlockAt(r io.Reader, at int64) *blockReader {
	return &blockReader{r: bufio.NewReaderSize(r, 64<<10), at: at}
}

func newBlockReader(r io.Reader) (*blockReader, error) {
	b := newBlockAt(r, 0)
	head := make([]byte, len(Magic))
	n, err := io.ReadFull(b.r, head)
	switch {
	case string(head[:n]) != Magic[:n] || n == 0:
		return nil, &FormatError{0, "it does not begin with " + Magic[:len(Magic)-1]}
	case err != nil:
		return nil, ErrTruncated
	}
	b.at = int64(n)
	return b, nil
}

// next reads a block; the payload is the caller's.
func (b *blockReader) next() (kind byte, payload []byte, err error) {
	start := b.at
	cut := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return ErrTruncated
		}
		return fmt.Errorf("reading the history: %w", err)
	}
	if kind, err = b.r.ReadByte(); err != nil {
		return 0, nil, cut(err)
	}
	b.at++
	n, err := binary.ReadUvarint(countingReader{b})
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return 0, nil, ErrTruncated
	case err != nil || n > maxBlock:
		return 0, nil, &FormatError{start, "a block is too long"}
	}
	if kind != blockPlan && kind != blockChunks && kind != blockEnd {
		return 0, nil, &FormatError{start, fmt.Sprintf("a block of unknown kind %q", kind)}
	}
	packed, err := io.ReadAll(io.LimitReader(b.r, int64(n)))
	if err != nil {
		return 0, nil, cut(err)
	}
	b.at += int64(len(packed))
	if uint64(len(packed)) < n {
		return 0, nil, ErrTruncated
	}
	var sum [4]byte
	if _, err := io.ReadFull(b.r, sum[:]); err != nil {
		return 0, nil, cut(err)
	}
	b.at += 4
	if binary.LittleEndian.Uint32(sum[:]) != crc32.ChecksumIEEE(packed) {
		return 0, nil, &FormatError{start, "a block's checksum does not agree"}
	}
	if n, err := s2.DecodedLen(packed); err != nil || n > maxBlock {
		return 0, nil, &FormatError{start, "a block does not decompress"}
	}
	payload, err = s2.Decode(nil, packed)
	if err != nil {
		return 0, nil, &FormatError{start, "a block does not decompress: " + err.Error()}
	}
	return kind, payload, nil
}

type countingReader struct{ b *blockReader }

func (c countingReader) ReadByte() (byte, error) {
	x, err := c.b.r.ReadByte()
	if err == nil {
		c.b.at++
	}
	return x, err
}

// chunks takes a block of chunks apart.
func chunks(payload []byte, at int64, yield func(Chunk) error) error {
	damaged := func() error { return &FormatError{at, "a chunk's head is damaged"} }
	for len(payload) > 0 {
		var head [7]uint64
		for i := range head {
			v, n := binary.Uvarint(payload)
			if n <= 0 {
				return damaged()
			}
			head[i], payload = v, payload[n:]
		}
		width := head[6]
		if width != 1 && width != 2 && width != 4 || head[5] > uint64(len(payload))/width || head[1] > 1<<32-1 || head[2] > 1<<32-1 {
			return damaged()
		}
		words := make([]uint32, head[5])
		for i := range words {
			switch width {
			case 1:
				words[i] = uint32(payload[i])
			case 2:
				words[i] = uint32(binary.LittleEndian.Uint16(payload[i*2:]))
			default:
				words[i] = binary.LittleEndian.Uint32(payload[i*4:])
			}
		}
		payload = payload[uint64(len(words))*width:]
		c := Chunk{head[0], uint32(head[1]), uint32(head[2]), head[3], head[4] << 26, words}
		if err := yield(c); err != nil {
			return err
		}
	}
	return nil
}

// Written is how many words of whole events there are.
func Written(w []uint32) int {
	n := 0
	for n < len(w) {
		k := length(w[n:])
		if k == 0 || n+k > len(w) {
			break
		}
		n += k
	}
	return n
}

// length is how many words the first event has, or 0 if there is none.
func length(w []uint32) int {
	if len(w) == 0 {
		return 0
	}
	switch w[0] & 7 {
	case wordLoop:
		if w[0] == 0 {
			return 0
		}
		return 2
	case wordEnter, wordExit, WordMark:
		return 1
	case wordLeave, wordObject:
		return 2
	case wordMade:
		return 3
	case wordOther:
		if w[0] >= wordLeaf {
			return 1
		}
		switch w[0] {
		case wordUnnest:
			return 2
		case wordOwner, wordStamp, wordNested:
			return 3
		case wordFarObject:
			return 4
		case wordFarMade:
			return 5
		case wordUnwind:
			if len(w) > 1 && w[1] < ChunkWords {
				return 3 + int(w[1])
			}
		}
	}
	return 0
}
