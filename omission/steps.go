package omission

import (
	"go/ast"

	"misstep/history"
)

// steps are those of a chain that are there already, by the activations that performed them: each is once. Of a recursion a statement is
// there from two activations, as what the outer ones gave the inner is often the answer, and what all the others did mostly the same.
type steps map[stepKey]bool

// stepKey is a step; without an activation, one that says whether the statement is there at all, or twice.
type stepKey struct {
	at    ast.Node
	in    *history.Activation
	twice bool
}

// known reports whether a step is there, or may not be there once more.
func (s steps) known(at ast.Node, in *history.Activation) bool {
	return s[stepKey{at: at, in: in}] || s[stepKey{at: at, twice: true}]
}

// first notes a step, and reports whether it was not known.
func (s steps) first(at ast.Node, in *history.Activation) bool {
	if s.known(at, in) {
		return false
	}
	if any := (stepKey{at: at}); s[any] {
		s[stepKey{at: at, twice: true}] = true
	} else {
		s[any] = true
	}
	s[stepKey{at: at, in: in}] = true
	return true
}
