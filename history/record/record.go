package record

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

var (
	//go:embed rt/rt.go
	runtimeText string
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
	// Deps are patterns of the dependencies to record, too: a path, with /... behind
	// for all below it.
	Deps []string
	// Objects records which objects are made, read, changed and passed on, too.
	Objects bool
	// Watch is what a program is made to do beside that; nil for nothing.
	Watch *Watch
	// Turn are expressions that can be given another value at one evaluation, see
	// Options.Set: by their numbers in the list.
	Turn []Turn
}

// A Turn is a condition that can be inverted at one evaluation, or the tag of a switch
// that can be given another value. Conditions of another type than bool cannot be
// inverted, and do nothing.
type Turn struct {
	// File is the file's path, Start and End are offsets.
	File       string
	Start, End int
	// Value is the source of another value, for the tag of a switch: one of the same type
	// that calls nothing.
	Value string
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
// recorded otherwise. Its dependencies stay those of before.
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
	module, _, root := p.Module()
	goroot, modcache, err := r.folders(ctx, e)
	if err != nil {
		return nil, err
	}
	// Where the recorder's own files go, and the package that they belong to.
	in.qualifier = own + "."
	folder, name := "", own
	switch {
	case standard && within(goroot, modcache):
		return nil, fmt.Errorf("the standard library of a toolchain in the module cache cannot be recorded")
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
	texts := map[string]string{"0" + own + ".go": runtimeText}
	if opts.Watch != nil {
		texts["0"+own+"1.go"] = snapText
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
	e.LDFlags = "-checklinkname=0"
	// What is inserted has type parameters. Other than that, nothing changes from an
	// older Go to that.
	for _, pkg := range pkgs {
		if pkg.Old {
			q.Flags = append(slices.Clip(q.Flags), fmt.Sprintf("-gcflags=%s=%s -lang=go1.%d", pkg.Path, strings.TrimPrefix(e.GCFlags, "all="), typeParameters))
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

// inPackage is a file of package rt as part of another package.
func inPackage(text, pkg string) string {
	i := strings.Index(text, "package rt\n")
	return "package " + pkg + "\n" + text[i+len("package rt\n"):]
}

// Options say how a run is recorded.
type Options struct {
	// Size is how many bytes the history may have, Time how long is recorded; zero
	// is no limit. When one is reached, the program runs on unrecorded.
	Size int64
	Time time.Duration
	// Env is added to the environment.
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Snapshots, if not nil, gets the values of a watched program's variables.
	Snapshots *history.Snapshots
	// Set is the number of an assignment to make, at the nth execution of its
	// statement from 0, or of a condition to invert, at its nth evaluation; nil for
	// none.
	Set *Set
	// Shake, if not 0, is the seed of a random order in which the goroutines of a
	// watched program run.
	Shake uint32
}

// A Set is an assignment, of all of a watched program's, at one execution of its
// statement, or a condition at one evaluation.
type Set struct{ Number, Nth int }

// Run runs a recording once and writes its history. The error is that of the
// recorder; how the program ended is in End.
func (r *Recorder) Run(ctx context.Context, rec *history.Recording, opts Options, w io.Writer) (history.End, error) {
	out, err := history.NewWriter(w, rec.Plan)
	if err != nil {
		return history.End{}, err
	}
	s, err := newShared()
	if err != nil {
		return history.End{}, err
	}
	defer s.close()
	files := s.theirs()
	var snapshots, snapshotsEnd *os.File
	if opts.Snapshots != nil {
		if snapshots, snapshotsEnd, err = os.Pipe(); err != nil {
			return history.End{}, fmt.Errorf("making a pipe: %w", err)
		}
		defer snapshots.Close()
		files = append(files, snapshotsEnd)
		s.word(3).Store(1)
	}
	if opts.Set != nil {
		s.word(4).Store(uint32(opts.Set.Number) + 1)
		s.word(5).Store(uint32(opts.Set.Nth) + 1)
	}
	s.word(6).Store(opts.Shake)
	p := rec.Build.Program
	process, err := r.Keeper.Start(ctx, proc.Spec{
		Path: rec.Build.Binary, Args: p.RunArgs, Dir: p.RunDir(), Env: opts.Env,
		Stdin: opts.Stdin, Stdout: opts.Stdout, Stderr: opts.Stderr, Files: files,
	})
	if snapshotsEnd != nil {
		snapshotsEnd.Close()
	}
	if err != nil {
		return history.End{}, err
	}
	s.started()
	read := make(chan struct{})
	go func() {
		defer close(read)
		if opts.Snapshots != nil {
			*opts.Snapshots = *history.ReadSnapshots(snapshots, rec.Watched)
		}
	}()
	end := history.End{}
	if opts.Time > 0 {
		t := time.AfterFunc(opts.Time, func() { s.stop() })
		defer t.Stop()
	}
	// The pipe ends when the program does, however that happens.
	var numbers [sharedBatch * 4]byte
read:
	for {
		got, err := io.ReadAtLeast(s.full, numbers[:], 4)
		if err != nil {
			break
		}
		for i := 0; i+4 <= got; i += 4 {
			n := int(binary.LittleEndian.Uint32(numbers[i:]))
			if n >= sharedChunks {
				break read
			}
			if err := out.Chunk(s.chunk(n)); err != nil {
				s.stop()
				process.End(0)
				return history.End{}, err
			}
			s.clear(n)
		}
		if opts.Size > 0 && out.Size() > opts.Size && end.Stopped == "" {
			end.Stopped = fmt.Sprintf("the history has more than %d bytes", opts.Size)
			s.stop()
		}
		if _, err := s.free.Write(numbers[:got]); err != nil {
			break
		}
	}
	<-process.Done()
	process.End(0)
	if snapshots != nil {
		snapshots.SetReadDeadline(time.Now().Add(readRest)) // whoever else has the pipe
	}
	<-read
	if err := ctx.Err(); err != nil {
		end.Stopped = "the recorder was stopped"
	}
	for n := range min(int(s.word(7).Load()), sharedChunks) {
		if c := s.chunk(n); c.Goroutine != 0 {
			if err := out.Chunk(c); err != nil {
				return history.End{}, err
			}
		}
	}
	end.ExitCode = process.ExitCode()
	switch {
	case end.Stopped != "":
	case s.word(1).Load() != 0:
		end.Stopped = fmt.Sprintf("it took longer than %s", opts.Time)
	case s.word(2).Load() != 0:
		end.Stopped = "more goroutines than there is room for"
	}
	var exit *exec.ExitError
	if err := process.Err(); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return end, fmt.Errorf("running %s: %w", p.Name, err)
	}
	end.Words = out.Words()
	return end, out.Close(end)
}

// readRest bounds how long snapshots are read after a program's end.
const readRest = 5 * time.Second

// shared is the memory that a recorded program writes into, and the pipes.
type shared struct {
	mem              []byte
	file             *os.File
	full, free       *os.File // ours
	fullEnd, freeEnd *os.File // the program's
}

// The shared memory's layout; package rt has the same.
const (
	chunkHead    = 8
	sharedChunks = 24575 // 192 MiB with the head
	sharedBatch  = 32
	sharedMagic  = 0x6d697374
)

const sharedSize = (sharedChunks + 1) * history.ChunkWords * 4

func newShared() (*shared, error) {
	file, err := memory()
	if err != nil {
		return nil, err
	}
	s := &shared{file: file}
	if err := s.file.Truncate(sharedSize); err != nil {
		s.close()
		return nil, fmt.Errorf("making memory to record into: %w", err)
	}
	if s.mem, err = unix.Mmap(int(file.Fd()), 0, sharedSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		s.close()
		return nil, fmt.Errorf("mapping memory to record into: %w", err)
	}
	binary.NativeEndian.PutUint32(s.mem, sharedMagic)
	if s.full, s.fullEnd, err = os.Pipe(); err == nil {
		s.freeEnd, s.free, err = os.Pipe()
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	return s, nil
}

// theirs are the files for the program.
func (s *shared) theirs() []*os.File { return []*os.File{s.file, s.fullEnd, s.freeEnd} }

// started closes what only the program needs.
func (s *shared) started() {
	s.fullEnd.Close()
	s.freeEnd.Close()
}

func (s *shared) close() {
	for _, f := range []*os.File{s.file, s.full, s.free, s.fullEnd, s.freeEnd} {
		if f != nil {
			f.Close()
		}
	}
	if s.mem != nil {
		unix.Munmap(s.mem)
	}
}

func (s *shared) word(n int) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&s.mem[n*4]))
}

func (s *shared) stop() { s.word(1).Store(1) }

func (s *shared) words(n int) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&s.mem[(n+1)*history.ChunkWords*4])), history.ChunkWords)
}

// chunk is what the program has written into a chunk; it ends at the first zero.
func (s *shared) chunk(n int) history.Chunk {
	w := s.words(n)
	c := history.Chunk{
		Goroutine: history.Wide(w[0], w[1]), Buffer: w[2], Number: w[3],
		Stamp: history.Wide(w[4], w[5]), Heap: uint64(w[7]) << 26,
	}
	if c.Goroutine == 0 {
		return c
	}
	// One that is full says how long it is.
	if n := w[6]; n > chunkHead && n <= history.ChunkWords {
		c.Words = w[chunkHead:n]
	} else {
		c.Words = w[chunkHead : chunkHead+history.Written(w[chunkHead:])]
	}
	return c
}

func (s *shared) clear(n int) { clear(s.words(n)) }
