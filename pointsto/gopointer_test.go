package pointsto_test

import (
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// explained are the lines of programs, without space around them, of which
// golang.org/x/tools/go/pointer says something else, and why.
var explained = map[string]string{
	"calls: see(c.get())": contexts,
	"calls: see(d.n)":     contexts,
	"calls: see(h(d))":    contexts,
	"generics: see(to)":   "go/pointer is asked about one instance of a generic function; At merges all",
}

const contexts = "go/pointer analyses small functions anew for each call of them; here set and get are one each"

// TestGoPointer: golang.org/x/tools/go/pointer finds what this package does, in the
// programs that it can analyse.
func TestGoPointer(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"run", "."}
	for _, s := range list {
		if strings.Contains(s.files["main.go"], "import") || s.name == "aliases" {
			continue
		}
		name := filepath.Join(dir, s.name+".go")
		if err := os.WriteFile(name, []byte(s.files["main.go"]), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	download := exec.Command("go", "mod", "download")
	download.Dir = filepath.Join("testdata", "gopointer")
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("go/pointer cannot be had: %s", out)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = download.Dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	compared, used := 0, map[string]bool{}
	for l := range strings.Lines(string(out)) {
		words := strings.Fields(l)
		var s *sample
		for _, s2 := range list {
			if filepath.Base(words[0]) == s2.name+".go" {
				s = s2
			}
		}
		var line int
		if _, err := fmt.Sscan(words[1], &line); err != nil {
			t.Fatal(err)
		}
		labels := s.marks("//:")
		var want []string
		for _, w := range words[2:] {
			var n int
			if _, err := fmt.Sscan(w, &n); err != nil {
				t.Fatal(err)
			}
			want = append(want, labels[n]...)
		}
		slices.Sort(want)
		got := s.at(line, labels)
		compared++
		if slices.Equal(got, want) {
			continue
		}
		text := strings.TrimSpace(strings.Split(s.files["main.go"], "\n")[line-1])
		code, _, _ := strings.Cut(text, " //")
		key := s.name + ": " + strings.TrimSpace(code)
		more := true // what go/pointer finds is found here, too
		for _, n := range want {
			more = more && slices.Contains(got, n)
		}
		if explained[key] == "" || !more {
			t.Errorf("%q: go/pointer says %v, this package %v", key, want, got)
		}
		used[key] = true
	}
	for key := range explained {
		if !used[key] {
			t.Errorf("no difference at %q", key)
		}
	}
	if compared < 60 {
		t.Errorf("only %d expressions were compared", compared)
	}
}

// at are the names of what the argument of see in a line refers to.
func (s *sample) at(line int, labels map[int][]string) (names []string) {
	for _, f := range s.pkg.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || s.pkg.Fset.Position(call.Pos()).Line != line {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "see" {
				objects, _ := s.result.At(s.pkg.Fset, call.Args[0])
				names = s.names(objects, labels)
			}
			return true
		})
	}
	return names
}
