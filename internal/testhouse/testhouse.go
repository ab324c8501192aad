// Package testhouse gives tests what each of them needs to work with real
// programs: a keeper of processes, the cache of builds, the loader of sources and
// the engine that is tested by default. All of it ends with the test.
package testhouse

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
)

// A House is a test's.
type House struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	Loader *source.Loader
	Engine gobuild.Engine
}

// New makes a test's house.
func New(t testing.TB) *House {
	t.Helper()
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	dir, err := gobuild.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	e, err := gobuild.ParseEngine("dlv")
	if err != nil {
		t.Fatal(err)
	}
	return &House{k, &gobuild.Cache{Dir: dir, Keeper: k, Notice: os.Stderr}, &source.Loader{Keeper: k}, e}
}

// Finder finds programs.
func (h *House) Finder() *gen.Finder {
	return &gen.Finder{Cache: h.Cache, Keeper: h.Keeper, Engine: h.Engine}
}

// Find finds the programs that patterns name, without those of C where nothing compiles that.
func (h *House) Find(t testing.TB, patterns ...string) []*gobuild.Program {
	t.Helper()
	ps, _, err := h.Finder().Find(context.Background(), patterns)
	if err != nil {
		t.Fatal(err)
	}
	if h.Engine.CompilesC() {
		return ps
	}
	return slices.DeleteFunc(ps, func(p *gobuild.Program) bool {
		withC := slices.ContainsFunc(p.Files, func(file string) bool {
			text, err := p.Read(file)
			return err == nil && bytes.Contains(text, []byte("\nimport \"C\"\n"))
		})
		if withC {
			t.Logf("%s is left out: there is no compiler of C", p.Name)
		}
		return withC
	})
}

// Load reads a program's source.
func (h *House) Load(t testing.TB, p *gobuild.Program) *source.Source {
	t.Helper()
	src, err := h.Loader.Load(context.Background(), p, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Build builds a program.
func (h *House) Build(t testing.TB, p *gobuild.Program) *gobuild.Build {
	t.Helper()
	b, err := h.Cache.Build(context.Background(), p, h.Engine, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}
