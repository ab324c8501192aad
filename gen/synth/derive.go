package synth

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// A derivation is a string of the grammar in the making.
type derivation struct {
	g    *Grammar
	r    *rand.Rand
	want Alternative
	far  map[string]int // productions on the way to what is wanted from each, see distances
	done bool           // what is wanted is there
	used map[Alternative]bool
	path []string // the productions that are open, the innermost last
	// leaf may give a string for a production, in place of deriving one.
	leaf func(d *derivation, production string) (string, bool)
	out  strings.Builder
}

// unreached is the distance of what cannot be come by.
const unreached = 1 << 20

// distances are how many productions lie between each and one that has an alternative.
func (g *Grammar) distances(want string) map[string]int {
	far := map[string]int{}
	for p := range g.productions {
		far[p] = unreached
	}
	far[want] = 0
	for changed := true; changed; {
		changed = false
		for p, n := range g.productions {
			n.each(func(n *node) {
				if n.kind == name && far[n.text]+1 < far[p] {
					far[p], changed = far[n.text]+1, true
				}
			})
		}
	}
	return far
}

// derive makes a string of a production that has the alternative.
func (g *Grammar) derive(r *rand.Rand, start string, want Alternative, leaf func(*derivation, string) (string, bool)) (text string, used map[Alternative]bool, ok bool) {
	d := &derivation{g: g, r: r, want: want, far: g.distances(want.Production), used: map[Alternative]bool{}, leaf: leaf}
	if d.far[start] >= unreached {
		return "", nil, false
	}
	d.production(start, true)
	return d.out.String(), d.used, d.done
}

// distance is how far what is wanted is from a node.
func (d *derivation) distance(production string, n *node) int {
	if d.done {
		return unreached
	}
	best := unreached
	n.each(func(s *node) {
		switch {
		case production == d.want.Production && s.part == d.want.Part && s.part > 0:
			best = 0
		case s.kind == name:
			best = min(best, 1+d.far[s.text])
		}
	})
	return best
}

// deepest is how many productions may be open before the shortest strings are taken, which end soon.
const deepest = 28

// production derives one. Toward says that what is wanted is to come of it.
func (d *derivation) production(p string, toward bool) {
	if !toward {
		if text, ok := d.leaf(d, p); ok {
			d.write(text)
			return
		}
	}
	if p == d.want.Production && d.want.Part == 0 {
		d.done = true
	}
	d.used[Alternative{Production: p}] = true
	d.path = append(d.path, p)
	if lexical(p) && !d.within(lexical) {
		d.write("") // what was before ends
	}
	d.node(p, d.g.productions[p], toward && !d.done)
	d.path = d.path[:len(d.path)-1]
}

// within reports whether an outer production is of a kind.
func (d *derivation) within(is func(string) bool) bool {
	return slices.ContainsFunc(d.path[:len(d.path)-1], is)
}

func (d *derivation) node(p string, n *node, toward bool) {
	toward = toward && !d.done // it may have come by chance before
	switch n.kind {
	case literally, span:
		d.write(n.text)
	case name:
		d.production(n.text, toward)
	case sequence:
		way := -1
		if toward {
			way = d.nearest(p, n.subs)
		}
		for i, s := range n.subs {
			d.node(p, s, i == way)
		}
	default:
		d.choose(p, n, toward)
	}
}

// detour is how many productions a way may be longer than the shortest, as that may be one where nothing makes sense.
const detour = 3

// nearest is which of some nodes leads to what is wanted: mostly one that it is nearest to.
func (d *derivation) nearest(p string, nodes []*node) int {
	far := make([]int, len(nodes))
	for i, s := range nodes {
		far[i] = d.distance(p, s)
	}
	most := slices.Min(far)
	if most >= unreached {
		return -1
	}
	if len(d.path) < deepest/2 && d.r.IntN(2) == 0 {
		most += detour
	}
	var ways []int
	for i := range nodes {
		if far[i] <= most {
			ways = append(ways, i)
		}
	}
	return ways[d.r.IntN(len(ways))]
}

// choose takes a branch of a node.
func (d *derivation) choose(p string, n *node, toward bool) {
	branch := 0
	is := toward && p == d.want.Production && n.part == d.want.Part
	switch {
	case is:
		branch, d.done, toward = d.want.Branch, true, false
	case n.kind == branches:
		branch = d.branch(p, n, toward)
	case toward:
		branch = 1
	default:
		branch = d.repeats(n)
	}
	d.used[Alternative{p, n.part, branch}] = true
	switch n.kind {
	case branches:
		d.node(p, n.subs[branch], toward)
	default:
		for range branch {
			d.node(p, n.subs[0], toward)
			toward = false
		}
	}
}

// branch takes one on the way, or a short one.
func (d *derivation) branch(p string, n *node, toward bool) int {
	if toward {
		return d.nearest(p, n.subs)
	}
	if len(d.path) < deepest && d.r.IntN(4) == 0 {
		if b := d.r.IntN(len(n.subs)); n.subs[b].size < none {
			return b
		}
	}
	shortest := slices.MinFunc(n.subs, func(a, b *node) int { return a.size - b.size }).size
	var short []int
	for i, s := range n.subs {
		if s.size == shortest {
			short = append(short, i)
		}
	}
	return short[d.r.IntN(len(short))]
}

// repeats is how often what may be left out is there.
func (d *derivation) repeats(n *node) int {
	if len(d.path) >= deepest || n.subs[0].size >= none {
		return 0
	}
	often := d.r.IntN(8)
	switch {
	case often < 5:
		return 0
	case often == 7 && n.kind == repetition:
		return 2
	}
	return 1
}

// write appends a token; those of a lexical production are not set apart.
func (d *derivation) write(text string) {
	if len(d.path) == 0 || !lexical(d.path[len(d.path)-1]) || text == "" {
		d.out.WriteByte(' ')
	}
	d.out.WriteString(text)
	// A statement ends with its line.
	if text == ";" || text == "{" {
		d.out.WriteByte('\n')
	}
}
