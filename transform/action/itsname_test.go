package action

import (
	"os"
	"path/filepath"
	"testing"

	"misstep/internal/testhouse"
	"misstep/transform"
)

// TestAsksItsName: a program asks for the name that it was started by where it may look at its first argument, or has package flag tell it.
func TestAsksItsName(t *testing.T) {
	h := testhouse.New(t)
	for _, c := range []struct {
		name, imports, body string
		asks                bool
	}{
		{"nothing of the kind", `"fmt"`, `fmt.Println(map[string]int{"a": 1}["a"], []int{1, 2}[1:])`, false},
		{"how many arguments there are, and the others", `"fmt"; "os"`, `if len(os.Args) > 1 { fmt.Println(os.Args[1], os.Args[1:], len(os.Args[2:])) }`, false},
		{"flags", `"flag"; "fmt"`, `n := flag.Int("n", 1, "a number"); flag.Parse(); fmt.Println(*n, flag.Args())`, false},
		{"its name", `"fmt"; "os"`, `fmt.Println(os.Args[0])`, true},
		{"all arguments", `"fmt"; "os"`, `args := os.Args; fmt.Println(len(args))`, true},
		{"an argument by a variable", `"fmt"; "os"`, `for i := range os.Args { fmt.Println(os.Args[i]) }`, true},
		{"from the beginning", `"fmt"; "os"`, `fmt.Println(os.Args[:1], os.Args[0:])`, true},
		{"under another name of the package", `"fmt"; sys "os"`, `fmt.Println(sys.Args[0])`, true},
		{"without the name of the package", `"fmt"; . "os"`, `fmt.Println(Args[0])`, true},
		{"others, without the name of the package", `"fmt"; . "os"`, `fmt.Println(Args[1:])`, false},
		{"its executable", `"fmt"; "os"`, `fmt.Println(os.Executable())`, true},
		{"another package's arguments", `"fmt"`, `var os struct{ Args []string }; fmt.Println(os.Args)`, false},
		{"how it is used", `"flag"`, `flag.Usage()`, true},
	} {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte("package main\n\nimport ("+c.imports+")\n\nfunc main() {\n\t"+c.body+"\n}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		src := h.Load(t, h.Find(t, file)[0])
		if got := asksItsName(&transform.Choice{Source: src}); got != c.asks {
			t.Errorf("%s: %t, want %t", c.name, got, c.asks)
		}
	}
}
