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
