package gen

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"misstep/internal/gobuild"
)

// A workspace of the time before modules is a folder with a folder src, whose packages are imported by their folders in that (`go help
// gopath`). Its programs are taken as modules, as all others are: what imports from one project another is not found. A project is what
// lies below the last folder from src on that has nothing but one folder in it.

// outOfModule are folders to list packages in, for a pattern that is about such a workspace; none if it is not.
func (f *Finder) outOfModule(ctx context.Context, pattern string) (dirs []listed, err error) {
	base, all := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if pattern == "..." {
		base, all = ".", true
	}
	at, err := filepath.Abs(filepath.FromSlash(base))
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		if at, err = f.below(ctx, base); at == "" {
			return nil, err
		}
	}
	src, err := f.sources(ctx, at)
	if src == "" || err != nil {
		return nil, err
	}
	roots, err := projects(src, at)
	if err != nil {
		return nil, fmt.Errorf("programs %s: %w", pattern, err)
	}
	for _, root := range roots {
		rel, err := filepath.Rel(src, root)
		if err != nil {
			return nil, err
		}
		module, err := f.asModule(ctx, root, filepath.ToSlash(rel))
		if err != nil {
			return nil, fmt.Errorf("programs %s: %w", pattern, err)
		}
		below, err := filepath.Rel(root, at)
		if err != nil || !filepath.IsLocal(below) {
			below = "."
			if !all {
				continue // the folder above has no packages of its own
			}
		}
		l := listed{filepath.Join(module, below), "."}
		if all {
			l.pattern = "./..."
		}
		dirs = append(dirs, l)
	}
	return dirs, nil
}

// listed is a folder in which packages are listed, and by which pattern.
type listed struct{ dir, pattern string }

// below is the folder of an import path in the user's GOPATH, where modules are switched off; empty if there is none.
func (f *Finder) below(ctx context.Context, name string) (string, error) {
	if os.Getenv("GO111MODULE") != "off" || !fs.ValidPath(name) {
		return "", nil
	}
	all, err := f.gopath(ctx)
	for _, src := range all {
		dir := filepath.Join(src, filepath.FromSlash(name))
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", err
}

// gopath are the folders src of the user's GOPATH.
func (f *Finder) gopath(ctx context.Context) (src []string, err error) {
	all, err := f.Cache.GoEnv(ctx, f.Engine, "GOPATH")
	if err != nil {
		return nil, err
	}
	for _, dir := range filepath.SplitList(all) {
		src = append(src, filepath.Join(dir, "src"))
	}
	return src, nil
}

// sources is the folder src that a folder is in, or has in it: that of the user's GOPATH, or the next one above. It is empty if there is none, or if the
// folder is in a module.
func (f *Finder) sources(ctx context.Context, at string) (src string, err error) {
	for dir := at; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "go.mod")) || exists(filepath.Join(dir, "go.work")) {
			return "", nil
		}
		if filepath.Base(dir) == "src" && src == "" {
			src = dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if src == "" {
		src = filepath.Join(at, "src")
		if info, err := os.Stat(src); err != nil || !info.IsDir() {
			return "", nil
		}
	}
	users, err := f.gopath(ctx)
	for _, own := range users {
		if within(at, own) {
			return own, nil
		}
	}
	return src, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// projects are the folders of a workspace that hold a project each, and a folder in it or all in that.
func projects(src, at string) (roots []string, err error) {
	entries, err := os.ReadDir(src)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		root := filepath.Join(src, e.Name())
		if !e.IsDir() {
			continue
		}
		for {
			inner, err := os.ReadDir(root)
			if err != nil {
				return nil, err
			}
			if len(inner) != 1 || !inner[0].IsDir() {
				break
			}
			root = filepath.Join(root, inner[0].Name())
		}
		if within(root, at) || within(at, root) {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots, nil
}

// within reports whether a path is another one, or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// copied copies what the go command may make something of, and the data beside it: files, but for those of hidden folders, such as .git, and
// links.
func copied(to, from string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && file != from && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
}

// asModule is a copy of a project as a module of its import path.
func (f *Finder) asModule(ctx context.Context, root, name string) (string, error) {
	version, err := f.Cache.GoEnv(ctx, f.Engine, "GOVERSION")
	if err != nil {
		return "", err
	}
	tmp, err := f.Keeper.TempDir("gopath")
	if err != nil {
		return "", err
	}
	to := filepath.Join(tmp, filepath.Base(root))
	if err := copied(to, root); err != nil {
		return "", fmt.Errorf("copying %s: %w", root, err)
	}
	mod := filepath.Join(to, "go.mod")
	if exists(mod) {
		return to, nil // it is a module by itself
	}
	text := fmt.Sprintf("module %s\n\ngo 1.%d\n", name, gobuild.Minor(version))
	if err := os.WriteFile(mod, []byte(text), 0o666); err != nil {
		return "", err
	}
	return to, nil
}
