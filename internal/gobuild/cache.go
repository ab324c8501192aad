package gobuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"misstep/internal/proc"
)

// CacheVar is the environment variable that overrides where misstep keeps what
// it builds once.
const CacheVar = "MISSTEP_CACHE"

// A Cache is the folder in which misstep keeps the debuggers it has built.
type Cache struct {
	Dir    string
	Keeper *proc.Keeper
	// Notice receives a line when something slow is about to happen.
	Notice io.Writer
	// Shared, if not nil, is where machines share what they have built.
	Shared Shared

	settings sync.Map // what go env said

	compiling sync.Mutex
	compiled  map[string]chan struct{} // kinds of builds, see first; closed when the first of a kind is through
}

// Shared is a place where machines share what they have built, by name: the first builds it, and the others
// have it from there.
type Shared interface {
	// Get writes what is there under a name into a file, or has build make that file and puts it there.
	Get(ctx context.Context, name, file string, build func() error) error
}

// CacheDir is os.UserCacheDir()/misstep, or what CacheVar says.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheVar); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder (set %s to name one): %w", CacheVar, err)
	}
	return filepath.Join(dir, "misstep"), nil
}

// Dlv returns the path of the Delve that the engine names, building it if it
// is not in the cache.
func (c *Cache) Dlv(ctx context.Context, e Engine) (string, error) {
	if e.Path != "" {
		path, err := exec.LookPath(e.Path)
		if err != nil {
			return "", fmt.Errorf("engine %s: no program to run at %s", e, e.Path)
		}
		return filepath.Abs(path)
	}
	version := e.delve()
	path, err := c.dlvPath(ctx, version)
	if err != nil {
		return "", err
	}
	return path, c.once(ctx, path, "Delve "+version, func(dir string) error {
		build := func() error {
			_, err := c.run(ctx, dir, []string{"GOBIN=" + dir, "GOFLAGS="}, "go", "install", Delve+"/cmd/dlv@"+version)
			return err
		}
		if c.Shared == nil {
			return build()
		}
		name := strings.Join([]string{filepath.Base(filepath.Dir(path)), runtime.GOOS, runtime.GOARCH}, "-")
		return c.Shared.Get(ctx, name, filepath.Join(dir, filepath.Base(path)), build)
	})
}

// dlvPath is where a version of Delve is kept.
func (c *Cache) dlvPath(ctx context.Context, version string) (string, error) {
	if version == "" {
		version = PinnedDelve
	}
	goVersion, err := c.goEnv(ctx, nil, "GOVERSION")
	return filepath.Join(c.Dir, "dlv", version+"-"+goVersion, "dlv"), err
}

// once sees to it that a binary of the cache is there; build makes it in a folder.
func (c *Cache) once(ctx context.Context, path, what string, build func(dir string) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	dir := filepath.Dir(path)
	fmt.Fprintf(c.Notice, "misstep: building %s, once; it is kept in %s\n", what, dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("making the cache folder: %w (set %s to use another)", err, CacheVar)
	}
	// Built beside its place and renamed, so that two missteps that build the
	// same one do not see half of it.
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".building-")
	if err != nil {
		return fmt.Errorf("making a folder in the cache: %w (set %s to use another)", err, CacheVar)
	}
	defer os.RemoveAll(tmp)
	if err := build(tmp); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("building %s: %w", what, oneLine(err))
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Stat(path); statErr != nil {
			return fmt.Errorf("keeping %s: %w", what, err)
		}
	}
	return nil
}

// oneLine is an error with its lines behind each other.
func oneLine(err error) error {
	return errors.New(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' }), "; "))
}

// GoEnv asks the go command for one of its settings, under the engine's
// toolchain.
func (c *Cache) GoEnv(ctx context.Context, e Engine, name string) (string, error) {
	return c.goEnv(ctx, e.Env(), name)
}

func (c *Cache) goEnv(ctx context.Context, env []string, name string) (string, error) {
	key := strings.Join(append(env, name), "\n")
	if v, ok := c.settings.Load(key); ok {
		return v.(string), nil
	}
	out, err := c.run(ctx, "", env, "go", "env", name)
	if err != nil {
		return "", fmt.Errorf("asking go for %s: %w", name, err)
	}
	v := strings.TrimSpace(string(out))
	c.settings.Store(key, v)
	return v, nil
}

// run runs a command to its end and returns its output. Its error says what
// the command printed.
func (c *Cache) run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not on PATH; misstep needs a Go toolchain", name)
	}
	var stdout, stderr bytes.Buffer
	_, err = c.Keeper.Run(ctx, proc.Spec{Path: path, Args: args, Dir: dir, Env: env, Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		var exit *exec.ExitError
		if errors.As(err, &exit) && text != "" {
			return stdout.Bytes(), errors.New(text)
		}
		return stdout.Bytes(), fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return stdout.Bytes(), nil
}

// Prints is what a program prints when it is run with some arguments; empty if it does not run.
func (c *Cache) Prints(ctx context.Context, program string, args ...string) string {
	out, err := c.run(ctx, "", nil, program, args...)
	if err != nil {
		return ""
	}
	return string(out)
}

// Modules are the folders of the modules whose packages a program is made of.
func (c *Cache) Modules(ctx context.Context, p *Program, e Engine) (map[string]bool, error) {
	dir, targets := p.Go()
	args := []string{"list", "-e", "-deps"}
	if p.Test {
		args = append(args, "-test")
	}
	args = append(args, "-f", "{{with .Module}}{{.Dir}}{{end}}", "--")
	out, err := c.run(ctx, dir, e.Env(), "go", append(args, targets...)...)
	if err != nil {
		return nil, fmt.Errorf("the modules of %s: %w", p.Name, err)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		used[strings.TrimSpace(line)] = true
	}
	return used, nil
}

// GoList runs go list -json on a pattern; a package with an error is listed
// with it.
func (c *Cache) GoList(ctx context.Context, dir string, e Engine, pattern string) ([]byte, error) {
	fields := "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module,Error"
	if n := Minor(e.Go); 0 <= n && n < 19 {
		fields = "-json" // of all, before Go 1.19
	}
	return c.run(ctx, dir, e.Env(), "go", "list", "-e", fields, "--", pattern)
}
