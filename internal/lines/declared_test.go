package lines_test

import (
	"debug/elf"
	"slices"
	"testing"
)

const variables = `package main

type box struct{ n int }

func (b box) get() int { return b.n }

type getter interface{ get() int }

func sum(list []int, _ string) (total int) {
	n := 0
	for _, x := range list {
		n += x
	}
	kept := func() int { return n }
	late := kept()
	return late
}

func main() {
	for _, g := range []getter{&box{1}, box{2}} {
		println(sum([]int{1, 2}, ""), g.get())
	}
}
`

// TestDeclared: which variables a function declares, which of these there are at an instruction and a line, and which functions
// the compiler has made.
func TestDeclared(t *testing.T) {
	_, binary, table := opened(t, variables)
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		symbol                     string
		line                       int
		parameters, visible, names []string
		wrapper                    bool
	}{
		{"main.sum", 9, []string{"list", "total"}, nil, []string{"list", "total", "n", "x", "kept", "late"}, false},
		{"main.sum", 15, []string{"list", "total"}, []string{"kept", "n"}, []string{"list", "total", "n", "x", "kept", "late"}, false},
		{"main.sum.func1", 14, nil, []string{"n"}, []string{"n"}, false},
		{"main.box.get", 5, []string{"b"}, nil, []string{"b"}, false},
		{"main.(*box).get", 1, nil, nil, nil, true},
	} {
		i := slices.IndexFunc(syms, func(s elf.Symbol) bool { return s.Name == c.symbol })
		if i < 0 {
			t.Errorf("there is no %s", c.symbol)
			continue
		}
		fn, ok := table.Declared(syms[i].Value, c.line)
		slices.Sort(fn.Names)
		slices.Sort(fn.Visible)
		slices.Sort(c.names)
		if !ok || fn.Name != c.symbol || fn.Wrapper != c.wrapper || !c.wrapper && (!slices.Equal(fn.Parameters, c.parameters) || !slices.Equal(fn.Visible, c.visible) || !slices.Equal(fn.Names, c.names)) {
			t.Errorf("%s at line %d: %+v, %t", c.symbol, c.line, fn, ok)
		}
	}
	if fn, ok := table.Declared(1, 1); ok {
		t.Errorf("%+v at the address 1", fn)
	}
}
