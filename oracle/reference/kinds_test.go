package reference

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// kindsProgram has a variable of each kind.
const kindsProgram = `package main

import "unsafe"

type everything struct {
	a bool; b int; c int8; d int16; e int32; f int64; g uint; h uint8; i uint16; j uint32; k uint64
	l uintptr; m float32; n float64; o complex64; p complex128; q [1]int; r chan int; s func()
	t any; u map[int]int; v *int; w []int; x string; y struct{}; z unsafe.Pointer
}

func main() {
	var all everything
	all.t = 1
	all.b++
}
`

// TestKinds: each kind of value that a program hands over is one that is compared.
func TestKinds(t *testing.T) {
	h := testhouse.New(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(kindsProgram), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}
	m, err := Record(context.Background(), h.Keeper, h.Cache, p, h.Engine, gobuild.DefaultLimits, t.TempDir(), Probes{})
	if err != nil || m.Why != "" {
		t.Fatal(m.Why, err)
	}
	seen := map[string]bool{}
	var look func(v history.Value)
	look = func(v history.Value) {
		seen[v.Kind] = true
		if kinds[v.Kind] == nil && v.Kind != "struct" {
			t.Errorf("%s has the kind %q, of which nothing is compared", v.Name, v.Kind)
		}
		for _, c := range v.Children {
			look(c)
		}
	}
	for _, l := range m.Clears {
		if l.Watched == nil {
			continue
		}
		snap, _ := m.Snaps.At(m.Threads[0].Goroutine, l.Watched.Path, l.Watched.Offset, 0)
		for _, v := range snap.Vars {
			look(v)
		}
	}
	if want := int(reflect.UnsafePointer); len(seen) != want {
		t.Errorf("%d kinds were seen, of %d", len(seen), want)
	}
}
