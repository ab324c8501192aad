package pointsto

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An Object is something that can be pointed to: what an instruction allocates, a
// variable of a package, a function, the value in an interface, or what a package that
// is not analysed by its bodies makes.
type Object struct {
	// ID numbers the objects from 0, in the order in which they were found.
	ID int
	// At is the instruction, global or function that the object stems from; nil for what
	// other packages make.
	At ssa.Value
	// Type is that of the object itself: of what a pointer to it points to. Of a slice,
	// map or channel it is the slice's, map's or channel's type.
	Type types.Type
	// Tag says that it is the value in an interface.
	Tag bool
	// Fn is the function, of a function's object.
	Fn *ssa.Function
	// Made names the packages that make it, for what is not allocated in a body.
	Made string

	group        *group // of what other packages make
	pos          token.Pos
	start, first int // its slots and its targets
	lay          *layout
}

// In is the function that allocates the object; nil for globals and functions.
func (o *Object) In() *ssa.Function {
	if i, ok := o.At.(ssa.Instruction); ok {
		return i.Parent()
	}
	return nil
}

// Pos is where the object is made: where the expression begins, the & before a literal
// being part of it, or where the variable is declared.
func (o *Object) Pos() token.Pos { return o.pos }

// String names an object after where it stems from.
func (o *Object) String() string {
	switch {
	case o.Made != "":
		return types.TypeString(o.Type, nil) + " of " + o.Made
	case o.In() != nil:
		return types.TypeString(o.Type, nil) + " of " + o.In().String() + "." + o.At.Name()
	}
	return o.At.String()
}
