package history

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"

	"misstep/internal/gobuild"
)

// A Recording is a program that is built to be recorded.
type Recording struct {
	Plan  *Plan
	Build *gobuild.Build
	// Packages are those that were instrumented.
	Packages []*Package
	Watched  []Watched
	// Original is the program as it was before it was instrumented, Source as it was
	// loaded: with dependencies that are recorded copied.
	Original, Source *gobuild.Program
	Standard         bool // packages of the standard library are among them
}

// A Package is a type-checked package to instrument.
type Package struct {
	Path  string
	Fset  *token.FileSet
	Files []*ast.File // with comments
	Texts map[string][]byte
	Types *types.Package
	Info  *types.Info
	// Old says that its module asks for an older language than what is inserted is in.
	Old bool
}

// An Assignment gives a variable a value, or has a function called, which Value is then, without a name.
type Assignment struct{ Name, Value string }

// A Watched is a statement that is watched.
type Watched struct {
	Path   string
	Offset int
	Exprs  []string
	Sets   []Assignment
	// First is the number of its first assignment.
	First int
}
