package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/history"
)

// A Subject is what is looked at: objects of a run, variables, or functions.
type Subject struct {
	// Name is how it is shown.
	Name string
	// Type is the objects' type, without a pointer's star; nil if that is not known.
	Type types.Type
	// Instances are the objects; Vars the variables that are themselves looked at;
	// Funcs the functions, by number.
	Instances map[*history.Instance]bool
	Vars      map[types.Object]bool
	Funcs     map[int]bool
	// Made are the places where the objects are made, or the variables declared.
	Made []token.Position
	// Exprs are expressions that gave the objects, where what is not recorded made them.
	Exprs []Expr
	// Field is the only field of interest, or empty.
	Field string
	// Outside are packages of other modules that are not recorded, and are given the
	// objects.
	Outside []string
	// Note says what was chosen among several, or is empty.
	Note string
}

// An Expr is an expression of a file set.
type Expr struct {
	Fset *token.FileSet
	Expr ast.Expr
}

// An UnknownError says that there is no such object, and which there are near it.
type UnknownError struct {
	Object, Reason string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("no object %s: %s", e.Object, e.Reason) }

var (
	instanceName = regexp.MustCompile(`^<(.+):(\d+)>$`)
	placeName    = regexp.MustCompile(`^(.+\.go):(\d+)(?:#(\d+)|:(\d+)|:([^\d].*))?$`)
)

// Subject finds what a text names: an instance such as <List:1>; what was made in a
// line, FILE:LINE, FILE:LINE:COLUMN, or the nth of them, FILE:LINE#N; a variable or an
// expression at a place, FILE:LINE:NAME, and what it held there; a function by its name.
func (f *Finder) Subject(text string) (*Subject, error) {
	if m := instanceName.FindStringSubmatch(text); m != nil {
		for _, i := range f.events.instances.All {
			if i.String() == text {
				return f.ofInstances(text, []*history.Instance{i}), nil
			}
		}
		return nil, &UnknownError{text, f.similar(m[1])}
	}
	if m := placeName.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[2])
		file, err := f.file(m[1])
		if err != nil {
			return nil, &UnknownError{text, err.Error()}
		}
		if lines := strings.Count(f.plan.Files[file].Text, "\n") + 1; line < 1 || line > lines {
			return nil, &UnknownError{text, fmt.Sprintf("%s has %d lines", f.plan.Files[file].Name, lines)}
		}
		if m[5] != "" {
			return f.variable(text, file, line, m[5])
		}
		nth, column := 0, 0
		if m[3] != "" {
			if nth, _ = strconv.Atoi(m[3]); nth == 0 {
				return nil, &UnknownError{text, "those that were made in a line count from #1"}
			}
		}
		if m[4] != "" {
			column, _ = strconv.Atoi(m[4])
		}
		return f.made(text, file, line, column, nth)
	}
	var funcs []int
	for id, fn := range f.plan.Funcs {
		if !fn.Literal && (named(fn.Name, text) || named(plainName(fn.Name), text)) {
			funcs = append(funcs, id)
		}
	}
	switch len(funcs) {
	case 0:
		return nil, &UnknownError{text, "expected an instance such as <List:1>, a place such as main.go:17, main.go:17#2 or main.go:22:name, or a recorded function"}
	case 1:
		return f.function(f.plan.Funcs[funcs[0]].Name, funcs[0]), nil
	}
	var names []string
	for _, id := range funcs {
		names = append(names, f.plan.Funcs[id].Name)
	}
	return nil, &UnknownError{text, "it names several functions: " + list(names)}
}

// named tells whether a function's name is a text, but for the path of its package.
func named(name, text string) bool {
	return name == text || strings.HasSuffix(name, "."+text) || strings.HasSuffix(name, "/"+text)
}

// plainName is a function's name with its receiver as T.m, whether it is a pointer or not.
func plainName(name string) string {
	return strings.NewReplacer("(*", "", ")", "").Replace(name)
}

func list(names []string) string {
	if len(names) > 8 {
		names = append(slices.Clip(names[:8]), fmt.Sprintf("and %d more", len(names)-8))
	}
	return strings.Join(names, ", ")
}

func (f *Finder) similar(name string) string {
	var names []string
	for _, i := range f.events.instances.All {
		if i.Type == name {
			names = append(names, i.String())
		}
	}
	if len(names) > 0 {
		return "of that type there are " + list(names)
	}
	seen := map[string]bool{}
	for _, i := range f.events.instances.All {
		if !seen[i.Type] {
			seen[i.Type] = true
			names = append(names, i.Type)
		}
	}
	if len(names) == 0 {
		return "the run has no objects"
	}
	return "the run's objects are of the types " + list(names)
}

// file is the one recorded file that a name stands for.
func (f *Finder) file(name string) (int, error) {
	name = strings.TrimPrefix(name, "./")
	var found []int
	for i, file := range f.plan.Files {
		if file.Name == name || file.Path == name {
			return i, nil
		}
		if strings.HasSuffix(file.Name, "/"+name) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("%s is no file that was recorded (packages of dependencies are recorded with --deps)", name)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, i := range found {
		names = append(names, f.plan.Files[i].Name)
	}
	return 0, fmt.Errorf("it may be in %s", list(names))
}

func (f *Finder) function(name string, id int) *Subject {
	fn := f.plan.Funcs[id]
	if fn.Literal {
		name = "the function of " + f.plan.Place(id)
	}
	s := f.ofInstances(name, nil)
	s.Funcs[id] = true
	s.Made = []token.Position{{Filename: f.plan.Files[fn.File].Path, Offset: fn.Start, Line: fn.Line, Column: fn.Column}}
	if g := f.program.funcs[id]; g != nil {
		switch n := g.node.(type) {
		case *ast.FuncLit:
			s.Type = g.pkg.Info.TypeOf(n)
		case *ast.FuncDecl:
			s.Type = g.pkg.Info.Defs[n.Name].Type()
		}
	}
	return s
}

// ofInstances is the subject that is some instances.
func (f *Finder) ofInstances(name string, all []*history.Instance) *Subject {
	s := &Subject{Name: name, Instances: map[*history.Instance]bool{}, Vars: map[types.Object]bool{}, Funcs: map[int]bool{}}
	for _, i := range all {
		s.Instances[i] = true
		if i.Made < 0 {
			continue
		}
		site := f.plan.Sites[i.Made]
		file := f.plan.Files[f.plan.Funcs[site.Func].File]
		if at, ok := f.declaration(i); ok {
			before := file.Text[:at]
			s.Made = append(s.Made, token.Position{Filename: file.Path, Offset: at, Line: 1 + strings.Count(before, "\n"), Column: at - strings.LastIndexByte(before, '\n')})
			if v := f.variableAt(site.Func, at); v != nil {
				s.Vars[v] = true
				s.Type = v.Type()
			}
		} else if x, g := f.events.exprs[i.Made], f.program.funcs[site.Func]; site.Kind == history.Got && x != nil && g != nil {
			s.Exprs = append(s.Exprs, Expr{g.pkg.Fset, x})
		} else {
			s.Made = append(s.Made, token.Position{Filename: file.Path, Offset: site.Offset, Line: site.Line, Column: site.Column})
		}
		if s.Type == nil {
			s.Type = f.siteType(i.Made)
		}
	}
	if s.Type == nil && len(all) > 0 {
		s.Type = f.seenType(s)
	}
	return s
}

// declaration is the offset of the variable that an instance is, if it is one.
func (f *Finder) declaration(i *history.Instance) (int, bool) {
	v := f.plan.Sites[i.Made].Variable
	return v - 1, v > 0
}

// variableAt is the variable that is declared at an offset of a function's file.
func (f *Finder) variableAt(fn, offset int) types.Object {
	g := f.program.funcs[fn]
	if g == nil {
		return nil
	}
	file := g.pkg.Fset.File(g.node.Pos())
	for id, obj := range g.pkg.Info.Defs {
		if obj != nil && g.pkg.Fset.File(id.Pos()) == file && file.Offset(id.Pos()) == offset {
			return obj
		}
	}
	// What a type switch declares has no identifier of its own.
	for n, obj := range g.pkg.Info.Implicits {
		if g.pkg.Fset.File(n.Pos()) == file && file.Offset(obj.Pos()) == offset {
			return obj
		}
	}
	return nil
}

// siteType is the type of the object at a site; nil of interfaces.
func (f *Finder) siteType(site int) types.Type {
	x := f.events.exprs[site]
	g := f.program.funcs[f.plan.Sites[site].Func]
	if x == nil || g == nil {
		return nil
	}
	t := g.pkg.Info.TypeOf(x)
	if t == nil {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Interface:
		return nil
	}
	return t
}

// seenType is the type of the first expression that an object was seen in.
func (f *Finder) seenType(s *Subject) types.Type {
	for _, list := range f.events.touches {
		for _, t := range list {
			if s.Instances[t.of] {
				if typ := f.siteType(t.site); typ != nil && shortName(typ) == t.of.Type {
					return typ
				}
			}
		}
	}
	return nil
}

func shortName(t types.Type) string {
	name := types.TypeString(t, func(p *types.Package) string { return "" })
	return name
}

// made are the objects that were made in a line, the variables that are declared there,
// or the function that begins there.
func (f *Finder) made(text string, file, line, column, nth int) (*Subject, error) {
	type place struct{ line, column int }
	places := map[place][]*history.Instance{}
	near := map[int]bool{}
	for _, i := range f.events.instances.All {
		if i.Made < 0 || f.plan.Funcs[f.plan.Sites[i.Made].Func].File != file {
			continue
		}
		at := place{f.plan.Sites[i.Made].Line, f.plan.Sites[i.Made].Column}
		if offset, ok := f.declaration(i); ok {
			before := f.plan.Files[file].Text[:offset]
			at = place{1 + strings.Count(before, "\n"), offset - strings.LastIndex(before, "\n")}
		}
		near[at.line] = true
		if at.line == line && (column == 0 || at.column == column) {
			places[at] = append(places[at], i)
		}
	}
	var all []place
	for p := range places {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b place) int { return a.column - b.column })
	if len(all) > 0 {
		found := places[all[0]]
		note := ""
		if len(all) > 1 {
			var others []string
			for _, p := range all[1:] {
				others = append(others, fmt.Sprintf("%s at column %d", places[p][0].Type, p.column))
			}
			note = fmt.Sprintf("%s is what was made at column %d; also made in this line: %s", found[0].Type, all[0].column, list(others))
		}
		if nth > 0 {
			if nth > len(found) {
				return nil, &UnknownError{text, fmt.Sprintf("%d were made there", len(found))}
			}
			found = found[nth-1 : nth]
		}
		s := f.ofInstances(text, found)
		if len(found) == 1 {
			s.Name = found[0].String()
		} else {
			s.Name = fmt.Sprintf("<%s> of %s:%d", found[0].Type, f.plan.Files[file].Name, line)
		}
		s.Note = note
		return s, nil
	}
	// A function that begins there, also one that a variable is given.
	for id, fn := range f.plan.Funcs {
		if fn.File == file && fn.Line == line && (column == 0 || column == fn.Column) && nth == 0 {
			return f.function(fn.Name, id), nil
		}
	}
	// Variables that are declared in the line, and were never given anything.
	if s := f.declared(file, line, column); s != nil && nth == 0 {
		return s, nil
	}
	var lines []int
	for l := range near {
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b int) int { return abs(a-line) - abs(b-line) })
	if len(lines) == 0 {
		return nil, &UnknownError{text, "nothing was made in this file in the recorded run"}
	}
	if lines[0] == line {
		return nil, &UnknownError{text, "nothing was made at this column in the recorded run, but in this line"}
	}
	return nil, &UnknownError{text, fmt.Sprintf("nothing was made in this line in the recorded run; it was in line %d", lines[0])}
}

// outside notes a package.
func (s *Subject) outside(path string) {
	if n, found := slices.BinarySearch(s.Outside, path); !found {
		s.Outside = slices.Insert(s.Outside, n, path)
	}
}

// Of restricts a subject to one of its fields.
func (s *Subject) Of(field string) error {
	if s.Type == nil {
		s.Field = field
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(s.Type), true, packageOf(s.Type), field)
	if v, ok := obj.(*types.Var); !ok || !v.IsField() {
		return fmt.Errorf("%s has no field %s", types.TypeString(s.Type, nil), field)
	}
	s.Field = field
	return nil
}

func packageOf(t types.Type) *types.Package {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

// A Candidate is an object that may be looked at.
type Candidate struct {
	Name   string
	Made   string
	Events int64
}

// Candidates are the objects of the run that were made in recorded code, with the most
// events first.
func (f *Finder) Candidates() []Candidate {
	var list []Candidate
	for _, i := range f.events.instances.All {
		if i.Made >= 0 {
			made := f.plan.Made(i)
			list = append(list, Candidate{i.String(), made[:strings.LastIndexByte(made, ':')], i.Events})
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Events, a.Events) })
	return list
}

func abs(n int) int { return max(n, -n) }

// declared are the variables that are declared in a line.
func (f *Finder) declared(file, line, column int) *Subject {
	path := f.plan.Files[file].Path
	var found types.Object
	var at token.Position
	for _, pkg := range f.program.byPkg {
		for id, obj := range pkg.Info.Defs {
			v, ok := obj.(*types.Var)
			if !ok || v.IsField() {
				continue
			}
			p := pkg.Fset.PositionFor(id.Pos(), false)
			if p.Filename == path && p.Line == line && (column == 0 || p.Column == column) && (found == nil || p.Column < at.Column) {
				found, at = v, p
			}
		}
	}
	if found == nil {
		return nil
	}
	return f.ofVariable(fmt.Sprintf("%s of %s:%d", found.Name(), f.plan.Files[file].Name, line), found)
}

// ofVariable is a variable, with all objects that it was.
func (f *Finder) ofVariable(name string, v types.Object) *Subject {
	s := f.ofInstances(name, nil)
	s.Vars[v] = true
	s.Type = v.Type()
	for _, pkg := range f.program.byPkg {
		if pkg.Types == v.Pkg() {
			s.Made = append(s.Made, pkg.Fset.PositionFor(v.Pos(), false))
		}
	}
	return s
}

// variable is what a variable, or an expression, held at a place.
func (f *Finder) variable(text string, file, line int, name string) (*Subject, error) {
	x, err := parseExpr(name)
	if err != nil {
		return nil, &UnknownError{text, fmt.Sprintf("%q is no expression", name)}
	}
	want := types.ExprString(x)
	fn := f.around(file, line)
	// The root of the expression, as it is seen at the end of the line.
	root := x
	for {
		if sel, ok := root.(*ast.SelectorExpr); ok {
			root = sel.X
			continue
		}
		break
	}
	id, ok := root.(*ast.Ident)
	if !ok {
		return nil, &UnknownError{text, "expected a variable, or fields of one"}
	}
	v := f.lookup(file, line, id.Name)
	if v == nil {
		return nil, &UnknownError{text, fmt.Sprintf("there is no variable %s at %s:%d", id.Name, f.plan.Files[file].Name, line)}
	}
	// A literal in the line may hide the function that the variable is declared in.
	declared := f.declaring(file, v)
	best, found := -1, map[*history.Instance]bool{}
	for a, touches := range f.events.touches {
		if fn >= 0 && a.Func != fn && a.Func != declared {
			continue
		}
		for _, t := range touches {
			site := f.plan.Sites[t.site]
			if f.plan.Funcs[site.Func].File != file {
				continue
			}
			if !f.holds(t.site, x, want, v) {
				continue
			}
			// The nearest from the line on, or else before it.
			d := site.Line - line
			if d < 0 {
				d = 1<<20 - d
			}
			if best < 0 || d < best {
				best, found = d, map[*history.Instance]bool{}
			}
			if d == best {
				found[t.of] = true
			}
		}
	}
	_, isStruct := v.Type().Underlying().(*types.Struct)
	plain := x == root
	if len(found) == 0 {
		if plain {
			s := f.ofVariable(text, v)
			if refers(v.Type()) {
				s.Note = fmt.Sprintf("which object %s held there was not seen; what follows is about the variable itself", want)
			}
			return s, nil
		}
		// The field of what the rest is.
		sel := x.(*ast.SelectorExpr)
		s, err := f.variable(text, file, line, types.ExprString(sel.X))
		if err != nil {
			return nil, err
		}
		if err := s.Of(sel.Sel.Name); err != nil {
			return nil, &UnknownError{text, err.Error()}
		}
		s.Note = fmt.Sprintf("which object %s held there was not seen; what follows is about the field %s of %s", want, s.Field, types.ExprString(sel.X))
		return s, nil
	}
	var all []*history.Instance
	for _, i := range f.events.instances.All {
		if found[i] {
			all = append(all, i)
		}
	}
	s := f.ofInstances(text, all)
	if len(all) == 1 {
		s.Name = all[0].String()
	}
	if _, slice := v.Type().Underlying().(*types.Slice); plain && (slice || isStruct) {
		s.Vars[v] = true
	}
	return s, nil
}

// declaring is the function that a variable is declared in, or -1.
func (f *Finder) declaring(file int, v types.Object) int {
	for _, pkg := range f.program.byPkg {
		if pkg.Types != v.Pkg() {
			continue
		}
		at, best := pkg.Fset.PositionFor(v.Pos(), false).Offset, -1
		for id, fn := range f.plan.Funcs {
			if fn.File == file && fn.Start <= at && at < fn.End && (best < 0 || fn.Start >= f.plan.Funcs[best].Start) {
				best = id
			}
		}
		return best
	}
	return -1
}

// holds tells whether the object of a site is what an expression holds.
func (f *Finder) holds(site int, x ast.Expr, want string, v types.Object) bool {
	y := f.events.exprs[site]
	g := f.program.funcs[f.plan.Sites[site].Func]
	if y == nil || g == nil {
		return false
	}
	y = ast.Unparen(y)
	if types.ExprString(y) == want {
		r := y
		for {
			sel, ok := r.(*ast.SelectorExpr)
			if !ok {
				break
			}
			r = sel.X
		}
		id, ok := r.(*ast.Ident)
		return ok && g.pkg.Info.ObjectOf(id) == v
	}
	// A variable that is given it.
	if id, ok := y.(*ast.Ident); ok && rootOf(x) != nil {
		w := g.pkg.Info.ObjectOf(id)
		if d := g.defs[w]; w != v && g.assigned[w] == 1 && d != nil && types.ExprString(ast.Unparen(d)) == want && g.pkg.Info.ObjectOf(rootOf(d)) == v {
			return true
		}
	}
	// What it is given.
	if _, plain := x.(*ast.Ident); plain && g.assigned[v] > 0 && g.defs[v] == y {
		return true
	}
	return false
}

// around is the innermost function around a line, or -1.
func (f *Finder) around(file, line int) int {
	best := -1
	for id, fn := range f.plan.Funcs {
		if fn.File == file && fn.Line <= line && line <= fn.EndLine && (best < 0 || fn.Start >= f.plan.Funcs[best].Start) {
			best = id
		}
	}
	return best
}

// lookup is the variable of a name that is seen at the end of a line, or one that is
// declared in it.
func (f *Finder) lookup(file, line int, name string) types.Object {
	path := f.plan.Files[file].Path
	for _, pkg := range f.program.byPkg {
		for _, file := range pkg.Files {
			tok := pkg.Fset.File(file.FileStart)
			if tok.Name() != path || line > tok.LineCount() {
				continue
			}
			end := token.Pos(tok.Base() + tok.Size())
			if line < tok.LineCount() {
				end = tok.LineStart(line+1) - 1
			}
			if v, ok := find(pkg, end, name).(*types.Var); ok {
				return v
			}
			// One whose scope ends in the line, or has not begun.
			for id, obj := range pkg.Info.Defs {
				if v, ok := obj.(*types.Var); ok && id.Name == name && pkg.Fset.File(id.Pos()) == tok && tok.PositionFor(id.Pos(), false).Line == line {
					return v
				}
			}
			for id, obj := range pkg.Info.Uses {
				if v, ok := obj.(*types.Var); ok && id.Name == name && pkg.Fset.File(id.Pos()) == tok && tok.PositionFor(id.Pos(), false).Line == line {
					return v
				}
			}
		}
	}
	return nil
}

func find(pkg *history.Package, pos token.Pos, name string) types.Object {
	scope := pkg.Scope(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	return obj
}
