package reference

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/history"
)

// A mismatch is how a value is shown differently: what of it, how it should be, and how it
// is. The zero mismatch is none.
type mismatch struct{ what, want, got string }

// differ compares a value with what is shown of it, as far down as both go; what is empty if
// they agree, or cannot be compared.
func differ(t history.Value, v dap.Variable, name string) (what, want, got string) {
	m := compare(t, v, name)
	return m.what, m.want, m.got
}

// compare holds all that is shown of a value against the truth: its type, its text, how many
// parts it has, and each part that the truth goes down to.
func compare(t history.Value, v dap.Variable, name string) mismatch {
	if t.Kind == history.Unknown || ownLayout(v.Type) || ownLayout(t.Type) || v.Type == zone || t.Type == zone {
		return mismatch{}
	}
	if strings.HasPrefix(v.Value, "(unreadable") || v.Value == "(loaded by chunks)" {
		return mismatch{name, readable, v.Value}
	}
	if m := compareType(t, v, name); m != (mismatch{}) {
		return m
	}
	if kind, ok := kinds[t.Kind]; ok {
		if m := kind(t, v, name); m != (mismatch{}) {
			return m
		}
	}
	if t.Kind == "map" {
		return compareEntries(t, v, name)
	}
	if m := compareChildren(t, v, name); m != (mismatch{}) {
		return m
	}
	return compareLine(v, name)
}

// kinds compares the text of each kind of value, and what else is particular to it.
var kinds = map[string]func(t history.Value, v dap.Variable, name string) mismatch{
	"bool": exactly(func(t history.Value, shown string) bool { return shown == t.Text }),
	"int":  integer, "int8": integer, "int16": integer, "int32": integer, "int64": integer,
	"uint": integer, "uint8": integer, "uint16": integer, "uint32": integer, "uint64": integer,
	"uintptr": exactly(sameAddress),
	"float32": exactly(sameFloat), "float64": exactly(sameFloat),
	"complex64": exactly(sameComplex), "complex128": exactly(sameComplex),
	"string": exactly(sameString),
	"slice":  compareLength, "map": compareLength, "array": compareLength,
	"pointer": exactly(sameNil), "unsafe.Pointer": exactly(sameNil), "interface": exactly(sameNil),
	"func": exactly(sameFunc),
	"chan": exactly(sameChan),
}

func exactly(same func(t history.Value, shown string) bool) func(history.Value, dap.Variable, string) mismatch {
	return func(t history.Value, v dap.Variable, name string) mismatch {
		if same(t, v.Value) {
			return mismatch{}
		}
		return mismatch{name, t.Text, v.Value}
	}
}

// ownLayout reports whether a type's values hold hashes, offsets and counters, which
// another build has differently.
func ownLayout(typ string) bool {
	return strings.Contains(typ, "reflect.") || strings.Contains(typ, "internal/abi.") || strings.HasPrefix(strings.TrimLeft(typ, "*"), "runtime.")
}

// zone is the type of the local time zone, which package time reads when something first asks for it, as an expression may that is
// compiled into the program (tolerance local-zone).
const zone = "time.Location"

// compareType compares types, where a debugger tells them.
func compareType(t history.Value, v dap.Variable, name string) mismatch {
	if t.Type == "" || v.Type == "" || sameType(t, v.Type) {
		return mismatch{}
	}
	return mismatch{name + ", its type", t.Type, v.Type}
}

// sameType reports whether a type is shown as what it is. Of an interface, the type of what
// it holds may stand behind its own.
func sameType(t history.Value, shown string) bool {
	want, got := plainType(t.Type), plainType(shown)
	if want == got {
		return true
	}
	if t.Kind == "interface" && len(t.Children) == 1 {
		return got == want+"("+plainType(t.Children[0].Type)+")"
	}
	// How much of it the truth has depends on the depth to which it was recorded.
	return t.Kind == "interface" && t.Text != "nil" && strings.HasPrefix(got, want+"(")
}

// qualifier is the package before the name of a field or method that is not exported, in the
// text of a type without a name; packages are written with escaped dots in debug information.
var qualifier = regexp.MustCompile(`([{;]) ?[\w./%~-]+\.(\w+[ (])`)

// embedded is the name of a field that is embedded under another one than its type's.
var embedded = regexp.MustCompile(`([{;] ?)[\w./%~-]+ = `)

// plainType is a type as all write it: debug information has the packages of fields without
// an exported name, and no spaces in some lists.
func plainType(s string) string {
	s = strings.ReplaceAll(s, "%2e", ".")
	s = localNumber.ReplaceAllString(s, "")
	s = embedded.ReplaceAllString(s, "$1")
	s = qualifier.ReplaceAllString(s, "$1$2")
	s = shapes.ReplaceAllString(s, "")
	s = elements(s)
	s = folders.ReplaceAllString(s, "")
	s = aliases.ReplaceAllStringFunc(s, func(m string) string { return map[string]string{"byte": "uint8", "rune": "int32"}[m] })
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "\\", "")
}

// elements takes the parentheses away around the elements of channels that none are needed for.
func elements(s string) string {
	for {
		m := channels.FindStringIndex(s)
		if m == nil {
			return s
		}
		open, depth := m[1]-len("(<-chan"), 0
		shut := open
		for ; shut < len(s); shut++ {
			if s[shut] == '(' {
				depth++
			} else if s[shut] == ')' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if shut == len(s) {
			return s
		}
		s = s[:open] + s[open+1:shut] + s[shut+1:]
	}
}

// channels is a channel of one direction whose element is a channel to receive from.
var channels = regexp.MustCompile(`(chan<-|<-chan) \(<-chan`)

// shapes is what the compiler puts before the types by which instances of generic functions
// are shared.
var shapes = regexp.MustCompile(`go\.shape\.`)

var (
	// localNumber tells types of one name apart that functions declare.
	localNumber = regexp.MustCompile(`·\d+`)
	// folders is the path of a package before its name, which some versions leave out.
	folders = regexp.MustCompile(`[\w.~-]+/`)
	aliases = regexp.MustCompile(`\b(byte|rune)\b`)
)

var (
	lenText   = regexp.MustCompile(`len: (\d+)`)
	constText = regexp.MustCompile(`^.* \((-?\d+)\)$`)
)

func integer(t history.Value, v dap.Variable, name string) mismatch {
	// Bits of a type with constants for them are shown by name.
	if number(v.Value) != t.Text && v.Value != t.Text && !strings.Contains(v.Value, "|") {
		return mismatch{name, t.Text, v.Value}
	}
	return mismatch{}
}

// readable is what a variable should be that the debugger says it cannot read.
const readable = "readable"

// smallest is below where addresses begin.
const smallest = 1 << 16

func sameAddress(t history.Value, shown string) bool {
	n, err := strconv.ParseUint(t.Text, 10, 64)
	return err != nil || n >= smallest || number(shown) == t.Text
}

// compareChildren compares the parts of a value, which are shown in their order.
func compareChildren(t history.Value, v dap.Variable, name string) mismatch {
	if len(t.Children) == 0 || foldedChildren(t, v) {
		return mismatch{}
	}
	if t.Kind == "chan" {
		return compareBuffer(t, v, name)
	}
	if n := len(v.Children) - 1; n >= 0 && v.Children[n].Name == "string()" || n >= 0 && v.Children[0].Name == "string()" {
		if m := compareText(t, v, name); m != (mismatch{}) {
			return m
		}
		v.Children = slices.DeleteFunc(slices.Clone(v.Children), func(c dap.Variable) bool { return c.Name == "string()" })
	}
	whole := v.Cut == ""
	for i, c := range t.Children {
		if i >= len(v.Children) {
			if whole {
				return mismatch{part(name, t, c), "shown", "not shown"}
			}
			break
		}
		w := v.Children[i]
		if !samePart(t, c, w) {
			return mismatch{part(name, t, c), "shown", "not shown, but " + w.Name}
		}
		if m := compare(c, w, part(name, t, c)); m != (mismatch{}) {
			return m
		}
	}
	if n := len(v.Children); whole && t.Kind != "interface" && n > len(t.Children) && n > max(t.Len, 1) {
		return mismatch{name, fmt.Sprintf("%d parts", max(t.Len, len(t.Children))), fmt.Sprintf("%d, also %s", n, v.Children[n-1].Name)}
	}
	return mismatch{}
}

// compareBuffer compares what lies in a channel's buffer, in the order of its memory: what is not in use is zero.
func compareBuffer(t history.Value, v dap.Variable, name string) mismatch {
	buf := v.Children[0]
	if buf.Name != dap.BufferName || len(buf.Children) != 1 {
		return mismatch{} // nobody shows it, or it was not asked for
	}
	return compareChildren(history.Value{Kind: "array", Len: t.Len, Children: t.Children}, buf.Children[0], name+"."+buf.Name)
}

// compareText compares the text that bytes and runes are shown as, beside the elements.
func compareText(t history.Value, v dap.Variable, name string) mismatch {
	if len(t.Children) != t.Len {
		return mismatch{}
	}
	var text []rune
	var raw []byte
	for _, c := range t.Children {
		n, err := strconv.ParseInt(c.Text, 10, 64)
		if err != nil {
			return mismatch{} // unknown
		}
		text, raw = append(text, rune(n)), append(raw, byte(n))
	}
	want := string(text)
	if t.Children[0].Kind == "uint8" {
		want = string(raw)
	}
	for _, c := range v.Children {
		if c.Name == "string()" && !sameString(history.Value{Text: strconv.Quote(want), Len: len(want)}, c.Value) {
			return mismatch{name + ".string()", strconv.Quote(want), c.Value}
		}
	}
	return mismatch{}
}

// foldedChildren reports whether a value's parts are not shown as parts of their own.
func foldedChildren(t history.Value, v dap.Variable) bool {
	if len(v.Children) > 0 {
		return false
	}
	if c := t.Children[0]; (t.Kind == "interface" || t.Kind == "pointer") && (c.Kind == "struct" || c.Kind == "array") && c.Len == 0 {
		return true // it takes no memory, and has no address
	}
	if c := t.Children[0]; t.Kind == "interface" && (ownLayout(c.Type) || c.Kind == "chan") {
		return true // nobody asks what is inside
	}
	return v.Cut != "" || internal(t.Type)
}

// internal reports whether no debugger's session is asked for what is inside of a type.
func internal(typ string) bool {
	return strings.HasPrefix(typ, "chan ") || strings.HasPrefix(typ, "<-chan ") || strings.HasPrefix(typ, "chan<- ")
}

// samePart reports whether a part of a value is shown under its name.
func samePart(t, c history.Value, v dap.Variable) bool {
	switch t.Kind {
	case "pointer":
		return true // it has no name
	case "interface":
		return v.Name == "data" || v.Name == ""
	}
	// The name of an embedded type has its arguments in debug information.
	bare, _, _ := strings.Cut(v.Name, "[")
	return v.Name == c.Name || bare == c.Name && bare != ""
}

func part(name string, t, c history.Value) string {
	switch {
	case t.Kind == "pointer":
		return "*" + name
	case t.Kind == "interface":
		return name + ".(data)"
	}
	return name + join(c.Name)
}

// sameFloat reports whether a number is shown as what it is.
func sameFloat(t history.Value, shown string) bool {
	bits := 64
	if t.Kind == "float32" {
		bits = 32
	}
	a, err := strconv.ParseFloat(t.Text, bits)
	if start, cut := strings.CutSuffix(shown, "..."); cut && err == nil {
		return strings.HasPrefix(strconv.FormatFloat(a, 'f', -1, bits), start) // too long to be shown whole
	}
	b, err2 := strconv.ParseFloat(shown, bits)
	return err == nil && err2 == nil && (a == b || math.IsNaN(a) && math.IsNaN(b))
}

// complexText is how complex numbers are shown.
var complexText = regexp.MustCompile(`^\((\S+) \+ (\S+?)(i\)|\.\.\.)$`)

func sameComplex(t history.Value, shown string) bool {
	kind := map[string]string{"complex64": "float32", "complex128": "float64"}[t.Kind]
	re, im, _ := strings.Cut(t.Text, " ")
	m := complexText.FindStringSubmatch(shown)
	if m == nil {
		start, cut := strings.CutSuffix(strings.TrimPrefix(shown, "("), "...")
		return cut && sameFloat(history.Value{Kind: kind, Text: re}, start+"...")
	}
	if m[3] == "..." {
		m[2] += "..."
	}
	return sameFloat(history.Value{Kind: kind, Text: re}, m[1]) && sameFloat(history.Value{Kind: kind, Text: im}, m[2])
}

// sameString reports whether a string is shown as what it is, or as a beginning of it with
// how much is left.
func sameString(t history.Value, shown string) bool {
	whole, err := strconv.Unquote(t.Text)
	if err != nil {
		return true // it was recorded in part, in the middle of a rune
	}
	m := cutText.FindStringSubmatch(shown)
	if m != nil {
		shown = m[1] + `"`
	}
	text, err := strconv.Unquote(shown)
	if err != nil {
		return false
	}
	if m == nil {
		return len(text) == t.Len && strings.HasPrefix(text, whole)
	}
	left, err := strconv.Atoi(m[2])
	return err == nil && len(text)+left == t.Len && (strings.HasPrefix(whole, text) || strings.HasPrefix(text, whole))
}

// cutText is how a long string is shown: its beginning, and how many bytes are left.
var cutText = regexp.MustCompile(`(?s)^(".*?)"?\.\.\.\+(\d+) more"?$`)

// compareLength compares how many elements or entries are shown, and whether there is a
// slice or a map at all.
func compareLength(t history.Value, v dap.Variable, name string) mismatch {
	isNil := strings.HasSuffix(v.Value, " nil") || v.Value == "nil"
	if t.Kind != "array" && (t.Text == "nil") != isNil {
		return mismatch{name, map[bool]string{true: "nil", false: "not nil"}[t.Text == "nil"], v.Value}
	}
	if m := lenText.FindStringSubmatch(v.Value); m != nil && t.Kind == "slice" && m[1] != strconv.Itoa(t.Len) {
		return mismatch{name, fmt.Sprintf("%d elements", t.Len), v.Value}
	}
	if t.Kind == "map" {
		for _, c := range v.Children {
			if c.Name == "len()" && number(c.Value) != strconv.Itoa(t.Len) {
				return mismatch{name, fmt.Sprintf("%d entries", t.Len), c.Value}
			}
		}
	}
	return mismatch{}
}

// sameNil reports whether what points to something, or holds something, is shown so, and
// what does not as nil.
func sameNil(t history.Value, shown string) bool {
	switch t.Kind {
	case "interface":
		// One that holds a nil pointer is shown as its types and nil.
		typ, ends := strings.CutSuffix(shown, " nil")
		isNil := ends && (!strings.Contains(typ, "(") || strings.HasPrefix(typ, "interface {") && strings.HasSuffix(typ, "}"))
		return (t.Text == "nil") == isNil
	case "unsafe.Pointer":
		return (t.Text == "nil") == strings.HasSuffix(shown, "(0x0)")
	}
	isNil := shown == "nil" || strings.HasSuffix(shown, " nil") || strings.HasSuffix(shown, "(nil)")
	if t.Text == "nil" {
		return isNil
	}
	// What points to something that is nil may be shown as that.
	return !isNil || len(t.Children) == 0 || showsNil(t.Children[0]) || strings.Contains(shown, "{")
}

// showsNil reports whether a value is nil, or an interface that holds such a one.
func showsNil(t history.Value) bool {
	return t.Text == "nil" || t.Kind == "interface" && (len(t.Children) == 0 || showsNil(t.Children[0]))
}

// literals are the numbers in the names of function literals, which differ from build to
// build: the recorded program has more literals.
var literals = regexp.MustCompile(`\.(func|gowrap|deferwrap)\d+(\.\d+)*`)

// sameFunc reports whether a function is shown by its name.
func sameFunc(t history.Value, shown string) bool {
	if t.Text == "nil" || shown == "nil" || strings.HasSuffix(shown, " nil") {
		return (t.Text == "nil") == (shown == "nil" || strings.HasSuffix(shown, " nil"))
	}
	plain := func(s string) string {
		s, _, _ = strings.Cut(literals.ReplaceAllString(plainName(s), ".$1"), " {")
		return s
	}
	want, got := plain(t.Text), plain(shown)
	if want == got {
		return true
	}
	// What a literal is in may be a literal.
	return enclosing(want) != want && enclosing(got) != got && enclosing(want) == enclosing(got)
}

// chanText is how channels are shown: what is in them, and how much there may be.
var chanText = regexp.MustCompile(`(\d+)/(\d+)$`)

func sameChan(t history.Value, shown string) bool {
	m := chanText.FindString(shown)
	if strings.HasSuffix(t.Type, "chan time.Time") && t.Text == "0/0" {
		return m != "" // a timer's has room for one, which the runtime denies
	}
	if t.Text == "nil" {
		return m == "" && strings.HasSuffix(shown, "nil")
	}
	return m == t.Text
}

// number is the number of what is shown as one.
func number(s string) string {
	s, _, _ = strings.Cut(s, " = ") // decimal and hexadecimal
	if m := constText.FindStringSubmatch(s); m != nil {
		return m[1] // a named constant and its number
	}
	return s
}

func join(name string) string {
	if strings.HasPrefix(name, "[") {
		return name
	}
	return "." + name
}
