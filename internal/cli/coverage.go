package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"misstep/gen"
	"misstep/history"
	"misstep/history/covered"
	"misstep/history/record"
	"misstep/internal/gobuild"
)

// coverageFlags are those of coverage.
type coverageFlags struct {
	test, functions, missing, quiet bool
	run, toolchain, size            string
	profile, lcov, cobertura, page  string
	limit                           time.Duration
	below                           float64
}

func newCoverage() *cobra.Command {
	c := &coverageFlags{}
	cmd := &cobra.Command{
		Use:   "coverage [flags] [PATTERN…] [-- ARGS…]",
		Short: "Say which statements, branches and conditions of a program its runs execute",
		Long: `Coverage records runs of programs, or of the tests of packages, and says what they
executed: statements, branches (each way that if, for, range, switch and select go) and
conditions (each operand of && and ||, true and false). Runs of several packages are added up.
Packages without tests are left out.

PATTERN names programs as for hunt; without it, the package in this folder. With --test
it is the tests of the packages that are run, such as ./... . What stands after -- are the
program's arguments.

The table is by package, with --functions by function, too. --missing lists each branch and
condition that was come to and did not go each way.

Exit codes: 0 done, whatever the programs returned; 1 error, or a test failed; 2 usage;
3 less than --below percent of the statements were executed.`,
		Example: `  misstep coverage --test ./...
  misstep coverage --missing ./cmd/server -- -port 8080
  misstep coverage --test --html coverage.html --lcov coverage.info --cobertura coverage.xml ./...`,
		RunE: c.cover,
	}
	f := cmd.Flags()
	f.BoolVar(&c.test, "test", false, "run the tests of the packages")
	f.StringVar(&c.run, "run", "", "with --test, only the tests that match this regular expression")
	f.BoolVar(&c.functions, "functions", false, "say it of each function")
	f.BoolVar(&c.missing, "missing", false, "list the ways that branches and conditions did not go")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "do not show what the programs print")
	f.StringVar(&c.toolchain, "go", "", "toolchain to build with, such as go1.25.0")
	f.StringVar(&c.profile, "profile", "", "write the statements to this file, as go tool cover reads them")
	f.StringVar(&c.lcov, "lcov", "", "write all to this file as LCOV")
	f.StringVar(&c.cobertura, "cobertura", "", "write all to this file as Cobertura's XML")
	f.StringVar(&c.page, "html", "", "write a page to this file")
	f.StringVar(&c.size, "size", "1G", "stop recording a run when its history has so many bytes (K, M, G); 0 is no limit")
	f.DurationVar(&c.limit, "time", 0, "stop recording a run after this time; 0 is no limit")
	f.Float64Var(&c.below, "below", 0, "exit with 3 if a smaller share of statements was executed, in percent")
	return cmd
}

func (c *coverageFlags) cover(cmd *cobra.Command, a []string) error {
	patterns, args := a, []string(nil)
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		patterns, args = a[:n], a[n:]
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if c.run != "" && !c.test {
		return usagef("--run is for --test")
	}
	size, err := parseSize(c.size)
	if err != nil {
		return usagef("--size: %w", err)
	}
	engine, err := parseEngine("dlv")
	if err != nil {
		return err
	}
	engine.Go = c.toolchain
	h, err := newHouse(cmd)
	if err != nil {
		return err
	}
	defer h.close()
	finder := &gen.Finder{Cache: h.cache, Keeper: h.keeper, Engine: engine, Tests: c.test, Run: c.run}
	programs, skipped, err := finder.Find(cmd.Context(), patterns)
	if err != nil {
		return err
	}
	if len(programs) == 0 && len(skipped) > 0 {
		return skipped[0]
	}
	for _, s := range skipped {
		fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", s)
	}
	report := &covered.Report{}
	failed := 0
	for _, p := range programs {
		q := *p
		q.RunArgs = append(q.RunArgs, args...)
		one, code, err := c.record(cmd, h, &q, engine, size)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if code != 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "misstep: %s returned %d\n", p.Name, code)
			failed++
		}
		report.Add(one)
	}
	if err := c.write(cmd, report, patterns); err != nil {
		return err
	}
	if failed > 0 && c.test {
		return fmt.Errorf("the tests of %d of %d packages failed", failed, len(programs))
	}
	if report.Shares().Statements.Percent() < c.below {
		return errFindings
	}
	return nil
}

// record records a run of a program, and is what it executed.
func (c *coverageFlags) record(cmd *cobra.Command, h *house, p *gobuild.Program, e gobuild.Engine, size int64) (*covered.Report, int, error) {
	ctx := cmd.Context()
	dir, err := h.keeper.TempDir("coverage")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	r := &record.Recorder{Keeper: h.keeper, Cache: h.cache}
	rec, err := r.Build(ctx, p, e, dir, record.BuildOptions{})
	if err != nil {
		return nil, 0, err
	}
	opts := record.Options{Size: size, Time: c.limit, Stdin: os.Stdin, Stdout: cmd.ErrOrStderr(), Stderr: cmd.ErrOrStderr()}
	if c.quiet {
		opts.Stdout, opts.Stderr = io.Discard, io.Discard
	}
	file, err := os.Create(filepath.Join(dir, "history"))
	if err != nil {
		return nil, 0, fmt.Errorf("making a file for a history: %w", err)
	}
	defer file.Close()
	end, err := r.Run(ctx, rec, opts, file)
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	reader, err := history.NewReader(file)
	if err != nil {
		return nil, 0, err
	}
	tree, err := reader.TreeUntil(mostEvents)
	if err != nil {
		return nil, 0, err
	}
	report := covered.Of(rec, tree)
	report.Stopped = end.Stopped != "" || tree.Times >= mostEvents
	return report, end.ExitCode, nil
}

// mostEvents bounds how much of a history is held in memory, some gigabytes.
const mostEvents = 20_000_000

// write writes a report in all forms that were asked for.
func (c *coverageFlags) write(cmd *cobra.Command, r *covered.Report, patterns []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, form := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{c.profile, r.WriteProfile},
		{c.lcov, r.WriteLCOV},
		{c.cobertura, func(w io.Writer) error { return r.WriteCobertura(w, dir, time.Now()) }},
		{c.page, func(w io.Writer) error { return r.WriteHTML(w, patterns[0]) }},
	} {
		if form.file == "" {
			continue
		}
		f, err := os.Create(form.file)
		if err != nil {
			return fmt.Errorf("writing the coverage: %w", err)
		}
		if err := errors.Join(form.write(f), f.Close()); err != nil {
			return fmt.Errorf("writing %s: %w", form.file, err)
		}
	}
	return r.WriteText(cmd.OutOrStdout(), c.functions, c.missing)
}
