package dap

import (
	"regexp"
	"strings"
	"sync"
)

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	b   []byte
	max int
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > 2*t.max {
		t.b = append(t.b[:0], t.b[len(t.b)-t.max:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.b
	if len(b) > t.max {
		b = b[len(b)-t.max:]
	}
	return string(b)
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
