package grow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"misstep/conform"
	"misstep/gen/synth"
	"misstep/internal/gobuild"
	"misstep/script"
)

// A Grower makes tests.
type Grower struct {
	Env    *script.Env
	Engine gobuild.Engine
	Seed   uint64
	// Sample is how many alternatives are wanted, by the seed; 0 for all.
	Sample int
	// Said is told of what is done; it may be nil.
	Said func(format string, args ...any)

	toolchain string
}

// A Growth is what has come of it.
type Growth struct {
	// Alternatives are those of the grammar, Built those that a program has which runs and ends, Judged those of
	// programs whose sessions a recorded run has judged.
	Alternatives, Built, Judged int
	// Left are the alternatives that no judged program has, in words, with the reasons.
	Left map[string]string
	// Suite are the tests, and Failing those that the engine did not pass.
	Suite, Failing []conform.Test
	Programs       int
}

// candidate is a test with what it adds.
type candidate struct {
	script *script.Script
	has    map[string]bool // alternatives and checks
	name   string
}

// Grow makes a suite.
func (g *Grower) Grow(ctx context.Context) (*Growth, error) {
	s, err := synth.New()
	if err != nil {
		return nil, err
	}
	if g.toolchain, err = g.Env.Cache.GoEnv(ctx, g.Engine, "GOVERSION"); err != nil {
		return nil, err
	}
	s.Panicked = func(text string, reason any) { g.say("go/types panics (%v) at:\n%s", reason, text) }
	var broken error
	all := s.Grammar.Alternatives()
	if g.Sample > 0 {
		all = s.Sample(g.Seed, g.Sample)
	}
	making, stop := context.WithCancel(ctx)
	defer stop()
	res := s.Programs(making, g.Seed, all, func(p *synth.Program) bool {
		fits, err := g.fits(ctx, p)
		if err != nil {
			broken = err
			stop()
		}
		return fits
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("making programs: %w", context.Cause(ctx))
	}
	if broken != nil {
		return nil, broken
	}
	grown := &Growth{Alternatives: len(all), Left: map[string]string{}, Programs: len(res.Programs)}
	for a, why := range res.Left {
		grown.Left[s.Grammar.Say(a)] = why
	}
	grown.Built = len(all) - len(res.Left)
	g.say("%d of %d alternatives are in %d programs", grown.Built, grown.Alternatives, len(res.Programs))
	judged := map[synth.Alternative]bool{}
	var good []*candidate
	for i, p := range res.Programs {
		c, failing, err := g.test(ctx, s.Grammar, p, uint64(i))
		if err != nil {
			return nil, err
		}
		if failing != nil {
			grown.Failing = append(grown.Failing, conform.Test{Name: nameOf(s.Grammar, p), Script: failing})
		}
		if c != nil {
			maps.Copy(judged, p.Has)
			good = append(good, c)
		}
		if (i+1)%25 == 0 {
			g.say("%d of %d programs", i+1, len(res.Programs))
		}
	}
	for _, a := range all {
		if judged[a] {
			grown.Judged++
		} else if why := grown.Left[s.Grammar.Say(a)]; why == "" {
			grown.Left[s.Grammar.Say(a)] = "no session of its programs is judged"
		}
	}
	grown.Suite = cover(good)
	return grown, nil
}

func (g *Grower) say(format string, args ...any) {
	if g.Said != nil {
		g.Said(format, args...)
	}
}

// fits reports whether a program can be built, runs and ends.
func (g *Grower) fits(ctx context.Context, p *synth.Program) (bool, error) {
	dir, err := g.Env.Keeper.TempDir("grown")
	if err != nil {
		return false, fmt.Errorf("making a folder for a program: %w", err)
	}
	defer os.RemoveAll(dir)
	q, err := gobuild.Unpack(filepath.Join(dir, "source"), "grown", g.files(p), ".", nil, false)
	if err != nil {
		return false, err
	}
	b, err := g.Env.Cache.Build(ctx, q, g.Engine, dir)
	if errors.As(err, new(*gobuild.BuildError)) {
		return false, nil // the compiler knows more than the type checker
	}
	if err != nil {
		return false, err
	}
	plain, err := g.Env.Cache.Fit(ctx, b, gobuild.DefaultLimits)
	if errors.As(err, new(*gobuild.Unfit)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return plain.ExitCode == 0, nil
}

// language is the newest that tests say they are in; older toolchains have their own.
const language = 25

// files are those of a program as a module.
func (g *Grower) files(p *synth.Program) []gobuild.File {
	minor := language
	if n := gobuild.Minor(g.toolchain); 0 <= n && n < minor {
		minor = n
	}
	return []gobuild.File{{Name: "go.mod", Data: fmt.Appendf(nil, "module program\n\ngo 1.%d\n", minor)}, {Name: "main.go", Data: []byte(p.Text)}}
}

// sessions are how many are tried of a program.
const sessions = 6

// test makes a test of a program, of the first session that the recorded run has nothing against. Failing is the first
// session before that which it has something against, or that the debugger did not survive.
func (g *Grower) test(ctx context.Context, grammar *synth.Grammar, p *synth.Program, n uint64) (c *candidate, failing *script.Script, err error) {
	env, forget := g.Env.Remembering()
	defer forget()
	env.Engine = g.Engine.String()
	r := rand.New(rand.NewPCG(g.Seed, n))
	for try := range sessions {
		s := g.session(r, p, try)
		if s == nil {
			return nil, nil, nil
		}
		res := env.Run(ctx, s)
		switch {
		case ctx.Err() != nil:
			return nil, nil, fmt.Errorf("trying a test: %w", context.Cause(ctx))
		case (res.Outcome == script.Reproduced || res.Died != "") && failing == nil:
			failing = s
		case res.Outcome != script.Passed || len(res.Made) == 0:
			continue
		}
		if res.Outcome != script.Passed {
			continue
		}
		demanding := demand(s, res)
		demanding.Head = script.Head{}
		if again := env.Run(ctx, demanding); again.Outcome != script.Passed {
			continue // what it shows differs from run to run
		}
		c = &candidate{script: demanding, has: map[string]bool{}, name: nameOf(grammar, p)}
		for a := range p.Has {
			c.has[a.String()] = true
		}
		for rule, k := range res.Made {
			if k > 0 {
				c.has["rule "+rule] = true
			}
		}
		explain(grammar, p, c.script)
		return c, failing, nil
	}
	return nil, failing, nil
}

// cover chooses tests that together have all that the candidates have: each time the one that adds most, and of those
// the shortest.
func cover(candidates []*candidate) []conform.Test {
	var suite []conform.Test
	has := map[string]bool{}
	names := map[string]int{}
	left := slices.Clone(candidates)
	for {
		best, most, length := -1, 0, 0
		for i, c := range left {
			adds := 0
			for k := range c.has {
				if !has[k] {
					adds++
				}
			}
			if n := len(c.script.Format()); adds > most || adds == most && adds > 0 && n < length {
				best, most, length = i, adds, n
			}
		}
		if best < 0 {
			break
		}
		c := left[best]
		left = slices.Delete(left, best, best+1)
		maps.Copy(has, c.has)
		name := c.name
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, names[name])
		}
		suite = append(suite, conform.Test{Name: name, Script: c.script})
	}
	slices.SortFunc(suite, func(a, b conform.Test) int { return strings.Compare(a.Name, b.Name) })
	return suite
}
