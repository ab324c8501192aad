package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"misstep/history"
	"misstep/history/record"
	"misstep/omission"
	"misstep/view"
)

// omit finds omissions in a history, or in a run that is recorded now.
func (h *house) omit(cmd *cobra.Command, name string, args []string, o omitFlags) error {
	ctx, q := cmd.Context(), &o.query
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
	rec, r, file, err := h.recorded(cmd, name, args, o)
	if err != nil {
		return err
	}
	defer file.Close()
	finder, err := q.Finder(ctx, rec, r, name)
	if err != nil {
		return err
	}
	if q.Object == "" {
		return finder.List(cmd.OutOrStdout())
	}
	dir, err := h.keeper.TempDir("omit")
	if err != nil {
		return err
	}
	answer, err := q.Run(ctx, finder, rec, dir)
	if err != nil {
		return asUsage[*omission.OptionError](err)
	}
	if err := writeOmissions(cmd, answer, rec, r, o); err != nil {
		return err
	}
	if len(answer.Balloons) > 0 {
		return errFindings
	}
	return nil
}

// writeOmissions prints an answer, and writes the page that was asked for.
func writeOmissions(cmd *cobra.Command, a *omission.Answer, rec *history.Recording, r *history.Reader, o omitFlags) error {
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
	opts := view.Options{Code: rec.Code(), Balloons: view.Balloons(a.Balloons), Limit: viewEvents}
	if len(a.Subject.Instances) == 1 {
		for i := range a.Subject.Instances {
			opts.Object = i.String()
		}
	}
	if o.html != "-" {
		out = cmd.ErrOrStderr()
	}
	return writeView(out, r, opts, o.html)
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
func (h *house) recorded(cmd *cobra.Command, name string, args []string, o omitFlags) (rec *history.Recording, r *history.Reader, file *os.File, err error) {
	ctx, engine, input := cmd.Context(), o.query.Engine, o.query.Verifier.Stdin
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
		rec, err = record.Reload(ctx, r.Plan, engine, dir)
		return rec, r, file, err
	}
	p, err := h.one(cmd, name, engine, o.test)
	if err != nil {
		return nil, nil, nil, err
	}
	q := *p
	q.RunArgs = args
	recorder := &record.Recorder{Keeper: h.keeper, Cache: h.cache}
	if rec, err = recorder.Build(ctx, &q, engine, dir, record.BuildOptions{Deps: o.deps, Objects: true}); err != nil {
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
	end, err := recorder.Run(ctx, rec, record.Options{Time: o.limit, Stdin: stdin, Stdout: cmd.ErrOrStderr(), Stderr: cmd.ErrOrStderr()}, file)
	if err != nil {
		return nil, nil, file, err
	}
	if end.Stopped != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "misstep: recording stopped before the program did: %s\n", end.Stopped)
	}
	r, err = history.NewReader(file)
	return rec, r, file, err
}
