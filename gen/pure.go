package gen

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"misstep/internal/source"
)

// Purity says which of a program's functions can be called without a trace: they change nothing
// that another can see, they surely return or panic, and soon.
type purity struct {
	src   *source.Source
	decls map[*types.Func]*ast.FuncDecl
	known map[*types.Func]bool
	// traces says that a function may change what others can see, and print, so that it only has to come to its end.
	traces bool
	// ranges says that the program goes through a map somewhere: what it would do with an entry that comes or goes
	// meanwhile, the language leaves open.
	ranges bool
	// trusted are the types of functions whose values are pure or not, by type; origins are where such values come from.
	trusted typeutil.Map
	origins *origins
}

func newPurity(src *source.Source) *purity {
	p := &purity{src: src, decls: map[*types.Func]*ast.FuncDecl{}, known: map[*types.Func]bool{}}
	for _, f := range src.Files {
		for _, d := range f.AST.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				if fn, ok := src.Info.Defs[fd.Name].(*types.Func); ok {
					p.decls[fn] = fd
				}
			}
		}
	}
	return p
}

// function reports whether a declared function is pure. One that calls itself is not, as nothing
// says how often.
func (p *purity) function(fn *types.Func) bool {
	pure, ok := p.known[fn]
	if ok {
		return pure
	}
	p.known[fn] = false // while it is looked into
	decl := p.decls[fn]
	if decl == nil || decl.Type.TypeParams != nil || fn.Signature().RecvTypeParams() != nil {
		return false
	}
	pure = p.body(decl, decl.Body)
	p.known[fn] = pure
	return pure
}

// body reports whether the body of a declared function or of a literal is pure.
func (p *purity) body(decl ast.Node, body *ast.BlockStmt) bool {
	pure := true
	ast.Inspect(body, func(n ast.Node) bool {
		pure = pure && p.node(decl, n)
		return pure
	})
	return pure
}

// node reports whether one node of a function's body, without what is in it, is pure.
func (p *purity) node(decl, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.LabeledStmt:
		return false
	case *ast.ForStmt:
		return p.counts(n)
	case *ast.BranchStmt:
		return n.Tok != token.GOTO
	case *ast.UnaryExpr:
		return n.Op != token.ARROW
	case *ast.RangeStmt:
		switch t := p.src.Info.TypeOf(n.X).Underlying().(type) {
		case *types.Slice, *types.Array:
		case *types.Basic:
			if t.Info()&types.IsString == 0 && !p.bounded(n.X) {
				return false
			}
		default:
			return false // endless, over what others fill, or in any order
		}
		return p.local(decl, n.Key) && p.local(decl, n.Value)
	case *ast.AssignStmt:
		return !slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return !p.local(decl, x) })
	case *ast.IncDecStmt:
		return p.local(decl, n.X)
	case *ast.CallExpr:
		return p.call(n)
	case *ast.Ident:
		// What it gives may follow from where something lies, which differs from binary to binary.
		obj := p.src.Info.Uses[n]
		return obj == nil || obj.Pkg() != types.Unsafe
	}
	return true
}

// local reports whether what is assigned to lies in a variable of the function itself.
func (p *purity) local(decl ast.Node, x ast.Expr) bool {
	if p.traces {
		return x == nil || !p.ranges || !p.entry(x)
	}
	switch x := x.(type) {
	case nil:
		return true
	case *ast.ParenExpr:
		return p.local(decl, x.X)
	case *ast.Ident:
		obj := p.src.Info.ObjectOf(x)
		return x.Name == "_" || obj != nil && obj.Pos() >= decl.Pos() && obj.Pos() < decl.End()
	case *ast.SelectorExpr:
		_, is := p.src.Info.TypeOf(x.X).Underlying().(*types.Struct)
		sel := p.src.Info.Selections[x]
		return is && sel != nil && !sel.Indirect() && p.local(decl, x.X)
	case *ast.IndexExpr:
		_, is := p.src.Info.TypeOf(x.X).Underlying().(*types.Array)
		return is && p.local(decl, x.X)
	}
	return false
}

// harmless are packages of the standard library whose functions are pure for basic operands: all of them, or some.
var harmless = map[string][]string{
	"strings": nil, "strconv": nil, "math": nil, "math/bits": nil, "math/cmplx": nil, "path": nil, "html": nil,
	"unicode": nil, "unicode/utf8": nil, "unicode/utf16": nil,
	"fmt": {"Sprint", "Sprintf", "Sprintln", "Errorf"}, "errors": {"New"},
}

// harmlessMethods are methods of types of the standard library that change nothing, and return, or panic on nil.
var harmlessMethods = map[string][]string{
	"time.Time":         {"Year", "Month", "Day", "Hour", "Minute", "Second", "Nanosecond", "Weekday", "YearDay", "Unix", "IsZero", "Before", "Equal", "Sub", "Add", "UTC", "String"},
	"time.Duration":     {"Hours", "Minutes", "Seconds", "Milliseconds", "Abs", "Truncate", "Round", "String"},
	"time.Month":        {"String"},
	"time.Weekday":      {"String"},
	"reflect.Value":     {"Kind", "IsValid", "CanSet", "CanAddr", "CanInterface", "CanInt", "String"},
	"reflect.Kind":      {"String"},
	"strings.Builder":   {"Len", "Cap", "String"},
	"strings.Reader":    {"Len", "Size"},
	"bytes.Buffer":      {"Len", "Cap", "String", "Available"},
	"bytes.Reader":      {"Len", "Size"},
	"math/big.Int":      {"Sign", "BitLen", "IsInt64", "Int64", "String"},
	"net/url.URL":       {"String", "Hostname", "Port", "IsAbs"},
	"net/netip.Addr":    {"Is4", "Is6", "IsValid", "BitLen", "String"},
	"sync/atomic.Int32": {"Load"}, "sync/atomic.Int64": {"Load"}, "sync/atomic.Uint32": {"Load"}, "sync/atomic.Uint64": {"Load"}, "sync/atomic.Bool": {"Load"},
	"container/list.List": {"Len", "Front", "Back"},
}

// growing are functions that make as much as they are told to: the operand that says how much has to be bounded.
var growing = map[string]int{"strings.Repeat": 1}

// builtins that change nothing.
var pureBuiltins = []string{"len", "cap", "min", "max", "real", "imag", "complex", "new", "panic", "recover"}

// tracingBuiltins are others, which always come to their end; printing are functions of package fmt.
var (
	tracingBuiltins = []string{"append", "copy", "print", "println"}
	printing        = []string{"Print", "Printf", "Println"}
)

// entry reports whether what is assigned to is an entry of a map.
func (p *purity) entry(x ast.Expr) bool {
	i, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, is := p.src.Info.TypeOf(i.X).Underlying().(*types.Map)
	return is
}

// rangesMaps reports whether the program goes through a map somewhere, or has somebody do so.
func (p *purity) rangesMaps() bool {
	found := false
	for _, f := range p.src.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				t := p.src.Info.TypeOf(n.X)
				_, plain := t.Underlying().(*types.Basic)
				found = found || !plain && !isA[*types.Slice](t.Underlying()) && !isA[*types.Array](t.Underlying())
			case *ast.ImportSpec:
				found = found || n.Path.Value == `"maps"`
			}
			return !found
		})
	}
	return found
}

// call reports whether a call in the program's own source is pure, without what its operands are.
func (p *purity) call(call *ast.CallExpr) bool {
	if tv := p.src.Info.Types[call.Fun]; tv.IsType() {
		return true
	}
	if _, literal := ast.Unparen(call.Fun).(*ast.FuncLit); literal {
		return true // what it does is looked at as a part of the function
	}
	id := calledName(call.Fun)
	if id == nil {
		return false
	}
	switch obj := p.src.Info.Uses[id].(type) {
	case *types.Var:
		sig, ok := p.src.Info.TypeOf(call.Fun).Underlying().(*types.Signature)
		return ok && p.values(sig)
	case *types.Builtin:
		if p.traces && (obj.Name() == "delete" || obj.Name() == "clear") {
			return !p.ranges
		}
		return slices.Contains(pureBuiltins, obj.Name()) || p.traces && slices.Contains(tracingBuiltins, obj.Name())
	case *types.Func:
		if obj.Pkg() == p.src.Pkg {
			return p.function(obj)
		}
		if obj.Pkg() == nil || obj.Signature().Recv() != nil {
			return false
		}
		some, ok := harmless[obj.Pkg().Path()]
		if p.traces && obj.Pkg().Path() == "fmt" && slices.Contains(printing, obj.Name()) {
			some = nil
		}
		if !ok || some != nil && !slices.Contains(some, obj.Name()) {
			return false
		}
		if n, grows := growing[obj.FullName()]; grows && (n >= len(call.Args) || !p.bounded(call.Args[n])) {
			return false
		}
		for _, arg := range call.Args {
			// Others may have methods, which would be called.
			if t := p.src.Info.TypeOf(arg); t == nil || !types.Identical(t, t.Underlying()) || !flatType(t) {
				return false
			}
		}
		return true
	}
	return false
}

// counts reports whether a loop surely ends soon: a variable of its own goes up to something small, and nothing else changes it.
func (p *purity) counts(loop *ast.ForStmt) bool {
	init, ok := loop.Init.(*ast.AssignStmt)
	cond, is := loop.Cond.(*ast.BinaryExpr)
	post, goes := loop.Post.(*ast.IncDecStmt)
	if !ok || !is || !goes || init.Tok != token.DEFINE || len(init.Lhs) != 1 || !p.bounded(init.Rhs[0]) {
		return false
	}
	v := p.src.Info.Defs[init.Lhs[0].(*ast.Ident)]
	same := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && v != nil && p.src.Info.Uses[id] == v
	}
	up := post.Tok == token.INC && (cond.Op == token.LSS || cond.Op == token.LEQ)
	down := post.Tok == token.DEC && (cond.Op == token.GTR || cond.Op == token.GEQ)
	if !up && !down || !same(cond.X) || !same(post.X) || !p.bounded(cond.Y) {
		return false
	}
	if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Int {
		return false // one of fewer bits may begin again
	}
	kept := true
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			kept = kept && !slices.ContainsFunc(n.Lhs, same)
		case *ast.IncDecStmt:
			kept = kept && !same(n.X)
		case *ast.RangeStmt:
			kept = kept && (n.Key == nil || !same(n.Key)) && (n.Value == nil || !same(n.Value))
		case *ast.UnaryExpr:
			kept = kept && (n.Op != token.AND || !same(n.X))
		}
		return kept
	})
	return kept
}

// bounded reports whether a number is small: a constant, or made of these and of lengths.
func (p *purity) bounded(x ast.Expr) bool {
	if v := p.src.Info.Types[x].Value; v != nil {
		n, exact := constant.Int64Val(constant.ToInt(v))
		return exact && n < 1000
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return slices.Contains([]token.Token{token.ADD, token.SUB, token.QUO}, x.Op) && p.bounded(x.X) && p.bounded(x.Y)
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "len" && len(x.Args) == 1
	}
	return false
}

// flatType reports whether a type is a basic one, or a slice of one.
func flatType(t types.Type) bool {
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	_, ok := t.(*types.Basic)
	return ok
}
