package omission

import (
	"context"
	"fmt"
	"io"
	"regexp"
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
	// Notice is told what could not be done as it was asked for.
	Notice io.Writer
}

// An Answer is what came of a query.
type Answer struct {
	Subject  *Subject
	Balloons []*Balloon
	Report   *Report
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
	if q.Object != "" && !q.Types {
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
		return nil, fmt.Errorf("%s: it was recorded without objects; record it with --objects", name)
	}
	return f, nil
}

// Run finds what should have happened to the object, and verifies it in a folder if that
// is asked for.
func (q *Query) Run(ctx context.Context, f *Finder, rec *history.Recording, dir string) (*Answer, error) {
	s, err := f.Subject(q.Object)
	if err != nil {
		return nil, &OptionError{"object", err}
	}
	if q.Field != "" {
		if err := s.Of(q.Field); err != nil {
			return nil, &OptionError{"of", err}
		}
	}
	list, err := f.Find(ctx, s, q.Options)
	if err != nil {
		return nil, err
	}
	var sum *Verification
	if q.Verify {
		if list, sum, err = q.Verifier.Verify(ctx, f, rec, list, dir); err != nil {
			return nil, err
		}
	}
	return &Answer{s, list, NewReport(s, list, sum, f.Untaken())}, nil
}

// List prints the objects of a run that may be asked for.
func (f *Finder) List(w io.Writer) error {
	_, err := fmt.Fprintln(w, "# the objects that were made in recorded code; --object takes the first or the second column, or a variable at a place such as main.go:22:name")
	for _, c := range f.Candidates() {
		_, err = fmt.Fprintf(w, "%-28s %-28s %8d events\n", c.Name, c.Made, c.Events)
	}
	return err
}
