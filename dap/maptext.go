package dap

import (
	"regexp"
	"strings"
)

// entriesOfMap is where the text of the first map begins in a value's that is shown with its entries, which
// come in the runtime's order; less than 0 if there is none. The type of a map is read as the language
// writes it, as it may have spaces and brackets itself.
func entriesOfMap(value string) int {
	for at := 0; at < len(value); {
		i := strings.Index(value[at:], "map[")
		if i < 0 {
			return -1
		}
		at += i
		end := at + typeLen(value[at:])
		if end == at {
			end = at + len("map[")
		} else if mapEntries.MatchString(value[end:]) {
			return at
		}
		at = end
	}
	return -1
}

// mapEntries is what follows the type of a map, or of a slice of maps.
var mapEntries = regexp.MustCompile(`^( len: \d+, cap: \d+,)? \[.`)

// typeLen is how long the text of a type is that a text begins with; 0 if it begins with none.
func typeLen(s string) int {
	after := func(prefix int) int {
		if n := typeLen(s[prefix:]); n > 0 {
			return prefix + n
		}
		return 0
	}
	switch {
	case strings.HasPrefix(s, "map["):
		if n := balanced(s[len("map"):]); n > 0 {
			return after(len("map") + n)
		}
		return 0
	case strings.HasPrefix(s, "["):
		if n := balanced(s); n > 0 {
			return after(n)
		}
		return 0
	case strings.HasPrefix(s, "*"):
		return after(1)
	case strings.HasPrefix(s, "<-chan "), strings.HasPrefix(s, "chan<- "):
		return after(len("<-chan "))
	case strings.HasPrefix(s, "chan "):
		return after(len("chan "))
	case strings.HasPrefix(s, "("):
		return balanced(s)
	case strings.HasPrefix(s, "func("):
		n := len("func")
		n += balanced(s[n:])
		if !strings.HasPrefix(s[n:], " ") || n == len("func") {
			return n
		}
		// A result follows, or what the function is.
		if rest := s[n+1:]; result(rest) {
			if m := typeLen(rest); m > 0 {
				return n + 1 + m
			}
		}
		return n
	case strings.HasPrefix(s, "struct {"), strings.HasPrefix(s, "interface {"):
		open := strings.IndexByte(s, '{')
		if n := balanced(s[open:]); n > 0 {
			return open + n
		}
		return 0
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] == '.' || s[n] == '/' || s[n] == '%' || s[n] == '-' || s[n] == '~' || s[n] >= '0' && s[n] <= '9' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 0x80) {
		n++
	}
	if n > 0 && strings.HasPrefix(s[n:], "[") { // type arguments
		n += balanced(s[n:])
	}
	return n
}

// result reports whether a text begins with the type of a result, and not with what is shown of a value:
// nil, a name in parentheses, or entries.
func result(s string) bool {
	switch {
	case strings.HasPrefix(s, "nil"):
		return false
	case strings.HasPrefix(s, "["):
		n := balanced(s)
		return n > 0 && strings.Trim(s[1:n-1], "0123456789") == "" && n < len(s) && s[n] != ',' && s[n] != ' ' && s[n] != '}' && s[n] != ']'
	}
	return true
}

// balanced is how long the part of a text is up to the bracket that closes the one that it begins with; 0
// if none does.
func balanced(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
