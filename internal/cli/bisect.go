package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/testscripts"
	"misstep/triage/bisect"
	"misstep/triage/reduce"
)

func newBisect() *cobra.Command {
	b := &bisection{}
	cmd := &cobra.Command{
		Use:   "bisect [flags] FINDING",
		Short: "Find the version of Delve or Go that brought a finding, and the one that mended it",
		Long: `Bisect runs a finding, a testscript that fails, with version after version, and names
the first that shows it and the first behind that which does not.

  --over dlv   the released versions of Delve; with --repo the commits of a checkout,
               from --from to --to, which stays as it is
  --over go    the released toolchains, first the last one of each release

The finding is reduced first, as long as --reduce says: what other versions answer
otherwise on the way to it would be in the way.

A version that cannot be judged is skipped, such as a Delve that does not know the
program's toolchain; --go builds the program with another one. What is built or
fetched is kept.

Exit codes: 0 the versions are named, 1 error, 2 usage, 3 the finding does not
reproduce.`,
		Example: `  misstep bisect --over dlv findings/R3-value_next_IfStmt_variables.txtar
  misstep bisect --over dlv --repo ~/src/delve --from v1.26.0 --to master finding.txtar
  misstep bisect --over go finding.txtar`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return b.run(cmd, a[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&b.over, "over", "dlv", "dlv or go")
	f.StringVar(&b.repo, "repo", "", "checkout of Delve whose commits to try instead of the released versions")
	f.StringVar(&b.from, "from", "", "oldest version, toolchain or commit to try")
	f.StringVar(&b.to, "to", "", "newest version, toolchain or commit to try")
	f.StringVar(&b.goVersion, "go", "", "toolchain to build the program with, such as go1.25.0")
	f.BoolVar(&b.asIs, "as-is", false, "do not reduce the finding first")
	f.DurationVar(&b.budget, "reduce", time.Minute, "time to reduce the finding in before the search")
	return cmd
}

type bisection struct {
	over, repo, from, to, goVersion string
	asIs                            bool
	budget                          time.Duration

	env    *testscripts.Env
	text   []byte
	engine gobuild.Engine
	class  string
}

func (b *bisection) run(cmd *cobra.Command, file string) error {
	ctx := cmd.Context()
	switch {
	case b.over != "dlv" && b.over != "go":
		return usagef("--over %q: expected dlv or go", b.over)
	case b.repo != "" && b.over != "dlv":
		return usagef("--repo is for --over dlv")
	case b.repo != "" && (b.from == "" || b.to == ""):
		return usagef("--repo needs --from and --to, the commits to search between")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the finding: %w", err)
	}
	b.text = text
	if b.engine, err = parseEngine(reduce.Engine(text)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if b.goVersion != "" {
		b.engine.Go = b.goVersion
	}
	if b.env, err = newEnv(cmd, ""); err != nil {
		return err
	}
	defer b.env.Close()
	out := cmd.OutOrStdout()
	if err := b.begin(cmd, out); err != nil {
		return reproduces(file, err)
	}
	s := &bisect.Search{Log: out}
	if b.over == "go" {
		return b.overGo(ctx, s)
	}
	if b.repo != "" {
		return b.overCommits(ctx, s)
	}
	return b.overDlv(ctx, s)
}

// begin sees to it that the finding shows as it is, without which there is nothing to
// search for, and makes it small: what other versions answer otherwise on the way to
// it would be in the way.
func (b *bisection) begin(cmd *cobra.Command, out io.Writer) error {
	ctx := cmd.Context()
	if _, err := b.env.Cache.Settle(ctx, []gobuild.Engine{b.engine}); err != nil {
		return err
	}
	if b.asIs {
		classes, err := b.check(ctx, b.engine)
		if err != nil {
			return err
		}
		if len(classes) == 0 {
			return reduce.ErrNotReproduced
		}
		b.class = classes[0]
	} else {
		env := *b.env
		env.Engine = b.engine.String()
		env.Memo = &testscripts.Memo{}
		defer env.Memo.Close()
		r := &reduce.Reducer{Check: env.Check, Workers: defaultWorkers(), Budget: b.budget}
		res, err := r.Reduce(ctx, b.text)
		if err != nil {
			return err
		}
		b.text, b.class = res.Script, res.Class
		fmt.Fprintf(out, "# reduced to %d lines and %d actions in %s\n", res.Lines[1], res.Actions[1], res.Took.Round(100*time.Millisecond))
	}
	fmt.Fprintf(out, "# bad: %s: %s\n", b.engine, b.class)
	return nil
}

// check runs the finding under an engine.
func (b *bisection) check(ctx context.Context, e gobuild.Engine) ([]string, error) {
	env := *b.env
	env.Engine = e.String()
	return env.Check(ctx, b.text)
}

// judge runs the finding under an engine, and says whether it shows.
func (b *bisection) judge(ctx context.Context, e gobuild.Engine) (bisect.Verdict, string, error) {
	if r, ok, err := b.env.Cache.Knows(ctx, e); err != nil {
		return bisect.Skipped, source.Shorten(err.Error(), 160), ctx.Err()
	} else if ok && !e.Unchecked {
		version, err := b.env.Cache.GoEnv(ctx, e, "GOVERSION")
		if err != nil {
			return bisect.Skipped, source.Shorten(err.Error(), 160), ctx.Err()
		}
		if !r.Has(version) {
			return bisect.Skipped, fmt.Sprintf("it knows %s, not %s", r, version), nil
		}
	}
	classes, err := b.check(ctx, e)
	if ctx.Err() != nil {
		return bisect.Skipped, "", ctx.Err()
	}
	rule := func(class string) string { return strings.SplitN(class, "/", 2)[0] }
	switch {
	case err != nil:
		return bisect.Skipped, source.Shorten(err.Error(), 160), nil
	case len(classes) == 0:
		return bisect.Fine, "", nil
	case slices.ContainsFunc(classes, func(c string) bool { return rule(c) == rule(b.class) }):
		return bisect.Shows, "", nil
	}
	return bisect.Skipped, "it shows something else: " + classes[0], nil
}

func (b *bisection) overDlv(ctx context.Context, s *bisect.Search) error {
	if b.engine.Adapter != "dlv" || b.engine.Path != "" {
		return fmt.Errorf("engine %s: expected a released version of Delve, such as dlv@%s", b.engine, gobuild.PinnedDelve)
	}
	all, err := b.env.Cache.DlvVersions(ctx)
	if err != nil {
		return err
	}
	own := b.engine.Version
	if own == "" {
		own = gobuild.PinnedDelve
	}
	if s.Versions, err = between(all, b.from, b.to, own); err != nil {
		return err
	}
	s.Judge = func(ctx context.Context, v string) (bisect.Verdict, string, error) {
		e := b.engine
		e.Version = v
		return b.judge(ctx, e)
	}
	return b.report(ctx, s, own)
}

func (b *bisection) overCommits(ctx context.Context, s *bisect.Search) error {
	var err error
	if s.Versions, err = b.env.Cache.DlvCommits(ctx, b.repo, b.from, b.to); err != nil {
		return err
	}
	if len(s.Versions) == 0 {
		return fmt.Errorf("%s: no commits from %s to %s", b.repo, b.from, b.to)
	}
	s.Judge = func(ctx context.Context, v string) (bisect.Verdict, string, error) {
		e := b.engine
		path, err := b.env.Cache.DlvCommit(ctx, b.repo, v)
		if err != nil {
			return bisect.Skipped, source.Shorten(err.Error(), 160), ctx.Err()
		}
		e.Version, e.Path = "", path
		return b.judge(ctx, e)
	}
	// Which commit the finding's own engine is, nobody knows: one end has to show it.
	for _, v := range []string{s.Versions[len(s.Versions)-1], s.Versions[0]} {
		verdict, why, err := s.Judge(ctx, v)
		if err != nil {
			return err
		}
		if verdict == bisect.Shows {
			return b.report(ctx, s, v)
		}
		fmt.Fprintf(s.Log, "# not bad: %s: %s\n", v, why)
	}
	return fmt.Errorf("neither %s nor %s of %s shows the finding", b.from, b.to, b.repo)
}

// overGo looks through the last toolchains of all releases first, and then through
// those of the release in which the finding came or went.
func (b *bisection) overGo(ctx context.Context, s *bisect.Search) error {
	all, err := b.env.Cache.Toolchains(ctx)
	if err != nil {
		return err
	}
	own, err := b.env.Cache.GoEnv(ctx, b.engine, "GOVERSION")
	if err != nil {
		return err
	}
	if r, ok, err := b.env.Cache.Knows(ctx, b.engine); err != nil {
		return err
	} else if ok && !b.engine.Unchecked {
		all = slices.DeleteFunc(all, func(v string) bool { return !r.Has(v) })
	}
	if all, err = between(all, b.from, b.to, own); err != nil {
		return err
	}
	s.Judge = func(ctx context.Context, v string) (bisect.Verdict, string, error) {
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
	fmt.Fprintln(s.Log, r)
	return nil
}

func (b *bisection) report(ctx context.Context, s *bisect.Search, bad string) error {
	r, err := s.Run(ctx, slices.Index(s.Versions, bad))
	if err != nil {
		return err
	}
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
			return nil, usagef("there is no version %s; there are %s", end.name, strings.Join(list, " "))
		}
	}
	if lo > hi {
		return nil, usagef("--from %s comes behind --to %s", from, to)
	}
	list = list[lo : hi+1]
	if !slices.Contains(list, own) {
		return nil, fmt.Errorf("the finding shows with %s, which is not one of %s", own, strings.Join(list, " "))
	}
	return list, nil
}
