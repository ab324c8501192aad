package view

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"misstep/history"
)

// Options say what a page shows.
type Options struct {
	// Object is the name of the object that is looked at first, such as <List:1>; none
	// if it is empty.
	Object string
	// Balloons are operations that did not happen.
	Balloons []Balloon
	// Before and After are told before and after the balloons: what no branch decided, such as a
	// change that happened to a copy.
	Before, After []Step
	// Code is the syntax and the types of the recorded program. If it is nil, they are
	// found out from the sources in the history alone, as far as possible.
	Code *history.Code
	// Limit is how many events are shown, from the first on; zero is all.
	Limit int64
}

// A Position is a place in a file, whose name is as the history has it.
type Position struct {
	File         string
	Line, Column int
}

// A Balloon is an operation that could have happened to an object but did not, and the
// decisions of branches against it.
type Balloon struct {
	Rank      int
	Operation Position
	// Text is the source of the operation, Func the function that it is in, Object the
	// expression in it that is the object. The name of the object may stand in its place
	// already.
	Text, Func, Object string
	// Branch is the place of the branch or of its condition, and BranchText its source up
	// to its body.
	Branch     Position
	BranchText string
	// Outcome says in words how the branch decided, such as "was false".
	Outcome string
	// The decision; More are others of the same branch against the same operation.
	Decision
	// Distance is how many calls are between the branch and the operation.
	Distance int
	// Writes says that the operation may change the object.
	Writes bool
	// Verified says what became of the operation when the branch was inverted, such
	// as "happens"; empty if that was not tried.
	Verified string
	More     []Decision
	// Why is why the branch decided so, in the order in which it is read.
	Why []Step
}

// A Step is a place of the source with what is told about it.
type Step struct {
	Position
	Text string
	// Depth is how many steps this one is a reason of.
	Depth int
}

// A Decision is one execution of a branch.
type Decision struct {
	// Activation is the Start of the activation that it is in, At the time of the nearest
	// event before it, Call which call of the function it is, from 1.
	Activation, At int64
	Call           int
}

// decisions are all of a balloon's.
func (b *Balloon) decisions() []Decision { return append([]Decision{b.Decision}, b.More...) }

// Write writes the page of a history. A history that is cut short or damaged is shown
// up to there, which the page says; that is no error.
func Write(w io.Writer, r *history.Reader, opts Options) error {
	p, err := build(r, opts)
	if err != nil {
		return err
	}
	return p.write(w)
}

// pageData is all that a page shows.
type pageData struct {
	reader   *history.Reader
	opts     Options
	sources  *sources
	rows     []row // by their numbers
	whats    []what
	objects  []*history.Instance
	object   int // the number of the one that is looked at, from 1; 0 is none
	paths    []string
	lines    *lines
	balloons [][]int32 // the rows of each balloon
	badges   []badge
	events   int64
	cut      bool // there are more events
}

// build finds out what a page shows.
func build(r *history.Reader, opts Options) (*pageData, error) {
	limit := opts.Limit
	if limit <= 0 {
		limit = maxEvents
	}
	tree, err := r.TreeUntil(limit)
	if err != nil {
		return nil, fmt.Errorf("reading the history's tree: %w", err)
	}
	src := newSources(r.Plan)
	code, sure := opts.Code, true
	if code == nil {
		code, sure = src.code(), false
	}
	p := &pageData{reader: r, opts: opts, sources: src}
	b := newBuilder(r.Plan, tree, src, newReplay(code, src, sure), opts.Balloons)
	for point, err := range r.PointsBefore(b.instances, limit) {
		if err != nil {
			return nil, fmt.Errorf("reading the history's events: %w", err)
		}
		b.event(point)
	}
	b.finish()
	p.cut = r.More
	p.events = tree.Times
	p.objects = b.instances.All
	if opts.Object != "" {
		p.object = 1 + slices.IndexFunc(p.objects, func(i *history.Instance) bool { return i.String() == opts.Object })
		// What is wrong with a damaged history is not what it does not hold.
		switch {
		case p.object > 0 || r.Err != nil:
		case len(p.objects) == 0:
			return nil, errors.New("the history has no objects; record them with --objects")
		case p.cut:
			return nil, fmt.Errorf("the first %d events are about no object %s", limit, opts.Object)
		default:
			return nil, fmt.Errorf("the history has no object %s; misstep history instances lists them", opts.Object)
		}
	}
	p.whats, p.paths, p.lines = b.whats, b.replay.paths, b.replay.lines
	p.number(b)
	return p, nil
}

// maxEvents is how many events a page can number.
const maxEvents = 1 << 29
