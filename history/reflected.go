package history

import "go/types"

// IsReflectValue reports whether a type is reflect.Value.
func IsReflectValue(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Value" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "reflect"
}

// Reflects reports whether a type is reflect.Value, or a pointer to it.
func Reflects(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return IsReflectValue(t)
}

// ReflectCalls are the functions of package reflect that call functions of the program: those
// that a value holds, and iterators.
var ReflectCalls = map[string]bool{"Call": true, "CallSlice": true, "Seq": true, "Seq2": true}

// ReflectInto are the methods of reflect.Value that are about what a value refers to: the
// map, the channel, the elements of a slice, what a pointer points to. Others are about the
// variable that the value is, if it is one.
var ReflectInto = map[string]bool{
	"SetMapIndex": true, "MapIndex": true, "MapKeys": true, "MapRange": true,
	"Send": true, "TrySend": true, "Recv": true, "TryRecv": true, "Close": true, "Clear": true,
	"Index": true, "Slice": true, "Slice3": true, "Pointer": true, "UnsafePointer": true,
	"Call": true, "CallSlice": true, "Seq": true, "Seq2": true,
}
