package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"misstep/internal/srcedit"
)

// A Package is a type-checked package to instrument.
type Package struct {
	Path  string
	Fset  *token.FileSet
	Files []*ast.File // with comments
	Texts map[string][]byte
	Info  *types.Info
}

// Names that the edits bring into a program.
const (
	buffer = "misstepb"
	depth  = "misstepd"
	done   = "misstepok"
	result = "misstepr"
	label  = "misstepl"
	own    = "misstephistory" // the recorder's package
)

// An instrumenter numbers functions and sites, and makes the edits of a package's
// files.
type instrumenter struct {
	plan *Plan
	// qualifier stands before names of the recorder: a package and a dot, or
	// nothing.
	qualifier, importPath string

	pkg     *Package
	file    int
	text    []byte
	name    string
	tok     *token.File
	edits   *srcedit.Edits
	started map[types.Object]bool // functions that go statements start
	own     map[string]bool       // paths of the packages that are instrumented
}

// instrument instruments a package and returns the changed files by path.
func (in *instrumenter) instrument(pkg *Package) (map[string][]byte, error) {
	in.pkg = pkg
	in.edits = srcedit.New(pkg.Texts)
	in.started = map[types.Object]bool{}
	for _, f := range pkg.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				if fn := callee(pkg.Info, g.Call); fn != nil {
					in.started[fn.Origin()] = true
				}
			}
			return true
		})
	}
	changed := map[string]bool{}
	for _, f := range pkg.Files {
		in.tok = pkg.Fset.File(f.FileStart)
		path := in.tok.Name()
		in.text, in.name = pkg.Texts[path], path
		rel := path
		if r, err := filepath.Rel(in.plan.Dir, path); err == nil && filepath.IsLocal(r) {
			rel = filepath.ToSlash(r)
		} else if pkg.Path != "command-line-arguments" {
			rel = pkg.Path + "/" + filepath.Base(path) // of a dependency
		}
		if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }) {
			in.plan.Gaps = append(in.plan.Gaps, Gap{File: rel, Reason: "uses cgo"})
			continue
		}
		sum := sha256.Sum256(in.text)
		in.file = len(in.plan.Files)
		in.plan.Files = append(in.plan.Files, File{Name: rel, Path: path, Hash: hex.EncodeToString(sum[:]), Text: string(in.text)})
		n := len(in.plan.Funcs)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				in.declared(d)
			case *ast.GenDecl:
				in.literals(d, pkg.Path+".init")
			}
		}
		if len(in.plan.Funcs) > n {
			changed[path] = true
			if in.importPath != "" {
				in.insert(f.Name.End(), fmt.Sprintf("; import %s %q", own, in.importPath))
			}
		}
	}
	texts, _, err := in.edits.Apply()
	if err != nil {
		return nil, fmt.Errorf("instrumenting %s: %w", pkg.Path, err)
	}
	return texts, nil
}

func (in *instrumenter) offset(pos token.Pos) int { return in.tok.Offset(pos) }

func (in *instrumenter) insert(pos token.Pos, text string) {
	in.edits.Insert(in.name, in.offset(pos), text)
}

func (in *instrumenter) position(pos token.Pos) token.Position {
	return in.pkg.Fset.PositionFor(pos, false)
}

// declared instruments a declared function and the literals in it.
func (in *instrumenter) declared(d *ast.FuncDecl) {
	if d.Body == nil {
		return
	}
	name := in.pkg.Path + "."
	if in.pkg.Files[0].Name.Name == "main" {
		name = "main."
	}
	if d.Recv != nil && len(d.Recv.List) == 1 {
		name += receiver(d.Recv.List[0].Type) + "."
	}
	name += d.Name.Name
	if reason := forbidden(d); reason != "" {
		in.gap(d.Pos(), reason)
		return
	}
	obj, _ := in.pkg.Info.Defs[d.Name].(*types.Func)
	root := d.Recv == nil && d.Name.Name == "main" && in.pkg.Files[0].Name.Name == "main" || obj != nil && in.started[obj]
	in.function(d, d.Type, d.Body, name, root)
}

// receiver is a receiver's type as debuggers write it.
func receiver(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return "(*" + receiver(x.X) + ")"
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}

// forbidden tells why a function must not call others.
func forbidden(d *ast.FuncDecl) string {
	if d.Doc == nil {
		return ""
	}
	for _, c := range d.Doc.List {
		for _, directive := range []string{"nosplit", "norace", "nowritebarrier", "systemstack", "yeswritebarrier", "uintptrkeepalive", "cgo_unsafe_args"} {
			if strings.HasPrefix(c.Text, "//go:"+directive) {
				return "has the directive go:" + directive
			}
		}
	}
	return ""
}

func (in *instrumenter) gap(pos token.Pos, reason string) {
	in.plan.Gaps = append(in.plan.Gaps, Gap{File: in.plan.Files[in.file].Name, Line: in.position(pos).Line, Reason: reason})
}

// literals instruments the outermost function literals in a node.
func (in *instrumenter) literals(n ast.Node, name string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			in.function(lit, lit.Type, lit.Body, name+".func", false)
			return false
		}
		return true
	})
}

// A body is a function being instrumented.
type body struct {
	in      *instrumenter
	fn      int
	name    string
	typ     *ast.FuncType
	results []string // names, all of them usable, or nil
	guarded bool
	nested  bool            // has loops over functions
	targets map[string]bool // labels that a goto names
	left    map[string]bool // labels that a break or continue names
	around  []around        // statements that a break or continue may leave
	label   string          // of the statement that comes
	header  bool            // in the head of an if, for or switch
}

// around is a statement that a break may leave.
type around struct {
	stmt  ast.Stmt
	label string
	site  int // of a loop over a function, or -1
}

// enter begins such a statement; what it returns ends it.
func (b *body) enter(s ast.Stmt, site int) func() {
	b.around = append(b.around, around{s, b.label, site})
	b.label = ""
	return func() { b.around = b.around[:len(b.around)-1] }
}

// leave are the events of the bodies of loops over functions that a branch
// leaves; a return leaves them all.
func (b *body) leave(branch *ast.BranchStmt) string {
	text := ""
	for i := len(b.around) - 1; i >= 0; i-- {
		a := b.around[i]
		if a.site >= 0 {
			text += b.unnest(a.site) + "; "
		}
		if branch == nil {
			continue
		}
		if branch.Label != nil {
			if a.label == branch.Label.Name {
				return text
			}
			continue
		}
		switch a.stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return text
		default:
			if branch.Tok == token.BREAK {
				return text
			}
		}
	}
	if branch != nil {
		return "" // a goto
	}
	return text
}

// function instruments one function.
func (in *instrumenter) function(n ast.Node, typ *ast.FuncType, block *ast.BlockStmt, name string, root bool) {
	b := &body{in: in, fn: len(in.plan.Funcs), name: name, typ: typ, guarded: root, targets: map[string]bool{}, left: map[string]bool{}}
	b.survey(block)
	start, end := in.position(n.Pos()), in.position(n.End())
	_, literal := n.(*ast.FuncLit)
	in.plan.Funcs = append(in.plan.Funcs, Func{
		Package: in.pkg.Path, Name: name, Literal: literal, File: in.file, Start: in.offset(n.Pos()), End: in.offset(n.End()),
		Line: start.Line, Column: start.Column, EndLine: end.Line, Guarded: b.guarded,
	})
	b.nameResults()
	head := fmt.Sprintf(" %s := %sMisstepIn(%d); _ = %s;", buffer, in.qualifier, b.fn, buffer)
	if b.guarded || b.nested {
		head += fmt.Sprintf(" %s := %s.D();", depth, buffer)
	}
	if b.guarded {
		head += fmt.Sprintf(" var %s %sMisstepOK; defer %s.Leave(%d, %s, &%s);", done, in.qualifier, buffer, b.fn, depth, done)
	} else if b.nested {
		head += " _ = " + depth + ";"
	}
	in.insert(block.Lbrace+1, head+" ")
	b.stmts(block.List)
	if typ.Results == nil || len(typ.Results.List) == 0 {
		in.insert(block.Rbrace, "; "+b.exit()+" ")
	}
}

// exit is the event of a function's return.
func (b *body) exit() string {
	if b.guarded {
		return done + " = 1"
	}
	return fmt.Sprintf("%s.X(%d)", buffer, b.fn)
}

// survey finds what a function has.
func (b *body) survey(block *ast.BlockStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			b.guarded = true
		case *ast.RangeStmt:
			if OverFunc(b.in.pkg.Info, n) {
				b.nested = true
				// After a return in the body, the iterator runs on.
				b.guarded = b.guarded || returnsIn(n.Body)
			}
		case *ast.BranchStmt:
			switch {
			case n.Tok == token.GOTO:
				b.targets[n.Label.Name] = true
			case n.Label != nil:
				b.left[n.Label.Name] = true
			}
		}
		return true
	})
}

func returnsIn(block *ast.BlockStmt) bool {
	found := false
	ast.Inspect(block, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}

// coreType is the one underlying type of a type parameter's type set, if any.
func coreType(p *types.TypeParam) types.Type {
	it, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for e := range it.EmbeddedTypes() {
		switch u := e.(type) {
		case *types.Union:
			if u.Len() > 0 {
				return u.Term(0).Type().Underlying()
			}
		default:
			return u.Underlying()
		}
	}
	return nil
}

// nameResults gives names to results that have none, so that a return can assign
// them before it says that it returns.
func (b *body) nameResults() {
	list := b.typ.Results
	if list == nil || len(list.List) == 0 {
		return
	}
	n := 0
	if list.List[0].Names == nil {
		for _, f := range list.List {
			name := fmt.Sprint(result, n)
			n++
			text := name + " "
			if !list.Opening.IsValid() {
				text = "(" + text
			}
			b.in.insert(f.Type.Pos(), text)
			b.results = append(b.results, name)
		}
		if !list.Opening.IsValid() {
			b.in.insert(list.End(), ")")
		}
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			name := id.Name
			if name == "_" {
				name = fmt.Sprint(result, n)
				n++
				at := b.in.offset(id.Pos())
				b.in.edits.Replace(b.in.name, at, at+1, srcedit.Text(name))
			}
			b.results = append(b.results, name)
		}
	}
}

// site numbers a place; of those with two outcomes, the second has the next
// number.
func (b *body) site(kind Kind, pos token.Pos) int {
	p := b.in.position(pos)
	s := Site{Kind: kind, Func: b.fn, Offset: b.in.offset(pos), Line: p.Line, Column: p.Column}
	n := len(b.in.plan.Sites)
	b.in.plan.Sites = append(b.in.plan.Sites, s)
	if kind == Second {
		b.in.plan.Sites = append(b.in.plan.Sites, s)
	}
	return n
}

// mark is the event of a site.
func (b *body) mark(kind Kind, pos token.Pos) string {
	return fmt.Sprintf(" %s.E(%d); ", buffer, uint32(b.site(kind, pos))<<3|wordMark)
}

// quiet tells whether a loop's body has no events of its own, so that its marks
// come in a row.
func (in *instrumenter) quiet(block *ast.BlockStmt) bool {
	quiet := true
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt,
			*ast.LabeledStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt:
			quiet = false
		case *ast.UnaryExpr:
			quiet = quiet && n.Op != token.ARROW
		case *ast.BinaryExpr:
			quiet = quiet && n.Op != token.LAND && n.Op != token.LOR
		case *ast.CallExpr:
			tv := in.pkg.Info.Types[n.Fun]
			quiet = quiet && (tv.IsType() || tv.IsBuiltin())
		case *ast.FuncLit:
			return false
		}
		return quiet
	})
	return quiet
}

func (b *body) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *body) block(kind Kind, pos token.Pos, block *ast.BlockStmt) {
	if kind == Body && b.in.quiet(block) {
		b.in.insert(block.Lbrace+1, fmt.Sprintf(" %s.L(%d); ", buffer, uint32(b.site(kind, pos)+1)<<3))
	} else {
		b.in.insert(block.Lbrace+1, b.mark(kind, pos))
	}
	b.stmts(block.List)
}

// head instruments a statement in the head of another, behind which none can be
// put.
func (b *body) head(s ast.Stmt) {
	before := b.header
	b.header = true
	b.stmt(s)
	b.header = before
}

func (b *body) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		b.stmts(s.List)
	case *ast.LabeledStmt:
		switch name := s.Label.Name; {
		case b.targets[name] && b.left[name]:
			// The mark cannot come between the label and its loop: the gotos get a label
			// of their own before it.
			b.in.insert(s.Pos(), fmt.Sprintf("%s_%s:%s", label, name, b.mark(Label, s.Pos())))
		case b.targets[name]:
			b.in.insert(s.Colon+1, b.mark(Label, s.Pos()))
		}
		b.label = s.Label.Name
		b.stmt(s.Stmt)
		b.label = ""
	case *ast.IfStmt:
		b.head(s.Init)
		b.expr(s.Cond)
		b.block(Then, s.Pos(), s.Body)
		b.stmt(s.Else)
	case *ast.ForStmt:
		b.head(s.Init)
		b.expr(s.Cond)
		b.head(s.Post)
		defer b.enter(s, -1)()
		b.block(Body, s.Pos(), s.Body)
	case *ast.RangeStmt:
		b.expr(s.X)
		if s.Tok == token.ASSIGN {
			b.expr(s.Key)
			b.expr(s.Value)
		}
		if !OverFunc(b.in.pkg.Info, s) {
			defer b.enter(s, -1)()
			if t := b.in.pkg.Info.TypeOf(s.X); t != nil && isChan(t) {
				b.in.insert(s.Body.Lbrace+1, " "+buffer+".S();")
			}
			b.block(Body, s.Pos(), s.Body)
			break
		}
		site := b.site(Nested, s.Pos())
		b.in.insert(s.Body.Lbrace+1, fmt.Sprintf(" %s.Nest(%d, %s); ", buffer, site, depth))
		defer b.enter(s, site)()
		b.stmts(s.Body.List)
		b.in.insert(s.Body.Rbrace, "; "+b.unnest(site)+" ")
	case *ast.SwitchStmt:
		b.head(s.Init)
		b.expr(s.Tag)
		defer b.enter(s, -1)()
		b.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		b.head(s.Init)
		b.head(s.Assign)
		defer b.enter(s, -1)()
		b.clauses(s.Body)
	case *ast.SelectStmt:
		defer b.enter(s, -1)()
		b.clauses(s.Body)
	case *ast.ReturnStmt:
		b.returns(s)
	case *ast.BranchStmt:
		if s.Tok == token.GOTO && b.left[s.Label.Name] {
			b.in.insert(s.Label.Pos(), label+"_")
		}
		if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
			b.in.insert(s.Pos(), b.leave(s))
		}
	case *ast.ExprStmt:
		if !b.header && b.in.ends(s.X) {
			b.in.insert(s.Pos(), strings.TrimLeft(b.mark(Last, s.Pos()), " "))
		}
		b.expr(s.X)
		if !b.header && b.in.waits(s.X) {
			b.stamp(s)
		}
		b.after(s)
	case *ast.SendStmt:
		b.expr(s.Chan)
		b.expr(s.Value)
		if !b.header {
			b.stamp(s)
		}
	case *ast.AssignStmt:
		for _, x := range slices.Concat(s.Lhs, s.Rhs) {
			b.expr(x)
		}
		if !b.header && slices.ContainsFunc(s.Rhs, b.in.receives) {
			b.stamp(s)
		}
		b.after(s)
	case *ast.GoStmt:
		if lit, ok := s.Call.Fun.(*ast.FuncLit); ok {
			b.in.function(lit, lit.Type, lit.Body, b.name+".func", true)
			for _, x := range s.Call.Args {
				b.expr(x)
			}
			break
		}
		b.expr(s.Call)
	case *ast.DeferStmt:
		b.expr(s.Call)
		b.in.insert(s.End(), fmt.Sprintf("; defer %s.P(%s, &%s)", buffer, depth, done))
	case *ast.IncDecStmt:
		b.expr(s.X)
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for _, x := range v.Values {
					b.expr(x)
				}
				return false
			}
			return true
		})
	case *ast.EmptyStmt:
	}
}

// after marks the end of a statement that calls what is not recorded, so that what
// that calls back is known from what later statements call.
func (b *body) after(s ast.Stmt) {
	if !b.header && b.in.callsOut(s) && !b.in.isPanic(s) {
		b.in.insert(s.End(), ";"+strings.TrimRight(b.mark(After, s.Pos()), "; "))
	}
}

// isPanic tells whether a statement is a call of panic, behind which there must be
// nothing where a function ends in it.
func (in *instrumenter) isPanic(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(x.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "panic" && in.pkg.Info.Types[call.Fun].IsBuiltin()
}

// callsOut tells whether a statement calls a function of another package with
// something that has methods or is a function.
func (in *instrumenter) callsOut(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := in.pkg.Info.Types[n.Fun]
			if tv.IsType() || tv.IsBuiltin() {
				return true
			}
			fn := callee(in.pkg.Info, n)
			if fn != nil && (fn.Pkg() == nil || in.own[fn.Pkg().Path()]) {
				return true
			}
			// Dynamic calls may lead out of the program, too.
			if fn == nil || slices.ContainsFunc(n.Args, in.callable) {
				found = true
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && in.callable(sel.X) {
				found = true
			}
		}
		return !found
	})
	return found
}

// callable tells whether a value may lead to a call of the program's functions.
func (in *instrumenter) callable(x ast.Expr) bool {
	t := in.pkg.Info.TypeOf(x)
	if t == nil {
		return false
	}
	b, basic := t.(*types.Basic)
	return !basic || b.Kind() == types.Invalid
}

// receives tells whether an expression receives from a channel.
func (in *instrumenter) receives(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// waits tells whether another goroutine may run during an expression: it receives,
// or calls a function of another package, such as a lock's.
func (in *instrumenter) waits(x ast.Expr) bool {
	if in.receives(x) {
		return true
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := callee(in.pkg.Info, call)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() != in.pkg.Path
}

func isChan(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if t = coreType(p); t == nil {
			return false
		}
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// stamp orders the goroutine after another that it may have waited for.
func (b *body) stamp(s ast.Stmt) { b.in.insert(s.End(), "; "+buffer+".S()") }

func (b *body) clauses(block *ast.BlockStmt) {
	for _, s := range block.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				b.expr(x)
			}
			b.in.insert(c.Colon+1, b.mark(Case, c.Pos()))
			b.stmts(c.Body)
		case *ast.CommClause:
			b.commClause(c)
		}
	}
}

func (b *body) commClause(c *ast.CommClause) {
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		b.expr(s.Chan)
		b.expr(s.Value)
	case *ast.ExprStmt:
		b.expr(s.X)
	case *ast.AssignStmt:
		for _, x := range slices.Concat(s.Lhs, s.Rhs) {
			b.expr(x)
		}
	}
	b.in.insert(c.Colon+1, " "+buffer+".S();"+b.mark(Case, c.Pos()))
	b.stmts(c.Body)
}

// unnest ends the body of a loop over a function.
func (b *body) unnest(site int) string {
	return fmt.Sprintf("%s.E(%d)", buffer, uint32(site)<<3|wordUnnest)
}

// returns lets a return assign the results, say that it returns, and return.
func (b *body) returns(s *ast.ReturnStmt) {
	for _, x := range s.Results {
		b.expr(x)
	}
	exit := b.leave(nil) + b.exit() + "; "
	if len(s.Results) == 0 || !slices.ContainsFunc(s.Results, b.in.busy) {
		b.in.insert(s.Pos(), "{ "+exit)
		b.in.insert(s.End(), " }")
		return
	}
	names := b.results
	assign := " = "
	if b.shadowed(s) {
		// A result's name means something else here.
		if !b.in.typed(s.Results) {
			b.in.insert(s.Pos(), "{ "+exit)
			b.in.insert(s.End(), " }")
			return
		}
		names = nil
		for i := range b.results {
			names = append(names, fmt.Sprint(result, "t", i))
		}
		assign = " := "
	}
	list := strings.Join(names, ", ")
	at := b.in.offset(s.Pos())
	b.in.edits.Replace(b.in.name, at, at+len("return"), srcedit.Text("{ "+list+assign))
	b.in.insert(s.End(), "; "+exit+"return "+list+" }")
}

// shadowed tells whether a result's name means another variable at a return.
func (b *body) shadowed(s *ast.ReturnStmt) bool {
	scope := b.in.pkg.Info.Scopes[b.typ]
	if scope == nil {
		return false
	}
	inner := scope.Innermost(s.Pos())
	if inner == nil {
		return true
	}
	for _, name := range b.results {
		if _, obj := inner.LookupParent(name, s.Pos()); obj != nil && obj.Parent() != scope {
			if scope.Lookup(name) != nil {
				return true
			}
		}
	}
	return false
}

// typed tells whether each expression has a type of its own that a variable
// would keep.
func (in *instrumenter) typed(list []ast.Expr) bool {
	for _, x := range list {
		tv := in.pkg.Info.Types[x]
		if tv.Value != nil || tv.IsNil() || tv.Type == nil {
			return false
		}
		if b, ok := tv.Type.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			return false
		}
		switch ast.Unparen(x).(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			return false // may be untyped where it stands
		}
	}
	return true
}

// busy tells whether evaluating an expression may give events or panic.
func (in *instrumenter) busy(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := in.pkg.Info.Types[n.Fun]
			if in.pkg.Info.Types[n].Value != nil || tv.IsType() && !panics(tv.Type) {
				return true
			}
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && tv.IsBuiltin() {
				switch id.Name {
				case "len", "cap", "real", "imag", "complex", "min", "max":
					return true
				}
			}
			found = true
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = found || !in.pkg.Info.Types[n.(ast.Expr)].IsType()
		case *ast.SelectorExpr:
			if sel := in.pkg.Info.Selections[n]; sel != nil && (sel.Indirect() || isPointer(sel.Recv())) {
				found = true
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				found = found || in.pkg.Info.Types[n].Value == nil
			case token.LAND, token.LOR:
				found = found || in.pkg.Info.Types[n].Value == nil
			case token.EQL, token.NEQ:
				found = found || comparesInterfaces(in.pkg.Info, n)
			}
		}
		return !found
	})
	return found
}

func comparesInterfaces(info *types.Info, n *ast.BinaryExpr) bool {
	for _, x := range []ast.Expr{n.X, n.Y} {
		if t := info.TypeOf(x); t != nil && types.IsInterface(t) && !info.Types[n.Y].IsNil() {
			return true
		}
	}
	return false
}

// panics tells whether a conversion to a type may panic.
func panics(t types.Type) bool {
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		u = p.Elem().Underlying()
	}
	_, ok := u.(*types.Array)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// expr marks second operands, and instruments the literals in an expression.
func (b *body) expr(x ast.Expr) {
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			b.in.function(n, n.Type, n.Body, b.name+".func", false)
			return false
		case *ast.BinaryExpr:
			if b.in.marked(n) {
				site := b.site(Second, n.OpPos)
				b.in.insert(n.Y.Pos(), fmt.Sprintf("%sMisstepB(%s, %d, ", b.in.qualifier, buffer, site))
				b.expr(n.X)
				b.expr(n.Y)
				b.in.insert(n.Y.End(), ")")
				return false
			}
		}
		return true
	})
}

// marked tells whether the second operand of an expression can be marked: it is
// && or ||, no constant, and of type bool.
func (in *instrumenter) marked(n *ast.BinaryExpr) bool {
	if n.Op != token.LAND && n.Op != token.LOR {
		return false
	}
	for _, x := range []ast.Expr{n, n.X, n.Y} {
		tv := in.pkg.Info.Types[x]
		if tv.Value != nil && tv.Value.Kind() == constant.Bool && x != n.X && x != n.Y {
			return false
		}
		t, ok := types.Unalias(tv.Type).(*types.Basic)
		if !ok || t.Kind() != types.Bool && t.Kind() != types.UntypedBool {
			return false
		}
	}
	return true
}

// callee is the declared function or method that a call calls, if that is known.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel != nil && types.IsInterface(sel.Recv()) {
			return nil
		}
		id = x.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// ends tells whether a call ends the program.
func (in *instrumenter) ends(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := callee(in.pkg.Info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "os.Exit", "syscall.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "runtime.Goexit":
		return true
	}
	return false
}
