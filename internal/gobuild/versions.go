package gobuild

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// DlvVersions lists the released versions of Delve, the oldest first. Without a
// network they are those that are cached.
func (c *Cache) DlvVersions(ctx context.Context) ([]string, error) {
	list, err := c.versions(ctx, Delve)
	if err != nil {
		entries, dirErr := os.ReadDir(filepath.Join(c.Dir, "dlv"))
		if dirErr != nil || ctx.Err() != nil {
			return nil, fmt.Errorf("listing the versions of Delve: %w", err)
		}
		for _, e := range entries {
			if v, _, ok := strings.Cut(e.Name(), "-go"); ok && semver.IsValid(v) && semver.Prerelease(v) == "" {
				list = append(list, v)
			}
		}
	}
	slices.SortFunc(list, semver.Compare)
	return slices.Compact(list), nil
}

// Toolchains lists the released Go toolchains, such as go1.26.8, the oldest first.
// Without a network they are those that are cached.
func (c *Cache) Toolchains(ctx context.Context) ([]string, error) {
	list, err := c.versions(ctx, "go")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list = nil
		for _, v := range c.Kept(ctx) {
			list = append(list, strings.TrimPrefix(v, "go"))
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("listing Go's toolchains: %w", err)
		}
	}
	list = slices.DeleteFunc(list, func(v string) bool { return !semver.IsValid("v"+v) || semver.Prerelease("v"+v) != "" })
	slices.SortFunc(list, func(a, b string) int { return semver.Compare("v"+a, "v"+b) })
	for i, v := range list {
		list[i] = "go" + v
	}
	return list, nil
}

// Kept are the toolchains that need not be fetched, in no order.
func (c *Cache) Kept(ctx context.Context) []string {
	mod, err := c.goEnv(ctx, nil, "GOMODCACHE")
	if err != nil {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(mod, "golang.org", "toolchain@v0.0.1-go*"))
	var kept []string
	for _, dir := range found {
		if v, ok := strings.CutSuffix(strings.TrimPrefix(filepath.Base(dir), "toolchain@v0.0.1-"), "."+runtime.GOOS+"-"+runtime.GOARCH); ok {
			kept = append(kept, v)
		}
	}
	return kept
}

// versions asks the go command which versions of a module there are.
func (c *Cache) versions(ctx context.Context, module string) ([]string, error) {
	dir, err := c.Keeper.TempDir("versions")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	out, err := c.run(ctx, dir, []string{"GOFLAGS="}, "go", "list", "-m", "-versions", "-json", module+"@latest")
	if err != nil {
		return nil, err
	}
	var m struct{ Versions []string }
	if err := json.Unmarshal(out, &m); err != nil {
		return nil, fmt.Errorf("reading go list's output: %w", err)
	}
	return m.Versions, nil
}

// A GoRange are the minor releases of Go 1 that a debugger says it knows.
type GoRange struct{ Min, Max int }

func (r GoRange) String() string { return fmt.Sprintf("Go 1.%d to 1.%d", r.Min, r.Max) }

// Has reports whether a toolchain, such as go1.26.8, is in the range; one that cannot
// be read, such as a development version, is.
func (r GoRange) Has(toolchain string) bool {
	minor := Minor(toolchain)
	return minor < 0 || r.Min <= minor && minor <= r.Max
}

// Minor is the minor release of a toolchain: 26 of go1.26.8; -1 if it cannot be read.
func Minor(toolchain string) int {
	parts := strings.Split(strings.TrimPrefix(toolchain, "go"), ".")
	if len(parts) < 2 || parts[0] != "1" {
		return -1
	}
	digits, _, _ := strings.Cut(parts[1], "rc")
	digits, _, _ = strings.Cut(digits, "beta")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// Newer reports whether a toolchain is of a later minor release than the one that misstep is built by, which need not be
// able to read what that toolchain has compiled.
func Newer(toolchain string) bool {
	n, own := Minor(toolchain), Minor(runtime.Version())
	return own >= 0 && n > own
}

// Knows is the range of Go releases that the engine's debugger knows; ok is false
// where that is not known, as of other debuggers than Delve and of Delves of no
// released version, such as one that is built of a commit.
func (c *Cache) Knows(ctx context.Context, e Engine) (r GoRange, ok bool, err error) {
	if e.Adapter != "dlv" {
		return r, false, nil
	}
	version := e.Version
	if e.Path != "" {
		info, err := buildinfo.ReadFile(e.Path)
		if err != nil || info.Main.Path != Delve || !released(info.Main.Version) {
			return r, false, nil
		}
		version = info.Main.Version
	}
	dir, err := c.DlvSource(ctx, version)
	if err != nil {
		if ctx.Err() == nil && (e.Path != "" || c.built(ctx, version)) {
			return r, false, nil // without a network, what is there still works
		}
		return r, false, err
	}
	r, ok = goRange(filepath.Join(dir, "pkg", "goversion", "compat.go"))
	return r, ok, nil
}

// released reports whether a version is one that a module's source can be fetched for: the go command writes others into what
// it builds of a checkout, which need not be anywhere else.
func released(version string) bool {
	return semver.IsValid(version) && semver.Build(version) == "" && !module.IsPseudoVersion(version)
}

// built reports whether a version of Delve is in the cache.
func (c *Cache) built(ctx context.Context, version string) bool {
	path, err := c.dlvPath(ctx, version)
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// goRange reads the range from Delve's source, where it is two variables.
func goRange(file string) (r GoRange, ok bool) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return r, false
	}
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		for i, name := range spec.Names {
			if i >= len(spec.Values) {
				break
			}
			lit, is := spec.Values[i].(*ast.BasicLit)
			if !is {
				continue
			}
			v, _ := strconv.Atoi(lit.Value)
			switch name.Name {
			case "MinSupportedVersionOfGoMinor":
				r.Min = v
				found++
			case "MaxSupportedVersionOfGoMinor":
				r.Max = v
				found++
			}
		}
		return true
	})
	return r, found == 2
}

// Settle holds the debuggers of engines against their toolchains. Engines that name
// none get one that all of them know: the go command's own if that is one, or else
// the newest, of those of a release one that is cached. Where there is none, they get
// the newest that the debugger knows that knows the oldest, and the others are told
// not to check. It is an error if an engine names a toolchain that its debugger does
// not know, or that there is not.
func (c *Cache) Settle(ctx context.Context, engines []Engine) ([]Engine, error) {
	own, err := c.goEnv(ctx, nil, "GOVERSION")
	if err != nil {
		return nil, err
	}
	out := slices.Clone(engines)
	known := make([]GoRange, len(out))
	common, open := everyGo, false
	for i, e := range out {
		r, ok, err := c.Knows(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("engine %s: %w", e, err)
		}
		if known[i] = r; !ok || e.Unchecked {
			known[i] = everyGo
		}
		if e.Go == "" {
			open = true
			common.Min, common.Max = max(common.Min, known[i].Min), min(common.Max, known[i].Max)
			continue
		}
		version, err := c.goEnv(ctx, e.Env(), "GOVERSION")
		if err != nil {
			return nil, fmt.Errorf("engine %s: the toolchain %s cannot be had: %w", e, e.Go, oneLine(err))
		}
		if !known[i].Has(version) {
			return nil, fmt.Errorf("engine %s: Delve %s knows %s, not %s; name another toolchain with go=, or add unchecked", e, e.delve(), r, version)
		}
	}
	if !open || common.Has(own) {
		return out, nil
	}
	// Nothing is known to all if the range is empty; then what the oldest knows.
	choice, err := c.toolchain(ctx, GoRange{min(common.Min, common.Max), common.Max})
	if err != nil {
		return nil, err
	}
	told := ""
	for i := range out {
		if out[i].Go != "" {
			continue
		}
		out[i].Go = choice
		if !known[i].Has(choice) {
			out[i].Unchecked = true
			told += fmt.Sprintf("; %s, which knows %s, is told not to check", out[i], known[i])
		}
	}
	fmt.Fprintf(c.Notice, "misstep: not all of these engines know %s; programs are built with %s%s\n", own, choice, told)
	return out, nil
}

var everyGo = GoRange{0, 1 << 20}

// toolchain is the newest release in a range, in that a toolchain that is cached, if
// there is one.
func (c *Cache) toolchain(ctx context.Context, r GoRange) (string, error) {
	all, err := c.Toolchains(ctx)
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(v string) bool { return !r.Has(v) })
	if len(all) == 0 {
		return "", fmt.Errorf("there is no toolchain of %s", r)
	}
	choice := all[len(all)-1]
	kept := c.Kept(ctx)
	for _, v := range all {
		if Minor(v) == Minor(choice) && slices.Contains(kept, v) {
			choice = v
		}
	}
	if _, err := c.goEnv(ctx, []string{"GOTOOLCHAIN=" + choice}, "GOVERSION"); err != nil {
		return "", fmt.Errorf("the toolchain %s cannot be had: %w", choice, oneLine(err))
	}
	return choice, nil
}

// delve is the version of an engine's Delve.
func (e Engine) delve() string {
	if e.Version == "" && e.Path == "" {
		return PinnedDelve
	}
	return e.Version + e.Path
}

// Oldest is the engine with the oldest toolchain, by which a module's go line must go
// that all engines can build.
func Oldest(engines []Engine) Engine {
	oldest, least := engines[0], 1<<20
	for _, e := range engines {
		if minor := Minor(e.Go); minor >= 0 && minor < least {
			oldest, least = e, minor
		}
	}
	return oldest
}
