package reference

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
	"misstep/internal/source"
)

// A frame is one of the program's own functions on a stack.
type frame struct {
	file int
	line int
	funs []int // that it may be
	// panicked says that a panic has interrupted it, or one that it called, and that functions
	// which were deferred run above it.
	panicked bool
	body     bool // of a loop over a function, which is a function of the compiler's
}

// is reports whether a frame may be an activation's.
func (f frame) is(x *timeline.Activation) bool {
	return x != nil && slices.Contains(f.funs, x.Func) && f.body == (x.Of != nil)
}

// bodyName is the end of what the compiler calls the bodies of loops over functions, after the name of the function that
// they are in.
var bodyName = regexp.MustCompile(`-range\d+$`)

// isBody reports whether a function's name is that of the body of a loop over a function.
func isBody(name string) bool { return bodyName.MatchString(source.WithoutTypes(name)) }

// frames are the recorded functions on a stack, innermost first.
func (m *Model) frames(p *dap.Pause) []frame {
	var out []frame
	panicked := false
	for n, f := range p.Stack {
		if i, ok := m.Files[f.File]; ok && !m.wrapper(p, n) {
			out = append(out, frame{i, f.Line, m.functionsAt(f), panicked && len(out) > 0, isBody(f.Func)})
			panicked = false
		}
		panicked = panicked || panics(f)
	}
	return out
}

// panics reports whether a frame is the runtime's that executes deferred functions of a panic.
func panics(f dap.Frame) bool { return f.Func == "runtime.gopanic" || f.Func == "runtime.Goexit" }

// functionsAt are the functions that a frame may be in, by its line and, where several are
// there, by its name.
func (m *Model) functionsAt(f dap.Frame) []int {
	all := m.Candidates(f.File, f.Line)
	if named := slices.DeleteFunc(slices.Clone(all), func(fn int) bool { return !m.goesBy(fn, f.Func) }); len(named) > 0 {
		return named
	}
	return all
}

// literalName is where the name of a function ends in which a literal stands.
var literalName = regexp.MustCompile(`\.(func\d|gowrap\d|deferwrap\d|glob\.\.|init\.func|init\.\d)`)

// initName is what the compiler puts after the name of a function init, of which there may be several.
var initName = regexp.MustCompile(`^\.\d+$`)

// plainName is a function's name without type arguments and without the folders of its
// package, which debuggers leave out.
func plainName(s string) string {
	s = source.WithoutTypes(s)
	return s[strings.LastIndexByte(s, '/')+1:]
}

// goesBy reports whether a debugger may call a recorded function so. What literals are called
// follows from how the compiler counts them, and where it inlines.
func (m *Model) goesBy(fn int, name string) bool {
	name = bodyName.ReplaceAllString(plainName(name), "")
	f := m.Plan.Funcs[fn]
	is := plainName(f.Name)
	if name == is {
		return true // also of a method that is called as a literal could be
	}
	if f.Literal {
		around := enclosing(is)
		if around == is || strings.HasSuffix(around, ".init") || strings.HasSuffix(around, ".glob.") {
			return literalName.MatchString(name) || strings.Contains(name, "-range")
		}
		return name != around && literalSuffix.ReplaceAllString(name, "") == literalSuffix.ReplaceAllString(around, "")
	}
	return strings.HasSuffix(is, ".init") && initName.MatchString(strings.TrimPrefix(name, is))
}

// enclosing is the name of the declared function that a recorded literal stands in.
func enclosing(literal string) string {
	for {
		around, ok := strings.CutSuffix(literal, ".func")
		if !ok {
			return literal
		}
		literal = around
	}
}

// wrapper reports whether a frame is a function that the program does not have: one of C, or that the compiler has made: an instance of a
// generic function that only calls the function for its shape, which is the frame above; what
// go and defer statements start; the value of a method of a generic type.
func (m *Model) wrapper(p *dap.Pause, n int) bool {
	f := p.Stack[n]
	if f.InC() {
		return true // in front of import "C", in a file of Go
	}
	if strings.Contains(f.Func, ".gowrap") || strings.Contains(f.Func, ".deferwrap") {
		return true
	}
	if literalName.MatchString(plainName(f.Func)) {
		// No literal is there. Before Go 1.21, what go and defer statements start was called as one.
		// A declared function may have such a name, too.
		all := m.Candidates(f.File, f.Line)
		return len(all) > 0 && !slices.ContainsFunc(all, func(fn int) bool {
			return m.Plan.Funcs[fn].Literal || m.goesBy(fn, f.Func)
		})
	}
	if n == 0 && strings.Contains(f.Func, "[") && !strings.Contains(f.Func, "[go.shape.") && !strings.Contains(f.Func, "[...]") {
		return m.generic(f.File, f.Line)
	}
	if n == 0 || !strings.Contains(f.Func, "[") || !strings.Contains(p.Stack[n-1].Func, "[go.shape.") || strings.Contains(f.Func, "[go.shape.") {
		return false
	}
	return plainName(f.Func) == plainName(p.Stack[n-1].Func)
}

// generic reports whether a line is of a generic function or method.
func (m *Model) generic(file string, line int) bool {
	for _, fn := range m.Candidates(file, line) {
		node, pkg := m.Code.Node(fn)
		if d, ok := node.(*ast.FuncDecl); ok && pkg != nil && parameterised(pkg, d) {
			return true
		}
	}
	return false
}

// parameterised reports whether a function or method has type parameters, so that there are as many
// of it as it has instances.
func parameterised(pkg *history.Package, d *ast.FuncDecl) bool {
	fn, ok := pkg.Info.Defs[d.Name].(*types.Func)
	return ok && (fn.Signature().TypeParams() != nil || fn.Signature().RecvTypeParams() != nil)
}

// own reports whether a pause is in the program's code.
func (m *Model) own(p *dap.Pause) bool {
	if len(p.Stack) == 0 {
		return false
	}
	_, ok := m.Files[p.Top().File]
	return ok && !m.wrapper(p, 0)
}

func place(p *dap.Pause) string {
	var fs []string
	for _, f := range p.Stack {
		if !strings.HasPrefix(f.File, "$GOROOT") && f.File != "" {
			fs = append(fs, fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line))
		}
	}
	return strings.Join(fs, " < ")
}

// names judges what the functions on the stack at a moment are called.
func (j *judge) names(i int, p *dap.Pause, at int) {
	x := j.m.Moments[at].Activation
	for n, f := range p.Stack {
		if panics(f) {
			return // what has panicked is not among the callers
		}
		if _, own := j.m.Files[f.File]; !own || j.m.wrapper(p, n) || x == nil {
			continue
		}
		for n > 0 && x.Parent != nil && x.Abrupt && !j.m.goesBy(x.Func, f.Func) {
			x = x.Parent // see fitsAt
		}
		if !j.m.goesBy(x.Func, f.Func) || isBody(f.Func) != (x.Of != nil) {
			j.check(i, "R1-pause", false, dap.DiffStack, fmt.Sprintf("the function of frame %d", n), j.m.Plan.Funcs[x.Func].Name, f.Func)
			return
		}
		x = x.Parent
	}
}
