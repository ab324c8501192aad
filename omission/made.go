package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
)

// declaration is the offset of the variable that an instance is, if it is one.
func (f *Finder) declaration(i *history.Instance) (int, bool) {
	v := f.plan.Sites[i.Made].Variable
	return v - 1, v > 0
}

// isVariable reports whether an instance is a variable.
func (f *Finder) isVariable(i *history.Instance, v types.Object) bool {
	if i.Made < 0 {
		return false
	}
	offset, ok := f.declaration(i)
	if !ok {
		return false
	}
	fn := f.plan.Sites[i.Made].Func
	g := f.program.funcs[fn]
	if g == nil || g.pkg.Types != v.Pkg() {
		return false
	}
	at := g.pkg.Fset.PositionFor(v.Pos(), false)
	return at.Offset == offset && at.Filename == f.plan.Files[f.plan.Funcs[fn].File].Path
}

// variableInstances are the objects that a variable is, whose address others know.
func (f *Finder) variableInstances(v types.Object) []*history.Instance {
	var list []*history.Instance
	for _, i := range f.events.instances.All {
		if f.isVariable(i, v) {
			list = append(list, i)
		}
	}
	return list
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
	if t == nil || history.Reflects(t) {
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
	var best touch
	var found types.Type
	for _, list := range f.events.touches {
		for _, t := range list {
			if !s.Instances[t.of] || found != nil && t.time >= best.time {
				continue
			}
			// What reflection made has the type of whoever saw it first from its beginning.
			if f.plan.Sites[t.site].Type != t.of.Type && (!f.reflected(t.of) || t.offset > 0) {
				continue
			}
			if typ := f.siteType(t.site); typ != nil {
				best, found = t, typ
			}
		}
	}
	return found
}

// reflected reports whether reflection made an object, so that its type is not in the text.
func (f *Finder) reflected(i *history.Instance) bool {
	x := ast.Expr(nil)
	if i.Made >= 0 {
		x = f.events.exprs[i.Made]
	}
	fn := f.program.funcs[f.plan.Sites[max(i.Made, 0)].Func]
	return x != nil && fn != nil && fn.pkg.Info.TypeOf(x) != nil && history.Reflects(fn.pkg.Info.TypeOf(x))
}

// made are the objects that were made in a line, the variables that are declared there,
// or the function that begins there.
func (f *Finder) made(text string, file, line, column, nth int) (*Subject, error) {
	places := map[spotIn][]*history.Instance{}
	near := map[int]bool{}
	for _, i := range f.events.instances.All {
		if i.Made < 0 || f.plan.Funcs[f.plan.Sites[i.Made].Func].File != file {
			continue
		}
		at := spotIn{f.plan.Sites[i.Made].Line, f.plan.Sites[i.Made].Column}
		if offset, ok := f.declaration(i); ok {
			before := f.plan.Files[file].Text[:offset]
			at = spotIn{1 + strings.Count(before, "\n"), offset - strings.LastIndex(before, "\n")}
		}
		near[at.line] = true
		if at.line == line && (column == 0 || at.column == column) {
			places[at] = append(places[at], i)
		}
	}
	var all []spotIn
	for p := range places {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b spotIn) int { return a.column - b.column })
	// What a variable got of a constructor is more than what that was given.
	if name, call := f.given(file, line); call && column == 0 && nth == 0 {
		if s, err := f.variable(text, file, line, name); err == nil && len(s.Instances) > 0 {
			s.Note = fmt.Sprintf("it is what %s held", name)
			if len(all) > 0 && !s.Instances[places[all[0]][0]] {
				s.Note += "; also made in this line: " + list(madeAt(all, places))
			}
			return s, nil
		}
	}
	if len(all) > 0 {
		found := places[all[0]]
		note := ""
		if len(all) > 1 {
			others := madeAt(all[1:], places)
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
	if name, _ := f.given(file, line); name != "" && column == 0 && nth == 0 {
		return f.variable(text, file, line, name)
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

// given is the variable that a statement in a line gives a value, the first that refers to
// something, or else the first, and whether that is what a call gave; empty if there is none.
func (f *Finder) given(file, line int) (name string, call bool) {
	fn := f.program.funcs[max(f.around(file, line), 0)]
	if fn == nil {
		return "", false
	}
	first, best := "", ""
	ast.Inspect(fn.node, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok || fn.pkg.Fset.PositionFor(n.Pos(), false).Line != line {
			return true
		}
		for _, id := range (&node{at: s}).targets() {
			if v := fn.pkg.Info.ObjectOf(id); v != nil {
				x := (&node{at: s}).givesWhole(fn, v)
				if x == nil {
					continue
				}
				if first == "" {
					first = id.Name
				}
				if best == "" && refers(v.Type()) && !types.Implements(v.Type(), errorType) {
					best = id.Name
					c, ok := ast.Unparen(x).(*ast.CallExpr)
					call = ok && !fn.pkg.Info.Types[c.Fun].IsBuiltin() && !fn.pkg.Info.Types[c.Fun].IsType()
				}
			}
		}
		return true
	})
	return cmp.Or(best, first), call
}

// spotIn is a place in a file.
type spotIn struct{ line, column int }

// madeAt are the types of what was made at places, with these.
func madeAt(all []spotIn, places map[spotIn][]*history.Instance) []string {
	var names []string
	for _, p := range all {
		names = append(names, fmt.Sprintf("%s at column %d", places[p][0].Type, p.column))
	}
	return names
}

// isError reports whether a type is error itself.
func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

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
