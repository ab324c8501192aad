package coverage

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// declarations are variants that declare something beside what the program has, which it does not use: each kind of
// declaration, of file and of package that there is.
var declarations = []Variant{
	{Name: "declare/init", Doc: "further init functions", apply: adding("func init() { misstep++ }\n\nfunc init() {\n\tif misstep > 9 {\n\t\tmisstep = 0\n\t}\n}\n\nvar misstep int\n")},
	{Name: "declare/blank", Doc: "functions, methods and variables without names", apply: adding("type misstep struct{}\n\nfunc _() { println(1) }\n\nfunc _(_ int, _ string) int { return 1 }\n\nfunc (misstep) _() { println(2) }\n\nfunc (*misstep) _(n int) int { return n }\n\nvar _ = func() int { return 3 }()\n\nvar _, _ = 1, func() {}\n\nconst _ = 4\n\ntype _ struct{}\n")},
	{Name: "declare/literals", Doc: "function literals in variables of the package", apply: adding("var misstepF = func(n int) int {\n\tif n > 3 {\n\t\treturn 1\n\t}\n\treturn n\n}\n\nvar misstepV = func() (n int) {\n\tdefer func() { n++ }()\n\treturn misstepF(1)\n}()\n\nvar misstepM = map[string]func(){\"a\": func() { println(1) }, \"b\": func() {}}\n\nvar misstepS = struct{ f func() }{func() { _ = func() {} }}\n")},
	{Name: "declare/generic", Doc: "generic functions, types and methods, with and without instances", apply: adding("type misstepT[K comparable, V interface{}] struct {\n\tk K\n\tv V\n}\n\nfunc (t *misstepT[K, V]) set(k K, v V) { t.k, t.v = k, v }\n\nfunc (misstepT[_, _]) _() {}\n\nfunc misstepF[T interface{ ~int | ~string }](v T) T {\n\tf := func() T { return v }\n\treturn f()\n}\n\nvar _ = misstepF(1)\n\nvar _ = misstepF(\"a\")\n\nfunc init() {\n\tvar t misstepT[string, int]\n\tt.set(\"a\", 1)\n}\n")},
	{Name: "declare/callers", Doc: "code in each kind of place that says where it is", apply: withFile("misstep_callers.go", callers)},
	{Name: "declare/empty", Doc: "functions without statements", apply: adding("func misstepA() {}\n\nfunc misstepB() {\n}\n\nfunc misstepC() { /* nothing */ }\n\nfunc misstepD() {;}\n\nfunc misstepE() {{}}\n\nfunc misstepG() { for { } }\n\nfunc misstepH(n int) { switch n { }; switch { default: }; if n > 0 { } else { }; for range 0 * n { } }\n")},
	{Name: "declare/clauses", Doc: "all kinds of clauses, labels and gotos", apply: adding(clauses)},
	{Name: "declare/directives", Doc: "functions with directives of the compiler", apply: adding("//go:noinline\nfunc misstepA(n int) int {\n\tif n > 1 {\n\t\treturn 2\n\t}\n\treturn 3\n}\n\n//go:nosplit\nfunc misstepB(n int) int {\n\tif n > 1 {\n\t\treturn 2\n\t}\n\treturn 3\n}\n\n//go:norace\nfunc misstepC() {}\n\n//go:nocheckptr\nfunc misstepD() {}\n\n//go:uintptrescapes\nfunc misstepE(p uintptr) {}\n\n//go:generate misstep\nvar _ = misstepA(misstepB(1))\n")},
	{Name: "declare/long", Doc: "a function of a thousand branches", apply: adding(long(1000))},
	{Name: "declare/many", Doc: "five hundred functions", apply: adding(many(500))},
	{Name: "declare/data", Doc: "arrays of odd and of large sizes", apply: adding("var misstepA [3]byte\n\nvar misstepB [65537]byte\n\nvar misstepC [16777215]byte\n\nvar misstepD = [5]int8{1, 2, 3}\n\nfunc init() {\n\tmisstepB[65536] = misstepA[2] + 1\n\tmisstepC[16777214] = byte(misstepD[2]) + misstepB[1]\n}\n")},
	{Name: "declare/same-lines", Doc: "functions behind equal //line directives, as generated ones are", apply: withFiles("template.tmpl", "package %s\n"+strings.Repeat("// A line of a template.\n", 20), "misstep_lines.go", "package %s\n\n//line template.tmpl:3\nfunc misstepA(n int) int {\n\tif n > 1 {\n\t\tn++\n\t}\n\treturn n\n}\n\n//line template.tmpl:3\nfunc misstepB(n int) int {\n\tif n > 1 { n++; n++\n\n\t}\n\treturn n\n}\n\n//line template.tmpl:3\nfunc misstepC(n int) int { n++\n\tif n > 1 {\n\t\tn++\n\t}\n\treturn n\n}\n\nvar _ = misstepA(1) + misstepB(2) + misstepC(0)\n")},
	{Name: "declare/deep", Doc: "function literals within each other", apply: adding("func misstep() int {\n\treturn " + strings.Repeat("func() int { if true { return ", 40) + "1" + strings.Repeat(" }; return 0 }()", 40) + "\n}\n\nvar _ = misstep()\n")},
	{Name: "file/empty", Doc: "a file that declares nothing", apply: withFile("misstep_empty.go", "package %s\n")},
	{Name: "file/comments", Doc: "a file of comments", apply: withFile("misstep_comments.go", "// Nothing.\n\n/* */ package %s // nothing\n\n// func misstep() { }\n")},
	{Name: "file/bare", Doc: "a file that has types and constants only", apply: withFile("misstep_bare.go", "package %s\n\ntype misstepT interface{ m() }\n\nconst misstepC = 1\n\nvar misstepV int\n")},
	{Name: "file/unicode", Doc: "a file whose name is not ASCII", apply: withFile("misstepé世.go", "package %s\n\nfunc misstep() { println(1) }\n")},
	{Name: "file/odd-name", Doc: "a file with odd letters in its name", apply: withFile("misstep+a,b=c~d(e).go", "package %s\n\nfunc misstep() { println(1) }\n")},
	{Name: "file/blank-name", Doc: "a file with blanks in its name", apply: withFile("misstep a b.go", "package %s\n\nfunc misstep() { println(1) }\n")},
	{Name: "file/ignored", Doc: "a file of another package that is ignored", apply: withFile("misstep_ignored.go", "//go:build ignore\n// +build ignore\n\npackage other\n\nfunc main() {}\n")},
	{Name: "file/constrained", Doc: "a file with a constraint that holds", apply: withFile("misstep_constrained.go", "//go:build !misstep\n// +build !misstep\n\npackage %s\n\nfunc misstep() { println(1) }\n")},
	{Name: "file/test", Doc: "a file of tests", apply: withFile("misstep_test.go", "package %s\n\nimport \"testing\"\n\nfunc TestMisstep(t *testing.T) {}\n")},
	{Name: "file/outer-test", Doc: "a file of tests of a package beside", apply: withFile("misstep_test.go", "package %s_test\n\nimport \"testing\"\n\nfunc TestMisstep(t *testing.T) {}\n")},
	{Name: "file/assembly", Doc: "a function in assembly", apply: withFiles("misstep_amd64.s", "TEXT ·misstep(SB), $0-0\n\tRET\n", "misstep_amd64.go", "package %s\n\nfunc misstep()\n\nfunc init() { misstep() }\n")},
	{Name: "file/cgo", Doc: "a function in C", apply: withFile("misstep_cgo.go", "package %s\n\n/*\nstatic int misstep(int n) { return n + 1; }\n*/\nimport \"C\"\n\nfunc init() {\n\tif C.misstep(1) > 5 {\n\t\tprintln(1)\n\t}\n}\n")},
	{Name: "file/embed", Doc: "an embedded file", apply: withFiles("misstep.txt", "text", "misstep_embed.go", "package %s\n\nimport _ \"embed\"\n\n//go:embed misstep.txt\nvar misstep string\n\nfunc init() {\n\tif misstep != \"text\" {\n\t\tpanic(misstep)\n\t}\n}\n")},
	{Name: "file/many", Doc: "three thousand files", apply: manyFiles(3000)},
	{Name: "module/go1.17", Doc: "an older language", apply: older(17)},
	{Name: "module/go1.20", Doc: "an older language", apply: older(20)},
	{Name: "module/go1.21", Doc: "the language from which on loop variables may differ", apply: older(21)},
	{Name: "module/go-suffix", Doc: "the module's path ends as a file does", apply: renamed("example.com/misstep.go")},
	{Name: "module/version", Doc: "the module's path ends with a major version", apply: renamed("example.com/misstep/v2")},
	{Name: "module/odd-path", Doc: "the module's path has capitals, dots and odd letters", apply: renamed("Example.com/A.b-c_d~e/f.g")},
	{Name: "module/std-path", Doc: "the module's path is one word, as those of the standard library are", apply: renamed("misstep")},
	{Name: "module/long-path", Doc: "the module's path is long", apply: renamed("example.com/" + strings.Repeat("misstep/", 25) + "end")},
	{Name: "package/go-suffix", Doc: "a package whose folder is named as a file is", apply: withPackage("misstep/odd.go", "odd", "")},
	{Name: "package/capitals", Doc: "a package whose folder has capitals and dots in its name", apply: withPackage("Misstep/A.b", "misstep", "")},
	{Name: "package/same-name", Doc: "a package of the module whose files are named as the program's", apply: withPackage("misstep/same", "same", "")},
	{Name: "package/other-name", Doc: "a package that is not named as its folder is", apply: withPackage("misstep/go-odd.v2", "other", "")},
	{Name: "package/internal", Doc: "an internal package", apply: withPackage("internal/misstep", "misstep", "")},
	{Name: "package/no-code", Doc: "a package without code", apply: withPackage("misstep/bare", "bare", "const Misstep = 1\n")},
	{Name: "package/named-atomic", Doc: "a package named as one of the standard library", apply: withPackage("misstep/atomic", "atomic", "")},
}

// renamed gives the module another path, in its file and in imports of its packages.
func renamed(module string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		old := s.Module()
		if s.File("go.mod") == nil {
			return nil, nil
		}
		files := slices.Clone(s.Files)
		for i, f := range files {
			text := string(f.Data)
			switch {
			case f.Name == "go.mod":
				m, err := modfile.ParseLax(f.Name, f.Data, nil)
				if err != nil || m.Module == nil {
					return nil, nil
				}
				if err := m.AddModuleStmt(module); err != nil {
					return nil, nil
				}
				if files[i].Data, err = m.Format(); err != nil {
					return nil, nil
				}
			case strings.HasSuffix(f.Name, ".go"):
				text = strings.ReplaceAll(text, `"`+old+`"`, `"`+module+`"`)
				files[i].Data = []byte(strings.ReplaceAll(text, `"`+old+`/`, `"`+module+`/`))
			}
		}
		return files, nil
	}
}

// callers prints where it is, from variables that are initialised, functions, methods, literals, deferred and generic functions.
const callers = `package %s

import "runtime"

func misstepAt(skip int) int {
	pc, file, line, _ := runtime.Caller(skip)
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' {
			file = file[i+1:]
			break
		}
	}
	name := ""
	if f := runtime.FuncForPC(pc); f != nil {
		name = f.Name()
	}
	println(file, line, name)
	return line
}

var misstepV = misstepAt(1)

var misstepW, misstepX = misstepAt(1), func() int { return misstepAt(1) }()

type misstep struct{ n int }

func (m misstep) value() int {
	if m.n > 0 {
		return misstepAt(1)
	}
	return 0
}

func (m *misstep) pointer() int { return misstepAt(1) + misstepAt(2) }

func init() {
	defer misstepAt(1)
	defer func() {
		_ = recover()
		misstepAt(1)
	}()
	m := &misstep{1}
	if m.value() > 0 {
		for i := 0; i < 2; i++ {
			m.pointer()
		}
	}
	f := m.pointer
	f()
	panic(misstepAt(1))
}
`

// clauses are all kinds of clauses, some of them executed.
const clauses = `func init() {
	misstep(1)
	misstep(2)
}

func misstep(n int) (r int) {
	ch := make(chan int, 1)
	var v interface{} = n
	var p *int
outer:
	for i := 0; i < 3; i++ {
		switch {
		case i == n:
			continue outer
		case i > n:
			break outer
		case i < 0:
			fallthrough
		default:
			r++
		}
	}
	switch x := v.(type) {
	case int, string:
		_ = x
	case nil:
		r--
	}
	select {
	case ch <- n:
		r++
	case m := <-ch:
		r = m
	default:
	}
	if n > 5 {
		goto end
	} else if m := n * 2; m > 3 {
		r += m
	} else {
		r--
	}
	{
		r++
		{
			r++
		}
	}
again:
	if r < 20 {
		r += 7
		goto again
	}
	defer func() {
		if e := recover(); e != nil {
			r = 9
		}
	}()
	for range []int{1, 2} {
	}
	for {
		break
	}
	if n == 2 {
		*p = 1
		r = 1
	}
end:
	return r
}
`

// long is a function with so many branches.
func long(n int) string {
	var b strings.Builder
	b.WriteString("func misstep(n int) (r int) {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tif n == %d {\n\t\tr += n\n\t}\n", i)
	}
	return b.String() + "\treturn r\n}\n\nvar _ = misstep(7)\n"
}

// many is so many functions.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func misstep%d(n int) int { return n + %d }\n\n", i, i)
	}
	return b.String() + "var _ = misstep7(1)\n"
}

// adding declares something at the end of the package's last file.
func adding(text string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		mine := own(s)
		if len(mine) == 0 {
			return nil, nil
		}
		files := slices.Clone(s.Files)
		f := &files[mine[len(mine)-1]]
		f.Data = []byte(string(f.Data) + "\n" + text)
		return files, nil
	}
}

// withFile adds a file to the package.
func withFile(name, text string) applier { return withFiles(name, text) }

// withFiles adds files to the package, each after its name. %s stands for the name of the package.
func withFiles(pairs ...string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		files := slices.Clone(s.Files)
		for i := 0; i < len(pairs); i += 2 {
			text := strings.ReplaceAll(pairs[i+1], "%s", s.PackageName())
			files = append(files, gobuild.File{Name: path.Join(s.Package, pairs[i]), Data: []byte(text)})
		}
		return files, nil
	}
}

// manyFiles adds so many files to the package, with long names.
func manyFiles(n int) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		files := slices.Clone(s.Files)
		for i := range n {
			name := fmt.Sprintf("misstep_file_with_a_name_that_is_rather_long_as_generated_ones_are_%d.go", i)
			files = append(files, gobuild.File{Name: path.Join(s.Package, name), Data: fmt.Appendf(nil, "package %s\n\nfunc misstep%d() {}\n", s.PackageName(), i)})
		}
		return files, nil
	}
}

// older has the module ask for an older version of the language.
func older(minor int) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		files := slices.Clone(s.Files)
		for i, f := range files {
			if f.Name != "go.mod" {
				continue
			}
			lowered := profiler.Lower(f.Data, minor)
			if string(lowered) == string(f.Data) {
				return nil, nil
			}
			files[i].Data = lowered
			return files, nil
		}
		return append(files, gobuild.File{Name: "go.mod", Data: fmt.Appendf(nil, "module %s\n\ngo 1.%d\n", s.Module(), minor)}), nil
	}
}

// withPackage adds a package to the module, which the program imports for nothing.
func withPackage(dir, name, text string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		mine := own(s)
		if len(mine) == 0 {
			return nil, nil
		}
		if text == "" {
			text = "// Misstep does nothing much.\nfunc Misstep(n int) int {\n\tif n > 1 {\n\t\treturn 2\n\t}\n\treturn 3\n}\n\nvar _ = Misstep(4)\n"
		}
		files := slices.Clone(s.Files)
		file := path.Base(files[mine[0]].Name)
		return append(files,
			gobuild.File{Name: path.Join(dir, file), Data: []byte("package " + name + "\n\n" + text)},
			gobuild.File{Name: path.Join(s.Package, "misstep_import.go"), Data: fmt.Appendf(nil, "package %s\n\nimport _ %q\n", s.PackageName(), path.Join(s.Module(), dir))},
		), nil
	}
}
