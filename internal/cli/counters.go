package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"misstep/dap"
	"misstep/internal/executed"
	"misstep/internal/gobuild"
)

// counters are those of a Delve that counts what of it is executed.
type counters struct {
	house   *house
	adapter *dap.Adapter
	source  string // Delve's; empty if it is not known
	raw     string // where each process leaves its own
	out     string
}

// countIn makes an engine's adapter count. What comes of that is written into a folder.
func countIn(ctx context.Context, h *house, e gobuild.Engine, out string) (*counters, error) {
	if e.Adapter != "dlv" {
		return nil, usagef("--cover is for Delve, not for %s", e)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, fmt.Errorf("--cover: %w", err)
	}
	a, err := dap.Resolve(ctx, h.cache, e)
	if err != nil {
		return nil, err
	}
	c := &counters{house: h, adapter: a, out: out}
	if e.Path == "" {
		if a.Path, c.source, err = h.cache.DlvCovered(ctx, e); err != nil {
			return nil, err
		}
	}
	if c.raw, err = h.keeper.TempDir("counters"); err != nil {
		return nil, err
	}
	count := "GOCOVERDIR=" + c.raw
	a.Env = append(slices.Clone(a.Env), count)
	try := exec.CommandContext(ctx, a.Path, "version")
	try.Env = append(os.Environ(), count)
	if err := try.Run(); err != nil {
		return nil, fmt.Errorf("--cover: running %s version: %w", a.Path, err)
	}
	if left, err := os.ReadDir(c.raw); err != nil || len(left) == 0 {
		return nil, fmt.Errorf("--cover: %s leaves no counters; it has to be built with go build -coverpkg=%s/... -cover", a.Path, gobuild.Delve)
	}
	return c, nil
}

// write writes the profile and the report, also where the command was interrupted.
func (c *counters) write(cmd *cobra.Command) error {
	_, err := writeExecuted(cmd, c.house.cache, c.raw, c.source, c.out)
	return err
}

// writeExecuted writes what processes of Delve have counted in one folder into another: as a profile, and as a report.
func writeExecuted(cmd *cobra.Command, cache *gobuild.Cache, raw, source, out string) (*executed.Report, error) {
	ctx := context.WithoutCancel(cmd.Context())
	profiles, err := cache.Profiles(ctx, raw)
	if err != nil {
		return nil, err
	}
	if err := cache.WriteProfile(ctx, raw, filepath.Join(out, "profile.txt")); err != nil {
		return nil, err
	}
	r, err := executed.Of(profiles, gobuild.Delve, source)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(out, "coverage.txt"))
	if err != nil {
		return nil, fmt.Errorf("writing what was executed: %w", err)
	}
	if err := r.Write(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("writing what was executed: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("writing what was executed: %w", err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "misstep: what of Delve was executed is in %s\n", f.Name())
	return r, nil
}
