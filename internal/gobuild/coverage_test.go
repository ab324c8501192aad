package gobuild_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// TestUnrunOfThePackage: a file of another package that is called the same is not the
// program's.
func TestUnrunOfThePackage(t *testing.T) {
	h := testhouse.New(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"main.go":     "package main\n\nimport \"m/lib\"\n\nfunc main() {\n\tif lib.F(1) > 5 {\n\t\tprintln(1)\n\t}\n}\n",
		"lib/main.go": "package lib\n\nfunc F(n int) int {\n\tif n > 9 {\n\t\treturn n\n\t}\n\treturn 0\n}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := &gobuild.Program{Name: "m", Dir: dir, Target: []string{"."}, Files: []string{filepath.Join(dir, "main.go")}}
	unrun, err := h.Cache.Unrun(context.Background(), p, h.Engine, gobuild.DefaultLimits)
	if err != nil || len(unrun) != 1 || unrun[0].Line != 6 || unrun[0].File != p.Files[0] {
		t.Errorf("%+v, %v", unrun, err)
	}
}

// TestWriteProfile: a profile is written where it is asked for, also by a relative name.
func TestWriteProfile(t *testing.T) {
	h := testhouse.New(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"go.mod": "module example.test/p\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { println(1) }\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-cover", "-o", "p").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Mkdir("raw", 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("./p")
	cmd.Env = append(os.Environ(), "GOCOVERDIR=raw")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := h.Cache.WriteProfile(t.Context(), filepath.Join(dir, "raw"), "profile.txt"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("profile.txt")
	if err != nil || !strings.Contains(string(text), "example.test/p/main.go:3.") {
		t.Errorf("%v: %q", err, text)
	}
}
