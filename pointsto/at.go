package pointsto

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// A place is where an expression stands in a file.
type place struct {
	file       string
	start, end int
}

// A reference is a value of an expression in one instance of a function. If it is an
// address, it is that of the variable that the expression denotes.
type reference struct {
	v    ssa.Value
	addr bool
}

// index finds the values of the expressions of the functions that are called.
func (r *Result) index() map[place][]reference {
	m := map[place][]reference{}
	fset := r.a.prog.Fset
	for fn, f := range r.a.funcs {
		if !f.taken {
			continue
		}
		for _, p := range fn.Params {
			if p.Pos().IsValid() && r.a.lay.points(p.Type()) {
				at := fset.PositionFor(p.Pos(), false)
				where := place{at.Filename, at.Offset, at.Offset + len(p.Name())}
				m[where] = append(m[where], reference{p, false})
			}
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				d, ok := instr.(*ssa.DebugRef)
				if !ok || !r.a.lay.points(d.X.Type()) {
					continue
				}
				at := placeOf(fset, d.Expr)
				m[at] = append(m[at], reference{d.X, d.IsAddr})
			}
		}
	}
	return m
}

func placeOf(fset *token.FileSet, x ast.Expr) place {
	p := fset.PositionFor(x.Pos(), false)
	return place{p.Filename, p.Offset, fset.PositionFor(x.End(), false).Offset}
}

// At are the objects that an expression may refer to, in all instances of a generic
// function: what its value points to, and of a struct or array that is a variable, or of
// a variable whose address is taken there, the object that it is or is part of. Of a
// parameter's declaration it is what is passed in. The syntax may be of another reading
// of the files.
//
// It is known of expressions in packages with debug information, which those outside of
// the standard library have that [Load] read; ok says that the expression was found in
// a function that is called.
func (r *Result) At(fset *token.FileSet, x ast.Expr) (objects []*Object, ok bool) {
	set, ok := r.at(placeOf(fset, ast.Unparen(x)))
	return r.objects(set), ok
}

// Refers reports whether an expression may refer to one of some objects, such as those that
// [Result.Made] gives, and as At does whether anything is known of it.
func (r *Result) Refers(fset *token.FileSet, x ast.Expr, objects []*Object) (may, ok bool) {
	set, ok := r.at(placeOf(fset, ast.Unparen(x)))
	for _, o := range objects {
		may = may || set.Has(o.ID)
	}
	return may, ok
}

// at are the numbers of the objects that the expression at a place may refer to.
func (r *Result) at(where place) (set *intsets.Sparse, ok bool) {
	refs := r.expressions()[where]
	set = r.asked[where]
	if set == nil {
		set = &intsets.Sparse{}
		for _, ref := range refs {
			r.refer(ref, set)
		}
		r.asked[where] = set
	}
	return set, len(refs) > 0
}

// refer collects the numbers of the objects that an expression refers to.
func (r *Result) refer(ref reference, set *intsets.Sparse) {
	a := r.a
	at, ok := a.values[ref.v]
	if !ok {
		return
	}
	if !ref.addr {
		r.reach(at, a.lay.size(ref.v.Type()), set)
		if load, ok := ref.v.(*ssa.UnOp); ok && load.Op == token.MUL && composite(load.Type()) {
			r.refer(reference{load.X, true}, set)
		}
		return
	}
	elem := a.lay.contents(a.lay.of(ref.v.Type()))
	// The variable itself is meant where its address is taken, as of receivers.
	r.a.owned(at, set)
	if composite(elem.typ) {
		return
	}
	s := a.slots[a.find(at)]
	if s.pts == nil {
		return
	}
	for _, t := range s.pts.AppendTo(nil) {
		for i := range elem.size {
			if row := a.at(t, i); row >= 0 {
				r.reach(row, 1, set)
			}
		}
	}
}

// composite reports whether a value of a type is a row of others.
func composite(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// Made are the objects that are made at a line and column of a file.
func (r *Result) Made(file string, line, column int) []*Object {
	return r.made()[spot{file, line, column}]
}

type spot struct {
	file         string
	line, column int
}

// spots finds the objects by where they are made.
func (r *Result) spots() map[spot][]*Object {
	m := map[spot][]*Object{}
	for _, o := range r.a.objects {
		if o.pos.IsValid() && !o.Tag && o.Fn == nil {
			p := r.a.prog.Fset.PositionFor(o.pos, false)
			at := spot{p.Filename, p.Line, p.Column}
			m[at] = append(m[at], o)
		}
	}
	return m
}
