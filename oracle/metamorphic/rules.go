package metamorphic

import (
	"misstep/finding"
	"misstep/transform/action"
	"misstep/transform/build"
	"misstep/transform/rewrite"
)

// Oracle is the oracle's name.
const Oracle = "metamorphic"

// Debugged is the relation between a run with and a run without a debugger.
const Debugged = "debugged"

// Rule is the relation of a transformation as a rule.
func Rule(name, doc string) finding.Rule {
	return finding.Rule{ID: name, Oracle: Oracle, Sentence: doc, Source: "Tolksdorf, Lehmann and Pradel, ISSTA 2019, section 3"}
}

// Rules are the relations of all transformations, and the one that holds without any.
func Rules() finding.Registry {
	rules := finding.Registry{{
		ID: Debugged, Oracle: Oracle, Sentence: "A program prints and returns under the debugger what it does without.",
		Source: "Tolksdorf, Lehmann and Pradel, ISSTA 2019, section 3",
		Help:   "It is asked where no recorded run is: there, rule R8-end says the same of each session. Sessions that assigned to a variable are left out.",
	}}
	replay := action.Replay()
	rules = append(rules, Rule(replay.Name, replay.Doc))
	for _, t := range action.All {
		rules = append(rules, Rule(t.Name, t.Doc))
	}
	for _, t := range rewrite.All {
		rules = append(rules, Rule(t.Name, t.Doc))
	}
	for _, t := range build.All {
		rules = append(rules, Rule(t.Name, t.Doc))
	}
	return rules
}
