package source

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"golang.org/x/tools/go/packages"

	"misstep/internal/gobuild"
)

// Config is how packages of a program are loaded: as the engine builds it, with its overlay
// and its go.mod.
func Config(ctx context.Context, p *gobuild.Program, e gobuild.Engine, mode packages.LoadMode) *packages.Config {
	dir, _ := p.Go()
	cfg := &packages.Config{
		Context: ctx, Dir: dir, Env: append(os.Environ(), e.Env()...), Tests: p.Test, Mode: mode, Overlay: maps.Clone(p.Overlay),
	}
	// A file that is not there cannot be overlaid here.
	maps.DeleteFunc(cfg.Overlay, func(_ string, text []byte) bool { return text == nil })
	cfg.BuildFlags = e.Shared()
	if p.ModFile != "" {
		cfg.BuildFlags = append(cfg.BuildFlags, "-mod=mod", "-modfile="+p.ModFile)
	}
	return cfg
}

// Packages loads packages of a program; those that it is made of, if none are named.
func Packages(ctx context.Context, p *gobuild.Program, e gobuild.Engine, mode packages.LoadMode, patterns ...string) ([]*packages.Package, error) {
	if len(patterns) == 0 {
		_, targets := p.Go()
		patterns = slices.Clone(targets)
	}
	pkgs, err := packages.Load(Config(ctx, p, e, mode), patterns...)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", p.Name, err)
	}
	return pkgs, nil
}
