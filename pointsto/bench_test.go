package pointsto_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"misstep/pointsto"
)

// user reports whether a function's package is outside of the standard library.
func user(fn *ssa.Function) bool {
	if fn.Pkg == nil || fn.Synthetic != "" {
		return false
	}
	path := fn.Pkg.Pkg.Path()
	return strings.Contains(path, ".") || strings.HasPrefix(path, "cmd/") || strings.HasPrefix(path, "samples/")
}

type edge struct{ from, to *ssa.Function }

// edges are those of a result between functions of the program's own packages.
func edges(r *pointsto.Result) map[edge]bool {
	set := map[edge]bool{}
	for _, to := range r.Functions() {
		for _, site := range r.Callers(to) {
			if from := site.Parent(); user(from) && user(to) {
				set[edge{from, to}] = true
			}
		}
	}
	return set
}

func edgesOf(g *callgraph.Graph, reached func(*ssa.Function) bool) map[edge]bool {
	set := map[edge]bool{}
	for from, n := range g.Nodes {
		for _, e := range n.Out {
			if from != nil && user(from) && user(e.Callee.Func) && reached(from) {
				set[edge{from, e.Callee.Func}] = true
			}
		}
	}
	return set
}

// BenchmarkCallGraph compares the calls that are found with those of VTA and RTA, of
// programs of three sizes. MISSTEP_PROGRAMS lists folders of further programs.
func BenchmarkCallGraph(b *testing.B) {
	type target struct{ dir, pattern string }
	targets := []target{{"", "cmd/gofmt"}, {"", "cmd/vet"}}
	for _, d := range filepath.SplitList(os.Getenv("MISSTEP_PROGRAMS")) {
		targets = append(targets, target{d, "."})
	}
	for _, to := range targets {
		b.Run(filepath.Base(filepath.Dir(to.dir))+"/"+to.pattern, func(b *testing.B) {
			for b.Loop() {
				start := time.Now()
				prog, err := pointsto.Load(packages.Config{Dir: to.dir}, to.pattern)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(start).Seconds(), "load-s")
				start = time.Now()
				r := prog.Analyze()
				b.ReportMetric(time.Since(start).Seconds(), "ssa+solve-s")
				start = time.Now()
				prog.Analyze()
				b.ReportMetric(time.Since(start).Seconds(), "solve-s")
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.Sys>>20), "MB")
				start = time.Now()
				ours := edges(r)
				b.ReportMetric(time.Since(start).Seconds(), "graph-s")
				b.ReportMetric(float64(len(ours)), "edges")
				b.ReportMetric(float64(len(r.Functions())), "functions")
				others(b, prog, r)
			}
		})
	}
}

func others(b *testing.B, prog *pointsto.Program, r *pointsto.Result) {
	start := time.Now()
	var roots []*ssa.Function
	for _, p := range prog.Mains {
		roots = append(roots, p.Func("main"), p.Func("init"))
	}
	graph := rta.Analyze(roots, true).CallGraph
	all := func(*ssa.Function) bool { return true }
	b.ReportMetric(float64(len(edgesOf(graph, all))), "RTA-edges")
	b.ReportMetric(time.Since(start).Seconds(), "RTA-s")
	start = time.Now()
	graph = vta.CallGraph(ssautil.AllFunctions(prog.Program), nil)
	b.ReportMetric(float64(len(edgesOf(graph, r.Called))), "VTA-edges")
	b.ReportMetric(time.Since(start).Seconds(), "VTA-s")
}

// TestHierarchy: calls enter what their types let them enter.
func TestHierarchy(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	graph := cha.CallGraph(list[0].main.Prog)
	all := edgesOf(graph, func(*ssa.Function) bool { return true })
	n := 0
	for _, s := range list {
		for e := range edges(s.result) {
			n++
			// VTA's and CHA's graphs have instances only of what is built.
			if !all[e] {
				t.Errorf("%s: %v does not call %v by its types", s.name, e.from, e.to)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d calls", n)
	}
}
