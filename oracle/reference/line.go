package reference

import (
	"fmt"
	"regexp"
	"strings"

	"misstep/dap"
)

// compareLine holds the line that a value is shown as, such as T {a: 1, b: [2]int [3,4]}, against its
// parts, which are compared with the truth by themselves. What is cut, or has an address, is
// left out; so are maps, whose entries have no order.
func compareLine(v dap.Variable, name string) mismatch {
	inner, ok := group(v.Value)
	if !ok || v.Cut != "" {
		return mismatch{}
	}
	if len(v.Children) == 1 && (v.Children[0].Name == "" || v.Children[0].Name == "data") {
		// What a pointer points to, or an interface holds, stands for it.
		if is, ok := group(v.Children[0].Value); ok && is != inner && !cut(is) && !cut(inner) {
			return mismatch{name + ", in one line", is, inner}
		}
		return mismatch{}
	}
	for i, item := range items(inner) {
		key, text, named := strings.Cut(item, ": ")
		if !named || !fieldName.MatchString(key) {
			key, text = fmt.Sprintf("[%d]", i), item
		}
		for _, c := range v.Children {
			if c.Name != key || key == "_" || cut(text) || cut(c.Value) {
				continue
			}
			if want, got := c.Value, text; scalar.MatchString(want) && want != got {
				return mismatch{name + join(key) + ", in one line", want, got}
			}
			want, ok := group(c.Value)
			if got, ok2 := group(text); ok && ok2 && want != got {
				return mismatch{name + join(key) + ", in one line", want, got}
			}
		}
	}
	return mismatch{}
}

var (
	fieldName = regexp.MustCompile(`^[\pL_][\pL\d_]*$`)
	// scalar is what is written alike wherever it stands.
	scalar = regexp.MustCompile(`^(-?\d+|true|false|"[^"\\]*")$`)
)

// cut reports whether a text is not whole: an adapter has shortened it, or what differs from run to run
// is taken out of it.
func cut(text string) bool { return strings.Contains(text, "...") || strings.Contains(text, "…") }

// group is what stands in the braces or brackets at the end of a text; not ok if there are none.
func group(text string) (inner string, ok bool) {
	start := -1
	whole := scan(text, func(at, depth int) {
		if depth == 0 && strings.IndexByte("{[(", text[at]) >= 0 {
			start = at
		}
	})
	if start < 0 || !whole || text[start] == '(' || !strings.HasSuffix(text, map[byte]string{'{': "}", '[': "]"}[text[start]]) {
		return "", false
	}
	return text[start+1 : len(text)-1], true
}

// items are the parts of what stands in braces or brackets.
func items(inner string) []string {
	var out []string
	start := 0
	scan(inner, func(at, depth int) {
		if depth == 0 && inner[at] == ',' && !lengths.MatchString(inner[start:at]) {
			out = append(out, strings.TrimSpace(inner[start:at]))
			start = at + 1
		}
	})
	if start < len(inner) {
		out = append(out, strings.TrimSpace(inner[start:]))
	}
	return out
}

// lengths are how long a slice is, between its type and its elements.
var lengths = regexp.MustCompile(`\S len: \d+(, cap: \d+)?$`)

// scan visits what stands in a text outside of strings, with how many braces and brackets are open
// there. It reports whether each one is closed, and each string.
func scan(text string, visit func(at, depth int)) (whole bool) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("{[(", c) >= 0:
			visit(i, depth)
			depth++
		case strings.IndexByte("}])", c) >= 0:
			if depth--; depth < 0 {
				return false
			}
		default:
			visit(i, depth)
		}
	}
	return depth == 0 && !quoted
}
