package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"misstep/history"
)

// withHistory opens a history, does something with it, and says what of it could not be
// read.
func withHistory(path string, do func(*history.Reader) error) error {
	r, file, err := history.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := do(r); err != nil {
		return err
	}
	return r.Whole(path)
}

// create writes a file beside its place and renames it, so that an older one is not
// lost before there is a new one. What is no file, such as a device, is written to.
func create(name string, write func(io.Writer) error) (int64, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		out, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return 0, fmt.Errorf("writing %s: %w", name, err)
		}
		return 0, errors.Join(write(out), out.Close())
	}
	out, err := os.CreateTemp(filepath.Dir(name), ".misstep-")
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", name, err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	w := bufio.NewWriter(out)
	if err := write(w); err != nil {
		return 0, err
	}
	err = w.Flush()
	size, seekErr := out.Seek(0, io.SeekEnd)
	if err = errors.Join(err, seekErr, out.Chmod(0o666&^0o022), out.Close()); err == nil {
		err = os.Rename(out.Name(), name)
	}
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", name, err)
	}
	return size, nil
}
