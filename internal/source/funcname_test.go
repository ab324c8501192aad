package source_test

import (
	"testing"

	"misstep/internal/source"
)

func TestWithoutTypes(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                        "main.main",
		"main.f[...]":                      "main.f",
		"main.f[int].g":                    "main.f.g",
		"main.(*T[go.shape.[]int]).m[x].y": "main.(*T).m.y",
		"example%2ecom/m.f[a.b].func1":     "example.com/m.f.func1",
	} {
		if got := source.WithoutTypes(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
