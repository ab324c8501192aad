package omission

import (
	"misstep/history"
)

// maxPerformed is in how many activations of a function it is looked for whether an operation happened.
const maxPerformed = 4096

// maxCounted is of how many balloons operations are counted: those that come first may be others once branches were inverted.
const maxCounted = 8 * maxExplained

// performed counts how often operations of balloons happened to their subjects, where the history does not have an event of the expression each
// time, as of a second store to what was stored to before: by what the activations executed, and by which object the expression was in each.
func (f *Finder) performed(list []*Balloon) {
	byFunc := map[*function][]*Operation{}
	for _, b := range list[:min(len(list), maxCounted)] {
		for _, op := range b.Operations {
			if op.node != nil {
				byFunc[op.node.fn] = append(byFunc[op.node.fn], op)
			}
		}
	}
	for fn, ops := range byFunc {
		ran, others, unknown := make([]int, len(ops)), make([]int, len(ops)), make([]int, len(ops))
		acts := f.events.byFunc[fn.id]
		for _, a := range acts[:min(len(acts), maxPerformed)] {
			for _, v := range f.trace(fn, a) {
				for i, op := range ops {
					if v.node != op.node {
						continue
					}
					switch on := f.performedOn(fn, a, op, v.time); on {
					case subject:
						ran[i]++
					case other:
						others[i]++
					default:
						unknown[i]++
					}
				}
			}
		}
		for i, op := range ops {
			op.Ran = max(op.Ran, ran[i])
			if len(acts) <= maxPerformed {
				// One execution may have several events of its object.
				op.Ran = min(op.Ran, ran[i]+others[i]+unknown[i])
			}
			if !op.Instead {
				op.Others, op.Unknown = others[i], max(unknown[i]-max(op.Ran-ran[i], 0), 0)
			}
		}
	}
}

// performedOn tells what an operation was on at a time.
func (f *Finder) performedOn(fn *function, a *history.Activation, op *Operation, time int64) identity {
	if op.goal.operand == nil {
		return maybe
	}
	if v := fn.variable(op.goal.operand); v != nil && op.of.Vars[v] {
		return subject
	}
	if t, ok := f.events.is(f.program, a, op.goal.operand, time); ok {
		return op.of.at(fn, t, op.goal)
	}
	return maybe
}

// performedReasons counts for the reasons of balloons that something was not performed how often it was.
func (f *Finder) performedReasons(list []*Balloon) {
	byNode := map[*node][]*Reason{}
	var note func(list []*Reason)
	note = func(list []*Reason) {
		for _, r := range list {
			if r.Omitted && r.node != nil {
				byNode[r.node] = append(byNode[r.node], r)
			}
			note(r.Why)
		}
	}
	for _, b := range list {
		for _, op := range b.Operations {
			for _, br := range op.Branches {
				note(br.Why)
			}
		}
	}
	for n, reasons := range byNode {
		ran := 0
		acts := f.events.byFunc[n.fn.id]
		for _, a := range acts[:min(len(acts), maxPerformed)] {
			for _, v := range f.trace(n.fn, a) {
				if v.node == n {
					ran++
				}
			}
		}
		for _, r := range reasons {
			r.Ran = ran
		}
	}
}
