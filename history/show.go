package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Filter says which part of a history is shown.
type Filter struct {
	// Depth is how deep activations are shown; zero is no limit.
	Depth int
	// Func is matched against the names of functions; their callers are shown, too.
	Func *regexp.Regexp
	// Site is FILE:LINE: activations with an event there.
	Site string
	// Instance is the name of an object, such as <List:1>: events about it, and the
	// functions that they are in.
	Instance string
	// Goroutine is the only one shown, if it is not zero.
	Goroutine uint64
	// From and To bound the times; To is none if it is zero.
	From, To int64
}

// what says in words what a mark means.
func (p *Plan) what(id int) string {
	s := p.Sites[id]
	at := p.at(id)
	switch s.Kind {
	case Then:
		return at + " if: true"
	case Body, Nested:
		return at + " loop: one more time"
	case Case:
		return at + " case: taken"
	case Second:
		// Of the two numbers, the second is for true.
		if id > 0 && p.Sites[id-1] == s {
			return at + " second operand: true"
		}
		return at + " second operand: false"
	case Label:
		return at + " label"
	case Last:
		return at + " ends the program"
	}
	return at
}

// at is the place of a site, as file:line.
func (p *Plan) at(id int) string {
	s := p.Sites[id]
	return fmt.Sprintf("%s:%d", p.Files[p.Funcs[s.Func].File].Name, s.Line)
}

// touched says in words what happens to an object.
func (p *Plan) touched(e Event, i *Instance) string {
	name := "nil"
	switch {
	case i != nil:
		name = i.String()
	case e.Addr != 0:
		name = "an object without a size"
	}
	return fmt.Sprintf("%s %s %s", p.at(e.ID), p.Sites[e.ID].Kind.Verb(), name)
}

// shown is what is printed of an activation.
type shown struct {
	printed bool
	hidden  int // events below that are too deep
}

// A printer prints points as a tree.
type printer struct {
	out    *bufio.Writer
	plan   *Plan
	filter Filter
	all    bool // that there is
	last   uint64
}

// Show prints a history as a tree, function by function and branch by branch, in
// the order in which things happened. It does not keep the history in memory.
func Show(w io.Writer, r *Reader, f Filter) error {
	x := &printer{out: bufio.NewWriter(w), plan: r.Plan, filter: f, all: f.Func == nil && f.Site == "" && f.Instance == ""}
	instances := NewInstances(r.Plan)
	for p, err := range r.Points(instances) {
		if err != nil {
			x.out.Flush()
			return err
		}
		if f.Goroutine == 0 || p.Goroutine == f.Goroutine {
			x.point(p)
		}
	}
	if err := x.out.Flush(); err != nil {
		return fmt.Errorf("showing the history: %w", err)
	}
	// What is wrong with a damaged history is not what it does not hold.
	if f.Instance != "" && r.Err == nil && !slices.ContainsFunc(instances.All, func(i *Instance) bool { return i.String() == f.Instance }) {
		if len(instances.All) == 0 {
			return errors.New("the history has no objects; record them with --objects")
		}
		return fmt.Errorf("the history has no object %s; misstep history instances lists them", f.Instance)
	}
	return nil
}

// of is what is printed of a frame.
func (x *printer) of(f *Frame) *shown {
	if f.Data == nil {
		f.Data = &shown{}
	}
	return f.Data.(*shown)
}

// point prints what the filter leaves of a point.
func (x *printer) point(p *Point) {
	switch p.Kind {
	case Enter:
		x.event(p, p.Stack, p.Activations()-1, x.matches(p), "")
	case Object, Made:
		hit := x.matches(p) || x.filter.Site != "" && x.plan.at(p.ID) == x.filter.Site || p.Instance != nil && x.filter.Instance == p.Instance.String()
		x.event(p, p.Stack, p.Activations(), hit, x.plan.touched(p.Event, p.Instance))
	case Mark:
		if s := x.plan.Sites[p.ID]; s.Kind != After { // which is a help to Walk
			stack := p.Stack
			if s.Kind == Nested && p.In != nil {
				stack = stack[:len(stack)-1]
			}
			x.event(p, stack, depthOf(stack), x.matches(p) || x.filter.Site != "" && x.plan.at(p.ID) == x.filter.Site, x.plan.what(p.ID))
		}
	case Exit, Leave:
		for i, f := range p.Ended {
			s := x.of(f)
			switch {
			case f.Nested || !s.printed:
			case i < len(p.Ended)-1:
				x.line(p, f.Depth-1, "ended by a panic: "+x.plan.Funcs[f.Func].Name)
			default:
				if s.hidden > 0 {
					x.line(p, f.Depth, fmt.Sprintf("… %d events", s.hidden))
				}
				x.line(p, f.Depth-1, "end of "+x.plan.Funcs[f.Func].Name)
			}
		}
	}
}

// matches reports whether the filter is for the function on top of the stack.
func (x *printer) matches(p *Point) bool {
	top := p.Top()
	return x.all || top != nil && x.filter.Func != nil && x.filter.Func.MatchString(x.plan.Funcs[top.Func].Name)
}

// event prints the functions on a stack that are not printed yet, and a text below them.
// Hit says that the filter is for it.
func (x *printer) event(p *Point, stack []*Frame, depth int, hit bool, text string) {
	f := x.filter
	switch {
	case !hit || p.Time < f.From || f.To != 0 && p.Time > f.To:
	case f.Depth > 0 && depth >= f.Depth:
		for _, s := range stack {
			if !s.Nested && s.Depth == f.Depth {
				x.of(s).hidden++
			}
		}
	default:
		for _, s := range stack {
			if shown := x.of(s); !shown.printed && !s.Nested {
				shown.printed = true
				x.at(p.Goroutine, s.Start, s.Depth-1, fmt.Sprintf("%s (%s)", x.plan.Funcs[s.Func].Name, x.plan.Place(s.Func)))
			}
		}
		if text != "" {
			x.line(p, depth, text)
		}
	}
}

func (x *printer) line(p *Point, depth int, text string) { x.at(p.Goroutine, p.Time, depth, text) }

func (x *printer) at(goroutine uint64, time int64, depth int, text string) {
	if goroutine != x.last {
		fmt.Fprintf(x.out, "goroutine %d\n", goroutine)
		x.last = goroutine
	}
	fmt.Fprintf(x.out, "%8d  %s%s\n", time, strings.Repeat("  ", depth), text)
}

// Chrome writes a history in the trace event format of Chrome, which viewers such
// as Perfetto open: one slice for each activation, with the event's number as its
// time in microseconds.
func Chrome(w io.Writer, r *Reader) error {
	out := bufio.NewWriter(w)
	type slice struct {
		Name  string            `json:"name"`
		Phase string            `json:"ph"`
		PID   int               `json:"pid"`
		TID   uint64            `json:"tid"`
		Time  int64             `json:"ts"`
		Args  map[string]string `json:"args,omitempty"`
	}
	first := true
	write := func(s slice) error {
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if !first {
			out.WriteString(",\n")
		}
		first = false
		_, err = out.Write(text)
		return err
	}
	out.WriteString("[\n")
	open := map[*Activation]bool{}
	end := int64(0)
	for p, err := range r.Points(nil) {
		if err != nil {
			return err
		}
		end = p.Time + 1
		if p.Kind == Enter {
			open[p.Top().Activation] = true
			err = write(slice{r.Plan.Funcs[p.ID].Name, "B", 1, p.Goroutine, p.Time, map[string]string{"at": r.Plan.Place(p.ID)}})
		}
		for _, f := range p.Ended {
			if !f.Nested && err == nil {
				delete(open, f.Activation)
				err = write(slice{r.Plan.Funcs[f.Func].Name, "E", 1, p.Goroutine, p.Time, nil})
			}
		}
		if err != nil {
			return err
		}
	}
	// What is open at the end ends there, the innermost first.
	left := slices.SortedFunc(maps.Keys(open), func(a, b *Activation) int {
		return cmp.Or(cmp.Compare(a.Goroutine, b.Goroutine), cmp.Compare(b.Start, a.Start))
	})
	for _, a := range left {
		if err := write(slice{r.Plan.Funcs[a.Func].Name, "E", 1, a.Goroutine, end, nil}); err != nil {
			return err
		}
	}
	out.WriteString("\n]\n")
	return out.Flush()
}
