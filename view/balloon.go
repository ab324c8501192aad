package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// around is the text of an operation before and after the expression that is its
// object; all of it is before if that is not in it.
func around(text, object string) (before, behind string) {
	letter := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; object != ""; {
		i := strings.Index(text[from:], object)
		if i < 0 {
			break
		}
		at, end := from+i, from+i+len(object)
		last, _ := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(text[end:])
		if !letter(last) && last != '.' && !letter(next) {
			return text[:at], text[end:]
		}
		from = end
	}
	return text, ""
}
