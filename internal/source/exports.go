package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strings"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// unified is the first minor release whose export data go/importer reads, with any toolchain's.
const unified = 20

// need makes the export data of the imports known and returns how to open it, and whether some of them lie beyond
// the standard library. Only the standard library's is shared between programs.
func (l *Loader) need(ctx context.Context, p *gobuild.Program, e gobuild.Engine, imports map[string]bool) (open func(path string) (io.ReadCloser, error), beyond bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.exports == nil {
		l.exports = map[string]map[string]string{}
	}
	if n := gobuild.Minor(e.Go); 0 <= n && n < unified || gobuild.Newer(e.Go) {
		e.Go = "" // the local toolchain has what the program uses of its imports, in a form that can be read
	}
	env := e.Env()
	flags := e.Shared()
	key := strings.Join(slices.Concat(env, flags), " ")
	if l.exports[key] == nil {
		l.exports[key] = map[string]string{}
	}
	standard := l.exports[key]
	own := map[string]string{}
	lookup := func(path string) (io.ReadCloser, error) {
		l.mu.Lock()
		file, ok := own[path]
		if !ok {
			file, ok = standard[path]
		}
		l.mu.Unlock()
		if !ok {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(file)
	}
	args := append([]string{"list", "-e", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}\t{{.Export}}\t{{.Standard}}{{end}}"}, flags...)
	overlay, done, err := p.OverlayFlag(l.Keeper)
	if err != nil {
		return nil, false, err
	}
	defer done()
	args = append(args, overlay...)
	n := len(args)
	for path := range imports {
		if _, ok := standard[path]; !ok {
			args = append(args, path)
		}
	}
	if len(args) == n {
		return lookup, false, nil
	}
	sort.Strings(args[n:])
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, false, errors.New("go is not on PATH; misstep needs a Go toolchain")
	}
	var out, stderr bytes.Buffer
	dir, _ := p.Go()
	_, err = l.Keeper.Run(ctx, proc.Spec{Path: path, Args: args, Dir: dir, Env: env, Stdout: &out, Stderr: &stderr})
	if err != nil {
		return nil, false, fmt.Errorf("asking go list for %s: %w: %s", strings.Join(args[n:], " "), err, strings.TrimSpace(stderr.String()))
	}
	for line := range strings.Lines(out.String()) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case len(f) != 3:
		case f[2] == "true":
			standard[f[0]] = f[1]
		default:
			own[f[0]] = f[1]
		}
	}
	return lookup, len(own) > 0, nil
}
