package coverage

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// names are variants that declare names which the program does not use, and which counters that are written in Go may: all
// that the language declares before (Predeclared identifiers), and the packages that a run-time for counters is in. The
// specification lets a program declare each of them anew, in any scope.
var names = []Variant{
	{Name: "names/types", Doc: "types with predeclared names", Chooses: true, apply: declaring("type %s struct{ misstep bool }\n")},
	{Name: "names/variables", Doc: "variables with predeclared names", Chooses: true, apply: declaring("var %s struct{ misstep bool }\n")},
	{Name: "names/constants", Doc: "constants with predeclared names", Chooses: true, apply: declaring("const %s = \"misstep\"\n")},
	{Name: "names/functions", Doc: "functions with predeclared names", Chooses: true, apply: declaring("func %s() {}\n")},
	{Name: "names/generics", Doc: "generic types with predeclared names", Chooses: true, apply: declaring("type %s[_misstep interface{}] struct{}\n")},
	{Name: "names/imports", Doc: "imports with predeclared names", Chooses: true, apply: importing},
	{Name: "names/locals", Doc: "variables of each function with predeclared names", Chooses: true, apply: inFunctions("var %[1]s struct{}; _ = %[1]s " + marker)},
	{Name: "names/local-types", Doc: "types of each function with predeclared names", Chooses: true, apply: inFunctions("type %[1]s struct{}; _ = %[1]s{} " + marker)},
}

// candidates are the names, in an order that does not change.
func candidates() []string {
	all := types.Universe.Names()
	return append(all, "atomic", "sync", "coverage", "runtime", "unsafe", "testing", "os", "cover", "goCover", "GoCover", "_cover_atomic_", "counter", "pkg", "rtcov")
}

// free are candidates that no file of the subject mentions, about half of them.
func free(s *profiler.Subject, r *rand.Rand) []string {
	used := map[string]bool{"any": true} // which some toolchains have not, and the declarations of this file use
	for _, f := range s.Files {
		if tree := parse(token.NewFileSet(), f.Name, f.Data); tree != nil {
			ast.Inspect(tree.tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					used[n.Name] = true
				case *ast.ImportSpec: // by the name of its package, mostly
					used[strings.Trim(n.Path.Value[strings.LastIndex(n.Path.Value, "/")+1:], `"`)] = true
				}
				return true
			})
		}
	}
	var left []string
	for _, name := range candidates() {
		if !used[name] && r.IntN(2) == 0 {
			left = append(left, name)
		}
	}
	return left
}

// declaring declares names in the package.
func declaring(format string) applier {
	return func(s *profiler.Subject, r *rand.Rand) ([]gobuild.File, error) {
		mine, list := own(s), free(s, r)
		if strings.Contains(format, "bool") {
			list = slices.DeleteFunc(list, func(name string) bool { return name == "bool" })
		}
		if len(mine) == 0 || len(list) == 0 {
			return nil, nil
		}
		files := slices.Clone(s.Files)
		f := &files[mine[len(mine)-1]]
		text := string(f.Data) + "\n"
		for _, name := range list {
			text += fmt.Sprintf(format, name)
		}
		f.Data = []byte(text)
		return files, nil
	}
}

// importing imports a package by other names, in each file.
func importing(s *profiler.Subject, r *rand.Rand) ([]gobuild.File, error) {
	list := free(s, r)
	return eachFile(func(text []byte, _ *rand.Rand) []byte {
		f := parse(token.NewFileSet(), "", text)
		if f == nil {
			return nil
		}
		at := f.at(f.tree.Name.End()).Offset
		imports, uses := "\n\n", "\n"
		for _, name := range list {
			imports += fmt.Sprintf("import %s \"errors\"\n", name)
			uses += fmt.Sprintf("var _ = %s.New\n", name)
		}
		return []byte(string(text[:at]) + imports + strings.TrimPrefix(string(text[at:]), ";") + uses)
	})(s, r)
}

// inFunctions declares names at the beginning of each function, on a line that is marked.
func inFunctions(format string) applier {
	return func(s *profiler.Subject, r *rand.Rand) ([]gobuild.File, error) {
		list := free(s, r)
		return eachFile(func(text []byte, _ *rand.Rand) []byte {
			f := parse(token.NewFileSet(), "", text)
			if f == nil || len(list) == 0 {
				return nil
			}
			var out strings.Builder
			at := 0
			for _, d := range f.tree.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Body == nil {
					continue
				}
				open := f.at(fd.Body.Lbrace).Offset + 1
				out.Write(text[at:open])
				for _, name := range list {
					out.WriteString("\n" + fmt.Sprintf(format, name))
				}
				out.WriteString("\n")
				at = open
			}
			out.Write(text[at:])
			return []byte(out.String())
		})(s, r)
	}
}
