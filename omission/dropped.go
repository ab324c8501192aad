package omission

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
)

// A function that is given an object, and then does nothing at all with it, has most likely omitted to: whatever it would have done, be
// it no more than to give it another name, is an operation then.

// A dropped parameter is one whose value is used by some statements of a function, beyond what conditions ask of it.
type dropped struct {
	param types.Object
	use   *ast.Ident
	nodes []*node
}

// droppable are the parameters of a function that refer to something and are used.
func (f *function) droppable() []dropped {
	var list []dropped
	for _, v := range f.params {
		if v == nil || v.Name() == "_" || v.Name() == "" || !refers(v.Type()) {
			continue
		}
		d := dropped{param: v}
		for _, n := range f.graph.nodes {
			of := n.at
			if n.cond != nil {
				of = n.cond
			}
			if _, whole := of.(*ast.BlockStmt); whole || of == nil {
				continue
			}
			if id := f.takes(of, v); id != nil {
				d.nodes = append(d.nodes, n)
				d.use = id
			}
		}
		if d.use != nil {
			list = append(list, d)
		}
	}
	return list
}

// takes is where a variable's value is used, but for its length or whether it is nil; nil if it is not.
func (f *function) takes(of ast.Node, v types.Object) (found *ast.Ident) {
	ast.Inspect(of, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(in ast.Node) bool {
				if id, ok := in.(*ast.Ident); ok && f.pkg.Info.Uses[id] == v {
					found = id
				}
				return found == nil
			})
			return false
		case *ast.BlockStmt:
			return n == of // has nodes of its own
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
				if _, builtin := f.pkg.Info.Uses[id].(*types.Builtin); builtin && (id.Name == "len" || id.Name == "cap") {
					return false
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				return !f.pkg.Info.Types[n.X].IsNil() && !f.pkg.Info.Types[n.Y].IsNil()
			}
		case *ast.Ident:
			if f.pkg.Info.Uses[n] == v {
				found = n
			}
		}
		return found == nil
	})
	return found
}

// searchDropped looks for decisions against all that a function would have done with the subject, in those of its activations that were given it
// and did nothing with it. Known are its operations, which are told as such.
func (f *Finder) searchDropped(ctx context.Context, fn *function, acts []*history.Activation, known []*operation, b *bundler) error {
	if len(b.s.Instances) == 0 {
		return nil
	}
	for _, d := range fn.droppable() {
		uses := map[*node]bool{}
		for _, n := range d.nodes {
			uses[n] = true
		}
		var given []*history.Activation
		for _, a := range acts {
			if err := ctx.Err(); err != nil {
				return err
			}
			t, ok := f.events.is(f.program, a, d.use, a.Start)
			if !ok || !b.s.Instances[t.of] || f.events.unknown(f.plan, a) {
				continue
			}
			used := false
			for _, v := range f.trace(fn, a) {
				used = used || uses[v.node]
			}
			if !used {
				given = append(given, a)
			}
		}
		if len(given) == 0 {
			continue
		}
		var goals []goal
		for _, n := range d.nodes {
			if n.cond != nil || slices.ContainsFunc(known, func(op *operation) bool { return op.node == n }) {
				continue
			}
			use := fn.takes(n.at, d.param)
			goals = append(goals, goal{op: &operation{fn: fn, node: n, expr: n.at, operand: use, kind: Keep, of: b.s, dropped: true}, node: n, operand: use})
		}
		if err := f.search(ctx, fn, goals, given, b); err != nil {
			return err
		}
	}
	return nil
}
