package gobuild

import (
	"bytes"
	"maps"
	"os"
	"strings"
)

// breaks is how a program pauses itself under a debugger, and nothing of the same length, which it does instead.
var breaks, nothing = []byte("runtime.Breakpoint()"), []byte("runtime.NumCPU()    ")

// Undisturbed is a program without the places at which it pauses itself under a debugger; it would end there without one. It is the
// same program, and not ok, if it has none in the files of its own package.
func (p *Program) Undisturbed() (*Program, bool) {
	other := map[string][]byte{}
	for _, name := range p.Files {
		text, ok := p.Overlay[name]
		if !ok {
			var err error
			if text, err = os.ReadFile(name); err != nil {
				continue // which those will say who compile it
			}
		}
		if strings.HasSuffix(name, ".go") && bytes.Contains(text, breaks) {
			other[name] = bytes.ReplaceAll(text, breaks, nothing)
		}
	}
	if len(other) == 0 {
		return p, false
	}
	q := *p
	q.Overlay = maps.Clone(p.Overlay)
	if q.Overlay == nil {
		q.Overlay = map[string][]byte{}
	}
	maps.Copy(q.Overlay, other)
	return &q, true
}
