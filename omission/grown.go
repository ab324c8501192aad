package omission

import (
	"go/ast"
	"go/types"
	"slices"

	"misstep/history"
)

// grown adds to arrays those that append made them of: what was put into these is in them.
func (f *Finder) grown(all []*history.Instance) []*history.Instance {
	list := slices.Clone(all)
	for n := 0; n < len(list); n++ {
		if before := f.grewOf(list[n]); before != nil && !slices.Contains(list, before) {
			list = append(list, before)
		}
	}
	return list
}

// grewOf is the array that append made another of; nil if it was made otherwise, or that is
// not known.
func (f *Finder) grewOf(i *history.Instance) *history.Instance {
	if i.Made < 0 || f.plan.Sites[i.Made].Kind != history.Append {
		return nil
	}
	fn := f.program.funcs[f.plan.Sites[i.Made].Func]
	call, ok := ast.Unparen(f.events.exprs[i.Made]).(*ast.CallExpr)
	if fn == nil || !ok || len(call.Args) == 0 {
		return nil
	}
	acts := f.events.byFunc[fn.id]
	for k := sortedBefore(acts, i.First+1) - 1; k >= 0; k-- {
		a := acts[k]
		if a.End >= 0 && a.End < i.First {
			continue
		}
		// What the same expression was appended to before, or else what it was.
		want := types.ExprString(call.Args[0])
		t, ok := pick(f.events.touches[a], i.First-1, false, func(t touch) bool {
			c, ok := ast.Unparen(f.events.exprs[t.site]).(*ast.CallExpr)
			return ok && f.plan.Sites[t.site].Kind == history.Append && len(c.Args) > 0 && types.ExprString(c.Args[0]) == want
		})
		if !ok {
			t, ok = f.events.is(f.program, a, call.Args[0], i.First-1)
		}
		if ok && t.of != i {
			return t.of
		}
		return nil
	}
	return nil
}
