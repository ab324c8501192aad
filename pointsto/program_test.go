package pointsto_test

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"misstep/pointsto"
)

// A sample is a program of testdata/programs, which says of itself what holds:
//
//	//: name     after what is made in the line
//	//= name …   after a call of see: what its argument refers to, and nothing else
//	//~ name …   the same, and maybe more
//
// lib stands for what the library makes. The files calls and writes list functions with
// all that they call, or change of what has a name.
type sample struct {
	name   string
	files  map[string]string
	pkg    *packages.Package
	main   *ssa.Package
	result *pointsto.Result
}

// samples are the programs, loaded together.
var samples = sync.OnceValues(func() ([]*sample, error) {
	names, err := filepath.Glob("testdata/programs/*.txtar")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pointsto")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
		}
	}
	write("go.mod", "module samples\n\ngo 1.26\n")
	var list []*sample
	for _, n := range names {
		ar, err := txtar.ParseFile(n)
		if err != nil {
			return nil, err
		}
		s := &sample{name: strings.TrimSuffix(filepath.Base(n), ".txtar"), files: map[string]string{}}
		for _, f := range ar.Files {
			s.files[f.Name] = string(f.Data)
		}
		write(s.name+"/main.go", s.files["main.go"])
		list = append(list, s)
	}
	if err != nil {
		return nil, err
	}
	prog, err := pointsto.Load(packages.Config{Dir: dir}, "./...")
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		for _, p := range prog.Packages {
			if p.PkgPath == "samples/"+s.name {
				s.pkg, s.main = p, prog.Package(p.Types)
			}
		}
		one := *prog
		one.Mains = []*ssa.Package{s.main}
		s.result = one.Analyze()
	}
	return list, nil
})

// marks are the comments of a kind, by line.
func (s *sample) marks(prefix string) map[int][]string {
	m := map[int][]string{}
	n := 0
	for l := range strings.Lines(s.files["main.go"]) {
		n++
		if _, rest, ok := strings.Cut(l, prefix); ok {
			rest, _, _ = strings.Cut(rest, "//")
			m[n] = strings.Fields(rest)
		}
	}
	return m
}

// names are those of objects: of what has a name in the program, or lib.
func (s *sample) names(objects []*pointsto.Object, labels map[int][]string) []string {
	set := map[string]bool{}
	for _, o := range objects {
		p := s.pkg.Fset.Position(o.Pos())
		var names []string
		if strings.HasSuffix(p.Filename, filepath.Join(s.name, "main.go")) {
			names = labels[p.Line]
		}
		switch {
		case o.Tag || o.Fn != nil:
		case o.Made != "":
			set["lib"] = true
		case len(names) > 0:
			for _, n := range names {
				set[n] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// TestPrograms: what the programs say of themselves holds.
func TestPrograms(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			labels := s.marks("//:")
			exact, some := s.marks("//="), s.marks("//~")
			asked := 0
			for _, f := range s.pkg.Syntax {
				ast.Inspect(f, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "see" {
						return true
					}
					p := s.pkg.Fset.Position(call.Pos())
					objects, found := s.result.At(s.pkg.Fset, call.Args[0])
					if !found {
						t.Errorf("%d: nothing is known of the expression", p.Line)
					}
					got := s.names(objects, labels)
					asked++
					for _, o := range s.result.Objects() {
						if may, _ := s.result.Refers(s.pkg.Fset, call.Args[0], []*pointsto.Object{o}); may != slices.Contains(objects, o) {
							t.Errorf("%d: may refer to %v: %t", p.Line, o, may)
						}
					}
					if want, ok := exact[p.Line]; ok {
						slices.Sort(want)
						if !slices.Equal(got, want) {
							t.Errorf("%d: refers to %v, not %v", p.Line, got, want)
						}
					}
					for _, n := range some[p.Line] {
						if !slices.Contains(got, n) {
							t.Errorf("%d: refers to %v, not to %s", p.Line, got, n)
						}
					}
					return true
				})
			}
			if want := len(exact) + len(some); asked < want {
				t.Errorf("%d places were found of %d", asked, want)
			}
			s.functions(t, labels)
		})
	}
}

// functions compares what functions call and change.
func (s *sample) functions(t *testing.T, labels map[int][]string) {
	named := map[string]*ssa.Function{}
	short := func(fn *ssa.Function) string { return strings.ReplaceAll(fn.String(), "samples/"+s.name, "main") }
	for _, fn := range s.result.Functions() {
		named[short(fn)] = fn
	}
	for i, text := range []string{s.files["calls"], s.files["writes"]} {
		for l := range strings.Lines(text) {
			words := strings.Fields(l)
			fn := named[words[0]]
			if fn == nil {
				t.Errorf("%s is not called", words[0])
				continue
			}
			want := slices.Sorted(slices.Values(words[1:]))
			var got []string
			if i == 0 {
				got = s.calls(fn, short)
			} else {
				got = s.names(s.result.Written(fn), labels)
				got = slices.DeleteFunc(got, func(n string) bool { return n == "lib" })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s are %v, not %v", words[0], [...]string{"callees", "changed objects"}[i], got, want)
			}
		}
	}
}

// calls are the functions that a function calls, or of one of the library those that
// calls of it call back.
func (s *sample) calls(fn *ssa.Function, short func(*ssa.Function) string) []string {
	set := map[string]bool{}
	for _, site := range s.result.Callers(fn) {
		for _, to := range s.result.Callbacks(site) {
			set[short(to)] = true
		}
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if site, ok := instr.(ssa.CallInstruction); ok {
				for _, to := range s.result.Callees(site) {
					set[short(to)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
