package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/source"
)

// ownLanguage is the minor release whose language has all that is inserted: type parameters, and min, max and clear in
// what is asked. Nothing that a program of an older one says means anything else in it; Go 1.22 changed loops.
const ownLanguage = 21

// load finds the packages of a program that are the user's own, those of its main
// module or the files it is made of, and those that patterns name, and type-checks
// them. Standard says that packages of the standard library are among them.
func load(ctx context.Context, p *gobuild.Program, e gobuild.Engine, deps []string) (out []*history.Package, standard bool, err error) {
	roots, err := source.Packages(ctx, p, e, packages.NeedName|packages.NeedImports|packages.NeedDeps|packages.NeedModule|packages.NeedFiles)
	if err != nil {
		return nil, false, err
	}
	// Under test are the packages that were asked for. Tests of the others are no part of the program.
	tested := map[string]bool{}
	for _, pkg := range roots {
		tested[pkg.PkgPath+".test"] = true
	}
	var paths []string
	old := map[string]bool{}
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		switch {
		case p.Test && (strings.HasSuffix(pkg.ID, ".test") || strings.Contains(pkg.ID, " [") && strings.HasSuffix(pkg.PkgPath, "_test")):
			return // what goes with a package that is named
		case pkg.Module != nil && pkg.Module.Main:
		case len(deps) > 0 && matches(pkg.PkgPath, deps):
			standard = standard || pkg.Module == nil
		default:
			return
		}
		if m := pkg.Module; m != nil {
			// Without a version in it, a go.mod is one of Go 1.16.
			old[pkg.PkgPath] = m.GoVersion == "" || gobuild.Minor("go"+m.GoVersion) < ownLanguage
		}
		paths = append(paths, pkg.PkgPath)
	})
	slices.Sort(paths)
	paths = slices.Compact(paths)
	files := len(p.Target) > 0 && filepath.IsAbs(p.Target[0])
	if len(paths) == 0 || files {
		if len(paths) > 0 && len(deps) > 0 {
			return nil, false, fmt.Errorf("dependencies can be recorded of packages, and %s is a list of files", p.Name)
		}
		paths = p.Target // files, which are a package of their own
	}
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedTypesInfo
	loaded, err := source.Packages(ctx, p, e, mode, paths...)
	if err != nil {
		return nil, false, err
	}
	seen := map[string]bool{}
	if p.Test {
		// Of a package and its variant with tests, the one with more files.
		slices.SortStableFunc(loaded, func(a, b *packages.Package) int { return len(b.Syntax) - len(a.Syntax) })
	}
	for _, pkg := range loaded {
		if p.Test && filepath.Ext(pkg.ID) == ".test" {
			continue
		}
		if _, variant, is := strings.Cut(pkg.ID, " ["); p.Test && is && !tested[strings.TrimSuffix(variant, "]")] {
			continue
		}
		if len(pkg.Errors) > 0 {
			return nil, false, &gobuild.BuildError{Program: p.Name, Output: pkg.Errors[0].Error()}
		}
		if err := withoutCgo(pkg, p); err != nil {
			return nil, false, err
		}
		q := &history.Package{Path: pkg.PkgPath, Fset: pkg.Fset, Types: pkg.Types, Info: pkg.TypesInfo, Texts: map[string][]byte{}, Old: old[pkg.PkgPath]}
		for _, f := range pkg.Syntax {
			path := pkg.Fset.File(f.FileStart).Name()
			if seen[path] || filepath.Ext(path) != ".go" {
				continue
			}
			text, err := p.Read(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, false, fmt.Errorf("reading %s: %w", path, err)
			}
			q.Texts[path] = text
			q.Files = append(q.Files, f)
		}
		if len(q.Files) > 0 {
			for path := range q.Texts {
				seen[path] = true
			}
			out = append(out, q)
		}
	}
	return out, standard, nil
}

// Reload finds the packages of a plan again, to walk a history by them. The sources
// must be as they were recorded. Those of recorded dependencies are copied into a
// folder, and the plan's files are then those.
func Reload(ctx context.Context, plan *history.Plan, e gobuild.Engine, dir string) (*history.Recording, error) {
	p := &gobuild.Program{Name: plan.Program, Dir: plan.Dir, Target: plan.Target, Test: plan.Test, RunArgs: plan.Args}
	if len(plan.Target) > 0 && filepath.IsAbs(plan.Target[0]) {
		p.Files = plan.Target
	} else {
		dir := plan.Dir
		if len(plan.Target) > 0 {
			dir = filepath.Join(dir, plan.Target[0])
		}
		p.Files, _ = filepath.Glob(filepath.Join(dir, "*.go"))
	}
	original := p
	if len(plan.Deps) > 0 {
		var err error
		if p, err = withDeps(ctx, p, e, plan.Deps, dir); err != nil {
			return nil, err
		}
	}
	byName := map[string]int{}
	for i, f := range plan.Files {
		byName[f.Name] = i
		// Of the user's own files, which is missing or has changed is known at once.
		if len(plan.Deps) > 0 && !within(f.Path, plan.Dir) {
			continue
		}
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, fmt.Errorf("the source of %s: %w", plan.Program, err)
		}
		if string(text) != f.Text {
			return nil, fmt.Errorf("%s has changed since %s was recorded", f.Path, plan.Program)
		}
	}
	e.GCFlags = "" // as users build
	pkgs, standard, err := load(ctx, p, e, plan.Deps)
	if err != nil {
		return nil, err
	}
	found := 0
	for _, pkg := range pkgs {
		for path, text := range pkg.Texts {
			i, ok := byName[fileName(plan.Dir, pkg.Path, path)]
			switch {
			case !ok:
				continue // it has no functions, or is left out; see Gaps
			case string(text) != plan.Files[i].Text:
				return nil, fmt.Errorf("%s has changed since %s was recorded", plan.Files[i].Name, plan.Program)
			}
			plan.Files[i].Path = path
			found++
		}
	}
	if found < len(plan.Files) {
		return nil, fmt.Errorf("%d of the %d files that were recorded are not part of %s any more", len(plan.Files)-found, len(plan.Files), plan.Program)
	}
	return &history.Recording{Plan: plan, Packages: pkgs, Original: original, Source: p, Standard: standard}, nil
}

// fileName is how a file is called in a plan.
func fileName(dir, pkg, path string) string {
	if r, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(r) {
		return filepath.ToSlash(r)
	}
	if pkg != "command-line-arguments" {
		return pkg + "/" + filepath.Base(path) // of a dependency
	}
	return path
}
