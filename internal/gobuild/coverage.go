package gobuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"

	"misstep/internal/proc"
)

// A Block is a range of a file: lines and columns from 1, the end after the
// last byte.
type Block struct {
	File                             string // absolute
	Line, Column, EndLine, EndColumn int
	Statements                       int
	Count                            int // how often a run executes it
}

// Unrun lists the blocks of the program's own files that a run does not
// execute. It is empty if the run leaves no coverage data, as when it crashes.
func (c *Cache) Unrun(ctx context.Context, p *Program, e Engine, lim Limits) ([]Block, error) {
	blocks, err := c.Cover(ctx, p, e, lim)
	return slices.DeleteFunc(blocks, func(b Block) bool { return b.Count > 0 }), err
}

// Cover lists the blocks of the program's own files, with how often a run executes
// them. It is empty if the run leaves no coverage data, as when it crashes.
func (c *Cache) Cover(ctx context.Context, p *Program, e Engine, lim Limits) ([]Block, error) {
	dir, err := c.Keeper.TempDir("cover")
	if err != nil {
		return nil, fmt.Errorf("making a folder for coverage data: %w", err)
	}
	defer os.RemoveAll(dir)
	files := map[string]string{}
	pkg := p.ImportPath()
	for _, f := range p.Files {
		files[path.Join(pkg, filepath.Base(f))] = f
	}
	if len(p.Overlay) > 0 {
		// The cover tool does not know of overlays.
		if p, err = p.copy(filepath.Join(dir, "source")); err != nil {
			return nil, err
		}
	}
	b, err := c.build(ctx, p, e, dir, "-cover", "-covermode=count")
	var buildErr *BuildError
	if errors.As(err, &buildErr) {
		return nil, nil // a copy may miss what lies beside the module
	}
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o777); err != nil {
		return nil, fmt.Errorf("making a folder for coverage data: %w", err)
	}
	runCtx, cancel := context.WithTimeout(ctx, 2*lim.Time)
	defer cancel()
	_, err = c.Keeper.Run(runCtx, proc.Spec{
		Path: b, Args: p.RunArgs, Dir: p.RunDir(), Env: append([]string{"GOCOVERDIR=" + data}, RunEnv...),
	})
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, nil // slower than it was
	}
	profiles, err := c.Profiles(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("the coverage of %s: %w", p.Name, err)
	}
	var blocks []Block
	for _, prof := range profiles {
		file, ok := files[prof.FileName]
		if !ok {
			continue
		}
		for _, b := range prof.Blocks {
			blocks = append(blocks, Block{file, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt, b.Count})
		}
	}
	return blocks, nil
}
