package action

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"misstep/dap"
)

// How much is loaded of values where little is asked for.
const (
	shortString = 8
	shortArray  = 3
	shortStack  = 2
)

// onePage is how many elements Delve loads by default of what it is not asked for in pages.
const onePage = 64

// blank leaves of a variable's own text nothing where it is made of parts, which are compared by
// themselves; of a map no parts either, as their order and their names depend on the keys.
func blank(v *dap.Variable) (leaf bool) {
	if len(v.Children) == 0 && !strings.ContainsAny(v.Value, "{[(") {
		return true
	}
	if v.Type == "string" {
		return true
	}
	v.Value = ""
	if strings.Contains(v.Type, "map[") {
		v.Children = nil
	}
	return false
}

// quoted splits the text of a string into what it holds, and how much of it is not shown, which Delve
// writes before the closing quote, other debuggers after it.
func quoted(text string) (s string, rest int, ok bool) {
	prefix, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", 0, false
	}
	if s, err = strconv.Unquote(prefix); err != nil {
		return "", 0, false
	}
	s, rest = more(s + text[len(prefix):])
	return s, rest, true
}

// more splits a text from how much is said to follow it.
func more(text string) (s string, rest int) {
	m := rests.FindStringSubmatch(text)
	if m == nil {
		return text, 0
	}
	rest, _ = strconv.Atoi(m[1])
	return strings.TrimSuffix(text, m[0]), rest
}

var rests = regexp.MustCompile(`\.\.\.\+(\d+) more$`)

// shortStrings leaves of strings what is shown of them if little is loaded, and how long they are.
func shortStrings(v *dap.Variable, _ bool) {
	if !blank(v) || !strings.HasPrefix(v.Value, `"`) {
		return
	}
	s, rest, ok := quoted(v.Value)
	if !ok {
		return
	}
	if more := len(s) - shortString; more > 0 {
		s, rest = s[:shortString], rest+more
	}
	v.Value = fmt.Sprintf("%q and %d more", s, rest)
}

// shortened judges that no more is shown of a string than is loaded.
func shortened(v *dap.Variable) (able bool, want, got string) {
	// What bytes and runes are as a string is not loaded, but made.
	if v.Type != "string" || strings.HasSuffix(v.Name, "()") || !strings.HasPrefix(v.Value, `"`) {
		return false, "", ""
	}
	s, rest, ok := quoted(v.Value)
	if !ok || len(s)+rest <= shortString {
		return false, "", ""
	}
	if len(s) != shortString {
		return true, fmt.Sprintf("%d bytes, of %d", shortString, len(s)+rest), v.Value
	}
	return true, "", ""
}

// listedText is a text of an array, a slice or a map with its elements, and how many there are of it in all.
var listedText = regexp.MustCompile(`^(?:\[\]\S+ len: (\d+), cap: \d+, |\[(\d+)\]\S+ )\[.*\]$`)

// fewElements judges that the text of an array or a slice has no more elements than are loaded. One that is cut off within does not say.
func fewElements(v *dap.Variable) (able bool, want, got string) {
	m := listedText.FindStringSubmatch(v.Value)
	if m == nil {
		return false, "", ""
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil || n <= shortArray {
		return false, "", ""
	}
	if want := fmt.Sprintf("...+%d more]", n-shortArray); !strings.HasSuffix(v.Value, want) {
		return true, "[…," + want, v.Value
	}
	return true, "", ""
}

// firstElements leaves of arrays and slices their first elements.
func firstElements(limit int) func(v *dap.Variable, with bool) {
	return func(v *dap.Variable, _ bool) {
		blank(v)
		var first []dap.Variable
		elements := 0
		for _, c := range v.Children {
			if strings.HasPrefix(c.Name, "[") {
				if elements++; elements > limit {
					continue
				}
			}
			first = append(first, c)
		}
		v.Children = first
		if elements > 0 {
			v.Cut = ""
		}
	}
}

// untyped leaves of a variable what is shown of it to a client that asks for no types: its value, if that is a number,
// a string or the like. Which other values are compared, and what of them, depends on the type.
func untyped(v *dap.Variable, _ bool) {
	v.Type, v.Children = "", nil
	if !strings.HasPrefix(v.Value, `"`) && strings.ContainsAny(v.Value, "{[(*<x ") {
		v.Value = ""
	}
}

// rawStrings leaves of strings what they hold, as Delve shows it without quotes; of a map's entries, that is
// their names.
func rawStrings(v *dap.Variable, with bool) {
	if !with && strings.HasPrefix(v.Name, `"`) {
		if s, err := strconv.Unquote(v.Name); err == nil {
			v.Name = s
		}
	}
	if !blank(v) || with || !strings.HasPrefix(v.Value, `"`) {
		return
	}
	if s, err := strconv.Unquote(v.Value); err == nil {
		v.Value = s
	}
}
