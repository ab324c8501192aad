package omission

import (
	"go/ast"
	"go/types"

	"misstep/history"
)

// Operations by reflection are those of methods of reflect.Value, and of functions of
// package reflect, on the object behind a value: what it is the variable of, a field or an
// element of an object, or what it refers to. Which that is, a history shows where the
// value was used; elsewhere a value may be any object's.

// reflects says what functions of package reflect do with their operands, a method's
// receiver being the first, by their names: change the first, keep the second of what they
// are given, or neither.
type reflects struct {
	kind Kind
	// kept are the operands that are put into the first.
	kept []int
}

var reflections = map[string]reflects{
	"Set": {Write, []int{1}}, "SetBool": {Write, nil}, "SetBytes": {Write, []int{1}}, "SetCap": {Write, nil},
	"SetComplex": {Write, nil}, "SetFloat": {Write, nil}, "SetInt": {Write, nil}, "SetIterKey": {Write, nil},
	"SetIterValue": {Write, nil}, "SetLen": {Write, nil}, "SetMapIndex": {Write, []int{1, 2}}, "SetPointer": {Write, []int{1}},
	"SetString": {Write, nil}, "SetUint": {Write, nil}, "SetZero": {Write, nil},
	"Clear": {Write, nil}, "Close": {Write, nil}, "Grow": {Write, nil},
	"Send": {Write, []int{1}}, "TrySend": {Write, []int{1}}, "Recv": {Write, nil}, "TryRecv": {Write, nil},
	"Call": {Call, nil}, "CallSlice": {Call, nil},
	// Functions.
	"Append": {Write, []int{1}}, "AppendSlice": {Write, []int{1}}, "Copy": {Write, []int{1}}, "Swapper": {Read, nil},
}

// settable reports whether a method of reflect.Value can be called on a value of a type.
func settable(method string, t types.Type) bool {
	info := types.BasicInfo(0)
	switch method {
	case "SetBool":
		info = types.IsBoolean
	case "SetInt", "SetUint":
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0 && (b.Info()&types.IsUnsigned != 0) == (method == "SetUint")
	case "SetFloat":
		info = types.IsFloat
	case "SetComplex":
		info = types.IsComplex
	case "SetString":
		info = types.IsString
	case "SetMapIndex":
		_, ok := t.Underlying().(*types.Map)
		return ok
	case "Clear":
		switch t.Underlying().(type) {
		case *types.Map, *types.Slice:
			return true
		}
		return false
	case "SetBytes", "SetLen", "Grow", "SetCap", "Append", "AppendSlice":
		_, ok := t.Underlying().(*types.Slice)
		return ok
	case "Send", "TrySend", "Recv", "TryRecv", "Close":
		_, ok := t.Underlying().(*types.Chan)
		return ok
	default:
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// navigation are the functions of package reflect that lead from a value to a part of the
// same object: a field, an element of an array, the variable that a pointer was made from.
var navigation = map[string]bool{
	"Field": true, "FieldByIndex": true, "FieldByName": true, "FieldByNameFunc": true, "FieldByIndexErr": true,
	"Addr": true, "ValueOf": true, "Indirect": true, "Elem": true, "Convert": true,
}

// reflected is what the name of a function of package reflect stands for in the tables; empty
// of others.
func reflected(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "reflect" {
		return ""
	}
	if recv := fn.Signature().Recv(); recv != nil && !history.IsReflectValue(recv.Type()) {
		return "-" // of a Type or a MapIter
	}
	return fn.Name()
}

// byReflection are the operations of a call of a function of package reflect.
func (e *effects) byReflection(f *function, c *call, name string) []*operation {
	what, ok := reflections[name]
	if !ok || len(c.operands) == 0 || len(e.s.Instances) == 0 && what.kind != Call {
		return nil // a function is not changed
	}
	var list []*operation
	found := func(kind Kind, x ast.Expr) {
		if e.p.may(f, x, e.s) {
			list = append(list, &operation{fn: f, node: c.node, expr: c.expr, operand: x, kind: kind, reflected: true, name: name, of: e.s})
		}
	}
	if kind := what.kind; kind == Call && len(e.s.Funcs) == 0 {
		if !e.s.callable() {
			return nil
		}
		found(Write, c.operands[0]) // the method that it is may change its receiver
	} else {
		found(kind, c.operands[0])
	}
	if e.s.Field != "" {
		return list // what is put somewhere is the object as a whole
	}
	for _, n := range what.kept {
		if n < len(c.operands) {
			found(Keep, c.operands[n])
		}
	}
	return list
}

// callable reports whether the subject, or the field of it, may be called by reflection: a function, or something with
// methods.
func (s *Subject) callable() bool {
	if s.Type == nil {
		return true
	}
	t := s.Type
	if s.Field != "" {
		if _, t = s.place(); t == nil {
			return true
		}
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return types.NewMethodSet(types.NewPointer(t)).Len() > 0
}

// origin is the expression that a reflect.Value was led to from, within the same object; nil
// if it is no such.
func (f *function) origin(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	for {
		call, ok := x.(*ast.CallExpr)
		if !ok {
			return x
		}
		name := reflected(history.Callee(f.pkg.Info, call))
		if !navigation[name] {
			return nil
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.pkg.Info.Selections[sel] != nil {
			if name == "Elem" && reflected(callee(f, sel.X)) != "ValueOf" {
				return nil // what a field points to is another object
			}
			x = ast.Unparen(sel.X)
		} else if len(call.Args) == 1 {
			x = ast.Unparen(call.Args[0])
		} else {
			return nil
		}
	}
}

// callee is the function that an expression calls, if it is a call of a known one.
func callee(f *function, x ast.Expr) *types.Func {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		return history.Callee(f.pkg.Info, call)
	}
	return nil
}
