package history

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Open opens a history's file, which the caller closes; the error says what is wrong with
// it.
func Open(path string) (*Reader, *os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the history: %w", err)
	}
	r, err := NewReader(f)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, f, nil
}

// Whole says what is wrong with a history, called name, of which only a part could be read.
func (r *Reader) Whole(name string) error {
	switch {
	case r.Err == nil:
		return nil
	case errors.Is(r.Err, ErrTruncated):
		return fmt.Errorf("%s: %w; what is shown is all up to there", name, r.Err)
	}
	return fmt.Errorf("%s: %w; what is shown is what came before", name, r.Err)
}

// IsFile reports whether a file begins as histories do, of whatever version.
func IsFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(Magic))
	n, _ := io.ReadFull(f, begin)
	// Of another version, too, so that the error says what is wrong.
	return n > 8 && strings.HasPrefix(Magic, string(begin[:8]))
}
