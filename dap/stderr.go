package dap

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// tail is the end of what a process prints into a file. A process that has ended has printed all of it, which is not so of a pipe that
// somebody still has to read.
type tail struct {
	file string // empty of a process that there is not
	last string // what the file ended in when it was removed
	max  int64
}

// open makes the file, in a folder, for a process to write to.
func (t *tail) open(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "stderr-")
	if err != nil {
		return nil, fmt.Errorf("making a file for its standard error: %w", err)
	}
	t.remove()
	t.file = f.Name()
	return f, nil
}

// remove removes the file, whose end stays known.
func (t *tail) remove() {
	if t.file != "" {
		t.last = t.String()
		os.Remove(t.file)
		t.file = ""
	}
}

func (t *tail) String() string {
	if t.file == "" {
		return t.last
	}
	f, err := os.Open(t.file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > t.max {
		f.Seek(-t.max, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(f, t.max))
	return string(text)
}

// failures is how the lines begin that say why a program ends, of the runtime's. Those of its own functions are not
// among them: their arguments are addresses, which differ from run to run.
var failures = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |SIG[A-Z]+: |unexpected fault).*$`)

// LastWords is what an adapter prints of its end, without the stacks of its goroutines, which differ from
// run to run; all of it, if it says nothing that is known.
func LastWords(text string) string {
	if lines := failures.FindAllString(text, 3); lines != nil {
		text = strings.Join(lines, "\n")
	}
	return normalText(text)
}
