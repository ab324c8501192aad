package dap

import (
	"bytes"
	"os"
	"sync"
)

// binaryKnown is what was looked for in an adapter's binary.
type binaryKnown struct {
	mu    sync.Mutex
	times map[string]int
}

// times is how often the adapter's binary has a text in it; -1 if it cannot be read.
func (a *Adapter) times(text string) int {
	look := func() int {
		binary, err := os.ReadFile(a.Path)
		if err != nil {
			return -1
		}
		return bytes.Count(binary, []byte(text))
	}
	if a.known == nil {
		return look()
	}
	a.known.mu.Lock()
	defer a.known.mu.Unlock()
	n, ok := a.known.times[text]
	if !ok {
		n = look()
		a.known.times[text] = n
	}
	return n
}

// Takes reports whether the adapter is Delve and has a setting of the launch request. It ignores settings that it does not know;
// its binary says which it does.
func (a *Adapter) Takes(setting string) bool {
	return a.Name == "dlv" && a.times(`"`+setting+`,omitempty"`) > 0
}

// Follows reports whether the adapter debugs what the program executes if [FollowExec] is set.
func (a *Adapter) Follows() bool { return a.Takes(FollowExec) }
