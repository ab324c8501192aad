package timeline

import (
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"math"
	"slices"

	"misstep/history"
)

// A Run is a program's recorded run, replayed into the moments at which a debugger could
// stop.
type Run struct {
	Plan    *history.Plan
	Code    *history.Code
	acts    []*Activation
	Moments []Moment
	Threads []*Thread
	// Switches are the statements that clauses, and the statements themselves, belong
	// to.
	Switches map[ast.Node]ast.Node
	inits    map[ast.Node]ast.Node // statements in the head of another, which that begins with
	clauses  map[lineKey]bool      // lines on which the head of a clause ends
	inners   map[ast.Node][]int
	posts    map[ast.Node]bool // statements in the head of a loop that come after an iteration
	Files    map[string]int
	// First are the lines, of files, on which a statement begins, and where the first
	// does.
	First    map[int]map[int]token.Pos
	executed map[executedKey]int // by the goroutine that is replayed
	Snaps    *history.Snapshots
	probes   map[probeKey]*history.Watched
	runner   *runner
	lines    map[lineKey]*LineInfo
	Clears   []*LineInfo // in the order of their first execution
	// Exit is how the recorded program ended; nil if it does not end the same each time.
	Exit *Exit
	// Sure is the moment before which all runs do the same, of a program with one goroutine. What comes
	// from there on depends on chance, such as a branch on which entry of a map comes first.
	Sure int
	// Collects says that the program has garbage collected by itself, or its stack moved, which takes along only what is in use.
	Collects bool
	// Why is the reason why sessions cannot be judged, or empty.
	Why string
}

// A Thread is a goroutine of the recorded run.
type Thread struct {
	Goroutine uint64
	Roots     []int // the functions at the bottom of its stack, in order
	Lo, Hi    int   // its moments
	// Last is the end of the moments of this run; Hi is before it if the program's end cuts the goroutine off, now sooner
	// and now later: what it does from Hi on is not known.
	Last int
	Path uint64 // a hash of its moments, by which goroutines that do the same are known
	// Steady says that its moments do not depend on the order in which goroutines
	// run, and only that no other goroutine has the same functions at its bottom.
	Steady, only bool
	// Values is a hash of the values that a goroutine has written which all runs have alike, by which those are told apart that do the
	// same.
	Values uint64
}

// An Activation is one of the history with what it executed.
type Activation struct {
	*history.Activation
	Steps  []Step
	Parent *Activation
	Call   int // the step of the parent that called it, or -1
}

// A Step is one execution of a statement.
type Step struct {
	Node        ast.Node
	Part        history.Part
	First, Last int   // lines
	Heads       []int // of a select, the lines of its clauses' heads; nil for all
	Inner       []int // lines within the bodies of function literals, which are not its own
	// Lines are those on which a debugger must be able to pause at each execution; IsClear
	// says that First is one.
	Lines   []int
	IsClear bool
	// Begin is its first moment, and Until the last one at which code on its lines may still
	// come: of a statement over several lines the calls may come before what uses them, and of
	// a return the deferred functions.
	Begin, Until int
	Entry        bool // the head of the function, where it is entered
	Library      bool // it also calls what is not recorded
	Nth          int  // of the executions of this part of the statement, from 0
	time         int64
	Children     []*Activation
}

// Covers reports whether a line is one of the step's.
func (s *Step) Covers(line int) bool {
	return s.First <= line && line <= s.Last && (s.Heads == nil || slices.Contains(s.Heads, line)) && !slices.Contains(s.Inner, line)
}

// A Moment is a point of a run: before a step, or after its nth call.
type Moment struct {
	Activation *Activation
	Step       int
	Call       int // 0 before the step, n after its nth call
}

// Held holds the recorded run against a plain one: a program that does something
// else when it is recorded, as it measures itself, cannot be judged.
func (m *Run) Held(stdout string, code int) {
	if m.Why == "" && m.Exit != nil && (m.Exit.Stdout != stdout || m.Exit.Code != code) {
		m.Why = "it does something else when it is recorded"
	}
}

// maxMoments and maxDepth bound a Run, which keeps all moments in memory; runs that are
// longer, or call deeper, are not replayed.
const (
	maxMoments = 400_000
	maxDepth   = 10_000
)

// New replays a recording. Names of files are as the plan has them, which is how
// outputs have them, too. Snapshots may be nil; then no values are judged.
func New(rec *history.Recording, r *history.Reader, snaps *history.Snapshots) (*Run, error) {
	m := &Run{Plan: rec.Plan, Files: map[string]int{}, First: map[int]map[int]token.Pos{}, Snaps: snaps, probes: map[probeKey]*history.Watched{}, Switches: map[ast.Node]ast.Node{}, inits: map[ast.Node]ast.Node{}, posts: map[ast.Node]bool{}, clauses: map[lineKey]bool{}, inners: map[ast.Node][]int{}}
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			m.findSwitches(f)
		}
	}
	for i := range rec.Watched {
		w := &rec.Watched[i]
		m.probes[probeKey{w.Path, w.Offset}] = w
	}
	if m.Why = unreplayable(rec, r); m.Why != "" {
		return m, nil
	}
	for i, f := range rec.Plan.Files {
		m.Files[f.Name] = i
	}
	tree, err := r.Tree()
	if err != nil {
		return nil, err
	}
	if err := tree.SplitBodies(rec.Plan); err != nil {
		m.Why = err.Error()
		return m, nil
	}
	for _, a := range tree.Activations {
		if a.Depth > maxDepth {
			m.Why = "it calls too deep"
			return m, nil
		}
	}
	if linked(rec) {
		m.Why = "it reads variables of the linker's or of the runtime's, which are others in what is recorded"
		return m, nil
	}
	if len(tree.Roots) == 0 {
		m.Why = "none of its own functions runs"
		return m, nil
	}
	m.Code = rec.Code()
	byGoroutine := map[uint64]*Thread{}
	var roots [][]*Activation
	for _, a := range tree.Roots {
		t := byGoroutine[a.Goroutine]
		if t == nil {
			t = &Thread{Goroutine: a.Goroutine, Steady: true, only: true}
			byGoroutine[a.Goroutine] = t
			m.Threads = append(m.Threads, t)
			roots = append(roots, nil)
		}
		i := slices.Index(m.Threads, t)
		roots[i] = append(roots[i], m.replay(a, nil, -1))
		t.Roots = append(t.Roots, a.Func)
	}
	if m.Why != "" {
		m.acts = nil
		return m, nil
	}
	sure := math.MaxInt
	for i, t := range m.Threads {
		t.Lo = len(m.Moments)
		m.executed = map[executedKey]int{}
		for _, x := range roots[i] {
			m.flatten(x)
		}
		sure = min(sure, m.ended(t))
		if len(m.Moments) > maxMoments {
			m.Why, m.Moments = "its run is too long", nil
			return m, nil
		}
		t.Path = m.path(t)
		slices.Sort(t.Roots)
		t.Roots = slices.Compact(t.Roots)
	}
	for _, t := range m.Threads {
		for _, u := range m.Threads {
			t.only = t.only && (t == u || !slices.Equal(t.Roots, u.Roots))
		}
	}
	m.Sure = len(m.Moments)
	if !m.Concurrent() {
		m.Sure = min(m.Sure, sure)
	}
	m.index()
	return m, nil
}

// unreplayable says why a history cannot be replayed; empty if it can.
func unreplayable(rec *history.Recording, r *history.Reader) string {
	switch {
	case r.End == nil || r.Err != nil:
		return "its history is not whole"
	case r.End.Stopped != "":
		return "its history is not whole: " + r.End.Stopped
	case r.End.Words > 4*maxMoments:
		return "its run is too long"
	case len(rec.Plan.Gaps) > 0:
		return "not all of it is recorded: " + rec.Plan.Gaps[0].String()
	}
	return ""
}

// path is a hash of what a goroutine executes.
func (m *Run) path(t *Thread) uint64 {
	h := fnv.New64a()
	for n := t.Lo; n < t.Hi; n++ {
		fmt.Fprintln(h, m.sign(n))
	}
	return h.Sum64()
}

// A sign is what is executed at a moment, as other runs of the program have it, too.
type sign struct {
	fn   int
	pos  token.Pos
	part history.Part
	call int
}

func (m *Run) sign(n int) sign {
	mo := m.Moments[n]
	s := mo.Activation.Steps[mo.Step]
	pos := token.NoPos
	if s.Node != nil {
		pos = s.Node.Pos()
	}
	return sign{mo.Activation.Func, pos, s.Part, mo.Call}
}

// apart is the first moment at which another run of the program does something else.
func (m *Run) apart(other *Run) int {
	n := 0
	for n < len(m.Moments) && n < len(other.Moments) && m.sign(n) == other.sign(n) {
		n++
	}
	return n
}

// replay walks an activation and those below it.
func (m *Run) replay(a *history.Activation, parent *Activation, call int) *Activation {
	x := &Activation{Activation: a, Parent: parent, Call: call}
	m.acts = append(m.acts, x)
	fn := m.Plan.Funcs[a.Func]
	node, pkg := m.Code.Node(a.Func)
	if pkg == nil {
		return x
	}
	first := m.First[fn.File]
	if first == nil {
		first = m.firstStatements(fn.File, pkg)
		m.First[fn.File] = first
	}
	line := func(p token.Pos) int { return pkg.Fset.PositionFor(p, false).Line }
	// The head of a function, at which it is entered, and its end. The body of a loop has that of the loop.
	if a.Of == nil {
		x.Steps = append(x.Steps, Step{Node: node, Entry: true, time: a.Start, First: fn.Line, Last: line(bodyOf(node).Lbrace)})
	}
	seen := map[*history.Activation]bool{}
	m.Code.Walk(a, func(s history.Step) {
		if s.Part == history.Operand {
			return
		}
		st := Step{Node: s.Node, Part: s.Part, time: s.Time}
		from, to := extent(s)
		st.First, st.Last = line(from), line(to)
		if sel, ok := s.Node.(*ast.SelectStmt); ok {
			st.Heads = []int{st.First}
			for _, c := range sel.Body.List {
				for l := line(c.Pos()); l <= line(c.(*ast.CommClause).Colon); l++ {
					st.Heads = append(st.Heads, l)
				}
			}
		}
		if st.First != st.Last {
			st.Inner = m.inner(pkg, s.Node)
		}
		// On the line where the head of the function ends, or of a clause, a pause may be at that.
		st.Lines = slices.DeleteFunc(m.codeLines(pkg, s, st.First, first, fn), func(l int) bool {
			return a.Of == nil && l == x.Steps[0].Last || m.clauses[lineKey{fn.File, l}]
		})
		st.IsClear = slices.Contains(st.Lines, st.First)
		st.Library = m.library(pkg, s)
		n := len(x.Steps)
		for _, c := range s.Calls {
			seen[c] = true
			st.Children = append(st.Children, m.replay(c, x, n))
		}
		if r, ok := s.Node.(*ast.RangeStmt); ok && r.Tok == token.ASSIGN && !nested(pkg, r) && (calls(pkg, r.Key) || calls(pkg, r.Value)) {
			m.Why = "it calls functions for what the head of a loop assigns to" // before which iteration, marks do not say
		}
		// If as many calls were recorded as there are, none was of what is not.
		st.Library = st.Library && (len(st.Children) < len(callsOf(pkg, s)) || m.foreign(pkg, s))
		x.Steps = append(x.Steps, st)
	})
	if a.Astray {
		m.Why = "a panic goes through more calls than it tells of"
		if a.Of != nil {
			m.Why = "a panic leaves the body of a loop over a function where it calls nothing"
		}
	}
	// Deferred functions, and what else no statement called.
	var rest []*Activation
	for _, it := range a.Items {
		if it.Call != nil && !seen[it.Call] {
			rest = append(rest, m.replay(it.Call, x, -1))
		}
	}
	if a.Of != nil && (len(rest) > 0 || len(x.Steps) == 0) {
		x.Steps = append(x.Steps, Step{First: fn.Line, Last: fn.EndLine, Children: rest, time: a.End})
	}
	if a.Of == nil && (!a.Abrupt && a.End >= 0 || len(rest) > 0) {
		// Where it defers, the line of the return may come again.
		end := Step{First: fn.EndLine, Last: fn.EndLine, Children: rest, time: a.End}
		if last := x.Steps[len(x.Steps)-1]; fn.Defers && !a.Abrupt {
			end.First, end.Heads = min(last.First, fn.EndLine), []int{last.First, fn.EndLine}
		}
		x.Steps = append(x.Steps, end)
	}
	return x
}

func bodyOf(n ast.Node) *ast.BlockStmt {
	if lit, ok := n.(*ast.FuncLit); ok {
		return lit.Body
	}
	return n.(*ast.FuncDecl).Body
}

// executedKey is what executions are counted of.
type executedKey struct {
	node ast.Node
	part history.Part
}

// flatten lists the moments of an activation in order.
func (m *Run) flatten(x *Activation) {
	if len(m.Moments) > maxMoments {
		return
	}
	for i := range x.Steps {
		s := &x.Steps[i]
		k := executedKey{s.Node, s.Part}
		s.Nth = m.executed[k]
		m.executed[k]++
		s.Begin, s.Until = len(m.Moments), len(m.Moments)
		m.Moments = append(m.Moments, Moment{x, i, 0})
		for n, c := range x.Steps[i].Children {
			m.flatten(c)
			m.Moments = append(m.Moments, Moment{x, i, n + 1})
		}
		if s.First != s.Last {
			s.Until = len(m.Moments) - 1
		}
	}
	if n := len(x.Steps); n > 1 && x.Steps[n-1].Node == nil && m.Plan.Funcs[x.Func].Defers {
		x.Steps[n-2].Until = len(m.Moments) - 1
	}
}

// Candidates are the functions that a frame may be in by its line.
func (m *Run) Candidates(file string, line int) []int {
	i, ok := m.Files[file]
	if !ok {
		return nil
	}
	var around []int
	for n, f := range m.Plan.Funcs {
		if f.File == i && f.Line <= line && line <= f.EndLine {
			around = append(around, n)
		}
	}
	return slices.Clip(around)
}

// Leads reports whether nothing else is executed on a step's first line before it, in the
// same pass over that line.
func (m *Run) Leads(x *Activation, s Step) bool {
	return s.Node == nil || s.Part != history.Whole && s.Part != history.Head || m.posts[s.Node] ||
		m.First[m.Plan.Funcs[x.Func].File][s.First] == s.Node.Pos()
}

// Post reports whether a statement is in the head of a loop and comes after each iteration.
func (m *Run) Post(s ast.Node) bool { return s != nil && m.posts[s] }

// Concurrent reports whether the program has several goroutines.
func (m *Run) Concurrent() bool { return len(m.Threads) > 1 }

// Whole reports whether a goroutine ends by itself in each run, not with the program.
func (m *Run) Whole(t *Thread) bool { return t.Hi > t.Lo && t.Hi == t.Last && m.Ends(t) }

// Ends reports whether a goroutine ends by itself in this run, so that its moments up to the last one are all that it has.
func (m *Run) Ends(t *Thread) bool {
	return t.Last > t.Lo && (t.Lo == 0 || m.Moments[t.Lo].Activation.End >= 0)
}

// Around reports whether one activation is another or one of its callers.
func Around(inner, outer *Activation) bool {
	for x := inner; x != nil; x = x.Parent {
		if x == outer {
			return true
		}
	}
	return false
}
