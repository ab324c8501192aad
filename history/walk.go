package history

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Code is the syntax and the types behind a plan's numbers.
type Code struct {
	Plan  *Plan
	nodes []ast.Node // of functions
	pkgs  []*Package // of functions
	sites map[siteKey]int
	decls map[types.Object]int // declared functions
	// places are the same by where they stand: a package with tests is type-checked twice.
	places map[token.Position]int
	// names are the same by name: other packages know one with cgo as the cgo command has written it.
	names map[string]int
	lits  map[*ast.FuncLit]int
	loops map[int]*ast.RangeStmt // those over functions, by their sites
	// direct are the literals that are called where they stand, by go or defer too, and so by
	// nothing else.
	direct map[ast.Node]bool
	fset   *token.FileSet  // of all packages
	own    map[string]bool // paths of the packages that are recorded
}

type siteKey struct {
	fn, offset int
	kind       Kind
}

// Code puts the recorded packages and the plan together.
func (rec *Recording) Code() *Code {
	c := &Code{
		Plan: rec.Plan, nodes: make([]ast.Node, len(rec.Plan.Funcs)), pkgs: make([]*Package, len(rec.Plan.Funcs)),
		sites: map[siteKey]int{}, decls: map[types.Object]int{}, places: map[token.Position]int{}, names: map[string]int{}, lits: map[*ast.FuncLit]int{}, loops: map[int]*ast.RangeStmt{}, direct: map[ast.Node]bool{}, own: map[string]bool{},
	}
	type funcKey struct {
		path       string
		start, end int
	}
	funcs := map[funcKey]int{}
	for i, f := range rec.Plan.Funcs {
		funcs[funcKey{rec.Plan.Files[f.File].Path, f.Start, f.End}] = i
	}
	type place struct {
		path   string
		offset int
	}
	nested := map[place]int{}
	for i, s := range rec.Plan.Sites {
		if s.Kind == Nested {
			nested[place{rec.Plan.Files[rec.Plan.Funcs[s.Func].File].Path, s.Offset}] = i
		}
		k := siteKey{s.Func, s.Offset, s.Kind}
		if _, second := c.sites[k]; !second {
			c.sites[k] = i
		}
	}
	for _, pkg := range rec.Packages {
		c.own[pkg.Types.Path()], c.fset = true, pkg.Fset
		for _, f := range pkg.Files {
			tok := pkg.Fset.File(f.FileStart)
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.RangeStmt:
					if site, ok := nested[place{tok.Name(), tok.Offset(n.Pos())}]; ok {
						c.loops[site] = n
					}
				case *ast.CallExpr:
					if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
						c.direct[lit] = true
					}
				case *ast.FuncDecl, *ast.FuncLit:
					i, ok := funcs[funcKey{tok.Name(), tok.Offset(n.Pos()), tok.Offset(n.End())}]
					if !ok {
						return true
					}
					c.nodes[i], c.pkgs[i] = n, pkg
					if lit, ok := n.(*ast.FuncLit); ok {
						c.lits[lit] = i
					} else if obj := pkg.Info.Defs[n.(*ast.FuncDecl).Name]; obj != nil {
						c.decls[obj] = i
						c.places[pkg.Fset.PositionFor(obj.Pos(), false)] = i
						if fn, ok := obj.(*types.Func); ok && fn.Name() != "_" && fn.Name() != "init" {
							c.names[fn.FullName()] = i
						}
					}
				}
				return true
			})
		}
	}
	return c
}

// Node is a function's declaration or literal, and its package.
func (c *Code) Node(fn int) (ast.Node, *Package) { return c.nodes[fn], c.pkgs[fn] }

// Declared is the number of a declared function or method, if it is recorded.
func (c *Code) Declared(fn *types.Func) (int, bool) {
	n, ok := c.decls[fn.Origin()]
	if !ok && fn.Pkg() != nil && c.own[fn.Pkg().Path()] {
		if n, ok = c.places[c.fset.PositionFor(fn.Origin().Pos(), false)]; !ok {
			n, ok = c.names[fn.Origin().FullName()]
		}
	}
	return n, ok
}

// Literal is the number of a function literal, if it is recorded.
func (c *Code) Literal(lit *ast.FuncLit) (int, bool) {
	n, ok := c.lits[lit]
	return n, ok
}

// Marked reports whether a history says what the operand after && or || gave.
func (c *Code) Marked(fn int, x *ast.BinaryExpr) bool {
	_, ok := c.sites[siteKey{fn, c.pkgs[fn].Fset.File(x.OpPos).Offset(x.OpPos), Second}]
	return ok
}

// Part is what of a statement is executed.
type Part int

// The parts of statements.
const (
	Whole     Part = iota // a statement without others inside
	Head                  // the condition, tag or operand of a statement with a body; the beginning of a for loop
	Next                  // the head of a range loop, before another iteration
	Condition             // the condition of a for loop, each time
	Cases                 // the expressions of a clause
	Return                // the end of a function without a return
	Operand               // the operand after && or ||; the statement that it is part of follows
	LoopEnd               // where the body of a loop over a function ends, and where that loop does
)

// A Step is one execution of a statement or a part of one.
type Step struct {
	Node ast.Node
	Part Part
	// Time is that of the last event before it, of whatever function it called
	// before.
	Time int64
	// Calls are the activations that it called, directly or through functions that
	// are not recorded.
	Calls []*Activation
	// Value is what an operand after && or || gave.
	Value bool
}

// control is how a statement ends.
type control int

const (
	falls control = iota
	breaks
	continues
	jumps
	falling // fallthrough
	leaves  // return, or the activation ends here
)

// A departure is how the body of a loop over a function ended.
type departure struct {
	control  control
	label    string
	deferred []*ast.CallExpr
}

// A walker replays one activation.
type walker struct {
	c     *Code
	a     *Activation
	pkg   *Package
	i     int // of the next item
	time  int64
	label string // of a break, continue or goto
	yield func(Step)
	marks int // items that are marks and were not passed yet
	end   int // the mark at the end of the statement that is replayed, or -1
	calls []*Activation
	// deferred are the calls that statements have deferred, which come when all marks are passed.
	deferred []*ast.CallExpr
}

// Walk replays an activation and yields what it executed, in order. Literals and
// other functions are activations of their own. Deferred functions are no steps.
func (c *Code) Walk(a *Activation, yield func(Step)) {
	w := &walker{c: c, a: a, pkg: c.pkgs[a.Func], time: a.Start, yield: yield, end: -1}
	for _, it := range a.Items {
		if it.Marks() {
			w.marks++
		}
	}
	if a.Of != nil {
		w.body()
		return
	}
	var block *ast.BlockStmt
	switch n := c.nodes[a.Func].(type) {
	case *ast.FuncDecl:
		block = n.Body
	case *ast.FuncLit:
		block = n.Body
	default:
		return
	}
	if w.stmts(block.List) == falls && !w.over(block.Rbrace, block.Rbrace) {
		w.step(block, Return)
	}
}

// take passes the mark of a site, if that is next.
func (w *walker) take(kind Kind, pos token.Pos) bool {
	n, ok := w.site(kind, pos)
	return ok && w.passes(n)
}

// passes passes the mark of a site by its number, if that is next.
func (w *walker) passes(site int) bool {
	if !w.next(site) {
		return false
	}
	w.pass()
	return true
}

func (w *walker) site(kind Kind, pos token.Pos) (int, bool) {
	n, ok := w.c.sites[siteKey{w.a.Func, w.pkg.Fset.File(pos).Offset(pos), kind}]
	return n, ok
}

// next reports whether the mark of a site is next.
func (w *walker) next(site int) bool {
	w.ends()
	return w.i < len(w.a.Items) && w.a.Items[w.i].Marks() && w.a.Items[w.i].Site == site
}

// ends passes the ends of bodies of loops over functions.
func (w *walker) ends() {
	for w.i < len(w.a.Items) && w.a.Items[w.i].Ends {
		w.time = w.a.Items[w.i].Time
		w.i++
	}
}

func (w *walker) pass() {
	it := w.a.Items[w.i]
	w.time = it.Time
	if it.Marks() {
		w.marks--
	}
	w.i++
}

// over reports whether the activation ended abruptly before a statement's end: in
// one of its lines, or, where the program ended, with the call that is open.
func (w *walker) over(from, to token.Pos) bool {
	if w.marks > 0 {
		return false
	}
	if w.a.Of != nil && w.a.Abrupt {
		// In which line of it is known of what has ended with it alone.
		last := w.i - 1
		return w.i >= len(w.a.Items) && last >= 0 && w.a.Items[last].Call != nil && w.a.Items[last].Call.Abrupt
	}
	if w.a.Abrupt {
		first, last := w.line(from), w.line(to)
		return w.a.At >= first && w.a.At <= last
	}
	return w.a.End < 0 && w.i >= len(w.a.Items) && w.i > 0 && w.a.Items[w.i-1].Call != nil && w.a.Items[w.i-1].Call.End < 0
}

func (w *walker) line(pos token.Pos) int { return w.pkg.Fset.PositionFor(pos, false).Line }

func (w *walker) step(n ast.Node, part Part) {
	w.yield(Step{Node: n, Part: part, Time: w.time, Calls: w.calls})
	w.calls = nil
}
