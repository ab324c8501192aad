package profiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Edited runs the tests of all packages, as a run has, in a folder of its own, before a file is changed and after that. Cached is the run after the
// change in which the go command may use what it has in its cache; in the last two, anew and again, it must not. Before and after are the file's texts.
func (b *Bench) Edited(ctx context.Context, r *Run, name string, before, after []byte) (cached, anew, again *Run, err error) {
	if r.Profiler.Via != ByAll || r.Profiler.Dry() {
		return nil, nil, nil, &Impossible{"only tests of all packages are run again after a change"}
	}
	root, err := os.MkdirTemp(filepath.Dir(r.root), "edited-")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("making a folder for tests of a changed program: %w", err)
	}
	source := filepath.Join(root, "source")
	where, env, err := r.Subject.unpack(source, r.Toolchain, ByAll)
	if err != nil {
		return nil, nil, nil, err
	}
	file := filepath.Join(where, filepath.FromSlash(name))
	runs := 0
	run := func(text []byte, extra ...string) (*Run, error) {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return nil, fmt.Errorf("changing %s: %w", name, err)
		}
		runs++
		dir := filepath.Join(root, fmt.Sprint("run-", runs))
		if err := os.Mkdir(dir, 0o777); err != nil {
			return nil, fmt.Errorf("making a folder for tests of a changed program: %w", err)
		}
		one := &Run{Subject: r.Subject, Profiler: r.Profiler, Toolchain: r.Toolchain, Covered: true, Where: where, Env: env, root: source, Cached: len(extra) == 0}
		return one, b.all(ctx, one, dir, extra...)
	}
	if _, err = run(before); err != nil {
		return nil, nil, nil, err
	}
	if cached, err = run(after); err != nil {
		return nil, nil, nil, err
	}
	if anew, err = run(after, "-count=1"); err != nil {
		return nil, nil, nil, err
	}
	if again, err = run(after, "-count=1"); err != nil {
		return nil, nil, nil, err
	}
	if b.BreakRun != nil {
		b.BreakRun(cached)
	}
	return cached, anew, again, nil
}
