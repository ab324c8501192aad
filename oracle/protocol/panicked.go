package protocol

import (
	"path"
	"regexp"
	"strings"
)

// ended is how the runtime says that a panic, or what nobody can recover from, ends a process, up to the stack of the goroutine that it was in.
var ended = regexp.MustCompile(`(?m)^(?:panic: |fatal error: )(?:.*\n)*?goroutine \d+.*:$`)

// delve is what the functions of Delve's have in their names.
const delve = "go-delve/delve/"

// Panicked are the functions that were active when something panicked, as a text with
// the stack of a goroutine says, innermost first: each with its package's name, such as
// proc.Target.Continue. One that ended the process counts, or else the first that was recovered from. Those of the
// runtime are left out, as are all if the text has no panic.
func Panicked(text string) []string {
	_, stack, _ := strings.Cut(text, "\npanic(")
	for _, at := range ended.FindAllStringIndex(text, -1) {
		last, _, _ := strings.Cut(strings.TrimPrefix(text[at[1]:], "\n"), "\n\n")
		if strings.Contains(last, delve) || !strings.Contains(text, delve) {
			stack = last // and none of the program's own
			break
		}
	}
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
