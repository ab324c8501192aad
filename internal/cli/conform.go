package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"misstep/conform"
	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/script"
	"misstep/testscripts"
)

// conformFlags are those of conform.
type conformFlags struct {
	with    []string
	jobs    int
	json    bool
	all     bool
	verbose bool
	fast    bool
	again   int
	team    teamFlags
}

func newConform() *cobra.Command {
	c := &conformFlags{}
	cmd := &cobra.Command{
		Use:   "conform [flags] [FILE|DIR…]",
		Short: "Run a suite of testscripts on several debuggers, and have them vote",
		Long: `Conform runs testscripts on one debugger or more, and says of each test which debuggers
pass it. DIR is a folder of scripts. Without any, it is the conformance suite that comes with
misstep: one behaviour a script, each of a construct of Go or a part of the Debug Adapter Protocol.

A test that does not pass is tried once more; which ones passed only then is told. A test is not applicable
where the adapter does not offer what it asks for. Where few of at least
three debuggers fail a test, these have a defect. Where most fail it, the test is suspected, or the
rule that it judges by, and the rules are ranked by that.

An adapter of your own takes part by its description: --with my-adapter.toml.

With --join the workers of a hub try the tests, on debuggers that all of them have. With a
--name, what was tried in the last hour is not tried again, whoever asks.

Exit codes: 0 all that apply passed, 1 error, 2 usage, 3 a debugger failed a test.`,
		Example: `  misstep conform
  misstep conform --with dlv --with dlv@v1.24.0 --with dlv@v1.22.1 --with lldb-dap
  misstep conform --with my-adapter.toml testscripts/suite
  misstep conform --with dlv=./dlv --json findings > table.json
  misstep conform --join localhost:4250 --with dlv --with dlv@v1.24.0 --with dlv@v1.22.1`,
		RunE: c.run,
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.with, "with", []string{"dlv"}, "engine to run the suite on; may be repeated")
	f.IntVarP(&c.jobs, "jobs", "j", defaultWorkers(), "tests at the same time")
	f.BoolVar(&c.json, "json", false, "print the whole table as JSON")
	f.BoolVar(&c.all, "all", false, "print the tests that all debuggers pass as well")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "say why a test failed, is not applicable or could not be carried out, on each debugger")
	f.IntVar(&c.again, "again", 1, "how often a test is tried again that does not pass; one that passes then is told")
	f.BoolVar(&c.fast, "failfast", false, "stop when a test has failed")
	c.team.joinFlags.add(cmd, "let the workers of a hub try the tests")
	f.StringVar(&c.team.name, "name", "", "with --join, a name by which others go on with the same tests")
	return cmd
}

func (c *conformFlags) run(cmd *cobra.Command, paths []string) error {
	if c.jobs < 1 || c.again < 0 {
		return usagef("-j must be at least 1, and --again not negative")
	}
	if err := c.team.check(); err != nil {
		return err
	}
	tests, err := testsOf(paths)
	if err != nil {
		return err
	}
	env, engines, err := trying(cmd, c.with, c.team.address != "")
	if err != nil {
		return err
	}
	defer env.Close()
	done := 0
	r := &conform.Runner{Env: env, Workers: c.jobs, FailFast: c.fast, Again: c.again, Done: func(string, string, *conform.Cell) {
		if done++; done%100 == 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "misstep: %d of %d\n", done, len(tests)*len(engines))
		}
	}}
	if c.team.address != "" {
		team, err := c.team.tasker(cmd, "conform")
		if err != nil {
			return err
		}
		defer team.close()
		r.Again = 0 // they try it again themselves
		r.Try = conform.Elsewhere(c.again, func(ctx context.Context, what, engine string, data []byte) ([]byte, error) {
			return team.ask(ctx, what, []string{engine}, data, nil)
		})
		if !cmd.Flags().Changed("jobs") {
			r.Workers = inFlight
		}
	}
	table, err := r.Run(cmd.Context(), tests, engines)
	if err != nil {
		return err
	}
	if c.json {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "\t")
		if err := enc.Encode(table); err != nil {
			return fmt.Errorf("writing the table: %w", err)
		}
	} else {
		c.write(cmd.OutOrStdout(), table)
	}
	if slices.ContainsFunc(table.Counts(), func(n conform.Count) bool { return n.Failed > 0 }) {
		return errFindings
	}
	return nil
}

// trying is an environment in which tests are tried on engines, each of which has the newest toolchain that its
// debugger knows. Elsewhere says that other machines try them, which have the debuggers.
func trying(cmd *cobra.Command, with []string, elsewhere bool) (env *script.Env, engines []gobuild.Engine, err error) {
	for _, w := range with {
		e, err := parseEngine(w)
		if err != nil {
			return nil, nil, err
		}
		engines = append(engines, e)
	}
	if env, err = newEnv(cmd, ""); err != nil {
		return nil, nil, err
	}
	env.Evidence = nil // which costs time, and is not told of a test
	for i, e := range engines {
		if engines[i], err = settled(cmd, env, e, elsewhere); err != nil {
			env.Close()
			return nil, nil, err
		}
	}
	return env, engines, nil
}

// settled is an engine with its toolchain, and its debugger built if it is needed here.
func settled(cmd *cobra.Command, env *script.Env, e gobuild.Engine, elsewhere bool) (gobuild.Engine, error) {
	list, err := env.Cache.Settle(cmd.Context(), []gobuild.Engine{e})
	if err != nil {
		return e, err
	}
	if elsewhere && list[0].Go == "" {
		version, err := env.Cache.GoEnv(cmd.Context(), list[0], "GOVERSION")
		if err != nil {
			return e, err
		}
		list[0].Go = version // another machine's own may be another
	}
	if e.Adapter != dap.Recorded && !elsewhere {
		if _, err := dap.Resolve(cmd.Context(), env.Cache, list[0]); err != nil {
			return e, err
		}
	}
	return list[0], nil
}

// testsOf reads the scripts that paths name; without any, the suite that is shipped.
func testsOf(paths []string) ([]conform.Test, error) {
	if len(paths) == 0 {
		return testscripts.Conformance()
	}
	var tests []conform.Test
	for _, path := range paths {
		files := []string{path}
		info, err := os.Stat(path)
		if err != nil {
			return nil, usagef("%w", err)
		}
		if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.txtar")); err != nil || len(files) == 0 {
				return nil, usagef("%s: expected a folder with scripts, FILE.txtar", path)
			}
		}
		for _, file := range files {
			s, err := readScript(file)
			if err != nil {
				return nil, err
			}
			tests = append(tests, conform.Test{Name: strings.TrimSuffix(filepath.Base(file), ".txtar"), Script: s})
		}
	}
	return tests, nil
}

// marks are how outcomes show in a table.
var marks = map[conform.Outcome]string{conform.Passed: "pass", conform.Failed: "FAIL", conform.NotApplicable: "-", conform.Unable: "?"}

// verdicts are how those of the vote are said.
var verdicts = map[conform.Verdict]string{
	conform.Agreed: "", conform.Engine: "a defect of the debuggers that fail", conform.Suspected: "the test, or its rule: most fail", conform.Undecided: "undecided",
}

// write prints the table, and what follows from it.
func (c *conformFlags) write(out io.Writer, t *conform.Table) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\t\n", "test", strings.Join(t.Engines, "\t"))
	shown := 0
	votes := map[conform.Verdict]int{}
	for _, row := range t.Rows {
		v := row.Verdict()
		votes[v]++
		odd := slices.ContainsFunc(row.Cells, func(cell *conform.Cell) bool { return cell.Outcome != conform.Passed })
		if !c.all && !odd {
			continue
		}
		shown++
		fmt.Fprint(w, row.Test)
		for _, cell := range row.Cells {
			fmt.Fprint(w, "\t", marks[cell.Outcome])
		}
		fmt.Fprintf(w, "\t%s\n", verdicts[v])
	}
	counts := t.Counts()
	for _, line := range []struct {
		name string
		of   func(conform.Count) int
	}{
		{"passed", func(n conform.Count) int { return n.Passed }},
		{"failed", func(n conform.Count) int { return n.Failed }},
		{"not applicable", func(n conform.Count) int { return n.NotApplicable }},
		{"not carried out", func(n conform.Count) int { return n.Unable }},
	} {
		fmt.Fprint(w, line.name)
		for _, n := range counts {
			fmt.Fprintf(w, "\t%d", line.of(n))
		}
		fmt.Fprintln(w, "\t")
	}
	w.Flush()
	if n := len(t.Rows) - shown; n > 0 {
		fmt.Fprintf(out, "all pass %d further tests\n", n)
	}
	if len(t.Engines) > 2 {
		fmt.Fprintf(out, "the vote: %d agreed, %d defects of debuggers, %d suspected tests or rules, %d undecided\n", votes[conform.Agreed], votes[conform.Engine], votes[conform.Suspected], votes[conform.Undecided])
	}
	for i, engine := range t.Engines {
		for _, row := range t.Rows {
			if cell := row.Cells[i]; cell.At != "" {
				fmt.Fprintf(out, "not each time: %s on %s, at first %s: line %d: %s\n", row.Test, engine, cell.At, cell.Line, cell.Reason)
			}
		}
	}
	fmt.Fprintf(out, "time %.1fs\n", t.Took.Seconds())
	if suspects := t.Suspects(); len(suspects) > 0 {
		fmt.Fprintln(out, "rules by how much the suspected tests check them, and the others do not:")
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, s := range suspects[:min(len(suspects), 10)] {
			fmt.Fprintf(w, "  %.3f\t%s\tin %d suspected tests, %d others\n", s.Score, s.Rule, s.Fail, s.Pass)
		}
		w.Flush()
	}
	if !c.verbose {
		return
	}
	for _, row := range t.Rows {
		for i, cell := range row.Cells {
			if cell.Outcome != conform.Passed {
				fmt.Fprintf(out, "%s: %s: %s", row.Test, t.Engines[i], cell.Outcome)
				if cell.Line > 0 {
					fmt.Fprintf(out, ": line %d", cell.Line)
				}
				fmt.Fprintf(out, ": %s\n", cell.Reason)
			}
		}
	}
}
