package coverage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path"
	"slices"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// endings are variants whose main function calls the program's own, and in which a program begins or ends in another way: counters are
// written by what runs before and after it.
var endings = []Variant{
	{Name: "ends/deferred-exit", Doc: "a deferred function exits", apply: ending("os", "func main() {\n\tdefer os.Exit(0)\n\tmisstepMain()\n}\n")},
	{Name: "ends/exit-elsewhere", Doc: "another goroutine exits", apply: ending("os", "func main() {\n\tgo func() {\n\t\tmisstepMain()\n\t\tos.Exit(0)\n\t}()\n\tselect {}\n}\n")},
	{Name: "ends/init", Doc: "all is done, and it exits, before main is called", apply: ending("os", "func init() {\n\tmisstepMain()\n\tos.Exit(0)\n}\n\nfunc main() {}\n")},
	{Name: "ends/environment", Doc: "the environment is cleared", apply: ending("os", "func main() {\n\tos.Clearenv()\n\tmisstepMain()\n}\n")},
	{Name: "ends/folder", Doc: "another folder is gone to", apply: ending("os", "func main() {\n\tmisstepMain()\n\tif os.Chdir(\"/\") != nil {\n\t\tos.Exit(9)\n\t}\n}\n")},
	{Name: "ends/closed", Doc: "standard output and error are closed", apply: ending("os", "func main() {\n\tmisstepMain()\n\tos.Stdout.Close()\n\tos.Stderr.Close()\n}\n")},
	{Name: "ends/arguments", Doc: "its arguments are overwritten", apply: ending("os", "func main() {\n\tmisstepMain()\n\tos.Args = nil\n}\n")},
	{Name: "ends/goroutines", Doc: "goroutines that still run", apply: ending("", "func main() {\n\tfor range make([]int, 20) {\n\t\tgo func() { select {} }()\n\t}\n\tmisstepMain()\n}\n")},
	{Name: "ends/collected", Doc: "memory is collected again and again", apply: ending("runtime", "func main() {\n\tmisstepMain()\n\tfor range make([]int, 5) {\n\t\truntime.GC()\n\t}\n}\n")},
	{Name: "ends/panic-recovered", Doc: "a panic is recovered from", apply: ending("", "func main() {\n\tdefer func() { recover() }()\n\tmisstepMain()\n\tpanic(1)\n}\n")},
}

// ending has another main function call that of the program.
func ending(imported, text string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		if s.Test {
			return nil, nil
		}
		files := slices.Clone(s.Files)
		for _, i := range own(s) {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, "", files[i].Data, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			for _, d := range tree.Decls {
				f, is := d.(*ast.FuncDecl)
				if !is || f.Recv != nil || f.Name.Name != "main" {
					continue
				}
				at := fset.Position(f.Name.Pos()).Offset
				files[i].Data = slices.Concat(files[i].Data[:at], []byte("misstepMain"), files[i].Data[at+len("main"):])
				header := "package main\n\n"
				if imported != "" {
					header += "import \"" + imported + "\"\n\n"
				}
				return append(files, gobuild.File{Name: path.Join(s.Package, "misstep_main.go"), Data: []byte(header + text)}), nil
			}
		}
		return nil, nil
	}
}
