package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"misstep/internal/gobuild"
	"misstep/mutation"
)

// mutateFlags are those of mutate.
type mutateFlags struct {
	with, out, same, equivalent, logs string
	packages                          []string
	seed                              uint64
	n, jobs, again                    int
	timeout                           time.Duration
}

func newMutate() *cobra.Command {
	m := &mutateFlags{}
	cmd := &cobra.Command{
		Use:   "mutate [flags] -- COMMAND ARG…",
		Short: "Say how many mutants of Delve a command notices: a test suite, a hunt, a script",
		Long: `Mutate makes mutants of Delve, small changes of its source each of which is likely to be a
bug, and runs a command with one after another. A mutant is killed when the command
fails, that is, exits with another code than 0, or takes far longer than it does without. The
share that is killed says how strong the command is as a test of a debugger.

In the command's words these stand for something:

  {dlv}     the binary, which has all mutants in it; the environment says which is on
  {source}  its source, so that Delve's own tests can be run
  {id}      the mutant's number, 0 for none
  {tmp}     an empty folder, which is removed afterwards

The command is run without a mutant first, where it has to succeed. Mutants are
sampled, by the seed, from those that the command comes by then; with --same they are those of a
file that --out of another run has written, so that two commands are measured by the same.

A mutant that does what the original does, in all that Delve promises, is equivalent.
--equivalent names a file that lists these, one a line: file function | operator | code | reason.

Exit codes: 0 every mutant is killed or equivalent, 1 error, 2 usage, 3 some survive.`,
		Example: `  misstep mutate --out mutants.json -- go test -C {source} -count=1 ./service/dap
  misstep mutate --same mutants.json -- \
    misstep hunt --with dlv={dlv} --baseline dlv --time 75s --reduce 0 --out {tmp}/out corpus
  misstep mutate --n 200 -j 2 -- misstep replay --with dlv={dlv} testscripts/suite`,
		Args: args(func(cmd *cobra.Command, a []string) error {
			if cmd.ArgsLenAtDash() != 0 || len(a) == 0 {
				return errors.New("expected a command after --")
			}
			return nil
		}),
		RunE: m.run,
	}
	f := cmd.Flags()
	f.StringVar(&m.with, "with", "dlv", "the Delve to make mutants of, such as dlv@v1.26.0")
	f.StringSliceVar(&m.packages, "packages", nil, "only mutants in these packages of Delve, such as service/dap")
	f.Uint64Var(&m.seed, "seed", 1, "seed of the sample")
	f.IntVar(&m.n, "n", 60, "mutants to try; 0 is all that the command comes by")
	f.IntVarP(&m.jobs, "jobs", "j", 1, "commands at the same time")
	f.IntVar(&m.again, "again", 0, "run a command that fails so many times more, and count it as failed only if it fails each time; for tests that fail by themselves now and then")
	f.DurationVar(&m.timeout, "timeout", 0, "a command that takes longer has noticed; without it, four times what it takes without a mutant, and ten seconds")
	f.StringVar(&m.out, "out", "", "file for the mutants and their outcomes, as JSON")
	f.StringVar(&m.same, "same", "", "try the mutants of such a file")
	f.StringVar(&m.equivalent, "equivalent", "", "file that lists mutants that change nothing")
	f.StringVar(&m.logs, "logs", "", "folder for what the command prints, a file for each mutant")
	return cmd
}

func (f *mutateFlags) run(cmd *cobra.Command, command []string) error {
	if f.n < 0 || f.jobs < 1 || f.timeout < 0 || f.again < 0 {
		return usagef("--n, --again and --timeout must not be negative, -j at least 1")
	}
	if err := hasFolder("--out", f.out); err != nil {
		return err
	}
	engine, err := parseEngine(f.with)
	if err != nil {
		return err
	}
	trial := &mutation.Trial{Command: command, Limit: f.timeout, Again: f.again, Logs: f.logs, Workers: f.jobs}
	if f.equivalent != "" {
		if _, err := os.Stat(f.equivalent); err != nil {
			return usagef("--equivalent: %w", err)
		}
		if trial.Same, err = mutation.Equivalents(f.equivalent); err != nil {
			return &usageError{err}
		}
	}
	given, err := f.given()
	if err != nil {
		return err
	}
	if f.logs != "" {
		if err := os.MkdirAll(f.logs, 0o777); err != nil {
			return fmt.Errorf("--logs: %w", err)
		}
	}
	h, err := newHouse(cmd)
	if err != nil {
		return err
	}
	defer h.close()
	ctx := cmd.Context()
	all, err := h.cache.DlvMutants(ctx, engine)
	if err != nil {
		return err
	}
	trial.Keeper, trial.Words = h.keeper, map[string]string{"{dlv}": all.Dlv, "{source}": all.Source}
	fmt.Fprintf(cmd.ErrOrStderr(), "misstep: running the command without a mutant\n")
	reached, took, err := trial.Healthy(ctx)
	if err != nil {
		var failed *mutation.FailedError
		if errors.As(err, &failed) {
			fmt.Fprintln(cmd.ErrOrStderr(), failed.Says)
		}
		return err
	}
	if trial.Limit == 0 {
		trial.Limit = 4*took + 10*time.Second
	}
	chosen, err := f.choose(all, reached, given)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "misstep: it took %s and came by %d of %d mutants; trying %d\n", took.Round(100*time.Millisecond), len(reached), len(all.All), len(chosen))
	return f.try(ctx, cmd.OutOrStdout(), trial, chosen)
}

// given are the results in the file of --same.
func (f *mutateFlags) given() ([]*mutation.Result, error) {
	if f.same == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.same)
	if err != nil {
		return nil, usagef("--same: %w", err)
	}
	var list []*mutation.Result
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 || slices.ContainsFunc(list, func(r *mutation.Result) bool { return r == nil || r.Mutant == nil }) {
		return nil, usagef("--same: %s: expected the mutants that --out has written", f.same)
	}
	return list, nil
}

// choose picks the mutants to try.
func (f *mutateFlags) choose(all *gobuild.Mutants, reached map[int]bool, given []*mutation.Result) ([]*mutation.Mutant, error) {
	var chosen []*mutation.Mutant
	if given != nil {
		for _, r := range given {
			if r.ID < 1 || r.ID > len(all.All) || *all.All[r.ID-1] != *r.Mutant {
				return nil, usagef("--same: %s: %s is no mutant of this Delve, %s", f.same, r.Mutant, f.with)
			}
			chosen = append(chosen, r.Mutant)
		}
		return chosen, nil
	}
	for _, m := range all.All {
		if reached[m.ID] && (len(f.packages) == 0 || slices.Contains(f.packages, m.Package)) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("the command comes by no mutant: has it %s in its arguments, and is --packages one of Delve's?", "{dlv} or {source}")
	}
	if f.n > 0 && f.n < len(chosen) {
		r := rand.New(rand.NewPCG(f.seed, 0x6d7574616e74))
		r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:f.n]
	}
	return chosen, nil
}

// try tries mutants, prints each and the tables, and writes the file.
func (f *mutateFlags) try(ctx context.Context, out io.Writer, trial *mutation.Trial, chosen []*mutation.Mutant) error {
	var results []*mutation.Result
	err := trial.Run(ctx, chosen, func(r *mutation.Result) {
		results = append(results, r)
		fmt.Fprintf(out, "%-10s  %5d  %s\n", r.Outcome, r.ID, r.Mutant)
	})
	slices.SortFunc(results, func(a, b *mutation.Result) int { return cmp.Compare(a.ID, b.ID) })
	if f.out != "" {
		text, jerr := json.MarshalIndent(results, "", "\t")
		if jerr == nil {
			jerr = os.WriteFile(f.out, append(text, '\n'), 0o666)
		}
		if jerr != nil {
			return errors.Join(err, fmt.Errorf("--out: %w", jerr))
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	table(out, "package", results, func(r *mutation.Result) string { return r.Package })
	fmt.Fprintln(out)
	table(out, "operator", results, func(r *mutation.Result) string { return r.Operator })
	if slices.ContainsFunc(results, func(r *mutation.Result) bool { return r.Outcome == mutation.Survived }) {
		return errFindings
	}
	return nil
}

// table prints how the mutants came out, by something of theirs.
func table(out io.Writer, by string, results []*mutation.Result, key func(*mutation.Result) string) {
	groups := map[string][]*mutation.Result{"all": results}
	names := []string{}
	for _, r := range results {
		k := key(r)
		if groups[k] == nil {
			names = append(names, k)
		}
		groups[k] = append(groups[k], r)
	}
	slices.Sort(names)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join([]string{by, "mutants", "killed", "survived", "equivalent", "share"}, "\t"))
	for _, name := range append(names, "all") {
		n := map[mutation.Outcome]int{}
		for _, r := range groups[name] {
			n[r.Outcome]++
		}
		killed, counted, share := n[mutation.Killed]+n[mutation.TimedOut], len(groups[name])-n[mutation.Equivalent], "none"
		if counted > 0 {
			share = fmt.Sprintf("%.0f %%", 100*float64(killed)/float64(counted))
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\n", name, len(groups[name]), killed, n[mutation.Survived], n[mutation.Equivalent], share)
	}
	w.Flush()
}
