package pool

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"misstep/conform"
	"misstep/internal/executed"
	"misstep/script"
	"misstep/triage/reduce"
)

// A Choice says what a suite is made like.
type Choice struct {
	// Most is how many tests there are at most.
	Most int
	// Reduce is the time in which each is made small; 0 leaves them as they are.
	Reduce time.Duration
	// Has is what the suite is to add to: scripts that are there already.
	Has []*script.Script
	// News, if not nil, is told the counters of each test in turn, and names the functions of the debugger of which it executes something
	// that no test before it has.
	News func(ctx context.Context, dir string) ([]string, error)
}

// A chosen member, with what it was chosen for.
type chosen struct {
	*member
	adds map[feature]bool
	dir  string // the counters of its last run
}

// Suite makes tests of the pool that has grown. Failing are sessions that find something, one of each class.
func (g *Grower) Suite(ctx context.Context, c Choice) (tests, failing []conform.Test, err error) {
	forget := g.remember(0)
	defer forget()
	has, err := g.featuresOf(ctx, c.Has)
	if err != nil {
		return nil, nil, err
	}
	var ready []*chosen
	defer func() {
		for _, m := range ready {
			os.RemoveAll(m.dir)
		}
	}()
	// What turns out to be no test leaves room for others that have the same.
	left := slices.Clone(g.pool.members)
	for len(ready) < c.Most && ctx.Err() == nil {
		picked := pick(left, maps.Clone(has), c.Most-len(ready))
		if len(picked) == 0 {
			break
		}
		left = slices.DeleteFunc(left, func(m *member) bool {
			return slices.ContainsFunc(picked, func(c *chosen) bool { return c.member == m })
		})
		g.say("%d sessions are looked at", len(picked))
		good, made := make([]bool, len(picked)), make([][]feature, len(picked))
		err := g.each(ctx, len(picked), func(ctx context.Context, i int) (err error) {
			good[i], made[i], err = g.demands(ctx, picked[i])
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		// A rule is what the first is for that has it judge something.
		claimed := maps.Clone(has)
		for i, m := range picked {
			for _, f := range made[i] {
				if good[i] && !claimed[f] {
					m.adds[f], claimed[f] = true, true
				}
			}
		}
		var tried atomic.Int64
		err = g.each(ctx, len(picked), func(ctx context.Context, i int) (err error) {
			if good[i] {
				good[i], err = g.test(ctx, picked[i], c.Reduce)
			}
			if n := tried.Add(1); n%50 == 0 {
				g.say("%d of %d", n, len(picked))
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		n := len(ready)
		for i, m := range picked {
			if good[i] {
				ready = append(ready, m)
				maps.Copy(has, m.adds)
			}
		}
		g.say("%d tests are made", len(ready))
		if len(ready) == n {
			break
		}
	}
	texts := make([]text, len(ready))
	for i, m := range ready {
		texts[i] = text{script: m.script, as: m.as, cases: casesOf(m.adds)}
		if c.News != nil {
			if texts[i].functions, err = c.News(ctx, m.dir); err != nil {
				return nil, nil, err
			}
		}
		explain(texts[i])
	}
	for i, name := range named(texts) {
		tests = append(tests, conform.Test{Name: name, Script: texts[i].script})
	}
	slices.SortFunc(tests, func(a, b conform.Test) int { return strings.Compare(a.Name, b.Name) })
	for _, class := range slices.Sorted(maps.Keys(g.found)) {
		failing = append(failing, conform.Test{Name: strings.NewReplacer("/", "_", " ", "-").Replace(class), Script: g.found[class]})
	}
	return tests, failing, nil
}

// featuresOf are those that scripts have.
func (g *Grower) featuresOf(ctx context.Context, scripts []*script.Script) (map[feature]bool, error) {
	all := make([]map[feature]bool, len(scripts))
	err := g.each(ctx, len(scripts), func(ctx context.Context, i int) error {
		dir, err := g.Env.Keeper.TempDir("counters")
		if err != nil {
			return fmt.Errorf("making a folder for counters: %w", err)
		}
		defer os.RemoveAll(dir)
		res := g.counting(dir).Run(ctx, scripts[i])
		blocks, err := executed.Blocks(dir)
		if err != nil {
			return err
		}
		all[i] = map[feature]bool{}
		for b, ran := range blocks {
			if ran {
				all[i][feature{block: b}] = true
			}
		}
		for _, f := range rules(res.Made) {
			all[i][f] = true
		}
		return nil
	})
	has := map[feature]bool{}
	for _, some := range all {
		maps.Copy(has, some)
	}
	return has, err
}

// atLeast is the time that any test takes, whatever it does.
const atLeast = 200 * time.Millisecond

// pick chooses members that together have all features which are not there already: each time the one that adds most in its time.
func pick(members []*member, has map[feature]bool, most int) (picked []*chosen) {
	left := slices.Clone(members)
	for len(picked) < most {
		best, value := -1, 0.0
		for i, m := range left {
			n := 0
			for f := range m.has {
				if !has[f] {
					n++
				}
			}
			if v := float64(n) / (m.took + atLeast).Seconds(); v > value {
				best, value = i, v
			}
		}
		if best < 0 {
			break
		}
		m := &chosen{member: left[best], adds: map[feature]bool{}}
		left = slices.Delete(left, best, best+1)
		for f := range m.has {
			if !has[f] {
				m.adds[f], has[f] = true, true
			}
		}
		picked = append(picked, m)
	}
	return picked
}

// kept is what a candidate of a reduction shows that is a test and has what the member was chosen for.
const kept = "kept"

// again runs a script, and says which of the features of a member it has for which that was chosen, and whether it passes. The
// counters are left in a folder, which the caller removes.
func (g *Grower) again(ctx context.Context, m *chosen, s *script.Script) (has map[feature]bool, passes bool, dir string, err error) {
	if dir, err = g.Env.Keeper.TempDir("counters"); err != nil {
		return nil, false, "", fmt.Errorf("making a folder for counters: %w", err)
	}
	res := g.counting(dir).Run(ctx, s)
	if ctx.Err() != nil {
		return nil, false, dir, context.Cause(ctx)
	}
	if res.Outcome != script.Passed || res.Died != "" || res.Trace == nil {
		return nil, false, dir, nil
	}
	blocks, err := executed.Blocks(dir)
	if err != nil {
		return nil, false, dir, err
	}
	shown, _ := features(blocks, res.Trace.Events, m.on.tested.Source, startedAs(m.script.Commands[0].Option("as")))
	for _, f := range rules(res.Made) {
		shown[f] = true
	}
	shown[feature{is: m.way}] = true // a case of those that demand a relation
	has = map[feature]bool{}
	for f := range m.adds {
		if shown[f] {
			has[f] = true
		}
	}
	return has, true, dir, nil
}

// attempts is how often rules are left out of what a test demands, as the debugger breaks them.
const attempts = 4

// demands leaves out of what a member's script demands the rules that the debugger breaks, each of which is a finding. It reports whether the
// script passes then, and the rules that judge something in it.
func (g *Grower) demands(ctx context.Context, m *chosen) (passes bool, made []feature, err error) {
	for range attempts {
		dir, err := g.Env.Keeper.TempDir("counters")
		if err != nil {
			return false, nil, fmt.Errorf("making a folder for counters: %w", err)
		}
		res := g.counting(dir).Run(ctx, m.script)
		os.RemoveAll(dir)
		switch {
		case ctx.Err() != nil:
			return false, nil, context.Cause(ctx)
		case res.Outcome == script.Passed:
			made = rules(res.Made)
			slices.SortFunc(made, func(a, b feature) int { return strings.Compare(a.is, b.is) })
			return true, made, nil
		case res.Outcome != script.Reproduced || len(res.Findings) == 0 || res.Findings[0].Oracle == "script":
			return false, nil, nil
		}
		less := m.script.Clone()
		last := less.Judge()
		if last == nil || last.Verb == relate {
			return false, nil, nil // a relation is all that it demands
		}
		broken := map[string]bool{}
		for _, f := range res.Findings {
			one := m.script.Clone()
			one.Commands = slices.DeleteFunc(one.Commands, func(c script.Command) bool { return c.Judges() })
			one.Commands = append(one.Commands, script.Command{Verb: f.Oracle, Args: []string{f.Rule}})
			g.noteFound(f.Class.String(), one)
			broken[f.Rule] = true
		}
		for _, rule := range slices.Sorted(maps.Keys(broken)) {
			last.Without(rule)
		}
		m.script = less
	}
	return false, nil, nil
}

// test makes a test of a member that passes, and reports whether it is one.
func (g *Grower) test(ctx context.Context, m *chosen, budget time.Duration) (bool, error) {
	ok, err := g.settle(ctx, m)
	if ok && err == nil && budget > 0 {
		err = g.shrink(ctx, m, budget)
	}
	if !ok || err != nil {
		return false, err
	}
	return g.stable(ctx, m)
}

// noteFound keeps a script that finds something, the first of each class.
func (g *Grower) noteFound(class string, s *script.Script) {
	g.finding.Lock()
	defer g.finding.Unlock()
	if g.found[class] == nil {
		g.found[class] = s
	}
}

// settle leaves of what a member was chosen for what it shows each time, and reports whether that is something.
func (g *Grower) settle(ctx context.Context, m *chosen) (bool, error) {
	for range runs {
		has, passes, dir, err := g.again(ctx, m, m.script)
		os.RemoveAll(dir)
		if err != nil {
			return false, err
		}
		if !passes || len(has) == 0 {
			return false, nil
		}
		m.adds = has
	}
	return true, nil
}

// shrink makes the session of a member's script small. The program is short enough if it is to be.
func (g *Grower) shrink(ctx context.Context, m *chosen, budget time.Duration) error {
	r := &reduce.Reducer{Workers: 1, Budget: budget, Session: g.Lines > 0, Check: func(ctx context.Context, s *script.Script) ([]string, error) {
		if j := s.Judge(); j == nil || j.Verb != m.script.Judge().Verb {
			return nil, nil
		}
		has, passes, dir, err := g.again(ctx, m, s)
		os.RemoveAll(dir)
		if err != nil || !passes || len(has) < len(m.adds) {
			return nil, err
		}
		return []string{kept}, nil
	}}
	res, err := r.Reduce(ctx, m.script.Clone())
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		m.script = res.Script
	}
	// Otherwise it does not show again what it was chosen for, which stable finds out.
	return nil
}

// runs is how often a test must pass before it is one.
const runs = 5

// stable reports whether a test passes each time.
func (g *Grower) stable(ctx context.Context, m *chosen) (bool, error) {
	for range runs {
		_, passes, dir, err := g.again(ctx, m, m.script)
		if m.dir != "" {
			os.RemoveAll(m.dir)
		}
		if m.dir = dir; err != nil || !passes {
			return false, err
		}
	}
	return true, nil
}
