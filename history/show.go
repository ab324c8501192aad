package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// shown is an activation on a stack while a history is shown.
type shown struct {
	fn      int
	time    int64
	printed bool
	hidden  int // events below that are too deep
	depth   int
	nested  bool
}

// Show prints a history as a tree, function by function and branch by branch, in
// the order in which things happened. It does not keep the history in memory.
func Show(w io.Writer, r *Reader, f Filter) error {
	out := bufio.NewWriter(w)
	p := r.Plan
	stacks := map[uint64][]shown{}
	last := uint64(0)
	line := func(g uint64, time int64, depth int, text string) {
		if g != last {
			fmt.Fprintf(out, "goroutine %d\n", g)
			last = g
		}
		fmt.Fprintf(out, "%8d  %s%s\n", time, strings.Repeat("  ", depth), text)
	}
	lines := func(g uint64, stack []shown) {
		for i := range stack {
			if s := &stack[i]; !s.printed && !s.nested {
				s.printed = true
				line(g, s.time, s.depth, fmt.Sprintf("%s (%s)", p.Funcs[s.fn].Name, p.Place(s.fn)))
			}
		}
	}
	all := f.Func == nil && f.Site == "" && f.Instance == ""
	instances := NewInstances(p)
	matches := func(stack []shown) bool {
		if all {
			return true
		}
		n := len(stack)
		return n > 0 && f.Func != nil && f.Func.MatchString(p.Funcs[stack[n-1].fn].Name)
	}
	for e, err := range r.Events() {
		if err != nil {
			out.Flush()
			return err
		}
		instance := instances.Of(e)
		if f.Goroutine != 0 && e.Goroutine != f.Goroutine {
			continue
		}
		stack := stacks[e.Goroutine]
		depth := 0
		for _, s := range stack {
			if !s.nested {
				depth++
			}
		}
		inTime := e.Time >= f.From && (f.To == 0 || e.Time <= f.To)
		deep := func(d int) bool { return f.Depth > 0 && d >= f.Depth }
		hide := func() {
			for i := range stack {
				if stack[i].depth == f.Depth-1 {
					stack[i].hidden++
				}
			}
		}
		switch e.Kind {
		case Enter:
			stack = append(stack, shown{fn: e.ID, time: e.Time, depth: depth})
			switch {
			case !inTime || !matches(stack):
			case deep(depth):
				hide()
			default:
				lines(e.Goroutine, stack)
			}
		case Object, Made:
			hit := matches(stack) || f.Site != "" && p.at(e.ID) == f.Site || instance != nil && f.Instance == instance.String()
			switch {
			case !inTime || !hit:
			case deep(depth):
				hide()
			default:
				lines(e.Goroutine, stack)
				line(e.Goroutine, e.Time, depth, p.touched(e, instance))
			}
		case Mark:
			s := p.Sites[e.ID]
			if s.Kind == After {
				continue // a help to Walk
			}
			hit := matches(stack) || f.Site != "" && p.at(e.ID) == f.Site
			switch {
			case !inTime || !hit:
			case deep(depth):
				hide()
			default:
				lines(e.Goroutine, stack)
				line(e.Goroutine, e.Time, depth, p.what(e.ID))
			}
			if s.Kind == Nested {
				stack = append(stack, shown{fn: s.Func, depth: depth, nested: true})
			}
		case Unnest:
			for n := len(stack) - 1; n >= 0; n-- {
				if stack[n].nested {
					stack = append(stack[:n], stack[n+1:]...)
					break
				}
			}
		case Exit, Leave:
			for n := len(stack) - 1; n >= 0; n-- {
				s := stack[n]
				if s.nested || s.fn != e.ID || e.Kind == Leave && s.depth != e.Depth-1 {
					continue
				}
				for i := len(stack) - 1; i > n; i-- {
					if stack[i].printed {
						line(e.Goroutine, e.Time, stack[i].depth, "ended by a panic: "+p.Funcs[stack[i].fn].Name)
					}
				}
				if s.printed {
					if s.hidden > 0 {
						line(e.Goroutine, e.Time, s.depth+1, fmt.Sprintf("… %d events", s.hidden))
					}
					line(e.Goroutine, e.Time, s.depth, "end of "+p.Funcs[s.fn].Name)
				}
				stack = stack[:n]
				break
			}
		}
		stacks[e.Goroutine] = stack
	}
	if err := out.Flush(); err != nil {
		return err
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
	stacks := map[uint64][]int{}
	end := int64(0)
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		end = e.Time + 1
		stack := stacks[e.Goroutine]
		switch e.Kind {
		case Enter:
			stack = append(stack, e.ID)
			err = write(slice{r.Plan.Funcs[e.ID].Name, "B", 1, e.Goroutine, e.Time, map[string]string{"at": r.Plan.Place(e.ID)}})
		case Exit, Leave:
			n := len(stack) - 1
			for n >= 0 && (stack[n] != e.ID || e.Kind == Leave && n != e.Depth-1) {
				n--
			}
			for i := len(stack) - 1; n >= 0 && i >= n && err == nil; i-- {
				err = write(slice{r.Plan.Funcs[stack[i]].Name, "E", 1, e.Goroutine, e.Time, nil})
			}
			if n >= 0 {
				stack = stack[:n]
			}
		}
		if err != nil {
			return err
		}
		stacks[e.Goroutine] = stack
	}
	for g, stack := range stacks {
		for i := len(stack) - 1; i >= 0; i-- {
			if err := write(slice{r.Plan.Funcs[stack[i]].Name, "E", 1, g, end, nil}); err != nil {
				return err
			}
		}
	}
	out.WriteString("\n]\n")
	return out.Flush()
}
