package gobuild

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Delve is the path of Delve's module.
const Delve = "github.com/go-delve/delve"

// DlvSource is the folder of a version of Delve in the module cache.
func (c *Cache) DlvSource(ctx context.Context, version string) (string, error) {
	if version == "" {
		version = PinnedDelve
	}
	dir, err := c.Keeper.TempDir("source")
	if err != nil {
		return "", fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	out, err := c.run(ctx, dir, []string{"GOFLAGS="}, "go", "mod", "download", "-json", Delve+"@"+version)
	var m struct{ Dir, Error string }
	if json.Unmarshal(out, &m) == nil && m.Error != "" {
		return "", fmt.Errorf("fetching Delve %s: %w", version, oneLine(errors.New(m.Error)))
	}
	if err != nil {
		return "", fmt.Errorf("fetching Delve %s: %w", version, err)
	}
	return m.Dir, nil
}

// DlvCommits lists the commits of a checkout of Delve after one up to another, the
// oldest first, without those that merges bring in.
func (c *Cache) DlvCommits(ctx context.Context, repo, from, to string) ([]string, error) {
	out, err := c.run(ctx, repo, nil, "git", "rev-list", "--reverse", "--first-parent", from+"^.."+to, "--")
	if err != nil {
		// The first commit of all has none before it.
		out, err = c.run(ctx, repo, nil, "git", "rev-list", "--reverse", "--first-parent", to, "--")
	}
	if err != nil {
		return nil, fmt.Errorf("listing the commits of %s: %w", repo, oneLine(err))
	}
	return strings.Fields(string(out)), nil
}

// DlvCommit builds a commit of a checkout of Delve, which stays as it is, and returns
// the binary's path.
func (c *Cache) DlvCommit(ctx context.Context, repo, commit string) (string, error) {
	goVersion, err := c.goEnv(ctx, nil, "GOVERSION")
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.Dir, "dlv", commit+"-"+goVersion, "dlv")
	return path, c.once(ctx, path, "Delve "+commit, func(dir string) error {
		text, err := c.run(ctx, repo, nil, "git", "archive", "--format=tar", commit)
		if err != nil {
			return err
		}
		src := filepath.Join(dir, "source")
		defer os.RemoveAll(src)
		if err := untar(text, src); err != nil {
			return err
		}
		_, err = c.run(ctx, src, []string{"GOFLAGS=-mod=mod"}, "go", "build", "-o", filepath.Join(dir, "dlv"), "./cmd/dlv")
		return err
	})
}

// DlvCovered builds the engine's Delve so that it counts what of it is executed, and
// returns the binary's path and the folder of its source, below which the counts'
// file names lie, as Delve's module path and a name in it.
func (c *Cache) DlvCovered(ctx context.Context, e Engine) (path, source string, err error) {
	dir, source, err := c.dlvFrom(ctx, e, "covered", "with counters", func(src, dir string) error {
		defer os.RemoveAll(src)
		return c.buildDlv(ctx, src, dir, "-cover", "-covermode=count", "-coverpkg="+Delve+"/...")
	})
	return filepath.Join(dir, "dlv"), source, err
}

// dlvFrom has something built, once, of a copy of the source of the engine's Delve without what is vendored, so
// that its packages are those of the main module. It returns the folder in the cache that was built in, and that of the
// source.
func (c *Cache) dlvFrom(ctx context.Context, e Engine, kind, what string, build func(src, dir string) error) (dir, source string, err error) {
	if e.Adapter != "dlv" || e.Path != "" {
		return "", "", fmt.Errorf("engine %s: expected a released version of Delve, whose source is known, such as dlv@%s", e, PinnedDelve)
	}
	if source, err = c.DlvSource(ctx, e.Version); err != nil {
		return "", "", err
	}
	goVersion, err := c.goEnv(ctx, nil, "GOVERSION")
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(c.Dir, "dlv", e.delve()+"-"+kind+"-"+goVersion)
	return dir, source, c.once(ctx, filepath.Join(dir, "dlv"), "Delve "+e.delve()+" "+what, func(dir string) error {
		src := filepath.Join(dir, "source")
		if err := os.CopyFS(src, os.DirFS(source)); err != nil {
			return fmt.Errorf("copying Delve's source: %w", err)
		}
		if err := os.RemoveAll(filepath.Join(src, "vendor")); err != nil {
			return fmt.Errorf("copying Delve's source: %w", err)
		}
		return build(src, dir)
	})
}

// fromModules has the go command take what a copy of Delve needs from modules.
var fromModules = []string{"GOFLAGS=-mod=mod"}

// buildDlv builds Delve of a copy of its source, into a folder.
func (c *Cache) buildDlv(ctx context.Context, src, dir string, flags ...string) error {
	args := slices.Concat([]string{"build"}, flags, []string{"-o", filepath.Join(dir, "dlv"), "./cmd/dlv"})
	_, err := c.run(ctx, src, fromModules, "go", args...)
	return err
}

// untar unpacks an archive of regular files into a folder.
func untar(text []byte, dir string) error {
	r := tar.NewReader(bytes.NewReader(text))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || strings.HasPrefix(h.Name, "vendor/") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
}
