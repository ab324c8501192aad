package rt

// What follows is only part of programs that are watched. At each statement that is
// watched, the program writes its variables in scope, and what expressions give
// there, by reflection, to a depth, as one line of JSON each. No method of the
// program's is called. It also makes an assignment at one execution of a statement,
// if the recorder has chosen one, and lets other goroutines run here and there, if
// the recorder says so.

import (
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

// Bounds.
const (
	misstepSnapEach  = 40      // snapshots of one statement
	misstepSnapBytes = 8 << 20 // in all
	misstepSnapDepth = 3
	misstepSnapWidth = 64 // elements, and fields
	misstepSnapText  = 512
)

// misstepSnapAt is a statement in a goroutine.
type misstepSnapAt struct {
	goid uint64
	site uint32
}

var (
	misstepSnapMu     sync.Mutex // of all that follows
	misstepSnapCounts = map[misstepSnapAt]int{}
	misstepSnapTotal  int
	misstepSnapRandom uint32
)

// MisstepSnap writes the variables at a statement's execution: pairs of a name and
// a pointer, or of an expression and a function that gives a pointer to its value.
func MisstepSnap(site uint32, vars ...any) {
	if misstepSnapBuffer().muted {
		return // an expression calls it
	}
	if misstepShake != 0 {
		misstepSnapShake()
	}
	if misstepSnapOut == 0 {
		return
	}
	at := misstepSnapAt{misstepGoid(), site}
	misstepSnapMu.Lock()
	defer misstepSnapMu.Unlock()
	n := misstepSnapCounts[at]
	misstepSnapCounts[at] = n + 1
	if n >= misstepSnapEach || misstepSnapTotal > misstepSnapBytes {
		return
	}
	b := append([]byte(`{"goid":`), strconv.FormatUint(at.goid, 10)...)
	b = append(b, `,"site":`...)
	b = append(b, strconv.Itoa(int(site))...)
	b = append(b, `,"n":`...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, `,"vars":[`...)
	expressions := false
	for i := 0; i+1 < len(vars); i += 2 {
		name := vars[i].(string)
		f, ok := vars[i+1].(func() any)
		switch {
		case ok && !expressions:
			expressions = true
			b = append(b, `],"exprs":[`...)
		case i > 0:
			b = append(b, ',')
		}
		if ok {
			b = misstepSnapExpression(b, name, f)
			continue
		}
		b = misstepSnapValue(b, name, reflect.ValueOf(vars[i+1]).Elem(), misstepSnapDepth)
	}
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

// misstepSnapExpression writes the value of an expression, or that it panics.
// What it calls is not recorded.
func misstepSnapExpression(b []byte, text string, f func() any) (out []byte) {
	buf := misstepSnapBuffer()
	was := *buf
	buf.p, buf.n, buf.chunk, buf.muted = &misstepWaste, misstepHead, -1, true
	defer func() {
		*buf = was
		if recover() != nil {
			out = append(append(append(b, `{"name":`...), misstepSnapQuote(text)...), `,"kind":"panic"}`...)
		}
	}()
	return misstepSnapValue(b, text, reflect.ValueOf(f()).Elem(), misstepSnapDepth)
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

// misstepSnapShake lets other goroutines run now and then, so that what depends on
// the order in which they do shows.
func misstepSnapShake() {
	misstepSnapMu.Lock()
	x := misstepSnapRandom
	if x == 0 {
		x = misstepShake
	}
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	misstepSnapRandom = x
	misstepSnapMu.Unlock()
	for range x >> 8 & 3 {
		runtime.Gosched()
	}
}

// MisstepSet reports whether an assignment is to be made at this execution of its
// statement.
func MisstepSet(set uint32) bool {
	if misstepChosen != set+1 || misstepSnapBuffer().muted {
		return false
	}
	misstepCountdown--
	return misstepCountdown == 0
}

func misstepSnapValue(b []byte, name string, v reflect.Value, depth int) []byte {
	field := func(key, value string) {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":`...)
		b = append(b, misstepSnapQuote(value)...)
	}
	number := func(key string, n int) {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":`...)
		b = strconv.AppendInt(b, int64(n), 10)
	}
	b = append(b, `{"name":`...)
	b = append(b, misstepSnapQuote(name)...)
	field("kind", v.Kind().String())
	children := func(n int, name func(int) string, at func(int) reflect.Value) {
		if depth == 0 {
			return
		}
		b = append(b, `,"children":[`...)
		for i := range min(n, misstepSnapWidth) {
			if i > 0 {
				b = append(b, ',')
			}
			b = misstepSnapValue(b, name(i), at(i), depth-1)
		}
		b = append(b, ']')
	}
	index := func(i int) string { return "[" + strconv.Itoa(i) + "]" }
	switch v.Kind() {
	case reflect.Bool:
		field("text", strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		field("text", strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		field("text", strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		field("text", strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()))
	case reflect.String:
		number("len", v.Len())
		s := v.String()
		field("text", strconv.Quote(s[:min(len(s), misstepSnapText)]))
	case reflect.Slice:
		if v.IsNil() {
			field("text", "nil")
		}
		number("len", v.Len())
		children(v.Len(), index, v.Index)
	case reflect.Array:
		number("len", v.Len())
		children(v.Len(), index, v.Index)
	case reflect.Map:
		if v.IsNil() {
			field("text", "nil")
		}
		number("len", v.Len())
	case reflect.Struct:
		t := v.Type()
		children(v.NumField(), func(i int) string { return t.Field(i).Name }, v.Field)
	case reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Interface:
		if v.IsNil() {
			field("text", "nil")
		} else {
			field("text", "set")
		}
		if v.Kind() == reflect.Pointer && !v.IsNil() && depth > 0 {
			children(1, func(int) string { return "" }, func(int) reflect.Value { return v.Elem() })
		}
	}
	return append(b, '}')
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
