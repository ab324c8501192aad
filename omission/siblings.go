package omission

import (
	"cmp"
	"context"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"misstep/history"
)

// What an object is for may have gone by another one of the kind that holds it: a buffer is the writer of a command, and what should be in it was
// written by a command below that, which was given another writer.

// maxSiblings is how many objects are looked at that are of the kind of one that holds the subject.
const maxSiblings = 4

// A heldIn is a field of an object that held the subject.
type heldIn struct {
	owner *history.Instance
	field string
}

// siblings are the balloons of what gave a field, in which one object held the subject to have it called, another value in other objects of its
// type, or did not give them any.
func (f *Finder) siblings(ctx context.Context, s *Subject) (lists [][]*Balloon) {
	if len(s.Instances) == 0 || s.Field != "" || len(f.events.tree.Activations) == 0 {
		return nil
	}
	end, ok := f.end()
	if !ok {
		return nil
	}
	for _, h := range f.heldIn(s) {
		n := 0
		for _, other := range f.events.instances.All {
			if other == h.owner || typeName(other) != typeName(h.owner) || n == maxSiblings {
				continue
			}
			n++
			e := f.explainer(ctx)
			reasons := slices.DeleteFunc(e.changesOf(end, other, other.String(), h.field, 1), func(r *Reason) bool { return r.Branch == nil })
			list := f.Values(reasons)
			on(list, fmt.Sprintf("%s of %s, where that of %s held it", h.field, other, h.owner), -keepWeight-ownerWeight) // it is no chain, and gives the very field
			if len(list) > 0 {
				lists = append(lists, list)
			}
		}
	}
	return lists
}

// typeName is the name of an object's type without its package, which only some of the places name that it is seen in.
func typeName(i *history.Instance) string { return i.Type[strings.LastIndexByte(i.Type, '.')+1:] }

// end is the last step of the run's first function.
func (f *Finder) end() (step, bool) {
	for _, a := range f.events.tree.Activations {
		if fn := f.program.funcs[a.Func]; fn != nil {
			trace := f.trace(fn, a)
			return step{fn: fn, a: a, trace: trace, i: len(trace) - 1}, len(trace) > 0
		}
	}
	return step{}, false
}

// heldIn are the fields of interfaces that held the subject, which is called by them.
func (f *Finder) heldIn(s *Subject) []heldIn {
	seen := map[heldIn]bool{}
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		acts := f.events.byFunc[fn.id]
		acts = acts[max(0, len(acts)-maxLooked):]
		for x, h := range fn.holdings() {
			if h.given || !f.program.may(fn, x, s) || !calls(fn, h) {
				continue
			}
			for _, a := range acts {
				if t, ok := f.events.is(f.program, a, pointee(x), a.End); !ok || !s.Instances[t.of] {
					continue
				}
				if owner, ok := f.events.is(f.program, a, h.owner, a.End); ok && !s.Instances[owner.of] {
					seen[heldIn{owner.of, h.field}] = true
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b heldIn) int {
		return cmp.Or(cmp.Compare(a.owner.String(), b.owner.String()), cmp.Compare(a.field, b.field))
	})
}

// calls reports whether a field is an interface with methods.
func calls(fn *function, h holding) bool {
	field, _, _ := types.LookupFieldOrMethod(typeOf(fn, h.owner), true, fn.pkg.Types, h.field)
	v, ok := field.(*types.Var)
	return ok && types.IsInterface(v.Type()) && types.NewMethodSet(v.Type()).Len() > 0
}
