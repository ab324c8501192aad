package omission

import "misstep/history/record"

// Turns are what is inverted of a run that fails, by its numbers.
func (f *Finder) Turns() []record.Turn {
	_, turn, _ := f.conditions()
	return turn
}
