package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"misstep/history"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// Names that the edits bring into a program.
const (
	buffer  = "misstepb"
	depth   = "misstepd"
	done    = "misstepok"
	result  = "misstepr"
	label   = "misstepl"
	counter = "misstepq"
	last    = "misstepo"
	own     = "misstephistory" // the recorder's package
)

// An instrumenter numbers functions and sites, and makes the edits of a package's
// files.
type instrumenter struct {
	plan *history.Plan
	// qualifier stands before names of the recorder: a package and a dot, or
	// nothing.
	qualifier, importPath string

	pkg     *history.Package
	file    int
	text    []byte
	name    string
	tok     *token.File
	edits   *srcedit.Edits
	started map[types.Object]bool // functions that go statements start
	own     map[string]bool       // paths of the packages that are instrumented

	// objects says that objects are recorded; shared are the variables that others
	// than the function's own statements can reach, addressed those whose address is
	// known elsewhere.
	objects           bool
	shared, addressed map[types.Object]bool

	// turns are what expressions can be made to be, by their places.
	turns map[Turn][]numbered

	watches *Watch // nil if nothing is watched
	watched []history.Watched
	sets    int // assignments until now
}

// instrument instruments a package and returns the changed files by path.
func (in *instrumenter) instrument(pkg *history.Package) (map[string][]byte, error) {
	in.pkg = pkg
	in.edits = srcedit.New(pkg.Texts)
	in.started = map[types.Object]bool{}
	if in.objects {
		in.share()
	}
	for _, f := range pkg.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				if fn := history.Callee(pkg.Info, g.Call); fn != nil {
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
		rel := fileName(in.plan.Dir, pkg.Path, path)
		sum := sha256.Sum256(in.text)
		in.file = len(in.plan.Files)
		in.plan.Files = append(in.plan.Files, history.File{Name: rel, Path: path, Hash: hex.EncodeToString(sum[:]), Text: string(in.text)})
		n := len(in.plan.Funcs)
		if in.watches != nil {
			in.watch(f)
		}
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
	obj, _ := in.pkg.Info.Defs[d.Name].(*types.Func)
	if d.Recv != nil && len(d.Recv.List) == 1 {
		name += receiver(obj, d.Recv.List[0].Type) + "."
	}
	name += d.Name.Name
	if reason := forbidden(d); reason != "" {
		in.gap(d.Pos(), reason)
		return
	}
	root := d.Recv == nil && d.Name.Name == "main" && in.pkg.Files[0].Name.Name == "main" || obj != nil && in.started[obj]
	in.function(d, d.Type, d.Body, name, root)
}

// receiver is a receiver's type as debuggers write it: by the name that the type has, where the source
// has an alias of it.
func receiver(method *types.Func, x ast.Expr) string {
	if method != nil {
		switch t := types.Unalias(method.Signature().Recv().Type()).(type) {
		case *types.Pointer:
			if named, ok := types.Unalias(t.Elem()).(*types.Named); ok {
				return "(*" + named.Obj().Name() + ")"
			}
		case *types.Named:
			return t.Obj().Name()
		}
	}
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok {
		return "(*" + types.ExprString(star.X) + ")"
	}
	return types.ExprString(x)
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
	in.plan.Gaps = append(in.plan.Gaps, history.Gap{File: in.plan.Files[in.file].Name, Line: in.position(pos).Line, Reason: reason})
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
	defers  bool
	nested  bool            // has loops over functions
	targets map[string]bool // labels that a goto names
	left    map[string]bool // labels that a break or continue names
	around  []around        // statements that a break or continue may leave
	label   string          // of the statement that comes
	header  bool            // in the head of an if, for or switch
	calling bool            // in a statement that calls something
	only    *ast.CallExpr   // the only call of that; nil if there are several
	loops   int             // around
	caching bool            // there is a place to declare variables
	lasts   int             // variables that keep an address
	known   map[use]bool    // what variables were used for, on every way to here
}

// function instruments one function.
func (in *instrumenter) function(n ast.Node, typ *ast.FuncType, block *ast.BlockStmt, name string, root bool) {
	b := &body{in: in, fn: len(in.plan.Funcs), name: name, typ: typ, guarded: root || in.caught(n), targets: map[string]bool{}, left: map[string]bool{}, known: map[use]bool{}}
	b.survey(block)
	start, end := in.position(n.Pos()), in.position(n.End())
	_, literal := n.(*ast.FuncLit)
	in.plan.Funcs = append(in.plan.Funcs, history.Func{
		Package: in.pkg.Path, Name: name, Literal: literal, File: in.file, Start: in.offset(n.Pos()), End: in.offset(n.End()),
		Line: start.Line, Column: start.Column, EndLine: end.Line, Guarded: b.guarded, Defers: b.defers,
	})
	if b.leaf(n, block) {
		in.plan.Funcs[b.fn].Leaf = true
		in.insert(block.Lbrace+1, fmt.Sprintf(" %sMisstepLeaf(%d); ", in.qualifier, history.LeafWord(b.fn)))
		return
	}
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
	in.insert(block.Lbrace+1, head+b.parameters(n)+" ")
	b.caching = len(block.List) > 0 && block.List[0].Pos() > block.Lbrace+1
	b.stmts(block.List)
	b.remembered(block)
	if typ.Results == nil || len(typ.Results.List) == 0 {
		in.insert(block.Rbrace, "; "+b.exit()+" ")
	}
}

// leaf reports whether a function is a declared one whose body has no events: it calls
// nothing, and has one way through. Where it is entered, it is left.
func (b *body) leaf(n ast.Node, block *ast.BlockStmt) bool {
	if _, declared := n.(*ast.FuncDecl); !declared || b.in.watches != nil || !b.in.objectless(n) || b.guarded || b.nested || len(b.targets) > 0 {
		return false
	}
	for i, s := range block.List {
		switch s := s.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt:
			if !b.in.quiet(&ast.BlockStmt{List: []ast.Stmt{s}}) {
				return false
			}
		case *ast.ReturnStmt:
			if i < len(block.List)-1 {
				return false
			}
			for _, x := range s.Results {
				if !b.in.quiet(&ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: x}}}) {
					return false
				}
			}
		default:
			return false
		}
	}
	literal := false
	ast.Inspect(block, func(n ast.Node) bool {
		_, is := n.(*ast.FuncLit)
		literal = literal || is
		return !literal
	})
	return !literal
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
			b.guarded, b.defers = true, true
		case *ast.RangeStmt:
			if history.OverFunc(b.in.pkg.Info, n) {
				b.nested = true
				// After a return in the body, the iterator runs on.
				b.guarded = b.guarded || source.Returns(n.Body)
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
