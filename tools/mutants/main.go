// Mutants tells how much of packages their tests would notice: it makes small changes, one
// at a time, and says which of them no test fails for.
//
//	go run ./tools/mutants [-sample n] [-j n] [-tests package] package...
//
// The changes are those of package mutation. All of a package are compiled at once, so that a mutant
// costs no build, and runs only the tests that reach it, the quick ones first: hours for these
// packages become minutes. A sample is drawn from a seed.
//
// A mutant that does what the original does, in all that the package promises, is equivalent. The
// file docs/mutants.txt lists these, one a line, with a reason; they are left out of the share.
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

	"misstep/mutation"
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
	same, err := mutation.Equivalents(o.equivalent)
	if err != nil {
		return err
	}
	pkgs, err := mutation.Load(ctx, "", nil, patterns...)
	if err != nil {
		return err
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
	files, mutants, err := mutation.Change(p)
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
	tried := mutants
	if o.only != "" {
		tried = slices.DeleteFunc(slices.Clone(tried), func(m *mutation.Mutant) bool { return !strings.Contains(m.String(), o.only) })
	}
	if o.sample > 0 && o.sample < len(tried) {
		r := rand.New(rand.NewPCG(o.seed, 0))
		tried = slices.Clone(tried)
		r.Shuffle(len(tried), func(i, j int) { tried[i], tried[j] = tried[j], tried[i] })
		tried = tried[:o.sample]
		slices.SortFunc(tried, func(a, b *mutation.Mutant) int { return a.ID - b.ID })
	}
	c := &counts{all: len(mutants), tried: len(tried)}
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
		slots = make(chan bool, max(o.jobs, 1))
	)
	for _, m := range tried {
		if same[m.Key()] {
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
