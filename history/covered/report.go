package covered

import (
	"cmp"
	"go/token"
	"maps"
	"slices"

	"misstep/history"
)

// A Report is what runs executed.
type Report struct {
	Files []*File
	// Gaps are what was not recorded.
	Gaps []history.Gap
	// Stopped says that a recording ended before its program did.
	Stopped bool
}

// A File is a source file that was recorded.
type File struct {
	Name, Path string
	Package    string // its import path
	Text       string
	Functions  []*Function
	Statements []*Statement
	Branches   []*Branch
}

// A Range is a part of a file: lines and columns are from 1, columns in bytes, the end after the last one.
type Range struct{ Line, Column, EndLine, EndColumn int }

// A Function is a declared function or method.
type Function struct {
	Name string // as debuggers have it
	Range
	Count int // how often it was called
}

// A Statement is one of a list of statements; of one with a body, it is what is before that.
type Statement struct {
	Range
	Count int
}

// A Branch is a place where the program goes one of several ways.
type Branch struct {
	Range
	Kind     string // if, for, range, switch, type switch, select, or condition
	Text     string // of the source
	Outcomes []*Outcome
	// Whole says of a condition that it is all that an if or for tests, whose branch says the same.
	Whole bool
}

// String is what the branch is, as people name it.
func (b *Branch) String() string {
	switch b.Kind {
	case "switch", "type switch", "select":
		return b.Text
	}
	return b.Kind + " " + b.Text
}

// An Outcome is one of the ways.
type Outcome struct {
	Name  string // such as true, or the text of a clause
	Line  int    // where it leads, if that is a place of its own
	Count int
}

// Condition reports whether the branch is an operand, and not a statement.
func (b *Branch) Condition() bool { return b.Kind == condition }

const condition = "condition"

// Taken is how many of the outcomes there were.
func (b *Branch) Taken() int {
	n := 0
	for _, o := range b.Outcomes {
		if o.Count > 0 {
			n++
		}
	}
	return n
}

// A Share is a part of a whole.
type Share struct{ Covered, All int }

// Percent is the part in percent; 100 of nothing.
func (s Share) Percent() float64 {
	if s.All == 0 {
		return 100
	}
	return 100 * float64(s.Covered) / float64(s.All)
}

func (s *Share) add(covered bool) {
	s.All++
	if covered {
		s.Covered++
	}
}

// Shares are those of statements, of the outcomes of branches, and of the outcomes of conditions.
type Shares struct{ Statements, Branches, Conditions Share }

// Add adds another's.
func (s *Shares) Add(o Shares) {
	for _, p := range []struct{ to, from *Share }{{&s.Statements, &o.Statements}, {&s.Branches, &o.Branches}, {&s.Conditions, &o.Conditions}} {
		p.to.Covered += p.from.Covered
		p.to.All += p.from.All
	}
}

// Within are the shares of what lies in a range.
func (f *File) Within(r Range) (s Shares) {
	for _, st := range f.Statements {
		if r.has(st.Range) {
			s.Statements.add(st.Count > 0)
		}
	}
	for _, b := range f.Branches {
		if !r.has(b.Range) {
			continue
		}
		to := &s.Branches
		if b.Condition() {
			to = &s.Conditions
		}
		for _, o := range b.Outcomes {
			to.add(o.Count > 0)
		}
	}
	return s
}

// Shares are those of the whole file.
func (f *File) Shares() Shares { return f.Within(Range{EndLine: 1 << 30}) }

func (r Range) has(o Range) bool {
	after := o.Line > r.Line || o.Line == r.Line && o.Column >= r.Column
	before := o.EndLine < r.EndLine || o.EndLine == r.EndLine && o.EndColumn <= r.EndColumn
	return after && before
}

// Shares are those of all files.
func (r *Report) Shares() (s Shares) {
	for _, f := range r.Files {
		s.Add(f.Shares())
	}
	return s
}

// Packages are the shares by import path.
func (r *Report) Packages() map[string]Shares {
	all := map[string]Shares{}
	for _, f := range r.Files {
		s := all[f.Package]
		s.Add(f.Shares())
		all[f.Package] = s
	}
	return all
}

// Add adds what another report says of the same files; files of other texts are kept apart by their paths, and the later one
// of two that differ is taken.
func (r *Report) Add(o *Report) {
	mine := map[string]*File{}
	for _, f := range r.Files {
		mine[f.Path] = f
	}
	for _, f := range o.Files {
		if old := mine[f.Path]; old == nil || old.Text != f.Text {
			mine[f.Path] = f
			continue
		}
		mine[f.Path].add(f)
	}
	r.Files = slices.SortedFunc(maps.Values(mine), func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	for _, g := range o.Gaps {
		if !slices.Contains(r.Gaps, g) {
			r.Gaps = append(r.Gaps, g)
		}
	}
	r.Stopped = r.Stopped || o.Stopped
}

// add adds the counts of the same file.
func (f *File) add(o *File) {
	functions, statements := map[Range]*Function{}, map[Range]*Statement{}
	for _, x := range f.Functions {
		functions[x.Range] = x
	}
	for _, x := range f.Statements {
		statements[x.Range] = x
	}
	type place struct {
		Range
		kind string
	}
	branches := map[place]*Branch{}
	for _, x := range f.Branches {
		branches[place{x.Range, x.Kind}] = x
	}
	for _, x := range o.Functions {
		if was := functions[x.Range]; was != nil {
			was.Count += x.Count
		}
	}
	for _, x := range o.Statements {
		if was := statements[x.Range]; was != nil {
			was.Count += x.Count
		}
	}
	for _, x := range o.Branches {
		was := branches[place{x.Range, x.Kind}]
		if was == nil || len(was.Outcomes) != len(x.Outcomes) {
			continue
		}
		for i, out := range x.Outcomes {
			was.Outcomes[i].Count += out.Count
		}
	}
}

// rangeOf is the range between two positions.
func rangeOf(fset *token.FileSet, from, to token.Pos) Range {
	a, b := fset.PositionFor(from, false), fset.PositionFor(to, false)
	return Range{a.Line, a.Column, b.Line, b.Column}
}
