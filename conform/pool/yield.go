package pool

import "math/rand/v2"

// A yield says how much one of several choices has brought lately.
type yield struct{ tried, gained float64 }

// How much of what was is remembered at each further try of a choice, and what each choice may be expected to bring as if it had been
// tried before: new ones are tried, and none is given up.
const remembered, expected = 0.95, 2.0

// weight is what the choice is expected to bring. At least a tenth of a feature, so that it comes up again.
func (y *yield) weight() float64 { return max(0.1, (y.gained+expected)/(y.tried+1)) }

// note notes what a try has brought.
func (y *yield) note(gained int) {
	y.tried = y.tried*remembered + 1
	y.gained = y.gained*remembered + float64(gained)
}

// weighted chooses one of several by their weights.
func weighted(r *rand.Rand, n int, of func(i int) *yield) int {
	all := 0.0
	for i := range n {
		all += of(i).weight()
	}
	at := r.Float64() * all
	for i := range n {
		if at -= of(i).weight(); at < 0 {
			return i
		}
	}
	return n - 1
}
