// Package converted reads what converters make of Go's coverage profiles: trace files of LCOV (geninfo(1), section TRACEFILE
// FORMAT), and Cobertura reports (coverage-04.dtd).
//
// Parse takes a text as its format has it, and no more: the error names the line, and what the format demands there. What a
// report then says of itself, such as how many lines it has, is kept as it says it, and [Report.Faults] holds it against the
// rest.
//
// Not covered: trace files that geninfo 2 writes of versions and of modified conditions (VER and MCDC, which are passed over), and
// what a Cobertura report says of conditions.
package converted

import (
	"fmt"
	"slices"
	"strings"
)

// The formats.
const (
	LCOV      = "lcov"
	Cobertura = "cobertura"
)

// Formats are all of them.
var Formats = []string{LCOV, Cobertura}

// A Report is what a converter wrote.
type Report struct {
	// Files are in the order of the text. Several may have one name, as the classes of a Cobertura report do.
	Files []File
	// Sources are the folders that names of files are relative to; none if they are not.
	Sources []string
	// Sums are what the report says of its parts.
	Sums []Sum
}

// A File is a section of a trace file, or a class.
type File struct {
	Name      string
	Lines     []Line // in the order of the text
	Functions []Function
}

// A Line says how often a line was executed. Lines are from 1.
type Line struct {
	Number int
	Hits   uint64
}

// A Function is one that a report lists.
type Function struct {
	Name string
	// Line is where it begins, or the first of its lines; 0 if the report does not say.
	Line  int
	Count uint64 // how often it was called, if HasCount
	// HasCount says that the report has its count.
	HasCount bool
}

// A Sum is what a report says of one of its parts, and what that has.
type Sum struct {
	Of   string // such as LF of main.go
	Kind string // such as LF, or line-rate of package
	Says string
	Is   string // empty if it is what it says
}

// Parse reads a report.
func Parse(format, text string) (*Report, error) {
	switch format {
	case LCOV:
		return parseLCOV(text)
	case Cobertura:
		return parseCobertura(text)
	}
	return nil, fmt.Errorf("format %q: expected one of %s", format, strings.Join(Formats, ", "))
}

// Faults are the sums that are not what they say.
func (r *Report) Faults() []Sum {
	return slices.DeleteFunc(slices.Clone(r.Sums), func(s Sum) bool { return s.Is == "" })
}

// count is a sum of a whole number.
func count(kind, of string, says string, is int) Sum {
	s := Sum{Of: kind + " of " + of, Kind: kind, Says: says}
	if says != fmt.Sprint(is) {
		s.Is = fmt.Sprint(is)
	}
	return s
}

// hit is how many lines were executed.
func hit(lines []Line) (n int) {
	for _, l := range lines {
		if l.Hits > 0 {
			n++
		}
	}
	return n
}
