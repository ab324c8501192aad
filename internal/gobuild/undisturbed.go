package gobuild

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"strconv"
)

// breakpoint is the function of the runtime by which a program pauses itself under a debugger, and other one of the same type, and
// written as long, that stands for it.
const breakpoint, other = "Breakpoint", "Gosched   "

// trapped is how a program says that it has paused itself, and there was no debugger.
const trapped = "SIGTRAP: trace trap"

// Undisturbed is a program without the places at which it pauses itself under a debugger; it would end there without one. It is the
// same program, and not ok, if it has none in the files of its own package.
func (p *Program) Undisturbed() (*Program, bool) {
	texts := map[string][]byte{}
	for _, name := range p.Files {
		text, ok := p.Overlay[name]
		if !ok {
			var err error
			if text, err = os.ReadFile(name); err != nil {
				continue // which those will say who compile it
			}
		}
		if filepath.Ext(name) != ".go" || !bytes.Contains(text, []byte(breakpoint)) {
			continue
		}
		if text, ok = undisturbed(text); ok {
			texts[name] = text
		}
	}
	if len(texts) == 0 {
		return p, false
	}
	q := *p
	q.Overlay = texts
	for name, text := range maps.All(p.Overlay) {
		if _, ok := texts[name]; !ok {
			q.Overlay[name] = text
		}
	}
	return &q, true
}

// undisturbed puts the other function into a file, by whatever name the runtime is imported there.
func undisturbed(text []byte) (_ []byte, ok bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		return text, false
	}
	runtime := ""
	for _, imp := range f.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); path == "runtime" {
			runtime = path
			if imp.Name != nil {
				runtime = imp.Name.Name
			}
		}
	}
	text = bytes.Clone(text)
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, is := n.(*ast.SelectorExpr); is && sel.Sel.Name == breakpoint {
			if x, is := sel.X.(*ast.Ident); is && x.Name == runtime && x.Obj == nil {
				ok = true
				copy(text[fset.PositionFor(sel.Sel.Pos(), false).Offset:], other)
			}
		}
		return true
	})
	return text, ok
}

// undisturbed is a build of the same program without what it pauses itself by; the build itself if there is nothing of that.
func (c *Cache) undisturbed(ctx context.Context, b *Build) (*Build, error) {
	p, ok := b.Program.Undisturbed()
	if !ok {
		return b, nil
	}
	dir, err := c.Keeper.TempDir("undisturbed")
	if err != nil {
		return nil, err
	}
	return c.Build(ctx, p, b.Engine, dir)
}
