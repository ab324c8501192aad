package gen_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

// TestCoverage: together the shipped programs use every form of statement,
// declaration, expression and type, and every operator.
func TestCoverage(t *testing.T) {
	if n := len(gen.Shipped()); n < 40 {
		t.Errorf("only %d programs", n)
	}
	seen := map[string]bool{}
	for _, name := range gen.Shipped() {
		text, err := gen.ShippedText(name)
		if err != nil {
			t.Fatal(err)
		}
		ar := txtar.Parse(text)
		if len(strings.TrimSpace(string(ar.Comment))) < 20 {
			t.Errorf("%s: no prose first", name)
		}
		for _, file := range ar.Files {
			if !strings.HasSuffix(file.Name, ".go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Data, 0)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if n == nil {
					return false
				}
				seen[reflect.TypeOf(n).Elem().Name()] = true
				switch n := n.(type) {
				case *ast.BinaryExpr:
					seen["binary "+n.Op.String()] = true
				case *ast.UnaryExpr:
					seen["unary "+n.Op.String()] = true
				case *ast.AssignStmt:
					seen["assign "+n.Tok.String()] = true
				case *ast.BranchStmt:
					seen["branch "+n.Tok.String()] = true
				case *ast.GenDecl:
					seen["decl "+n.Tok.String()] = true
				case *ast.BasicLit:
					seen["literal "+n.Kind.String()] = true
				case *ast.SliceExpr:
					seen[fmt.Sprint("slice3 ", n.Slice3)] = true
				case *ast.ChanType:
					seen[fmt.Sprint("chan ", n.Dir)] = true
				case *ast.TypeSpec:
					seen[fmt.Sprint("alias ", n.Assign.IsValid())] = true
				}
				return true
			})
		}
	}
	var want []string
	for _, n := range []any{
		ast.ArrayType{}, ast.AssignStmt{}, ast.BasicLit{}, ast.BinaryExpr{}, ast.BlockStmt{}, ast.BranchStmt{}, ast.CallExpr{},
		ast.CaseClause{}, ast.ChanType{}, ast.CommClause{}, ast.CompositeLit{}, ast.DeclStmt{}, ast.DeferStmt{}, ast.Ellipsis{},
		ast.ExprStmt{}, ast.ForStmt{}, ast.FuncDecl{}, ast.FuncLit{}, ast.FuncType{}, ast.GenDecl{}, ast.GoStmt{}, ast.IfStmt{},
		ast.ImportSpec{}, ast.IncDecStmt{}, ast.IndexExpr{}, ast.IndexListExpr{}, ast.InterfaceType{}, ast.KeyValueExpr{},
		ast.LabeledStmt{}, ast.MapType{}, ast.ParenExpr{}, ast.RangeStmt{}, ast.ReturnStmt{}, ast.SelectStmt{}, ast.SelectorExpr{},
		ast.SendStmt{}, ast.SliceExpr{}, ast.StarExpr{}, ast.StructType{}, ast.SwitchStmt{}, ast.TypeAssertExpr{}, ast.TypeSpec{},
		ast.TypeSwitchStmt{}, ast.UnaryExpr{}, ast.ValueSpec{},
	} {
		want = append(want, reflect.TypeOf(n).Name())
	}
	for _, op := range strings.Fields("+ - * / % & | ^ << >> &^ && || == != < <= > >=") {
		want = append(want, "binary "+op)
	}
	for _, op := range strings.Fields("+ - ! ^ & <- ~") {
		want = append(want, "unary "+op)
	}
	for _, op := range strings.Fields(":= = += -= *= /= %= &= |= ^= <<= >>= &^=") {
		want = append(want, "assign "+op)
	}
	want = append(want, "branch break", "branch continue", "branch goto", "branch fallthrough",
		"decl const", "decl var", "decl type", "decl import",
		"literal INT", "literal FLOAT", "literal IMAG", "literal CHAR", "literal STRING",
		"slice3 true", "slice3 false", "chan 1", "chan 2", "chan 3", "alias true", "alias false")
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no program uses %s", w)
		}
	}
}

// TestShippedFit: every shipped program builds, ends, and runs twice alike.
func TestShippedFit(t *testing.T) {
	h := testhouse.New(t)
	for _, p := range testhouse.Part(h.Find(t, "corpus"), 3) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			b, err := h.Cache.Build(context.Background(), p, h.Engine, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Cache.Fit(context.Background(), b, gobuild.DefaultLimits); err != nil {
				t.Error(err)
			}
		})
	}
}

// drive runs a generator against the real debugger.
func drive(h *testhouse.House, t *testing.T, p *gobuild.Program, b *gobuild.Build, src *source.Source, seed uint64, cfg gen.Config) []dap.Event {
	a, err := dap.Resolve(context.Background(), h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := dap.Open(context.Background(), h.Keeper, a, dap.TargetOf(b), dap.DefaultOptions())
	if err != nil || out != nil {
		t.Fatal(out, err)
	}
	defer s.Close()
	g := gen.NewGenerator(seed, cfg, src)
	var events []dap.Event
	for {
		a, ok := g.Next(s)
		if !ok {
			return events
		}
		out, err := s.Do(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, dap.Event{Action: a, Output: out})
	}
}

// TestDeterministic: the same seed, program and engine give the same actions;
// another seed gives others.
func TestDeterministic(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/recursion")[0]
	b, err := h.Cache.Build(context.Background(), p, h.Engine, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	src, err := h.Loader.Load(context.Background(), p, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	actions := func(seed uint64) (as []string) {
		for _, e := range drive(h, t, p, b, src, seed, gen.DefaultConfig()) {
			as = append(as, e.Action.String())
		}
		return as
	}
	one, again, other := actions(7), actions(7), actions(8)
	if !slices.Equal(one, again) {
		t.Errorf("%q and %q", one, again)
	}
	if slices.Equal(one, other) {
		t.Errorf("two seeds, one list: %q", one)
	}
	n := 0
	for _, a := range one {
		switch dap.Kind(strings.Fields(a)[0]) {
		case dap.Continue, dap.Next, dap.StepIn, dap.StepOut:
			n++
		}
	}
	if n > gen.DefaultConfig().Actions+2 {
		t.Errorf("%d execution actions", n)
	}
}

// TestKinds: each kind of action is generated, or not for a reason that is given here.
func TestKinds(t *testing.T) {
	never := map[dap.Kind]string{
		dap.Finish:     "a run ends each session with it",
		dap.Resend:     "transformation resend-breakpoints does it",
		dap.WriteMem:   "transformation write-undone does it",
		dap.Interrupt:  "where it pauses depends on time",
		dap.Misuse:     "a session of its own is full of them",
		dap.Request:    "sessions that only ask are full of them, see TestAskers",
		dap.Disconnect: "closing a session does it",
		dap.Detach:     "transformation attach does it",
		dap.InstUnset:  "seldom: an instruction breakpoint has to be chosen to be removed",
		dap.FuncUnset:  "seldom, in the same way",
		dap.DataUnset:  "seldom: when several are set",
	}
	h := testhouse.New(t)
	cfg := gen.DefaultConfig()
	cfg.Extras = 0.8
	made := map[dap.Kind]bool{}
	missing := func(m dap.Meaning) bool { return !made[m.Kind] && never[m.Kind] == "" }
	programs := h.Find(t, "corpus/strings", "corpus/methods", "corpus/recursion")
	var builds []*gobuild.Build
	for _, p := range programs {
		builds = append(builds, h.Build(t, p))
	}
	for seed := range uint64(60) {
		for i, p := range programs {
			if !slices.ContainsFunc(dap.Meanings(), missing) {
				break
			}
			for _, e := range drive(h, t, p, builds[i], h.Load(t, p), seed, cfg) {
				made[e.Action.Kind] = true
			}
		}
	}
	for _, m := range dap.Meanings() {
		if why := never[m.Kind]; !made[m.Kind] && why == "" {
			t.Errorf("%s is never generated", m.Kind)
		}
	}
}

// TestExpressionsAreGo: what is generated as a Go expression is one, with
// types, at the place where it is evaluated.
func TestExpressionsAreGo(t *testing.T) {
	h := testhouse.New(t)
	made := 0
	for _, p := range h.Find(t, "corpus") {
		src, err := h.Loader.Load(context.Background(), p, h.Engine)
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range src.Funcs() {
			if fn.Generic {
				continue
			}
			at := source.Place{File: fn.File, Line: fn.End - 1}
			var vars []dap.Variable
			if s := src.Info.Scopes[fn.Decl.Type]; s != nil {
				for _, name := range s.Names() {
					vars = append(vars, dap.Variable{Name: name})
				}
			}
			pause := &dap.Pause{Stack: []dap.Frame{{Func: fn.Name, File: at.File, Line: at.Line}}, Scopes: []dap.Scope{{Vars: vars}}}
			for i := range 40 {
				e, ok := gen.Expression(rand.New(rand.NewPCG(uint64(i), 1)), src, pause, 0)
				if !ok {
					continue
				}
				made++
				e = source.Plain(e, src.Pkg, func(name string) types.Object { return src.Lookup(at, name) })
				if _, err := types.Eval(src.Fset, src.Pkg, fn.Decl.Body.Rbrace, e); err != nil && !constant(err) {
					t.Errorf("%s, %s: %s: %v", p.Name, fn.Name, e, err)
				}
			}
		}
	}
	if made < 1000 {
		t.Errorf("only %d expressions", made)
	}
}

// constant reports whether an error is about a constant that does not fit, such
// as an index out of range: the generator knows no values.
func constant(err error) bool {
	for _, s := range []string{"out of bounds", "overflows", "invalid slice indices", "truncated", "cannot convert", "cannot use", "division by zero"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

func TestFindErrors(t *testing.T) {
	h := testhouse.New(t)
	f := h.Finder()
	for _, pattern := range []string{"corpus/none", "none.go", "none.txtar", "goroot/none.go", "./none"} {
		ps, unfit, err := f.Find(context.Background(), []string{pattern})
		if err == nil && len(ps) > 0 {
			t.Errorf("%s: found %v, %v", pattern, ps, unfit)
		}
	}
	evil := &txtar.Archive{Files: []txtar.File{{Name: "../main.go", Data: []byte("package main")}}}
	if _, err := f.Unpack(context.Background(), "evil", evil); err == nil {
		t.Error("an archive wrote outside of its folder")
	}
}

// TestWorkspace: a program of several modules is found, packed and unpacked as a whole, without the modules that it is
// not made of, whether a workspace or a replacement says where they lie.
func TestWorkspace(t *testing.T) {
	h := testhouse.New(t)
	ctx := context.Background()
	main := "package main\n\nimport \"example.com/lib\"\n\nfunc main() { println(lib.N) }\n"
	for _, test := range []struct{ name, work, replace string }{
		{"a workspace", "go 1.23\n\nuse (\n\t./app\n\t./lib\n\t./other\n)\n", ""},
		{"a replacement", "", "\nrequire example.com/lib v0.1.0\n\nreplace example.com/lib => ../lib\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{
				"app/go.mod": "module example.com/app\n\ngo 1.23\n" + test.replace, "app/cmd/main.go": main,
				"lib/go.mod": "module example.com/lib\n\ngo 1.23\n", "lib/lib.go": "package lib\n\nvar N = 7\n",
				"other/go.mod": "module example.com/other\n\ngo 1.23\n", "other/other.go": "package other\n",
				"go.work": test.work,
			}
			for name, text := range files {
				if text == "" {
					continue
				}
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			found, _, err := h.Finder().Find(ctx, []string{filepath.Join(dir, "app", "cmd")})
			if err != nil || len(found) != 1 {
				t.Fatalf("found %v, %v", found, err)
			}
			p := found[0]
			if p.Dir != dir || !slices.Equal(p.With, []string{filepath.Join(dir, "lib")}) || !slices.Equal(p.Target, []string{"./app/cmd"}) {
				t.Errorf("in %s with %s, %s", p.Dir, p.With, p.Target)
			}
			packed, target, err := gobuild.Pack(p)
			if err != nil || slices.ContainsFunc(packed, func(f gobuild.File) bool { return strings.HasPrefix(f.Name, "other") }) {
				t.Fatalf("packed %v, %v", packed, err)
			}
			q, err := gobuild.Unpack(t.TempDir(), p.Name, packed, target, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []*gobuild.Program{p, q} {
				b, err := h.Cache.Build(ctx, p, h.Engine, t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				plain, err := h.Cache.Plain(ctx, b, gobuild.DefaultLimits)
				if err != nil || plain.Stderr != "7\n" {
					t.Errorf("%+v, %v", plain, err)
				}
			}
		})
	}
}
