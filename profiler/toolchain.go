package profiler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// A Toolchain is a Go toolchain on this machine.
type Toolchain struct {
	Version string // such as go1.26.8
	Root    string // its GOROOT
	Minor   int    // of the version

	tools map[string]string // where its tools lie, guarded by the bench
}

// What toolchains have, by the minor version that brought it.
const (
	buildCovers = 20 // go build -cover, and go tool covdata
	modules     = 11 // modules, where they are asked for
	// compilesSeveral is the first whose go test -c keeps the tests of several packages in a folder.
	compilesSeveral = 21
	trims           = 13 // -trimpath
	bareMain        = 4  // a test of a package main
)

var develMinor = regexp.MustCompile(`go1\.(\d+)-devel`)

// Prepare finds a profiler's toolchain, so that one that is not to be had is told before anything is begun.
func (b *Bench) Prepare(ctx context.Context, p Profiler) error {
	_, err := b.toolchain(ctx, p.Go)
	return err
}

// toolchain finds one, which the go command downloads if it is not here.
func (b *Bench) toolchain(ctx context.Context, name string) (*Toolchain, error) {
	b.mu.Lock()
	t := b.toolchains[name]
	b.mu.Unlock()
	if t != nil {
		return t, nil
	}
	var err error
	if name == "" {
		t, err = b.ownToolchain(ctx)
	} else {
		t, err = b.fetch(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", name, err)
	}
	if t.Minor = gobuild.Minor(t.Version); t.Minor < 0 {
		// One that was built of a commit, such as go1.28-devel_….
		if m := develMinor.FindStringSubmatch(t.Version); m != nil {
			t.Minor, _ = strconv.Atoi(m[1])
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.toolchains == nil {
		b.toolchains = map[string]*Toolchain{}
	}
	b.toolchains[name] = t
	return t, nil
}

func (b *Bench) ownToolchain(ctx context.Context) (*Toolchain, error) {
	t := &Toolchain{}
	var err error
	if t.Version, err = b.Cache.GoEnv(ctx, gobuild.Engine{}, "GOVERSION"); err != nil {
		return nil, err
	}
	t.Root, err = b.Cache.GoEnv(ctx, gobuild.Engine{}, "GOROOT")
	return t, err
}

// fetch has the go command switch to a toolchain, as which it lies in the module cache.
func (b *Bench) fetch(ctx context.Context, name string) (*Toolchain, error) {
	own, err := b.ownToolchain(ctx)
	if err != nil {
		return nil, err
	}
	if own.Version == name {
		return own, nil
	}
	if gobuild.Minor(name) < 0 {
		return nil, errors.New("expected a version such as go1.26.8")
	}
	// The go command makes a toolchain's files executable as it switches to it. An old one may not know the user's settings.
	out, failed := b.command(ctx, filepath.Join(own.Root, "bin", "go"), b.Keeper.Dir(), []string{"GOTOOLCHAIN=" + name, "GO111MODULE=on"}, "version")
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	cache, err := b.Cache.GoEnv(ctx, gobuild.Engine{}, "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	platform, err := b.Cache.GoEnv(ctx, gobuild.Engine{}, "GOOS")
	if err != nil {
		return nil, err
	}
	arch, err := b.Cache.GoEnv(ctx, gobuild.Engine{}, "GOARCH")
	if err != nil {
		return nil, err
	}
	root := filepath.Join(cache, "golang.org", fmt.Sprintf("toolchain@v0.0.1-%s.%s-%s", name, platform, arch))
	if _, err := os.Stat(filepath.Join(root, "bin", "go")); err != nil {
		if failed != nil {
			return nil, fmt.Errorf("%w: %s", failed, strings.TrimSpace(out))
		}
		return nil, fmt.Errorf("the go command has not kept it: %w", err)
	}
	return &Toolchain{Version: name, Root: root}, nil
}

// command runs a program and returns all that it prints.
func (b *Bench) command(ctx context.Context, path, dir string, env []string, args ...string) (string, error) {
	var out bytes.Buffer
	_, err := b.Keeper.Run(ctx, proc.Spec{Path: path, Args: args, Dir: dir, Env: env, Stdout: &out, Stderr: &out})
	return out.String(), err
}

// goCommand runs the toolchain's go command.
func (b *Bench) goCommand(ctx context.Context, t *Toolchain, dir string, env []string, args ...string) (string, error) {
	return b.under(ctx, t, filepath.Join(t.Root, "bin", "go"), dir, env, args...)
}

// tool runs a tool of the toolchain, as go tool does. The go command, which may have to build it, is asked once where it lies:
// that takes as long as ten runs of it.
func (b *Bench) tool(ctx context.Context, t *Toolchain, dir string, env []string, name string, args ...string) (string, error) {
	path, ok := b.pathOf(ctx, t, name)
	if !ok {
		return b.goCommand(ctx, t, dir, env, append([]string{"tool", name}, args...)...)
	}
	return b.under(ctx, t, path, dir, env, args...)
}

// pathOf is where a tool lies; it is not ok of those that the go command runs in some other way.
func (b *Bench) pathOf(ctx context.Context, t *Toolchain, name string) (path string, ok bool) {
	b.mu.Lock()
	path = t.tools[name]
	b.mu.Unlock()
	if _, err := os.Stat(path); path != "" && err == nil {
		return path, true
	}
	out, err := b.goCommand(ctx, t, b.Keeper.Dir(), nil, "tool", "-n", name)
	path = strings.TrimSpace(out)
	if err != nil || !filepath.IsAbs(path) {
		return "", false
	}
	b.mu.Lock()
	if t.tools == nil {
		t.tools = map[string]string{}
	}
	t.tools[name] = path
	b.mu.Unlock()
	return path, true
}

// under runs a program as one of a toolchain.
func (b *Bench) under(ctx context.Context, t *Toolchain, path, dir string, env []string, args ...string) (string, error) {
	settings, err := b.environment(ctx, t)
	if err != nil {
		return "", err
	}
	return b.command(ctx, path, dir, append(settings, env...), args...)
}

// environment is that in which programs find a toolchain.
func (b *Bench) environment(ctx context.Context, t *Toolchain) ([]string, error) {
	settings := []string{"GOROOT=" + t.Root, "GOTOOLCHAIN=local", "GOFLAGS=", "PATH=" + filepath.Join(t.Root, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")}
	// The user's file of settings may have what an old toolchain does not know; what leads to modules stays.
	settings = append(settings, "GOENV=off")
	for _, name := range []string{"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB"} {
		value, err := b.Cache.GoEnv(ctx, gobuild.Engine{}, name)
		if err != nil {
			return nil, err
		}
		settings = append(settings, name+"="+value)
	}
	return settings, nil
}

// exitCode is that of a command that failed; ok is false if it was not the command that failed.
func exitCode(err error) (code int, ok bool) {
	if err == nil {
		return 0, true
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), true
	}
	return 0, false
}
