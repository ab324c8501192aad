package gen

import (
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// Wrong makes an expression that makes no sense, or none yet, for a frame of a pause, as people type while they think: an operation on
// an operand that it is not for, of variables that have no value so far, of a function as if it were a value, of what there is not, or
// one that is not finished. It never calls what leaves a trace. What a debugger answers is its own choice, but for a failure inside of it.
//
// It takes operands of all kinds and puts them into all forms of the specification's section Expressions without asking for
// types, so that each rule about types is broken in turn.
func Wrong(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) (string, bool) {
	w := newWrong(r, src, p, frame)
	if w == nil {
		return "", false
	}
	text := w.operand()
	for range r.IntN(3) { // a name alone may have no value, or not be there
		if text = w.form(text); len(text) > maxText {
			return "", false
		}
	}
	return text, true
}

// newWrong looks at a frame of a pause; nil where there is nothing to ask for.
func newWrong(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) *wrong {
	if frame >= len(p.Stack) || src.Pkg == nil {
		return nil
	}
	e := newExprs(r, src, p, frame)
	if e == nil {
		// Outside of the program's own source there is nothing that it would know.
		e = &exprs{r: r, src: src}
	}
	w := &wrong{exprs: e}
	if frame == 0 {
		w.shown = shownNames(p.Scopes)
		if unreadable := Unreadable(p); len(unreadable) > 0 && r.IntN(2) == 0 {
			w.shown = unreadable // of which anything may be asked
		}
	} else if e.at.File != "" {
		w.shown = src.Locals(e.at)
	}
	return w
}

// Unreadable are the expressions of what a pause shows that has no value that the debugger could read, and of what it is shown to
// point to, which clients are given no names of.
func Unreadable(p *dap.Pause) (all []string) {
	for _, v := range having(p, func(v *dap.Variable) bool { return strings.Contains(v.Value, "unreadable") }) {
		pointers := 0
		if n, is := v.Unreadable(); is {
			pointers = n
		}
		for n := range 1 + pointers {
			all = append(all, strings.Repeat("*", n)+v.EvaluateName())
		}
	}
	return all
}

// itsNames are the expressions that come with some of what a pause shows, and with parts of it.
func itsNames(p *dap.Pause, wanted func(v *dap.Variable) bool) (all []string) {
	for _, v := range having(p, wanted) {
		all = append(all, v.EvaluateName())
	}
	return all
}

// having are the variables that come with an expression of some of what a pause shows, and of parts of it.
func having(p *dap.Pause, wanted func(v *dap.Variable) bool) (all []*dap.Variable) {
	var walk func(list []dap.Variable)
	walk = func(list []dap.Variable) {
		for i := range list {
			v := &list[i]
			if v.EvaluateName() != "" && wanted(v) {
				all = append(all, v)
			}
			walk(v.Children)
		}
	}
	for i := range p.Scopes {
		walk(p.Scopes[i].Vars)
	}
	return all
}

// shownNames are the names of the variables of scopes, and of their parts.
func shownNames(scopes []dap.Scope) []string {
	var names []string
	for _, s := range scopes {
		for _, v := range s.Vars {
			name := strings.Trim(v.Name, "()")
			names = append(names, name)
			for i, c := range v.Children {
				if i < 3 && c.Name != "" && !strings.ContainsAny(c.Name, "[]() ") {
					names = append(names, name+"."+c.Name)
				}
			}
		}
	}
	return names
}

type wrong struct {
	*exprs
	shown []string
}

// operand is anything that may stand in an expression, with the same chance for each kind.
func (w *wrong) operand() string {
	scope := w.src.Pkg.Scope()
	switch w.r.IntN(8) {
	case 0, 1, 2:
		if len(w.shown) > 0 {
			return pick(w.r, w.shown)
		}
	case 3:
		if len(w.atoms) > 0 {
			return w.within(pick(w.r, w.atoms)).text
		}
	case 4: // a function, a type or a variable of the program
		if names := scope.Names(); len(names) > 0 {
			name := pick(w.r, names)
			return pick(w.r, []string{name, w.src.Pkg.Name() + "." + name})
		}
	case 5:
		return pick(w.r, []string{"nil", "true", "int", "error", "any", "interface{}", "[]int", "map[string]int", "func()", "struct{}", "len", "append", "make", "_", "nosuch", w.src.Pkg.Name(), "runtime.curg", "unsafe.Pointer"})
	case 6:
		return pick(w.r, literals).text
	}
	return pick(w.r, []string{"9223372036854775807", "9223372036854775808", "1e400", "-1", "0", "0x1p-2000", "'\\''", "\"\\xff\"", "(1 << 62)", "(1 << 100)", "2i"})
}

// unfinished are what stands there while somebody types.
var unfinished = []string{"", "(", "%s.", "%s[", "%s[1", "%s +", "%s.(", "%s{", "*", "&", "\"", "'", "%s == ", "%s; %s", "%s, %s", "[]", "func", "/* ", "%s @ 1", "%s...", "<-", "go %s", "…"}

// forms is how many forms there are for [wrong.formed], those that come more often counted so often.
const forms = 16

// form puts an operand into one of the language's forms, with other operands beside it.
func (w *wrong) form(x string) string { return w.formed(x, w.r.IntN(forms)) }

// formed puts one into the nth form.
func (w *wrong) formed(x string, n int) string {
	y, z := w.operand(), w.operand()
	switch n {
	case 0, 1, 2:
		return x + "." + w.member()
	case 3:
		return x + "[" + y + "]"
	case 4:
		return filled(pick(w.r, []string{"%s[%s:%s]", "%s[%s:]", "%s[:%s]", "%s[%s:%s:1]", "%s[::]"}), x, y, z)
	case 5:
		return pick(w.r, []string{"*", "**", "&", "-", "!", "^", "+", "<-", "&*", "*&"}) + x
	case 6:
		return x + ".(" + y + ")"
	case 7, 8, 9:
		return "(" + x + " " + pick(w.r, []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&^", "&&", "||", "==", "!=", "<", "<=", ">", ">="}) + " " + y + ")"
	case 10:
		operands := []string{x, y, z}[:w.r.IntN(4)]
		return pick(w.r, []string{"len", "cap", "min", "max", "real", "imag", "complex", "new", "make", "append", "copy", "delete", "clear", "close", "panic", "print", "recover"}) + "(" + strings.Join(operands, ", ") + ")"
	case 11:
		return pick(w.r, []string{"int", "uint8", "float64", "complex64", "string", "bool", "[]byte", "[]rune", "error", "*int", "(*int)", "(**uint8)", "[4]int", "chan int", "map[int]int", "interface{}", "uintptr"}) + "(" + x + ")"
	case 12: // a call that is not announced, which changes nothing
		return x + "(" + y + ")"
	case 13:
		return filled(pick(w.r, []string{"[]int{%s}", "map[string]int{%s: %s}", "struct{ a int }{%s}", "[2]string{%s, %s}", "%s{%s}", "%s{}", "func() int { return %s }", "func() int { return %s }()", "[...]int{%s}"}), x, y)
	case 14:
		if call := w.misfit(y, z); call != "" {
			return call
		}
	case 15:
		return filled(pick(w.r, unfinished), x, y)
	}
	return filled(pick(w.r, []string{"runtime.frame(%s).%s", "runtime.curg.%s", "%s.%s", "'%s'.%s", "\"%s\".%s"}), pick(w.r, []string{"0", "1", "99", "-1", x}), y)
}

// filled puts operands into the places of a form, which are %s, in their order.
func filled(form string, operands ...string) string {
	for _, x := range operands {
		form = strings.Replace(form, "%s", x, 1)
	}
	return form
}

// member is what a selector may ask for: a field or a method of the program's types, a variable of it, or nothing that there is.
func (w *wrong) member() string {
	names := []string{"nosuch", "_", "x", "Error", "String", "(int)", "(data)", "0"}
	scope := w.src.Pkg.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if s, ok := t.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				names = append(names, f.Name())
			}
		}
		if n, ok := t.Type().(*types.Named); ok {
			for m := range n.Methods() {
				names = append(names, m.Name())
			}
		}
	}
	// A debugger may let a function value be asked for what it captures.
	for _, name := range w.shown {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "&"), ".")
		names = append(names, name)
	}
	return pick(w.r, names)
}

// misfit calls a function that leaves no trace with operands that it is not for.
func (w *wrong) misfit(operands ...string) string {
	if w.pure == nil {
		w.pure = newPurity(w.src)
	}
	var can []string
	for _, f := range w.src.Funcs() {
		if fn, ok := w.src.Info.Defs[f.Decl.Name].(*types.Func); ok && fn.Signature().Recv() == nil && w.pure.function(fn) {
			can = append(can, fn.Name())
		}
	}
	// What an operand calls is announced by that as well, and need not be without a trace.
	if len(can) == 0 || slices.ContainsFunc(operands, func(x string) bool { return strings.Contains(x, "(") }) {
		return ""
	}
	return "call " + pick(w.r, can) + "(" + strings.Join(operands[:w.r.IntN(len(operands)+1)], ", ") + ")"
}
