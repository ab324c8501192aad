package lines_test

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"misstep/internal/lines"
)

const consumed = `package main

//go:noinline
func half(n int) int { return n / 2 }

//go:noinline
func use(first int, unused string) int {
	second := half(first)
	third := half(second)
	captured := func() int { return third }
	return captured()
}

func main() {
	println(use(40, "x"))
}
`

// TestNowhere: with optimisation a variable has a place while it is needed, and none before it is given a value and after it was used;
// without, each has one everywhere. So it is in the debug information of both versions that Go's compilers have written.
func TestNowhere(t *testing.T) {
	dir, plain, _ := opened(t, consumed)
	for _, c := range []struct {
		name, experiment string
		optimised        bool
	}{{"plain", "", false}, {"optimised", "", true}, {"DWARF 4", "nodwarf5", true}} {
		binary := plain
		if c.optimised {
			binary = filepath.Join(dir, c.name)
			t.Setenv("GOEXPERIMENT", c.experiment)
			if err := exec.Command("go", "env", "GOROOT").Run(); err != nil {
				t.Logf("%s is not tried: this toolchain has no experiment %s", c.name, c.experiment)
				continue
			}
			run(t, dir, "build", "-o", binary, "main.go")
		}
		table, err := lines.Open(binary)
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.Open(binary)
		if err != nil {
			t.Fatal(err)
		}
		syms, err := f.Symbols()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(syms, func(s elf.Symbol) bool { return s.Name == "main.use" })
		placed, nowhere := map[string]int{}, map[string]int{}
		for addr := syms[i].Value; addr < syms[i].Value+syms[i].Size; addr++ {
			fn, ok := table.Declared(addr, 11)
			if !ok {
				t.Fatalf("%s: there is no function at %#x", c.name, addr)
			}
			for _, name := range fn.Names {
				if slices.Contains(fn.Nowhere, name) {
					nowhere[name]++
				} else {
					placed[name]++
				}
			}
		}
		for _, name := range []string{"first", "second"} {
			if placed[name] == 0 || (nowhere[name] > 0) != c.optimised {
				t.Errorf("%s: %s has a place at %d instructions' bytes, and none at %d", c.name, name, placed[name], nowhere[name])
			}
		}
		if fn, _ := table.Declared(syms[i].Value, 7); slices.Contains(fn.Nowhere, "first") || c.optimised && !slices.Contains(fn.Nowhere, "second") {
			t.Errorf("%s: where the function begins, %v have no place", c.name, fn.Nowhere)
		}
	}
}
