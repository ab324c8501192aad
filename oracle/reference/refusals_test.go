package reference

import (
	"go/ast"
	"go/parser"
	"go/types"
	"testing"
)

// TestLimits: a refusal to convert is accepted where Delve's expressions have no such conversion, and nowhere else.
func TestLimits(t *testing.T) {
	pkg, end := checked(t, `package main

import "fmt"

type name string

func (n name) String() string { return string(n) }

type both struct {
	v int
	fmt.Stringer
}

const mask = ^uint8(15)

var n name

var s fmt.Stringer = n

var c complex128

func main() {}
`)
	for expr, want := range map[string][2]bool{
		`both{v: 3, Stringer: n}`:           {true, false},
		`both{3, n}`:                        {true, false},
		`[]fmt.Stringer{s, n}`:              {true, false},
		`map[string]any{"a": 1}`:            {true, false},
		`[2]any{1: both{v: 3}}`:             {true, false},
		`both{v: 3, Stringer: s}`:           {false, false},
		`both{v: 3}`:                        {false, false},
		`both{3, nil}`:                      {false, false},
		`[]int{1, 2}`:                       {false, false},
		`float64(complex128(mask))`:         {false, true},
		`1 + int(complex64(3))`:             {false, true},
		`real(complex128(mask))`:            {false, false},
		`complex64(c)`:                      {false, false},
		`float64(mask)`:                     {false, false},
		`uint8(mask) + uint8(float32(3.0))`: {false, false},
	} {
		e, err := parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		info, err := pkg.Check(end, e)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		for i, is := range []func(*types.Info, ast.Node) bool{makesInterface, realOfComplex} {
			got := false
			ast.Inspect(e, func(x ast.Node) bool {
				got = got || x != nil && is(info, x)
				return true
			})
			if got != want[i] {
				t.Errorf("%s: the limit %d: got %t, want %t", expr, i, got, want[i])
			}
		}
	}
}

// TestAddresses: a call may keep an address if it gets one, and Delve compares no arrays that are long.
func TestAddresses(t *testing.T) {
	pkg, end := checked(t, `package main

type box struct{ n int }

func (b box) get() int   { return b.n }
func (b *box) set(n int) { b.n = n }

func number(n int, b box) int { return n }
func texts(s string) int      { return len(s) }
func list(l []int) int        { return len(l) }
func pairs(p [2]struct{ b *box }) {}

var (
	b    box
	s    string
	long [65]int
	two  [2]int
	deep struct{ a [70]int }
)

func main() {}
`)
	for expr, want := range map[string][2]bool{
		"number(1, b)":               {false, false},
		"b.get()":                    {false, false},
		"b.set(2)":                   {true, false},
		"texts(s)":                   {true, false},
		"list(nil)":                  {true, false},
		"pairs([2]struct{b *box}{})": {true, false},
		"number(texts(s), b)":        {true, false},
		"long == long":               {false, true},
		"two == two":                 {false, false},
		"deep == deep":               {false, true},
	} {
		e, err := parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		info, err := pkg.Check(end, e)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		for i, is := range []func(*types.Info, ast.Node) bool{passesAddress, longArray} {
			found := false
			ast.Inspect(e, func(n ast.Node) bool {
				found = found || n != nil && is(info, n)
				return !found
			})
			if found != want[i] {
				t.Errorf("%s: %d is %t", expr, i, found)
			}
		}
	}
	for expr, want := range map[string]bool{"f + 1": false, "min(f, 1)": false, "float32(f)": false, "a.f + 1": true, "l[0]": true, "*p": true, "g()": true} {
		e, err := parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || n != nil && fromElsewhere(n)
			return !found
		})
		if found != want {
			t.Errorf("%s: %t", expr, found)
		}
	}
}
