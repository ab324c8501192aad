package source

import (
	"go/ast"
	"strings"
	"unicode/utf8"
)

// Root is the identifier at which an expression begins: x of x.f[i], *x and &x; nil of one
// that begins differently, such as a call.
func Root(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.UnaryExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.Ident:
			return e
		default:
			return nil
		}
	}
}

// Shorten is the beginning of a text, on one line: at most n letters of it. White space is one space, but in literals of one line.
func Shorten(s string, n int) string {
	s = squeeze(s, utf8.UTFMax*(n+1))
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// squeeze makes one space of white space outside of what is quoted on one line, and looks no further once it has so many bytes.
func squeeze(s string, most int) string {
	var b strings.Builder
	space := false
	for i := 0; i < len(s) && b.Len() < most; {
		n := 1
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			space = true
			i++
			continue
		case '"', '`':
			n = quoted(s[i:min(len(s), i+most)])
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}

// quoted is the length of the literal that a text begins with; 1 if it does not end on its line.
func quoted(s string) int {
	for i := 1; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return 1
}
