package gobuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"misstep/mutation"
)

// MutatedPackages are those of Delve that answer the Debug Adapter Protocol, as patterns.
var MutatedPackages = []string{"./service/dap", "./service/debugger", "./service/api", "./pkg/proc", "./pkg/proc/evalop", "./pkg/proc/native", "./pkg/locspec", "./pkg/dwarf/...", "./pkg/goversion"}

// mutantsBy is raised when other mutants are made, so that what is in the cache is not taken.
const mutantsBy = 1

// Mutants are a Delve with all of its mutants.
type Mutants struct {
	Dlv    string // the binary
	Source string // of all of Delve, changed
	All    []*mutation.Mutant
}

// DlvMutants builds the engine's Delve with all mutants of the packages that answer the Debug
// Adapter Protocol, each switched on by its number in the environment, once.
func (c *Cache) DlvMutants(ctx context.Context, e Engine) (*Mutants, error) {
	if e.Adapter != "dlv" || e.Path != "" {
		return nil, fmt.Errorf("engine %s: mutants are made of a released version of Delve, such as dlv@%s", e, PinnedDelve)
	}
	source, err := c.DlvSource(ctx, e.Version)
	if err != nil {
		return nil, err
	}
	goVersion, err := c.goEnv(ctx, nil, "GOVERSION")
	if err != nil {
		return nil, err
	}
	version := e.delve()
	dir := filepath.Join(c.Dir, "dlv", fmt.Sprintf("%s-mutants%d-%s", version, mutantsBy, goVersion))
	m := &Mutants{Dlv: filepath.Join(dir, "dlv"), Source: filepath.Join(dir, "source")}
	err = c.once(ctx, m.Dlv, "Delve "+version+" with its mutants", func(dir string) error {
		return c.mutate(ctx, source, dir)
	})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "mutants.json"))
	if err == nil {
		err = json.Unmarshal(text, &m.All)
	}
	if err != nil {
		return nil, fmt.Errorf("reading which mutants there are: %w", err)
	}
	return m, nil
}

// mutate puts a changed copy of Delve's source, its binary and the list of mutants into a folder.
func (c *Cache) mutate(ctx context.Context, source, dir string) error {
	src := filepath.Join(dir, "source")
	if err := os.CopyFS(src, os.DirFS(source)); err != nil {
		return fmt.Errorf("copying Delve's source: %w", err)
	}
	// What the module cache has cannot be written to.
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode()|0o200)
	})
	if err = errors.Join(err, os.RemoveAll(filepath.Join(src, "vendor"))); err != nil {
		return fmt.Errorf("copying Delve's source: %w", err)
	}
	flags := []string{"GOFLAGS=-mod=mod"}
	pkgs, err := mutation.Load(ctx, src, flags, MutatedPackages...)
	if err != nil {
		return err
	}
	files, mutants, err := mutation.Change(pkgs...)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return fmt.Errorf("writing a changed file: %w", err)
		}
	}
	text, err := json.Marshal(mutants)
	if err != nil {
		return fmt.Errorf("writing which mutants there are: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mutants.json"), text, 0o666); err != nil {
		return fmt.Errorf("writing which mutants there are: %w", err)
	}
	_, err = c.run(ctx, src, flags, "go", "build", "-o", filepath.Join(dir, "dlv"), "./cmd/dlv")
	return err
}
