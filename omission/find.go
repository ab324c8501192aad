package omission

import (
	"cmp"
	"context"
	"encoding/binary"
	"go/ast"
	"slices"

	"misstep/history"
)

// MaxCalls is how long call chains are by default (Sakurai and Masuhara, section 3.3.2).
const MaxCalls = 5

// A Finder finds omissions in a recorded run.
type Finder struct {
	plan    *history.Plan
	code    *history.Code
	program *program
	events  *events
	limit   int64        // of the events that are read
	hurried bool         // there was no time for all reasons
	copies  []copyChange // see copyChanges; nil until they were looked for
	bound   map[heldKey][]binding
	// accessed are what accesses gives; nil until it was asked.
	accessed map[*history.Instance][]access
	// contained are what contents gives, and outside what variables of packages held; nil until it was asked.
	contained map[contained]bool
	outside   map[*history.Instance]bool
	// noticed is where the question is asked, if that is a variable in a line; judges is nil until it was looked for.
	noticed *noticedAt
	judges  *judging
	taken   edges // see used
	// sites are the steps that do something with the subject but read it.
	sites map[*node]bool
}

// MaxEvents is how many events of a history are read by default. They are kept in memory,
// which takes about a gigabyte.
const MaxEvents = 2_000_000

// New reads a history, which has to be recorded with objects, for a program as it was
// recorded: so many events of it, as if the program had ended then; 0 is MaxEvents.
func New(r *history.Reader, rec *history.Recording, aliases Aliases, events int64) (*Finder, error) {
	if events == 0 {
		events = MaxEvents
	}
	ev, err := readEvents(r, events)
	if err != nil {
		return nil, err
	}
	f := &Finder{plan: r.Plan, code: rec.Code(), events: ev, limit: events}
	f.read(rec, aliases)
	return f, nil
}

// read reads the program, which the events are of.
func (f *Finder) read(rec *history.Recording, aliases Aliases) {
	f.program = newProgram(f.code, rec.Packages, aliases)
	f.events.locate(f.program)
	ran := func(fn int) bool { return len(f.events.byFunc[fn]) > 0 }
	f.program.connect(ran)
	f.program.narrow(ran)
}

// byTypes is a finder of the same run that goes by types alone; nil if this one does.
func (f *Finder) byTypes(rec *history.Recording) *Finder {
	if _, is := f.program.aliases.(ByType); is {
		return nil
	}
	g := &Finder{plan: f.plan, code: f.code, events: f.events, limit: f.limit}
	g.read(rec, ByType{})
	return g
}

// Options say what is looked for.
type Options struct {
	// Calls is how long call chains are; 0 is MaxCalls.
	Calls int
	// Reads are wanted, too.
	Reads bool
	// Ranges that came to their ends are branches, too, where they filled the subject with what a key or a call chose: it may
	// lack an element, or be the wrong thing. The paper has no such branch.
	Ranges bool
	// Ends are branches, too: ranges that came to their ends, whatever they are over.
	Ends bool
}

// Cut says that the history has more events than were read.
func (f *Finder) Cut() bool { return f.events.cut }

// Recorded reports whether the run was recorded with objects.
func (f *Finder) Recorded() bool {
	return slices.ContainsFunc(f.plan.Sites, func(s history.Site) bool { return s.Kind.Object() })
}

// A decision is a branch that kept control from a goal.
type decision struct {
	node *node
	alt  int     // which successor leads there; -1 where control was lost in the node
	cost float64 // how many ways there are beside that one, as a logarithm
	kind string  // of decisions without an alternative: lost, dispatch; of others iteration or empty
	// loops says that the operation happened in the same activation, again that it
	// happened to the subject.
	loops, again bool
}

// found is a decision in activations.
type found struct {
	fn *function
	decision
	goal  goal
	same  bool // the object is known to be the subject
	unfit bool // no case of the switch fitted at these times
	times []Decided
	// activation is the beginning of the activation.
	activation int64
	count      int
}

// Find finds the operations on the subject that did not happen, the branches that decided
// so, and the reasons of these.
func (f *Finder) Find(ctx context.Context, s *Subject, opts Options) ([]*Balloon, error) {
	list, ops, err := f.find(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	displaced := f.displaced(s, ops, list)
	f.sites = map[*node]bool{}
	for _, op := range slices.Concat(ops...) {
		if op.node != nil && op.kind != Read {
			f.sites[op.node] = true
		}
	}
	s.Lost = slices.Concat(f.lost(s), f.escaped(s), f.rebound(s.Instances), displaced, f.overwritten(s, ops, displaced))
	lists := [][]*Balloon{list}
	for _, v := range s.Variables {
		list, _, err := f.find(ctx, v, opts)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	for _, from := range f.sources(s) {
		list, _, err := f.find(ctx, from, opts)
		if err != nil {
			return nil, err
		}
		on(list, from.title()+", which was copied into it", copyWeight)
		lists = append(lists, list)
	}
	for _, w := range f.wrappers(s) {
		list, _, err := f.find(ctx, w, opts)
		if err != nil {
			return nil, err
		}
		on(list, w.Name+", which writes to it", copyWeight)
		lists = append(lists, list)
	}
	if !slices.ContainsFunc(list, func(b *Balloon) bool {
		return slices.ContainsFunc(b.Operations, func(op *Operation) bool { return op.Sure })
	}) {
		lists = append(lists, f.siblings(ctx, s)...)
	}
	if len(lists) > 1 {
		list = Merge(lists...)
	}
	f.performed(list)
	f.explain(ctx, list)
	return list, nil
}

// find finds balloons, and the operations that functions do themselves, by their numbers.
func (f *Finder) find(ctx context.Context, s *Subject, opts Options) ([]*Balloon, [][]*operation, error) {
	calls := opts.Calls
	if calls == 0 {
		calls = MaxCalls
	}
	e := newEffects(f.program, s)
	b := &bundler{f: f, s: s, ops: map[ast.Node]*Operation{}, branches: map[*Operation]map[branchKey]*Branch{}, ran: f.events.ran(s), ranges: opts.Ranges, ends: opts.Ends}
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := f.searchDropped(ctx, fn, f.events.byFunc[fn.id], e.ops[fn.id], b); err != nil {
			return nil, nil, err
		}
		goals := e.goals(fn, calls-1)
		if !opts.Reads {
			goals = slices.DeleteFunc(goals, func(g goal) bool { return g.op.kind == Read })
		}
		if len(goals) == 0 {
			continue
		}
		slices.SortStableFunc(goals, func(a, b goal) int {
			return cmp.Or(cmp.Compare(a.node.index, b.node.index), cmp.Compare(a.distance, b.distance), cmp.Compare(a.op.expr.Pos(), b.op.expr.Pos()))
		})
		if err := f.search(ctx, fn, goals, f.events.byFunc[fn.id], b); err != nil {
			return nil, nil, err
		}
	}
	return b.result(), e.ops, nil
}

// readsAnew reports whether a goal calls the function that a variable of the subject's is local to, which reads it then: that would be
// another variable.
func (g goal) readsAnew(s *Subject) bool {
	if g.call == nil || g.op.kind != Read || s.held == nil {
		return false
	}
	v := g.op.fn.variable(g.op.operand)
	return v != nil && s.Vars[v] && g.op.fn.node.Pos() <= v.Pos() && v.Pos() <= g.op.fn.node.End()
}

// trace is what an activation executed, as far as the history says.
func (f *Finder) trace(fn *function, a *history.Activation) []visit {
	list := fn.trace(f.code, a)
	if !f.events.unknown(f.plan, a) {
		return list
	}
	if len(a.Items) == 0 {
		return list[:min(len(list), 1)] // it has begun
	}
	// What follows from the absence of events, where there are none any more, is nothing. But what a branch led to has begun.
	last := a.Items[len(a.Items)-1]
	for n, v := range list {
		if v.time >= last.Time {
			if last.Call == nil {
				n++
			}
			return list[:n]
		}
	}
	return list
}

// nearest says of goals, which are sorted by distance, which are the first of those that the
// same node leads to in the same way: where that was not executed, the others add nothing.
func (f *Finder) nearest(fn *function, goals []goal) []bool {
	type way struct {
		op      *operation
		node    *node
		operand ast.Expr
		back    bool
	}
	seen := map[way]bool{}
	list := make([]bool, len(goals))
	for i, g := range goals {
		w := way{g.op, g.node, g.operand, g.call != nil && f.program.callsBack(fn, g.call, g.callee)}
		list[i] = !seen[w]
		seen[w] = true
	}
	return list
}

// search looks for decisions in all activations of a function.
func (f *Finder) search(ctx context.Context, fn *function, goals []goal, acts []*history.Activation, b *bundler) error {
	// What follows from which nodes were executed is the same for many activations.
	memo := map[string]map[*node][]decision{}
	nearest := f.nearest(fn, goals)
	for _, a := range acts {
		if err := ctx.Err(); err != nil {
			return err
		}
		trace := f.trace(fn, a)
		if len(trace) == 0 {
			continue
		}
		executed := make([]bool, len(fn.graph.nodes))
		signature := make([]byte, len(fn.graph.nodes), len(fn.graph.nodes)+4)
		for _, v := range trace {
			executed[v.node.index] = true
			signature[v.node.index] = 1
		}
		lost := trace[len(trace)-1].node
		if lost == fn.graph.exit || f.events.unknown(f.plan, a) {
			lost = nil
		} else {
			signature = binary.LittleEndian.AppendUint32(signature, uint32(lost.index))
		}
		known := memo[string(signature)]
		if known == nil {
			known = map[*node][]decision{}
			memo[string(signature)] = known
		}
		visits := map[*node][]int{}
		for i, v := range trace {
			visits[v.node] = append(visits[v.node], i)
		}
		for i, g := range goals {
			if !executed[g.node.index] && !nearest[i] || f.anotherOne(fn, a, g, b.s) || g.readsAnew(b.s) {
				continue
			}
			same := g.op.kind == Call && g.call == nil
			if v := fn.variable(g.operand); v != nil && b.s.Vars[v] {
				same = true
			} else if g.operand != nil && g.op.kind != Call && !fn.varies(g.operand) {
				if t, ok := f.events.is(f.program, a, g.operand, a.End); ok {
					at := b.s.at(fn, t, g)
					if at == other {
						continue
					}
					same = at == subject
				}
			}
			if executed[g.node.index] {
				for _, d := range f.elsewhere(fn, a, g, trace, visits, lost, b) {
					b.add(f.moments(fn, a, d, g, same, trace, visits, b))
				}
				continue
			}
			list, ok := known[g.node]
			if !ok {
				list = fn.graph.dominant(g.node, executed, lost, f.used())
				known[g.node] = list
			}
			if fn.graph.lostTo(lost, g.node) && !slices.ContainsFunc(list, func(d decision) bool { return d.kind == "lost" }) {
				list = append(slices.Clip(list), decision{node: lost, alt: -1, kind: "lost"})
			}
			most := 0.0
			for _, d := range list {
				most = max(most, d.cost)
				b.add(f.moments(fn, a, d, g, same, trace, visits, b))
			}
			for _, d := range fn.passed(g, trace, visits, list, f.used()) {
				b.add(f.moments(fn, a, d, g, same, trace, visits, b))
			}
			if d, ok := fn.leftLoop(g, trace, list); ok && len(list) > 0 {
				d.loops, d.cost = true, max(d.cost, most)
				b.add(f.moments(fn, a, d, g, same, trace, visits, b))
			}
		}
	}
	return nil
}
