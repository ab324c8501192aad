package executed

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/cover"
)

// A Decl is a function of a file, as it is declared.
type Decl struct {
	Name      string // as in its source: Type.Method or function
	Line, End int
	Text      string // its source, with the comment in front
}

// Functions are those that a file below a folder declares.
func Functions(source, name string) ([]Decl, error) {
	text, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("reading the debugger's source: %w", err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the debugger's source: %w", err)
	}
	var fns []Decl
	for _, d := range tree.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from := fd.Pos()
		if fd.Doc != nil {
			from = fd.Doc.Pos()
		}
		fns = append(fns, Decl{
			Name: nameOf(fd), Line: fset.Position(fd.Pos()).Line, End: fset.Position(fd.End()).Line,
			Text: string(text[fset.Position(from).Offset:fset.Position(fd.End()).Offset]),
		})
	}
	return fns, nil
}

// around is the number of the declaration that a block is in; -1 if it is in none.
func around(decls []Decl, b cover.ProfileBlock) int {
	return slices.IndexFunc(decls, func(d Decl) bool { return d.Line <= b.StartLine && b.EndLine <= d.End })
}

func nameOf(fd *ast.FuncDecl) string {
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		return fd.Name.Name
	}
	t := fd.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fd.Name.Name
	}
	return fd.Name.Name
}
