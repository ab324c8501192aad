package conform

import (
	"math"
	"slices"
	"strings"

	"misstep/triage/localise"
)

// A Verdict says what is wrong where a test fails.
type Verdict string

// The verdicts.
const (
	Agreed    Verdict = "agreed"    // no engine that it applies to fails
	Engine    Verdict = "engine"    // fewer than half of them fail
	Suspected Verdict = "test"      // more than half fail: the test, or the rule that it judges by
	Undecided Verdict = "undecided" // as many fail as pass, or there are too few to vote
)

// voters is how many engines a test has to apply to for a vote.
const voters = 3

// votes counts the engines that a test applies to, and those that fail.
func (r *Row) votes() (apply, fail int) {
	for _, c := range r.Cells {
		switch c.Outcome {
		case Failed:
			fail++
			apply++
		case Passed:
			apply++
		}
	}
	return apply, fail
}

// Verdict is what the engines' vote says of a test.
func (r *Row) Verdict() Verdict {
	apply, fail := r.votes()
	switch {
	case fail == 0:
		return Agreed
	case apply < voters || 2*fail == apply:
		return Undecided
	case 2*fail < apply:
		return Engine
	}
	return Suspected
}

// A Suspect is a rule that the tests which most engines fail check, with its score.
type Suspect struct {
	Rule  string  `json:"rule"`
	Score float64 `json:"score"`
	Fail  int     `json:"fail"` // suspected tests that check it
	Pass  int     `json:"pass"` // others
}

// Suspects are the rules by how likely they are wrong, best first, if most engines fail a test; rules that no such
// test checks are left out.
func (t *Table) Suspects() []Suspect {
	fails, passes := map[string]int{}, map[string]int{}
	failing, passing := 0, 0 // tests
	for _, row := range t.Rows {
		count := passes
		switch row.Verdict() {
		case Suspected:
			count = fails
			failing++
		case Agreed, Engine:
			passing++
		default:
			continue
		}
		seen := map[string]bool{}
		for _, c := range row.Cells {
			for rule := range c.Made {
				if c.Made[rule] > 0 && !seen[rule] {
					seen[rule] = true
					count[rule]++
				}
			}
		}
	}
	var all []Suspect
	for rule, f := range fails {
		score := localise.ER1b(f, failing, passes[rule], passing)
		all = append(all, Suspect{rule, math.Round(score*1000) / 1000, f, passes[rule]})
	}
	slices.SortFunc(all, func(a, b Suspect) int {
		if a.Score != b.Score {
			return int(math.Copysign(1, b.Score-a.Score))
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return all
}

// A Count is how a suite came out on an engine.
type Count struct{ Passed, Failed, NotApplicable, Unable int }

// Counts are those of the engines, in their order.
func (t *Table) Counts() []Count {
	counts := make([]Count, len(t.Engines))
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			switch c.Outcome {
			case Passed:
				counts[i].Passed++
			case Failed:
				counts[i].Failed++
			case NotApplicable:
				counts[i].NotApplicable++
			default:
				counts[i].Unable++
			}
		}
	}
	return counts
}
