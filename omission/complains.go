package omission

import (
	"go/ast"
	"go/types"
	"strings"

	"misstep/history"
)

// complains reports whether an operation only tells of the object that something is wrong with it: it makes an error of it, or panics or exits
// with it. Nobody who asks what should have happened to an object means that first.
func (op *operation) complains() bool {
	if op.inner != nil {
		return false
	}
	info := op.fn.pkg.Info
	switch x := op.expr.(type) {
	case *ast.CallExpr:
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok && id.Name == "panic" && info.Types[x.Fun].IsBuiltin() {
			return true
		}
		fn := history.Callee(info, x)
		if fn == nil || fn.Pkg() == nil {
			return false
		}
		if fn.Pkg().Path() == "log" {
			return strings.HasPrefix(fn.Name(), "Fatal") || strings.HasPrefix(fn.Name(), "Panic")
		}
		return makesErrors(fn)
	case *ast.CompositeLit:
		t := typeOf(op.fn, x)
		return types.Implements(t, errorType) || types.Implements(types.NewPointer(t), errorType)
	}
	return false
}

// makesErrors reports whether a function of a package of errors, or fmt.Errorf, gives an error and nothing else.
func makesErrors(fn *types.Func) bool {
	results := fn.Signature().Results()
	if results.Len() != 1 || !isError(results.At(0).Type()) {
		return false
	}
	return fn.FullName() == "fmt.Errorf" || strings.HasSuffix(fn.Pkg().Name(), "errors")
}
