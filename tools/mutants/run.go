package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"misstep/mutation"
)

// A test is one test function of the binary that has all mutants in it.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool
}

// A bench is a test binary with all mutants of some packages.
type bench struct {
	binary string
	dir    string // the package that is tested
	work   string
	tests  []*test
}

// build links the test binary of a package, with changed files.
func build(ctx context.Context, pkg, dir, work string, files map[string][]byte) (*bench, error) {
	replace := map[string]string{}
	for name, text := range files {
		to := filepath.Join(work, fmt.Sprintf("%d-%s", len(replace), filepath.Base(name)))
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return nil, err
		}
		replace[name] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return nil, err
	}
	b := &bench{binary: filepath.Join(work, "mutants.test"), dir: dir, work: work}
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.binary, pkg).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("building the tests of %s: %w\n%s", pkg, err, out)
	}
	return b, nil
}

// measure runs each test by itself, without a mutant: how long it takes, and which mutants
// it reaches. A test that fails then notices nothing, and is an error.
func (b *bench) measure(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, b.binary, "-test.list", ".").Output()
	if err != nil {
		return fmt.Errorf("listing tests: %w", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if strings.HasPrefix(name, "Benchmark") || strings.HasPrefix(name, "Example") {
			continue
		}
		t, inner, err := b.alone(ctx, name)
		if err != nil {
			return err
		}
		if len(inner) < 2 {
			b.tests = append(b.tests, t)
			continue
		}
		// Those inside are quicker, each by itself.
		for _, name := range inner {
			t, _, err := b.alone(ctx, name)
			if err != nil {
				return err
			}
			b.tests = append(b.tests, t)
		}
	}
	slices.SortFunc(b.tests, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// alone runs one test by itself, without a mutant, and lists the tests right inside of it.
func (b *bench) alone(ctx context.Context, name string) (t *test, inner []string, err error) {
	seen := filepath.Join(b.work, "seen")
	os.Remove(seen)
	start := time.Now()
	out, err := b.run(ctx, name, 10*time.Minute, mutation.Seen+"="+seen)
	if err != nil {
		return nil, nil, fmt.Errorf("%s fails without a mutant: %w\n%s", name, err, out)
	}
	t = &test{name: name, took: time.Since(start), reaches: map[int]bool{}}
	text, _ := os.ReadFile(seen) // a test that reaches none has written none
	for _, n := range strings.Fields(string(text)) {
		id, err := strconv.Atoi(n)
		if err != nil {
			return nil, nil, fmt.Errorf("what %s reaches: %w", name, err)
		}
		t.reaches[id] = true
	}
	for line := range strings.Lines(string(out)) {
		if sub, ok := strings.CutPrefix(strings.TrimSpace(line), "=== RUN "); ok {
			if sub = strings.TrimSpace(sub); strings.Count(sub, "/") == 1 && !strings.Contains(name, "/") {
				inner = append(inner, sub)
			}
		}
	}
	return t, inner, nil
}

// run runs one test with a setting of the environment.
func (b *bench) run(ctx context.Context, name string, limit time.Duration, env string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.binary, "-test.v", "-test.run", pattern(name), "-test.count=1", "-test.failfast")
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), env)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return out.Bytes(), err
}

// pattern selects one test by its name.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// An outcome is what came of a mutant.
type outcome int

const (
	unreached outcome = iota // no test reaches it
	killed                   // a test fails
	survived                 // all tests that reach it pass
)

// try runs the tests that reach a mutant, the quick ones first, until one fails. One that
// takes far longer than without it has failed.
func (b *bench) try(ctx context.Context, m *mutation.Mutant) (outcome, error) {
	res := unreached
	for _, t := range b.tests {
		if !t.reaches[m.ID] {
			continue
		}
		_, err := b.run(ctx, t.name, 4*t.took+10*time.Second, mutation.On+"="+strconv.Itoa(m.ID))
		if ctx.Err() != nil {
			return res, ctx.Err()
		}
		var failed *exec.ExitError
		if errors.As(err, &failed) || errors.Is(err, context.DeadlineExceeded) {
			return killed, nil
		}
		if err != nil {
			return res, fmt.Errorf("running %s: %w", t.name, err)
		}
		res = survived
	}
	return res, nil
}
