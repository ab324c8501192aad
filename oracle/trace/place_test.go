package trace

import "testing"

// TestSymbolName: what binaries and debuggers put around a function's name is left out, and nothing else.
func TestSymbolName(t *testing.T) {
	for name, want := range map[string]string{
		"main.f":                        "main.f",
		"example.com/a/b.f":             "b.f",
		"runtime.memmove.abi0":          "runtime.memmove",
		"C.norm":                        "norm",
		"norm.isra.0":                   "norm",
		"sum.constprop.1.isra.0":        "sum",
		"main.part":                     "main.part", // a function of that name
		"C.main.cold":                   "main",
		"_cgo_5da7f07f4e70_Cfunc_norm":  "_cgo_5da7f07f4e70_Cfunc_norm",
		"main.(*T).cold":                "main.(*T).cold",
		"example.com/a/b.(*T[...]).far": "b.(*T).far",
	} {
		if got := symbolName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
