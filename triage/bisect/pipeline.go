package bisect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/script"
	"misstep/triage/reduce"
)

// A Pipeline goes from a finding to the versions between which it came and went: it makes
// the finding small, as what other versions answer differently on the way to it would be
// in the way, and searches.
type Pipeline struct {
	Env *script.Env
	// Over is what is searched: dlv or go. With Repo, the commits of a checkout of Delve.
	Over, Repo string
	// From and To are the oldest and the newest version to try; empty for all.
	From, To string
	// Go is the toolchain to build the program with; empty for the finding's.
	Go string
	// AsIs says not to reduce the finding first; Budget is for that.
	AsIs    bool
	Budget  time.Duration
	Workers int
	// Out is told of each version, and of the result.
	Out io.Writer
	// Found is the result of Run.
	Found *Borders

	script *script.Script
	engine gobuild.Engine
	class  string
}

// An OptionError is an option that makes no sense.
type OptionError struct{ Text string }

// Error says what is wrong, and what was expected.
func (e *OptionError) Error() string { return e.Text }

func optionf(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }

// Check is an error if the options make no sense.
func (b *Pipeline) Check() error {
	switch {
	case b.Over != "dlv" && b.Over != "go":
		return optionf("--over %q: expected dlv or go", b.Over)
	case b.Repo != "" && b.Over != "dlv":
		return optionf("--repo is for --over dlv")
	case b.Repo != "" && (b.From == "" || b.To == ""):
		return optionf("--repo needs --from and --to, the commits to search between")
	}
	return nil
}

// Run searches for a finding. One that does not show is a reduce.ErrNotReproduced.
func (b *Pipeline) Run(ctx context.Context, given *script.Script) error {
	b.script = given
	var err error
	if b.engine, err = gobuild.ParseEngine(given.Engine()); err != nil {
		return err
	}
	if b.Go != "" {
		b.engine.Go = b.Go
	}
	if err := b.begin(ctx); err != nil {
		return err
	}
	s := &Search{Log: b.Out}
	switch {
	case b.Over == "go":
		return b.overGo(ctx, s)
	case b.Repo != "":
		return b.overCommits(ctx, s)
	}
	return b.overDlv(ctx, s)
}

// begin sees to it that the finding shows as it is, without which there is nothing to
// search for, and makes it small.
func (b *Pipeline) begin(ctx context.Context) error {
	if b.script.Covers() {
		if b.Over != "go" {
			return optionf("--over %s: this is of a coverage profiler; expected go", b.Over)
		}
	} else if _, err := b.Env.Cache.Settle(ctx, []gobuild.Engine{b.engine}); err != nil {
		return err
	}
	if b.AsIs {
		classes, err := b.check(ctx, b.engine)
		if err != nil {
			return err
		}
		if len(classes) == 0 {
			return reduce.ErrNotReproduced
		}
		b.class = classes[0]
	} else {
		env, forget := b.Env.With(b.engine).Remembering()
		defer forget()
		r := &reduce.Reducer{Check: env.Check, Workers: b.Workers, Budget: b.Budget}
		res, err := r.Reduce(ctx, b.script)
		if err != nil {
			return err
		}
		b.script, b.class = res.Script, res.Class
		fmt.Fprintf(b.Out, "# reduced to %d lines and %d actions in %s\n", res.Lines[1], res.Actions[1], res.Took.Round(100*time.Millisecond))
	}
	bad := b.engine.String()
	if b.script.Covers() {
		if version, err := b.Env.Cache.GoEnv(ctx, b.engine, "GOVERSION"); err == nil {
			bad = version // a debugger takes no part
		}
	}
	fmt.Fprintf(b.Out, "# bad: %s: %s\n", bad, b.class)
	return nil
}

// check runs the finding under an engine.
func (b *Pipeline) check(ctx context.Context, e gobuild.Engine) ([]string, error) {
	return b.Env.With(e).Check(ctx, b.script)
}

// judge runs the finding under an engine, and says whether it shows.
func (b *Pipeline) judge(ctx context.Context, e gobuild.Engine) (Standing, string, error) {
	if b.script.Covers() {
		// Each toolchain covers its own programs.
	} else if r, ok, err := b.Env.Cache.Knows(ctx, e); err != nil {
		return Skipped, source.Shorten(err.Error(), 160), ctx.Err()
	} else if ok && !e.Unchecked {
		version, err := b.Env.Cache.GoEnv(ctx, e, "GOVERSION")
		if err != nil {
			return Skipped, source.Shorten(err.Error(), 160), ctx.Err()
		}
		if !r.Has(version) {
			return Skipped, fmt.Sprintf("it knows %s, not %s", r, version), nil
		}
	}
	classes, err := b.check(ctx, e)
	if ctx.Err() != nil {
		return Skipped, "", ctx.Err()
	}
	rule := func(class string) string { return strings.SplitN(class, "/", 2)[0] }
	switch {
	case err != nil:
		return Skipped, source.Shorten(err.Error(), 160), nil
	case len(classes) == 0:
		return Fine, "", nil
	case slices.ContainsFunc(classes, func(c string) bool { return rule(c) == rule(b.class) }):
		return Shows, "", nil
	}
	return Skipped, "it shows something else: " + classes[0], nil
}

func (b *Pipeline) overDlv(ctx context.Context, s *Search) error {
	if b.engine.Adapter != "dlv" || b.engine.Path != "" {
		return fmt.Errorf("engine %s: expected a released version of Delve, such as dlv@%s", b.engine, gobuild.PinnedDelve)
	}
	all, err := b.Env.Cache.DlvVersions(ctx)
	if err != nil {
		return err
	}
	own := b.engine.Version
	if own == "" {
		own = gobuild.PinnedDelve
	}
	if s.Versions, err = between(all, b.From, b.To, own); err != nil {
		return err
	}
	s.Judge = func(ctx context.Context, v string) (Standing, string, error) {
		e := b.engine
		e.Version = v
		return b.judge(ctx, e)
	}
	return b.report(ctx, s, own)
}

func (b *Pipeline) overCommits(ctx context.Context, s *Search) error {
	var err error
	if s.Versions, err = b.Env.Cache.DlvCommits(ctx, b.Repo, b.From, b.To); err != nil {
		return err
	}
	if len(s.Versions) == 0 {
		return fmt.Errorf("%s: no commits from %s to %s", b.Repo, b.From, b.To)
	}
	s.Judge = func(ctx context.Context, v string) (Standing, string, error) {
		e := b.engine
		path, err := b.Env.Cache.DlvCommit(ctx, b.Repo, v)
		if err != nil {
			return Skipped, source.Shorten(err.Error(), 160), ctx.Err()
		}
		e.Version, e.Path = "", path
		return b.judge(ctx, e)
	}
	// Which commit the finding's own engine is, nobody knows: one end has to show it.
	for _, v := range []string{s.Versions[len(s.Versions)-1], s.Versions[0]} {
		standing, why, err := s.Judge(ctx, v)
		if err != nil {
			return err
		}
		if standing == Shows {
			return b.report(ctx, s, v)
		}
		fmt.Fprintf(s.Log, "# not bad: %s: %s\n", v, why)
	}
	return fmt.Errorf("neither %s nor %s of %s shows the finding", b.From, b.To, b.Repo)
}

// overGo looks through the last toolchains of all releases first, and then through
// those of the release in which the finding came or went.
func (b *Pipeline) overGo(ctx context.Context, s *Search) error {
	all, err := b.Env.Cache.Toolchains(ctx)
	if err != nil {
		return err
	}
	own, err := b.Env.Cache.GoEnv(ctx, b.engine, "GOVERSION")
	if err != nil {
		return err
	}
	if r, ok, err := b.Env.Cache.Knows(ctx, b.engine); err != nil {
		return err
	} else if ok && !b.engine.Unchecked && !b.script.Covers() {
		all = slices.DeleteFunc(all, func(v string) bool { return !r.Has(v) })
	}
	if all, err = between(all, b.From, b.To, own); err != nil {
		return err
	}
	s.Judge = func(ctx context.Context, v string) (Standing, string, error) {
		e := b.engine
		e.Go = v
		return b.judge(ctx, e)
	}
	var last []string
	for i, v := range all {
		if v == own || i+1 == len(all) || gobuild.Minor(all[i+1]) != gobuild.Minor(v) {
			last = append(last, v)
		}
	}
	s.Versions = last
	r, err := s.Run(ctx, slices.Index(last, own))
	if err != nil {
		return err
	}
	// Between two neighbours of these lie the others of one release.
	for _, border := range []struct{ from, to string }{{r.Came.Before, r.Came.After}, {r.Went.Before, r.Went.After}} {
		if border.from == "" || border.to == "" {
			continue
		}
		s.Versions = all[slices.Index(all, border.from) : slices.Index(all, border.to)+1]
		bad := border.to
		if border.from == r.Went.Before {
			bad = border.from
		}
		finer, err := s.Run(ctx, slices.Index(s.Versions, bad))
		if err != nil {
			return err
		}
		if bad == border.to {
			r.Came = finer.Came
		} else {
			r.Went = finer.Went
		}
	}
	b.Found = r
	fmt.Fprintln(s.Log, r)
	return nil
}

func (b *Pipeline) report(ctx context.Context, s *Search, bad string) error {
	r, err := s.Run(ctx, slices.Index(s.Versions, bad))
	if err != nil {
		return err
	}
	b.Found = r
	fmt.Fprintln(s.Log, r)
	return nil
}

// between is the part of a list between two versions, which has to hold a third.
func between(list []string, from, to, own string) ([]string, error) {
	lo, hi := 0, len(list)-1
	for _, end := range []struct {
		name string
		at   *int
	}{{from, &lo}, {to, &hi}} {
		if end.name == "" {
			continue
		}
		if *end.at = slices.Index(list, end.name); *end.at < 0 {
			return nil, optionf("there is no version %s; there are %s", end.name, strings.Join(list, " "))
		}
	}
	if lo > hi {
		return nil, optionf("--from %s comes after --to %s", from, to)
	}
	list = list[lo : hi+1]
	if !slices.Contains(list, own) {
		return nil, fmt.Errorf("the finding shows with %s, which is not one of %s", own, strings.Join(list, " "))
	}
	return list, nil
}
