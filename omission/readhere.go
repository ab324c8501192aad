package omission

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"misstep/internal/source"
)

// Whoever asks about an object has seen that something is missing in it, and mostly where the question is asked: the function that has the variable
// reads a field of it, whose length is wrong or which lacks an entry. Where little is known to be omitted on the object, and nothing that surely
// would have changed it, what that field holds is asked about as well.

const (
	// fewBalloons is how many answers are few.
	fewBalloons = 4
	// maxReadHere is how many fields are asked about.
	maxReadHere = 4
)

// A readField is a field of what was asked about that the function reads which has the variable.
type readField struct {
	text string // the expression
	line int    // where it was read last
}

// readHere are the fields of a variable that its function reads, those that are read last first.
func (f *Finder) readHere(at *heldAt) []readField {
	if at == nil || at.fn < 0 || at.v == nil || at.field != "" {
		return nil
	}
	fn := f.program.funcs[at.fn]
	if fn == nil {
		return nil
	}
	var list []readField
	ast.Inspect(fn.body, func(n ast.Node) bool { return f.readsField(fn, at, n, &list) })
	return list[:min(len(list), maxReadHere)]
}

// readsField adds a node to a list that is a field of the variable. It reports whether what is in the node may be one.
func (f *Finder) readsField(fn *function, at *heldAt, n ast.Node, list *[]readField) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	s := fn.pkg.Info.Selections[sel]
	id := source.Root(sel)
	if s == nil || s.Kind() != types.FieldVal || id == nil || fn.pkg.Info.ObjectOf(id) != at.v {
		return true
	}
	read := readField{types.ExprString(sel), fn.pkg.Fset.PositionFor(sel.Pos(), false).Line}
	if read.line < at.line {
		return false
	}
	for i, r := range *list {
		if r.text == read.text {
			*list = append((*list)[:i], (*list)[i+1:]...)
			break
		}
	}
	*list = append([]readField{read}, *list...)
	return false
}

// withRead adds to few answers about a variable those about its fields that are read where it is asked about.
func (q *Query) withRead(ctx context.Context, f *Finder, s *Subject, list []*Balloon) ([]*Balloon, error) {
	if len(list) >= fewBalloons || s.made || s.Field != "" || slices.ContainsFunc(list, func(b *Balloon) bool {
		return slices.ContainsFunc(b.Operations, func(op *Operation) bool { return op.Sure && op.Kind == Write })
	}) {
		return list, nil
	}
	for _, r := range f.readHere(s.held) {
		file := f.plan.Funcs[s.held.fn].File
		sub, err := f.variable(fmt.Sprintf("%s:%d:%s", f.plan.Files[file].Name, r.line, r.text), file, r.line, r.text)
		if err != nil {
			continue // such as a field of what is in an interface
		}
		f.parts(sub)
		sub.made = true
		more, err := q.omitted(ctx, f, sub)
		if err != nil {
			return nil, err
		}
		if more = untold(more, list); len(more) > 0 {
			on(more, fmt.Sprintf("%s, which is read at %s:%d", r.text, f.plan.Files[file].Name, r.line), copyWeight)
			list = Merge(list, more)
		}
	}
	return list, nil
}
