package view

import "misstep/omission"

// Balloons are omissions as a page shows them: one for each operation, at the branch that
// tells most.
func Balloons(list []*omission.Balloon) []Balloon {
	var out []Balloon
	for _, b := range list {
		for _, op := range b.Operations {
			br := op.Branches[0]
			x := Balloon{
				Rank: b.Rank, Operation: Position(op.Place), Text: op.Text, Func: op.Func, Object: op.Object,
				Branch: Position(br.Place), BranchText: br.Text, Outcome: br.Outcome, Distance: op.Distance, Writes: op.Kind == omission.Write,
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
