package profiler

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
)

// One runs the tests of one package of those that a run has run, by its import path, with what is covered as it was there.
func (b *Bench) One(ctx context.Context, r *Run, pkg string) (*Run, error) {
	if r.Profiler.Via != ByAll {
		return nil, &Impossible{"only of tests of all packages those of one are run"}
	}
	dir, err := os.MkdirTemp(filepath.Dir(r.root), "one-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the tests of one package: %w", err)
	}
	one := &Run{Subject: r.Subject, Profiler: r.Profiler, Toolchain: r.Toolchain, Covered: r.Covered, Where: r.Where, Env: r.Env, root: r.root, only: pkg}
	if err := b.all(ctx, one, dir); err != nil {
		return nil, err
	}
	if one.Covered && b.BreakRun != nil {
		b.BreakRun(one)
	}
	return one, nil
}

// settingsOf are those that a binary says that it was built with, by their names; nil if it does not say.
func settingsOf(binary string) map[string]string {
	info, err := buildinfo.ReadFile(binary)
	if err != nil || len(info.Settings) == 0 {
		return nil
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	return settings
}
