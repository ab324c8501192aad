package source

import "strings"

// WithoutTypes is a function's name, as the linker has it, without type arguments, and with the dots of its
// package's path.
func WithoutTypes(name string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == '[':
			depth++
			return -1
		case r == ']':
			depth--
			return -1
		case depth > 0:
			return -1
		}
		return r
	}, strings.ReplaceAll(name, "%2e", "."))
}
