package coverage

import (
	"cmp"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"misstep/profiler"
)

// Trials are what there is to try: first what one build is enough for, then all else in an order by seed, in which what
// takes a new build of the standard library comes late.
func (c *Case) Trials(r *rand.Rand, others []string) []Trial {
	own := c.Profiler.String()
	// Of many programs of which only some trials are made, some begin with configurations, and some with variants.
	first, second := 0.0, 0.5
	if r.IntN(2) == 0 {
		first, second = second, first
	}
	var all []weighed
	add := func(late float64, trials ...Trial) {
		for _, t := range trials {
			all = append(all, weighed{t, late + r.Float64()})
		}
	}
	add(0, Trial{Rule: Truth}, Trial{Rule: Mode})
	for range len(sets) {
		add(0, Trial{Rule: Tools, Seed: 1 + r.Uint64N(1<<16)})
	}
	leads := c.leads()
	for i, p := range configurations(c) {
		text := p.String()
		if text == own {
			continue
		}
		late := first
		switch {
		case i < usual && c.Subject.HasTests():
			late = -2 // who tests with coverage does so
		case p.Race || strings.Contains(p.Pkgs, "std") || strings.Contains(p.Pkgs, "all"):
			late = 0.8
		}
		if p.Via != profiler.ByAll || leads {
			add(late, Trial{Rule: Without, With: text}, Trial{Rule: Blocks, With: text})
		}
		add(late, Trial{Rule: Tools, With: text, Seed: 1 + r.Uint64N(1<<16)})
	}
	for _, with := range others {
		add(0, Trial{Rule: Versions, With: with})
	}
	for range 3 {
		add(second, Trial{Rule: Pruned, Seed: 1 + r.Uint64N(1<<16)})
	}
	for _, w := range profiler.Ways {
		p := c.Profiler
		p.Way = w.Name
		if c.Subject.Test || len(w.Via) > 0 && !slices.Contains(w.Via, p.Via) {
			p.Via = profiler.ByAll
		}
		if len(w.Via) > 0 && !slices.Contains(w.Via, p.Via) || p.Via == profiler.ByAll && !c.Subject.HasTests() {
			continue
		}
		if p.Via == profiler.ByAll && r.IntN(2) == 0 {
			p.Pkgs = "./..."
		}
		text := p.String()
		if p.Via != profiler.ByAll || leads {
			early := first
			if c.Subject.HasTests() {
				early -= 0.5
			}
			add(early, Trial{Rule: Without, With: text})
		}
		if !w.Dry {
			add(first, Trial{Rule: Tools, With: text, Seed: 1 + r.Uint64N(1<<16)})
		}
		if !w.Dry && (p.Via != profiler.ByAll || leads) {
			add(first, Trial{Rule: Blocks, With: text})
		}
	}
	for _, v := range Variants() {
		if strings.HasPrefix(v.Name, errorVariants) {
			add(second+0.1, Trial{Rule: Without, As: v.Name})
			continue
		}
		seed := uint64(0)
		if v.Chooses {
			seed = 1 + r.Uint64N(1<<16)
		}
		// Mostly with the counters of the case, now and then with others, which are other code.
		with := ""
		if mode := profiler.Modes[r.IntN(len(profiler.Modes))]; mode != c.Profiler.Mode && r.IntN(2) == 0 {
			p := c.Profiler
			p.Mode = mode
			with = p.String()
		}
		add(second, Trial{Rule: Rewrite, As: v.Name, Seed: seed, With: with})
		if strings.HasPrefix(v.Name, "layout/") && c.Profiler.Mode != profiler.Atomic {
			p := c.Profiler
			p.Mode = profiler.Atomic // which adds an import to each file
			add(second, Trial{Rule: Rewrite, As: v.Name, Seed: seed, With: p.String()})
		}
		if strings.HasPrefix(v.Name, "layout/") || strings.HasPrefix(v.Name, "declare/") {
			add(second+0.2, Trial{Rule: Tools, As: v.Name, Seed: 1 + r.Uint64N(1<<16)})
		}
		if c.Subject.Test && strings.HasPrefix(v.Name, "layout/") {
			p := c.Profiler
			p.Via, p.Pkgs = profiler.ByAll, "./..."
			add(second, Trial{Rule: Rewrite, As: v.Name, Seed: seed, With: p.String()})
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(a.weight, b.weight) })
	trials := []Trial{{Rule: Without}, {Rule: Blocks}}
	for _, w := range all {
		trials = append(trials, w.Trial)
	}
	return trials
}

// A weighed is a trial with its place in the order.
type weighed struct {
	Trial
	weight float64
}

// usual is how many configurations come first: those that people use every day.
const usual = 4

// configurations are ways to build and run that must not matter, the usual ones first.
func configurations(c *Case) []profiler.Profiler {
	var all []profiler.Profiler
	add := func(change func(*profiler.Profiler)) {
		p := c.Profiler
		change(&p)
		all = append(all, p)
	}
	for _, mode := range profiler.Modes {
		if mode != c.Profiler.Mode {
			add(func(p *profiler.Profiler) { p.Mode = mode })
		}
	}
	switch {
	case c.Subject.HasTests():
		for _, pkgs := range append([]string{"", "./...", "all"}, packageDirs(c.Subject)...) {
			add(func(p *profiler.Profiler) { p.Via, p.Pkgs = profiler.ByAll, pkgs })
		}
	default:
		add(func(p *profiler.Profiler) { p.Pkgs = "./..." })
	}
	if !c.Subject.Test {
		add(func(p *profiler.Profiler) {
			p.Via = map[string]string{profiler.ByBuild: profiler.ByTest, profiler.ByTest: profiler.ByBuild}[p.Via]
		})
	}
	for _, pkgs := range []string{"./...", "all", "std", ".,fmt", ".,sync/atomic,testing", "fmt"} {
		add(func(p *profiler.Profiler) { p.Pkgs = pkgs })
	}
	for _, pkgs := range []string{".", "./...", "all", ".,sync/atomic"} {
		add(func(p *profiler.Profiler) { p.Pkgs, p.Mode = pkgs, profiler.Atomic })
	}
	add(func(p *profiler.Profiler) { p.Trim = true })
	add(func(p *profiler.Profiler) { p.Race, p.Mode = true, profiler.Atomic })
	add(func(p *profiler.Profiler) { p.Race, p.Mode = true, profiler.Set })
	add(func(p *profiler.Profiler) { p.Race, p.Mode, p.Pkgs = true, profiler.Atomic, "all" })
	return all
}

// leads reports whether a subject is the first of its module's packages that have tests, or the only one: what is made of all
// packages at once need not be made for each.
func (c *Case) leads() bool {
	var dirs []string
	for _, f := range c.Subject.Files {
		if strings.HasSuffix(f.Name, "_test.go") {
			dirs = append(dirs, path.Dir(f.Name))
		}
	}
	return len(dirs) == 0 || !c.Subject.Test || slices.Min(dirs) == path.Clean(c.Subject.Package)
}

// packageDirs are the folders of the first and the last package of a subject that has several, as patterns.
func packageDirs(s *profiler.Subject) []string {
	var dirs []string
	for _, name := range s.GoFiles() {
		if dir := "./" + path.Dir(name); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	if len(dirs) < 2 {
		return nil
	}
	return []string{dirs[0], dirs[len(dirs)-1]}
}
