package pool

import (
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/gen"
	"misstep/transform"
	"misstep/transform/action"
)

// A way is one in which a session comes about that is not made of another.
type way struct {
	name string
	// choose is what chooses the actions, with the misuses before the launch; nil where it does not fit the program. Nth is how
	// often it has been chosen before: what goes through a list goes on with it.
	choose func(r *rand.Rand, s *subject, nth int) (c gen.Chooser, early []string)
}

// asking is how many ways of the table, the first ones, choose what can be put into other sessions.
const asking = 4

// ways is the table.
var ways = []way{
	{"generated", func(r *rand.Rand, s *subject, _ int) (gen.Chooser, []string) {
		g := gen.NewGenerator(r.Uint64(), gen.DefaultConfig(), s.tested.Source)
		if s.judged() && s.model.Assigns() {
			return s.model.Assigning(g), nil
		}
		return g, nil
	}},
	{"toured", func(r *rand.Rand, s *subject, _ int) (gen.Chooser, []string) {
		if !s.judged() {
			return nil, nil
		}
		return s.model.Tour(r.Uint64(), true), nil
	}},
	{"asked", func(r *rand.Rand, s *subject, _ int) (gen.Chooser, []string) {
		return gen.NewAsker(r.Uint64(), s.tested.Source), nil
	}},
	{"dealt", func(r *rand.Rand, s *subject, nth int) (gen.Chooser, []string) {
		return gen.NewDealer(nth, r.Uint64(), s.tested.Source), nil
	}},
	{"walked", func(r *rand.Rand, s *subject, _ int) (gen.Chooser, []string) {
		return gen.NewWalker(r.Uint64(), s.tested.Source, nil), nil
	}},
	{"left", func(r *rand.Rand, s *subject, nth int) (gen.Chooser, []string) {
		return gen.NewLeaver(nth, r.Uint64(), s.tested.Source), nil
	}},
	{"misused", func(r *rand.Rand, s *subject, nth int) (gen.Chooser, []string) {
		m := gen.NewShortMisuser(nth, r.Uint64(), s.tested.Source)
		return m, m.Early
	}},
}

// related is what the name of a test begins with that demands a relation between two sessions.
const related = "relation"

// setting is how a session may be started otherwise, as scripts say it; empty where nothing fits the session.
func setting(r *rand.Rand, s *subject, base []dap.Event) string {
	t, p, ok := choose(r, s, base, func(t transform.Transformation) bool { return t.Target != nil })
	if !ok {
		return ""
	}
	var target dap.Target
	t.Start(&target, p)
	return target.As
}

// choose is a transformation of a session's actions, of those that are wanted, with its parameters.
func choose(r *rand.Rand, s *subject, base []dap.Event, wanted func(transform.Transformation) bool) (transform.Transformation, transform.Params, bool) {
	if len(base) == 0 {
		return transform.Transformation{}, nil, false
	}
	all := slices.DeleteFunc(slices.Clone(action.All), func(t transform.Transformation) bool { return !wanted(t) })
	for _, i := range r.Perm(len(all)) {
		if p, ok := all[i].Choose(&transform.Choice{R: r, Base: base, Source: s.tested.Source, Turn: r.IntN(1 << 16)}); ok {
			return all[i], p, true
		}
	}
	return transform.Transformation{}, nil, false
}
