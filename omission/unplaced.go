package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"
)

// A declared is a variable with where it is mentioned last.
type declared struct {
	v          types.Object
	file, line int // of the plan; the last mention
	own        bool
	parameter  bool
}

// unplaced is a variable, or an expression of one, that is named without a place, if one variable alone can be meant:
// of those of the program rather than of its dependencies, and of those that are no parameters rather than of those that are.
// It is seen where it is mentioned last. Ok is false if the text is no such expression, or no variable has its name.
func (f *Finder) unplaced(text string) (s *Subject, ok bool, err error) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return nil, false, nil
	}
	id := root(bare(x))
	if id == nil {
		return nil, false, nil
	}
	all := f.declaredAs(id.Name)
	if len(all) == 0 {
		return nil, false, nil
	}
	for _, better := range []func(*declared) bool{func(d *declared) bool { return d.own }, func(d *declared) bool { return !d.parameter }} {
		if slices.ContainsFunc(all, better) {
			all = slices.DeleteFunc(all, func(d *declared) bool { return !better(d) })
		}
	}
	place := func(d *declared) string { return fmt.Sprintf("%s:%d:%s", f.plan.Files[d.file].Name, d.line, text) }
	if len(all) > 1 {
		var places []string
		for _, d := range all {
			places = append(places, place(d))
		}
		return nil, true, &UnknownError{text, "several variables have that name; expected one of " + list(places)}
	}
	d := all[0]
	s, err = f.variable(place(d), d.file, d.line, text)
	return s, true, err
}

// declaredAs are the variables of recorded functions, and of packages, that have a name and are mentioned in a recorded
// file, in the order of where.
func (f *Finder) declaredAs(name string) []*declared {
	files := map[string]int{}
	for i, file := range f.plan.Files {
		files[file.Path] = i
	}
	found := map[types.Object]*declared{}
	for _, pkg := range f.program.byPkg {
		see := func(id *ast.Ident, obj types.Object) {
			v, ok := obj.(*types.Var)
			if !ok || id.Name != name || v.IsField() {
				return
			}
			at := pkg.Fset.PositionFor(id.Pos(), false)
			file, recorded := files[at.Filename]
			if !recorded {
				return
			}
			d := found[v]
			if d == nil {
				d = &declared{v: v, file: -1, own: f.ownFile(file), parameter: v.Kind() == types.ParamVar || v.Kind() == types.RecvVar || v.Kind() == types.ResultVar}
				found[v] = d
			}
			if c := cmp.Compare(file, d.file); c > 0 || c == 0 && at.Line > d.line {
				d.file, d.line = file, at.Line
			}
		}
		for id, obj := range pkg.Info.Defs {
			see(id, obj)
		}
		for id, obj := range pkg.Info.Uses {
			see(id, obj)
		}
	}
	var all []*declared
	for _, d := range found {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *declared) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.v.Pos(), b.v.Pos()))
	})
	return all
}

// ownFile reports whether a recorded file is below the folder of what was recorded, rather than of a dependency.
func (f *Finder) ownFile(file int) bool {
	r, err := filepath.Rel(f.plan.Dir, f.plan.Files[file].Path)
	return err == nil && filepath.IsLocal(r)
}
