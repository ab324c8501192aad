package pointsto

import "go/types"

// A model makes the constraints of a function whose body does not say what it does with
// pointers, or says it at length.
type model func(a *analysis, f *function)

// models are used in place of the functions' bodies.
var models = map[string]model{
	"sync/atomic.StorePointer":            stores(1),
	"sync/atomic.LoadPointer":             loads(0),
	"sync/atomic.SwapPointer":             each(stores(1), loads(0)),
	"sync/atomic.CompareAndSwapPointer":   stores(2),
	"(*sync/atomic.Value).Store":          stores(1),
	"(*sync/atomic.Value).Load":           loads(0),
	"(*sync/atomic.Value).Swap":           each(stores(1), loads(0)),
	"(*sync/atomic.Value).CompareAndSwap": stores(2),

	// A pool has what it holds in its first slot, a map its keys there and its values
	// in the second.
	"(*sync.Pool).Put":           stores(1),
	"(*sync.Pool).Get":           each(loads(0), callsNew),
	"(*sync.Map).Store":          entry(1, 2),
	"(*sync.Map).Load":           loads(1),
	"(*sync.Map).LoadAndDelete":  loads(1),
	"(*sync.Map).LoadOrStore":    each(entry(1, 2), loads(1)),
	"(*sync.Map).Swap":           each(entry(1, 2), loads(1)),
	"(*sync.Map).CompareAndSwap": entry(1, 3),
	"(*sync.Map).Range":          ranges,
	"(*sync.Map).Delete":         each(),
	"(*sync.Map).Clear":          each(),

	"reflect.TypeOf": typeOf,
	"errors.As":      errorsAs,
}

// also are models besides what holds for the functions anyway.
var also = map[string]model{
	"fmt.Errorf":                   formats,
	"(reflect.Value).Method":       everyMethod,
	"(reflect.Value).MethodByName": everyMethod,
}

// each has several models be one.
func each(list ...model) model {
	return func(a *analysis, f *function) {
		for _, m := range list {
			m(a, f)
		}
	}
}

// stores puts a parameter to the beginning of what the first points to.
func stores(n int) model {
	return func(a *analysis, f *function) { a.store(f.params[0], 0, f.params[n], 1) }
}

// loads gives what lies at an offset of what the first parameter points to.
func loads(offset int) model {
	return func(a *analysis, f *function) { a.load(f.results, f.params[0], offset, 1) }
}

// entry puts two parameters to the first slots of what the first points to.
func entry(key, value int) model {
	return func(a *analysis, f *function) {
		a.store(f.params[0], 0, f.params[key], 1)
		a.store(f.params[0], 1, f.params[value], 1)
	}
}

// ranges calls the second parameter with what the first two slots hold.
func ranges(a *analysis, f *function) {
	a.on(f.params[1], rangeUse{a.loaded(f.params[0], 0, 1), a.loaded(f.params[0], 1, 1)})
}

type rangeUse struct{ key, value int }

func (u rangeUse) apply(a *analysis, t int) {
	fn := a.of(t).Fn
	if fn == nil || isOpaque(fn) {
		return
	}
	if f := a.take(fn); len(f.params) == 2 {
		a.copy(f.params[0], u.key)
		a.copy(f.params[1], u.value)
	}
	a.group("sync").backs[fn] = true
}

// callsNew gives what a pool's New makes.
func callsNew(a *analysis, f *function) {
	pool := a.lay.contents(a.lay.of(f.types[0]))
	s := pool.typ.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if s.Field(i).Name() == "New" {
			a.on(a.loaded(f.params[0], pool.offsets[i], 1), newUse{f.results})
		}
	}
}

type newUse struct{ dst int }

func (u newUse) apply(a *analysis, t int) {
	fn := a.of(t).Fn
	if fn == nil || isOpaque(fn) {
		return
	}
	a.copy(u.dst, a.take(fn).results)
	a.group("sync").backs[fn] = true
}

// typeOf lets reflection make values of a type.
func typeOf(a *analysis, f *function) {
	g := a.group("reflect")
	a.on(f.params[0], typeUse{g})
	g.give(f.results, a.lay.of(f.fn.Signature.Results()))
}

type typeUse struct{ g *group }

func (u typeUse) apply(a *analysis, t int) {
	o := a.of(t)
	if !o.Tag || o.group != nil {
		return
	}
	// Of pointers no pointers are made, to which pointers could be made in turn.
	if _, pointer := o.Type.Underlying().(*types.Pointer); pointer {
		u.g.hub(o.lay)
	} else {
		u.g.hub(a.lay.pointerTo(a.lay.of(o.Type)))
	}
}

// formats lets methods of the parameters be called that formatting calls.
func formats(a *analysis, f *function) {
	for i, t := range f.types {
		a.group("fmt").take(f.params[i], a.lay.of(t))
	}
}

// everyMethod lets reflection find methods by their names.
func everyMethod(a *analysis, f *function) {
	g := a.group("reflect")
	if g.every {
		return
	}
	g.every = true
	clear(g.seen)
	a.on(g.hub(a.lay.of(anyLayout)), tagUse{g})
}

// errorsAs stores an error, or one that it wraps, where the second parameter points.
func errorsAs(a *analysis, f *function) {
	g := a.group("errors")
	lay := a.lay.of(f.types[0])
	g.take(f.params[0], lay)
	a.on(f.params[1], asUse{g.hub(lay)})
}

type asUse struct{ errors int }

func (u asUse) apply(a *analysis, t int) {
	o := a.of(t)
	to := a.lay.contents(o.lay)
	if !o.Tag || to == nil || !to.points {
		return
	}
	row := a.row(to.size)
	a.on(u.errors, assertUse{row, to})
	a.store(o.start, 0, row, to.size)
}
