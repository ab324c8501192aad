package profiler

import (
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mostBuild bounds what the go command is asked for. It may have to build the standard library, which takes minutes.
const mostBuild = 15 * time.Minute

// asked runs the go command for a run, in whose folder what it leaves may lie. What does not end in time has failed.
func (b *Bench) asked(ctx context.Context, r *Run, dir string, env []string, args ...string) (string, error) {
	if r.Profiler.way().Overlaid {
		flag, restore, err := overlay(r.root, dir)
		if err != nil {
			return "", err
		}
		defer restore()
		args = slices.Insert(slices.Clone(args), 1, flag)
	}
	limited, cancel := context.WithTimeout(ctx, mostBuild)
	defer cancel()
	out, err := b.goCommand(limited, r.Toolchain, r.Where, env, args...)
	if ctx.Err() == nil && limited.Err() != nil {
		r.Failed = fmt.Sprintf("the go command did not end within %s: %s", mostBuild, strings.TrimSpace(out))
	}
	return out, err
}

// overlay moves the Go files of a program into a folder, where an overlay has them, and puts others into their places, which are of
// the same package and declare nothing. The flag is that of the go command.
func overlay(root, dir string) (flag string, restore func(), err error) {
	texts, replace := map[string][]byte{}, map[string]string{}
	restore = func() {
		for file, text := range texts {
			_ = os.WriteFile(file, text, 0o666) // what then fails says so
		}
	}
	fail := func(err error) (string, func(), error) {
		restore()
		return "", nil, fmt.Errorf("making an overlay: %w", err)
	}
	if dir, err = os.MkdirTemp(dir, "overlay-"); err != nil {
		return fail(err)
	}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
		if err != nil || strings.Contains(string(text), "import \"C\"") {
			return nil // it stays as it is
		}
		to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return err
		}
		texts[file], replace[file] = text, to
		return os.WriteFile(file, []byte("package "+f.Name.Name+"\n"), 0o666)
	})
	if err != nil {
		return fail(err)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return fail(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, data, 0o666); err != nil {
		return fail(err)
	}
	return "-overlay=" + list, restore, nil
}

// The ways to name a package.
const (
	byFiles  = "files"
	byFolder = "folder"
	byPath   = "path"
	byOthers = "others" // its files, and one that is not Go's
)

// named is how the go command is told of the run's package.
func (r *Run) named() ([]string, error) {
	how := r.Profiler.way().Named
	switch how {
	case "":
		return []string{"."}, nil
	case byFolder:
		return []string{r.Where}, nil
	case byPath:
		return []string{path.Join(r.Subject.Module(), r.Subject.dir())}, nil
	}
	p, err := build.Default.ImportDir(r.Where, 0)
	if err != nil {
		return nil, &Impossible{"which files the package has is not to be said: " + err.Error()}
	}
	list := slices.Concat(p.GoFiles, p.CgoFiles)
	if r.Profiler.Via == ByTest {
		list = slices.Concat(list, p.TestGoFiles, p.XTestGoFiles)
	}
	if how == byOthers {
		file, err := filepath.Rel(r.Where, filepath.Join(r.root, "go.mod"))
		if err != nil {
			return nil, fmt.Errorf("naming a file: %w", err)
		}
		list = append(list, file)
	}
	return list, nil
}
