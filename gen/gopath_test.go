package gen_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"misstep/internal/testhouse"
)

// TestGopath: programs in a folder src are found from above it, from within, and by their import paths, as modules of these; a folder src in a
// module is nothing of the kind.
func TestGopath(t *testing.T) {
	h := testhouse.New(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const main = "package main\n\nfunc main() {}\n"
	for name, text := range map[string]string{
		"way/src/hello/main.go":                              "package main\n\nimport \"hello/lib\"\n\nfunc main() { println(lib.N) }\n",
		"way/src/hello/lib/lib.go":                           "package lib\n\nvar N = 7\n",
		"way/src/hello/lib/lib_test.go":                      "package lib\n\nimport \"testing\"\n\nfunc TestN(t *testing.T) {}\n",
		"way/src/example.com/someone/tool/cmd/main.go":       main,
		"way/src/example.com/someone/tool/src/inner/main.go": main,
		"way/src/example.com/someone/tool/tool.go":           "package tool\n",
		"way/src/hello/.git/main.go":                         "no Go",
		"module/go.mod":                                      "module example.com/module\n\ngo 1.26\n",
		"module/src/main.go":                                 main,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	hello, tool, inner := "hello", "example.com/someone/tool/cmd", "example.com/someone/tool/src/inner"
	for _, c := range []struct {
		name, in, pattern string
		off, tests        bool
		want              []string
	}{
		{"all, from above", "way", "./...", false, false, []string{tool, inner, hello}},
		{"all of src", "way", "./src/...", false, false, []string{tool, inner, hello}},
		{"all, from src", "way/src", "./...", false, false, []string{tool, inner, hello}},
		{"a folder", "way", "./src/hello", false, false, []string{hello}},
		{"the folder itself", "way/src/hello", ".", false, false, []string{hello}},
		{"all below one", "way/src/example.com", "./...", false, false, []string{tool, inner}},
		{"tests", "way", "./...", false, true, []string{"hello/lib.test"}},
		{"an import path", ".", "hello", true, false, []string{hello}},
		{"all of an import path", ".", "example.com/someone/...", true, false, []string{tool, inner}},
		{"below another src, in the user's GOPATH", "way/src/example.com/someone/tool/src/inner", ".", true, false, []string{inner}},
		{"in a module", "module", "./...", false, false, []string{"example.com/module/src"}},
		{"in a module, with modules off", "module", "./...", true, false, []string{"example.com/module/src"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(filepath.Join(dir, c.in))
			if c.off {
				t.Setenv("GO111MODULE", "off")
				t.Setenv("GOMODCACHE", os.Getenv("GOMODCACHE"))
				t.Setenv("GOPATH", filepath.Join(dir, "way"))
			}
			f := h.Finder()
			f.Tests = c.tests
			found, skipped, err := f.Find(context.Background(), []string{c.pattern})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, p := range found {
				names = append(names, p.Name)
			}
			slices.Sort(names)
			if !slices.Equal(names, c.want) || len(skipped) > 0 {
				t.Errorf("%v, skipped %v; want %v", names, skipped, c.want)
			}
		})
	}
}
