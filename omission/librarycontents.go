package omission

import (
	"go/ast"

	"misstep/history"
)

// libraryHolds are the functions of the standard library that put a value into what they are methods of, or into what they give, or that give
// what is in there. They are not recorded, so that only this says it.
var libraryHolds = map[string]struct {
	// arg is the number of the argument that is put, from 1 on, and with into of those after it as well: into what the call gives, and not into
	// what it is a method of. Result says that what the call gives was in there.
	arg          int
	into, result bool
}{
	"(*sync.Map).Store":                        {arg: 2},
	"(*sync.Map).Swap":                         {arg: 2},
	"(*sync.Map).CompareAndSwap":               {arg: 3},
	"(*sync.Map).LoadOrStore":                  {arg: 2, result: true},
	"(*sync.Map).Load":                         {result: true},
	"(*sync.Map).LoadAndDelete":                {result: true},
	"(*sync.Pool).Put":                         {arg: 1},
	"(*sync.Pool).Get":                         {result: true},
	"(*sync/atomic.Value).Store":               {arg: 1},
	"(*sync/atomic.Value).Swap":                {arg: 1},
	"(*sync/atomic.Value).CompareAndSwap":      {arg: 2},
	"(*sync/atomic.Value).Load":                {result: true},
	"(*sync/atomic.Pointer[T]).Store":          {arg: 1},
	"(*sync/atomic.Pointer[T]).Swap":           {arg: 1},
	"(*sync/atomic.Pointer[T]).CompareAndSwap": {arg: 2},
	"(*sync/atomic.Pointer[T]).Load":           {result: true},
	"(*container/list.List).PushBack":          {arg: 1, result: true},
	"(*container/list.List).PushFront":         {arg: 1, result: true},
	"(*container/list.List).InsertBefore":      {arg: 1, result: true},
	"(*container/list.List).InsertAfter":       {arg: 1, result: true},
	"(*container/list.List).Front":             {result: true},
	"(*container/list.List).Back":              {result: true},
	"(*container/list.Element).Next":           {result: true},
	"(*container/list.Element).Prev":           {result: true},
	"(*container/ring.Ring).Next":              {result: true},
	"(*container/ring.Ring).Prev":              {result: true},
	"(*container/ring.Ring).Move":              {result: true},
	"context.WithValue":                        {arg: 3, into: true},
	"slices.Insert":                            {arg: 3, into: true},
	"slices.Replace":                           {arg: 4, into: true},
}

// libraryPut are the expressions of a function whose values are in containers of the standard library.
func (f *function) libraryPut() map[ast.Expr]holding {
	list := map[ast.Expr]holding{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			fn := history.Callee(f.pkg.Info, n)
			if fn == nil {
				return true
			}
			holds, ok := libraryHolds[fn.Origin().FullName()]
			if !ok {
				return true
			}
			if holds.into {
				for _, arg := range n.Args[min(holds.arg-1, len(n.Args)):] {
					list[ast.Unparen(arg)] = holding{owner: n, field: elements}
				}
				return true
			}
			sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			if !ok || f.pkg.Info.Selections[sel] == nil {
				return true
			}
			h := holding{owner: sel.X, field: elements}
			if in, ok := f.place(sel.X); ok && !isPointer(typeOf(f, sel.X)) {
				h = holding{owner: in.owner, field: joined(in.field, elements)}
			}
			if holds.arg > 0 && holds.arg <= len(n.Args) {
				list[ast.Unparen(n.Args[holds.arg-1])] = h
			}
			if holds.result {
				list[n] = h
			}
		}
		return true
	})
	return list
}
