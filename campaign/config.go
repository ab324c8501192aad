package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/transform"
	"misstep/transform/build"
	"misstep/transform/rewrite"
	"misstep/triage"
)

// A Config is all that a campaign's sequence of runs follows from, and its
// bounds.
type Config struct {
	Engine   gobuild.Engine
	Programs []*gobuild.Program
	Patterns []string // what the programs were named as, to recognise the campaign
	Skipped  []*gobuild.Unfit
	Seed     uint64

	Runs int           // 0: no bound
	Time time.Duration // of the runs; 0: no bound
	// FailFast says to stop when something is found that is not known.
	FailFast bool

	Workers int
	Out     string

	// Against are the engines to run side by side with Engine.
	Against []gobuild.Engine
	// Baseline, if not nil, is an engine whose findings are not told: what it shows as well.
	Baseline *gobuild.Engine
	Oracles  Oracles
	// Actions, Rewrites and Builds are the transformations to choose from.
	Actions    []transform.Transformation
	Rewrites   []rewrite.Rewrite
	Builds     []build.Build
	Iterations int
	Generate   gen.Config
	Options    dap.Options
	Limits     gobuild.Limits

	// Known are classes that need not be told.
	Known []*triage.Known
	// Sample is how many scripts are written, taken from the classes in turn; at least
	// one for each.
	Sample int
	// Reduce is the time in which examples are reduced, one of each class.
	Reduce time.Duration
}

// A Setting is one of those that the sequence of a campaign's runs follows from, or how
// many there are.
type Setting struct{ Name, Value string }

// settings describe a campaign over these programs: the same settings, the same sequence
// of runs.
func (c *Config) settings(programs []Content) []Setting {
	h := fnv.New64a()
	for _, p := range programs {
		fmt.Fprintln(h, p.Name, p.Target, p.Args, len(p.Files))
		for _, f := range p.Files {
			fmt.Fprintln(h, f.Name, len(f.Data))
			h.Write(f.Data)
		}
	}
	actions, rewrites, builds := c.transformations()
	return []Setting{
		{"engine", c.Engine.String()},
		{"against", strings.Join(c.against(), " ")},
		{"baseline", c.baseline()},
		{"seed", strconv.FormatUint(c.Seed, 10)},
		{"runs", strconv.Itoa(c.Runs)},
		{"time", c.Time.String()},
		{"iterations", strconv.Itoa(c.Iterations)},
		{"programs", fmt.Sprintf("%s (%d, %x)", strings.Join(c.Patterns, " "), len(c.Programs), h.Sum64())},
		{"transformations", strings.Join(append(append(actions, rewrites...), builds...), ",")},
		{"actions", fmt.Sprintf("%+v", c.Generate)},
		{"oracles", fmt.Sprintf("%+v", c.Oracles)},
		{"limits", fmt.Sprintf("%+v %+v", c.Limits, c.Options)},
	}
}

// Identity names the campaign by all that its sequence of runs follows from: whoever has the same settings and
// programs goes on with the same campaign.
func (c *Config) Identity() (string, error) {
	var all []Content
	for _, i := range c.order() {
		all = append(all, ContentOf(c.Programs[i]))
	}
	text, err := json.Marshal(asked(c.settings(all)))
	if err != nil {
		return "", fmt.Errorf("writing the campaign's settings: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// order is that in which programs are run. It is the seed's, so that a short hunt over many is a sample of them.
func (c *Config) order() []int {
	return rand.New(rand.NewPCG(c.Seed, 0x6f72646572)).Perm(len(c.Programs))
}

// engines are all that take part, the one under test first.
func (c *Config) engines() []gobuild.Engine {
	all := append([]gobuild.Engine{c.Engine}, c.Against...)
	if c.Baseline != nil {
		all = append(all, *c.Baseline)
	}
	return all
}

func (c *Config) baseline() string {
	if c.Baseline == nil {
		return ""
	}
	return c.Baseline.String()
}

func (c *Config) against() []string {
	var names []string
	for _, e := range c.Against {
		names = append(names, e.String())
	}
	return names
}

// transformations are the names of what to choose from.
func (c *Config) transformations() (actions, rewrites, builds []string) {
	for _, t := range c.Actions {
		actions = append(actions, t.Name)
	}
	for _, t := range c.Rewrites {
		rewrites = append(rewrites, t.Name)
	}
	for _, t := range c.Builds {
		builds = append(builds, t.Name)
	}
	return actions, rewrites, builds
}

// stride goes through all kinds of sessions so that each comes soon.
const stride = 13

// seldom is one in how many runs is no sweep, as long as there are programs that have had none: what takes long is begun early.
const seldom = 10

// due says which run of its kind the run of an index is, and whether that kind is a sweep: with a baseline each program has
// as many of the one as of the other, and the sweeps come first, but for some.
func (c *Config) due(index int) (nth int, sweep bool) {
	if !c.Oracles.Baseline {
		return index, false
	}
	n := len(c.Programs)
	cycle, k := index/(2*n), index%(2*n)
	others := k / seldom
	switch {
	case k-others >= n: // the sweeps are over
		return cycle*n + k - n, false
	case k%seldom == seldom-1:
		return cycle*n + others, false
	}
	return cycle*n + k - others, true
}

// job is the run of that index, the nth of its kind, of a program. Its seed depends on the campaign's, the program's name and how many of the
// kind the program had before, and not on which other programs take part; the number says which transformations and which kind of session
// are due.
func (c *Config) job(index int, program Content) *Job {
	nth, swept := c.due(index)
	round, medleys := nth/len(c.Programs), 0
	if swept {
		medleys = c.medleys()
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", c.Seed, program.Name, round)
	j := &Job{
		Index: index, Engine: c.Engine.String(), Against: c.against(), Baseline: c.baseline(), Options: c.Options, Limits: c.Limits,
		Run: &RunJob{
			Program: program, Seed: h.Sum64(), Kind: (7 + int(c.Seed%gen.Kinds)*5 + nth*stride) % gen.Kinds, Oracles: c.Oracles, Iterations: c.Iterations, Generate: c.Generate, Sweep: medleys, Turn: c.turn(nth),
		},
	}
	if swept {
		c.dealSweep(j.Run, nth)
		return j
	}
	actions, rewrites, builds := c.transformations()
	on, wide := widths(c.Iterations, c.Oracles.Baseline)
	each := max(1, on*2/5)
	j.Run.Actions, j.Run.Turns = c.deal(actions, nth, each+wide)
	j.Run.Rewrites, _ = c.deal(rewrites, nth, each)
	j.Run.Builds, _ = c.deal(builds, nth, each)
	return j
}

// turn is the turn of the nth run of its kind. What comes in every second turn comes in every second run of each program, too, however many
// programs there are.
func (c *Config) turn(nth int) int {
	if n := len(c.Programs); n%2 == 0 {
		return nth + nth/n
	}
	return nth
}

// dealSweep deals the nth sweep its transformations: those of actions that are more than settings in turn, and all settings.
func (c *Config) dealSweep(r *RunJob, nth int) {
	var each, settings []string
	for _, t := range c.Actions {
		if sets(t) {
			settings = append(settings, t.Name)
		} else {
			each = append(each, t.Name)
		}
	}
	r.Actions, r.Turns = c.deal(each, nth/2, 1)
	r.Actions = append(r.Actions, settings...)
	var builds []string
	for _, b := range c.Builds {
		if !b.Later && b.View != transform.Whole { // one whose sessions are no more than the plain one's
			builds = append(builds, b.Name)
		}
	}
	r.Builds, _ = c.deal(builds, nth/2/rareKinds, 1)
}

// medleys is how many sessions of a sweep ask much at once: more of few programs.
func (c *Config) medleys() int { return max(1, min(8, 16/len(c.Programs))) }

// widths are how many transformations a run makes on top of each other, and how many of actions it applies to its base itself.
func widths(iterations int, baseline bool) (on, wide int) {
	if baseline {
		return iterations / 2, iterations * 2
	}
	return iterations, iterations * 3 / 4
}

// turned is how many seeds begin with different ways.
const turned = 60

// deal is the order in which a run tries transformations. All are dealt out in turn: the runs of the
// campaign go through one shuffled deck after the other, and a run begins after as many as the one before is
// likely to have come to: each, which of those on top of each other is less than half of what it tries in all. Turns are how often each
// was dealt before, from a number on that is the seed's.
func (c *Config) deal(names []string, index, each int) (dealt []string, turns []int) {
	if len(names) == 0 {
		return nil, nil
	}
	at := index * each
	shuffled := func(deck int) []string {
		r := rand.New(rand.NewPCG(c.Seed, uint64(deck)))
		cards := slices.Clone(names)
		r.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		return cards
	}
	for n := range 2 {
		deck := at/len(names) + n
		cards := shuffled(deck)
		if n == 0 {
			cards = cards[at%len(names):]
		}
		for _, name := range cards {
			if !slices.Contains(dealt, name) {
				dealt, turns = append(dealt, name), append(turns, int(c.Seed%turned)+deck)
			}
		}
	}
	return dealt, turns
}
