package protocol

import (
	"path"
	"strings"
)

// Panicked are the functions that were active when something panicked, as a text with
// the stack of a goroutine says, innermost first: each with its package's name, such as
// proc.Target.Continue. Those of the runtime are left out, as are all if the text has no
// panic.
func Panicked(text string) []string {
	_, stack, _ := strings.Cut(text, "\npanic(")
	var names []string
	for line := range strings.Lines(stack) {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "created by ") {
			break // the goroutine's last
		}
		call := strings.LastIndex(name, "(")
		if strings.HasPrefix(line, "\t") || call < 0 || !strings.Contains(name[:call], "/") || !strings.HasSuffix(name, ")") {
			continue
		}
		name = path.Base(name[:call])
		names = append(names, strings.NewReplacer("(", "", ")", "", "*", "").Replace(name))
	}
	return names
}
