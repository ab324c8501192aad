package gen

import (
	"go/types"
	"math/rand/v2"
	"slices"

	"misstep/internal/source"
)

// A Doer makes up calls of a program's functions that leave a trace: that change what others can see, or print. Whoever
// makes one where a debugger pauses changes how the program goes on. Each surely comes to its end, and soon.
type Doer struct {
	src *source.Source
	can []*types.Func
	// nestings are calls within calls.
	nestings []nesting
}

// NewDoer looks for functions that can be called so.
func NewDoer(src *source.Source) *Doer {
	d := &Doer{src: src}
	if src.Pkg == nil {
		return d
	}
	pure, ends := newPurity(src), newPurity(src)
	ends.traces, ends.ranges = true, ends.rangesMaps()
	all := slices.DeleteFunc((&exprs{src: src}).declared(), func(fn *types.Func) bool {
		return fn.Name() == "main" || fn.Name() == "init" || !ends.function(fn)
	})
	d.can = slices.DeleteFunc(slices.Clone(all), pure.function)
	d.nestings = nestings(all, d.can)
	return d
}

// CallAt is a call where some variables can be seen, without the word that Delve wants before it.
func (d *Doer) CallAt(r *rand.Rand, at source.Place, names []string) (string, bool) {
	if len(d.can) == 0 || !d.src.Own(at.File) {
		return "", false
	}
	fn := d.src.FuncAt(at)
	if fn == nil || fn.Generic {
		return "", false
	}
	e := &exprs{r: r, src: d.src, at: at}
	for _, name := range names {
		e.add(fn.Name, name)
	}
	e.globals(fn.Name)
	for range 8 {
		text := ""
		if len(d.nestings) > 0 && r.IntN(2) == 0 {
			text = pick(r, d.nestings).call(e)
		} else {
			text = e.called(pick(r, d.can))
		}
		if text != "" && len(text) <= maxText {
			return e.spelled(text), true
		}
	}
	return "", false
}
