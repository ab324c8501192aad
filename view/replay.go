package view

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"

	"misstep/history"
)

// replay derives from the events of an activation what is between them.
type replay struct {
	code *history.Code
	// sure says that all types are known.
	sure  bool
	src   *sources
	lines *lines
	// pieces are numbered within their function.
	pieces map[stepKey]int
	byFunc map[int][]piece
	thens  map[[2]int]int
	ways   map[way]uint32
	paths  []string // of lines, from number 1 on
}

// A way is the pieces of a function that an activation executed.
type way struct {
	fn     int
	pieces string
}

// maxPaths is how many sets of lines are told apart.
const maxPaths = 1 << 16

func newReplay(code *history.Code, src *sources, sure bool) *replay {
	p := &replay{code: code, sure: sure, src: src, lines: newLines(src), pieces: map[stepKey]int{}, byFunc: map[int][]piece{}, thens: map[[2]int]int{}, ways: map[way]uint32{}}
	for i, s := range src.plan.Sites {
		if s.Kind == history.Then {
			p.thens[[2]int{s.Func, s.Offset}] = i
		}
	}
	return p
}

// A lapse is the execution of an if that was false.
type lapse struct {
	after int64 // the time of the event before it
	site  int
}

// replayed is what is known of an activation.
type replayed struct {
	path   uint32
	lapses []lapse
	// calls are the offsets of the statements that called.
	calls map[*history.Activation]int
}

// of replays an activation.
func (p *replay) of(a *history.Activation) replayed {
	out := replayed{}
	node, pkg := p.code.Node(a.Func)
	if node == nil {
		return out
	}
	var seen []uint64 // bits, by the numbers of pieces
	file := p.src.plan.Funcs[a.Func].File
	next := 0 // item
	last := lapse{site: -1}
	p.code.Walk(a, func(s history.Step) {
		last.site = -1
		key := stepKey{s.Node, s.Part}
		n, ok := p.pieces[key]
		if !ok {
			n = len(p.byFunc[a.Func])
			p.pieces[key] = n
			p.byFunc[a.Func] = append(p.byFunc[a.Func], newPiece(pkg, s))
		}
		for len(seen) <= n/64 {
			seen = append(seen, 0)
		}
		seen[n/64] |= 1 << (n % 64)
		p.byFunc[a.Func][n].count++
		for _, call := range s.Calls {
			if p.fits(s.Node, call, file) {
				if out.calls == nil {
					out.calls = map[*history.Activation]int{}
				}
				out.calls[call] = pkg.Fset.Position(s.Node.Pos()).Offset
			}
		}
		if n, ok := s.Node.(*ast.IfStmt); ok {
			for next < len(a.Items) && (a.Items[next].Time <= s.Time || a.Items[next].Ends) {
				next++
			}
			site, ok := p.thens[[2]int{a.Func, pkg.Fset.Position(n.Pos()).Offset}]
			taken := next < len(a.Items) && a.Items[next].Call == nil && a.Items[next].Site == site
			if ok && !taken {
				last = lapse{s.Time, site}
				out.lapses = append(out.lapses, last)
			}
		}
	})
	// Where the activation ended in the condition, it was not decided.
	if last.site >= 0 && (a.Abrupt || a.End < 0) {
		out.lapses = out.lapses[:len(out.lapses)-1]
	}
	out.path = p.path(a.Func, seen)
	return out
}

var word = regexp.MustCompile(`[\pL_][\pL_0-9]*$`)

// fits reports whether a statement may have called a function. Where types are not known,
// a call may have been taken for that of a later statement.
func (p *replay) fits(n ast.Node, call *history.Activation, file int) bool {
	f := p.src.plan.Funcs[call.Func]
	if p.sure || f.Literal {
		return true
	}
	name := word.FindString(f.Name)
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// path numbers the set of lines that pieces of a function are; 0 is none.
func (p *replay) path(fn int, seen []uint64) uint32 {
	bits := make([]byte, 0, 8*len(seen))
	for _, w := range seen {
		for i := range 8 {
			bits = append(bits, byte(w>>(8*i)))
		}
	}
	k := way{fn, string(bits)}
	if n, ok := p.ways[k]; ok {
		return n
	}
	if len(p.paths) >= maxPaths {
		return 0
	}
	set := map[int]bool{}
	for i, at := range p.byFunc[fn] {
		if i/64 < len(seen) && seen[i/64]>>(i%64)&1 == 1 {
			for n := at.from; n <= at.to; n++ {
				set[n] = true
			}
		}
	}
	p.paths = append(p.paths, packLines(slices.Sorted(maps.Keys(set))))
	p.ways[k] = uint32(len(p.paths))
	return p.ways[k]
}

// count adds up how often the statements in each line were executed: of several, the
// one that was most often.
func (p *replay) count() {
	for fn, pieces := range p.byFunc {
		counts := p.lines.counts[p.src.plan.Funcs[fn].File]
		for _, at := range pieces {
			if at.statement {
				counts[at.from] = max(counts[at.from], at.count)
			}
		}
	}
}
