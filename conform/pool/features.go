package pool

import (
	"cmp"
	"fmt"
	"slices"

	"misstep/dap"
	"misstep/internal/executed"
	"misstep/internal/source"
)

// A feature is what a session has for which it may be worth keeping: a block of the debugger that it executes, or a case of the
// specification.
type feature struct {
	block executed.Block
	is    string // the case; empty of a block
}

// A function is one of the debugger's, by number.
type function struct{ pkg, fn uint32 }

// functionOf is what a block belongs to.
func functionOf(b executed.Block) function { return function{b.Package, b.Function} }

// features are those of a session by what was executed and done. Missing are the blocks that were not executed of functions that
// were.
func features(blocks map[executed.Block]bool, events []dap.Event, src *source.Source, as string) (has map[feature]bool, missing []executed.Block) {
	has = map[feature]bool{}
	for b, ran := range blocks {
		if ran {
			has[feature{block: b}] = true
		} else {
			missing = append(missing, b)
		}
	}
	add := func(format string, args ...any) { has[feature{is: fmt.Sprintf(format, args...)}] = true }
	if as != "" {
		add(startCase+"%s", as)
	}
	node := ""
	for _, e := range events {
		name := string(e.Action.Kind)
		switch {
		case e.Action.Kind == dap.Misuse:
			name += " " + e.Action.Name
		case e.Action.Kind == dap.Disconnect:
			name += fmt.Sprintf(" %s running=%t plain=%t", e.Action.Way, e.Action.Running, e.Action.Plain)
		case e.Action.Instruction:
			name += " by instruction"
		}
		outcome := string(e.Output.Kind)
		if e.Output.Pause != nil {
			outcome += " " + e.Output.Pause.Reason
		}
		if !e.Action.Kind.Resumes() {
			node = ""
		}
		if node != "" {
			name += " at " + node
		}
		add("%s: %s", name, outcome)
		if p := e.Output.Pause; p != nil {
			node = src.NodeAt(source.Place{File: p.Top().File, Line: p.Top().Line})
		}
	}
	return has, missing
}

// startCase is what a case begins with that says how the session was started.
const startCase = "started as "

// ruleCase is what a case begins with that says that a rule has judged something.
const ruleCase = "rule "

// rules are the cases of a session's checks.
func rules(made map[string]int) (cases []feature) {
	for rule, n := range made {
		if n > 0 {
			cases = append(cases, feature{is: ruleCase + rule})
		}
	}
	return cases
}

// casesOf are the cases among features, in order.
func casesOf(has map[feature]bool) (cases []string) {
	for f := range has {
		if f.is != "" {
			cases = append(cases, f.is)
		}
	}
	slices.Sort(cases)
	return cases
}

// compare orders blocks, so that what is chosen among them depends on the seed alone.
func compare(a, b executed.Block) int {
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Counter, b.Counter))
}
