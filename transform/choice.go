package transform

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// A Choice is what a transformation chooses from.
type Choice struct {
	R      *rand.Rand
	Base   []dap.Event
	Source *source.Source
	// Turn says which of several ways is due, see [Deal].
	Turn int
}

// Pauses lists the indices after which the base is paused for a reason other
// than an exception, and something is still done.
func (c *Choice) Pauses() []int {
	var at []int
	for i, e := range c.Base {
		if i+1 < len(c.Base) && e.Output.Pause != nil && e.Output.Pause.Reason != "exception" {
			at = append(at, i)
		}
	}
	return at
}

// Prompts reports whether the base asks Delve by one of some commands of its own, such as config.
func (c *Choice) Prompts(commands ...string) bool {
	return slices.ContainsFunc(c.Base, func(e dap.Event) bool { return e.Action.Prompts(commands...) })
}

// Quiet lists the indices before which something can be inserted that wants a
// program that does not run: at most up to the last action that resumes it.
func (c *Choice) Quiet() []int {
	last := -1
	for i, e := range c.Base {
		if e.Action.Kind.Resumes() && e.Action.Kind != dap.Finish {
			last = i
		}
	}
	var at []int
	for i := 0; i <= last; i++ {
		at = append(at, i)
	}
	return at
}

// FreeLine picks a line with code that the base never has a breakpoint at, nor
// one of another kind in the same function, as two cannot share an address. Half of the time it is one of those that are liked, if it may be.
func (c *Choice) FreeLine(liked ...source.Place) (source.Place, bool) {
	taken := map[source.Place]bool{}
	funcs := map[string]bool{}
	calls := false
	for _, e := range c.Base {
		switch a := e.Action; a.Kind {
		case dap.Break:
			taken[source.Place{File: a.File, Line: a.Line}] = true
		case dap.FuncBreak:
			funcs[a.Name] = true
		case dap.InstBreak:
			funcs[a.Name[:strings.LastIndex(a.Name, "+")]] = true
		case dap.Evaluate:
			// A call would stop at a breakpoint inside the method.
			calls = calls || strings.HasPrefix(a.Name, "call ")
		}
	}
	var free []source.Place
	for _, p := range c.Source.Code() {
		if taken[p] {
			continue
		}
		if fn := c.Source.FuncAt(p); fn != nil && (clashes(funcs, fn.Name) || calls && fn.Decl.Recv != nil) {
			continue
		}
		free = append(free, p)
	}
	if len(free) == 0 {
		return source.Place{}, false
	}
	if liked := slices.DeleteFunc(slices.Clone(free), func(p source.Place) bool { return !slices.Contains(liked, p) }); len(liked) > 0 && c.R.IntN(2) == 0 {
		return Pick(c.R, liked), true
	}
	return Pick(c.R, free), true
}

// Place picks a line for a breakpoint of the transformation's own, and when to
// set it.
func (c *Choice) Place() (Params, bool) {
	at := c.Quiet()
	line, ok := c.FreeLine()
	if !ok || len(at) == 0 {
		return nil, false
	}
	return Params{"at": strconv.Itoa(Pick(c.R, at)), "line": line.String()}, true
}

// clashes reports whether a function, or a closure in it, is among the named.
func clashes(funcs map[string]bool, name string) bool {
	for f := range funcs {
		f, _, _ = strings.Cut(f, "[") // an instance of a generic function
		if f == name || strings.HasPrefix(f, name+".") {
			return true
		}
	}
	return false
}

func Pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// Deal is the one of several ways whose turn it is. Where more is dealt after it, the turns go through all combinations.
func Deal[T any](c *Choice, list []T) T {
	n := c.Turn % len(list)
	c.Turn /= len(list)
	return list[n]
}
