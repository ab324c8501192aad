package pointsto

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// models are functions whose bodies do not say what they do with pointers, by name.
var models = map[string]func(a *analysis, f *function){
	"sync/atomic.StorePointer":          storePointer,
	"sync/atomic.LoadPointer":           loadPointer,
	"sync/atomic.SwapPointer":           func(a *analysis, f *function) { loadPointer(a, f); storePointer(a, f) },
	"sync/atomic.CompareAndSwapPointer": func(a *analysis, f *function) { a.store(a.value(f.fn.Params[0]), 0, a.value(f.fn.Params[2]), 1) },
	"(*sync/atomic.Value).Store":        storePointer,
	"(*sync/atomic.Value).Load":         loadPointer,
	"(*sync/atomic.Value).Swap":         func(a *analysis, f *function) { loadPointer(a, f); storePointer(a, f) },
	"(*sync/atomic.Value).CompareAndSwap": func(a *analysis, f *function) {
		a.store(a.value(f.fn.Params[0]), 0, a.value(f.fn.Params[2]), 1)
	},
	"(*sync.Pool).Put": func(a *analysis, f *function) { a.copy(a.pool, a.value(f.fn.Params[1])) },
	"runtime.SetFinalizer": func(a *analysis, f *function) {
		a.on(a.value(f.fn.Params[1]), func(a *analysis, t int) {
			if o := a.of(t); o.Tag {
				a.on(o.start, func(a *analysis, t int) {
					if fn := a.of(t); fn.Fn != nil {
						a.connect(nil, fn.Fn, nil, -1)
					}
				})
			}
		})
	},
	"reflect.ValueOf":           func(a *analysis, f *function) { a.copy(a.reflects, a.value(f.fn.Params[0])) },
	"(reflect.Value).Interface": func(a *analysis, f *function) { a.copy(f.results, a.reflects) },
	"reflect.packEface":         func(a *analysis, f *function) { a.copy(f.results, a.reflects) },
}

// also are models besides the functions' bodies.
var also = map[string]func(a *analysis, f *function){
	"(*sync.Pool).Get": func(a *analysis, f *function) { a.copy(f.results, a.pool) },
	"time.AfterFunc":   callsLast,
}

func storePointer(a *analysis, f *function) {
	a.store(a.value(f.fn.Params[0]), 0, a.value(f.fn.Params[1]), 1)
}

func loadPointer(a *analysis, f *function) { a.load(f.results, a.value(f.fn.Params[0]), 0, 1) }

// callsLast calls the last parameter.
func callsLast(a *analysis, f *function) {
	p := f.fn.Params[len(f.fn.Params)-1]
	a.on(a.value(p), func(a *analysis, t int) {
		if o := a.of(t); o.Fn != nil {
			a.connect(nil, o.Fn, nil, -1)
		}
	})
}

// intrinsic models a function, and tells whether its body does not matter.
func (a *analysis) intrinsic(fn *ssa.Function) bool {
	name := fn.String()
	if fn.Origin() != nil {
		name = fn.Origin().String()
	}
	if m := also[name]; m != nil {
		m(a, a.function(fn))
	}
	if m := models[name]; m != nil && also[name] == nil {
		m(a, a.function(fn))
		return true
	}
	// The runtime, and what reflection does inside of itself, work on addresses.
	path := ""
	if fn.Pkg != nil {
		path = fn.Pkg.Pkg.Path()
	}
	return path == "runtime" || strings.HasPrefix(path, "internal/runtime/") || path == "internal/abi"
}
