package transform

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// A Relation says how what a debugger shows of a rewritten program follows from
// what it shows of the original. Old and New are the two sources; the lines go
// by the map of the edits. Line numbers in it are those of the old files, where
// //line directives do not count.
type Relation struct {
	Old, New *source.Source
	Lines    *srcedit.Map

	// Own are the variables that the rewrite has added. They are left out of the
	// comparison, but those in Shown must be shown.
	Own   map[string]bool
	Shown []Shown
	// OwnFuncs are the functions that the rewrite has added, by the names that
	// debuggers use. Their frames are left out, and steps pass through them.
	OwnFuncs map[string]bool
	// Funcs are functions that have another name now.
	Funcs []FuncName
	// Outermost: functions are compared by the declared function around them,
	// since literals have come or gone and are numbered anew (tolerance
	// numbered-literals).
	Outermost bool
	// Renamed are variables that have another name now.
	Renamed []VarName
	// Captured are ranges that have become function literals: there, variables
	// from outside are shown only if they are used.
	Captured []Captured
	// Shadowed are blocks in which a variable is now covered by another.
	Shadowed []Shadowed
	// Vague are lines at which neither run need pause, and whose variables are
	// not compared when one does.
	Vague map[srcedit.Line]bool
	// Bottom is a function below which stacks are not compared; where it
	// returns, the comparison ends.
	Bottom string
	// Package is the path under which debuggers now show the names of package
	// main, where that is another.
	Package string
	// Test is the name of the test that main has become.
	Test string
	// Stdout is what the program prints on top.
	Stdout string
	// wrappers are functions that the compiler makes for the rewrite.
	wrappers []*regexp.Regexp
	// rangeFunc are loops over functions of the rewrite's: below the body's frame
	// and the iterator's lies the one of the loop itself, which is left out.
	rangeFunc []Lines
}

// Lines of a file, first and last included.
type Lines struct {
	File        string
	First, Last int
}

func (r Lines) has(l srcedit.Line) bool {
	return l.File == r.File && l.Line >= r.First && l.Line <= r.Last
}

// Shown is a variable of the rewrite's own that must be shown in a function,
// with its value.
type Shown struct {
	In                Lines
	Func              string // in the new program
	Name, Type, Value string
}

// FuncName is a function that debuggers show under another name now. From is a
// pattern of the new name; it holds for frames that lie in a range.
type FuncName struct {
	In   Lines
	Old  string
	From *regexp.Regexp
}

// VarName is a variable that has another name now.
type VarName struct {
	In       Lines
	Old, New string
}

// Captured is a range that has become a function literal, and the variables
// that it uses.
type Captured struct {
	In    Lines
	Names map[string]bool
}

// Shadowed is a range in which a variable is covered by another of its name.
type Shadowed struct {
	In   Lines
	Name string
}

// forward is where a place of the old program is in the new one.
func (r *Relation) forward(p source.Place) (source.Place, bool) {
	file, line, ok := r.Old.Physical(p)
	if !ok {
		return p, true
	}
	to, ok := r.Lines.Forward(srcedit.Line{File: file, Line: line})
	if !ok {
		return source.Place{}, false
	}
	return r.New.Named(to.File, to.Line), true
}

// back is the old line that a place of the new program stems from: as a place,
// and as a line of a file. It is not ok if the rewrite owns the line.
func (r *Relation) back(p source.Place) (old source.Place, line srcedit.Line, ok bool) {
	file, n, ok := r.New.Physical(p)
	if !ok {
		file, n = p.File, p.Line // such as the file of a new package
	}
	from, ok := r.Lines.Back(srcedit.Line{File: file, Line: n})
	if !ok {
		return source.Place{}, from, false
	}
	return r.Old.Named(from.File, from.Line), from, true
}

func placeOf(f dap.Frame) source.Place { return source.Place{File: f.File, Line: f.Line} }

// owned tells whether a frame of the new program is at a line of the rewrite's.
func (r *Relation) owned(f dap.Frame) bool {
	_, _, ok := r.back(placeOf(f))
	return !ok
}

// ownFunc tells whether a frame is in a function of the rewrite's.
func (r *Relation) ownFunc(f dap.Frame) bool {
	name := r.unpackage(f.Func)
	for _, w := range r.wrappers {
		if w.MatchString(name) {
			return true
		}
	}
	return r.OwnFuncs[outermost(name)]
}

var (
	literalPart = regexp.MustCompile(`(\.func\d+|\.gowrap\d+|\.deferwrap\d+|-range\d+|-fm$).*$`)
	// numberPart is a literal in a function that a name has been put in place of;
	// functions named init are numbered as well.
	numberPart = regexp.MustCompile(`(\.init\.\d+)?(\.\d+)?$`)
	typeArgs   = regexp.MustCompile(`\[.*\]`)
)

// outermost is the declared function around a function literal, without type
// arguments.
func outermost(name string) string {
	name = typeArgs.ReplaceAllString(literalPart.ReplaceAllString(name, ""), "")
	return numberPart.ReplaceAllString(name, "$1")
}

// oldFunc is the function of a frame of the new program as the old one named it.
func (r *Relation) oldFunc(f dap.Frame) string {
	name := f.Func
	_, line, ok := r.back(placeOf(f))
	for _, c := range r.Funcs {
		if !ok || !c.In.has(line) {
			continue
		}
		if m := c.From.FindStringIndex(name); m != nil && m[0] == 0 {
			name = c.Old + name[m[1]:]
			break
		}
	}
	return r.unpackage(name)
}

func (r *Relation) funcName(name string) string {
	if r.Outermost {
		return outermost(name)
	}
	return name
}

// unpackage puts main back where the package has another path now.
func (r *Relation) unpackage(text string) string {
	if r.Package == "" {
		return text
	}
	return strings.ReplaceAll(text, r.Package+".", "main.")
}

// raw turns the number of a frame as the old program has it into the number in
// the new one's stack.
func (r *Relation) raw(was, p *dap.Pause, frame int) int {
	if p == nil {
		return frame
	}
	if was != nil {
		for i := range min(frame, len(was.Stack)) {
			if i > 0 && panicking(was.Stack[i]) {
				frame--
			}
		}
	}
	n := 0
	for i := range p.Stack {
		if r.dropped(p.Stack, i) {
			continue
		}
		if n == frame {
			return i
		}
		n++
	}
	return frame + len(p.Stack) - n
}

// dropped tells whether a frame of the new program has no counterpart.
func (r *Relation) dropped(stack []dap.Frame, i int) bool {
	if r.ownFunc(stack[i]) || i > 0 && (r.owned(stack[i]) || panicking(stack[i])) {
		return true
	}
	if i > 1 && r.ownFunc(stack[i-1]) {
		_, line, _ := r.back(placeOf(stack[i]))
		for _, loop := range r.rangeFunc {
			if loop.has(line) {
				return true
			}
		}
	}
	return false
}

// action is what to do with the new program for an action of the base, which
// was done at the pause was, while the new one is paused at now. It is not ok if
// there is nothing to do.
func (r *Relation) action(a dap.Action, was, now *dap.Pause) (dap.Action, bool) {
	at := source.Place{File: a.File, Line: a.Line}
	switch a.Kind {
	case dap.Break, dap.Unbreak:
		to, ok := r.forward(at)
		if !ok {
			return a, false
		}
		a.File, a.Line = to.File, to.Line
		a.Condition = r.rename(a.Condition, at)
		a.Log = r.renameLog(a.Log, at)
	case dap.Resend:
		// Its breakpoints may be in several files now; sending them once more in
		// their order is all that is left of it.
		if a.File != "" {
			to, ok := r.forward(source.Place{File: a.File, Line: 1})
			if !ok || to.File != a.File {
				return a, false
			}
		}
	case dap.FuncBreak, dap.FuncUnset:
		if r.Package != "" {
			a.Name = r.Package + strings.TrimPrefix(a.Name, "main")
		}
	case dap.Disas, dap.InstBreak, dap.InstUnset:
		return a, false // instructions are others
	case dap.Stack:
		if was != nil && r.Vague[r.physical(placeOf(was.Top()))] {
			return a, false
		}
		a.Page = 0 // pages hold other frames where some are left out
	case dap.Evaluate, dap.SetVar, dap.Vars:
		if was != nil && r.Vague[r.physical(placeOf(was.Top()))] {
			return a, false
		}
		if was != nil && a.Frame < len(was.Stack) {
			at = placeOf(was.Stack[a.Frame])
			if r.special(at) && a.Kind != dap.Vars {
				return a, false
			}
			if r.special(at) && a.Frame > 0 {
				return a, false
			}
		}
		if a.Kind != dap.Vars {
			a.Name = r.rename(a.Name, at)
		}
		a.Frame = r.raw(was, now, a.Frame)
	}
	return a, true
}

// special tells whether other variables are in scope at a place of the old
// program than before, or the line is vague.
func (r *Relation) special(p source.Place) bool {
	l := r.physical(p)
	for _, c := range r.Captured {
		if c.In.has(l) {
			return true
		}
	}
	for _, s := range r.Shadowed {
		if s.In.has(l) {
			return true
		}
	}
	return r.Vague[l]
}

func (r *Relation) physical(p source.Place) srcedit.Line {
	file, line, ok := r.Old.Physical(p)
	if !ok {
		return srcedit.Line{File: p.File, Line: p.Line}
	}
	return srcedit.Line{File: file, Line: line}
}

// rename puts new names into an expression that stands at an old place.
func (r *Relation) rename(expr string, at source.Place) string {
	l := r.physical(at)
	for _, v := range r.Renamed {
		if expr != "" && v.In.has(l) {
			expr = renameIn(expr, v.Old, v.New)
		}
	}
	if r.Package != "" {
		expr = regexp.MustCompile(`\bmain\.`).ReplaceAllString(expr, r.Package+".")
	}
	return expr
}

var logPart = regexp.MustCompile(`\{[^{}]*\}`)

// renameLog puts new names into the expressions of a log message.
func (r *Relation) renameLog(message string, at source.Place) string {
	return logPart.ReplaceAllStringFunc(message, func(s string) string {
		return "{" + r.rename(s[1:len(s)-1], at) + "}"
	})
}

// renameIn renames the identifiers of an expression that are neither fields nor
// keys. What is no Go expression is left as it is.
func renameIn(expr, old, name string) string {
	prefix := ""
	if rest, ok := strings.CutPrefix(expr, "call "); ok {
		prefix, expr = "call ", rest
	}
	x, err := parser.ParseExpr(expr)
	if err != nil {
		return prefix + expr
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == old {
					id.Name = name
				}
				_, sel := n.(*ast.SelectorExpr)
				return !sel
			})
			if _, ok := n.X.(*ast.SelectorExpr); ok {
				return true
			}
			return false
		case *ast.Ident:
			if n.Name == old {
				n.Name = name
			}
		}
		return true
	})
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), x); err != nil {
		return prefix + expr
	}
	return prefix + b.String()
}

// expect is what the new program must show where the old one showed o.
func (r *Relation) expect(o *dap.Output, at dap.Frame) *dap.Output {
	e := *o
	if b := o.Breakpoint; b != nil {
		c := *b
		if to, ok := r.forward(source.Place{File: b.File, Line: b.Line}); ok && b.File != "" {
			c.File, c.Line = to.File, to.Line
		}
		e.Breakpoint = &c
	}
	if p := o.Pause; p != nil {
		q := *p
		q.Stack = r.expectStack(p.Stack)
		q.Hit = nil
		for _, h := range p.Hit {
			q.Hit = append(q.Hit, r.expectHit(h))
		}
		slices.Sort(q.Hit)
		q.Scopes = r.expectScopes(p.Scopes, p.Top())
		e.Pause = &q
	}
	if o.Exit != nil {
		x := *o.Exit
		x.Stdout += r.Stdout
		e.Exit = &x
	}
	e.Logs = nil
	for _, m := range o.Logs {
		if place, text, ok := strings.Cut(m, ": "); ok {
			m = r.expectHit(place) + ": " + text
		}
		m, _, _ = strings.Cut(m, "internal/abi.Type {")
		e.Logs = append(e.Logs, m)
	}
	e.Stack = r.expectStack(o.Stack)
	e.Scopes = r.expectScopes(o.Scopes, at)
	if o.Value != nil {
		v := r.expectVar(*o.Value, at)
		e.Value = &v
	}
	r.common(&e)
	return &e
}

// common leaves out of both outputs what a rewrite changes by its nature:
// instructions, and texts in which names and lines stand.
func (r *Relation) common(o *dap.Output) {
	o.Changed = nil
	if o.Kind == dap.Refused {
		o.Text = ""
	}
	if r.Outermost || len(r.Funcs) > 0 || r.Bottom != "" || len(r.OwnFuncs) > 0 || r.Package != "" {
		o.Threads = nil
	}
	if o.Breakpoint != nil {
		o.Breakpoint.Message = ""
	}
}

func (r *Relation) expectHit(h string) string {
	i := strings.LastIndex(h, ":")
	if i < 0 || strings.HasPrefix(h, "func ") || strings.HasPrefix(h, "inst ") {
		return h
	}
	n := 0
	for _, c := range h[i+1:] {
		if c < '0' || c > '9' {
			return h
		}
		n = n*10 + int(c-'0')
	}
	if to, ok := r.forward(source.Place{File: h[:i], Line: n}); ok {
		return to.String()
	}
	return h
}

// panicking tells whether a frame is one of those through which the runtime
// panics. Which they are depends on how the compiler checks (tolerance
// panic-frames).
func panicking(f dap.Frame) bool {
	return strings.HasPrefix(f.File, "$GOROOT/src/runtime/") && strings.Contains(strings.ToLower(f.Func), "panic") ||
		f.Func == "runtime.sigpanic" || f.Func == "runtime.goPanicIndex"
}

func (r *Relation) expectStack(stack []dap.Frame) []dap.Frame {
	var out []dap.Frame
	for i, f := range stack {
		if i > 0 && panicking(f) {
			continue
		}
		name := f.Func
		if to, ok := r.forward(placeOf(f)); ok {
			f.File, f.Line = to.File, to.Line
		}
		f.Func = r.funcName(f.Func)
		out = append(out, f)
		if r.Bottom != "" && name == r.Bottom {
			break
		}
	}
	return out
}

// expectScopes takes in what is shown in a frame of the old program.
func (r *Relation) expectScopes(scopes []dap.Scope, at dap.Frame) []dap.Scope {
	l := r.physical(placeOf(at))
	var out []dap.Scope
	for _, s := range scopes {
		t := dap.Scope{Name: s.Name}
		for _, v := range s.Vars {
			if !r.compared(v.Name, l) {
				continue
			}
			t.Vars = append(t.Vars, r.expectVar(v, at))
		}
		sortVars(t.Vars)
		out = append(out, t)
	}
	return out
}

// compared tells whether a variable of that name is compared at an old line.
func (r *Relation) compared(name string, l srcedit.Line) bool {
	if r.Vague[l] || strings.HasPrefix(name, ".") {
		return false // tolerance compiler-temporaries: such as .autotmp_3
	}
	for _, c := range r.Captured {
		if c.In.has(l) && !c.Names[bareName(name)] {
			return false
		}
	}
	return true
}

func bareName(name string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(name, "("), ")"), "&")
}

func sortVars(vs []dap.Variable) {
	slices.SortStableFunc(vs, func(a, b dap.Variable) int { return cmp.Compare(a.Name, b.Name) })
}

func (r *Relation) expectVar(v dap.Variable, at dap.Frame) dap.Variable {
	l := r.physical(placeOf(at))
	for _, n := range r.Renamed {
		if n.In.has(l) && bareName(v.Name) == n.Old {
			v.Name = strings.Replace(v.Name, n.Old, n.New, 1)
		}
	}
	return r.value(r.renameCaptured(v))
}

// funcLike tells whether a variable is shown as a function.
func funcLike(v dap.Variable) bool {
	return v.Value == "a function" || strings.HasPrefix(v.Type, "func(") || funcValue.MatchString(v.Value)
}

// renameCaptured renames the variables that are shown in a function's value.
func (r *Relation) renameCaptured(v dap.Variable) dap.Variable {
	if len(r.Renamed) == 0 || len(v.Children) == 0 {
		return v
	}
	children := make([]dap.Variable, len(v.Children))
	for i, c := range v.Children {
		for _, n := range r.Renamed {
			if funcValue.MatchString(v.Value) && c.Name == n.Old {
				c.Name = n.New
			}
		}
		children[i] = r.renameCaptured(c)
	}
	v.Children = children
	return v
}

// value is a variable with the names of functions in its value as they are
// compared.
func (r *Relation) value(v dap.Variable) dap.Variable {
	v.Type, v.Value, v.Name = r.unpackage(v.Type), r.unpackage(v.Value), r.unpackage(v.Name)
	if strings.Contains(v.Type, "reflect.") || strings.Contains(v.Type, "internal/abi.") {
		// What it holds are hashes and offsets, which the linker chooses.
		v.Value, v.Children = "", nil
	}
	if r.Package != "" && strings.HasSuffix(v.Value, "...") {
		v.Value = "" // cut off elsewhere, as the path is longer; the children tell
	}
	if unnamed.MatchString(v.Name) {
		v.Name = "~p" // numbered among all parameters
	}
	if r.Outermost || len(r.Funcs) > 0 {
		if strings.HasPrefix(v.Type, "func(") || strings.Contains(v.Type, "(func(") || funcValue.MatchString(v.Value) {
			v.Value = "a function"
		} else if strings.Contains(v.Value, "main.") {
			v.Value = funcInside.ReplaceAllString(v.Value, "a function")
		}
	}
	if funcLike(v) {
		// What a function captures, in an order that its numbering follows.
		v.Children = slices.Clone(v.Children)
		sortVars(v.Children)
		if len(r.wrappers) > 0 {
			v.Children = nil // a method value has a receiver
		}
	}
	if len(v.Children) > 0 {
		var children []dap.Variable
		for _, c := range v.Children {
			if strings.HasSuffix(c.Name, ".dict") {
				continue // a generic function's table of addresses
			}
			children = append(children, r.value(c))
		}
		v.Children = children
	}
	return v
}

// vagueAt tells whether a pause of the old program is at a vague line.
func (r *Relation) vagueAt(p *dap.Pause) bool {
	return p != nil && r.Vague[r.physical(placeOf(p.Top()))]
}

// vagueIn tells whether a pause of the new program is at a vague line.
func (r *Relation) vagueIn(p *dap.Pause) bool {
	if p == nil || len(r.Vague) == 0 {
		return false
	}
	_, line, ok := r.back(placeOf(p.Top()))
	return ok && r.Vague[line]
}

var unnamed = regexp.MustCompile(`^~p\d+$`)

var (
	funcValue  = regexp.MustCompile(`^[A-Za-z_][\w./-]*\.[\w.()*\[\]-]+$`)
	funcInside = regexp.MustCompile(`\bmain\.[\w.()*]+(\.func\d+|-fm)[\w.]*|: main\.\w+`)
)

// strip is what the new program shows without what is the rewrite's own. Diff
// is set if something of the rewrite's own is not as it must be.
func (r *Relation) strip(o *dap.Output, at dap.Frame) (*dap.Output, *dap.Difference) {
	e := *o
	e.Logs = nil
	for _, m := range o.Logs {
		m, _, _ = strings.Cut(m, "internal/abi.Type {") // hashes and offsets
		e.Logs = append(e.Logs, m)
	}
	var diff *dap.Difference
	if b := o.Breakpoint; b != nil {
		c := *b
		e.Breakpoint = &c
	}
	if p := o.Pause; p != nil {
		q := *p
		q.Stack = r.stripStack(p.Stack)
		q.Hit = nil
		for _, h := range p.Hit {
			q.Hit = append(q.Hit, r.unpackage(h))
		}
		slices.Sort(q.Hit)
		q.Scopes = r.stripScopes(p.Scopes, p.Top())
		if !p.Exception() {
			diff = r.shown(p)
		}
		e.Pause = &q
	}
	e.Stack = r.stripStack(o.Stack)
	e.Scopes = r.stripScopes(o.Scopes, at)
	if o.Value != nil {
		v := r.value(*o.Value)
		e.Value = &v
	}
	r.common(&e)
	return &e, diff
}

// shown checks the rewrite's own variables.
func (r *Relation) shown(p *dap.Pause) *dap.Difference {
	top := p.Top()
	_, line, ok := r.back(placeOf(top))
	if !ok {
		return nil
	}
	for _, s := range r.Shown {
		if !s.In.has(line) || r.unpackage(typeArgs.ReplaceAllString(top.Func, "")) != s.Func {
			continue
		}
		v := p.Var(s.Name)
		want := s.Type + " " + s.Value
		switch {
		case v == nil:
			return &dap.Difference{Kind: dap.DiffVariables, What: "the new variable " + s.Name, A: want, B: "not shown"}
		case v.Type != s.Type || v.Value != s.Value:
			return &dap.Difference{Kind: dap.DiffVariables, What: "the new variable " + s.Name, A: want, B: v.Type + " " + v.Value}
		}
	}
	return nil
}

func (r *Relation) stripStack(stack []dap.Frame) []dap.Frame {
	var out []dap.Frame
	for i, f := range stack {
		if r.dropped(stack, i) {
			continue
		}
		name := r.oldFunc(f)
		f.Func = r.funcName(name)
		// Of several pieces of an old line, the first stands for all.
		if old, _, ok := r.back(placeOf(f)); ok {
			if to, ok := r.forward(old); ok {
				f.File, f.Line = to.File, to.Line
			}
		}
		out = append(out, f)
		if r.Bottom != "" && name == r.Bottom {
			break
		}
	}
	return out
}

func (r *Relation) stripScopes(scopes []dap.Scope, at dap.Frame) []dap.Scope {
	_, l, _ := r.back(placeOf(at))
	var out []dap.Scope
	for _, s := range scopes {
		t := dap.Scope{Name: s.Name}
		covered := map[string]bool{}
		for _, sh := range r.Shadowed {
			if sh.In.has(l) && slices.ContainsFunc(s.Vars, func(v dap.Variable) bool { return v.Name == "("+sh.Name+")" }) {
				covered[sh.Name] = true
			}
		}
		for _, v := range s.Vars {
			if r.Own[bareName(v.Name)] || covered[v.Name] || !r.compared(r.oldName(v.Name, l), l) {
				continue
			}
			if name := bareName(v.Name); covered[name] {
				v.Name = name
			}
			t.Vars = append(t.Vars, r.value(v))
		}
		sortVars(t.Vars)
		out = append(out, t)
	}
	return out
}

func (r *Relation) oldName(name string, l srcedit.Line) string {
	for _, n := range r.Renamed {
		if n.In.has(l) && bareName(name) == n.New {
			return n.Old
		}
	}
	return name
}

// Expected is what the new program must print and return, where the old one
// prints and returns that.
func (r *Relation) Expected(stdout string) string { return stdout + r.Stdout }
