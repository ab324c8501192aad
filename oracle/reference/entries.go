package reference

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
)

// An entry is one of a map as it is shown: key and value.
type entry struct{ key, value dap.Variable }

// entries are the ways in which what is shown of a map may be read: a key that has parts and
// a value that has some are two variables; else one is named after the key, and has the parts
// of the one or of the other.
func entries(v dap.Variable) (scalar, compound []entry) {
	for i := 0; i < len(v.Children); i++ {
		c := v.Children[i]
		switch {
		case c.Name == "len()":
		case c.Name == "[key]" && i+1 < len(v.Children):
			e := entry{c, v.Children[i+1]}
			scalar, compound = append(scalar, e), append(compound, e)
			i++
		default:
			key, value, _ := strings.Cut(c.Type, ": ")
			scalar = append(scalar, entry{dap.Variable{Type: key, Value: c.Name}, dap.Variable{Type: value, Value: c.Value, Children: c.Children, Cut: c.Cut}})
			compound = append(compound, entry{dap.Variable{Type: key, Value: c.Name, Children: c.Children, Cut: c.Cut}, dap.Variable{Type: value, Value: c.Value}})
		}
	}
	return scalar, compound
}

// compareEntries compares a map's entries, in whatever order they are shown.
func compareEntries(t history.Value, v dap.Variable, name string) mismatch {
	if t.Len == 0 && t.Text != "nil" && len(v.Children) > 1 {
		return mismatch{name, "0 entries", fmt.Sprintf("%d", len(v.Children))}
	}
	if len(t.Children) == 0 || v.Cut != "" {
		return mismatch{}
	}
	scalar, compound := entries(v)
	used := make([]bool, len(scalar))
	for i := 0; i+1 < len(t.Children); i += 2 {
		key, value := t.Children[i], t.Children[i+1]
		label := name + "[" + keyText(key) + "]"
		found, wrong := false, mismatch{}
		for n := range scalar {
			if used[n] {
				continue
			}
			for _, e := range []entry{scalar[n], compound[n]} {
				if compareKey(key, e.key) != (mismatch{}) {
					continue
				}
				m := compare(value, e.value, label)
				if m == (mismatch{}) {
					found, used[n] = true, true
					break
				}
				wrong = m
			}
			if found {
				break
			}
		}
		switch {
		case found:
		case wrong != (mismatch{}):
			return wrong
		default:
			return mismatch{label, "shown", "not shown"}
		}
	}
	if n := slices.Index(used, false); n >= 0 {
		return mismatch{name, fmt.Sprintf("%d entries", t.Len), fmt.Sprintf("%d, also %s", len(used), scalar[n].key.Value)}
	}
	return mismatch{}
}

// compareKey compares a map's key. A pointer is named by what it points to.
func compareKey(t history.Value, v dap.Variable) mismatch {
	if t.Kind == "pointer" && len(t.Children) == 1 && !sameType(t, v.Type) && sameType(t.Children[0], v.Type) {
		return compare(t.Children[0], v, "")
	}
	if t.Kind != "pointer" || len(v.Children) > 0 || strings.HasPrefix(v.Type, "*") || sameType(t, v.Type) && v.Type != "" {
		return compare(t, v, "")
	}
	if t.Text == "nil" || len(t.Children) == 0 {
		// What a nil pointer points to is written without its parts.
		nothing := strings.HasPrefix(v.Value, "(unknown ") || t.Text == "nil" && strings.HasSuffix(v.Value, " {}")
		if nothing != (t.Text == "nil") {
			return mismatch{"", t.Text, v.Value}
		}
		return mismatch{}
	}
	return compare(t.Children[0], v, "")
}

// keyText is a map's key in a few words.
func keyText(k history.Value) string {
	if k.Text != "" {
		return k.Text
	}
	var parts []string
	for _, c := range k.Children {
		parts = append(parts, keyText(c))
	}
	return "{" + strings.Join(parts, " ") + "}"
}
