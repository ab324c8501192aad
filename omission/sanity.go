package omission

import (
	"fmt"
	"go/ast"
)

// Check replays every activation of the run, and tells the first whose steps are no way
// through the graph of its function. It counts the steps.
func (f *Finder) Check() (steps int, err error) {
	for _, a := range f.events.tree.Activations {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		list := f.trace(fn, a)
		steps += len(list)
		if err := fn.check(list); err != nil {
			return steps, fmt.Errorf("activation at %d: %w", a.Start, err)
		}
	}
	return steps, nil
}

// check tells what is wrong with a trace: each visit but the first has to be where the
// one before it leads to.
func (f *function) check(list []visit) error {
	for i, v := range list {
		if i == 0 {
			if v.node != f.graph.entry {
				return fmt.Errorf("%s begins with %s instead of %s", f.name, f.describe(v.node), f.describe(f.graph.entry))
			}
			continue
		}
		found := false
		for _, s := range list[i-1].node.succs {
			found = found || s == v.node
		}
		if !found {
			return fmt.Errorf("%s: %s comes after %s", f.name, f.describe(v.node), f.describe(list[i-1].node))
		}
	}
	return nil
}

func (f *function) describe(n *node) string {
	var at ast.Node = n.at
	if n.cond != nil {
		at = n.cond
	}
	if at == nil {
		return "the exit"
	}
	p := f.pkg.Fset.PositionFor(at.Pos(), false)
	return fmt.Sprintf("%T at %d:%d part %d", at, p.Line, p.Column, n.part)
}
