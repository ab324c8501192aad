// Package snap is what a program with snapshots writes them with: its text is put
// into the program, as package rt's is. At each statement that was chosen, the
// program hands over its variables in scope, which are written by reflection, to a
// depth, as one line of JSON each. No method of the program's is called.
package snap

import (
	"reflect"
	"strconv"
	"syscall"
)

// Bounds.
const (
	misstepSnapOut   = 3       // the file descriptor
	misstepSnapEach  = 40      // snapshots of one statement
	misstepSnapBytes = 8 << 20 // in all
	misstepSnapDepth = 3
	misstepSnapWidth = 64 // elements, and fields
	misstepSnapText  = 512
)

var (
	misstepSnapCounts = map[int]int{}
	misstepSnapTotal  int
)

// MisstepSnap writes the variables of a statement's execution: pairs of a name and
// a pointer.
func MisstepSnap(site int, vars ...any) {
	n := misstepSnapCounts[site]
	misstepSnapCounts[site] = n + 1
	if n >= misstepSnapEach || misstepSnapTotal > misstepSnapBytes {
		return
	}
	b := append([]byte(`{"site":`), strconv.Itoa(site)...)
	b = append(b, `,"n":`...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, `,"vars":[`...)
	for i := 0; i+1 < len(vars); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = misstepSnapValue(b, vars[i].(string), reflect.ValueOf(vars[i+1]).Elem(), misstepSnapDepth)
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
