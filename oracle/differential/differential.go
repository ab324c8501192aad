package differential

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/source"
)

// A Side is one engine of a differential test, with the program as it debugs it.
type Side struct {
	Engine   gobuild.Engine
	Adapter  *dap.Adapter
	Debuggee *debuggee.Debuggee
	// Breaks, if not nil, tells where the side takes breakpoints as others do.
	Breaks func(file string, line int) bool
}

// A Test runs debuggers side by side with the same actions, until what they
// show differs (DBDB: Lehmann and Pradel, ESEC/FSE 2018, algorithm 1). The actions
// are chosen from what the first one shows. With more than two, they vote (JEST:
// Park et al., ICSE 2021): those that differ from the most have the bug.
type Test struct {
	// Open opens a session of a side, Done is told of each when it is over.
	Open  func(ctx context.Context, s *Side) (*dap.Session, *dap.Output, error)
	Done  func(s *Side, session *dap.Session, events []dap.Event)
	Sides []*Side
}

// A Disagreement is the first difference between the sides of a session.
type Disagreement struct {
	Index int // of the event
	Diff  *dap.Difference
	// One and Other are the sides that Diff holds against each other.
	One, Other int
	// Odd are the sides that show something else than most; none without a majority.
	Odd []int
}

// A Comparison is one session on all sides.
type Comparison struct {
	Traces       [][]dap.Event // of each side
	Compared     int           // actions whose outputs were compared
	Left         finding.Tally // what was left out, by the capability that some side lacks
	Disagreement *Disagreement // nil if all agree
	NotLaunched  string        // why the sides cannot be compared
}

// Run carries out a session.
func (d *Test) Run(ctx context.Context, next gen.Chooser) (*Comparison, error) {
	c := &Comparison{Traces: make([][]dap.Event, len(d.Sides))}
	sessions := make([]*dap.Session, len(d.Sides))
	defer func() {
		for i, s := range sessions {
			if s != nil {
				d.Done(d.Sides[i], s, c.Traces[i])
			}
		}
	}()
	failed := make([]*dap.Output, len(d.Sides))
	err := d.each(func(i int) (err error) {
		sessions[i], failed[i], err = d.Open(ctx, d.Sides[i])
		return err
	})
	if err != nil {
		return c, err
	}
	for i, out := range failed {
		if out != nil {
			c.NotLaunched = fmt.Sprintf("%s cannot launch it: %s", d.Sides[i].Engine, out)
			return c, nil
		}
	}
	view := sessions[0]
	code := map[source.Place]bool{}
	for _, p := range d.Sides[0].Debuggee.Source.Code() {
		code[p] = true
	}
	for finished := false; !finished; {
		a, more := next.Next(view)
		if !more {
			a, finished = dap.Action{Kind: dap.Finish}, true
		}
		if why := d.leaves(sessions, a, code); why != "" {
			c.Left.Missed(why)
			continue
		}
		at := sessions[0].Pause()
		before := depth(at)
		outs := make([]dap.Output, len(sessions))
		if err := d.each(func(i int) (err error) {
			outs[i], err = sessions[i].Do(ctx, a)
			return err
		}); err != nil {
			return c, err
		}
		if a.Kind == dap.Break && d.mixed() && slid(outs, a) {
			c.Left.Missed(beside)
			if err := d.undo(ctx, sessions, a); err != nil {
				return c, err
			}
			continue
		}
		fatal := false
		for i, out := range outs {
			c.Traces[i] = append(c.Traces[i], dap.Event{Action: a, Output: out})
			fatal = fatal || out.Kind.Fatal()
		}
		if a.Kind.Steps() && d.referenced() && slices.ContainsFunc(outs, func(o dap.Output) bool { return depth(o.Pause) < before }) {
			// Tolerance return: a step that leaves its activation may show the line of the
			// call once more, or not, which rules R4 and R6 know; what follows cannot be
			// compared.
			c.Left.Missed("steps out of an activation, and what follows")
			return c, nil
		}
		if a.Kind.Steps() && d.referenced() && slices.ContainsFunc(outs, func(o dap.Output) bool { return o.Pause != nil && o.Pause.Top().Foreign() }) {
			// The recorded run has nothing of the library.
			c.Left.Missed("steps into what is not recorded, and what follows")
			return c, nil
		}
		c.Compared++
		if c.Disagreement = d.hold(outs, a, at); c.Disagreement != nil {
			c.Disagreement.Index = len(c.Traces[0]) - 1
			return c, nil
		}
		if fatal {
			return c, nil // all the same
		}
	}
	return c, nil
}

// undo takes a breakpoint back on all sides.
func (d *Test) undo(ctx context.Context, sessions []*dap.Session, a dap.Action) error {
	return d.each(func(i int) error {
		_, err := sessions[i].Do(ctx, dap.Action{Kind: dap.Unbreak, File: a.File, Line: a.Line})
		return err
	})
}

// beside is what is said of breakpoints that are left out.
const beside = "breakpoints beside statements, which adapters move or not"

// leaves says why an action is left out; empty if all sides carry it out. Code are the
// places where statements begin.
func (d *Test) leaves(sessions []*dap.Session, a dap.Action, code map[source.Place]bool) string {
	switch lacks := lacking(sessions, a); {
	case lacks != "":
		return lacks
	case a.Thread > 0 && slices.ContainsFunc(d.Sides, func(s *Side) bool { return Between(d.Sides[0], s).NoThreads }):
		return "what names a thread by its number in the list, which others list differently"
	case !d.mixed():
		return ""
	case a.Kind == dap.Break && (!code[source.Place{File: a.File, Line: a.Line}] || !d.takes(a)):
		// Tolerance slide: where a breakpoint goes that is set where no statement begins.
		return beside
	case a.Kind == dap.FuncBreak || a.Kind == dap.FuncUnset:
		// Tolerance entry: whether a function is entered before or after its prologue.
		return "breakpoints on functions, which adapters set before or after the prologue"
	}
	return ""
}

// slid reports whether some side moved a breakpoint to another line.
func slid(outs []dap.Output, a dap.Action) bool {
	return slices.ContainsFunc(outs, func(o dap.Output) bool {
		return o.Breakpoint != nil && o.Breakpoint.Verified && o.Breakpoint.Line != a.Line
	})
}

// takes reports whether all sides take a breakpoint there in the same way.
func (d *Test) takes(a dap.Action) bool {
	return !slices.ContainsFunc(d.Sides, func(s *Side) bool { return s.Breaks != nil && !s.Breaks(a.File, a.Line) })
}

// mixed reports whether the sides are different adapters.
func (d *Test) mixed() bool {
	return slices.ContainsFunc(d.Sides, func(s *Side) bool { return s.Engine.Adapter != d.Sides[0].Engine.Adapter })
}

// referenced reports whether one side is the recorded run.
func (d *Test) referenced() bool {
	return slices.ContainsFunc(d.Sides, func(s *Side) bool { return s.Engine.Adapter == dap.Recorded })
}

// depth is the number of the program's frames at a pause.
func depth(p *dap.Pause) int {
	n := 0
	if p != nil {
		for _, f := range p.Stack {
			if !f.Foreign() {
				n++
			}
		}
	}
	return n
}

// each does something for all sides at the same time.
func (d *Test) each(do func(i int) error) error {
	errs := make([]error, len(d.Sides))
	var wg sync.WaitGroup
	for i := range d.Sides {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// lacking is a capability that an action needs and some session lacks, or empty.
func lacking(sessions []*dap.Session, a dap.Action) string {
	for _, s := range sessions {
		if lacks := s.Lacks(a); lacks != "" {
			return s.Adapter().Name + " lacks " + lacks
		}
	}
	return ""
}

// hold compares all sides' outputs of one action, which was
// done at a pause.
func (d *Test) hold(outs []dap.Output, a dap.Action, at *dap.Pause) *Disagreement {
	src := d.Sides[0].Debuggee.Source
	differ := func(i, k int) *dap.Difference {
		lens := Between(d.Sides[i], d.Sides[k])
		// Tolerance undeclared, see there.
		lens.Settled = func(f dap.Frame, name string) bool {
			return src.Settled(source.Place{File: f.File, Line: f.Line}, f.Func, name)
		}
		if from := (dap.Event{Action: a, Output: outs[i]}).From(at); from != nil && a.Frame < len(from.Stack) {
			lens.Frame = from.Stack[a.Frame]
		}
		if lens.NoPlace && a.Kind == dap.Disas {
			return nil // instructions are others
		}
		return dap.Diff(&outs[i], &outs[k], lens)
	}
	// Sides that agree are one group, named by the first of them.
	group, size := make([]int, len(outs)), map[int]int{}
	for i := range outs {
		group[i] = i
		for k := range i {
			if group[k] == k && differ(k, i) == nil {
				group[i] = k
				break
			}
		}
		size[group[i]]++
	}
	if len(size) == 1 {
		return nil
	}
	other := slices.IndexFunc(group, func(g int) bool { return g != group[0] })
	x := &Disagreement{Diff: differ(0, other), One: 0, Other: other}
	for i, g := range group {
		if 2*size[g] < len(outs) && slices.ContainsFunc(group, func(g int) bool { return 2*size[g] > len(outs) }) {
			x.Odd = append(x.Odd, i)
		}
	}
	return x
}

// Describe says in a sentence what the sides disagree on.
func (d *Test) Describe(x *Disagreement, a dap.Action) string {
	return fmt.Sprintf("after %s, %s", a, x.Diff.Says(d.name(x.One), d.name(x.Other))) + d.odd(x)
}

func (d *Test) name(side int) string { return d.Sides[side].Engine.String() }

// odd says which sides most others outvote, or nothing.
func (d *Test) odd(x *Disagreement) string {
	var odd []string
	for _, i := range x.Odd {
		odd = append(odd, d.name(i))
	}
	if len(odd) == 0 {
		return ""
	}
	return fmt.Sprintf("; of %d, the odd one out is %s", len(d.Sides), strings.Join(odd, " and "))
}

// Finding is what the sides disagree on.
func (d *Test) Finding(c *Comparison) *finding.Finding {
	x := c.Disagreement
	f := finding.OfSession(Rules[0], d.Sides[0].Debuggee, &finding.Session{Base: c.Traces[0], Index: x.Index, Follow: c.Traces[x.Other]},
		x.Diff, d.name(x.One), d.name(x.Other))
	for _, s := range d.Sides[1:] {
		f.Against = append(f.Against, s.Engine.String())
	}
	if odd := d.odd(x); odd != "" {
		f.Note("Votes%s.", odd)
	}
	return f
}
