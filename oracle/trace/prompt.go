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

// examined is a command of Delve's that shows the memory of a variable.
var examined = regexp.MustCompile(`^(?:x|examinemem) -fmt (hex|dec|oct|bin) -count (\d+) -size (\d+) -x (?:\w+\()*&(\w+)\)*$`)

// unreadable is what is said of a variable that is in a register, as parameters are at the beginning of a function:
// it has no memory (tolerance in-registers).
const unreadable = "examine memory error: input/output error"

// unable is what a debugger says that has no such command, or that cannot tell where a variable is.
var unable = regexp.MustCompile(`not available|unknown|expected|address|not find`)

// bases are those that memory is shown in.
var bases = map[string]int{"hex": 16, "dec": 10, "oct": 8, "bin": 2}

// prompted is what one of Delve's own commands must answer at a pause, and what it does; ok is false for
// those of which nothing is known.
func prompted(p *dap.Pause, a dap.Action, out dap.Output) (want, got string, ok bool) {
	command, is := strings.CutPrefix(a.Name, dap.Prompt)
	if !is || p == nil || a.Frame != 0 {
		return "", "", false
	}
	switch {
	case out.Kind == dap.Answered:
		got = out.Value.Value
	case out.Kind == dap.Refused && examined.MatchString(command) && !unable.MatchString(out.Text):
		got = out.Text
	default:
		return "", "", false
	}
	if m := examined.FindStringSubmatch(command); m != nil {
		if strings.Contains(got, unreadable) {
			return "", "", false
		}
		count, _ := strconv.Atoi(m[2])
		size, _ := strconv.Atoi(m[3])
		want, ok = numbersIn(p.Var(m[4]), count, size)
		if _, shown, _ := strings.Cut(got, ":"); !ok || strings.Contains(shown, "…") {
			return "", "", false // long hexadecimal numbers are taken for addresses
		}
		return want, numbersOf(got, bases[m[1]]), true
	}
	if command == "config -list" {
		if strings.Contains(got, "\t") {
			got = "settings"
		}
		return "settings", got, true
	}
	if name, is := strings.CutPrefix(command, "config -list "); is {
		head, _, ok := strings.Cut(got, "\t")
		return name, head, ok // one that this Delve does not have has no line
	}
	if file, is := strings.CutPrefix(command, "sources "); is && file == regexp.QuoteMeta(p.Top().File)+"$" && !strings.HasPrefix(p.Top().File, "$") {
		for l := range strings.Lines(got) {
			if strings.HasSuffix(strings.TrimSpace(l), p.Top().File) {
				return p.Top().File, p.Top().File, true
			}
		}
		return p.Top().File, got, true
	}
	return "", "", false
}

// numbersIn are the numbers that the memory of a variable has, each of so many bytes; ok is false if not all
// of that is known.
func numbersIn(v *dap.Variable, count, size int) (string, bool) {
	if v == nil || dap.NumberBytes(v.Type) != int64(count*size) || !slices.Contains([]int{1, 2, 4}, size) {
		return "", false
	}
	bits, ok := bitsOf(v)
	if !ok {
		return "", false
	}
	memory := binary.LittleEndian.AppendUint64(nil, bits)
	var out []string
	for i := range count {
		var n uint64
		for k := range size {
			n |= uint64(memory[i*size+k]) << (8 * k)
		}
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, " "), true
}

// numbersOf are the numbers that are shown behind addresses, in a base.
func numbersOf(text string, base int) string {
	var out []string
	for l := range strings.Lines(text) {
		_, shown, _ := strings.Cut(l, ":")
		for _, w := range strings.Fields(shown) {
			n, err := strconv.ParseUint(strings.TrimPrefix(w, "0x"), base, 64)
			if err != nil {
				return text
			}
			out = append(out, fmt.Sprint(n))
		}
	}
	return strings.Join(out, " ")
}

// bitsOf are those of an integer or a truth value, as it is shown.
func bitsOf(v *dap.Variable) (bits uint64, ok bool) {
	text, _, _ := strings.Cut(v.Value, " ")
	if v.Type == "bool" {
		return map[string]uint64{"true": 1}[text], text == "true" || text == "false"
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return uint64(n), true
	}
	bits, err := strconv.ParseUint(text, 10, 64)
	return bits, err == nil
}
