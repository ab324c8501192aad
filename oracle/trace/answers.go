package trace

import (
	"fmt"
	"strconv"

	"misstep/dap"
)

// exceptionInfo holds what an adapter says of an exception against the pause; it is nil if they agree, or
// what is wanted and what is said.
func exceptionInfo(p *dap.Pause, out dap.Output) []string {
	switch {
	case !p.Exception():
		if out.Kind == dap.Answered {
			return []string{"refused, as the pause is for a " + p.Reason, out.Value.Value}
		}
	case out.Kind != dap.Answered:
		return []string{p.Description + ": " + p.Text, out.Text}
	case p.Text != "" && out.Value.Value != p.Text:
		return []string{p.Text, out.Value.Value}
	case p.Description != "" && out.Value.Type != p.Description:
		return []string{p.Description, out.Value.Type}
	}
	return nil
}

// says is one side of a difference, empty if there is none.
func says(d []string, i int) string {
	if d == nil {
		return ""
	}
	return d[i]
}

// inMemory is what the memory of a variable begins with, in hexadecimal, for strings that are shown whole; ok is false
// for others.
func inMemory(v *dap.Variable) (string, bool) {
	if v == nil || v.Type != "string" {
		return "", false
	}
	text, err := strconv.Unquote(v.Value)
	if err != nil || len(text) > dap.MemoryBytes {
		return "", false
	}
	return fmt.Sprintf("% x", text), true
}
