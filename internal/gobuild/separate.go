package gobuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// separate moves the debug information of a binary into a file of its own, as distributions of Linux ship it, and leaves a link to it:
// the section .gnu_debuglink, by which debuggers look in the binary's folder and in .debug below that (GDB's manual, "Debugging
// Information in Separate Files"). It returns the path of the binary as it was. objcopy of the GNU binutils does it; without
// it there is no such build.
func (c *Cache) separate(ctx context.Context, binary, where string) (whole string, err error) {
	whole = binary + ".whole"
	if err := os.Rename(binary, whole); err != nil {
		return "", fmt.Errorf("separating the debug information: %w", err)
	}
	dir, info := filepath.Dir(binary), filepath.Base(binary)+".debug"
	strip := "--strip-debug"
	if where == Below {
		dir, strip = filepath.Join(dir, ".debug"), "--strip-all" // as distributions do
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", fmt.Errorf("separating the debug information: %w", err)
		}
	}
	for _, args := range [][]string{
		{"--only-keep-debug", whole, info},
		{strip, "--add-gnu-debuglink=" + info, whole, binary},
	} {
		if _, err := c.run(ctx, dir, nil, "objcopy", args...); err != nil {
			if ctx.Err() != nil {
				return "", err
			}
			return "", &BuildError{Program: filepath.Base(binary), Output: "separating the debug information: " + err.Error()}
		}
	}
	return whole, nil
}
