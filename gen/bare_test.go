package gen

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"pgregory.net/rapid"
)

func TestBare(t *testing.T) {
	for text, want := range map[string]string{
		"(a + (b * c))":         "a + b*c",
		"((a + b) * c)":         "(a + b) * c",
		"((a - b) - c)":         "a - b - c",
		"(a - (b - c))":         "a - (b - c)",
		"((a && b) || (c > d))": "a && b || c > d",
		"(a && (b || c))":       "a && (b || c)",
		"((a == b) == c)":       "a == b == c",
		"f((a + b), (c))":       "f(a+b, c)",
		"s[(i + 1):(n)]":        "s[i+1 : n]",
		"-(-a)":                 "-(-a)",
		"(-a)":                  "-a",
		"!(a && b)":             "!(a && b)",
		"(*p).x":                "(*p).x",
		"([]byte)(s)":           "([]byte)(s)",
		"(*T)(p)":               "(*T)(p)",
		"(a << (b & 3))":        "a << (b & 3)",
		"(a + (b / (*p)))":      "a + b / *p",
		"(a - (-b))":            "a - -b",
		"(a + (b & (^c)))":      "a + b & ^c",
		"((x).(T) == (<-ch))":   "(x).(T) == <-ch",
		"1 +":                   "1 +",
		"dlv help":              "dlv help",
	} {
		if got := bare(text); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}

// TestBareMeansTheSame: an expression without its parentheses has the value that it has with them.
func TestBareMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var grow func(depth int) string
		grow = func(depth int) string {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				return rapid.SampledFrom([]string{"1", "2", "3", "7"}).Draw(t, "number")
			}
			if rapid.IntRange(0, 4).Draw(t, "unary") == 0 {
				return rapid.SampledFrom([]string{"-", "^", "+"}).Draw(t, "sign") + "(" + grow(depth-1) + ")"
			}
			op := rapid.SampledFrom([]string{"+", "-", "*", "|", "&", "^", "&^"}).Draw(t, "operator")
			return "(" + grow(depth-1) + " " + op + " " + grow(depth-1) + ")"
		}
		text := grow(5)
		value := func(text string) constant.Value {
			tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return tv.Value
		}
		short := bare(text)
		if a, b := value(text), value(short); !constant.Compare(a, token.EQL, b) {
			t.Errorf("%s is %s, and %s is %s", text, a, short, b)
		}
		x, err := parser.ParseExpr(short)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := x.(*ast.ParenExpr); ok {
			t.Errorf("%s has parentheses around it", short)
		}
	})
}
