package reduce

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"misstep/script"
)

// A Check runs a script and returns the classes of what it found; none if the
// debugger behaved as the script says, and an error if it could not be carried out.
// It may be called concurrently.
type Check func(ctx context.Context, s *script.Script) (classes []string, err error)

// A Reducer reduces findings.
type Reducer struct {
	Check   Check
	Workers int           // candidates that are tried at the same time
	Budget  time.Duration // 0: no bound
	// Session leaves the program as it is, and makes only the session small.
	Session bool
	// Explain, if not nil, puts into the result what it finds and what it shows on the way.
	Explain func(ctx context.Context, s *script.Script) (*script.Script, error)
	// Tried, if not nil, is told of each candidate that was run, with the classes of what
	// it found, and whether the finding's is one of them. It may be called concurrently.
	Tried func(s *script.Script, classes []string, same bool)
}

// A Reduction is a reduced finding.
type Reduction struct {
	Script *script.Script
	Class  string
	// Lines are the program's lines of Go that are not blank, and Actions the script's
	// actions, before and after.
	Lines, Actions [2]int
	Passes         []Pass
	Ran            int // candidates that were built and debugged
	Took           time.Duration
	// Complete says that no pass gets any further; otherwise time was up.
	Complete bool
}

// A Pass counts what became of one pass's candidates.
type Pass struct {
	Name                                string
	Tried, Unparsed, Untyped, Run, Kept int
}

// ErrNotReproduced says that a finding does not show any more.
var ErrNotReproduced = errors.New("it does not reproduce: the debugger behaves as the script says")

// A candidate may take so many times as long as the finding itself, and this on top: one
// that hangs says nothing.
const slower, atLeast = 5, 10 * time.Second

// confirmations is how often the result must show the finding before it is believed.
const confirmations = 3

// Reduce makes a finding smaller. What is not reproduced is ErrNotReproduced.
func (r *Reducer) Reduce(ctx context.Context, given *script.Script) (*Reduction, error) {
	start := time.Now()
	if err := fit(given); err != nil {
		return nil, err
	}
	classes, err := r.Check(ctx, given)
	if err != nil {
		return nil, err
	}
	if len(classes) == 0 {
		return nil, ErrNotReproduced
	}
	s := candidateOf(given.Bare())
	class := s.Head.Class
	run := &search{r: r, ctx: ctx, class: class, memo: map[[32]byte]bool{}, patience: slower*time.Since(start) + atLeast}
	if !slices.Contains(classes, class) {
		rule := func(class string) string { return strings.SplitN(class, "/", 2)[0] }
		if class != "" && rule(class) != rule(classes[0]) {
			return nil, fmt.Errorf("it shows something else than %s: %s", class, classes[0])
		}
		run.class = classes[0]
	}
	if r.Budget > 0 {
		run.deadline = start.Add(r.Budget)
	}
	res := &Reduction{Class: run.class, Lines: [2]int{s.Lines(), 0}, Actions: [2]int{len(s.actions()), 0}}
	best := run.all(s)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	best = run.steady(s, best)
	res.Lines[1], res.Actions[1] = best.Lines(), len(best.actions())
	res.Script = best.Clone()
	for i := range res.Script.Commands {
		res.Script.Commands[i].Seen = nil // which was of a larger program
	}
	if r.Explain != nil {
		if res.Script, err = r.Explain(ctx, res.Script); err != nil {
			return nil, err
		}
	}
	res.Passes, res.Ran, res.Complete = run.passes, run.ran, !run.cut
	res.Took = time.Since(start)
	return res, nil
}

// search is one reduction.
type search struct {
	r        *Reducer
	ctx      context.Context
	class    string
	deadline time.Time
	patience time.Duration // with a candidate
	tidying  bool          // only the text, as time is up for the rest
	cut      bool

	mu     sync.Mutex
	memo   map[[32]byte]bool
	ran    int
	passes []Pass
}

// late says that time is up. What only tidies the text has a tenth of it for itself.
func (x *search) late() bool {
	if x.ctx.Err() != nil {
		return true
	}
	left := time.Until(x.deadline)
	if !x.tidying {
		left -= x.r.Budget / 10
	}
	return !x.deadline.IsZero() && left <= 0
}

// all repeats the passes until none gets anywhere. A pass that got nowhere is not
// repeated before another has changed more than the text.
func (x *search) all(s *candidate) *candidate {
	changes := 0
	settled := map[int]int{} // the changes before which a pass got nowhere
	for first := true; !x.late(); first = false {
		before := changes
		for i, p := range passes {
			if at, ok := settled[i]; ok && at == changes || x.r.Session && p.program() {
				continue
			}
			next := x.levels(p, s)
			switch {
			case x.late():
			case next.key() == s.key():
				settled[i] = changes
			case !p.tidies():
				changes++
			}
			s = next
		}
		if changes == before && !first {
			break
		}
	}
	if x.late() && x.ctx.Err() == nil {
		x.cut, x.tidying = true, true
		for _, p := range passes {
			if p.tidies() && !x.r.Session {
				s = x.levels(p, s)
			}
		}
	}
	return s
}

// levels carries a pass out at all levels of nesting.
func (x *search) levels(p pass, s *candidate) *candidate {
	for level := 0; !x.late(); level++ {
		next, more := x.pass(p, s, level)
		s = next
		if !more {
			break
		}
	}
	return s
}

// pass tries chunks of a pass's removals, halves and quarters of them, down to single
// ones. It reports whether there are further levels.
func (x *search) pass(p pass, s *candidate, level int) (*candidate, bool) {
	count := &Pass{Name: p.name}
	defer func() { x.count(*count) }()
	units, more := p.units(s, level)
	size := len(units)
	if p.single {
		size = min(1, size)
	}
	for ; size > 0; size /= 2 {
		for at := 0; at < len(units) && !x.late(); {
			next, skipped := x.first(s, p, units, at, size, count)
			if next == nil {
				at += skipped * size
				continue
			}
			at += skipped * size
			s = next
			units, more = p.units(s, level)
		}
	}
	return s, more
}

// first tries the chunks from a unit on, a few side by side, and returns the first
// that keeps the class, with how many came before it.
func (x *search) first(s *candidate, p pass, units []unit, at, size int, count *Pass) (*candidate, int) {
	n := min(max(1, x.r.Workers), (len(units)-at+size-1)/size)
	candidates := make([]*candidate, n)
	keeps := make([]bool, n)
	var wg sync.WaitGroup
	for i := range n {
		from := at + i*size
		c, why := x.make(s, p, units[from:min(from+size, len(units))])
		count.Tried++
		switch why {
		case unparsed:
			count.Unparsed++
		case untyped:
			count.Untyped++
		}
		if c == nil {
			continue
		}
		candidates[i] = c
		wg.Go(func() { keeps[i] = x.keeps(c, count) })
	}
	wg.Wait()
	for i, ok := range keeps {
		if ok {
			count.Kept++
			return candidates[i], i
		}
	}
	return nil, n
}

// Why a candidate is not run.
type refusal int

const (
	fine refusal = iota
	unparsed
	untyped
)

// make applies units to a script and mends what they leave over.
func (x *search) make(s *candidate, p pass, units []unit) (*candidate, refusal) {
	c, err := p.apply(s, units)
	if err != nil {
		return nil, unparsed
	}
	if !p.program() {
		return c, fine
	}
	c, why := mend(c)
	if c != nil && c.key() == s.key() {
		return nil, fine // a literal that is the short one already
	}
	return c, why
}

// keeps runs a candidate, if it was not run before.
func (x *search) keeps(c *candidate, count *Pass) bool {
	key := sha256.Sum256([]byte(c.key()))
	x.mu.Lock()
	same, known := x.memo[key]
	x.mu.Unlock()
	if known {
		return same
	}
	ctx, cancel := context.WithTimeout(x.ctx, x.patience)
	defer cancel()
	if !x.deadline.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, x.deadline)
		defer stop()
	}
	classes, err := x.r.Check(ctx, c.Script)
	same = err == nil && slices.Contains(classes, x.class)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.memo[key] = same
	x.ran++
	count.Run++
	if err == nil && x.r.Tried != nil && ctx.Err() == nil {
		x.r.Tried(c.Script, classes, same)
	}
	return same
}

func (x *search) count(p Pass) {
	if p.Tried == 0 {
		return
	}
	for i := range x.passes {
		if q := &x.passes[i]; q.Name == p.Name {
			q.Tried += p.Tried
			q.Unparsed += p.Unparsed
			q.Untyped += p.Untyped
			q.Run += p.Run
			q.Kept += p.Kept
			return
		}
	}
	x.passes = append(x.passes, p)
}

// steady is the reduced script if it shows the finding each time, or else the one
// that was given.
func (x *search) steady(given, reduced *candidate) *candidate {
	for range confirmations {
		classes, err := x.r.Check(x.ctx, reduced.Script)
		if err != nil || !slices.Contains(classes, x.class) {
			return given
		}
	}
	return reduced
}

// String is a pass's count as a line of a report.
func (p Pass) String() string {
	return fmt.Sprintf("%-12s %5d tried, %4d do not parse, %4d do not type-check, %4d run, %3d kept", p.Name, p.Tried, p.Unparsed, p.Untyped, p.Run, p.Kept)
}
