package rewrite

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"misstep/internal/srcedit"
	"misstep/transform"
)

// The two rewrites with C put a file with import "C" beside the program's own. Guards: C can be compiled; no file of the package is
// assembly, which cgo excludes. What C's compiler writes of its code,
// what the linker has to keep of it, and the stacks on which it runs are what debuggers meet in each program with a library of C's.

// addC has the program contain C, which runs before main.
var addC = Rewrite{
	Name: "add-c",
	Doc:  "Links code in C into the program, which runs before main and may leave a thread behind: no difference.",
	Sites: func(s *Given) []Site {
		if !s.takesC() {
			return nil
		}
		pos := s.Source.Files[0].AST.Package
		var sites []Site
		for _, code := range cCode {
			sites = append(sites, Site{pos, func(c *Change) {
				name := c.name()
				flags := transform.Pick(c.R, []string{"-g -O2", "-g -O0", "-gdwarf-4 -O1", "-gdwarf-5 -Os", "-g -O2 -fomit-frame-pointer"})
				c.withC(name, fmt.Sprintf("#cgo CFLAGS: %s\n%s", flags, strings.ReplaceAll(code.c, "misstep", name)),
					strings.ReplaceAll(code.export, "misstep", name)+fmt.Sprintf("func init() {\n\tif C.%s(1) != 2 {\n\t\tpanic(\"C\")\n\t}\n}\n", name))
				c.OwnFuncs["main."+name+"back"] = true
			}})
		}
		return sites
	},
}

// cCode is what the kinds of code in C define: int misstep(int n), which gives n + 1.
var cCode = []struct{ c, export string }{
	{c: "static int misstep(int n) { return n + 1; }\n"},
	// Types that refer to themselves, that have no name, and variables outside of functions.
	{c: `struct misstep_node { struct misstep_node *next; union { int i; float f; }; unsigned bits : 3; char rest[]; };
static struct misstep_node misstep_first = { &misstep_first, { 1 }, 5 };
enum { misstep_one = 1 };
typedef int (*misstep_function)(int);
volatile const long misstep_constant = 1;
static inline __attribute__((always_inline)) int misstep_inlined(int n) { int m = n + misstep_one; return m; }
static int misstep(int n) { misstep_function f = misstep_inlined; int all[n + 1]; all[n] = f(n); return misstep_first.next->i == 1 ? all[n] : 0; }
`},
	// A thread that Go does not know, which waits as long as the program lives.
	{c: `#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <unistd.h>
static void *misstep_wait(void *p) { for (;;) pause(); return p; }
static int misstep(int n) { pthread_t t; pthread_create(&t, 0, misstep_wait, 0); return n + 1; }
`},
	// Go is called back, which needs a stack and a thread of its own.
	{c: "extern int misstepback(int);\nstatic int misstep(int n) { return misstepback(n) + 1; }\n",
		export: "//export misstepback\nfunc misstepback(n C.int) C.int { return n }\n\n"},
}

// mainThroughC has main's body called by C.
var mainThroughC = Rewrite{
	Name: "main-through-c",
	Doc:  "Calls the body of main from a function in C: down to main, no difference.",
	Sites: func(s *Given) []Site {
		fn := s.mainFunc()
		// How a program fails below C is another matter.
		if fn == nil || !s.takesC() || s.ExitCode != 0 {
			return nil
		}
		return []Site{{fn.Pos(), func(c *Change) {
			name := c.name()
			body, through := name+"body", name+"through"
			c.replace(fn.Name, body)
			c.declare(fn.Pos(), "func main() { "+through+"() }")
			c.withC(name, fmt.Sprintf("extern void %[1]sback(void);\nstatic void %[1]s(void) { %[1]sback(); }\n", name),
				fmt.Sprintf("//export %[1]sback\nfunc %[1]sback() { %s() }\n\nfunc %s() { C.%[1]s() }\n", name, body, through))
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: "main.main", From: regexp.MustCompile(`main\.` + body)})
			c.Bottom = "main.main"
			c.Outermost = true
		}}}
	},
}

// withC adds a file with C to the package.
func (c *Change) withC(name, text, code string) {
	p := c.Given.Source.Program
	dir, err := filepath.Rel(p.Dir, p.RunDir())
	if err != nil {
		dir = "."
	}
	// Go's own files come before those of cgo, in whose order packages are initialised.
	c.Create(path.Join(filepath.ToSlash(dir), name+".go"), srcedit.Text("package main\n\n/*\n"+text+"*/\nimport \"C\"\n\n"+code))
}

// takesC reports whether the program's package may have a file with C.
func (s *Given) takesC() bool {
	p := s.Source.Program
	if !s.CompilesC || p.Test || s.Source.Pkg.Name() != "main" || s.declares("panic", "init", "C") {
		return false
	}
	assembly, err := filepath.Glob(filepath.Join(p.RunDir(), "*.s"))
	if err != nil || len(assembly) > 0 {
		return false
	}
	for file := range p.Overlay {
		if filepath.Ext(file) == ".s" {
			return false
		}
	}
	return true
}
