package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/executed"
	"misstep/internal/gobuild"
	"misstep/script"
)

// A Grower grows a pool.
type Grower struct {
	Env    *script.Env
	Engine gobuild.Engine
	// Adapter is the engine's, with a binary that counts what of it is executed.
	Adapter  *dap.Adapter
	Programs []*gobuild.Program
	// Lines and Commands are how many a test's program and its script have at most, so that it can be read: lines that are not blank, and
	// commands with the first and the last, which launch and judge. What a longer program has is looked for in slices of it. 0 is
	// without a bound.
	Lines, Commands int
	// Old are members of a pool of before, which come first.
	Old     []*script.Script
	Seed    uint64
	Workers int
	// Time ends the growth, and so does Trials, if it is not 0.
	Time   time.Duration
	Trials int
	// Unguided has every session be a fresh one, to see what guidance is worth.
	Unguided bool
	// Said is told of what is done; it may be nil.
	Said func(format string, args ...any)
	// Keep, if not nil, is given the pool as it is now and then, and at the end, so that it is not lost.
	Keep func(*Pool) error

	env      *script.Env // Env, with a memo
	subjects []*subject
	pool     *Pool
	seen     map[feature]bool
	finding  sync.Mutex
	found    map[string]*script.Script // by class
	targets  targets
	by, on   []yield // of the choices, and of the programs
	turns    []int   // how often each way was chosen
	n        int     // trials so far
}

// A member is a session of the pool.
type member struct {
	script *script.Script
	way    string
	on     *subject
	as     string
	early  []string
	has    map[feature]bool
	within map[function]int // how many blocks it executes of each function
	took   time.Duration
}

// A Point is one of the curve of a growth.
type Point struct {
	Elapsed                        time.Duration
	Trials, Members, Blocks, Cases int
}

// A Pool is what has grown.
type Pool struct {
	Curve []Point
	// Skipped says why a program does not take part, by name.
	Skipped map[string]string
	// Raw is a folder with what the members' debuggers counted, for go tool covdata.
	Raw string

	members []*member
}

// Scripts are the sessions of the pool, in the order in which they came into it.
func (p *Pool) Scripts() (all []*script.Script) {
	for _, m := range p.members {
		all = append(all, m.script)
	}
	return all
}

// batch is how many sessions are chosen of one state of the pool.
const batch = 16

// Grow tries sessions until time is up.
func (g *Grower) Grow(ctx context.Context) (*Pool, error) {
	p := &Pool{Skipped: map[string]string{}}
	var err error
	if p.Raw, err = g.Env.Keeper.TempDir("pool"); err != nil {
		return nil, fmt.Errorf("making a folder for counters: %w", err)
	}
	g.pool, g.seen, g.found, g.targets.tried = p, map[feature]bool{}, map[string]*script.Script{}, map[executed.Block]int{}
	if err := g.prepareAll(ctx); err != nil {
		return nil, err
	}
	forget := g.remember(len(g.subjects))
	defer forget()
	g.say("%d programs take part", len(g.subjects))
	start := time.Now()
	for i := 0; i < len(g.Old); i += batch {
		if err := g.round(ctx, g.oldOnes(g.Old[i:min(len(g.Old), i+batch)])); err != nil {
			return nil, err
		}
	}
	said := start
	// A pool that goes on makes other choices than it began with.
	seed := g.Seed + uint64(len(g.Old))<<32
	for (g.Time == 0 || time.Since(start) < g.Time) && (g.Trials == 0 || g.n < g.Trials) {
		var trials []*trial
		for range batch {
			if t := g.choose(rand.New(rand.NewPCG(seed, uint64(g.n)))); t != nil {
				trials = append(trials, t)
			}
			g.n++
		}
		if err := g.round(ctx, trials); err != nil {
			return nil, err
		}
		point := g.point(time.Since(start))
		p.Curve = append(p.Curve, point)
		if time.Since(said) > often {
			said = time.Now()
			if err := g.kept(); err != nil {
				return nil, err
			}
			g.say("%d sessions tried, %d in the pool, which execute %d blocks of the debugger and have %d cases", point.Trials, point.Members, point.Blocks, point.Cases)
		}
	}
	return p, g.kept()
}

// remember gives the grower an environment that keeps so many programs, until it is told to forget them.
func (g *Grower) remember(programs int) (forget func()) {
	g.env, forget = g.Env.Remembering()
	g.env.Engine, g.env.Memo.Keep = g.Engine.String(), programs
	return forget
}

// often is how often it is told how far the growth is.
const often = 30 * time.Second

// kept gives the pool away as it is.
func (g *Grower) kept() error {
	if g.Keep == nil {
		return nil
	}
	return g.Keep(g.pool)
}

func (g *Grower) say(format string, args ...any) {
	if g.Said != nil {
		g.Said(format, args...)
	}
}

// each does something for each of n, as many at a time as there are workers. The first error ends it.
func (g *Grower) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(max(1, g.Workers))
	for i := range n {
		work.Go(func() error {
			if inner.Err() != nil {
				return context.Cause(inner)
			}
			return do(inner, i)
		})
	}
	err := work.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// prepareAll prepares all programs.
func (g *Grower) prepareAll(ctx context.Context) error {
	var programs []*gobuild.Program
	for _, p := range g.Programs {
		short, why, err := g.short(p)
		if err != nil {
			return err
		}
		if len(short) == 0 {
			g.pool.Skipped[p.Name] = why
		}
		programs = append(programs, short...)
	}
	made, why := make([]*subject, len(programs)), make([]string, len(programs))
	err := g.each(ctx, len(programs), func(ctx context.Context, i int) (err error) {
		made[i], why[i], err = g.prepare(ctx, programs[i])
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range made {
		if s == nil {
			g.pool.Skipped[programs[i].Name] = why[i]
			continue
		}
		g.subjects = append(g.subjects, s)
	}
	if len(g.subjects) == 0 {
		return fmt.Errorf("none of %d programs can be debugged", len(g.Programs))
	}
	return nil
}

// round tries sessions, and adds to the pool what is worth it, in their order.
func (g *Grower) round(ctx context.Context, trials []*trial) error {
	if err := g.each(ctx, len(trials), func(ctx context.Context, i int) error { return g.try(ctx, trials[i]) }); err != nil {
		return err
	}
	for _, t := range trials {
		if err := g.merge(t); err != nil {
			return err
		}
	}
	return nil
}

// news is how much a session shows that none of the pool does.
func (g *Grower) news(has map[feature]bool) int {
	n := 0
	for f := range has {
		if !g.seen[f] {
			n++
		}
	}
	return n
}

// merge takes a session into the pool if it adds something to it.
func (g *Grower) merge(t *trial) error {
	if t.way == "generated" && len(t.events) > 0 {
		t.subject.base = t.events
	}
	if t.found != "" {
		g.noteFound(t.found, t.script)
	}
	if t.raw != "" {
		defer os.RemoveAll(t.raw)
	}
	news := 0
	if t.script != nil {
		news = g.news(t.has)
	}
	if t.again == nil {
		g.by[t.by].note(news)
		g.on[t.on].note(news)
	}
	if news == 0 {
		return nil
	}
	m := &member{
		script: t.script, way: t.way, on: t.subject, as: t.as, early: t.early, has: t.has, within: map[function]int{},
		took: t.took,
	}
	for f := range t.has {
		g.seen[f] = true
		if f.is == "" {
			m.within[functionOf(f.block)]++
		}
	}
	g.pool.members = append(g.pool.members, m)
	g.targets.met(g.seen, t.missing)
	return g.keep(t.raw)
}

// keep keeps the counters of a session.
func (g *Grower) keep(raw string) error {
	files, err := os.ReadDir(raw)
	if err != nil {
		return fmt.Errorf("keeping counters: %w", err)
	}
	for _, f := range files {
		if err := os.Rename(filepath.Join(raw, f.Name()), filepath.Join(g.pool.Raw, f.Name())); err != nil {
			return fmt.Errorf("keeping counters: %w", err)
		}
	}
	return nil
}

// point is where the growth is.
func (g *Grower) point(elapsed time.Duration) Point {
	p := Point{Elapsed: elapsed, Trials: g.n, Members: len(g.pool.members)}
	for f := range g.seen {
		if f.is == "" {
			p.Blocks++
		} else {
			p.Cases++
		}
	}
	return p
}

// oldOnes are trials of a pool's scripts.
func (g *Grower) oldOnes(scripts []*script.Script) (trials []*trial) {
	for _, old := range scripts {
		i := slices.IndexFunc(g.subjects, func(s *subject) bool { return sameFiles(s.files, old.Files) })
		if i < 0 || g.Commands > 0 && len(old.Commands) > g.Commands {
			continue // of a program that does not take part any more, or too long for the bound that there is now
		}
		launch := old.Commands[0]
		t := &trial{subject: g.subjects[i], way: "old", as: launch.Option("as"), early: old.Early(), again: old}
		if last := old.Judge(); last != nil && last.Verb == relate {
			t.way = relationOf + last.Args[0]
		}
		trials = append(trials, t)
	}
	return trials
}

func sameFiles(a, b []gobuild.File) bool {
	return slices.EqualFunc(a, b, func(a, b gobuild.File) bool { return a.Name == b.Name && string(a.Data) == string(b.Data) })
}

// How many of ten sessions demand a relation, and how many are started in another way.
const relations, started = 1, 3

// The choices that a session is made by: the ways, in order, a mutant of any member, and one of a member that is next to a target.
const kinds = 2

// choose is the next session to try; nil if what was chosen does not fit. What has brought much lately is chosen often; without
// guidance all are chosen as often, and there are no mutants.
func (g *Grower) choose(r *rand.Rand) *trial {
	if g.by == nil {
		g.by, g.on, g.turns = make([]yield, len(ways)+kinds), make([]yield, len(g.subjects)), make([]int, len(ways))
	}
	by, on := r.IntN(len(ways)), r.IntN(len(g.subjects))
	if !g.Unguided {
		by = weighted(r, len(g.by), func(i int) *yield { return &g.by[i] })
		on = weighted(r, len(g.on), func(i int) *yield { return &g.on[i] })
	}
	var t *trial
	if by >= len(ways) {
		t = g.mutant(r, by > len(ways))
	} else {
		t = g.fresh(r, g.subjects[on], by)
	}
	if t != nil {
		t.by, t.on = by, slices.Index(g.subjects, t.subject)
	}
	return t
}

// fresh is a session that is not made of another, in a way of the table; nil if that does not fit the program.
func (g *Grower) fresh(r *rand.Rand, s *subject, by int) *trial {
	w := ways[by]
	t := &trial{subject: s, way: w.name}
	switch n := r.IntN(10); {
	case n < relations && w.name == ways[0].name: // whose sessions transformations are made for
		t.relate = 1 + r.Uint64()>>1
	case n < relations+started:
		t.as = setting(r, s, s.base)
	}
	if t.chooser, t.early = w.choose(r, s, g.turns[by]); t.chooser == nil {
		return nil
	}
	g.turns[by]++
	t.chooser = g.bounded(t.chooser)
	return t
}

// around are the commands of a test beside those that its session chooses: those that launch, finish and judge.
const around = 3

// bounded is a chooser that chooses no more than a test has.
func (g *Grower) bounded(c gen.Chooser) gen.Chooser {
	if g.Commands == 0 {
		return c
	}
	return gen.AtMost(c, g.Commands-around)
}

// mutant is a session that is made of one of the pool, of one next to a target if that is wanted; nil if there is none.
func (g *Grower) mutant(r *rand.Rand, targeted bool) *trial {
	parents := g.pool.members
	if targeted {
		parents = g.targets.pick(r, g.pool.members)
	}
	if len(parents) == 0 {
		return nil
	}
	parent := parents[r.IntN(len(parents))]
	t := &trial{subject: parent.on, as: parent.as, early: parent.early}
	if r.IntN(10) < started {
		t.as = setting(r, parent.on, parent.on.base)
	}
	var others [][]dap.Action
	for _, m := range g.pool.members {
		if m.on == parent.on && m != parent {
			others = append(others, m.actions())
		}
	}
	actions := parent.actions()
	for range 1 + r.IntN(2) {
		m := mutations[r.IntN(len(mutations))]
		if c := m.choose(r, parent.on, actions, others); c != nil {
			t.way, t.chooser = "mutant", c
			if fixed, ok := c.(*gen.FixedList); ok {
				actions = fixed.Left() // which the next one may change, too
				continue
			}
		}
		break
	}
	if t.chooser == nil {
		return nil
	}
	t.chooser = g.bounded(t.chooser)
	return t
}

// actions are those of a member's script.
func (m *member) actions() []dap.Action { return actionsOf(m.script) }

// actionsOf are those of a script, without its end if nothing comes after that.
func actionsOf(s *script.Script) (all []dap.Action) {
	for _, c := range s.Commands {
		if c.Acts() {
			all = append(all, c.Action)
		}
	}
	if n := len(all); n > 0 && all[n-1].Kind == dap.Finish {
		all = all[:n-1]
	}
	return all
}
