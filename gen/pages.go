package gen

import "misstep/dap"

// usualPages are sizes of pages of variables: what clients ask for (100), and those around what adapters load at a time (64) and
// its double; 0 is all at once.
var usualPages = []int{0, 0, 3, 7, 63, 64, 65, 100, 127, 128, 129, 1000}

// pages are sizes of pages worth asking for at a pause: the usual ones, and those at the bounds of what is shown, which are all of
// a variable's elements, one less or more, and half.
func pages(p *dap.Pause) []int {
	all := usualPages
	for _, n := range lengths(p) {
		all = append(all[:len(all):len(all)], n-1, n, n+1, (n+1)/2)
	}
	return all
}

// fewElements is how many elements come in one page whatever its size.
const fewElements = 8

// lengths are how many elements the variables at a pause have that have many.
func lengths(p *dap.Pause) []int {
	var all []int
	var walk func([]dap.Variable)
	walk = func(list []dap.Variable) {
		for i := range list {
			if n := list[i].Indexed(); n > fewElements {
				all = append(all, n)
			}
			walk(list[i].Children)
		}
	}
	for _, s := range p.Scopes {
		walk(s.Vars)
	}
	return all
}
