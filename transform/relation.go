package transform

import (
	"maps"
	"regexp"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// A Relation says how what a debugger shows of a rewritten program follows from
// what it shows of the original. Old and New are the two sources; the lines go
// by the map of the edits. Line numbers in it are those of the old files, where
// //line directives do not count.
type Relation struct {
	Old, New *source.Source
	Lines    *srcedit.Map

	// Own are the variables that the rewrite has added. They are left out of the
	// comparison, but those in Shown must be shown.
	Own   map[string]bool
	Shown []Shown
	// OwnFuncs are the functions that the rewrite has added, by the names that
	// debuggers use. Their frames are left out, and steps pass through them.
	OwnFuncs map[string]bool
	// Funcs are functions that have another name now.
	Funcs []FuncName
	// Outermost: functions are compared by the declared function around them,
	// since literals have come or gone and are numbered anew (tolerance
	// numbered-literals).
	Outermost bool
	// Renamed are variables that have another name now.
	Renamed []VarName
	// Captured are ranges that have become function literals: there, variables
	// from outside are shown only if they are used.
	Captured []Captured
	// Shadowed are blocks in which a variable is now covered by another.
	Shadowed []Shadowed
	// Vague are lines at which neither run need pause, and whose variables are
	// not compared when one does.
	Vague map[srcedit.Line]bool
	// Hardcoded are lines at which the program now pauses by itself, in place of a breakpoint there: the breakpoint is not set, and
	// the reasons of pauses are not compared.
	Hardcoded map[srcedit.Line]bool
	// Crowded says that there are other goroutines beside those of the program: the list of threads is not compared.
	Crowded bool
	// Child says that main is run by a process that the program starts, which the debugger is to follow.
	Child bool
	// Faults says that the program now has a fault that it recovers from.
	Faults bool
	// Bottom is a function below which stacks are not compared; where it
	// returns, the comparison ends.
	Bottom string
	// Package is the path under which debuggers now show the names of package
	// main, where that is another.
	Package string
	// Test is the name of the test that main has become.
	Test string
	// Stdout is what the program prints on top.
	Stdout string
	// wrappers are functions that the compiler makes for the rewrite.
	Wrappers []*regexp.Regexp
	// rangeFunc are loops over functions of the rewrite's: below the body's frame
	// and the iterator's lies the one of the loop itself, which is left out.
	RangeFunc []Lines
}

// Start changes how the session with the new program is started.
func (r *Relation) Start(t *dap.Target) {
	if r.Child {
		t.Settings = maps.Clone(t.Settings)
		if t.Settings == nil {
			t.Settings = map[string]any{}
		}
		t.Settings[dap.FollowExec] = true
	}
}

// Last reports whether nothing further can be made of the new program and its session.
func (r *Relation) Last() bool { return r.Test != "" || len(r.Hardcoded) > 0 || r.Child }

// Lines of a file, first and last included.
type Lines struct {
	File        string
	First, Last int
}

func (r Lines) Has(l srcedit.Line) bool {
	return l.File == r.File && l.Line >= r.First && l.Line <= r.Last
}

// Shown is a variable of the rewrite's own that must be shown in a function,
// with its value.
type Shown struct {
	In                Lines
	Func              string // in the new program
	Name, Type, Value string
}

// FuncName is a function that debuggers show under another name now. From is a
// pattern of the new name; it holds for frames that lie in a range.
type FuncName struct {
	In   Lines
	Old  string
	From *regexp.Regexp
}

// VarName is a variable that has another name now.
type VarName struct {
	In       Lines
	Old, New string
}

// Captured is a range that has become a function literal, and the variables
// that it uses.
type Captured struct {
	In    Lines
	Names map[string]bool
}

// Shadowed is a range in which a variable is covered by another of its name.
type Shadowed struct {
	In   Lines
	Name string
}

// forward is where a place of the old program is in the new one.
func (r *Relation) forward(p source.Place) (source.Place, bool) {
	file, line, ok := r.Old.Physical(p)
	if !ok {
		return p, true
	}
	to, ok := r.Lines.Forward(srcedit.Line{File: file, Line: line})
	if !ok {
		return source.Place{}, false
	}
	return r.New.Named(to.File, to.Line), true
}

// back is the old line that a place of the new program stems from: as a place,
// and as a line of a file. It is not ok if the rewrite owns the line.
func (r *Relation) back(p source.Place) (old source.Place, line srcedit.Line, ok bool) {
	file, n, ok := r.New.Physical(p)
	if !ok {
		file, n = p.File, p.Line // such as the file of a new package
	}
	from, ok := r.Lines.Back(srcedit.Line{File: file, Line: n})
	if !ok {
		return source.Place{}, from, false
	}
	return r.Old.Named(from.File, from.Line), from, true
}

func placeOf(f dap.Frame) source.Place { return source.Place{File: f.File, Line: f.Line} }

// owned reports whether a frame of the new program is at a line of the rewrite's.
func (r *Relation) owned(f dap.Frame) bool {
	_, _, ok := r.back(placeOf(f))
	return !ok
}

// ownFunc reports whether a frame is in a function of the rewrite's.
func (r *Relation) ownFunc(f dap.Frame) bool {
	name := r.unpackage(f.Func)
	for _, w := range r.Wrappers {
		if w.MatchString(name) {
			return true
		}
	}
	return r.OwnFuncs[outermost(name)]
}

// special reports whether other variables are in scope at a place of the old
// program than before, or the line is vague.
func (r *Relation) special(p source.Place) bool {
	l := r.physical(p)
	for _, c := range r.Captured {
		if c.In.Has(l) {
			return true
		}
	}
	for _, s := range r.Shadowed {
		if s.In.Has(l) {
			return true
		}
	}
	return r.Vague[l]
}

func (r *Relation) physical(p source.Place) srcedit.Line {
	file, line, ok := r.Old.Physical(p)
	if !ok {
		return srcedit.Line{File: p.File, Line: p.Line}
	}
	return srcedit.Line{File: file, Line: line}
}

// vagueAt reports whether a pause of the old program is at a vague line.
func (r *Relation) vagueAt(p *dap.Pause) bool {
	return p != nil && r.Vague[r.physical(placeOf(p.Top()))]
}

// vagueIn reports whether a pause of the new program is at a vague line.
func (r *Relation) vagueIn(p *dap.Pause) bool {
	if p == nil || len(r.Vague) == 0 {
		return false
	}
	_, line, ok := r.back(placeOf(p.Top()))
	return ok && r.Vague[line]
}
