package profiler

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// all runs the tests of all packages of a module by one go test, or of the one that the run is of.
func (b *Bench) all(ctx context.Context, r *Run, dir string, extra ...string) error {
	file := filepath.Join(dir, "profile")
	if folder := r.Profiler.way().Later; r.Covered && folder != "" {
		file = filepath.Join(dir, folder, "profile")
	}
	if way := r.Profiler.way(); r.Covered && !way.Unprofiled && len(way.Command) == 0 {
		extra = append(extra, "-coverprofile="+file)
	}
	out, err := b.goTest(ctx, r, dir, extra...)
	if err != nil || r.Failed != "" {
		return err
	}
	if r.Profiler.way().Explained {
		r.Explained = out
	}
	if r.Profiler.Dry() {
		// Nothing of what is printed is of a run.
		r.Unread = "nothing was run"
		if r.Code != 0 {
			r.Failed = fmt.Sprintf("exit code %d: %s", r.Code, complaints(out))
		}
		return nil
	}
	if r.Profiler.way().JSON {
		out = printed(out)
	}
	r.Stdout, r.Shares = packages(out)
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") || r.Code != 0 && r.Stdout == "" {
		r.Failed = fmt.Sprintf("exit code %d: %s", r.Code, strings.TrimSpace(out))
		return nil
	}
	if !r.Covered {
		return nil
	}
	if r.Profiler.way().Unprofiled {
		r.Unread = "there is no profile of way " + r.Profiler.Way
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		r.Unread = "go test has left no profile"
		return nil
	}
	r.File = file
	if r.Profile, err = ParseProfile(string(text)); err != nil {
		r.Unread = "its profile: " + err.Error()
	}
	return nil
}

// goTest runs the go command's tests of a run, with further flags, and returns what it prints; the run has the exit code, and
// that it did not end in time.
func (b *Bench) goTest(ctx context.Context, r *Run, dir string, extra ...string) (out string, err error) {
	args := []string{"test"}
	way := r.Profiler.way()
	if len(way.Command) > 0 {
		args = slices.Clone(way.Command)
	} else if r.Toolchain.Minor >= vets && !slices.ContainsFunc(way.Flags, func(f string) bool { return strings.HasPrefix(f, "-vet=") }) {
		args = append(args, "-vet=off")
	}
	args = slices.Concat(args, r.Profiler.flags(r.Toolchain, r.Covered), extra)
	env := append([]string{"GOMAXPROCS=1"}, r.Profiler.env(r.Covered)...)
	out, err = b.asked(ctx, r, dir, append(env, r.Env...), append(args, cmp.Or(r.only, "./..."))...)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var ok bool
	if r.Code, ok = exitCode(err); !ok && r.Failed == "" {
		return "", fmt.Errorf("running the go command: %w", err)
	}
	return out, nil
}

// Shares runs the tests of a run once more where they were run, with further flags, and has the shares that go test prints then: of
// results that the go command has in its cache, or, with -count=1, of tests that have run. There is no profile unless a flag asks for one.
func (b *Bench) Shares(ctx context.Context, r *Run, extra ...string) (*Run, error) {
	return b.SharesOf(ctx, r, r.only, extra...)
}

// SharesOf is Shares of the tests of one package, by its import path, or of all if it is empty.
func (b *Bench) SharesOf(ctx context.Context, r *Run, pkg string, extra ...string) (*Run, error) {
	if r.Profiler.Via != ByAll || r.Profiler.Dry() {
		return nil, &Impossible{"only tests of all packages are run again in their place"}
	}
	again := &Run{Subject: r.Subject, Profiler: r.Profiler, Toolchain: r.Toolchain, Covered: r.Covered, Where: r.Where, Env: r.Env, root: r.root, only: pkg, Cached: !slices.Contains(extra, "-count=1")}
	for _, flag := range extra {
		if file, ok := strings.CutPrefix(flag, "-coverprofile="); ok {
			again.File = file
		}
	}
	if r.Profiler.way().Asks == nothing && r.Covered {
		extra = append([]string{"-cover"}, extra...) // as there is no profile to ask for it
	}
	out, err := b.goTest(ctx, again, filepath.Dir(r.root), extra...)
	if err != nil {
		return nil, err
	}
	if r.Profiler.way().JSON {
		out = printed(out)
	}
	again.Stdout, again.Shares = packages(out)
	if again.Covered && b.BreakRun != nil {
		b.BreakRun(again)
	}
	return again, nil
}

// vets is the minor version that brought go test -vet.
const vets = 10

// What go test prints of packages.
var (
	packageLine  = regexp.MustCompile(`^(ok|FAIL|---|panic:|\?)\s`)
	packageShare = regexp.MustCompile(`^(?:ok|FAIL)?\s+(\S+)\s.*coverage: (.+?)(?: of statements.*)?$`)
	duration     = regexp.MustCompile(`\s*(\(cached\)|\(?\d+\.\d+s\)?)`)
)

// packages are the results of packages that go test prints, without what depends on time or on -cover, and the shares of
// statements that it prints of them.
func packages(out string) (results string, shares map[string]string) {
	shares = map[string]string{}
	var b strings.Builder
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if m := packageShare.FindStringSubmatch(line); m != nil {
			shares[m[1]] = m[2]
		}
		if !packageLine.MatchString(line) || strings.HasPrefix(line, "?") {
			continue // packages without tests are listed differently with -cover
		}
		line, _, _ = strings.Cut(line, "coverage: ")
		line = strings.TrimSuffix(strings.TrimSpace(line), "[no tests to run]")
		b.WriteString(strings.TrimSpace(duration.ReplaceAllString(line, "")) + "\n")
	}
	return b.String(), shares
}
