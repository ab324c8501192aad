package rt

// What follows is only part of programs that are watched. At each statement that is
// watched, the program writes its variables in scope, and what expressions give
// there, by reflection, to a depth, as one line of JSON each; with it go the variables of
// the functions that called this one, as they are then. No method of the program's is
// called. It also makes an assignment or a call at one execution of a statement, if the recorder has
// chosen one, and lets other goroutines run (see misstepShakes), if the recorder says so.

import (
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"unsafe"
)

// Bounds.
const (
	misstepSnapEach   = 200      // snapshots of one statement
	misstepSnapAsk    = 40       // of them with expressions
	misstepSnapBytes  = 16 << 20 // in all
	misstepSnapDepth  = 3
	misstepSnapWidth  = 64  // elements, entries and fields
	misstepSnapWide   = 256 // of a variable itself
	misstepSnapText   = 512
	misstepSnapFrames = 8    // callers of a function
	misstepSnapStacks = 1000 // goroutines whose callers are known
)

// misstepSnapAt is a statement in a goroutine.
type misstepSnapAt struct {
	goid uint64
	site uint32
}

// misstepSnapFrame is the last statement that an activation was seen at. Which activation
// that is, the depth does not say for sure: whoever reads it knows by site and n.
type misstepSnapFrame struct {
	depth   uint32
	site    uint32
	n       int
	vars    []any  // pairs of a name and a pointer
	written string // what was written of them last
}

var (
	misstepSnapMu     sync.Mutex // of all that follows
	misstepSnapCounts = map[misstepSnapAt]int{}
	misstepSnapStack  = map[uint64][]misstepSnapFrame{} // by goroutine, outermost first
	misstepSnapTypes  = map[reflect.Type]int{}
	misstepSnapNew    []string // types that are not written yet
	misstepSnapTotal  int
)

// MisstepSnap writes the variables at a statement's execution: pairs of a name and
// a pointer, or of an expression and a function that gives a pointer to its value.
func MisstepSnap(site uint32, vars ...any) {
	buf := misstepSnapBuffer()
	if buf.muted {
		return // an expression calls it
	}
	if misstepShake != 0 {
		misstepShakes()
	}
	if misstepSnapOut == 0 {
		return
	}
	at := misstepSnapAt{misstepGoid(), site}
	locals := 0
	for locals+1 < len(vars) {
		if _, expression := vars[locals+1].(func() any); expression {
			break
		}
		locals += 2
	}
	misstepSnapMu.Lock()
	defer misstepSnapMu.Unlock()
	n := misstepSnapCounts[at]
	misstepSnapCounts[at] = n + 1
	frames := misstepSnapEnter(at.goid, misstepSnapFrame{depth: buf.depth, site: site, n: n, vars: vars[:locals]})
	if n >= misstepSnapEach || misstepSnapTotal > misstepSnapBytes {
		return
	}
	b := append([]byte(`{"goid":`), strconv.FormatUint(at.goid, 10)...)
	b = misstepSnapInt(b, "site", int(site))
	b = misstepSnapInt(b, "n", n)
	b = append(b, `,"vars":[`...)
	b = misstepSnapVars(b, vars[:locals])
	b = append(b, `],"exprs":[`...)
	for i := locals; i+1 < len(vars) && n < misstepSnapAsk; i += 2 {
		if i > locals {
			b = append(b, ',')
		}
		b = misstepSnapExpression(b, vars[i].(string), vars[i+1].(func() any))
	}
	b = append(b, `],"frames":[`...)
	first := true
	for i := len(frames) - 2; i >= 0 && i >= len(frames)-1-misstepSnapFrames; i-- {
		if !first {
			b = append(b, ',')
		}
		first = false
		f := &frames[i]
		b = append(b, `{"depth":`...)
		b = strconv.AppendInt(b, int64(f.depth), 10)
		b = misstepSnapInt(b, "site", int(f.site))
		b = misstepSnapInt(b, "n", f.n)
		if now := string(misstepSnapVars(nil, f.vars)); now != f.written || now == "" {
			f.written = now
			b = append(b, `,"vars":[`...)
			b = append(append(b, now...), ']')
		}
		b = append(b, '}')
	}
	b = append(b, `],"types":[`...)
	for i, t := range misstepSnapNew {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, misstepSnapQuote(t)...)
	}
	misstepSnapNew = nil
	b = append(b, "]}\n"...)
	misstepSnapTotal += len(b)
	for len(b) > 0 {
		n, err := syscall.Write(misstepSnapOut, b)
		if err != nil && err != syscall.EINTR && err != syscall.EAGAIN {
			misstepSnapTotal = misstepSnapBytes + 1
			return
		}
		b = b[max(n, 0):]
	}
}

// misstepSnapEnter notes where a goroutine is now, and gives all frames of it.
func misstepSnapEnter(goid uint64, f misstepSnapFrame) []misstepSnapFrame {
	stack := misstepSnapStack[goid]
	for len(stack) > 0 && stack[len(stack)-1].depth >= f.depth {
		stack = stack[:len(stack)-1]
	}
	stack = append(stack, f)
	if len(misstepSnapStack) > misstepSnapStacks {
		clear(misstepSnapStack) // of goroutines that have ended, for the most part
	}
	misstepSnapStack[goid] = stack
	return stack
}

func misstepSnapVars(b []byte, vars []any) []byte {
	for i := 0; i+1 < len(vars); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = misstepSnapValue(b, vars[i].(string), reflect.ValueOf(vars[i+1]).Elem(), misstepSnapDepth)
	}
	return b
}

func misstepSnapInt(b []byte, key string, n int) []byte {
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":`...)
	return strconv.AppendInt(b, int64(n), 10)
}

// MisstepResults2 are the results of a call, as one value.
func MisstepResults2[A, B any](a A, b B) struct {
	R0 A
	R1 B
} {
	return struct {
		R0 A
		R1 B
	}{a, b}
}

// MisstepResults3 are three.
func MisstepResults3[A, B, C any](a A, b B, c C) struct {
	R0 A
	R1 B
	R2 C
} {
	return struct {
		R0 A
		R1 B
		R2 C
	}{a, b, c}
}

// MisstepResults4 are four.
func MisstepResults4[A, B, C, D any](a A, b B, c C, d D) struct {
	R0 A
	R1 B
	R2 C
	R3 D
} {
	return struct {
		R0 A
		R1 B
		R2 C
		R3 D
	}{a, b, c, d}
}

// misstepSnapExpression writes the value of an expression, or that it panics.
func misstepSnapExpression(b []byte, text string, f func() any) (out []byte) {
	if misstepMuted(func() { out = misstepSnapValue(b, text, reflect.ValueOf(f()).Elem(), misstepSnapDepth) }) {
		return out
	}
	return append(append(append(b, `{"name":`...), misstepSnapQuote(text)...), `,"kind":"panic"}`...)
}

// MisstepDo makes a call for what it does. A panic in it is the debugger's to show, and may be none there: whether a slice has room for more, say,
// follows from what escapes, which watching changes. What comes after it is not the same then.
func MisstepDo(f func()) {
	if !misstepMuted(f) && misstepMem != nil {
		misstepWord(2).Store(2)
	}
}

// misstepMuted does what is not the program's doing: what that calls is not recorded. It reports whether it
// came to its end, and did not panic.
func misstepMuted(f func()) (ended bool) {
	buf := misstepSnapBuffer()
	was := *buf
	buf.p, buf.n, buf.chunk, buf.muted = &misstepWaste, misstepHead, -1, true
	defer func() {
		*buf = was
		if !ended {
			recover()
		}
	}()
	f()
	return true
}

// misstepSnapBuffer is the goroutine's buffer.
func misstepSnapBuffer() *MisstepBuffer {
	g := misstepGoid()
	b := misstepCache[g%uint64(len(misstepCache))]
	if b == nil || b.goid != g || b.depth == 0 {
		b = misstepAttach(g)
	}
	return b
}

// MisstepSet reports whether an assignment is to be made at this execution of its
// statement.
func MisstepSet(set uint32) bool {
	if misstepSets[0].number == 0 || misstepSnapBuffer().muted {
		return false
	}
	now := false
	for i := range misstepSets {
		if s := &misstepSets[i]; s.number == set+1 {
			s.countdown--
			now = now || s.countdown == 0
		}
	}
	return now
}

func misstepSnapValue(b []byte, name string, v reflect.Value, depth int) []byte {
	field := func(key, value string) {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":`...)
		b = append(b, misstepSnapQuote(value)...)
	}
	b = append(b, `{"name":`...)
	b = append(b, misstepSnapQuote(name)...)
	if kind := v.Kind(); kind == reflect.Pointer {
		field("kind", "pointer")
	} else {
		field("kind", kind.String())
	}
	b = misstepSnapInt(b, "t", misstepSnapTypeOf(v.Type()))
	children := func(n int, name func(int) string, at func(int) reflect.Value) {
		if depth == 0 {
			return
		}
		b = append(b, `,"children":[`...)
		width := misstepSnapWidth
		if depth == misstepSnapDepth {
			width = misstepSnapWide
		}
		for i := range min(n, width) {
			if i > 0 {
				b = append(b, ',')
			}
			b = misstepSnapValue(b, name(i), at(i), depth-1)
		}
		b = append(b, ']')
	}
	index := func(i int) string { return "[" + strconv.Itoa(i) + "]" }
	none := func(int) string { return "" }
	float := func(f float64, bits int) string { return strconv.FormatFloat(f, 'g', -1, bits) }
	switch v.Kind() {
	case reflect.Bool:
		field("text", strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		field("text", strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		field("text", strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		field("text", float(v.Float(), v.Type().Bits()))
	case reflect.Complex64, reflect.Complex128:
		c, bits := v.Complex(), v.Type().Bits()/2
		field("text", float(real(c), bits)+" "+float(imag(c), bits))
	case reflect.String:
		b = misstepSnapInt(b, "len", v.Len())
		s := v.String()
		field("text", strconv.Quote(s[:min(len(s), misstepSnapText)]))
	case reflect.Slice:
		if v.IsNil() {
			field("text", "nil")
		}
		b = misstepSnapInt(b, "len", v.Len())
		children(v.Len(), index, v.Index)
	case reflect.Array:
		b = misstepSnapInt(b, "len", v.Len())
		children(v.Len(), index, v.Index)
	case reflect.Map:
		if v.IsNil() {
			field("text", "nil")
		}
		b = misstepSnapInt(b, "len", v.Len())
		if depth > 0 && v.Len() > 0 && v.Len() <= misstepSnapWidth {
			b = misstepSnapEntries(append(b, `,"children":[`...), v, depth)
			b = append(b, ']')
		}
	case reflect.Struct:
		t := v.Type()
		b = misstepSnapInt(b, "len", v.NumField())
		children(v.NumField(), func(i int) string { return t.Field(i).Name }, v.Field)
	case reflect.Chan:
		if v.IsNil() {
			field("text", "nil")
		} else {
			field("text", strconv.Itoa(v.Len())+"/"+strconv.Itoa(v.Cap()))
			if n := v.Cap(); n > 0 && n <= misstepSnapWidth && v.Type().Elem().Size() > 0 {
				room := misstepSnapRoom(v)
				b = misstepSnapInt(b, "len", n)
				children(n, index, room.Index)
			}
		}
	case reflect.Func:
		if v.IsNil() {
			field("text", "nil")
		} else if f := runtime.FuncForPC(v.Pointer()); f != nil {
			field("text", f.Name())
		}
	case reflect.Pointer, reflect.Interface, reflect.UnsafePointer:
		if v.IsNil() {
			field("text", "nil")
		} else {
			field("text", "set")
		}
		if v.Kind() != reflect.UnsafePointer && !v.IsNil() {
			children(1, none, func(int) reflect.Value { return v.Elem() })
		}
	}
	return append(b, '}')
}

// misstepSnapRoom is the buffer of a channel that has one, as an array in the order in which it lies in memory. A channel
// begins with how much is in it, for how much there is room, and where that is.
func misstepSnapRoom(v reflect.Value) reflect.Value {
	head := (*struct {
		count, room uint
		buf         unsafe.Pointer
	})(v.UnsafePointer())
	return reflect.NewAt(reflect.ArrayOf(int(head.room), v.Type().Elem()), head.buf).Elem()
}

// misstepSnapEntries writes a map's keys and values in turns, in the order of what is
// written: that of the map is random.
func misstepSnapEntries(b []byte, m reflect.Value, depth int) []byte {
	var entries []string
	for it := m.MapRange(); it.Next(); {
		e := string(append(misstepSnapValue(nil, "", it.Key(), depth-1), ','))
		e = string(misstepSnapValue([]byte(e), "", it.Value(), depth-1))
		at := len(entries)
		entries = append(entries, e)
		for at > 0 && entries[at-1] > e {
			entries[at] = entries[at-1]
			at--
		}
		entries[at] = e
	}
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e...)
	}
	return b
}

// misstepSnapTypeOf is the number of a type in the order in which they are first met.
func misstepSnapTypeOf(t reflect.Type) int {
	n, ok := misstepSnapTypes[t]
	if !ok {
		n = len(misstepSnapTypes)
		misstepSnapTypes[t] = n
		misstepSnapNew = append(misstepSnapNew, misstepSnapTypeName(t))
	}
	return n
}

// misstepSnapTypeName is a type with the whole paths of packages, as debug information
// has them.
func misstepSnapTypeName(t reflect.Type) string {
	list := func(n int, at func(int) string, between string) string {
		s := ""
		for i := range n {
			if i > 0 {
				s += between
			}
			s += at(i)
		}
		return s
	}
	signature := func(t reflect.Type) string {
		s := "(" + list(t.NumIn(), func(i int) string {
			if t.IsVariadic() && i == t.NumIn()-1 {
				return "..." + misstepSnapTypeName(t.In(i).Elem())
			}
			return misstepSnapTypeName(t.In(i))
		}, ", ") + ")"
		out := list(t.NumOut(), func(i int) string { return misstepSnapTypeName(t.Out(i)) }, ", ")
		switch {
		case t.NumOut() == 1:
			s += " " + out
		case t.NumOut() > 1:
			s += " (" + out + ")"
		}
		return s
	}
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.String()
		}
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + misstepSnapTypeName(t.Elem())
	case reflect.Slice:
		return "[]" + misstepSnapTypeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + misstepSnapTypeName(t.Elem())
	case reflect.Map:
		return "map[" + misstepSnapTypeName(t.Key()) + "]" + misstepSnapTypeName(t.Elem())
	case reflect.Chan:
		elem := misstepSnapTypeName(t.Elem())
		if len(elem) > 1 && elem[:2] == "<-" {
			elem = "(" + elem + ")"
		}
		return map[reflect.ChanDir]string{reflect.BothDir: "chan ", reflect.RecvDir: "<-chan ", reflect.SendDir: "chan<- "}[t.ChanDir()] + elem
	case reflect.Func:
		return "func" + signature(t)
	case reflect.Struct:
		if t.NumField() == 0 {
			return "struct {}"
		}
		return "struct { " + list(t.NumField(), func(i int) string {
			f := t.Field(i)
			name := f.Name + " "
			if f.PkgPath != "" {
				name = f.PkgPath + "." + name
			}
			if f.Anonymous {
				name = ""
			}
			if f.Tag != "" {
				return name + misstepSnapTypeName(f.Type) + " " + strconv.Quote(string(f.Tag))
			}
			return name + misstepSnapTypeName(f.Type)
		}, "; ") + " }"
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "interface {}"
		}
		return "interface { " + list(t.NumMethod(), func(i int) string {
			m := t.Method(i)
			name := m.Name
			if m.PkgPath != "" {
				name = m.PkgPath + "." + name
			}
			return name + signature(m.Type)
		}, "; ") + " }"
	}
	return t.String()
}

// misstepSnapQuote quotes for JSON, whatever bytes there are.
func misstepSnapQuote(s string) string {
	const hex = "0123456789abcdef"
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}
