//go:build !linux

package record

import (
	"fmt"
	"os"
)

// memory is a file without a name.
func memory() (*os.File, error) {
	f, err := os.CreateTemp("", "misstep-memory-")
	if err != nil {
		return nil, fmt.Errorf("making memory to record into: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("making memory to record into: %w", err)
	}
	return f, nil
}
