package campaign

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/oracle/metamorphic"
)

// A result is what a campaign came to, with the scripts that it has written.
type result struct {
	*collected
	scripts map[string]string // by class
	known   func(class string) string
}

// counts is what there is to say of a class.
func (r *result) counts(class string) ClassCount {
	list := r.classes[class]
	f := list[0].Finding
	worst := f.Severity
	order := []finding.Severity{finding.Broken, finding.False, finding.Missed, finding.Refused, finding.Improper}
	for _, p := range list {
		if slices.Index(order, p.Finding.Severity) < slices.Index(order, worst) {
			worst = p.Finding.Severity
		}
	}
	count := ClassCount{
		Class: class, Count: len(list), Reason: f.Reason, Script: r.scripts[class], Severity: worst,
		Evidence: f.Evidence, Known: r.known(class),
	}
	if red := r.reduced[class]; red != nil {
		count.Reduced = &red.Reduced
	}
	return count
}

// text is an example's script: that of the first of a class made small, where that has been done.
func (r *result) text(e example) []byte {
	if red := r.reduced[e.class]; e.rank == 1 && red != nil && red.Failed == "" {
		return red.Script
	}
	return e.packed.Script
}

// summarise adds up and writes the scripts, one for each class.
func (c *campaign) summarise(ctx context.Context, start time.Time, before *collected) (*result, error) {
	all, err := collect(ctx, c.store, c.rules)
	if err != nil {
		return nil, err
	}
	sum := &all.sum
	sum.Took = time.Since(start)
	sec := sum.Took.Seconds()
	sum.Rates = Rates{
		Sessions: float64(sum.Sessions-before.sum.Sessions) / sec,
		Actions:  float64(sum.Actions-before.sum.Actions) / sec,
		Tests:    float64(sum.Tests-before.sum.Tests) / sec,
	}
	sum.Unchecked = unchecked(c.rules, c.cfg.Oracles, &sum.Tally)
	r := &result{collected: all, scripts: map[string]string{}, known: c.known}
	if err := c.write(ctx, r); err != nil {
		return nil, err
	}
	sum.Causes = all.causes(r.counts)
	return r, nil
}

// write writes the scripts. Only what an earlier campaign here wrote is cleaned up.
func (c *campaign) write(ctx context.Context, r *result) error {
	old, err := c.store.Noted(ctx, notedScripts)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range r.examples(c.cfg.Sample) {
		name := fileName(e.class)
		if e.rank > 1 {
			name = fmt.Sprintf("%s-%d", name, e.rank)
		}
		text := r.text(e)
		path := filepath.Join(c.cfg.Out, name+".txtar")
		if len(text) == 0 {
			path = filepath.Join(c.cfg.Out, name+".json")
			if text, err = json.MarshalIndent(e.packed.Finding, "", "\t"); err != nil {
				return fmt.Errorf("writing the finding of %s: %w", e.class, err)
			}
		}
		if err := writeFile(path, text); err != nil {
			return err
		}
		names = append(names, filepath.Base(path))
		if full := e.packed.Finding.Full; full != "" {
			names = append(names, name+".full.txt")
			if err := writeFile(filepath.Join(c.cfg.Out, name+".full.txt"), []byte(full)); err != nil {
				return err
			}
		}
		if e.rank == 1 {
			r.scripts[e.class] = path
		}
	}
	for name := range strings.FieldsSeq(old) {
		if !slices.Contains(names, name) {
			os.Remove(filepath.Join(c.cfg.Out, name))
		}
	}
	return c.store.Note(ctx, notedScripts, strings.Join(names, "\n"))
}

func writeFile(path string, text []byte) error {
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return fmt.Errorf("writing a finding: %w", err)
	}
	return nil
}

// writeDefect writes the two programs of a defect into the out folder.
func writeDefect(out string, d *metamorphic.Defect) error {
	for name, files := range map[string][]gobuild.File{"original": d.Original, "variant": d.Variant} {
		ar := &txtar.Archive{Comment: []byte(d.Error() + "\n")}
		for _, f := range files {
			ar.Files = append(ar.Files, txtar.File{Name: f.Name, Data: f.Data})
		}
		if err := writeFile(filepath.Join(out, "defect-"+d.Rewrite+"-"+name+".txtar"), txtar.Format(ar)); err != nil {
			return err
		}
	}
	return nil
}

// leastReduction is the time below which it makes no sense to begin: building and running
// a program a few times takes that.
const leastReduction = 5 * time.Second

// reduce makes the examples of classes that are not known small, side by side, the
// shortest first, as long as there is time.
func (c *campaign) reduce(ctx context.Context, r *result) error {
	var left []example
	for _, e := range r.examples(0) {
		if c.known(e.class) == "" && r.reduced[e.class] == nil && len(e.packed.Script) > 0 {
			left = append(left, e)
		}
	}
	c.emit(Event{Type: "reducing", Reducing: &Reducing{Classes: len(left), Time: c.cfg.Reduce}})
	if c.cfg.Reduce <= 0 || len(left) == 0 {
		return nil
	}
	slices.SortStableFunc(left, func(a, b example) int { return cmp.Compare(len(a.packed.Script), len(b.packed.Script)) })
	end := time.Now().Add(c.cfg.Reduce)
	workers := c.cfg.Workers
	if crowd, ok := c.worker.(Crowd); ok {
		workers = max(1, crowd.Capacity(ctx))
	}
	// Each has as many workers as there are for all, divided by those that work at a time.
	atOnce := max(1, min(workers/2, len(left)))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for range atOnce {
		wg.Go(func() {
			for {
				mu.Lock()
				budget := max(time.Until(end)*time.Duration(atOnce)/time.Duration(max(1, len(left))), leastReduction)
				if len(left) == 0 || time.Until(end) < leastReduction || ctx.Err() != nil || len(errs) > 0 {
					mu.Unlock()
					return
				}
				e := left[0]
				left = left[1:]
				mu.Unlock()
				red, err := c.reduceOne(ctx, e, min(budget, time.Until(end)), workers/atOnce)
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				} else if red != nil {
					r.reduced[e.class] = red
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		errs = nil // what was reduced until now is kept
	}
	return errors.Join(errors.Join(errs...), c.write(context.WithoutCancel(ctx), r))
}

// reduceOne does the job of a class, keeps what came of it and tells.
func (c *campaign) reduceOne(ctx context.Context, e example, budget time.Duration, workers int) (*Reduction, error) {
	j := &Job{
		Index: reductions, Engine: c.cfg.Engine.String(), Options: c.cfg.Options, Limits: c.cfg.Limits,
		Reduce: &ReductionJob{Class: e.class, Script: e.packed.Script, Budget: budget.Round(time.Second), Workers: max(1, workers)},
	}
	out, err := c.worker.Do(ctx, j)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reducing %s: %w", e.class, err)
	}
	c.emit(Event{Type: "reduced", Reduced: &out.Reduction.Reduced})
	return out.Reduction, c.store.Put(ctx, out)
}

// reductions is the index of jobs that come after all runs.
const reductions = 1 << 40

// fileName turns a class into the name of a file.
func fileName(class string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}, class)
}

// firstLine is the first line of a text that is no heading of the go command's.
func firstLine(s string) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", 3)
	if strings.HasPrefix(lines[0], "#") && len(lines) > 1 {
		return lines[1]
	}
	return lines[0]
}
