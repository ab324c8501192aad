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
				c.withC(name, fmt.Sprintf("#cgo CFLAGS: %s\n%s", transform.Pick(c.R, cFlags), strings.ReplaceAll(code.c, "misstep", name)),
					strings.ReplaceAll(code.export, "misstep", name)+fmt.Sprintf("func init() {\n\tif C.%s(1) != 2 {\n\t\tpanic(\"C\")\n\t}\n}\n", name))
				c.OwnFuncs["main."+name+"back"] = true
			}})
		}
		return sites
	},
}

// cFlags are by which C is compiled, as far as the go command lets them pass: each has its effect on what the compiler says of functions, variables and frames.
var cFlags = []string{
	"-g -O2", "-g -O0", "-gdwarf-4 -O1", "-gdwarf-5 -Os", "-g -O2 -fomit-frame-pointer", "-g -O0 -fexceptions", "-g3 -O1 -fno-omit-frame-pointer",
	"-g -O2 -fstack-protector-all -fno-plt", "-g1 -O0", "-O2", "-gdwarf-5 -O2 -fno-asynchronous-unwind-tables", "-gsplit-dwarf -O1", "-gdwarf-3 -gstrict-dwarf -O2",
	"-g -O0 -fstack-clash-protection", "-gdwarf-5 -gz=zlib -O2",
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
	Doc:  "Calls the body of main from functions in C or C++: down to main, no difference.",
	Sites: func(s *Given) []Site {
		fn := s.mainFunc()
		// How a program fails below C is another matter.
		if fn == nil || !s.takesC() || s.ExitCode != 0 {
			return nil
		}
		var sites []Site
		for _, chain := range cChains {
			if chain.plus != "" && (!s.CompilesCPlus || filepath.IsAbs(s.Source.Program.Target[0])) {
				continue
			}
			sites = append(sites, Site{fn.Pos(), func(c *Change) {
				name := c.name()
				body, through := name+"body", name+"through"
				c.replace(fn.Name, body)
				c.declare(fn.Pos(), "func main() { "+through+"() }")
				text := strings.NewReplacer("misstep", name, "FRAMES", transform.Pick(c.R, frameRules)).Replace(chain.c)
				if chain.plus != "" {
					c.beside(name+".cc", strings.ReplaceAll(chain.plus, "misstep", name))
				}
				c.withC(name, fmt.Sprintf("#cgo CFLAGS: %[2]s\n#cgo CXXFLAGS: %[2]s\nextern void %[1]sback(void);\n%[3]s", name, transform.Pick(c.R, cFlags), text),
					fmt.Sprintf("//export %[1]sback\nfunc %[1]sback() { %s() }\n\nfunc %s() { C.%[1]s() }\n", name, body, through))
				c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: "main.main", From: regexp.MustCompile(`main\.` + body)})
				c.Bottom = "main.main"
				c.Outermost = true
			}})
		}
		return sites
	},
}

// cChains are functions misstep() by which C calls misstepback(); plus is C++ in a file of its own.
var cChains = []struct{ c, plus string }{
	{c: "static void misstep(void) { FRAMESmisstepback(); }\n"},
	// Frames with what compilers rarely have in them: many arguments, a size that only runs know, a return on the way.
	{c: `struct misstep_all { char text[100]; };
static __attribute__((noinline)) int misstep_deep(int n, int a, int b, int c, int d, int e, int f, double g, long h, struct misstep_all all) {
	volatile char room[n + 1];
	FRAMESif (n > 0) return misstep_deep(n - 1, a, b, c, d, e, f, g, h, all) + (int)sizeof room;
	if (b < 0) return b;
	misstepback();
	return a;
}
static void misstep(void) { struct misstep_all all = { "" }; misstep_deep(3, 1, 2, 3, 4, 5, 6, 7.5, 8, all); }
`},
	// A library calls back.
	{c: `#include <stdlib.h>
static int misstep_done;
static int misstep_compare(const void *x, const void *y) { FRAMESif (!misstep_done++) misstepback(); return *(const int *)x - *(const int *)y; }
static void misstep(void) { int all[] = { 3, 1, 2 }; qsort(all, 3, sizeof all[0], misstep_compare); }
`},
	{c: "void misstep_plus(void);\nstatic void misstep(void) { FRAMESmisstep_plus(); }\n", plus: `extern "C" { void misstepback(void); void misstep_plus(void); }
namespace misstep_space {
struct base { virtual ~base() {} virtual void run(int &n) = 0; };
template <class T> class derived : public base {
	T count;
	static int made;
public:
	explicit derived(T n) : count(n) { made++; }
	void run(int &n) override {
		auto later = [this, &n](T by) { n += by + count; misstepback(); };
		try { if (n > 0) throw n; } catch (int thrown) { later(thrown); }
	}
};
template <class T> int derived<T>::made;
}
void misstep_plus(void) {
	int n = 1;
	misstep_space::derived<long> d(2);
	misstep_space::base &b = d;
	b.run(n);
}
`},
}

// frameRules are statements without effect that make the assembler write rules about a function's frame which change nothing
// of where its caller is.
var frameRules = []string{
	"", "", `__asm__ volatile(".cfi_escape 0x2e,0x00"); `, // arguments take no room
	`__asm__ volatile(".cfi_remember_state\n.cfi_undefined r12\n.cfi_restore_state"); `,
	`__asm__ volatile(".cfi_escape 0x16,0x0c,0x02,0x77,0x08"); `, // register 12 had the value of an expression
	`__asm__ volatile(".cfi_escape 0x10,0x0d,0x02,0x77,0x08"); `, // register 13 lies where an expression says
	`__asm__ volatile(".cfi_register r14, r15"); `, `__asm__ volatile(".cfi_same_value r12"); `, `__asm__ volatile("nop\n.cfi_undefined xmm0\nnop"); `,
}

// withC adds a file with C to the package.
func (c *Change) withC(name, text, code string) {
	// Go's own files come before those of cgo, in whose order packages are initialised.
	c.beside(name+".go", "package main\n\n/*\n"+text+"*/\nimport \"C\"\n\n"+code)
}

// beside adds a file to the package.
func (c *Change) beside(name, text string) {
	p := c.Given.Source.Program
	dir, err := filepath.Rel(p.Dir, p.RunDir())
	if err != nil {
		dir = "."
	}
	c.Create(path.Join(filepath.ToSlash(dir), name), srcedit.Text(text))
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
