package omission

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"misstep/history"
	"misstep/internal/gobuild"
)

// A Query is what is asked of a recorded run: all from the analysis of the program to the
// verification of what was found.
type Query struct {
	// Object says what to look at, and Field, if it is not empty, the only field of that.
	Object, Field string
	// Types says to go by types alone, without an analysis of the whole program, which may
	// take Analysis.
	Types    bool
	Analysis time.Duration
	// Events bounds how much of the run is looked at.
	Events  int64
	Options Options
	// Verify says to run the program again with branches inverted.
	Verify   bool
	Verifier Verifier
	Engine   gobuild.Engine
	failed   *Assertion
	// Notice is told what could not be done as it was asked for.
	Notice io.Writer
}

// An Answer is what came of a query.
type Answer struct {
	Subject  *Subject
	Balloons []*Balloon
	Report   *Report
}

// Found reports whether anything was found: if the program was run again, something that
// makes it do what it should.
func (a *Answer) Found() bool {
	if len(a.Subject.LeftOut)+len(a.Subject.Stale) > 0 && len(a.Balloons) == 0 {
		return true
	}
	if slices.ContainsFunc(a.Subject.Lost, func(l *LostChange) bool { return !l.Aside() }) {
		return true
	}
	for _, b := range a.Balloons {
		if a.Report.Verification == nil || b.Branch.order() <= 1 {
			return true
		}
	}
	return false
}

// An OptionError is an option that makes no sense for this run.
type OptionError struct {
	Option string
	Err    error
}

// Error names the option and says what is wrong with it.
func (e *OptionError) Error() string { return fmt.Sprintf("--%s: %v", e.Option, e.Err) }

// Unwrap is what is wrong.
func (e *OptionError) Unwrap() error { return e.Err }

// Check is an error if the options make no sense.
func (q *Query) Check() error {
	atLeast := func(option string, n int64) error {
		if n < 1 {
			return &OptionError{option, fmt.Errorf("expected at least 1, got %d", n)}
		}
		return nil
	}
	if err := atLeast("calls", int64(q.Options.Calls)); err != nil {
		return err
	}
	if err := atLeast("jobs", int64(q.Verifier.Jobs)); err != nil {
		return err
	}
	return atLeast("events", q.Events)
}

// Expected compiles what the program prints when it is right; no text is nil.
func Expected(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, &OptionError{"expect", err}
	}
	return re, nil
}

// Finder reads a run, which must have been recorded with objects.
func (q *Query) Finder(ctx context.Context, rec *history.Recording, r *history.Reader, name string) (*Finder, error) {
	var aliases Aliases = ByType{}
	if (q.Object != "" || q.failed != nil) && !q.Types {
		limited, cancel := context.WithTimeout(ctx, q.Analysis)
		analyzed, err := Analyze(limited, rec, q.Engine)
		late := limited.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && late:
			fmt.Fprintf(q.Notice, "misstep: the analysis of the whole program was not done within %s (--analysis-time); which object an expression may be goes by its type alone\n", q.Analysis)
		case err != nil:
			fmt.Fprintf(q.Notice, "misstep: %v; which object an expression may be goes by its type alone\n", err)
		default:
			aliases = analyzed
		}
	}
	f, err := New(r, rec, aliases, q.Events)
	if err != nil {
		return nil, err
	}
	if f.Cut() {
		fmt.Fprintf(q.Notice, "misstep: the run has more than %d events; what comes later is not looked at (--events)\n", q.Events)
	}
	if !f.Recorded() {
		return nil, fmt.Errorf("%s: no object is recorded in it: it was recorded without --objects, or its packages make none", name)
	}
	return f, nil
}

// Run finds what should have happened to the object, and verifies it in a folder if that
// is asked for.
func (q *Query) Run(ctx context.Context, f *Finder, rec *history.Recording, dir string) (*Answer, error) {
	q.Options.Ranges = true
	if q.Object == "" && q.failed != nil {
		return q.asserted(ctx, f, rec, dir)
	}
	s, err := f.Subject(q.Object)
	if err != nil {
		return nil, &OptionError{"object", err}
	}
	if q.Field != "" {
		if err := s.Of(q.Field); err != nil {
			return nil, &OptionError{"of", err}
		}
	}
	list, err := q.omitted(ctx, f, s)
	if err != nil {
		return nil, err
	}
	if s.read && len(s.Lost)+len(s.LeftOut)+len(s.Stale) == 0 {
		if a, err := q.neverGot(ctx, f, rec, dir); a != nil || err != nil {
			return a, err
		}
	}
	return q.verified(ctx, f, rec, s, list, dir)
}

// omitted finds what should have happened to a subject: to the object; or else who should
// have read it; or what the value depends on; or what should have happened to the objects
// that its fields hold.
func (q *Query) omitted(ctx context.Context, f *Finder, s *Subject) ([]*Balloon, error) {
	list, err := f.Find(ctx, s, q.Options)
	if err != nil {
		return nil, err
	}
	reads := false
	if len(list) == 0 && len(s.Lost) == 0 && !q.Options.Reads {
		// Of what nobody should have changed, what matters is who should have read it.
		opts := q.Options
		opts.Reads = true
		if list, err = f.Find(ctx, s, opts); err != nil {
			return nil, err
		}
		s.read, reads = true, len(list) > 0
	}
	if at := s.held; at != nil && at.fn >= 0 {
		// What a value is depends on what it was computed from.
		value := f.valueOf(ctx, at)
		from, err := f.from(ctx, value, q.Options, s.Instances)
		if err != nil {
			return nil, err
		}
		for _, l := range f.rebound(f.gaveTo(at, f.explainer(ctx))) {
			if !slices.ContainsFunc(s.Lost, func(k *LostChange) bool { return k.Place == l.Place && k.Copied == l.Copied }) {
				s.Lost = append(s.Lost, l)
			}
		}
		if !at.object || len(list) == 0 || s.read {
			list = Merge(list, from, f.Values(value.Values))
			for _, path := range value.Outside {
				s.outside(path)
			}
		}
		missing := f.Missing(value.Parts)
		if len(list) > 0 {
			for _, b := range missing {
				for _, op := range b.Operations {
					for _, br := range op.Branches {
						br.far = true
					}
				}
			}
		}
		list = Merge(list, missing)
		for _, sub := range f.gathered(ctx, at) {
			more, err := f.Find(ctx, sub, q.Options)
			if err != nil {
				return nil, err
			}
			more = untold(more, list)
			on(more, sub.title()+", which it may have been", copyWeight)
			list = Merge(list, more)
		}
		f.performed(list) // what only the value led to
		f.explain(ctx, list)
	}
	if len(list) > 0 || len(s.Lost) > 0 {
		return q.withInside(ctx, f, s, list, reads)
	}
	if sub := f.madeOf(s.held); sub != nil && !s.made {
		sub.made = true
		s.note(sub.Note)
		more, err := q.omitted(ctx, f, sub)
		on(more, sub.title(), copyWeight)
		s.Lost, s.Name, s.Field = sub.Lost, sub.Name, sub.Field
		return more, err
	}
	if s.Field != "" {
		return nil, nil
	}
	held := f.held(s, isPointer)
	for _, field := range slices.Sorted(maps.Keys(held))[:min(len(held), maxHeld)] {
		sub := f.ofInstances(joined(s.Name, field), f.grown(byFirst(held[field])))
		f.parts(sub)
		more, err := f.Find(ctx, sub, q.Options)
		if err != nil {
			return nil, err
		}
		on(more, sub.Name+", which it holds", copyWeight)
		list = Merge(list, more)
	}
	return q.withInside(ctx, f, s, list, reads)
}

// withInside adds to what is known to be omitted on a subject what was on what is inside of it. Reads says that all that is known of the subject itself
// is who would have read it.
func (q *Query) withInside(ctx context.Context, f *Finder, s *Subject, list []*Balloon, reads bool) ([]*Balloon, error) {
	more, err := f.insides(ctx, s, q.Options)
	if err != nil {
		return nil, err
	}
	switch {
	case !reads:
		more = untold(more, list)
	case len(more) > 0:
		list = untold(list, more) // a change of what is inside says more than that the object would have been read for it
	default:
		s.note("no change of it is known to have been omitted; what follows would have read it, or was found by inverting")
	}
	if len(more) > 0 {
		f.performed(more)
		list = Merge(list, more)
		f.explain(ctx, list)
	}
	return q.withRead(ctx, f, s, list)
}

// gathers reports whether the subject is a map, a slice or a channel, or a variable of such a type.
func (s *Subject) gathers() bool {
	return s.Field == "" && (s.Type != nil && container(s.Type) || s.held != nil && s.held.v != nil && container(s.held.v.Type()))
}

// ended is what would have changed a subject, of which nothing else is known, in a further iteration of a loop that came to its end.
func (q *Query) ended(ctx context.Context, f *Finder, s *Subject) ([]*Balloon, error) {
	opts := q.Options
	opts.Ends = true
	list, err := f.Find(ctx, s, opts)
	if err == nil && len(list) > 0 {
		s.read = false
		s.note("all that is known to change it did; it may lack what there was no further iteration for")
		f.explain(ctx, list)
	}
	return list, err
}

// untold leaves out operations of statements that a list has already.
func untold(more, list []*Balloon) []*Balloon {
	told := map[*node]bool{}
	for _, b := range list {
		for _, op := range b.Operations {
			told[op.node] = true
		}
	}
	return slices.DeleteFunc(more, func(b *Balloon) bool {
		b.Operations = slices.DeleteFunc(b.Operations, func(op *Operation) bool { return op.node != nil && told[op.node] })
		return len(b.Operations) == 0
	})
}

// maxHeld is how many fields are looked at whose objects may be what matters.
const maxHeld = 8

// note adds a remark to those of a subject.
func (s *Subject) note(text string) {
	if s.Note != "" {
		s.Note += "; "
	}
	s.Note += text
}

// Asks reports whether there is anything to look at: an object, or what a failed assertion
// read.
func (q *Query) Asks() bool { return q.Object != "" || q.failed != nil }

// Failed tells a query what a test printed: without an object, what the first assertion read
// that failed is asked about. It reports whether there is one.
func (q *Query) Failed(output []byte) bool {
	if at, ok := Failed(output); ok && q.Object == "" {
		q.failed = &at
	}
	return q.failed != nil
}

// asserted finds what should have happened to what a failed assertion read.
func (q *Query) asserted(ctx context.Context, f *Finder, rec *history.Recording, dir string) (*Answer, error) {
	read, err := f.Read(ctx, *q.failed)
	if err != nil {
		return nil, fmt.Errorf("looking for what failed at %s: %w", q.failed, err)
	}
	whole := f.ofInstances("", nil)
	var lists [][]*Balloon
	var names []string
	for _, s := range read.Subjects {
		list, err := f.Find(ctx, s, q.Options)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
		names = append(names, s.title())
		for i := range s.Instances {
			whole.Instances[i] = true
		}
		whole.types = append(whole.types, s.structs()...)
		for _, path := range s.Outside {
			whole.outside(path)
		}
		whole.Lost = append(whole.Lost, s.Lost...)
	}
	for _, path := range read.Outside {
		whole.outside(path)
	}
	from, err := f.from(ctx, read, q.Options, whole.Instances)
	if err != nil {
		return nil, err
	}
	lists = append(lists, from, f.Values(read.Values))
	if file, err := f.fileAt(q.failed.File); err == nil {
		q.failed.File = f.plan.Files[file].Name
	}
	whole.Name = "what failed at " + q.failed.String()
	if len(names) > 0 {
		whole.Note = fmt.Sprintf("the assertion at %s reads %s", q.failed, list(names))
	}
	list := Merge(lists...)
	f.explain(ctx, list) // what only the values led to
	return q.verified(ctx, f, rec, whole, list, dir)
}

// title names a subject, with its field.
func (s *Subject) title() string {
	if s.Field == "" {
		return s.Name
	}
	return joined(s.Name, s.Field)
}

// verified runs the program again, if that is asked for, and reports.
func (q *Query) verified(ctx context.Context, f *Finder, rec *history.Recording, s *Subject, list []*Balloon, dir string) (*Answer, error) {
	s.Lost = append(s.Lost, f.deadStores(s, s.Lost)...)
	s.LeftOut, s.Stale = f.leftOutOf(s), f.stale(s)
	var err error
	if len(list)+len(s.Lost)+len(s.LeftOut)+len(s.Stale) == 0 && s.gathers() {
		if list, err = q.ended(ctx, f, s); err != nil {
			return nil, err
		}
	}
	var sum *Verification
	if q.Verify {
		if list, sum, err = q.Verifier.Verify(ctx, f, rec, list, dir); err != nil {
			return nil, err
		}
		// What is remote would mend a run that is known to be wrong.
		list = slices.DeleteFunc(list, func(b *Balloon) bool { return sum.Wrong && b.Branch.remote() })
		for i, b := range list {
			b.Rank = i + 1
		}
	}
	r := NewReport(s, list, sum, f.Untaken())
	r.Hurried = f.hurried
	return &Answer{s, list, r}, nil
}

// List prints the objects of a run that may be asked for, those whose type or place has a
// text: three times top of them, all if that is 0.
func (f *Finder) List(w io.Writer, text string, top int) error {
	list := slices.DeleteFunc(f.Candidates(), func(c Candidate) bool {
		return !strings.Contains(c.Name, text) && !strings.Contains(c.Made, text)
	})
	shown := list
	if top > 0 {
		shown = list[:min(len(list), 3*top)]
	}
	var b strings.Builder
	b.WriteString("# the objects that were made in recorded code; --object takes the first or the second column, or a variable at a place such as main.go:22:name\n")
	for _, c := range shown {
		fmt.Fprintf(&b, "%-28s %-28s %8d events\n", c.Name, c.Made, c.Events)
	}
	if n := len(list) - len(shown); n > 0 {
		fmt.Fprintf(&b, "# and %d more (--top 0 shows all, --list TEXT those whose type or place has it)\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Modules are patterns of the modules that packages are of, as far as their paths tell.
func Modules(packages []string) []string {
	var list []string
	for _, path := range packages {
		words, n := strings.Split(path, "/"), 2
		switch words[0] {
		case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "golang.org":
			n = 3
		}
		list = append(list, strings.Join(words[:min(n, len(words))], "/")+"/...")
	}
	slices.Sort(list)
	return slices.Compact(list)
}
