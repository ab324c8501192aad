package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/omission"
	"misstep/view"
)

// omitFlags are what omit is asked for.
type omitFlags struct {
	object, field, toolchain string
	deps                     []string
	calls, top               int
	reads, verify, asJSON    bool
	types                    bool
	html                     string
	test                     bool
	run, expect              string
	limit, verifyTime        time.Duration
	analysisTime             time.Duration
	verifyRuns               int
	events                   int64
}

func newOmit() *cobra.Command {
	var o omitFlags
	cmd := &cobra.Command{
		Use:   "omit [flags] [PATTERN|HISTORY] [-- ARGS…]",
		Short: "Show what should have happened to an object but did not, and at which branch",
		Long: `Omit records a run of a program and shows, for one of its objects, the operations
that could have been performed on it but were not, each with the branch that
decided against it (Sakurai and Masuhara, SAC 2015).

PATTERN names one program, as for record; without it, the package in this folder.
HISTORY is a file that record --objects has written. Only what is recorded is
looked at: the user's packages, and those of dependencies that --deps names.

The object is given by
  <List:1>             an instance, as the list without --object names them
  main.go:17           what was made in this line; main.go:17#3 the third of them;
                       the variable that is declared there, or the function
  main.go:22:name      what a variable held at this line; name.field what its
                       field held
  main.handler         a function: where it could have been called

Each line of the output begins with the place of an operation, and says which
condition would have to be other than it was, where, and in which call of its
function. Lines below it are further operations behind the same branch. First
come those that change the object, that are near, and behind few other branches.
With --verify the program is run again, with the same input if that is redirected
from a file (and with none otherwise), each time with one evaluation of one
branch inverted, and first come those whose operation happens then and whose run
is as it should be: it prints what --expect says, or succeeds where it failed.

Exit codes: 0 nothing was omitted, or the objects were listed; 1 error; 2 usage;
3 there are omissions.`,
		Example: `  misstep omit --object main.go:17 .
  misstep omit --deps github.com/spf13/... --object main.go:22:flags --verify .
  misstep omit --object '<Config:1>' --of Handler --expect 'listening' ./cmd/server
  misstep record --objects -o run.history . && misstep omit run.history`,
		RunE: func(cmd *cobra.Command, a []string) error {
			name, progArgs, err := programArgs(cmd, a, "program or history")
			if err != nil {
				return err
			}
			if progArgs, err = testArgs(o.run, o.test, progArgs); err != nil {
				return err
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			return h.omit(cmd, name, progArgs, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.object, "object", "", "what to look at; without it, the objects of the run are listed")
	f.StringVar(&o.field, "of", "", "only operations on this field of the object")
	f.StringSliceVar(&o.deps, "deps", nil, "record these packages of dependencies, too: a path, or one with /... for all below it")
	f.StringVar(&o.toolchain, "go", "", "toolchain to build with, such as go1.25.0")
	f.IntVar(&o.calls, "calls", omission.MaxCalls, "how many functions a chain from a branch to an operation may have")
	f.IntVar(&o.top, "top", 13, "how many branches are shown; 0 is all")
	f.BoolVar(&o.reads, "reads", false, "show operations, too, that only read the object")
	f.BoolVar(&o.types, "types", false, "go by types alone, without an analysis of the whole program: quicker, with more operations")
	f.DurationVar(&o.analysisTime, "analysis-time", 30*time.Second, "how long the analysis of the whole program may take; --types is used when it is over")
	f.BoolVar(&o.verify, "verify", false, "run the program again with one evaluation of a branch inverted, for each branch")
	f.StringVar(&o.expect, "expect", "", "what the program prints when it is right, a regular expression; with it goes --verify")
	f.IntVar(&o.verifyRuns, "verify-runs", 100, "how often the program is run for that, at most")
	f.DurationVar(&o.verifyTime, "verify-time", 30*time.Second, "how long that may take")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	f.StringVar(&o.html, "html", "", "write a page of HTML, too, with the run as a tree and the omissions on it; - is standard output")
	f.Int64Var(&o.events, "events", omission.MaxEvents, "look at so many events of the run only; a million takes about half a gigabyte")
	f.BoolVar(&o.test, "test", false, "PATTERN is the folder of a package whose tests are run")
	f.StringVar(&o.run, "run", "", "only the tests that match this regular expression")
	f.DurationVar(&o.limit, "time", time.Minute, "stop recording after this time; 0 is no limit")
	return cmd
}

// omit finds omissions in a history, or in a run that is recorded now.
func (h *house) omit(cmd *cobra.Command, name string, args []string, o omitFlags) error {
	ctx := cmd.Context()
	engine, err := parseEngine("dlv")
	if err != nil {
		return err
	}
	engine.Go = o.toolchain
	var expect *regexp.Regexp
	if o.expect != "" {
		if expect, err = regexp.Compile(o.expect); err != nil {
			return usagef("--expect: %w", err)
		}
		o.verify = true
	}
	if o.calls < 1 {
		return usagef("--calls: expected at least 1, got %d", o.calls)
	}
	if o.events < 1 {
		return usagef("--events: expected at least 1, got %d", o.events)
	}
	if o.top < 0 {
		return usagef("--top: expected a number of branches, or 0 for all, got %d", o.top)
	}
	input, err := inputOf(os.Stdin)
	if err != nil {
		return err
	}
	rec, r, file, err := h.recorded(cmd, name, args, engine, o, input)
	if err != nil {
		return err
	}
	defer file.Close()
	var aliases omission.Aliases = omission.ByType{}
	if o.object != "" && !o.types {
		limited, cancel := context.WithTimeout(ctx, o.analysisTime)
		analyzed, err := omission.Analyze(limited, rec, engine)
		late := limited.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && late:
			fmt.Fprintf(cmd.ErrOrStderr(), "misstep: the analysis of the whole program was not done within %s (--analysis-time); which object an expression may be goes by its type alone\n", o.analysisTime)
		case err != nil:
			fmt.Fprintf(cmd.ErrOrStderr(), "misstep: %v; which object an expression may be goes by its type alone\n", err)
		default:
			aliases = analyzed
		}
	}
	finder, err := omission.New(r, rec, aliases, o.events)
	if err != nil {
		return err
	}
	if finder.Cut() {
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: the run has more than %d events; what comes later is not looked at (--events)\n", o.events)
	}
	if !finder.Recorded() {
		return fmt.Errorf("%s: it was recorded without objects; record it with --objects", name)
	}
	if o.object == "" {
		return candidates(cmd.OutOrStdout(), finder)
	}
	s, err := finder.Subject(o.object)
	if err != nil {
		return usagef("--object: %w", err)
	}
	if o.field != "" {
		if err := s.Of(o.field); err != nil {
			return usagef("--of: %w", err)
		}
	}
	list, err := finder.Find(ctx, s, omission.Options{Calls: o.calls, Reads: o.reads})
	if err != nil {
		return err
	}
	var sum *omission.Verification
	if o.verify {
		dir, err := h.keeper.TempDir("omit")
		if err != nil {
			return err
		}
		v := &omission.Verifier{
			Recorder: &history.Recorder{Keeper: h.keeper, Cache: h.cache}, Engine: engine,
			Runs: o.verifyRuns, Time: o.verifyTime, Expect: expect, Stdin: input,
		}
		if list, sum, err = v.Verify(ctx, finder, rec, list, dir); err != nil {
			return err
		}
	}
	report := omission.NewReport(s, list, sum, finder.Untaken())
	switch {
	case o.html == "-":
	case o.asJSON:
		err = report.JSON(cmd.OutOrStdout())
	default:
		err = report.Text(cmd.OutOrStdout(), o.top)
	}
	if err != nil {
		return err
	}
	if o.html != "" {
		opts := view.Options{Code: rec.Code(), Balloons: pageBalloons(list), Limit: viewEvents}
		if len(s.Instances) == 1 {
			for i := range s.Instances {
				opts.Object = i.String()
			}
		}
		out := cmd.ErrOrStderr()
		if o.html == "-" {
			out = cmd.OutOrStdout()
		}
		if err := writeView(out, r, opts, o.html); err != nil {
			return err
		}
	}
	if len(list) > 0 {
		return errFindings
	}
	return nil
}

// pageBalloons are the omissions as a page shows them: one for each operation, at the
// branch that tells most.
func pageBalloons(list []*omission.Balloon) []view.Balloon {
	var out []view.Balloon
	for _, b := range list {
		for _, op := range b.Operations {
			br := op.Branches[0]
			x := view.Balloon{
				Rank: b.Rank, Operation: view.Place(op.Place), Text: op.Text, Func: op.Func, Object: op.Object,
				Branch: view.Place(br.Place), BranchText: br.Text, Outcome: br.Outcome, Distance: op.Distance, Writes: op.Kind == omission.Write,
			}
			if br.Verdict != nil {
				x.Verified = br.Verdict.String()
			}
			for i, m := range br.Moments {
				d := view.Decision{Activation: m.Activation, At: m.Time, Call: m.Call}
				if i == 0 {
					x.Decision = d
					continue
				}
				x.More = append(x.More, d)
			}
			out = append(out, x)
		}
	}
	return out
}

// candidates lists the objects of a run that may be looked at.
func candidates(w io.Writer, f *omission.Finder) error {
	list := f.Candidates()
	fmt.Fprintln(w, "# the objects that were made in recorded code; --object takes the first or the second column, or a variable at a place such as main.go:22:name")
	for _, c := range list {
		fmt.Fprintf(w, "%-28s %-28s %8d events\n", c.Name, c.Made, c.Events)
	}
	return nil
}

// inputOf is what is redirected from a file to the program, so that it can be run with the
// same again; nil of anything else, which inverted runs do not get.
func inputOf(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("reading the program's input: %w", err)
	}
	return text, nil
}

// recorded is a history with the program that it is of, and its file, to be closed.
func (h *house) recorded(cmd *cobra.Command, name string, args []string, engine gobuild.Engine, o omitFlags, input []byte) (rec *history.Recording, r *history.Reader, file *os.File, err error) {
	ctx := cmd.Context()
	defer func() {
		if err != nil && file != nil {
			file.Close()
		}
	}()
	dir, err := h.keeper.TempDir("omit")
	if err != nil {
		return nil, nil, nil, err
	}
	if isHistory(name) || strings.HasSuffix(name, ".history") {
		if r, file, err = openHistory(name); err != nil {
			return nil, nil, nil, err
		}
		if err = whole(name, r); err != nil {
			return nil, nil, file, err
		}
		rec, err = history.Reload(ctx, r.Plan, engine, dir)
		return rec, r, file, err
	}
	p, err := h.one(cmd, name, engine, o.test)
	if err != nil {
		return nil, nil, nil, err
	}
	q := *p
	q.RunArgs = args
	recorder := &history.Recorder{Keeper: h.keeper, Cache: h.cache}
	if rec, err = recorder.Build(ctx, &q, engine, dir, history.BuildOptions{Deps: o.deps, Objects: true}); err != nil {
		return nil, nil, nil, err
	}
	if file, err = os.Create(filepath.Join(dir, "history")); err != nil {
		return nil, nil, nil, fmt.Errorf("writing the history: %w", err)
	}
	var stdin io.Reader = os.Stdin
	if input != nil {
		stdin = bytes.NewReader(input)
	}
	// What the program prints is shown, but is not what this command prints.
	end, err := recorder.Run(ctx, rec, history.Options{Time: o.limit, Stdin: stdin, Stdout: cmd.ErrOrStderr(), Stderr: cmd.ErrOrStderr()}, file)
	if err != nil {
		return nil, nil, file, err
	}
	if end.Stopped != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: recording stopped before the program did: %s\n", end.Stopped)
	}
	r, err = history.NewReader(file)
	return rec, r, file, err
}
