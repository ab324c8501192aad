package coverage

import (
	"cmp"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"misstep/profiler"
)

// Trials are what there is to try: first each rule once, then what one build is enough for, then all else in an order by seed, in
// which what takes a new build of the standard library comes late.
func (c *Case) Trials(r *rand.Rand, others, converters []string) []Trial {
	o := &order{c: c, r: r, configurations: 0, variants: 0.5}
	if r.IntN(2) == 0 {
		o.configurations, o.variants = o.variants, o.configurations
	}
	o.add(first, Trial{Rule: Truth}, Trial{Rule: Mode})
	late := first
	for _, i := range r.Perm(len(sets)) {
		// Each command of covdata once; all of them read what one build has left.
		o.add(late, Trial{Rule: Tools, Seed: o.seed()*uint64(len(sets)) + uint64(i)})
		late = early
	}
	for _, late := range []float64{first, early, early} {
		o.add(late, Trial{Rule: Pruned, Seed: o.seed()})
	}
	for _, with := range others {
		o.add(first, Trial{Rule: Versions, With: with})
	}
	for _, by := range converters {
		o.add(first, Trial{Rule: Converters, By: by})
	}
	o.inConfigurations()
	o.inWays()
	o.misused()
	from := len(o.all)
	o.asVariants()
	rewrites := slices.DeleteFunc(slices.Clone(o.all[from:]), func(w weighed) bool { return w.Rule != Rewrite })
	o.add(first, rewrites[r.IntN(len(rewrites))].Trial)
	for _, by := range converters {
		o.converted(by)
	}
	slices.SortStableFunc(o.all, func(a, b weighed) int { return cmp.Compare(a.weight, b.weight) })
	trials := []Trial{{Rule: Without}, {Rule: Blocks}}
	for _, w := range o.all {
		trials = append(trials, w.Trial)
	}
	return trials
}

// foremost is how late what people do every day comes, first how late trials come of which each program has some before all others, and early how
// late those that follow.
const foremost, first, early = -2.5, -1.5, -0.5

// soon is how late trials come that take no build.
const soon = -0.2

// An order collects trials, each with a weight by which they are made. Of many programs of which only some trials are made, some
// begin with configurations, and some with variants.
type order struct {
	c                        *Case
	r                        *rand.Rand
	configurations, variants float64 // how late they come
	all                      []weighed
}

// A weighed is a trial with its place in the order.
type weighed struct {
	Trial
	weight float64
}

// add puts trials at a place that is random, and so much later.
func (o *order) add(late float64, trials ...Trial) {
	for _, t := range trials {
		o.all = append(o.all, weighed{t, late + o.r.Float64()})
	}
}

func (o *order) seed() uint64 { return 1 + o.r.Uint64N(1<<16) }

// inConfigurations are trials of other configurations.
func (o *order) inConfigurations() {
	for i, p := range configurations(o.c) {
		if p.String() == o.c.Profiler.String() {
			continue
		}
		late := o.configurations
		switch {
		case i < usual && o.c.Subject.HasTests():
			late = first // who tests with coverage does so
		case p.Race && p.Pkgs == "" && o.c.Subject.HasTests():
			late = early // as many do, though it takes another build of the standard library
		case p.Pkgs == "all" && p.Via == o.c.Profiler.Via && p.Mode == o.c.Profiler.Mode && !p.Race:
			late = early // the standard library is built once for all programs
		case p.Race || strings.Contains(p.Pkgs, "std") || strings.Contains(p.Pkgs, "all"):
			late = 0.8
		}
		o.configured(p, late, late)
	}
}

// configured are the trials of a configuration, that of rule C1 at a place of its own.
func (o *order) configured(p profiler.Profiler, without, late float64) {
	text := p.String()
	if !p.Dry() {
		o.add(late, Trial{Rule: Tools, With: text, Seed: o.seed()})
	}
	if p.Via == profiler.ByAll && !o.c.leads() {
		without, late = without+repeated, late+repeated
	}
	o.add(without, Trial{Rule: Without, With: text})
	if !p.Dry() {
		o.add(late, Trial{Rule: Blocks, With: text})
	}
}

// repeated is how much later trials come that another package of the module is likely to make as well.
const repeated = 2

// inWays are trials in which the go command is asked in other ways.
func (o *order) inWays() {
	without := o.configurations
	if o.c.Subject.HasTests() {
		without -= 0.5
	}
	for _, w := range profiler.Ways {
		p := o.c.Profiler
		p.Way = w.Name
		elsewhere := len(w.Via) > 0 && !slices.Contains(w.Via, p.Via)
		if elsewhere && !slices.Contains(w.Via, profiler.ByAll) {
			continue
		}
		if elsewhere || o.c.Subject.Test && (len(w.Via) == 0 || slices.Contains(w.Via, profiler.ByAll)) {
			p.Via = profiler.ByAll
		}
		if p.Via == profiler.ByAll && !o.c.Subject.HasTests() {
			continue
		}
		if p.Via == profiler.ByAll && !w.Unprofiled && o.r.IntN(2) == 0 {
			p.Pkgs = "./..."
		}
		if o.r.IntN(3) == 0 {
			p.Mode = profiler.Atomic
		}
		if w.Mode != "" {
			p.Mode = w.Mode
		}
		if w.Pkgs != "" {
			p.Pkgs = w.Pkgs
		}
		if p.Dry() && o.c.Subject.HasTests() {
			o.configured(p, first, o.configurations) // which takes little time
			if p.Mode != profiler.Atomic && w.Mode == "" {
				p.Mode = profiler.Atomic // which wants another package
				o.configured(p, first, o.configurations)
			}
			continue
		}
		if w.Unprofiled && !w.Unlike && o.c.Subject.HasTests() {
			o.configured(p, foremost, o.configurations) // as most people ask
			continue
		}
		o.configured(p, without, o.configurations)
	}
}

// usualMisuses is how many misuses of the tools come early. They have little to do with the program, and other programs come by others; where
// there is one program, the rest comes before most of what takes a build.
const usualMisuses = 3

// misused are trials in which tools are asked for what makes no sense.
func (o *order) misused() {
	all := misuses()
	for n, i := range o.r.Perm(len(all)) {
		late := soon
		if n < usualMisuses {
			late = early
		}
		o.add(late, Trial{Rule: Refusals, By: all[i].name, Seed: o.seed()})
	}
}

// asVariants are trials of variants of the program.
func (o *order) asVariants() {
	own := o.c.Profiler
	atomic, all := own, own
	atomic.Mode = profiler.Atomic
	all.Via, all.Pkgs = profiler.ByAll, "./..."
	for _, v := range Variants() {
		if strings.HasPrefix(v.Name, errorVariants) {
			o.add(o.variants+0.1, Trial{Rule: Without, As: v.Name})
			continue
		}
		if strings.HasPrefix(v.Name, testsOf) {
			o.withTests(v, all)
			continue
		}
		if strings.HasPrefix(v.Name, besides) {
			o.withBeside(v)
			continue
		}
		t := Trial{Rule: Rewrite, As: v.Name}
		if v.Chooses {
			t.Seed = o.seed()
		}
		layout := strings.HasPrefix(v.Name, "layout/")
		if layout && own.Mode != profiler.Atomic {
			t.With = atomic.String() // which adds an import to each file
			o.add(o.variants, t)
		}
		if layout && o.c.Subject.Test {
			t.With = all.String()
			o.add(o.variants, t)
		}
		if layout || strings.HasPrefix(v.Name, "declare/") {
			o.add(o.variants+0.2, Trial{Rule: Tools, As: v.Name, Seed: o.seed()})
		}
		// Mostly with the counters of the case, now and then with others, which are other code.
		t.With = ""
		if mode := profiler.Modes[o.r.IntN(len(profiler.Modes))]; mode != own.Mode && o.r.IntN(2) == 0 {
			p := own
			p.Mode = mode
			t.With = p.String()
		}
		o.add(o.variants, t)
	}
}

// withBeside are trials of a variant that has something beside the program: its own package is built, or tested, and what a pattern
// matches is to be covered.
func (o *order) withBeside(v Variant) {
	vias := []string{o.c.Profiler.Via}
	if o.c.Subject.HasTests() && !o.c.Subject.Test {
		vias = append(vias, profiler.ByTest)
	}
	for _, via := range vias {
		p := o.c.Profiler
		p.Via, p.Pkgs = via, "./..."
		o.add(o.variants-0.1, Trial{Rule: Without, As: v.Name, With: p.String()})
	}
}

// withTests are trials of a variant that has tests of its own: they are run, whatever the program has.
func (o *order) withTests(v Variant, all profiler.Profiler) {
	own := all
	own.Pkgs = ""
	with := all.String()
	if o.r.IntN(2) == 0 {
		with = own.String()
	}
	late := o.variants
	if !o.c.Subject.HasTests() {
		late += 0.3
	}
	o.add(late, Trial{Rule: Without, As: v.Name, With: with})
	if v.Idle {
		return
	}
	o.add(late, Trial{Rule: Tools, As: v.Name, With: with, Seed: o.seed()}, Trial{Rule: Blocks, As: v.Name, With: with})
	if o.c.Subject.HasTests() {
		o.add(late, Trial{Rule: Rewrite, As: v.Name, With: with})
	}
}

// converted are the trials of a converter: of what other counters leave, of all tests at once, and of other layouts of the program.
func (o *order) converted(by string) {
	for _, mode := range profiler.Modes {
		p := o.c.Profiler
		p.Mode = mode
		o.add(o.configurations, Trial{Rule: Converters, By: by, Seed: o.seed(), With: p.String()})
	}
	if o.c.Subject.HasTests() {
		p := o.c.Profiler
		p.Via, p.Pkgs = profiler.ByAll, "./..."
		o.add(-2, Trial{Rule: Converters, By: by, Seed: o.seed(), With: p.String()})
	}
	for _, v := range Variants() {
		if strings.HasPrefix(v.Name, "layout/") || strings.HasPrefix(v.Name, "declare/") {
			o.add(o.variants, Trial{Rule: Converters, By: by, Seed: o.seed(), As: v.Name})
		}
	}
}

// usual is how many configurations come first: those that people use every day, two other modes, and go test ./... with all choices of
// packages but all that there are.
const usual = 6

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
		for _, pkgs := range slices.Concat([]string{"", "./..."}, packageDirs(c.Subject), []string{"all"}) {
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

// packageDirs are the folders of a subject's own package and of another one, the first or the last, as patterns, if there are several.
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
	own, other := "./"+path.Clean(s.Package), dirs[0]
	if other == own {
		other = dirs[len(dirs)-1]
	}
	return []string{own, other}
}
