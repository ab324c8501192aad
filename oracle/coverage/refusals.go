package coverage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"misstep/finding"
	"misstep/profiler"
)

// What no message may have: the end of a program by a crash, and arguments that a format was not given.
var (
	crashLine = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine \d+ \[|SIG[A-Z]+: )`)
	garbled   = regexp.MustCompile(`%!|%[vqs]\b`)
)

// refusals asks the tools for something that makes no sense: what the trial names, or all there is.
func (c *Case) refusals(ctx context.Context, t Trial) (*Verdict, error) {
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	r, none, err := c.profiled(ctx, t, p)
	if none != nil || err != nil {
		return none, err
	}
	made, asked := 0, 0
	var all []difference
	for _, m := range misuses() {
		if t.By != "" && t.By != m.name {
			continue
		}
		asked++
		n, d, err := c.misused(ctx, r, m, t.Seed)
		if err != nil {
			return nil, err
		}
		made += n
		all = append(all, d...)
	}
	if asked == 0 {
		return nil, fmt.Errorf("no misuse %q; misstep cover --help lists them", t.By)
	}
	if made == 0 {
		return not("the run has left no counters or no block, or its files are not there"), nil
	}
	return verdict(Refusals, made, all), nil
}

// misused makes one misuse.
func (c *Case) misused(ctx context.Context, r *profiler.Run, m misuse, seed uint64) (made int, all []difference, err error) {
	if m.counted && r.Data == "" {
		return 0, nil, nil
	}
	dir, err := os.MkdirTemp(filepath.Dir(r.File), misuseFolder)
	if err != nil {
		return 0, nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	a := &setup{run: r, dir: dir, seed: seed}
	args, err := m.args(a)
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	if m.reads {
		_, code, err := c.Bench.Ask(ctx, r, "cover", "-html="+r.File, "-o="+filepath.Join(dir, "page.html"))
		if err != nil || code != 0 {
			return 0, nil, err
		}
	}
	text, code, err := c.Bench.Ask(ctx, r, args...)
	if err != nil {
		return 0, nil, err
	}
	wrong := func(what, expected, got, detail string) {
		all = append(all, difference{
			what: what + " of go tool " + args[0] + " for " + m.doc, expected: said(finding.Specification, "%s", expected), got: said(args[0], "%s", cmp.Or(strings.TrimSpace(got), "nothing")), kind: args[0], node: m.name[strings.Index(m.name, "/")+1:], detail: detail,
		})
	}
	made++
	switch {
	case crashLine.MatchString(text):
		wrong("the message", "a message", text, "crash")
		return made, all, nil
	case code < 0:
		wrong("the end", "an end", text, "hangs")
		return made, all, nil
	case garbled.MatchString(text):
		wrong("the message", "a message in words", text, "garbled")
	}
	if m.refused {
		made++
		if code == 0 {
			wrong("the exit code", "a refusal", text, "accepted")
			return made, all, nil
		}
	}
	if m.names != nil && code != 0 {
		made++
		if name := m.names(a); !strings.Contains(text, name) {
			wrong("the message", "one that speaks of "+name, text, "unnamed")
		}
	}
	if m.lost != nil {
		made++
		got, err := m.lost(ctx, c, a)
		if err != nil {
			return 0, nil, err
		}
		if got != "" {
			wrong("what is left", "what was there, or a refusal", got, "lost")
		}
	}
	return made, all, nil
}
