package pointsto_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/types"
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
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/pointsto"
)

// sampled are the programs of the corpus that a plain test records; with
// MISSTEP_POINTSTO=N it records all of them, and N of $GOROOT/test.
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
		rec := record(t, h, p)
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
	total, missed := 0, 0
	for _, rec := range runs {
		for _, p := range prog.Packages {
			if p.PkgPath == "runs/"+rec.dir {
				one := *prog
				one.Mains = []*ssa.Package{prog.Package(p.Types)}
				n, m := rec.compare(t, p, one.Analyze())
				t.Logf("%s: %d facts", rec.name, n)
				total, missed = total+n, missed+m
			}
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

// record records a run of a program, or gives nil if it cannot be.
func record(t *testing.T, h *testhouse.House, p *gobuild.Program) *run {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r := &history.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), history.BuildOptions{Objects: true})
	if err != nil {
		if strings.HasPrefix(p.Name, "goroot/") {
			return nil
		}
		t.Fatal(err)
	}
	var file bytes.Buffer
	opts := history.Options{Env: gobuild.RunEnv, Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Size: 16 << 20, Time: 5 * time.Second}
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
func (rec *run) compare(t *testing.T, pkg *packages.Package, r *pointsto.Result) (n, missed int) {
	for _, fact := range slices.SortedFunc(maps.Keys(rec.held), func(a, b held) int {
		if a.site != b.site {
			return a.site - b.site
		}
		return a.made - b.made
	}) {
		site := rec.plan.Sites[fact.site]
		xs := operands(pkg, rec.file, site)
		if len(xs) == 0 {
			t.Errorf("%s: %d:%d: no operand of type %s", rec.name, site.Line, site.Column, site.Type)
			continue
		}
		n++
		made := rec.plan.Made(&history.Instance{Made: fact.made})
		var line, column int
		if _, err := fmt.Sscanf(made[strings.Index(made, ":"):], ":%d:%d", &line, &column); err != nil {
			t.Fatal(made, err)
		}
		found := false
		var got []string
		for _, x := range xs {
			objects, _ := r.At(pkg.Fset, x)
			for _, o := range objects {
				p := pkg.Fset.PositionFor(o.Pos(), false)
				got = append(got, fmt.Sprintf("%d:%d", p.Line, p.Column))
				found = found || p.Filename == rec.file && p.Line == line && p.Column == column
			}
		}
		if found {
			continue
		}
		m := rec.plan.Sites[fact.made]
		if cause := excused(site, m, r.Made(rec.file, line, column)); cause != "" {
			t.Logf("%s: %d:%d: %s of %s is one made at %d:%d (%s), of %v: %s", rec.name, site.Line, site.Column, site.Kind, site.Type, line, column, m.Type, got, cause)
			continue
		}
		missed++
		t.Errorf("%s: %d:%d: %s of %s was one made at %d:%d (%s), not one of %v", rec.name, site.Line, site.Column, site.Kind, site.Type, line, column, m.Type, got)
	}
	return n, missed
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
func operands(pkg *packages.Package, file string, site history.Site) []ast.Expr {
	var list []ast.Expr
	for _, f := range pkg.Syntax {
		if pkg.Fset.PositionFor(f.Package, false).Filename != file {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok || pkg.Fset.PositionFor(x.Pos(), false).Offset != site.Offset {
				return true
			}
			t := pkg.TypesInfo.TypeOf(x)
			if id, ok := x.(*ast.Ident); ok && t == nil {
				if v := pkg.TypesInfo.Defs[id]; v != nil {
					t = v.Type()
				}
			}
			if t != nil && short(pkg, t) == site.Type {
				list = append(list, x)
			}
			return true
		})
	}
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
