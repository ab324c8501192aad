package pool

import (
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
)

// A mutation makes another session of one that the pool has.
type mutation struct {
	name string
	// choose is what chooses the actions; nil where it cannot be done.
	choose func(r *rand.Rand, s *subject, actions []dap.Action, others [][]dap.Action) gen.Chooser
}

// most actions that are put into a session at once.
const inserted = 12

// mutations is the table.
var mutations = []mutation{
	{"insert", func(r *rand.Rand, s *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		// What is inserted is chosen by what is shown there.
		at := r.IntN(len(actions) + 1)
		c, _ := ways[r.IntN(asking)].choose(r, s, r.IntN(1000))
		if c == nil {
			return nil
		}
		return &spliced{before: actions[:at], between: c, left: 1 + r.IntN(inserted), after: actions[at:]}
	}},
	{"remove", func(r *rand.Rand, _ *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		if len(actions) < 2 {
			return nil
		}
		at := r.IntN(len(actions))
		return gen.Fixed(slices.Delete(slices.Clone(actions), at, min(len(actions), at+1+r.IntN(3))))
	}},
	{"move", func(r *rand.Rand, _ *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		if len(actions) < 2 {
			return nil
		}
		moved := slices.Clone(actions)
		i, j := r.IntN(len(moved)), r.IntN(len(moved))
		moved[i], moved[j] = moved[j], moved[i]
		return gen.Fixed(moved)
	}},
	{"repeat", func(r *rand.Rand, _ *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		if len(actions) == 0 {
			return nil
		}
		from := r.IntN(len(actions))
		some := actions[from:min(len(actions), from+1+r.IntN(3))]
		return gen.Fixed(slices.Insert(slices.Clone(actions), from, some...))
	}},
	{"elsewhere", func(r *rand.Rand, s *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		return changed(r, actions, func(a *dap.Action) bool {
			if a.Kind != dap.Break && a.Kind != dap.Unbreak {
				return false
			}
			code := s.tested.Source.Code()
			was := source.Place{File: a.File, Line: a.Line}
			to := code[r.IntN(len(code))]
			for i := range actions {
				if actions[i].File == was.File && actions[i].Line == was.Line {
					actions[i].File, actions[i].Line = to.File, to.Line
				}
			}
			return true
		})
	}},
	{"condition", func(r *rand.Rand, s *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		return changed(r, actions, func(a *dap.Action) bool {
			if a.Kind != dap.Break && a.Kind != dap.FuncBreak {
				return false
			}
			a.Condition, a.Hit, a.Log = "", "", ""
			switch r.IntN(3) {
			case 0:
				a.Hit = gen.HitConditions()[r.IntN(len(gen.HitConditions()))]
			case 1:
				if names := s.tested.Source.Locals(source.Place{File: a.File, Line: a.Line}); len(names) > 0 {
					name := names[r.IntN(len(names))]
					a.Condition = name + " == " + name
				}
			}
			return true
		})
	}},
	{"otherwise", func(r *rand.Rand, _ *subject, actions []dap.Action, _ [][]dap.Action) gen.Chooser {
		steps := []dap.Kind{dap.Continue, dap.Next, dap.StepIn, dap.StepOut}
		return changed(r, actions, func(a *dap.Action) bool {
			if !slices.Contains(steps, a.Kind) {
				return false
			}
			*a = dap.Action{Kind: steps[r.IntN(len(steps))], Instruction: a.Instruction && r.IntN(2) == 0}
			if a.Kind == dap.Continue || a.Kind == dap.StepOut {
				a.Instruction = false
			}
			return true
		})
	}},
	{"join", func(r *rand.Rand, _ *subject, actions []dap.Action, others [][]dap.Action) gen.Chooser {
		if len(others) == 0 {
			return nil
		}
		other := others[r.IntN(len(others))]
		return gen.Fixed(slices.Concat(actions[:r.IntN(len(actions)+1)], other[r.IntN(len(other)+1):]))
	}},
}

// changed changes one of a session's actions that can be.
func changed(r *rand.Rand, actions []dap.Action, change func(*dap.Action) bool) gen.Chooser {
	for _, i := range r.Perm(len(actions)) {
		if change(&actions[i]) {
			return gen.Fixed(actions)
		}
	}
	return nil
}

// spliced carries some actions out, then those that another chooses, then the rest.
type spliced struct {
	before, after []dap.Action
	between       gen.Chooser
	left          int // that the other may still choose
}

// Next implements [gen.Chooser].
func (s *spliced) Next(v gen.View) (dap.Action, bool) {
	if len(s.before) > 0 {
		a := s.before[0]
		s.before = s.before[1:]
		return a, true
	}
	if s.left > 0 && !v.Ended() {
		s.left--
		if a, more := s.between.Next(v); more {
			return a, true
		}
		s.left = 0
	}
	if len(s.after) == 0 || v.Ended() && s.after[0].Kind != dap.Misuse {
		return dap.Action{}, false
	}
	a := s.after[0]
	s.after = s.after[1:]
	return a, a.Kind != dap.Finish || len(s.after) > 0
}
