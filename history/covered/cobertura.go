package covered

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// The elements of a Cobertura report (coverage-04.dtd).
type (
	coberturaReport struct {
		XMLName         xml.Name           `xml:"coverage"`
		LineRate        string             `xml:"line-rate,attr"`
		BranchRate      string             `xml:"branch-rate,attr"`
		LinesCovered    int                `xml:"lines-covered,attr"`
		LinesValid      int                `xml:"lines-valid,attr"`
		BranchesCovered int                `xml:"branches-covered,attr"`
		BranchesValid   int                `xml:"branches-valid,attr"`
		Complexity      string             `xml:"complexity,attr"`
		Version         string             `xml:"version,attr"`
		Timestamp       int64              `xml:"timestamp,attr"`
		Sources         []string           `xml:"sources>source"`
		Packages        []coberturaPackage `xml:"packages>package"`
	}
	coberturaPackage struct {
		Name       string           `xml:"name,attr"`
		LineRate   string           `xml:"line-rate,attr"`
		BranchRate string           `xml:"branch-rate,attr"`
		Complexity string           `xml:"complexity,attr"`
		Classes    []coberturaClass `xml:"classes>class"`
	}
	coberturaClass struct {
		Name       string            `xml:"name,attr"`
		Filename   string            `xml:"filename,attr"`
		LineRate   string            `xml:"line-rate,attr"`
		BranchRate string            `xml:"branch-rate,attr"`
		Complexity string            `xml:"complexity,attr"`
		Methods    []coberturaMethod `xml:"methods>method"`
		Lines      []coberturaLine   `xml:"lines>line"`
	}
	coberturaMethod struct {
		Name       string          `xml:"name,attr"`
		Signature  string          `xml:"signature,attr"`
		LineRate   string          `xml:"line-rate,attr"`
		BranchRate string          `xml:"branch-rate,attr"`
		Complexity string          `xml:"complexity,attr"`
		Lines      []coberturaLine `xml:"lines>line"`
	}
	coberturaLine struct {
		Number    int    `xml:"number,attr"`
		Hits      int    `xml:"hits,attr"`
		Branch    bool   `xml:"branch,attr"`
		Condition string `xml:"condition-coverage,attr,omitempty"`
	}
)

// rate is a share as Cobertura has it.
func rate(s Share) string { return fmt.Sprintf("%.4f", s.Percent()/100) }

// WriteCobertura writes what Cobertura's readers read, such as those of CI services. A file is a class; names of files are
// relative to dir.
func (r *Report) WriteCobertura(out io.Writer, dir string, now time.Time) error {
	doc := &coberturaReport{Version: "misstep", Timestamp: now.UnixMilli(), Complexity: "0", Sources: []string{dir}}
	packages := map[string]*coberturaPackage{}
	shares := map[string]Shares{}
	var total Shares
	for _, f := range r.Files {
		s := f.byLine(Range{EndLine: 1 << 30})
		class := coberturaClass{Name: f.Name, Filename: f.Name, LineRate: rate(s.Statements), BranchRate: rate(s.Branches), Complexity: "0", Lines: f.cobertura(Range{EndLine: 1 << 30})}
		for _, fn := range f.Functions {
			in := f.byLine(fn.Range)
			class.Methods = append(class.Methods, coberturaMethod{Name: fn.Name, Signature: "()", LineRate: rate(in.Statements), BranchRate: rate(in.Branches), Complexity: "0", Lines: f.cobertura(fn.Range)})
		}
		p := packages[f.Package]
		if p == nil {
			p = &coberturaPackage{Name: f.Package, Complexity: "0"}
			packages[f.Package] = p
		}
		p.Classes = append(p.Classes, class)
		sum := shares[f.Package]
		sum.Add(s)
		shares[f.Package] = sum
		total.Add(s)
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		p := packages[name]
		p.LineRate, p.BranchRate = rate(shares[name].Statements), rate(shares[name].Branches)
		doc.Packages = append(doc.Packages, *p)
	}
	doc.LineRate, doc.BranchRate = rate(total.Statements), rate(total.Branches)
	doc.LinesCovered, doc.LinesValid = total.Statements.Covered, total.Statements.All
	doc.BranchesCovered, doc.BranchesValid = total.Branches.Covered, total.Branches.All
	if _, err := io.WriteString(out, xml.Header+"<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"); err != nil {
		return err
	}
	enc := xml.NewEncoder(out)
	enc.Indent("", "\t")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// byLine are the shares of a range in lines, and in the outcomes of branches and conditions together.
func (f *File) byLine(r Range) (s Shares) {
	for _, l := range f.lines() {
		if l.number >= r.Line && l.number <= r.EndLine {
			s.Statements.add(l.count > 0)
		}
	}
	for _, b := range f.Branches {
		if !b.Whole && r.has(b.Range) {
			s.Branches.Covered += b.Taken()
			s.Branches.All += len(b.Outcomes)
		}
	}
	return s
}

// cobertura are the lines of a range.
func (f *File) cobertura(r Range) []coberturaLine {
	outcomes := map[int]Share{}
	for _, b := range f.Branches {
		if b.Whole {
			continue
		}
		at := f.statementLine(b.Line)
		s := outcomes[at]
		s.Covered += b.Taken()
		s.All += len(b.Outcomes)
		outcomes[at] = s
	}
	var all []coberturaLine
	for _, l := range f.lines() {
		if l.number < r.Line || l.number > r.EndLine {
			continue
		}
		line := coberturaLine{Number: l.number, Hits: l.count}
		if s, ok := outcomes[l.number]; ok {
			line.Branch = true
			line.Condition = fmt.Sprintf("%.0f%% (%d/%d)", s.Percent(), s.Covered, s.All)
		}
		all = append(all, line)
	}
	return all
}

// statementLine is the last line up to one on which a statement begins, where what is on it is shown.
func (f *File) statementLine(number int) int {
	at := number
	for _, l := range f.lines() {
		if l.number > number {
			break
		}
		at = l.number
	}
	return at
}
