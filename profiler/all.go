package profiler

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// all runs the tests of all packages of a module by one go test, or of the one that the run is of.
func (b *Bench) all(ctx context.Context, r *Run, dir string) error {
	file := filepath.Join(dir, "profile")
	args := append([]string{"test"}, r.Profiler.flags(r.Toolchain, r.Covered)...)
	if r.Toolchain.Minor >= vets {
		args = append(args, "-vet=off")
	}
	if r.Covered {
		args = append(args, "-coverprofile="+file)
	}
	env := append([]string{"GOMAXPROCS=1"}, r.Profiler.env(r.Covered)...)
	out, err := b.goCommand(ctx, r.Toolchain, r.Where, append(env, r.Env...), append(args, cmp.Or(r.only, "./..."))...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var ok bool
	if r.Code, ok = exitCode(err); !ok {
		return fmt.Errorf("running the go command: %w", err)
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
