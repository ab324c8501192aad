// Mutants tells how much of packages their tests would notice: it makes small changes, one
// at a time, and says which of them no test fails for.
//
//	go run ./tools/mutants [-sample n] [-j n] [-tests package] package...
//
// The changes are those of mutation testing: a condition negated, && for || and the other way
// around, < for <= and the other way around, + for - and the other way around, a statement
// (assignment, call, break, continue) left out. All of a package are compiled at once, each
// switched on by a number in the environment (mutant schemata; Untch, Offutt and Harrold,
// ISSTA 1993), so that a mutant costs no build, and runs only the tests that reach it, the quick
// ones first: hours for these packages become minutes. A sample is drawn from a seed.
//
// A mutant that does what the original does, in all that the package promises, is equivalent. The
// file docs/mutants.txt lists these, one a line, with a reason; they are left out of the share.
//
// Not covered: constants, returns, calls of other functions, declarations of packages.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "try `n` mutants of each package; 0 is all")
	flag.Uint64Var(&o.seed, "seed", 1, "draw the sample by this `number`")
	flag.IntVar(&o.jobs, "j", 2, "try `n` at a time")
	flag.StringVar(&o.tests, "tests", "", "run the tests of this `package`, not each package's own")
	flag.StringVar(&o.only, "only", "", "try only mutants whose line contains this `text`")
	flag.StringVar(&o.equivalent, "equivalent", "docs/mutants.txt", "the `file` that lists equivalent mutants")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	sample, jobs            int
	seed                    uint64
	tests, only, equivalent string
}

// run tries the mutants of packages, and writes which survive, and a table.
func run(ctx context.Context, o *options, patterns []string, out io.Writer) error {
	same, err := equivalents(o.equivalent)
	if err != nil {
		return err
	}
	cfg := &packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedModule}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return err
	}
	if packages.PrintErrors(pkgs) > 0 {
		return fmt.Errorf("%s cannot be read", strings.Join(patterns, " "))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "package\tmutants\ttried\tequivalent\tkilled\tsurvived\tnot reached\tshare")
	for _, p := range pkgs {
		c, err := one(ctx, o, p, same, out)
		if err != nil {
			return fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		share := "none"
		if n := c.tried - c.equivalent; n > 0 {
			share = fmt.Sprintf("%.0f %%", 100*float64(c.killed)/float64(n))
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", p.PkgPath, c.all, c.tried, c.equivalent, c.killed, c.survived, c.unreached, share)
	}
	return table.Flush()
}

// counts are a package's mutants, by what came of them.
type counts struct{ all, tried, equivalent, killed, survived, unreached int }

func one(ctx context.Context, o *options, p *packages.Package, same map[string]bool, out io.Writer) (*counts, error) {
	name := strings.TrimPrefix(p.PkgPath, p.Module.Path+"/")
	m := &mutator{pkg: p, name: name}
	files, err := m.overlay()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	tests, dir := p.PkgPath, filepath.Dir(p.GoFiles[0])
	if o.tests != "" {
		other, err := packages.Load(&packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedFiles}, o.tests)
		if err != nil || len(other) != 1 || len(other[0].GoFiles) == 0 {
			return nil, fmt.Errorf("-tests %s: want one package: %v", o.tests, err)
		}
		tests, dir = other[0].PkgPath, filepath.Dir(other[0].GoFiles[0])
	}
	b, err := build(ctx, tests, dir, work, files)
	if err != nil {
		return nil, err
	}
	if err := b.measure(ctx); err != nil {
		return nil, err
	}
	tried := m.mutants
	if o.only != "" {
		tried = slices.DeleteFunc(slices.Clone(tried), func(m *mutant) bool { return !strings.Contains(m.String(), o.only) })
	}
	if o.sample > 0 && o.sample < len(tried) {
		r := rand.New(rand.NewPCG(o.seed, 0))
		tried = slices.Clone(tried)
		r.Shuffle(len(tried), func(i, j int) { tried[i], tried[j] = tried[j], tried[i] })
		tried = tried[:o.sample]
		slices.SortFunc(tried, func(a, b *mutant) int { return a.id - b.id })
	}
	c := &counts{all: len(m.mutants), tried: len(tried)}
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
		slots = make(chan bool, max(o.jobs, 1))
	)
	for _, m := range tried {
		if same[m.key()] {
			c.equivalent++
			continue
		}
		slots <- true
		wg.Go(func() {
			defer func() { <-slots }()
			res, err := b.try(ctx, m)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = err
				return
			}
			switch res {
			case killed:
				c.killed++
			case survived:
				c.survived++
				fmt.Fprintln(out, "survives:", m)
			case unreached:
				c.unreached++
				fmt.Fprintln(out, "not reached:", m)
			}
		})
		mu.Lock()
		err := first
		mu.Unlock()
		if err != nil {
			break
		}
	}
	wg.Wait()
	return c, first
}

// equivalents reads the list of mutants that change nothing: what [mutant.key] gives, and a
// reason after another bar.
func equivalents(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	res := map[string]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := cutLast(line, " | ")
		if !ok || strings.Count(key, " | ") < 2 || reason == "" {
			return nil, fmt.Errorf("%s:%d: want file function | operator | code | reason", file, i+1)
		}
		res[key] = true
	}
	return res, nil
}

// cutLast cuts at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
