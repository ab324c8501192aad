package source

import "regexp"

// A Linkname is a directive that makes a name of a program's one of the linker's symbols (documentation of the compiler, Linkname
// Directive).
type Linkname struct {
	Local  string // the name in the package
	Symbol string // empty if the name is only made known
}

var linkname = regexp.MustCompile(`(?m)^//go:linkname\s+(\S+)(?:[ \t]+(\S+))?`)

// Linknames are the directives in the text of a file.
func Linknames(text []byte) (list []Linkname) {
	for _, m := range linkname.FindAllSubmatch(text, -1) {
		list = append(list, Linkname{string(m[1]), string(m[2])})
	}
	return list
}
