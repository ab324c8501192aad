package view

import (
	"fmt"

	"misstep/omission"
)

// Show adds what was found out about an object to what a page shows.
func (o *Options) Show(a *omission.Answer) {
	for _, l := range a.Report.Lost {
		s := Step{Position: Position(l.Place), Text: l.String()}
		if l.Aside() {
			o.After = append(o.After, s)
		} else {
			o.Before = append(o.Before, s)
		}
	}
	for _, l := range a.Report.Stale {
		o.After = append(o.After, Step{Position: Position(l.Place), Text: l.String()})
	}
	for _, l := range a.Report.LeftOut {
		o.After = append(o.After, Step{Position: Position(l.Place), Text: l.String()})
	}
	o.Balloons = balloons(a.Balloons)
}

// balloons are omissions as a page shows them: one for each operation, at the branch that
// tells most.
func balloons(list []*omission.Balloon) []Balloon {
	var out []Balloon
	for _, b := range list {
		for _, op := range b.Operations {
			br := op.Branches[0]
			x := Balloon{
				Rank: b.Rank, Operation: Position(op.Place), Text: op.Text, Func: op.Func, Object: op.Object,
				Branch: Position(br.Place), BranchText: br.Text, Outcome: br.Outcome, Distance: op.Distance, Writes: op.Kind == omission.Write,
				Why: steps(nil, br.Why, 0),
			}
			if br.Verdict != nil {
				x.Verified = br.Verdict.String()
			}
			for i, m := range br.Moments {
				d := Decision{Activation: m.Activation, At: m.Time, Call: m.Call}
				if i == 0 {
					x.Decision = d
					continue
				}
				x.More = append(x.More, d)
			}
			out = append(out, x)
		}
	}
	return out
}

// steps adds reasons to a list, and after each the reasons of that.
func steps(list []Step, why []*omission.Reason, depth int) []Step {
	for _, r := range why {
		s := Step{Position: Position(r.Place), Text: "since " + r.String(), Depth: depth}
		if r.Branch != nil && r.Branch.Verdict != nil {
			s.Text += fmt.Sprintf(" (inverted: %s)", r.Branch.Verdict)
		}
		list = steps(append(list, s), r.Why, depth+1)
	}
	return list
}
