package reference

import (
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"slices"

	"misstep/history"
)

// A Run is a program's recorded run, replayed into the moments at which a debugger could
// stop.
type Run struct {
	plan    *history.Plan
	code    *history.Code
	acts    []*act
	moments []moment
	threads []*thread
	// switches are the statements that clauses, and the statements themselves, belong
	// to.
	switches map[ast.Node]ast.Node
	files    map[string]int
	// first are the lines, of files, on which a statement begins, and where the first
	// does.
	first    map[int]map[int]token.Pos
	executed map[ast.Node]int // by the goroutine that is replayed
	snaps    *history.Snapshots
	probes   map[probeKey]*history.Watched
	runner   *runner
	lines    map[lineKey]*lineInfo
	clears   []*lineInfo // in the order of their first execution
	// exit is how the recorded program ended.
	exit *exit
	// Why is the reason why sessions cannot be judged, or empty.
	Why string
}

// thread is a goroutine of the recorded run.
type thread struct {
	goroutine uint64
	roots     []int  // the functions at the bottom of its stack, in order
	lo, hi    int    // its moments
	path      uint64 // a hash of its moments
	// steady tells that its moments do not depend on the order in which goroutines
	// run; only that no other goroutine has the same functions at its bottom.
	steady, only bool
}

// act is an activation with what it executed.
type act struct {
	*history.Activation
	steps  []step
	parent *act
	call   int // the step of the parent that called it, or -1
}

// step is one execution of a statement.
type step struct {
	node        ast.Node
	part        history.Part
	first, last int   // lines
	heads       []int // of a select, the lines of its clauses' heads; nil for all
	clear       bool
	entry       bool // the head of the function, where it is entered
	library     bool // it also calls what is not recorded
	nth         int  // of the executions of the statement, from 0
	time        int64
	children    []*act
}

// covers tells whether a line is one of the step's.
func (s *step) covers(line int) bool {
	return s.first <= line && line <= s.last && (s.heads == nil || slices.Contains(s.heads, line))
}

// moment is a point of a run: before a step, or behind its nth call.
type moment struct {
	act  *act
	step int
	call int // 0 before the step, n behind its nth call
}

// Held holds the recorded run against a plain one: a program that does something
// else when it is recorded, as it measures itself, cannot be judged.
func (m *Run) Held(stdout string, code int) {
	if m.Why == "" && m.exit != nil && (m.exit.stdout != stdout || m.exit.code != code) {
		m.Why = "it does something else when it is recorded"
	}
}

// maxMoments and maxDepth bound a model; runs that are longer, or call deeper, are
// not judged.
const (
	maxMoments = 400_000
	maxDepth   = 10_000
)

// New replays a recording. Names of files are as the plan has them, which is how
// outputs have them, too. Snapshots may be nil; then no values are judged.
func New(rec *history.Recording, r *history.Reader, snaps *history.Snapshots) (*Run, error) {
	m := &Run{plan: rec.Plan, files: map[string]int{}, first: map[int]map[int]token.Pos{}, snaps: snaps, probes: map[probeKey]*history.Watched{}, switches: map[ast.Node]ast.Node{}}
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			m.findSwitches(f)
		}
	}
	for i := range rec.Watched {
		w := &rec.Watched[i]
		m.probes[probeKey{w.Path, w.Offset}] = w
	}
	if r.End == nil || r.Err != nil {
		m.Why = "its history is not whole"
		return m, nil
	}
	if r.End.Stopped != "" {
		m.Why = "its history is not whole: " + r.End.Stopped
		return m, nil
	}
	if r.End.Words > 4*maxMoments {
		m.Why = "its run is too long"
		return m, nil
	}
	if len(rec.Plan.Gaps) > 0 {
		m.Why = "not all of it is recorded: " + rec.Plan.Gaps[0].String()
		return m, nil
	}
	for i, f := range rec.Plan.Files {
		m.files[f.Name] = i
	}
	tree, err := r.Tree()
	if err != nil {
		return nil, err
	}
	for _, a := range tree.Activations {
		if a.Depth > maxDepth {
			m.Why = "it calls too deep"
			return m, nil
		}
	}
	m.code = rec.Code()
	byGoroutine := map[uint64]*thread{}
	var roots [][]*act
	for _, a := range tree.Roots {
		t := byGoroutine[a.Goroutine]
		if t == nil {
			t = &thread{goroutine: a.Goroutine, steady: true, only: true}
			byGoroutine[a.Goroutine] = t
			m.threads = append(m.threads, t)
			roots = append(roots, nil)
		}
		i := slices.Index(m.threads, t)
		roots[i] = append(roots[i], m.replay(a, nil, -1))
		t.roots = append(t.roots, a.Func)
	}
	if m.Why != "" {
		m.acts = nil
		return m, nil
	}
	for i, t := range m.threads {
		t.lo = len(m.moments)
		m.executed = map[ast.Node]int{}
		for _, x := range roots[i] {
			m.flatten(x)
		}
		if len(m.moments) > maxMoments {
			m.Why, m.moments = "its run is too long", nil
			return m, nil
		}
		t.hi = len(m.moments)
		t.path = m.path(t)
		slices.Sort(t.roots)
		t.roots = slices.Compact(t.roots)
	}
	for _, t := range m.threads {
		for _, u := range m.threads {
			t.only = t.only && (t == u || !slices.Equal(t.roots, u.roots))
		}
	}
	m.index()
	return m, nil
}

// path is a hash of what a goroutine executes.
func (m *Run) path(t *thread) uint64 {
	h := fnv.New64a()
	for _, mo := range m.moments[t.lo:t.hi] {
		s := mo.act.steps[mo.step]
		pos := token.NoPos
		if s.node != nil {
			pos = s.node.Pos()
		}
		fmt.Fprintln(h, mo.act.Func, pos, s.part, mo.call)
	}
	return h.Sum64()
}

// replay walks an activation and those below it.
func (m *Run) replay(a *history.Activation, parent *act, call int) *act {
	x := &act{Activation: a, parent: parent, call: call}
	m.acts = append(m.acts, x)
	fn := m.plan.Funcs[a.Func]
	node, pkg := m.code.Node(a.Func)
	if pkg == nil {
		return x
	}
	first := m.first[fn.File]
	if first == nil {
		first = m.firstStatements(fn.File, pkg)
		m.first[fn.File] = first
	}
	line := func(p token.Pos) int { return pkg.Fset.PositionFor(p, false).Line }
	// The head of a function, at which it is entered, and its end.
	x.steps = append(x.steps, step{node: node, entry: true, time: a.Start, first: fn.Line, last: line(bodyOf(node).Lbrace)})
	seen := map[*history.Activation]bool{}
	m.code.Walk(a, func(s history.Step) {
		if s.Part == history.Operand {
			return
		}
		st := step{node: s.Node, part: s.Part, time: s.Time}
		from, to := extent(s)
		st.first, st.last = line(from), line(to)
		if sel, ok := s.Node.(*ast.SelectStmt); ok {
			st.heads = []int{st.first}
			for _, c := range sel.Body.List {
				for l := line(c.Pos()); l <= line(c.(*ast.CommClause).Colon); l++ {
					st.heads = append(st.heads, l)
				}
			}
		}
		// What a clause of a select sends or receives is done by the select.
		st.clear = m.switches[s.Node] == nil && clear(pkg, s) && first[st.first] == s.Node.Pos() && st.first != fn.Line
		st.library = m.library(pkg, s)
		n := len(x.steps)
		for _, c := range s.Calls {
			seen[c] = true
			st.children = append(st.children, m.replay(c, x, n))
		}
		if nested(pkg, s.Node) {
			m.Why = "it has loops over functions" // the iterator's moments and the body's interleave
		}
		x.steps = append(x.steps, st)
	})
	// Deferred functions, and what else no statement called.
	var rest []*act
	for _, it := range a.Items {
		if it.Call != nil && !seen[it.Call] {
			rest = append(rest, m.replay(it.Call, x, -1))
		}
	}
	if !a.Abrupt && a.End >= 0 || len(rest) > 0 {
		// Where it defers, the line of the return may come again.
		end := step{first: fn.EndLine, last: fn.EndLine, children: rest, time: a.End}
		if last := x.steps[len(x.steps)-1]; fn.Defers && !a.Abrupt {
			end.first, end.heads = min(last.first, fn.EndLine), []int{last.first, fn.EndLine}
		}
		x.steps = append(x.steps, end)
	}
	return x
}

func bodyOf(n ast.Node) *ast.BlockStmt {
	if lit, ok := n.(*ast.FuncLit); ok {
		return lit.Body
	}
	return n.(*ast.FuncDecl).Body
}

// flatten lists the moments of an activation in order.
func (m *Run) flatten(x *act) {
	if len(m.moments) > maxMoments {
		return
	}
	for i := range x.steps {
		s := &x.steps[i]
		s.nth = m.executed[s.node]
		m.executed[s.node]++
		m.moments = append(m.moments, moment{x, i, 0})
		for n, c := range x.steps[i].children {
			m.flatten(c)
			m.moments = append(m.moments, moment{x, i, n + 1})
		}
	}
}

// candidates are the functions that a frame may be in by its line.
func (m *Run) candidates(file string, line int) []int {
	i, ok := m.files[file]
	if !ok {
		return nil
	}
	var around []int
	for n, f := range m.plan.Funcs {
		if f.File == i && f.Line <= line && line <= f.EndLine {
			around = append(around, n)
		}
	}
	return slices.Clip(around)
}

type probeKey struct {
	path   string
	offset int
}

// watched is what is asked at the statement of a step; nil if nothing is.
func (m *Run) watched(x *act, s step) *history.Watched {
	_, pkg := m.code.Node(x.Func)
	if s.node == nil || pkg == nil {
		return nil
	}
	f := m.plan.Files[m.plan.Funcs[x.Func].File]
	return m.probes[probeKey{f.Path, pkg.Fset.File(s.node.Pos()).Offset(s.node.Pos())}]
}

// concurrent tells whether the program has several goroutines.
func (m *Run) concurrent() bool { return len(m.threads) > 1 }

// whole tells whether a goroutine ends by itself, not with the program.
func (m *Run) whole(t *thread) bool {
	return t.hi > t.lo && (t.lo == 0 || m.moments[t.lo].act.End >= 0)
}

// around tells whether one activation is another or one of its callers.
func around(inner, outer *act) bool {
	for x := inner; x != nil; x = x.parent {
		if x == outer {
			return true
		}
	}
	return false
}
