package covered

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"misstep/history"
	"misstep/history/record"
)

// Of is what a recorded run executed. Tests and files that were made for the build are left out.
func Of(rec *history.Recording, tree *history.Tree) *Report {
	code := rec.Code()
	c := &counter{
		plan: rec.Plan, code: code, parts: map[ast.Node]map[history.Part]int{}, second: map[*ast.BinaryExpr][2]int{},
		marks: map[mark]int{}, empty: map[*ast.RangeStmt]int{}, entered: map[int]int{},
	}
	for _, a := range tree.Activations {
		c.activation(a)
	}
	r := &Report{Gaps: rec.Plan.Gaps}
	texts := map[string]string{}
	for _, f := range rec.Plan.Files {
		texts[f.Path] = f.Text
	}
	seen := map[string]bool{}
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			path := pkg.Fset.PositionFor(f.FileStart, false).Filename
			text, ok := texts[path]
			if !ok || seen[path] || strings.HasSuffix(path, "_test.go") {
				continue
			}
			seen[path] = true
			name := path
			if rel, err := filepath.Rel(rec.Plan.Dir, path); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
			w := &filer{c: c, pkg: pkg, file: &File{Name: name, Path: path, Package: pkg.Types.Path(), Text: text}}
			w.tok = pkg.Fset.File(f.FileStart)
			w.whole(f)
			r.Files = append(r.Files, w.file)
		}
	}
	slices.SortFunc(r.Files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	return r
}

// A mark is a site's event, by what it is of.
type mark struct {
	kind   history.Kind
	path   string
	offset int
}

// counter adds up what activations executed.
type counter struct {
	plan    *history.Plan
	code    *history.Code
	parts   map[ast.Node]map[history.Part]int
	second  map[*ast.BinaryExpr][2]int // how often an operand gave false and true
	marks   map[mark]int
	empty   map[*ast.RangeStmt]int // how often a loop had no element
	entered map[int]int            // by function
}

func (c *counter) activation(a *history.Activation) {
	if a.Of == nil {
		c.entered[a.Func]++
	}
	for _, it := range a.Items {
		if !it.Marks() {
			continue
		}
		s := c.plan.Sites[it.Site]
		c.marks[mark{s.Kind, c.plan.Files[c.plan.Funcs[s.Func].File].Path, s.Offset}]++
	}
	open := map[*ast.RangeStmt]bool{} // loops that have had no element yet
	c.code.Walk(a, func(s history.Step) {
		if s.Part == history.Operand {
			if x, ok := s.Node.(*ast.BinaryExpr); ok {
				n := c.second[x]
				if s.Value {
					n[1]++
				} else {
					n[0]++
				}
				c.second[x] = n
			}
			return
		}
		if c.parts[s.Node] == nil {
			c.parts[s.Node] = map[history.Part]int{}
		}
		c.parts[s.Node][s.Part]++
		for loop := range open {
			if loop == s.Node && s.Part == history.Next || loop.Body.Pos() <= s.Node.Pos() && s.Node.End() <= loop.Body.End() {
				delete(open, loop)
			}
		}
		if loop, ok := s.Node.(*ast.RangeStmt); ok && s.Part == history.Head {
			if open[loop] {
				c.empty[loop]++
			}
			open[loop] = true
		}
	})
	for loop := range open {
		c.empty[loop]++
	}
}

// filer goes through a file.
type filer struct {
	c    *counter
	pkg  *history.Package
	tok  *token.File
	file *File
}

func (w *filer) whole(f *ast.File) {
	names := map[int]history.Func{}
	numbers := map[int]int{}
	for i, fn := range w.c.plan.Funcs {
		if w.c.plan.Files[fn.File].Path == w.file.Path {
			names[fn.Start], numbers[fn.Start] = fn, i
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fn, ok := names[w.tok.Offset(n.Pos())]
			if n.Body == nil || !ok {
				return false // it is not recorded
			}
			w.file.Functions = append(w.file.Functions, &Function{Name: fn.Name, Range: w.at(n.Pos(), n.End()), Count: w.c.entered[numbers[w.tok.Offset(n.Pos())]]})
			w.list(n.Body.List)
		case *ast.FuncLit:
			w.list(n.Body.List)
		}
		return true
	})
	slices.SortStableFunc(w.file.Statements, func(a, b *Statement) int { return order(a.Range, b.Range) })
	slices.SortStableFunc(w.file.Branches, func(a, b *Branch) int { return order(a.Range, b.Range) })
}

func order(a, b Range) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(b.EndLine, a.EndLine), cmp.Compare(b.EndColumn, a.EndColumn))
}

func (w *filer) at(from, to token.Pos) Range { return rangeOf(w.pkg.Fset, from, to) }

func (w *filer) text(n ast.Node) string { return w.between(n.Pos(), n.End()) }

// between is the file's text between two positions, on one line.
func (w *filer) between(from, to token.Pos) string {
	return strings.Join(strings.Fields(w.file.Text[w.tok.Offset(from):w.tok.Offset(to)]), " ")
}

// count is how often a part of a node was executed.
func (w *filer) count(n ast.Node, part history.Part) int { return w.c.parts[n][part] }

// marked is how often a site's event came.
func (w *filer) marked(kind history.Kind, pos token.Pos) int {
	return w.c.marks[mark{kind, w.file.Path, w.tok.Offset(pos)}]
}

func (w *filer) list(list []ast.Stmt) {
	for _, s := range list {
		w.statement(s, true)
	}
}

// statement adds a statement and what is in it. Listed says that it is one of a list, and no part of a header.
func (w *filer) statement(s ast.Stmt, listed bool) {
	add := func(end token.Pos, count int) {
		if listed {
			w.file.Statements = append(w.file.Statements, &Statement{w.at(s.Pos(), end), count})
		}
	}
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.BlockStmt:
		w.list(s.List)
	case *ast.LabeledStmt:
		w.statement(s.Stmt, listed)
	case *ast.IfStmt:
		n, then := w.count(s, history.Head), w.marked(history.Then, s.Pos())
		add(s.Body.Lbrace, n)
		w.statement(s.Init, false)
		if w.constant(s.Cond) == nil {
			w.branch(s.Pos(), s.Body.Lbrace, "if", w.text(s.Cond), outcome{"true", s.Body.Pos(), then}, outcome{"false", token.NoPos, n - then})
			w.conditions(s.Cond, n, then)
		}
		w.list(s.Body.List)
		w.statement(s.Else, true)
	case *ast.ForStmt:
		add(s.Body.Lbrace, w.count(s, history.Head))
		w.statement(s.Init, false)
		if s.Cond != nil && w.constant(s.Cond) == nil {
			n, body := w.count(s, history.Condition), w.marked(history.Body, s.Pos())
			w.branch(s.Pos(), s.Body.Lbrace, "for", w.text(s.Cond), outcome{"true", s.Body.Pos(), body}, outcome{"false", token.NoPos, n - body})
			w.conditions(s.Cond, n, body)
		}
		w.statement(s.Post, false)
		w.list(s.Body.List)
	case *ast.RangeStmt:
		n, none := w.count(s, history.Head), w.c.empty[s]
		add(s.Body.Lbrace, n)
		w.within(s.X, n)
		w.branch(s.Pos(), s.Body.Lbrace, "range", w.text(s.X), outcome{"elements", s.Body.Pos(), n - none}, outcome{"no element", token.NoPos, none})
		w.list(s.Body.List)
	case *ast.SwitchStmt:
		n := w.count(s, history.Head)
		add(s.Body.Lbrace, n)
		w.statement(s.Init, false)
		if s.Tag != nil {
			w.within(s.Tag, n)
		}
		w.clauses(s, s.Body, "switch", n)
	case *ast.TypeSwitchStmt:
		n := w.count(s, history.Head)
		add(s.Body.Lbrace, n)
		w.statement(s.Init, false)
		w.within(s.Assign, n)
		w.clauses(s, s.Body, "type switch", n)
	case *ast.SelectStmt:
		n := w.count(s, history.Head)
		add(s.Body.Lbrace, n)
		w.clauses(s, s.Body, "select", n)
	default:
		n := w.count(s, history.Whole)
		add(s.End(), n)
		w.within(s, n)
	}
}

// outcome is one to be added, with where it leads.
type outcome struct {
	name  string
	pos   token.Pos
	count int
}

func (w *filer) branch(from, to token.Pos, kind, text string, outcomes ...outcome) {
	b := &Branch{Range: w.at(from, to), Kind: kind, Text: text}
	for _, o := range outcomes {
		out := &Outcome{Name: o.name, Count: max(o.count, 0)}
		if o.pos.IsValid() {
			out.Line = w.pkg.Fset.PositionFor(o.pos, false).Line
		}
		b.Outcomes = append(b.Outcomes, out)
	}
	w.file.Branches = append(w.file.Branches, b)
}

// clauses adds those of a switch or select, which was come to n times.
func (w *filer) clauses(s ast.Stmt, body *ast.BlockStmt, kind string, n int) {
	var outcomes []outcome
	left, whole, fallen := n, kind == "select", 0
	for _, c := range body.List {
		count := w.marked(history.Case, c.Pos())
		switch c := c.(type) {
		case *ast.CaseClause:
			name := "default"
			if c.List == nil {
				whole = true
			} else {
				name = w.between(c.List[0].Pos(), c.List[len(c.List)-1].End())
			}
			outcomes = append(outcomes, outcome{name, c.Pos(), count})
			if len(c.List) > 0 { // whether the others are come to, nothing says
				w.within(c.List[0], w.count(c, history.Cases))
			}
			w.list(c.Body)
			left += fallen // which the clause before has had already
			fallen = 0
			if last := len(c.Body) - 1; last >= 0 {
				if b, ok := c.Body[last].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
					fallen = w.count(b, history.Whole)
				}
			}
		case *ast.CommClause:
			name := "default"
			if c.Comm != nil {
				name = w.text(c.Comm)
				w.statement(c.Comm, false)
			}
			outcomes = append(outcomes, outcome{name, c.Pos(), count})
			w.list(c.Body)
		}
		left -= count
	}
	if !whole {
		outcomes = append(outcomes, outcome{"no clause", token.NoPos, left})
	}
	if len(outcomes) > 0 {
		w.branch(s.Pos(), body.Lbrace, kind, w.between(s.Pos(), body.Lbrace), outcomes...)
	}
}

// constant is the value of an expression that the compiler knows; nil of others.
func (w *filer) constant(x ast.Expr) constant.Value { return w.pkg.Info.Types[x].Value }

// conditions adds the operands of what a statement tests, which was evaluated n times, and was true so often.
func (w *filer) conditions(x ast.Expr, n, isTrue int) {
	if b := operation(x); b != nil && w.known(b) {
		w.operands(b, n)
		return
	}
	w.condition(x, isTrue, n-isTrue)
	if b := w.file.Branches; b[len(b)-1].Condition() {
		b[len(b)-1].Whole = true
	}
	w.within(x, n)
}

// operation is the && or || that an expression is; nil if it is none.
func operation(x ast.Expr) *ast.BinaryExpr {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if ok && (b.Op == token.LAND || b.Op == token.LOR) {
		return b
	}
	return nil
}

// known reports whether histories say what the second operand gave, and both are worth saying.
func (w *filer) known(b *ast.BinaryExpr) bool {
	for _, x := range []ast.Expr{b, b.X, b.Y} {
		if w.constant(x) != nil || !record.PlainBool(w.pkg.Info.TypeOf(x)) {
			return false
		}
	}
	return true
}

// operands adds those of an operation that was evaluated n times.
func (w *filer) operands(b *ast.BinaryExpr, n int) {
	second := w.c.second[b]
	evaluated := second[0] + second[1]
	isTrue := evaluated // of the first operand
	if b.Op == token.LOR {
		isTrue = n - evaluated
	}
	if x := operation(b.X); x != nil && w.known(x) {
		w.operands(x, n)
	} else {
		w.condition(b.X, isTrue, n-isTrue)
		w.within(b.X, n)
	}
	if y := operation(b.Y); y != nil && w.known(y) {
		w.operands(y, evaluated)
	} else {
		w.condition(b.Y, second[1], second[0])
		w.within(b.Y, evaluated)
	}
}

func (w *filer) condition(x ast.Expr, isTrue, isFalse int) {
	if w.constant(x) != nil {
		return
	}
	w.branch(x.Pos(), x.End(), condition, w.text(x), outcome{"true", token.NoPos, isTrue}, outcome{"false", token.NoPos, isFalse})
}

// within adds the operations within a node that was evaluated n times. Function literals are for themselves.
func (w *filer) within(n ast.Node, times int) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if (x.Op == token.LAND || x.Op == token.LOR) && w.known(x) {
				w.operands(x, times)
				return false
			}
		}
		return true
	})
}
