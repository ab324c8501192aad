package reference

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// values holds the variables that a pause shows against those that the program had
// there. They are compared where the pause is at the beginning of a statement that
// took a snapshot; by name, and as far down as both go.
func (j *judge) values(i int, p *dap.Pause, at int) {
	mo := j.m.Moments[at]
	s := mo.Activation.Steps[mo.Step]
	if s.Entry && len(mo.Activation.Steps) > 1 && p.Top().Line == s.First && len(p.Scopes) > 0 && !j.m.Concurrent() {
		j.entered(i, p, mo.Activation)
		return
	}
	if !s.IsClear || mo.Call > 0 || p.Top().Line != s.First || len(p.Scopes) == 0 {
		return
	}
	f := j.m.Plan.Files[j.m.Plan.Funcs[mo.Activation.Func].File]
	_, pkg := j.m.Code.Node(mo.Activation.Func)
	snap, ok := j.m.Snaps.At(j.t.Goroutine, f.Path, pkg.Fset.File(s.Node.Pos()).Offset(s.Node.Pos()), s.Nth)
	if !ok {
		j.missed("R3-value")
		return
	}
	for _, truth := range snap.Vars {
		if j.m.Concurrent() && !j.m.lasting(mo.Activation, s, truth.Name) {
			continue // another goroutine may have changed it
		}
		v := shown(p, truth.Name)
		if v == nil {
			j.check(i, "R3-value", false, dap.DiffVariables, truth.Name, "shown, as it is in scope", "not shown")
			return
		}
		if what, want, got := differ(truth, *v, truth.Name); what != "" {
			j.check(i, "R3-value", false, dap.DiffVariables, what, want, got)
			return
		}
		j.made("R3-value")
	}
}

// entered holds the names that a pause at a function's entry shows against its
// parameters, and the variables from outside that a literal uses. Their values may
// not be there yet: the compiler puts them in their places after the entry.
func (j *judge) entered(i int, p *dap.Pause, x *timeline.Activation) {
	node, pkg := j.m.Code.Node(x.Func)
	if pkg == nil || strings.Contains(p.Top().Func, "[") {
		return
	}
	var typ *ast.FuncType
	names := map[string]bool{}
	switch n := node.(type) {
	case *ast.FuncDecl:
		typ = n.Type
	case *ast.FuncLit:
		typ = n.Type
		ast.Inspect(n.Body, func(m ast.Node) bool {
			id, ok := m.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := pkg.Info.Uses[id].(*types.Var)
			if ok && !v.IsField() && v.Pos() < n.Pos() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() && v.Pkg() == pkg.Types {
				names[v.Name()] = true
			}
			return true
		})
	}
	for _, f := range typ.Params.List {
		for _, id := range f.Names {
			if id.Name != "_" {
				names[id.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		j.check(i, "R3-value", shown(p, name) != nil, dap.DiffVariables, name, "shown at the function's entry", "not shown")
		if j.dead {
			return
		}
	}
}

// shown is the variable that a pause shows under a name; the innermost of several.
func shown(p *dap.Pause, name string) *dap.Variable {
	var found *dap.Variable
	for si := range p.Scopes {
		for vi := range p.Scopes[si].Vars {
			if v := &p.Scopes[si].Vars[vi]; v.Name == name {
				found = v
			}
		}
	}
	return found
}

var (
	lenText   = regexp.MustCompile(`len: (\d+)`)
	constText = regexp.MustCompile(`^.* \((-?\d+)\)$`)
)

// A mismatch is how a value is shown differently: what of it, how it should be, and how it
// is. The zero mismatch is none.
type mismatch struct{ what, want, got string }

// differ compares a value with what is shown of it; what is empty if they agree, or
// cannot be compared.
func differ(t history.Value, v dap.Variable, name string) (what, want, got string) {
	m := compare(t, v, name)
	return m.what, m.want, m.got
}

func compare(t history.Value, v dap.Variable, name string) mismatch {
	if strings.Contains(v.Type, "reflect.") || strings.Contains(v.Type, "internal/abi.") || strings.HasPrefix(strings.TrimLeft(v.Type, "*"), "runtime.") {
		return mismatch{} // hashes, offsets and counters, which another build has differently
	}
	if strings.HasPrefix(v.Value, "(unreadable") || v.Value == "(loaded by chunks)" {
		return mismatch{name, "readable", v.Value}
	}
	bad := mismatch{name, t.Text, v.Value}
	switch t.Kind {
	case "bool":
		if v.Value != t.Text {
			return bad
		}
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
		if number(v.Value) != t.Text && v.Value != t.Text && !strings.Contains(v.Value, "|") {
			return bad
		}
	case "float32", "float64":
		if !sameFloat(t, v.Value) {
			return bad
		}
	case "string":
		if !sameString(t, v.Value) {
			return bad
		}
	case "slice", "map":
		if m := compareLength(t, v, name); m != (mismatch{}) {
			return m
		}
	case "pointer", "chan", "func", "unsafe.Pointer":
		if !sameNil(t, v.Value) {
			return bad
		}
		if t.Kind == "pointer" && len(t.Children) == 1 && len(v.Children) == 1 {
			return compare(t.Children[0], v.Children[0], "*"+name)
		}
		return mismatch{}
	case "interface":
		if isNil := strings.HasSuffix(v.Value, " nil") && !strings.HasSuffix(v.Value, ") nil"); t.Text == "nil" && !isNil {
			return bad
		}
		return mismatch{}
	}
	return compareChildren(t, v, name)
}

// compareChildren compares the parts of a value that are shown under their names.
func compareChildren(t history.Value, v dap.Variable, name string) mismatch {
	for _, c := range t.Children {
		i := slices.IndexFunc(v.Children, func(w dap.Variable) bool { return w.Name == c.Name && c.Name != "_" })
		if i < 0 {
			continue
		}
		if m := compare(c, v.Children[i], name+join(c.Name)); m != (mismatch{}) {
			return m
		}
	}
	return mismatch{}
}

// sameFloat reports whether a number is shown as what it is; what is no number proves
// nothing.
func sameFloat(t history.Value, shown string) bool {
	bits := 64
	if t.Kind == "float32" {
		bits = 32
	}
	a, err := strconv.ParseFloat(t.Text, bits)
	b, err2 := strconv.ParseFloat(shown, bits)
	return err != nil || err2 != nil || a == b || a != a && b != b
}

// wholeString is the length up to which a debugger shows strings whole.
const wholeString = 512

// sameString reports whether a string is shown as what it is, or as a beginning of it.
func sameString(t history.Value, shown string) bool {
	whole, err := strconv.Unquote(t.Text)
	shown, _, cut := strings.Cut(shown, `"...+`)
	if cut {
		shown += `"`
	}
	text, err2 := strconv.Unquote(shown)
	switch {
	case err != nil || err2 != nil:
		return true
	case !cut && t.Len <= wholeString:
		return text == whole
	}
	return strings.HasPrefix(whole, text) || strings.HasPrefix(text, whole)
}

// compareLength compares how many elements or entries are shown, and whether there is a
// slice or a map at all.
func compareLength(t history.Value, v dap.Variable, name string) mismatch {
	isNil := strings.HasSuffix(v.Value, " nil") || v.Value == "nil"
	if t.Text == "nil" != isNil && t.Len == 0 && strings.Contains(v.Value, "len:") == (t.Kind == "slice") {
		return mismatch{name, map[bool]string{true: "nil", false: "not nil"}[t.Text == "nil"], v.Value}
	}
	if m := lenText.FindStringSubmatch(v.Value); m != nil && t.Kind == "slice" && m[1] != strconv.Itoa(t.Len) {
		return mismatch{name, fmt.Sprintf("%d elements", t.Len), v.Value}
	}
	if t.Kind == "map" {
		for _, c := range v.Children {
			if c.Name == "len()" && c.Value != strconv.Itoa(t.Len) {
				return mismatch{name, fmt.Sprintf("%d entries", t.Len), c.Value}
			}
		}
	}
	return mismatch{}
}

// sameNil reports whether what points to something is shown so, and what does not as nil.
func sameNil(t history.Value, shown string) bool {
	isNil := shown == "nil" || strings.HasSuffix(shown, " nil") || strings.HasSuffix(shown, "(nil)")
	if t.Text == "nil" {
		return isNil || shown == "0" || strings.HasPrefix(shown, "unsafe.Pointer(0")
	}
	return !isNil || strings.Contains(shown, "{")
}

// number is the number of what is shown as one.
func number(s string) string {
	s, _, _ = strings.Cut(s, " = ") // decimal and hexadecimal
	if m := constText.FindStringSubmatch(s); m != nil {
		return m[1] // a named constant and its number
	}
	return s
}

func join(name string) string {
	if strings.HasPrefix(name, "[") {
		return name
	}
	return "." + name
}
