package gobuild

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"misstep/mutation"
)

// mutated are the packages of Delve that answer the Debug Adapter Protocol, as patterns.
var mutated = []string{"./service/dap", "./service/debugger", "./service/api", "./pkg/proc", "./pkg/proc/evalop", "./pkg/proc/native", "./pkg/locspec", "./pkg/dwarf/...", "./pkg/goversion"}

// mutantsBy is another one when other mutants are made, so that what is in the cache is not taken.
const mutantsBy = "mutants2"

// Mutants are a Delve with all of its mutants.
type Mutants struct {
	Dlv    string // the binary
	Source string // of all of Delve, changed
	All    []*mutation.Mutant
}

// DlvMutants builds the engine's Delve with all mutants of the packages that answer the Debug
// Adapter Protocol, each switched on by its number in the environment, once.
func (c *Cache) DlvMutants(ctx context.Context, e Engine) (*Mutants, error) {
	dir, _, err := c.dlvFrom(ctx, e, mutantsBy, "with its mutants", func(src, dir string) error {
		return c.mutate(ctx, src, dir)
	})
	if err != nil {
		return nil, err
	}
	m := &Mutants{Dlv: filepath.Join(dir, "dlv"), Source: filepath.Join(dir, "source")}
	text, err := os.ReadFile(filepath.Join(dir, "mutants.json"))
	if err == nil {
		err = json.Unmarshal(text, &m.All)
	}
	if err != nil {
		return nil, fmt.Errorf("reading which mutants there are: %w", err)
	}
	return m, nil
}

// mutate changes a copy of Delve's source, and puts its binary and the list of mutants into a folder.
func (c *Cache) mutate(ctx context.Context, src, dir string) error {
	pkgs, err := mutation.Load(ctx, src, fromModules, mutated...)
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
	return c.buildDlv(ctx, src, dir)
}
