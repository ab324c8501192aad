package source_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

// TestChance: each kind of the language's own dice is known, and what looks like one and is none.
func TestChance(t *testing.T) {
	h := testhouse.New(t)
	l := &source.Loader{Keeper: h.Keeper}
	for _, c := range []struct {
		name, imports, decls, body string
		want                       bool
	}{
		{"nothing", "", "", "println(1)", false},
		{"a map that is printed", `"fmt"`, "", `fmt.Println(map[int]int{1: 2, 3: 4})`, false},
		{"a slice", "", "", "for range []int{1} {}", false},
		{"a select of one", "", "", "c := make(chan int, 1); select { case c <- 1: }", false},
		{"slices", `"slices"`, "", "for range slices.Values([]int{1}) {}", false},
		{"reflection", `"reflect"`, "", "println(reflect.ValueOf(1).Int())", false},
		{"a map", "", "", "for range map[int]int{} {}", true},
		{"a map of a named type", "", "type m map[int]int", "for range (m{}) {}", true},
		{"an alias", "", "type m = map[int]int", "for range (m{}) {}", true},
		{"a type parameter", "", "func f[M ~map[K]V, K comparable, V any](m M) { for range m {} }", "f(map[int]int{})", true},
		{"a select", "", "", "c := make(chan int, 1); select { case c <- 1: case <-c: }", true},
		{"a goroutine", "", "", "go println()", true},
		{"keys", `"maps"`, "", "for range maps.Keys(map[int]int{}) {}", true},
		{"a concurrent map", `"sync"`, "", "var m sync.Map; m.Range(func(k, v any) bool { return true })", true},
		{"keys by reflection", `"reflect"`, "", "println(len(reflect.ValueOf(map[int]int{}).MapKeys()))", true},
		{"entries by reflection", `"reflect"`, "", "println(reflect.ValueOf(map[int]int{}).MapRange().Next())", true},
		{"a sequence by reflection", `"reflect"`, "", "for range reflect.ValueOf(map[int]int{}).Seq() {}", true},
		{"a choice by reflection", `"reflect"`, "", "reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectDefault}})", true},
		{"random numbers", `"math/rand"`, "", "println(rand.Int())", true},
		{"newer random numbers", `"math/rand/v2"`, "", "println(rand.N(5))", true},
		{"safe random numbers", `"crypto/rand"`, "", "println(rand.Text())", true},
		{"a seed of hashes", `"hash/maphash"`, "", "println(maphash.MakeSeed() == maphash.MakeSeed())", true},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "main.go")
		text := "package main\n"
		if c.imports != "" {
			text += "\nimport " + c.imports + "\n"
		}
		if err := os.WriteFile(file, []byte(text+"\n"+c.decls+"\nfunc main() { "+c.body+" }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := l.Load(context.Background(), &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}, h.Engine)
		if err != nil || len(s.TypeErrors) > 0 {
			t.Errorf("%s: %v %v", c.name, err, s.TypeErrors)
			continue
		}
		if got := s.Chance(); got != c.want {
			t.Errorf("%s: by chance: %t, want %t", c.name, got, c.want)
		}
	}
}
