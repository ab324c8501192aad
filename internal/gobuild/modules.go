package gobuild

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Workspace is the workspace that the go command takes in a folder; empty if there is none.
// See go help work.
func (p *Program) Workspace() string {
	switch env := os.Getenv("GOWORK"); env {
	case "":
	case "off":
		return ""
	default:
		return env
	}
	for dir := p.RunDir(); ; {
		file := filepath.Join(dir, "go.work")
		if _, err := p.Read(file); err == nil {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// work is the program's workspace and its file; nil if there is none that can be read.
func (p *Program) work() (file string, work *modfile.WorkFile) {
	if file = p.Workspace(); file == "" {
		return "", nil
	}
	text, err := p.Read(file)
	if err != nil {
		return "", nil
	}
	if work, err = modfile.ParseWork(file, text, nil); err != nil {
		return "", nil
	}
	return file, work
}

// Beside are the folders of the modules on this machine that the go command takes for others when
// it builds the program: those of its workspace, and those that a replacement names.
func (p *Program) Beside() []string {
	_, _, own := p.Module()
	if own == "" {
		return nil
	}
	var dirs []string
	add := func(base, path string) {
		if filepath.IsAbs(path) {
			return // which no copy of the program would have
		}
		path = filepath.Join(base, path)
		if _, err := p.Read(filepath.Join(path, "go.mod")); err == nil && path != own && !slices.Contains(dirs, path) {
			dirs = append(dirs, path)
		}
	}
	replaced := func(base string, list []*modfile.Replace) {
		for _, r := range list {
			if r.New.Version == "" {
				add(base, r.New.Path)
			}
		}
	}
	mains := []string{own}
	if file, work := p.work(); work != nil {
		for _, u := range work.Use {
			add(filepath.Dir(file), u.Path)
		}
		mains = append(mains, dirs...)
		replaced(filepath.Dir(file), work.Replace)
	}
	for _, dir := range mains {
		if mod := p.goMod(dir); mod != nil {
			replaced(dir, mod.Replace)
		}
	}
	return dirs
}

// uses are the folders of the modules that the program's workspace uses.
func (p *Program) uses() []string {
	file, work := p.work()
	if work == nil {
		return nil
	}
	var dirs []string
	for _, u := range work.Use {
		dirs = append(dirs, filepath.Join(filepath.Dir(file), u.Path))
	}
	return dirs
}

// goMod is what a folder's go.mod says; nil if there is none.
func (p *Program) goMod(dir string) *modfile.File {
	text, err := p.Read(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil
	}
	return mod
}

// Trimmed maps the folders of the program's modules to what a build with -trimpath names them (go help build). A
// program that is a list of files has its folder mapped to none.
func (p *Program) Trimmed() map[string]string {
	path, _, own := p.Module()
	if path == "" || len(p.Target) == 0 || filepath.IsAbs(p.Target[0]) {
		return map[string]string{p.RunDir(): ""}
	}
	trimmed := map[string]string{own: path}
	version := map[string]string{}
	used := p.uses()
	if mod := p.goMod(own); mod != nil {
		required := map[string]string{}
		for _, r := range mod.Require {
			required[r.Mod.Path] = r.Mod.Version
		}
		for _, r := range mod.Replace {
			dir := r.New.Path
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(own, dir)
			}
			if v := required[r.Old.Path]; v != "" && !slices.Contains(used, dir) {
				version[dir] = r.Old.Path + "@" + v
			}
		}
	}
	for _, dir := range p.With {
		mod := p.goMod(dir)
		switch {
		case version[dir] != "":
			trimmed[dir] = version[dir]
		case mod != nil && mod.Module != nil:
			trimmed[dir] = mod.Module.Mod.Path
		}
	}
	return trimmed
}

// Go is the folder in which the go command builds the program, and what it is to build there.
func (p *Program) Go() (dir string, targets []string) {
	_, _, own := p.Module()
	if own == "" || len(p.Target) == 0 || filepath.IsAbs(p.Target[0]) || !filepath.IsLocal(p.Target[0]) {
		return p.Dir, p.Target
	}
	rel, err := filepath.Rel(p.Dir, own)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return p.Dir, p.Target
	}
	for _, t := range p.Target {
		rel, err := filepath.Rel(own, filepath.Join(p.Dir, t))
		if err != nil {
			return p.Dir, p.Target
		}
		targets = append(targets, "./"+filepath.ToSlash(rel))
	}
	return own, targets
}

// walk goes through the files on disk that belong to the program, by names relative to its folder: those of its
// modules, or of its folder.
func (p *Program) walk(visit func(path, rel string, d fs.DirEntry) error) error {
	roots := []string{p.Dir}
	if len(p.With) > 0 {
		_, _, own := p.Module()
		roots = append([]string{own}, p.With...)
		slices.Sort(roots)
	}
	if file := p.Workspace(); file != "" && len(p.With) > 0 {
		for _, path := range []string{file, file + ".sum"} {
			info, err := os.Stat(path)
			if rel := p.Rel(path); err == nil && filepath.IsLocal(rel) {
				if err := visit(path, rel, fs.FileInfoToDirEntry(info)); err != nil {
					return err
				}
			}
		}
	}
	for i, root := range roots {
		if slices.ContainsFunc(roots[:i], func(above string) bool { return strings.HasPrefix(root, above+string(filepath.Separator)) }) {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(p.Dir, path)
			if err != nil {
				return err
			}
			return visit(path, filepath.ToSlash(rel), d)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readModule reads a file for a copy of the program. A workspace uses there only what is copied.
func (p *Program) readModule(path string) ([]byte, error) {
	text, err := p.Read(path)
	if err != nil || filepath.Base(path) != "go.work" {
		return text, err
	}
	work, err := modfile.ParseWork(path, text, nil)
	if err != nil {
		return nil, err
	}
	_, _, own := p.Module()
	for _, u := range slices.Clone(work.Use) {
		dir := u.Path
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(path), dir)
		}
		if dir != own && !slices.Contains(p.With, dir) {
			if err := work.DropUse(u.Path); err != nil {
				return nil, err
			}
		}
	}
	work.Cleanup()
	return modfile.Format(work.Syntax), nil
}

// isModuleFile reports whether a file says which modules there are.
func isModuleFile(path string) bool {
	return slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, filepath.Base(path))
}
