package trace

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	return tracedElsewhere(p, out.Traced)
}

// untraced reports whether what is said of a panic or a fatal error comes without a stack, of a pause in whose stack somebody's functions
// are. A step that could not be made is no more than its words.
func untraced(p *dap.Pause, out dap.Output) bool {
	return (p.Description == "panic" || p.Description == "fatal error") && out.Kind == dap.Answered && len(out.Traced) == 0 &&
		slices.ContainsFunc(p.Stack, func(f dap.Frame) bool { return !strings.HasPrefix(f.Func, "runtime.") && f.Func != unknownFunction })
}

// tracedElsewhere holds the stack that is told with an exception against the pause's, as far as both go.
func tracedElsewhere(p *dap.Pause, frames []dap.Frame) []string {
	n := 0
	for _, f := range p.Stack {
		if strings.HasPrefix(f.Func, "runtime.") || n >= len(frames) {
			continue
		}
		if g := frames[n]; g.File != f.File || g.Line != f.Line {
			return []string{fmt.Sprintf("%s at %s:%d", f.Func, f.File, f.Line), fmt.Sprintf("%s at %s:%d", g.Func, g.File, g.Line)}
		}
		n++
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

// inMemory is what the memory of a variable begins with, in hexadecimal, for strings, slices of integers and slices of truth values
// that are shown whole; ok is false for others.
func inMemory(v *dap.Variable) (string, bool) {
	if v == nil {
		return "", false
	}
	if elem, is := strings.CutPrefix(v.Type, "[]"); is {
		return elementsInMemory(v, elem)
	}
	text, err := strconv.Unquote(v.Value)
	if v.Type != "string" || err != nil || len(text) > dap.MemoryBytes {
		return "", false
	}
	return fmt.Sprintf("% x", text), true
}

// sliceLength is how a slice says how long it is.
var sliceLength = regexp.MustCompile(`\blen: (\d+), cap: `)

// elementsInMemory is the same for a slice of elements of a type.
func elementsInMemory(v *dap.Variable, elem string) (string, bool) {
	size := int(dap.NumberBytes(elem))
	m := sliceLength.FindStringSubmatch(v.Value)
	if size == 0 || m == nil {
		return "", false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n == 0 || n*size > dap.MemoryBytes {
		return "", false
	}
	var memory []byte
	for i := range n {
		c := v.Element(i)
		if c == nil {
			return "", false
		}
		bits, ok := bitsOf(&dap.Variable{Type: elem, Value: c.Value})
		if !ok {
			return "", false
		}
		memory = append(memory, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
	return fmt.Sprintf("% x", memory), true
}
