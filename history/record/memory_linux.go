package record

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memory is a file that lies in memory only.
func memory() (*os.File, error) {
	fd, err := unix.MemfdCreate("misstep", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making memory to record into: %w", err)
	}
	return os.NewFile(uintptr(fd), "misstep"), nil
}
