package source

import (
	"path"
	"strings"
)

// Symbol is what the linker calls a declared function: by the path of its package, unless that is the program's main.
func (s *Source) Symbol(fn *Func) string {
	pkg, name, _ := strings.Cut(fn.Name, ".")
	if pkg == "main" {
		return fn.Name
	}
	folder, last := path.Split(s.Program.ImportPath())
	return folder + strings.ReplaceAll(last, ".", "%2e") + "." + name
}

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
