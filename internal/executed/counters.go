package executed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Block is one of the counters that a covered binary has, by the numbers of its package, its function and its own. They
// mean something for one binary alone.
type Block struct{ Package, Function, Counter uint32 }

// Blocks are the counters of functions that were executed at least in part, by what the processes of one covered binary have
// left in a folder, and whether they were executed themselves. That is what go tool covdata reads as well, in a hundredth of
// its time, as no names are needed to tell blocks apart. A folder without counters has no blocks.
func Blocks(dir string) (map[Block]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "covcounters.*"))
	if err != nil {
		return nil, fmt.Errorf("looking for counters: %w", err)
	}
	all := map[Block]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading counters: %w", err)
		}
		if err := readCounters(data, all); err != nil {
			return nil, fmt.Errorf("reading counters: %s: %w", name, err)
		}
	}
	return all, nil
}

// The layout of a file of counters, as package internal/coverage of the Go toolchain documents it: a header, the segment's
// header, a table of strings, the arguments of the process, zeroes up to a multiple of four, and for each function that was
// executed the number of its counters, of its package, its own, and the counters.
const (
	counterMagic          = "\x00cwm"
	fileHeader            = 32
	flavorAt, endianAt    = 24, 25
	segmentHeader         = 16
	rawFlavor, uvarFlavor = 1, 2
	// mostCounters bounds those of one function, against files that are broken.
	mostCounters = 1 << 20
)

var errShort = errors.New("it ends too early")

// readCounters adds the blocks of a file of counters.
func readCounters(data []byte, all map[Block]bool) error {
	if len(data) < fileHeader+segmentHeader || string(data[:4]) != counterMagic {
		return errors.New("expected a file of counters")
	}
	flavor := data[flavorAt]
	if flavor != rawFlavor && flavor != uvarFlavor {
		return fmt.Errorf("expected counters that are raw or in LEB128, not of flavor %d", flavor)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[endianAt] != 0 {
		order = binary.BigEndian
	}
	functions := binary.LittleEndian.Uint64(data[fileHeader:])
	strings, args := binary.LittleEndian.Uint32(data[fileHeader+8:]), binary.LittleEndian.Uint32(data[fileHeader+12:])
	at := uint64(fileHeader+segmentHeader) + uint64(strings) + uint64(args)
	at = (at + 3) / 4 * 4
	if at > uint64(len(data)) {
		return errShort
	}
	data = data[at:]
	next := func() (uint32, error) {
		if flavor == rawFlavor {
			if len(data) < 4 {
				return 0, errShort
			}
			n := order.Uint32(data)
			data = data[4:]
			return n, nil
		}
		n, size := binary.Uvarint(data)
		if size <= 0 {
			return 0, errShort
		}
		data = data[size:]
		return uint32(n), nil
	}
	for range functions {
		var head [3]uint32
		for i := range head {
			n, err := next()
			if err != nil {
				return err
			}
			head[i] = n
		}
		if head[0] > mostCounters {
			return fmt.Errorf("a function has %d counters", head[0])
		}
		for i := range head[0] {
			n, err := next()
			if err != nil {
				return err
			}
			b := Block{head[1], head[2], i}
			all[b] = all[b] || n > 0
		}
	}
	return nil
}
