package pointsto_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"go/version"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/pointsto"
)

// sampled are the programs of the corpus that a plain test records; with
// MISSTEP_POINTSTO=N it records all of them, and N of $GOROOT/test. MISSTEP_PROGRAMS lists
// folders of further programs, which are recorded with all that they import.
var sampled = strings.Fields(`
	corpus/closures corpus/generics corpus/interfaces corpus/iterators
	corpus/linkedlist corpus/maps corpus/pointers corpus/slices`)

// A held is that an object was there when a place in the program was reached.
type held struct{ site, made int }

// TestRecall: what an operand held in a run is among the objects that it may refer to.
func TestRecall(t *testing.T) {
	h := testhouse.New(t)
	programs := h.Find(t, sampled...)
	goroot := 4
	if s := os.Getenv("MISSTEP_POINTSTO"); s != "" {
		if _, err := fmt.Sscan(s, &goroot); err != nil {
			t.Fatalf("MISSTEP_POINTSTO is %q; expected a number", s)
		}
		programs = h.Find(t, "corpus")
	}
	more := h.Find(t, "goroot")
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
	programs = append(programs, more[:min(len(more), 4*goroot)]...)

	dir := t.TempDir()
	var runs []*run
	for _, p := range programs {
		text, err := p.Read(p.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Files) != 1 || bytes.Contains(text, []byte(`"example.test/`)) {
			continue // it is more than one file, which could lie elsewhere
		}
		if strings.HasPrefix(p.Name, "goroot/") {
			if goroot == 0 {
				break
			}
		}
		rec := recordRun(t, h, p)
		if rec == nil {
			continue
		}
		if strings.HasPrefix(p.Name, "goroot/") {
			goroot--
		}
		rec.dir = fmt.Sprintf("p%d", len(runs))
		rec.file = filepath.Join(dir, rec.dir, filepath.Base(p.Files[0]))
		if err := os.MkdirAll(filepath.Dir(rec.file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(rec.file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, rec)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module runs\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	prog, err := pointsto.Load(packages.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	files := filesOf(prog)
	total, missed := 0, 0
	for _, rec := range runs {
		for _, p := range prog.Packages {
			if p.PkgPath == "runs/"+rec.dir {
				one := *prog
				one.Mains = []*ssa.Package{prog.Package(p.Types)}
				n, m := rec.compare(t, files, one.Analyze())
				t.Logf("%s: %d facts", rec.name, n)
				total, missed = total+n, missed+m
			}
		}
	}
	for _, d := range filepath.SplitList(os.Getenv("MISSTEP_PROGRAMS")) {
		for _, p := range h.Find(t, d) {
			prog, err := pointsto.Load(packages.Config{Dir: p.Dir}, p.Target...)
			if err != nil {
				t.Fatal(err)
			}
			var deps []string
			packages.Visit(prog.Packages, nil, func(p *packages.Package) {
				// What is recorded calls generic functions.
				if p.Module != nil && !p.Module.Main && version.Compare("go"+p.Module.GoVersion, "go1.18") >= 0 {
					deps = append(deps, p.PkgPath)
				}
			})
			rec := recordRun(t, h, p, deps...)
			n, m := rec.compare(t, filesOf(prog), prog.Analyze())
			t.Logf("%s: %d facts", rec.name, n)
			total, missed = total+n, missed+m
		}
	}
	t.Logf("%d programs, %d facts, %d missed", len(runs), total, missed)
	if total < 100 {
		t.Errorf("only %d facts were compared", total)
	}
}

// A run is what a recorded run showed.
type run struct {
	name      string
	dir, file string
	plan      *history.Plan
	held      map[held]bool
}

// recordRun records a run of a program, or gives nil if it cannot be.
func recordRun(t *testing.T, h *testhouse.House, p *gobuild.Program, deps ...string) *run {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), record.BuildOptions{Objects: true, Deps: deps})
	if err != nil {
		if strings.HasPrefix(p.Name, "goroot/") {
			return nil
		}
		t.Fatal(err)
	}
	var file bytes.Buffer
	opts := record.Options{Env: gobuild.RunEnv, Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Size: 16 << 20, Time: 5 * time.Second}
	if _, err := r.Run(ctx, rec, opts, &file); err != nil {
		if strings.HasPrefix(p.Name, "goroot/") {
			return nil
		}
		t.Fatal(err)
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	out := &run{name: p.Name, plan: rec.Plan, held: map[held]bool{}}
	instances := history.NewInstances(rec.Plan)
	for e, err := range reader.Events() {
		if err != nil {
			break
		}
		if i := instances.Of(e); i != nil && e.Kind == history.Object && i.Made >= 0 {
			out.held[held{e.ID, i.Made}] = true
		}
	}
	return out
}

// compare holds what was recorded against what is said.
func (rec *run) compare(t *testing.T, files map[string]*file, r *pointsto.Result) (n, missed int) {
	type at struct {
		file         string
		line, column int
	}
	for _, fact := range slices.SortedFunc(maps.Keys(rec.held), func(a, b held) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.made, b.made))
	}) {
		site, m := rec.plan.Sites[fact.site], rec.plan.Sites[fact.made]
		f := files[rec.path(files, site)]
		if f == nil {
			t.Fatalf("%s: %s is not loaded", rec.name, rec.path(files, site))
		}
		xs := f.operands(site)
		if len(xs) == 0 {
			t.Errorf("%s: %s:%d:%d: no operand of type %s", rec.name, rec.path(files, site), site.Line, site.Column, site.Type)
			continue
		}
		n++
		want := at{file: rec.path(files, m)}
		made := rec.plan.Made(&history.Instance{Made: fact.made})
		if _, err := fmt.Sscanf(made[strings.Index(made, ":"):], ":%d:%d", &want.line, &want.column); err != nil {
			t.Fatal(made, err)
		}
		var got []at
		for _, x := range xs {
			objects, _ := r.At(f.pkg.Fset, x)
			for _, o := range objects {
				if p := f.pkg.Fset.PositionFor(o.Pos(), false); p.IsValid() {
					got = append(got, at{p.Filename, p.Line, p.Column})
				}
			}
		}
		if slices.Contains(got, want) {
			continue
		}
		text := fmt.Sprintf("%s: %s:%d:%d: %s of %s: %v, a %s, not among %v", rec.name, rec.path(files, site), site.Line, site.Column, site.Kind, site.Type, want, m.Type, got)
		if cause := excused(site, m, r.Made(want.file, want.line, want.column)); cause != "" {
			t.Logf("%s: %s", text, cause)
			continue
		}
		missed++
		t.Error(text)
	}
	return n, missed
}

// path is the file of a site, as it was loaded. A dependency's was recorded in a copy of
// its module.
func (rec *run) path(files map[string]*file, s history.Site) string {
	path := rec.plan.Files[rec.plan.Funcs[s.Func].File].Path
	if rec.file != "" {
		return rec.file
	}
	if files[path] == nil {
		if _, rest, ok := strings.Cut(path, "/module"); ok {
			_, rest, _ = strings.Cut(rest, "/")
			for name := range files {
				if strings.HasSuffix(name, "/"+rest) {
					return name
				}
			}
		}
	}
	return path
}

// A file is one that was loaded.
type file struct {
	pkg    *packages.Package
	syntax *ast.File
}

// filesOf are all files of programs, by their names.
func filesOf(prog *pointsto.Program) map[string]*file {
	m := map[string]*file{}
	packages.Visit(prog.Packages, nil, func(p *packages.Package) {
		for _, f := range p.Syntax {
			m[p.Fset.PositionFor(f.Package, false).Filename] = &file{p, f}
		}
	})
	return m
}

// excused names why a run may say what is not so, or is empty.
func excused(site, made history.Site, objects []*pointsto.Object) string {
	if made.Variable > 0 && len(objects) == 0 {
		return "the variable's address is taken only to look at it, and it has none in the program's own code"
	}
	return ""
}

// operands are the expressions that a site may be of: those that begin there and have
// its type.
func (f *file) operands(site history.Site) []ast.Expr {
	var list []ast.Expr
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || f.pkg.Fset.PositionFor(x.Pos(), false).Offset != site.Offset {
			return true
		}
		t := f.pkg.TypesInfo.TypeOf(x)
		if id, ok := x.(*ast.Ident); ok && t == nil {
			if v := f.pkg.TypesInfo.Defs[id]; v != nil {
				t = v.Type()
			}
		}
		if t != nil && short(f.pkg, t) == site.Type {
			list = append(list, x)
		}
		return true
	})
	return list
}

// short is the name of a type as sites have it.
func short(pkg *packages.Package, t types.Type) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == pkg.Types {
			return ""
		}
		return p.Name()
	})
}
