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
func (h *house) answer(cmd *cobra.Command, name string, args []string, o omitFlags, dir string) (run *omission.Run, answer *omission.Answer, err error) {
	ctx, q := cmd.Context(), &o.query
	auto := len(o.deps) == 0
	for {
		if run, err = h.recorded(cmd, name, args, o, dir); err != nil {
			return nil, nil, err
		}
		if q.Failed(run.Output) {
			q.Verify = true // a test may be run again
		}
		var finder *omission.Finder
		if finder, err = q.Finder(ctx, run.Recording, run.Reader, name); err == nil {
			if !q.Asks() {
				if o.test {
					fmt.Fprintln(cmd.ErrOrStderr(), "misstep: no assertion of the test failed; --object names what to look at")
				}
				err = finder.List(cmd.OutOrStdout(), o.list, o.top)
			} else {
				answer, err = q.Run(ctx, finder, run.Recording, dir)
			}
		}
		if err != nil {
			run.Close()
			return nil, nil, err
		}
		if answer == nil || !auto || history.IsFile(name) {
			return run, answer, nil
		}
		outside := answer.Subject.Outside
		if !answer.Found() {
			outside = append(outside, run.Imports()...)
		}
		if o.deps = omission.Modules(outside); len(o.deps) == 0 {
			return run, answer, nil
		}
		auto = false
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: once more with the dependencies %s, which may do something with it (--deps)\n", strings.Join(o.deps, ", "))
		run.Close()
		if dir, err = h.keeper.TempDir("omit"); err != nil {
			return nil, nil, err
		}
	}
}

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
	opts := view.Options{Code: run.Recording.Code(), Balloons: view.Balloons(a.Balloons), Limit: viewEvents}
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
	if history.IsFile(name) || strings.HasSuffix(name, ".history") {
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
