package omission

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/source"
)

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
	x, err := parser.ParseExpr(name)
	if err != nil {
		return nil, &UnknownError{text, fmt.Sprintf("%q is no expression", name)}
	}
	x = bare(x)
	want := types.ExprString(x)
	fn := f.around(file, line)
	// The variable as it is seen at the end of the line.
	id := root(x)
	if id == nil {
		return nil, &UnknownError{text, "expected a variable, or fields and elements of one"}
	}
	f.notice(file, line, x)
	v := f.lookup(file, line, id.Name)
	if v == nil {
		return nil, &UnknownError{text, fmt.Sprintf("there is no variable %s at %s:%d", id.Name, f.plan.Files[file].Name, line)}
	}
	found := f.heldNear(file, line, fn, x, v)
	if _, plain := x.(*ast.Ident); plain && len(found) == 0 && !refers(v.Type()) {
		for _, i := range f.variableInstances(v) {
			found[i] = true
		}
	}
	_, isStruct := v.Type().Underlying().(*types.Struct)
	_, plain := x.(*ast.Ident)
	if len(found) == 0 {
		if plain {
			s := f.ofVariable(text, v)
			s.held = &heldAt{fn: fn, line: line, v: v}
			if !refers(v.Type()) {
				f.copied(s, file, line, v)
			} else {
				s.Note = fmt.Sprintf("which object %s held there was not seen; what follows is about the variable itself", want)
				f.addressed(s, v)
			}
			return s, nil
		}
		// The field or the element of what the rest is.
		whole, part := inside(x)
		s, err := f.variable(text, file, line, types.ExprString(whole))
		if err != nil {
			return nil, err
		}
		if _, at := x.(*ast.IndexExpr); at && part == "" {
			if _, leaf := s.place(); leaf != nil {
				if _, ok := element(leaf); ok {
					part = elements // one of them
				}
			}
		}
		ledTo := s.held == nil || s.held.field != "" // by the rest of the expression, to objects of their own
		if part == "" {
			s.Note = fmt.Sprintf("which object %s held there was not seen; what follows is about %s", want, types.ExprString(whole))
			return s, nil
		}
		if err := s.Of(part); err != nil && s.Note != "" {
			_, about, _ := strings.Cut(s.Note, "; ")
			s.Note = fmt.Sprintf("which object %s held there was not seen; %s", want, about)
			return s, nil // what it is a part of is not known
		} else if err != nil {
			return nil, &UnknownError{text, err.Error()}
		}
		wanted := isPointer
		if len(s.Instances) == 0 {
			wanted = refers
		}
		if held := f.held(s, wanted)[s.Field]; len(held) > 0 {
			return f.ofInstances(text, f.grown(byFirst(held))), nil
		}
		_, leaf := s.place()
		s.held = &heldAt{fn: fn, line: line, v: v, field: numbers.ReplaceAllString(s.Field, elements), object: leaf == nil || refers(leaf)}
		if ledTo {
			s.held.in = byFirst(s.Instances)
		}
		if _, leaf := s.place(); leaf == nil || refers(leaf) {
			s.Note = fmt.Sprintf("which object %s held there was not seen; what follows is about %s of %s", want, s.Field, types.ExprString(whole))
		}
		return s, nil
	}
	all := byFirst(found)
	s := f.ofInstances(text, f.grown(all))
	if len(all) == 1 {
		s.Name = all[0].String()
	}
	if _, slice := v.Type().Underlying().(*types.Slice); plain && (slice || isStruct) {
		s.Vars[v] = true
	}
	if plain {
		s.held = &heldAt{fn: fn, line: line, v: v, object: true, in: all}
		if isStruct && slices.ContainsFunc(all, func(i *history.Instance) bool { return f.isVariable(i, v) }) {
			f.copied(s, file, line, v) // its address was taken after it had been given a copy
		}
	}
	if plain && refers(v.Type()) {
		f.addressed(s, v)
	}
	if whole, part := inside(x); !plain && part != "" && whole == ast.Expr(id) {
		// What else it might have been is what the field might have been given.
		s.held = &heldAt{fn: fn, line: line, v: v, field: numbers.ReplaceAllString(part, elements), object: true, in: byFirst(f.heldNear(file, line, fn, whole, v))}
	}
	return s, nil
}

// addressed adds a variable whose address was taken to what it held.
func (f *Finder) addressed(s *Subject, v types.Object) {
	all := slices.DeleteFunc(f.variableInstances(v), func(i *history.Instance) bool { return s.Instances[i] })
	if len(all) > 0 {
		s.Variables = append(s.Variables, f.ofInstances("<"+v.Name()+">", all))
	}
}

// heldNear are the objects that a variable, or fields of it, held the nearest to a line, in
// the function fn if that is not negative.
func (f *Finder) heldNear(file, line, fn int, x ast.Expr, v types.Object) map[*history.Instance]bool {
	want := types.ExprString(x)
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
	return found
}

// root is the variable that an expression is, or is fields and elements of, or of what it
// points to; nil if it is something else.
func root(x ast.Expr) *ast.Ident {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.Ident:
			return e
		default:
			return nil
		}
	}
}

// bare is an expression without the parentheses around variables, fields and elements, which
// say nothing.
func bare(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	within := func(x ast.Expr) ast.Expr {
		if _, star := ast.Unparen(x).(*ast.StarExpr); star {
			return &ast.ParenExpr{X: bare(x)}
		}
		return bare(x)
	}
	switch e := x.(type) {
	case *ast.SelectorExpr:
		return &ast.SelectorExpr{X: within(e.X), Sel: e.Sel}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: within(e.X), Index: e.Index}
	case *ast.StarExpr:
		return &ast.StarExpr{X: bare(e.X)}
	}
	return x
}

// inside is what a bare expression that is no variable is a field or an element of, and
// which; no text of an element that has no number, as of a map.
func inside(x ast.Expr) (whole ast.Expr, part string) {
	switch e := x.(type) {
	case *ast.SelectorExpr:
		return ast.Unparen(e.X), e.Sel.Name
	case *ast.IndexExpr:
		if n, ok := e.Index.(*ast.BasicLit); ok && n.Kind == token.INT {
			return e.X, "[" + n.Value + "]"
		}
		return e.X, ""
	case *ast.StarExpr:
		return e.X, ""
	}
	return x, ""
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

// holds reports whether the object of a site is what an expression holds.
func (f *Finder) holds(site int, x ast.Expr, want string, v types.Object) bool {
	y := f.events.exprs[site]
	g := f.program.funcs[f.plan.Sites[site].Func]
	if y == nil || g == nil {
		return false
	}
	y = ast.Unparen(y)
	if types.ExprString(y) == want {
		return g.pkg.Info.ObjectOf(source.Root(y)) == v
	}
	// A variable that is given it.
	if id, ok := y.(*ast.Ident); ok {
		w := g.pkg.Info.ObjectOf(id)
		if d := g.defs[w]; w != v && g.assigned[w] == 1 && d != nil && types.ExprString(ast.Unparen(d)) == want && g.pkg.Info.ObjectOf(source.Root(d)) == v {
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
			for _, pos := range []token.Pos{end, tok.LineStart(line)} { // a bracket in the line may end its scope
				if v, ok := find(pkg, pos, name).(*types.Var); ok {
					return v
				}
			}
			if v := declaredAround(pkg, file, tok, line, name); v != nil {
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

// declaredAround is the variable of a name that is declared by a statement of several lines, of which a line is one: its scope begins
// after the last.
func declaredAround(pkg *history.Package, file *ast.File, tok *token.File, line int, name string) types.Object {
	var v types.Object
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || tok.Line(n.Pos()) > line || tok.Line(n.End()) < line {
			return false
		}
		switch n.(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			for _, id := range declares(n) {
				if obj, ok := pkg.Info.Defs[id].(*types.Var); ok && id.Name == name {
					v = obj
				}
			}
		}
		return true
	})
	return v
}

// declares are the names on the left of an assignment or a declaration.
func declares(n ast.Node) (names []*ast.Ident) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		return n.Names
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			if id, ok := x.(*ast.Ident); ok {
				names = append(names, id)
			}
		}
	}
	return names
}

func find(pkg *history.Package, pos token.Pos, name string) types.Object {
	scope := pkg.Scope(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	return obj
}
