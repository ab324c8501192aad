package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"misstep/history"
	"misstep/history/record"
	"misstep/omission"
	"misstep/view"
)

// omit finds omissions in a history, or in a run that is recorded now.
func (h *house) omit(cmd *cobra.Command, name string, args []string, o omitFlags) error {
	q := &o.query
	var err error
	if q.Engine, err = parseEngine("dlv"); err != nil {
		return err
	}
	q.Engine.Go = o.toolchain
	if q.Verifier.Expect, err = omission.Expected(o.expect); err == nil {
		err = q.Check()
	}
	if err != nil {
		return asUsage[*omission.OptionError](err)
	}
	q.Verify = q.Verify || o.expect != ""
	if o.lists && q.Object != "" {
		return usagef("--list and --object: expected one of them, as the list shows what --object may be")
	}
	if o.top < 0 {
		return usagef("--top: expected a number of branches, or 0 for all, got %d", o.top)
	}
	if q.Verifier.Stdin, err = inputOf(os.Stdin); err != nil {
		return err
	}
	q.Notice, q.Verifier.Engine, q.Verifier.Recorder = cmd.ErrOrStderr(), q.Engine, &record.Recorder{Keeper: h.keeper, Cache: h.cache}
	dir, err := h.keeper.TempDir("omit")
	if err != nil {
		return err
	}
	run, answer, err := h.answer(cmd, name, args, o, dir)
	if err != nil {
		return asUsage[*omission.OptionError](err)
	}
	defer run.Close()
	if answer == nil {
		return nil // the objects were listed
	}
	if err := writeOmissions(cmd, answer, run, o); err != nil {
		return err
	}
	if answer.Report.Omitted() {
		return errFindings
	}
	return nil
}

// answer records a run and asks about it. If it was not said which packages of dependencies
// to record, those of the modules that are given the object are recorded then, once, and of
// all that the program imports if nothing was found. There is no answer if the
// objects were listed.
func (h *house) answer(cmd *cobra.Command, name string, args []string, o omitFlags, dir string) (*omission.Run, *omission.Answer, error) {
	run, answer, err := h.ask(cmd, name, args, o, dir)
	if err != nil || answer == nil || len(o.deps) > 0 || isHistory(name) {
		return run, answer, err
	}
	outside := answer.Subject.Outside
	if !answer.Found() {
		outside = append(outside, run.Imports()...)
	}
	if o.deps = omission.Modules(outside); len(o.deps) == 0 {
		return run, answer, nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "misstep: once more with the dependencies %s, which may do something with it (--deps)\n", strings.Join(o.deps, ", "))
	if dir, err = h.keeper.TempDir("omit"); err != nil {
		run.Close()
		return nil, nil, err
	}
	more, better, err := h.ask(cmd, name, args, o, dir)
	switch {
	case cmd.Context().Err() != nil:
		run.Close()
		return nil, nil, err
	case err != nil:
		// What was found without them is true all the same.
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: with them it came to nothing: %v; what follows is without them\n", err)
		return run, answer, nil
	case better == nil || answer.Found() && !better.Found():
		more.Close()
		return run, answer, nil
	}
	run.Close()
	return more, better, nil
}

// ask records a run, or reads one, and asks about it.
func (h *house) ask(cmd *cobra.Command, name string, args []string, o omitFlags, dir string) (run *omission.Run, answer *omission.Answer, err error) {
	ctx, q := cmd.Context(), &o.query
	if run, err = h.recorded(cmd, name, args, o, dir); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			run.Close()
			run = nil
		}
	}()
	if !o.lists && q.Failed(run.Output) {
		q.Verify = true // a test may be run again
	}
	finder, err := q.Finder(ctx, run.Recording, run.Reader, name)
	if err != nil {
		return run, nil, err
	}
	if !q.Asks() {
		if o.test && !o.lists {
			fmt.Fprintln(cmd.ErrOrStderr(), "misstep: no assertion of the test failed; --object names what to look at")
		}
		return run, nil, finder.List(cmd.OutOrStdout(), o.list, o.top)
	}
	answer, err = q.Run(ctx, finder, run.Recording, dir)
	return run, answer, err
}

// isHistory reports whether a name is that of a history's file, if of one that is not there
// or broken.
func isHistory(name string) bool { return history.IsFile(name) || strings.HasSuffix(name, ".history") }

// writeOmissions prints an answer, and writes the page that was asked for.
func writeOmissions(cmd *cobra.Command, a *omission.Answer, run *omission.Run, o omitFlags) error {
	out := cmd.OutOrStdout()
	var err error
	switch {
	case o.html == "-":
	case o.asJSON:
		err = a.Report.JSON(out)
	default:
		err = a.Report.Text(out, o.top)
	}
	if err != nil || o.html == "" {
		return err
	}
	opts := view.Options{Code: run.Recording.Code(), Limit: viewEvents}
	opts.Show(a)
	if len(a.Subject.Instances) == 1 {
		for i := range a.Subject.Instances {
			opts.Object = i.String()
		}
	}
	if o.html != "-" {
		out = cmd.ErrOrStderr()
	}
	return writeView(out, run.Reader, opts, o.html)
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

// recorded is the run that is asked about: a history's file, or a program that runs now.
func (h *house) recorded(cmd *cobra.Command, name string, args []string, o omitFlags, dir string) (*omission.Run, error) {
	if isHistory(name) {
		return omission.OfHistory(cmd.Context(), name, o.query.Engine, dir)
	}
	p, err := h.one(cmd, name, o.query.Engine, o.test)
	if err != nil {
		return nil, err
	}
	q := *p
	q.RunArgs = args
	// What the program prints is shown, but is not what this command prints.
	opts := record.Options{Time: o.limit, Stdin: os.Stdin, Stdout: cmd.ErrOrStderr(), Stderr: cmd.ErrOrStderr()}
	return o.query.OfProgram(cmd.Context(), &q, o.deps, opts, dir)
}
