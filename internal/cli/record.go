package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
)

func newRecord() *cobra.Command {
	var (
		output, toolchain, run string
		test                   bool
		size                   string
		deps                   []string
		objects                bool
		limit                  time.Duration
	)
	cmd := &cobra.Command{
		Use:   "record [flags] [PATTERN] [-- ARGS…]",
		Short: "Record what really happens in a run of a program",
		Long: `Record builds a program with the user's packages instrumented, runs it, and
writes a history: which functions ran, called from where, and which way each
branch went; with --objects, also what was done to which object. The program prints and returns what it always does, and its sources
are not touched. misstep history shows what was recorded.

PATTERN names one program, as for hunt; without it, the package in this folder.
With --test it is the folder of a package whose tests are run. What stands after
-- are the program's arguments.

When the history is longer than --size, or the program runs longer than --time,
recording stops and the program runs on. A program that crashes, exits or is
killed leaves a history of all up to then.

Exit codes: 0 the run was recorded, whatever the program returned; 1 error;
2 usage.`,
		Example: `  misstep record
  misstep record ./cmd/server -- -port 8080
  misstep record --test --run TestParse ./parser
  misstep history show misstep.history`,
		RunE: func(cmd *cobra.Command, a []string) error {
			pattern, progArgs, err := programArgs(cmd, a, "program")
			if err != nil {
				return err
			}
			if progArgs, err = testArgs(run, test, progArgs); err != nil {
				return err
			}
			bytes, err := parseSize(size)
			if err != nil {
				return usagef("--size: %w", err)
			}
			engine, err := parseEngine("dlv")
			if err != nil {
				return err
			}
			engine.Go = toolchain
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			p, err := h.one(cmd, pattern, engine, test)
			if err != nil {
				return err
			}
			q := *p
			q.RunArgs = progArgs
			return h.record(cmd, &q, engine, output, record.BuildOptions{Deps: deps, Objects: objects}, record.Options{Size: bytes, Time: limit})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "misstep.history", "file for the history")
	f.StringVar(&toolchain, "go", "", "toolchain to build with, such as go1.25.0")
	f.BoolVar(&test, "test", false, "record the tests of the package")
	f.StringVar(&run, "run", "", "only the tests that match this regular expression")
	f.StringSliceVar(&deps, "deps", nil, "record these packages of dependencies, too: a path, or one with /... for all below it")
	f.BoolVar(&objects, "objects", false, "record also which objects are made, read, changed and passed on")
	f.StringVar(&size, "size", "1G", "stop recording when the history has so many bytes (K, M, G); 0 is no limit")
	f.DurationVar(&limit, "time", 0, "stop recording after this time; 0 is no limit")
	return cmd
}

func (h *house) record(cmd *cobra.Command, p *gobuild.Program, e gobuild.Engine, output string, what record.BuildOptions, opts record.Options) error {
	dir, err := h.keeper.TempDir("record")
	if err != nil {
		return err
	}
	r := &record.Recorder{Keeper: h.keeper, Cache: h.cache}
	rec, err := r.Build(cmd.Context(), p, e, dir, what)
	if err != nil {
		return err
	}
	opts.Stdin, opts.Stdout, opts.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
	var end history.End
	size, err := create(output, func(w io.Writer) (err error) {
		end, err = r.Run(cmd.Context(), rec, opts, w)
		return err
	})
	if err != nil {
		return err
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "misstep: %d words of %d functions in %s (%d bytes); the program returned %d\n", end.Words, len(rec.Plan.Funcs), output, size, end.ExitCode)
	if end.Stopped != "" {
		fmt.Fprintf(w, "misstep: recording stopped before the program did: %s\n", end.Stopped)
	}
	for _, g := range rec.Plan.Gaps {
		fmt.Fprintf(w, "misstep: not recorded: %s\n", g)
	}
	return cmd.Context().Err()
}
