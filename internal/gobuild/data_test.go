package gobuild

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// embedding is a program that embeds files, and opens some by names in its source.
const embedding = `
-- go.mod --
module example.org/p

go 1.26
-- main.go --
package main

import (
	"embed"
	"os"

	"example.org/p/text"
)

//go:embed one.txt "two words.txt"
//go:embed all:pages
var files embed.FS

func main() {
	os.ReadFile("testdata/in.json")
	os.ReadDir("samples")
	println(len(text.Card), len(" README.md "))
}
-- one.txt --
1
-- two words.txt --
2
-- pages/a/b.html --
b
-- testdata/in.json --
{}
-- testdata/other.json --
{}
-- samples/x/y --
y
-- README.md --
no data
-- one.txt.bak --
no data
-- pages.txt --
no data
-- .git/one.txt --
hidden
-- text/text.go --
package text

import _ "embed"

//go:embed *.tmpl
var Card string
-- text/card.tmpl --
card
-- card.tmpl --
of no package
-- pages/picture.png --
binary
`

// TestPackData: what a program embeds and what it opens is packed with it, as far as it is text; what it does not name is not.
func TestPackData(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(embedding)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		data := f.Data
		switch f.Name {
		case "pages/picture.png":
			data = []byte{0x89, 'P', 'N', 'G', 0}
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "samples", "marked.txt"), []byte("a\n-- b --\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &Program{Name: "p", Dir: dir, Target: []string{"."}, Files: []string{filepath.Join(dir, "main.go")}}
	want := []string{"go.mod", "main.go", "text/text.go", "one.txt", "two words.txt", "pages/a/b.html", "testdata/in.json", "samples/x/y", "text/card.tmpl"}
	files, target, err := Pack(p)
	if err != nil || target != "." {
		t.Fatal(target, err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not packed", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s is packed", name)
		}
	}
	to := t.TempDir()
	if _, err := p.copy(to); err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if _, err := os.Stat(filepath.Join(to, filepath.FromSlash(name))); err != nil {
			t.Errorf("%s is not copied: %v", name, err)
		}
	}
}
