package record

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"misstep/internal/gobuild"
	"misstep/internal/source"
)

// matches reports whether a package's path is one of the patterns, which may end in
// /... or be ... alone.
func matches(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "..." || p == path {
			return true
		}
		rest, ok := strings.CutSuffix(p, "/...")
		return ok && (path == rest || strings.HasPrefix(path, rest+"/"))
	})
}

// withDeps is a program that can be instrumented in dependencies, too. Nothing can
// be overlaid in the module cache, so their modules are copied into a folder, and
// replaced by the copies in a go.mod of its own.
func withDeps(ctx context.Context, p *gobuild.Program, e gobuild.Engine, deps []string, dir string) (*gobuild.Program, error) {
	modules, err := modulesOf(ctx, p, e, deps)
	if err != nil || len(modules) == 0 {
		return p, err
	}
	_, _, root := p.Module()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("reading the module of %s: %w", p.Name, err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the module of %s: %w", p.Name, err)
	}
	n := 0
	for path, m := range modules {
		to := filepath.Join(dir, fmt.Sprintf("module%d", n))
		n++
		if err := replace(mod, path, m, to); err != nil {
			return nil, err
		}
	}
	// Folders in other replacements are relative to the old place.
	for _, r := range slices.Clone(mod.Replace) {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			if err := mod.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(root, r.New.Path), ""); err != nil {
				return nil, err
			}
		}
	}
	mod.Cleanup()
	out, err := mod.Format()
	if err != nil {
		return nil, err
	}
	q := *p
	q.ModFile = filepath.Join(dir, "deps.mod")
	if err := os.WriteFile(q.ModFile, out, 0o666); err != nil {
		return nil, fmt.Errorf("writing a go.mod for %s: %w", p.Name, err)
	}
	if sum, err := os.ReadFile(filepath.Join(root, "go.sum")); err == nil {
		if err := os.WriteFile(filepath.Join(dir, "deps.sum"), sum, 0o666); err != nil {
			return nil, fmt.Errorf("writing a go.sum for %s: %w", p.Name, err)
		}
	}
	return &q, nil
}

// modulesOf are the modules of the dependencies that match, but for the program's own.
func modulesOf(ctx context.Context, p *gobuild.Program, e gobuild.Engine, deps []string) (map[string]*packages.Module, error) {
	roots, err := source.Packages(ctx, p, e, packages.NeedName|packages.NeedImports|packages.NeedDeps|packages.NeedModule)
	if err != nil {
		return nil, err
	}
	modules := map[string]*packages.Module{}
	found, near := false, ""
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if !matches(pkg.PkgPath, deps) {
			for _, d := range deps {
				if strings.HasPrefix(pkg.PkgPath, d+"/") {
					near = fmt.Sprintf("; on some below it, which %s/... names", d)
				}
			}
			return
		}
		found = true
		if m := pkg.Module; m != nil && !m.Main {
			modules[m.Path] = m
		}
	})
	if !found {
		return nil, fmt.Errorf("%s does not depend on a package that matches %s%s", p.Name, strings.Join(deps, ", "), near)
	}
	return modules, nil
}

// replace copies a module and puts the copy in its place.
func replace(mod *modfile.File, path string, m *packages.Module, to string) error {
	from := m.Dir
	if m.Replace != nil {
		from = m.Replace.Dir
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("copying %s: %w", path, err)
	}
	if _, err := os.Stat(filepath.Join(to, "go.mod")); err != nil {
		// A module from before there were any.
		if err := os.WriteFile(filepath.Join(to, "go.mod"), []byte("module "+path+"\n"), 0o666); err != nil {
			return fmt.Errorf("copying %s: %w", path, err)
		}
	}
	for _, r := range slices.Clone(mod.Replace) {
		if r.Old.Path == path {
			if err := mod.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return err
			}
		}
	}
	mod.Cleanup() // what was dropped is empty
	if err := mod.AddReplace(path, "", to, ""); err != nil {
		return fmt.Errorf("replacing %s by a copy: %w", path, err)
	}
	return nil
}
