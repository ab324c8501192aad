package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// maxHistory bounds the history of a program whose sessions are judged, in bytes.
const maxHistory = 64 << 20

// Record records a run of a program and makes a model of it. A program that cannot
// be recorded has a model that says why.
func Record(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, p *gobuild.Program, e gobuild.Engine, lim gobuild.Limits) (*Model, error) {
	dir, err := keeper.TempDir("record")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a recording: %w", err)
	}
	defer os.RemoveAll(dir)
	r := &history.Recorder{Keeper: keeper, Cache: cache}
	rec, err := r.Build(ctx, p, e, dir)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var build *gobuild.BuildError
	if errors.As(err, &build) {
		return &Model{Why: "it cannot be recorded: " + strings.ReplaceAll(build.Error(), "\n", " ")}, nil
	}
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	// Recording costs time; what takes longer than that is too long to be judged.
	runCtx, cancel := context.WithTimeout(ctx, 4*lim.Time)
	defer cancel()
	if _, err := r.Run(runCtx, rec, history.Options{Env: gobuild.RunEnv, Size: maxHistory}, &file); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		return nil, err
	}
	var snaps *history.Snapshots
	if !looksAtItself(rec) {
		snaps, err = r.Snapshots(runCtx, rec, e, gobuild.RunEnv, dir)
	}
	if errors.As(err, &build) || runCtx.Err() != nil && ctx.Err() == nil {
		snaps, err = nil, nil // values are not judged then, which the counts show
	}
	if err != nil {
		return nil, err
	}
	return New(rec, reader, snaps)
}

// looksAtItself tells whether a program may hold in variables what depends on its
// own code, which snapshots change.
func looksAtItself(rec *history.Recording) bool {
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			for _, imp := range f.Imports {
				switch imp.Path.Value {
				case `"runtime"`, `"runtime/debug"`, `"runtime/pprof"`, `"debug/elf"`, `"debug/dwarf"`:
					return true
				}
			}
		}
	}
	return false
}
