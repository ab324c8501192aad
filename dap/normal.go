package dap

import (
	"regexp"
	"slices"
	"strings"
)

// The normal form of what adapters print. Each entry is a named thing that
// differs between two runs of one program without meaning anything.

var (
	// address: where the runtime puts things. Anything shorter is a number.
	address = regexp.MustCompile(`0x[0-9a-f]{6,16}`)
	offset  = regexp.MustCompile(`0x[0-9a-f]+`)
	// temporary: folders of go build, of tests and of misstep.
	temporary = regexp.MustCompile(`/tmp/[A-Za-z0-9._/-]*`)
	// goroutine numbers and operating-system threads.
	goroutine = regexp.MustCompile(`\[Go \d+\]|\(Thread \d+\)|goroutine \d+|pid \d+|Process \d+`)
)

// normalText is the normal form of free text, such as an error message.
func normalText(s string) string {
	return Unnumbered(temporary.ReplaceAllString(s, "/tmp/…"))
}

// Unnumbered is a text without what differs between two sessions of one debugger with one program: addresses, and the numbers of
// goroutines, of threads and of processes.
func Unnumbered(s string) string {
	return goroutine.ReplaceAllString(address.ReplaceAllString(s, "0x…"), "…")
}

// normalThread is the normal form of a thread's name.
func normalThread(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(goroutine.ReplaceAllString(s, ""), "  ", " "))
}

// internals reports whether a type is the runtime's own. What lies in there are addresses and the scheduler's counters.
func internals(typ string) bool {
	return strings.HasPrefix(strings.TrimLeft(mainType(typ), "*"), "runtime.")
}

// channel reports whether a type is that of a channel, which Go programs see as one value.
func channel(typ string) bool {
	t := mainType(typ)
	return strings.HasPrefix(t, "chan ") || strings.HasPrefix(t, "<-chan ") || strings.HasPrefix(t, "chan<- ")
}

// BufferName is the part of a channel in which debuggers show what waits there.
const BufferName = "buf"

// buffered is what a channel's parts are in the normal form: the program's own values that wait in it. The rest are its
// queues of goroutines, and the scheduler's counters.
func buffered(v Variable) []Variable {
	i := slices.IndexFunc(v.Children, func(c Variable) bool { return c.Name == BufferName })
	if _, room, ok := strings.Cut(v.Value, "/"); i < 0 || !ok || room == "0" {
		return nil
	}
	return v.Children[i : i+1 : i+1]
}

// normalVars puts variables and their children into the normal form.
func normalVars(vs []Variable) {
	for i := range vs {
		v := &vs[i]
		normalVars(v.Children)
		if value := normalValue(v.Type, v.Value); value != v.Value {
			v.Raw, v.Value = v.Value, value
		}
		if strings.HasPrefix(mainType(v.Type), "map[") {
			SortEntries(v)
		}
		if m := address.FindString(v.Name); m != "" {
			v.Name = address.ReplaceAllString(v.Name, "0x…")
		}
	}
}

// mainType is the dynamic type where the adapter shows both.
func mainType(t string) string {
	if strings.HasSuffix(t, ")") {
		if i := strings.Index(t, "("); i > 0 {
			return t[i+1 : len(t)-1]
		}
	}
	return t
}

// cutLength is the number of bytes at which Delve cuts texts off, and longest an address of as many digits as there may be in another run, which
// all are counted as, so that whether a text may be cut is the same in each.
const cutLength, longest = 256, "0x00000000000000"

// normalValue is the normal form of a value's text.
func normalValue(typ, value string) string {
	// Why a variable cannot be read says where in the debug information and in the program.
	if strings.HasPrefix(value, "(unreadable ") {
		return offset.ReplaceAllString(value, "0x…")
	}
	switch mainType(typ) {
	case "uint", "uint8", "uint16", "uint32", "uint64", "string", "int", "int8", "int16", "int32", "int64":
		return value
	case "uintptr":
		if address.MatchString(value) {
			return "0x…"
		}
		return value
	}
	if i := strings.Index(value, "0x"); i >= 0 && (strings.HasSuffix(value, "...") && len(value) > 200 || len(address.ReplaceAllString(value, longest)) >= cutLength) {
		// Delve cuts the text of a compound value off, at a place that depends on
		// how long the addresses in it are: in another run they may be longer. The children tell the rest.
		value = value[:i] + "0x…"
	}
	value = outsideQuotes(value, func(s string) string { return address.ReplaceAllString(s, "0x…") })
	if at := entriesOfMap(value); at >= 0 {
		// The entries are compared as children; the text has them unordered.
		value = value[:at] + "map…"
	}
	return value
}

// outsideQuotes applies f to the parts of s that are not Go string literals.
func outsideQuotes(s string, f func(string) string) string {
	if !strings.Contains(s, `"`) {
		return f(s)
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			b.WriteString(f(s))
			break
		}
		b.WriteString(f(s[:i]))
		end := i + 1
		for end < len(s) && s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(s))
		b.WriteString(s[i:end])
		s = s[end:]
	}
	return b.String()
}

// SortEntries orders a map's entries, which come in the runtime's order. An
// entry is one child named after its key, or two named [key n] and [val n], which lose their numbers.
func SortEntries(v *Variable) {
	type entry struct {
		key  string
		vars []Variable
	}
	var entries []entry
	var rest []Variable
	for i := 0; i < len(v.Children); i++ {
		c := v.Children[i]
		switch {
		case c.Name == "len()":
			rest = append(rest, c)
		case (strings.HasPrefix(c.Name, "[key ") || c.Name == "[key]") && i+1 < len(v.Children):
			val := v.Children[i+1]
			c.Name, val.Name = "[key]", "[val]"
			entries = append(entries, entry{flat(c), []Variable{c, val}})
			i++
		default:
			entries = append(entries, entry{c.Name + flat(c), []Variable{c}})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for _, e := range entries {
		rest = append(rest, e.vars...)
	}
	v.Children = rest
}

// flat is a variable and its children as one text, for ordering.
func flat(v Variable) string {
	s := v.Type + " " + v.Value
	for _, c := range v.Children {
		s += "{" + c.Name + flat(c) + "}"
	}
	return s
}
