package trace

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"misstep/dap"
)

// A contradiction is something that is shown in two ways that do not agree.
type contradiction struct{ what, want, got string }

// texts holds each variable's text against itself and against its children: a number in two bases, the length of a
// slice and its elements, a struct and its fields, a map and its type, the names of types, and that a pointer is one. It returns how often they agree, and the first contradiction.
func texts(path string, vars []dap.Variable) (held int, first *contradiction) {
	for i := range vars {
		v := &vars[i]
		name := v.Name
		if path != "" {
			name = path + "." + name
		}
		for _, check := range []func(*dap.Variable) (bool, *contradiction){twoBases, elements, fields, entries, pointers, parts, typeNames} {
			able, c := check(v)
			switch {
			case c == nil && able:
				held++
			case c != nil && first == nil:
				c.what = name + c.what
				first = c
			}
		}
		n, c := texts(name, v.Children)
		held += n
		first = cmp.Or(first, c)
	}
	return held, first
}

// bothBases is a number, or the names of constants with the number, and how it is in hexadecimal.
var bothBases = regexp.MustCompile(`^(?:.*\()?(-?\d+)\)? = 0x([0-9a-f]+)$`)

func twoBases(v *dap.Variable) (able bool, _ *contradiction) {
	m := bothBases.FindStringSubmatch(cmp.Or(v.Raw, v.Value))
	if m == nil {
		return false, nil
	}
	bits, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return false, nil
		}
		bits = uint64(n)
	}
	hex, err := strconv.ParseUint(m[2], 16, 64)
	if err != nil {
		return false, nil
	}
	for _, size := range []int{64, 32, 16, 8} {
		// A negative number of a small type has few digits.
		if low := bits << (64 - size) >> (64 - size); low == hex && (size == 64 || m[1][0] == '-' && int64(bits)>>(size-1) == -1) {
			return true, nil
		}
	}
	return true, &contradiction{", in hexadecimal", fmt.Sprintf("0x%x", bits), "0x" + m[2]}
}

// complexText is the text of a complex number.
var complexText = regexp.MustCompile(`^\(([-+.\w]+) \+ ([-+.\w]+)i\)$`)

// parts holds a complex number against its two parts.
func parts(v *dap.Variable) (able bool, _ *contradiction) {
	m := complexText.FindStringSubmatch(cmp.Or(v.Raw, v.Value))
	if m == nil || len(v.Children) != 2 {
		return false, nil
	}
	for i, c := range v.Children {
		if c.Value != m[i+1] {
			return true, &contradiction{", its " + c.Name + " part", m[i+1], c.Value}
		}
	}
	return true, nil
}

// entries holds the type that the text of a map begins with against the map's own. Types with a folder in their names are
// shortened in texts, spaces between type arguments are the debugger's to choose, and what was assigned may be said again as it was given.
func entries(v *dap.Variable) (able bool, _ *contradiction) {
	text := cmp.Or(v.Raw, v.Value)
	if !strings.HasPrefix(v.Type, "map[") || strings.Contains(v.Type, "/") || !strings.HasPrefix(text, "map[") && !strings.HasPrefix(text, "[") {
		return false, nil
	}
	joined := func(s string) string { return strings.ReplaceAll(s, ", ", ",") }
	if rest, ok := strings.CutPrefix(joined(text), joined(v.Type)+" "); ok && (rest == "nil" || strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "...")) {
		return true, nil
	}
	return true, &contradiction{", its text", v.Type + " …", text}
}

// pointed is how the text of a pointer begins: with what it points to, its address, or why there is neither.
var pointed = regexp.MustCompile(`^(?:\*|\(|0x|nil\b|<|unreadable)`)

// pointersOfC are the pointers of C whose texts are those of an address in Go, or of a string.
var pointersOfC = regexp.MustCompile(`^\*(const |volatile |signed |unsigned )*(void|char)$`)

// pointers holds the text of a pointer against its type: what it points to has a star before it.
func pointers(v *dap.Variable) (able bool, _ *contradiction) {
	text := cmp.Or(v.Raw, v.Value)
	entry := strings.Contains(v.Type, ": ") // of a map, by the types of its key and its value
	if !strings.HasPrefix(v.Type, "*") || entry || text == "" || pointersOfC.MatchString(v.Type) {
		return false, nil
	}
	if pointed.MatchString(text) {
		return true, nil
	}
	return true, &contradiction{", its text", "*…", text}
}

var (
	// typeBegun is how the text of a struct begins, or of what a pointer or an interface leads to, and typeName a type there as it is shortened:
	// without the folders of its package.
	typeBegun = regexp.MustCompile(`^\*?(?:\w+\.\w+\()?\*?\w+\.\w+\)? \{`)
	typeName  = regexp.MustCompile(`\w+\.\w+`)
)

// typeNames holds the names of types in a text against those that the texts of its parts begin with: a type is named in one way. Those in
// quotes are whole, as they are of an expression that gives what is too deep to be shown.
func typeNames(v *dap.Variable) (able bool, _ *contradiction) {
	text := cmp.Or(v.Raw, v.Value)
	for i := range v.Children {
		c := &v.Children[i]
		for _, name := range typeName.FindAllString(typeBegun.FindString(cmp.Or(c.Raw, c.Value)), -1) {
			for _, as := range []string{name + " {", name + "(", name + ")"} {
				at := strings.Index(text, "/"+as)
				if at >= 0 {
					return true, &contradiction{", its text", name + ", as its part is shown", clipped(text, at)}
				}
				able = able || strings.Contains(text, as)
			}
		}
	}
	return able, nil
}

// clipped is what is around a place of a text.
func clipped(text string, at int) string {
	from, to := max(0, at-40), min(len(text), at+60)
	return "…" + text[from:to] + "…"
}

var (
	// lengths is how long a slice is said to be.
	lengths = regexp.MustCompile(`^ len: (\d+), cap: \d+, \[`)
	// further is how many elements the text says that it leaves out.
	further = regexp.MustCompile(`\.\.\.\+(\d+) more\]$`)
)

// elements counts what is loaded of a slice. A text that is cut off does not say how much that is.
func elements(v *dap.Variable) (able bool, _ *contradiction) {
	text, ok := strings.CutPrefix(cmp.Or(v.Raw, v.Value), v.Type)
	m := lengths.FindStringSubmatch(text)
	if !ok || m == nil || strings.HasPrefix(v.Type, "*") || v.Cut != "" || len(v.Children) == 0 || !strings.HasSuffix(text, "]") {
		return false, nil
	}
	length, err := strconv.Atoi(m[1])
	if err != nil {
		return false, nil
	}
	want := length
	if left := further.FindStringSubmatch(text); left != nil {
		n, err := strconv.Atoi(left[1])
		if err != nil {
			return false, nil
		}
		want -= n
	}
	n := 0
	for _, c := range v.Children {
		if strings.HasPrefix(c.Name, "[") {
			n++
		}
	}
	// Where a client asks for pages, there may be more of them than in the text.
	if (n < want || n > length) && n < onePage {
		return true, &contradiction{", its elements", strconv.Itoa(want), strconv.Itoa(n)}
	}
	return true, nil
}

// onePage is how many elements there are of a slice that may not be shown whole.
const onePage = 64

// wholeText is how many bytes the text of a value has at most that is not cut off.
const wholeText = 200

// simple are the values of which it is known how they are shown within the text of what they are part of.
var simple = regexp.MustCompile(`^(-?\d+|true|false|"[^"\\.]{0,24}")( = 0x[0-9a-f]+)?$`)

func fields(v *dap.Variable) (able bool, _ *contradiction) {
	text := cmp.Or(v.Raw, v.Value)
	if len(text) > wholeText || strings.Contains(text, "...") || !strings.HasSuffix(text, "}") {
		return false, nil
	}
	text, ok := strings.CutPrefix(text, v.Type)
	if !ok || v.Type == "" {
		return false, nil // the type may have braces as well
	}
	_, inside, ok := strings.Cut(text, "{")
	if !ok || strings.Contains(v.Type, "map[") || strings.Contains(text, "map[") {
		return false, nil
	}
	inside = ", " + strings.TrimSuffix(inside, "}") + ", "
	for _, c := range v.Children {
		m := simple.FindStringSubmatch(c.Value)
		if m == nil || !token.IsIdentifier(c.Name) || c.Raw != "" {
			continue
		}
		able = true
		// A string that is shown without quotes may look like a number.
		quoted := types.Universe.Lookup(c.Type) == nil || c.Type == "string"
		if !strings.Contains(inside, fmt.Sprintf(", %s: %s, ", c.Name, m[1])) && !(quoted && strings.Contains(inside, fmt.Sprintf(", %s: %q, ", c.Name, m[1]))) {
			return true, &contradiction{", its text", fmt.Sprintf("%s: %s, as the field is shown", c.Name, m[1]), text}
		}
	}
	return able, nil
}

// sameAs holds the answer to an expression that only names what its frame is shown with against how that is shown there.
func sameAs(scopes []dap.Scope, a dap.Action, out dap.Output) (able bool, _ *contradiction) {
	if len(scopes) == 0 || a.Context != "" || out.Kind != dap.Answered || out.Value == nil {
		return false, nil
	}
	x, err := parser.ParseExpr(a.Name)
	if err != nil {
		return false, nil
	}
	v := named(scopes, x)
	if v == nil || v.Type != out.Value.Type {
		return false, nil
	}
	want, got := head(*v), head(*out.Value)
	if want == "" || got == "" {
		return false, nil
	}
	if want != got {
		return true, &contradiction{"how " + a.Name + " is shown", want, got}
	}
	return true, nil
}

// named is the variable that a path of fields and elements names; nil if it is not shown, or reached through a
// pointer.
func named(scopes []dap.Scope, x ast.Expr) *dap.Variable {
	child := func(of ast.Expr, name string) *dap.Variable {
		v := named(scopes, of)
		if v == nil {
			return nil
		}
		for i := range v.Children {
			if v.Children[i].Name == name {
				return &v.Children[i]
			}
		}
		return nil
	}
	switch x := x.(type) {
	case *ast.Ident:
		for _, s := range scopes {
			for i := range s.Vars {
				if s.Vars[i].Name == x.Name {
					return &s.Vars[i]
				}
			}
		}
	case *ast.SelectorExpr:
		return child(x.X, x.Sel.Name)
	case *ast.IndexExpr:
		if lit, ok := x.Index.(*ast.BasicLit); ok && lit.Kind == token.INT {
			return child(x.X, "["+lit.Value+"]")
		}
	}
	return nil
}

// head is what is shown of a value before its parts; empty of one whose text depends on how much is loaded.
func head(v dap.Variable) string {
	if strings.HasPrefix(v.Type, "map[") || strings.ContainsAny(v.Type, "*(") || strings.Contains(v.Type, "chan ") || strings.Contains(v.Type, "interface") || strings.Contains(v.Value, "...") || strings.Contains(v.Value, "(0x") {
		return ""
	}
	text, ok := strings.CutPrefix(v.Value, v.Type)
	before, _, parts := strings.Cut(text, "{")
	switch {
	case ok && parts:
		return strings.TrimSpace(v.Type + before)
	case len(v.Value) > wholeText || strings.Contains(v.Value, "{"):
		return ""
	}
	return v.Value
}

// shownBy are the variables that an output shows.
func shownBy(out dap.Output) []dap.Variable {
	var vars []dap.Variable
	if out.Pause != nil {
		for _, s := range out.Pause.Scopes {
			vars = append(vars, s.Vars...)
		}
	}
	for _, s := range out.Scopes {
		vars = append(vars, s.Vars...)
	}
	if out.Value != nil {
		vars = append(vars, *out.Value)
	}
	return vars
}
