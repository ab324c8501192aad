package omission

import (
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
	read bool // no change of it was found, so that it was looked for who should have read it
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
	// Field is the only field of interest, or empty; of a field of a field, with dots.
	Field string
	// Parts are the maps, slices and channels that fields of the objects held, each with the
	// field for a name: a change of them is one of the objects.
	Parts []*Subject
	// Outside are packages of other modules that are not recorded, and are given the
	// objects.
	Outside []string
	// Variables are the variables that held the objects, where others knew their addresses.
	Variables []*Subject
	// made says that it came of what was asked for; see madeOf.
	made bool
	// writer says that it is looked at for what is written through it.
	writer bool
	// Lost are changes that happened to copies; see [Finder.Find].
	Lost []*LostChange
	// LeftOut are fields of such structs that are not carried over from one to another; types are what else such structs
	// are.
	LeftOut []*LeftOut
	// Stale are fields of the objects that were not made anew.
	Stale []*Stale
	types []types.Type
	// held is the place of an expression that holds a value which refers to nothing; nil of
	// others.
	held *heldAt
	// Note says what was chosen among several, or is empty.
	Note string
}

// An Expr is an expression of a file set.
type Expr struct {
	Fset *token.FileSet
	Expr ast.Expr
}

// heldAt is a variable in a line of a function, -1 outside of all, or a field of one, which
// may be one of elements.
type heldAt struct {
	fn, line int
	v        types.Object
	field    string
	// in are the objects that the field is one of, if the variable only leads to them, or that it held.
	in []*history.Instance
	// object says that an object was seen there, so that the value is not what matters first.
	object bool
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
// expression at a place, FILE:LINE:NAME, and what it held there; a function by its name; a
// type of the run's objects; or a variable, by its name alone if no other has it, where it is
// mentioned last.
func (f *Finder) Subject(text string) (*Subject, error) {
	s, err := f.subject(text)
	if err == nil {
		f.parts(s)
	}
	return s, err
}

func (f *Finder) subject(text string) (*Subject, error) {
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
		if s := f.ofType(text); s != nil {
			return s, nil
		}
		if s, ok, err := f.unplaced(text); ok {
			return s, err
		}
		return nil, &UnknownError{text, "expected an instance such as <List:1>, a place such as main.go:17, main.go:17#2 or main.go:22:name, a variable's name, a type of the run's objects, or a recorded function"}
	case 1:
		return f.function(f.plan.Funcs[funcs[0]].Name, funcs[0]), nil
	}
	var names []string
	for _, id := range funcs {
		names = append(names, f.plan.Funcs[id].Name)
	}
	return nil, &UnknownError{text, "it names several functions: " + list(names)}
}

// ofType are all objects of a type; nil if there are none.
func (f *Finder) ofType(name string) *Subject {
	var all []*history.Instance
	for _, i := range f.events.instances.All {
		if i.Type == name || strings.HasSuffix(i.Type, "."+name) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return nil
	}
	s := f.ofInstances(name, all)
	if len(all) == 1 {
		s.Name = all[0].String()
	} else {
		s.Name, s.Note = "<"+name+">", fmt.Sprintf("all %d objects of type %s", len(all), name)
	}
	return s
}

// named reports whether a function's name is a text, but for the path of its package.
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

// outside notes a package.
func (s *Subject) outside(path string) {
	if n, found := slices.BinarySearch(s.Outside, path); !found {
		s.Outside = slices.Insert(s.Outside, n, path)
	}
}

// Of restricts a subject to one of its fields, or of fields of that, with dots between.
func (s *Subject) Of(field string) error {
	if s.Type == nil {
		s.Field = joined(s.Field, field)
		return nil
	}
	t, path := s.Type, ""
	for _, name := range strings.Split(joined(s.Field, field), ".") {
		if strings.HasPrefix(name, "[") {
			elem, ok := element(t)
			if !ok {
				return fmt.Errorf("%s has no elements with numbers", types.TypeString(t, nil))
			}
			path, t = joined(path, name), elem
			continue
		}
		obj, index, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, packageOf(t), name)
		v, ok := obj.(*types.Var)
		if !ok || !v.IsField() {
			return fmt.Errorf("%s has no field %s", types.TypeString(t, nil), name)
		}
		path, t = joined(path, fieldPath(t, index)), v.Type()
	}
	s.Field = path
	s.Parts = slices.DeleteFunc(s.Parts, func(part *Subject) bool { return !s.concerns(part.Name) })
	return nil
}

// element is the type of the elements of an array or a slice.
func element(t types.Type) (types.Type, bool) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Elem(), true
	case *types.Slice:
		return u.Elem(), true
	}
	return nil, false
}

// packageOf is the package that knows the fields of a type, which may be one without a name, or a pointer; nil if it has none.
func packageOf(t types.Type) *types.Package {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && s.NumFields() > 0 {
		return s.Field(0).Pkg()
	}
	return nil
}
