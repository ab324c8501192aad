package rewrite_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
	"misstep/internal/testhouse"
	"misstep/transform/rewrite"
)

var update = flag.Bool("update", false, "write what the rewrites give into testdata")

// subjectOf loads a program for a rewrite.
func subjectOf(h *testhouse.House, t testing.TB, rw rewrite.Rewrite, p *gobuild.Program) *rewrite.Given {
	ctx := context.Background()
	src, err := h.Loader.Load(ctx, p, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	s := rewrite.Of(src, nil)
	s.CompilesC, s.CompilesCPlus = h.Engine.CompilesC(), h.Engine.CompilesCPlus()
	if rw.NeedsRun {
		if s.Unrun, err = h.Cache.Unrun(ctx, p, h.Engine, gobuild.DefaultLimits); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestRewrites: each rewrite has an archive with a program and what becomes of
// it, line by line; and the result compiles.
func TestRewrites(t *testing.T) {
	h := testhouse.New(t)
	finder := h.Finder()
	for _, rw := range rewrite.All {
		t.Run(rw.Name, func(t *testing.T) {
			file := filepath.Join("testdata", rw.Name+".txtar")
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			program := &txtar.Archive{}
			var args, want string
			for _, f := range ar.Files {
				switch f.Name {
				case "args":
					args = string(f.Data)
				case "want":
					want = string(f.Data)
				default:
					program.Files = append(program.Files, f)
				}
			}
			p, err := finder.Unpack(context.Background(), rw.Name, program)
			if err != nil {
				t.Fatal(err)
			}
			s := subjectOf(h, t, rw, p)
			s.CompilesC = true
			if rw.NeedsBase {
				s = rewrite.Of(s.Source, []dap.Event{{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 6}, Output: dap.Output{Breakpoint: &dap.Breakpoint{Verified: true}}}})
			}
			params, n := rw.Choose(s, rand.New(rand.NewPCG(1, 1)))
			if n == 0 {
				t.Fatal("no site")
			}
			for _, arg := range strings.Fields(args) {
				key, value, _ := strings.Cut(arg, "=")
				params[key] = value
			}
			v, err := rw.Make(s, params)
			if err != nil {
				t.Fatal(err)
			}
			got := rewrite.Listing(v.Program, v.Relation.Lines)
			if *update {
				for i := range ar.Files {
					if ar.Files[i].Name == "want" {
						// Indented, so that a listing's own headings are none of the archive's.
						ar.Files[i].Data = []byte(indent(got))
					}
				}
				if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if indent(got) != want {
				t.Errorf("got\n%swant\n%s", indent(got), want)
			}
			if withC[rw.Name] && !h.Engine.CompilesC() {
				t.Skip("there is no compiler of C")
			}
			if _, err := h.Cache.Build(context.Background(), v.Program, h.Engine, t.TempDir()); err != nil {
				t.Error(err)
			}
		})
	}
}

// withC are the rewrites that put C into a program.
var withC = map[string]bool{"add-c": true, "main-through-c": true}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// sites of a rewrite that TestTypes tries on each program, and programs on which
// TestSound runs it.
const (
	triedSites    = 3
	triedPrograms = 2
)

// TestTypes: what rewrites make of the shipped programs type-checks.
func TestTypes(t *testing.T) {
	h := testhouse.New(t)
	programs := h.Find(t, "corpus")
	tried := map[string]int{}
	for _, p := range testhouse.Part(programs, 8) {
		for _, rw := range rewrite.All {
			if rw.NeedsRun || rw.NeedsBase || rw.Name == "move-to-package" {
				continue // a build more for each; TestSound has them, but for those that want a debugger
			}
			s := subjectOf(h, t, rw, p)
			for seed := range uint64(triedSites) {
				params, n := rw.Choose(s, rand.New(rand.NewPCG(seed, 2)))
				if n == 0 {
					break
				}
				v, err := rw.Make(s, params)
				if err != nil {
					t.Errorf("%s of %s (%s): %v", rw.Name, p.Name, params, err)
					continue
				}
				tried[rw.Name]++
				src, err := h.Loader.Load(context.Background(), v.Program, h.Engine)
				if err == nil && len(src.TypeErrors) > 0 {
					err = src.TypeErrors[0]
				}
				if err != nil {
					t.Errorf("%s of %s (%s): %v", rw.Name, p.Name, params, err)
				}
			}
		}
	}
	for _, rw := range rewrite.All {
		if testhouse.All() && tried[rw.Name] == 0 && !rw.NeedsRun && !rw.NeedsBase && rw.Name != "move-to-package" && (h.Engine.CompilesC() || !withC[rw.Name]) {
			t.Errorf("%s applies to none of the shipped programs", rw.Name)
		}
	}
}

// TestSound: rewritten programs print and return what the original does.
func TestSound(t *testing.T) {
	h := testhouse.New(t)
	ctx := context.Background()
	programs := h.Find(t, "corpus")
	for i, rw := range testhouse.Part(rewrite.All, 3) {
		if rw.NeedsBase || withC[rw.Name] && !h.Engine.CompilesC() {
			continue // it does not run by itself, or not here
		}
		t.Run(rw.Name, func(t *testing.T) {
			t.Parallel()
			done := 0
			// Another order for each rewrite, the same each time.
			for _, k := range rand.New(rand.NewPCG(uint64(i), 3)).Perm(len(programs)) {
				p := programs[k]
				s := subjectOf(h, t, rw, p)
				if _, n := rw.Choose(s, rand.New(rand.NewPCG(uint64(i), 4))); n == 0 {
					continue // which saves a build
				}
				old, err := runOnce(h, ctx, t, p)
				if err != nil {
					t.Fatal(err)
				}
				s.ExitCode = old.ExitCode
				params, n := rw.Choose(s, rand.New(rand.NewPCG(uint64(i), 4)))
				if n == 0 {
					continue
				}
				v, err := rw.Make(s, params)
				if err != nil {
					t.Fatal(err)
				}
				got, err := runOnce(h, ctx, t, v.Program)
				if err != nil {
					t.Fatalf("%s (%s): %v", p.Name, params, err)
				}
				if got.ExitCode != old.ExitCode || got.Stdout != v.Relation.Expected(old.Stdout) {
					t.Errorf("%s (%s): exit code %d and %q, want %d and %q", p.Name, params, got.ExitCode, got.Stdout, old.ExitCode, old.Stdout)
				}
				if done++; done == triedPrograms || !testhouse.All() {
					break
				}
			}
			if done == 0 {
				t.Error("it applies to none of the shipped programs")
			}
		})
	}
}

func runOnce(h *testhouse.House, ctx context.Context, t *testing.T, p *gobuild.Program) (*gobuild.Plain, error) {
	b, err := h.Cache.Build(ctx, p, h.Engine, t.TempDir())
	if err != nil {
		return nil, err
	}
	return h.Cache.Plain(ctx, b, gobuild.DefaultLimits)
}

// TestCompose: eight rewrites, one on the result of the other, compile, and the
// composed map leads each line that is left to the same text.
func TestCompose(t *testing.T) {
	h := testhouse.New(t)
	finder := h.Finder()
	programs, _, err := finder.Find(context.Background(), []string{"corpus/bank", "corpus/sorting"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		r := rand.New(rand.NewPCG(8, 8))
		first := subjectOf(h, t, rewrite.Rewrite{}, p).Source
		var total *srcedit.Map
		made := 0
		for made < 8 {
			rw := rewrite.All[r.IntN(len(rewrite.All))]
			if slices.Contains([]string{"main-to-test", "line-directive", "add-c", "main-through-c", "add-goroutines", "integer-literal"}, rw.Name) {
				continue // the last of their chains; changes the text of lines
			}
			s := subjectOf(h, t, rw, p)
			if reason := s.Refusal(); reason != "" {
				t.Fatalf("%s after %d rewrites: %s", p.Name, made, reason)
			}
			params, n := rw.Choose(s, r)
			if n == 0 {
				continue
			}
			v, err := rw.Make(s, params)
			if err != nil {
				t.Fatal(err)
			}
			if total == nil {
				total = v.Relation.Lines
			} else {
				total = total.Then(v.Relation.Lines)
			}
			p = v.Program
			made++
		}
		if _, err := h.Cache.Build(context.Background(), p, h.Engine, t.TempDir()); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		last := subjectOf(h, t, rewrite.Rewrite{}, p).Source
		same := 0
		for _, mv := range total.Moves() {
			f, g := first.File(mv.From.File), last.File(mv.To.File)
			if f == nil || g == nil {
				continue
			}
			old, now := lineOf(f.Text, mv.From.Line), lineOf(g.Text, mv.To.Line)
			if strings.Contains(now, old) {
				same++
			}
		}
		if n := strings.Count(string(first.Files[0].Text), "\n"); same < n/2 { // some have other names on them now
			t.Errorf("%s: only %d of %d lines are where the map says", p.Name, same, n)
		}
	}
}

func lineOf(text []byte, n int) string {
	lines := strings.Split(string(text), "\n")
	if n < 1 || n > len(lines) {
		return fmt.Sprintf("no line %d", n)
	}
	return strings.TrimSpace(lines[n-1])
}
