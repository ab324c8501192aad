package gobuild_test

import (
	"strings"
	"testing"

	"misstep/internal/gobuild"
)

// TestUndisturbed: the calls by which a program pauses itself are taken out, by whatever name the runtime has there, and nothing else that is
// written so.
func TestUndisturbed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a call", `import "runtime"; func f() { runtime.Breakpoint() }`, `import "runtime"; func f() { runtime.Gosched   () }`},
		{"by another name", `import rt "runtime"; func f() { defer rt.Breakpoint() }`, `import rt "runtime"; func f() { defer rt.Gosched   () }`},
		{"as a value", `import "runtime"; var f = runtime.Breakpoint`, `import "runtime"; var f = runtime.Gosched   `},
		{"a text and a comment", `import "runtime"; var n = runtime.NumCPU(); var s = "runtime.Breakpoint()" // runtime.Breakpoint()`, ""},
		{"a variable of that name", `import "runtime"; var n = runtime.NumCPU(); func f(runtime interface{ Breakpoint() }) { runtime.Breakpoint() }`, ""},
		{"another package", `import "other/runtime"; func f() { runtime.Breakpoint() }`, ""},
		{"no program", `import "runtime"; func f() { runtime.Breakpoint(`, ""},
	} {
		p := &gobuild.Program{Name: "p", Files: []string{"/p/main.go", "/p/asm.s"}, Overlay: map[string][]byte{
			"/p/main.go": []byte("package main; " + c.text), "/p/asm.s": []byte("runtime.Breakpoint()"),
		}}
		q, ok := p.Undisturbed()
		want := c.want
		if want == "" {
			want = c.text
		}
		if got := strings.TrimPrefix(string(q.Overlay["/p/main.go"]), "package main; "); ok != (c.want != "") || got != want || string(q.Overlay["/p/asm.s"]) != "runtime.Breakpoint()" {
			t.Errorf("%s: %q, %t", c.name, got, ok)
		}
		if got := string(p.Overlay["/p/main.go"]); got != "package main; "+c.text {
			t.Errorf("%s: the program itself is %q", c.name, got)
		}
	}
}
