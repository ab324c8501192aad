package profiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// A Bench builds and runs subjects. Its methods may be called concurrently.
type Bench struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	// Time bounds each run of a program; zero for a default.
	Time time.Duration
	// BreakRun and BreakTool stand for broken profilers, in tests of the relations: they change covered runs, and what tools
	// have printed and written; nil for what is so.
	BreakRun  func(*Run)
	BreakTool func(args []string, out string) string

	mu         sync.Mutex
	toolchains map[string]*Toolchain

	installing sync.Mutex
	installed  map[string]string // programs of converters, by their commands
}

// defaultTime bounds a run: programs that are fit end within three seconds, without the race detector.
const defaultTime = 20 * time.Second

// limit bounds a run of a program or of a converter.
func (b *Bench) limit() time.Duration {
	if b.Time == 0 {
		return defaultTime
	}
	return b.Time
}

// A Run is what came of a subject.
type Run struct {
	Subject   *Subject
	Profiler  Profiler
	Toolchain *Toolchain
	Covered   bool // with -cover
	Cached    bool // what it has may be of the go command's cache, where other runs were in the same folder
	// Failed is what the go command said of a program that it could not build; empty if it was built.
	Failed string
	// Explained is what the go command printed, of a way that has it tell about the program.
	Explained string
	// Stdout and Stderr are what the program printed, without what the test that calls it does; Code is its exit code, -1 if
	// a signal ended it, or it did not end in time.
	Stdout, Stderr string
	Code           int
	Took           time.Duration // of the program
	// Profile is what the run says was executed; nil if it says nothing, for which Unread is the reason.
	Profile *Profile
	Unread  string
	// Said is what a test binary prints of the share of statements, such as 66.7%; empty if it prints none. Told is what
	// testing.Coverage says in it, from 0 to 1, if HasTold; ToldSoFar says that it did before the tests were through.
	Said      string
	Told      float64
	HasTold   bool
	ToldSoFar bool
	// Shares are what go test, or a test binary, prints of packages, by import path.
	Shares map[string]string
	// Settings are those that the binary says that it was built with, by their names; nil if it does not say.
	Settings map[string]string
	// Data is the folder with counters, and File the profile; empty if there is none.
	Data, File string
	// Where is the folder of the package.
	Where string
	Env   []string
	root  string // of what was unpacked
	// binary is what was built, which Rerun runs once more; empty if nothing of it is left.
	binary string
	only   string // the package whose tests are run; empty for all
}

// Root is the folder of the module.
func (r *Run) Root() string { return r.root }

// An Impossible is what a profiler cannot be asked for.
type Impossible struct{ Reason string }

// Error is the reason.
func (i *Impossible) Error() string { return i.Reason }

// Settle is a profiler with all that is left open in it chosen.
func (b *Bench) Settle(ctx context.Context, p Profiler, s *Subject) (Profiler, *Toolchain, error) {
	t, err := b.toolchain(ctx, p.Go)
	if err != nil {
		return p, nil, err
	}
	p.Mode = p.mode()
	switch {
	case p.Via == ByAll && !s.HasTests():
		return p, nil, &Impossible{"the module has no tests"}
	case p.Via == ByAll:
	case s.Test:
		p.Via = ByTest
	case p.Via == "" && t.Minor >= buildCovers:
		p.Via = ByBuild
	case p.Via == "":
		p.Via = ByTest
	}
	switch {
	case p.Via == ByBuild && t.Minor < buildCovers:
		return p, nil, &Impossible{fmt.Sprintf("%s has no go build -cover", t.Version)}
	case p.Trim && t.Minor < trims:
		return p, nil, &Impossible{fmt.Sprintf("%s has no -trimpath", t.Version)}
	case t.Minor < bareMain:
		return p, nil, &Impossible{fmt.Sprintf("%s is older than all that are known here", t.Version)}
	}
	if why := p.impossible(t); why != "" {
		return p, nil, &Impossible{why}
	}
	return p, t, nil
}

// Run builds a subject and runs it once, covered or not. The folder dir keeps what the run has left. The error says that
// nothing could be tried; an [*Impossible] that nothing can be.
func (b *Bench) Run(ctx context.Context, s *Subject, p Profiler, covered bool, dir string) (*Run, error) {
	r, err := b.run(ctx, s, p, covered, dir)
	if err == nil && covered && b.BreakRun != nil {
		b.BreakRun(r)
	}
	return r, err
}

func (b *Bench) run(ctx context.Context, s *Subject, p Profiler, covered bool, dir string) (*Run, error) {
	p, t, err := b.Settle(ctx, p, s)
	if err != nil {
		return nil, err
	}
	dir, err = os.MkdirTemp(dir, "run-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a run: %w", err)
	}
	r := &Run{Subject: s, Profiler: p, Toolchain: t, Covered: covered, root: filepath.Join(dir, "source")}
	if r.Where, r.Env, err = s.unpack(r.root, t, p.Via); err != nil {
		return nil, err
	}
	if p.Via == ByAll {
		return r, b.all(ctx, r, dir)
	}
	binary := filepath.Join(dir, "program")
	args := []string{"build"}
	if p.Via == ByTest {
		args = []string{"test", "-c"}
		if t.Minor >= vets {
			args = append(args, "-vet=off") // which is not what is tested
		}
	}
	if way := p.way(); len(way.Command) > 0 {
		args = slices.Clone(way.Command)
	} else {
		args = append(args, "-o", binary)
	}
	args = append(args, p.flags(t, covered)...)
	// Nothing but the toolchain is run here, which is a fifth faster if it collects less.
	env := slices.Concat([]string{"GOGC=400"}, p.env(covered), r.Env)
	named, err := r.named()
	if err != nil {
		return nil, err
	}
	out, err := b.asked(ctx, r, dir, env, append(args, named...)...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if r.Failed != "" {
		return r, nil
	}
	if code, ok := exitCode(err); err != nil {
		if !ok {
			return nil, fmt.Errorf("running the go command: %w", err)
		}
		if p.Dry() {
			out = complaints(out)
		}
		r.Failed = fmt.Sprintf("exit code %d: %s", code, strings.TrimSpace(out))
		return r, nil
	}
	if p.way().Explained {
		r.Explained = out
	}
	if p.Dry() {
		r.Unread = "nothing was run"
		return r, nil
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, &Impossible{"there is nothing to run: " + strings.TrimSpace(out)}
	}
	r.binary, r.Settings = binary, settingsOf(binary)
	return r, b.execute(ctx, r, binary, dir)
}

// Rerun runs what was built for a run once more, as another process, with other arguments. Its profile and counters are its own.
func (b *Bench) Rerun(ctx context.Context, r *Run, args []string) (*Run, error) {
	if r.binary == "" {
		return nil, &Impossible{"nothing was built that could be run again"}
	}
	dir, err := os.MkdirTemp(filepath.Dir(r.binary), "rerun-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a run: %w", err)
	}
	subject := *r.Subject
	subject.Args = args
	again := &Run{Subject: &subject, Profiler: r.Profiler, Toolchain: r.Toolchain, Covered: r.Covered, Where: r.Where, Env: r.Env, root: r.root, binary: r.binary}
	if err := b.execute(ctx, again, r.binary, dir); err != nil {
		return nil, err
	}
	if again.Covered && b.BreakRun != nil {
		b.BreakRun(again)
	}
	return again, nil
}

// Again is a run of another subject in the place of one: its files are written over those of the first, and the go command
// may find in its cache what it has made of these.
func (b *Bench) Again(ctx context.Context, r *Run, s *Subject) (*Run, error) {
	again := &Run{Subject: s, Profiler: r.Profiler, Toolchain: r.Toolchain, Covered: r.Covered, Env: r.Env, root: r.root}
	if again.Profiler.Via != ByAll {
		return nil, &Impossible{"only tests of all packages are run again in their place"}
	}
	root := r.root
	var err error
	if again.Where, _, err = s.unpack(root, r.Toolchain, r.Profiler.Via); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(root), "again-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a run: %w", err)
	}
	return again, b.all(ctx, again, dir)
}

// flags are those of the go command.
func (p Profiler) flags(t *Toolchain, covered bool) (flags []string) {
	if t.Minor >= 18 {
		flags = append(flags, "-buildvcs=false")
	}
	if p.Race {
		flags = append(flags, "-race")
	}
	if p.Trim {
		flags = append(flags, "-trimpath")
	}
	way := p.way()
	flags = append(flags, way.Flags...)
	switch {
	case way.Keeps && t.Minor >= compilesSeveral:
		flags = append(flags, "-o=misstep-compiled"+string(filepath.Separator))
	case way.Keeps:
		flags = append(flags, "-o=misstep-compiled.test")
	}
	if covered && !way.BySetting {
		flags = append(flags, p.counting()...)
	}
	return flags
}

// counting are the flags that ask for coverage.
func (p Profiler) counting() []string {
	flags := []string{"-cover", "-covermode=" + p.Mode}
	switch p.way().Asks {
	case onlyCover:
		flags = flags[:1]
	case onlyMode:
		flags = flags[1:]
	case nothing:
		flags = nil
	}
	if p.Pkgs != "" {
		flags = append(flags, "-coverpkg="+p.Pkgs)
	}
	return flags
}

// env is what the go command's environment has of a profiler.
func (p Profiler) env(covered bool) []string {
	way := p.way()
	env := slices.Clone(way.Env)
	if covered && way.BySetting {
		env = append(env, "GOFLAGS="+strings.Join(p.counting(), " "))
	}
	return env
}

// execute runs a binary and reads what it leaves.
func (b *Bench) execute(ctx context.Context, r *Run, binary, dir string) error {
	tests := r.Profiler.Via == ByTest
	env := append([]string{}, gobuild.RunEnv...)
	args := r.Subject.Args
	if tests && !r.Subject.Test {
		args = append([]string{"-test.run=^TestOfMisstep$"}, args...) // which calls main; the package may have tests of its own
	}
	file := filepath.Join(dir, "profile")
	data := filepath.Join(dir, "counters")
	switch {
	case tests && r.Covered:
		args = append([]string{"-test.coverprofile=" + file}, args...)
	case r.Covered:
		if err := os.Mkdir(data, 0o777); err != nil {
			return fmt.Errorf("making a folder for counters: %w", err)
		}
		env = append(env, "GOCOVERDIR="+data)
	}
	runCtx, cancel := context.WithTimeout(ctx, b.limit())
	defer cancel()
	var stdout, stderr capped
	start := time.Now()
	_, err := b.Keeper.Run(runCtx, proc.Spec{Path: binary, Args: args, Dir: r.Where, Env: env, Stdout: &stdout, Stderr: &stderr})
	r.Took = time.Since(start)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var ok bool
	if r.Code, ok = exitCode(err); !ok {
		r.Code = -1
	}
	r.Stdout, r.Stderr = stdout.String(), stderr.String()
	if tests {
		r.Stdout, r.Said, r.Shares = ofTest(r.Stdout)
		if m := told.FindStringSubmatchIndex(r.Stderr); m != nil {
			r.Told, err = strconv.ParseFloat(r.Stderr[m[4]:m[5]], 64)
			r.HasTold, r.ToldSoFar = err == nil, m[2] >= 0
			r.Stderr = r.Stderr[:m[0]] + r.Stderr[m[1]:]
		}
	}
	if !r.Covered {
		return nil
	}
	if !tests {
		if left, err := filepath.Glob(filepath.Join(data, "covcounters.*")); err != nil || len(left) == 0 {
			r.Unread = "the run has left no counters" // as one that a panic ends does
			return nil
		}
		r.Data = data
		out, err := b.tool(ctx, r.Toolchain, dir, nil, "covdata", "textfmt", "-i="+data, "-o="+file)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r.Unread = "covdata: " + strings.TrimSpace(out)
			return nil
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		r.Unread = "the run has left no profile"
		return nil
	}
	r.File = file
	if r.Profile, err = ParseProfile(string(text)); err != nil {
		r.Unread = "its profile: " + err.Error()
	}
	return nil
}

// Prints reports whether a run printed what another run of the program did, covered or not.
func (r *Run) Prints(stdout string) bool {
	if r.Profiler.Via == ByTest {
		stdout, _, _ = ofTest(stdout)
	}
	return stdout == r.Stdout
}
