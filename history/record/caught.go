package record

import (
	"go/ast"
	"go/types"
	"slices"
)

// templates are the packages that call methods by their names, and recover from their panics.
var templates = []string{"text/template", "html/template"}

// called are the methods of values that the standard library calls, and whose panics it recovers from: fmt those by which values are printed, log/slog
// that by which they are logged, and net/http handlers.
var called = []string{"String", "Error", "GoString", "Format", "ServeHTTP", "LogValue"}

// caught reports whether a panic of a function may be recovered by a function that is not recorded, which goes on as if the call had returned.
// Such a function says itself that it is left by a panic. Methods that templates call are exported, and any of the package's.
func (in *instrumenter) caught(n ast.Node) bool {
	d, ok := n.(*ast.FuncDecl)
	if !ok || d.Recv == nil {
		return false
	}
	if slices.Contains(called, d.Name.Name) {
		return true
	}
	return d.Name.IsExported() && slices.ContainsFunc(in.pkg.Types.Imports(), func(p *types.Package) bool {
		return slices.Contains(templates, p.Path())
	})
}
