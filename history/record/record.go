package record

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

var (
	//go:embed rt/rt.go
	runtimeText string
	//go:embed rt/memory.go
	memoryText string
	//go:embed rt/turn.go
	turnText string
)

// A Recorder records runs of programs.
type Recorder struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
}

// BuildOptions say what is recorded.
type BuildOptions struct {
	// Deps are patterns of the dependencies to record, too: a path, with /... after
	// for all below it.
	Deps []string
	// Objects records which objects are made, read, changed and passed on, too.
	Objects bool
	// Watch is what a program is made to do beside that; nil for nothing.
	Watch *Watch
	// Turn are expressions that can be given another value at one evaluation, see
	// Options.Turn: by their numbers in the list.
	Turn []Turn
}

// A Turn is a condition that can be inverted at one evaluation, or the tag of a switch
// that can be given another value, or what is ranged over. Conditions of another type than
// bool cannot be inverted, and do nothing.
type Turn struct {
	// File is the file's path, Start and End are offsets.
	File       string
	Start, End int
	// Value is the source of another value, for the tag of a switch: one of the same type
	// that calls nothing.
	Value string
	// Dynamic says that the expression is an interface's value, and the other of a type that
	// is in it, or nil.
	Dynamic bool
	// Elements says that it is ranged over, and gets a zero element if it has none, and none if it has some, see the function
	// Elements.
	Elements bool
}

// numbered is a turn with its number.
type numbered struct {
	Turn
	number int
}

// oldestGo is the minor release that the recorder's part in the program needs.
const oldestGo = 23

// Build instruments the packages of a program and builds it into a folder.
func (r *Recorder) Build(ctx context.Context, p *gobuild.Program, e gobuild.Engine, dir string, opts BuildOptions) (*history.Recording, error) {
	if n := gobuild.Minor(e.Go); 0 <= n && n < oldestGo {
		return nil, &gobuild.BuildError{Program: p.Name, Output: fmt.Sprintf("recording needs Go 1.%d or later, not %s", oldestGo, e.Go)}
	}
	if opts.Watch == nil {
		e.GCFlags = "" // as build does
	}
	original, deps := p, opts.Deps
	if len(deps) > 0 {
		var err error
		if p, err = withDeps(ctx, p, e, deps, dir); err != nil {
			return nil, err
		}
	}
	pkgs, standard, err := load(ctx, p, e, deps)
	if err != nil {
		return nil, err
	}
	return r.build(ctx, &history.Recording{Packages: pkgs, Original: original, Source: p, Standard: standard}, e, dir, opts)
}

// Rebuild builds a program that was built, or loaded, for recording before, to be
// recorded differently. Its dependencies stay those of before.
func (r *Recorder) Rebuild(ctx context.Context, rec *history.Recording, e gobuild.Engine, dir string, opts BuildOptions) (*history.Recording, error) {
	opts.Deps = rec.Plan.Deps
	return r.build(ctx, rec, e, dir, opts)
}

// build instruments the packages of a recording.
func (r *Recorder) build(ctx context.Context, rec *history.Recording, e gobuild.Engine, dir string, opts BuildOptions) (*history.Recording, error) {
	p, pkgs, standard, original := rec.Source, rec.Packages, rec.Standard, rec.Original
	in := &instrumenter{plan: &history.Plan{Program: p.Name, Dir: p.Dir, Target: p.Target, Test: p.Test, Deps: opts.Deps, Args: p.RunArgs}, watches: opts.Watch, objects: opts.Objects, turns: map[Turn][]numbered{}}
	for i, x := range opts.Turn {
		at := Turn{File: x.File, Start: x.Start, End: x.End}
		in.turns[at] = append(in.turns[at], numbered{x, i})
	}
	q := *p
	q.Files, q.Target = slices.Clip(p.Files), slices.Clip(p.Target)
	q.Overlay = maps.Clone(p.Overlay)
	if q.Overlay == nil {
		q.Overlay = map[string][]byte{}
	}
	if err := r.join(ctx, in, &q, p, e, standard, opts); err != nil {
		return nil, err
	}
	in.own = map[string]bool{}
	for _, pkg := range pkgs {
		in.own[pkg.Path] = true
	}
	for _, pkg := range pkgs {
		changed, err := in.instrument(pkg)
		if err != nil {
			return nil, err
		}
		maps.Copy(q.Overlay, changed)
	}
	// Built as users build, but that the recorder may ask the runtime for the
	// goroutine's number. What is watched is held against a debugger, and so is built
	// as for that.
	if opts.Watch == nil {
		e.GCFlags = ""
	}
	e.LDFlags = strings.TrimSpace(strings.ReplaceAll(e.LDFlags, gobuild.DefaultLDFlags, "") + " -checklinkname=0 -w") // no debugger looks at it
	// What is inserted is in that language.
	for _, pkg := range pkgs {
		if pkg.Old {
			q.Flags = append(slices.Clip(q.Flags), fmt.Sprintf("-gcflags=%s=%s -lang=go1.%d", pkg.Path, e.Compiler(), ownLanguage))
		}
	}
	build, err := r.Cache.Build(ctx, &q, e, dir)
	if err != nil {
		return nil, err
	}
	// It runs as the program that it was.
	build.Program = original
	return &history.Recording{Plan: in.plan, Build: build, Packages: pkgs, Watched: in.watched, Original: original, Source: p, Standard: standard}, nil
}

// join puts the recorder's own half into a copy of the program: where its files go, and the
// package that they belong to.
func (r *Recorder) join(ctx context.Context, in *instrumenter, q, p *gobuild.Program, e gobuild.Engine, standard bool, opts BuildOptions) error {
	module, _, root := p.Module()
	goroot, modcache, err := r.folders(ctx, e)
	if err != nil {
		return err
	}
	in.qualifier = own + "."
	folder, name := "", own
	switch {
	case standard && within(goroot, modcache):
		return fmt.Errorf("the standard library of a toolchain in the module cache cannot be recorded")
	case module != "" && len(p.Target) > 0 && !filepath.IsAbs(p.Target[0]) && !standard:
		in.importPath = path.Join(module, own)
		folder = filepath.Join(root, own)
	case !within(goroot, modcache):
		// Files without a module can only import the standard library: the recorder
		// becomes part of it, in a folder of it that holds no package itself.
		in.importPath = "archive"
		folder = filepath.Join(goroot, "src", "archive")
	default:
		// A toolchain in the module cache, where nothing can be overlaid: the recorder
		// becomes part of the program. Its files come first, or its variables would
		// come after the program's in the order of initialisation, and change it.
		in.qualifier = ""
		folder, name = p.RunDir(), "main"
	}
	texts := map[string]string{"0" + own + ".go": runtimeText, "0" + own + "4.go": memoryText}
	if opts.Watch != nil {
		texts["0"+own+"1.go"], texts["0"+own+"5.go"] = snapText, shakeText
	}
	if len(opts.Turn) > 0 {
		texts["0"+own+"3.go"] = turnText
	}
	if opts.Objects {
		texts["0"+own+"2.go"] = objectsText
	}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		at := filepath.Join(folder, file)
		q.Overlay[at] = []byte(inPackage(texts[file], name))
		if name == "main" {
			q.Files = append(q.Files, at)
			q.Target = append(q.Target, at)
		}
	}
	if name == "main" {
		// They were appended to nothing of the original's.
		q.Files = slices.Concat(q.Files[len(p.Files):], p.Files)
		q.Target = slices.Concat(q.Target[len(p.Target):], p.Target)
	}
	return nil
}

// folders are the toolchain's, and that of the module cache.
func (r *Recorder) folders(ctx context.Context, e gobuild.Engine) (goroot, modcache string, err error) {
	if goroot, err = r.Cache.GoEnv(ctx, e, "GOROOT"); err != nil {
		return "", "", err
	}
	modcache, err = r.Cache.GoEnv(ctx, e, "GOMODCACHE")
	return goroot, modcache, err
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// inPackage is a file of package rt as part of another package. Its constraint has it compiled as the language that
// it is written in (go help buildconstraint), whatever the program's go.mod says.
func inPackage(text, pkg string) string {
	i := strings.Index(text, "package rt\n")
	return fmt.Sprintf("//go:build go1.%d\n\npackage %s\n%s", oldestGo, pkg, text[i+len("package rt\n"):])
}
