package converted

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The elements of a report. Attributes are texts, as what is no number is to be told.
type (
	coberturaReport struct {
		XMLName         xml.Name           `xml:"coverage"`
		LineRate        *string            `xml:"line-rate,attr"`
		BranchRate      *string            `xml:"branch-rate,attr"`
		LinesCovered    *string            `xml:"lines-covered,attr"`
		LinesValid      *string            `xml:"lines-valid,attr"`
		BranchesCovered *string            `xml:"branches-covered,attr"`
		BranchesValid   *string            `xml:"branches-valid,attr"`
		Complexity      *string            `xml:"complexity,attr"`
		Version         *string            `xml:"version,attr"`
		Timestamp       *string            `xml:"timestamp,attr"`
		Sources         []string           `xml:"sources>source"`
		Packages        []coberturaPackage `xml:"packages>package"`
	}
	coberturaPackage struct {
		Name       *string          `xml:"name,attr"`
		LineRate   *string          `xml:"line-rate,attr"`
		BranchRate *string          `xml:"branch-rate,attr"`
		Complexity *string          `xml:"complexity,attr"`
		Classes    []coberturaClass `xml:"classes>class"`
	}
	coberturaClass struct {
		Name       *string           `xml:"name,attr"`
		File       *string           `xml:"filename,attr"`
		LineRate   *string           `xml:"line-rate,attr"`
		BranchRate *string           `xml:"branch-rate,attr"`
		Complexity *string           `xml:"complexity,attr"`
		Methods    []coberturaMethod `xml:"methods>method"`
		Lines      []coberturaLine   `xml:"lines>line"`
	}
	coberturaMethod struct {
		Name       *string         `xml:"name,attr"`
		Signature  *string         `xml:"signature,attr"`
		LineRate   *string         `xml:"line-rate,attr"`
		BranchRate *string         `xml:"branch-rate,attr"`
		Lines      []coberturaLine `xml:"lines>line"`
	}
	coberturaLine struct {
		Number *string `xml:"number,attr"`
		Hits   *string `xml:"hits,attr"`
	}
)

// required are attributes that the format demands, in the order in which they are looked at.
type required []struct {
	name  string
	value *string
}

func (list required) check(of string) error {
	for _, a := range list {
		if a.value == nil {
			return fmt.Errorf("%s: expected an attribute %s", of, a.name)
		}
	}
	return nil
}

// parseCobertura reads a report.
func parseCobertura(text string) (*Report, error) {
	var doc coberturaReport
	d := xml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("expected XML: %w", err)
	}
	if err := (required{
		{"line-rate", doc.LineRate}, {"branch-rate", doc.BranchRate}, {"lines-covered", doc.LinesCovered}, {"lines-valid", doc.LinesValid}, {"branches-covered", doc.BranchesCovered},
		{"branches-valid", doc.BranchesValid}, {"complexity", doc.Complexity}, {"version", doc.Version}, {"timestamp", doc.Timestamp},
	}).check("coverage"); err != nil {
		return nil, err
	}
	r := &Report{Sources: doc.Sources}
	var all []Line
	for i, p := range doc.Packages {
		if err := (required{{"name", p.Name}, {"line-rate", p.LineRate}, {"branch-rate", p.BranchRate}, {"complexity", p.Complexity}}).check(fmt.Sprintf("package %d", i+1)); err != nil {
			return nil, err
		}
		lines, err := r.classes(p)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", *p.Name, err)
		}
		r.rate("package", *p.Name, *p.LineRate, lines)
		all = append(all, lines...)
	}
	r.rate("report", "the report", *doc.LineRate, all)
	r.Sums = append(r.Sums, count("lines-valid", "the report", *doc.LinesValid, len(all)), count("lines-covered", "the report", *doc.LinesCovered, hit(all)))
	return r, nil
}

// classes reads those of a package, and returns their lines.
func (r *Report) classes(p coberturaPackage) (all []Line, err error) {
	for i, c := range p.Classes {
		if err := (required{{"name", c.Name}, {"filename", c.File}, {"line-rate", c.LineRate}, {"branch-rate", c.BranchRate}, {"complexity", c.Complexity}}).check(fmt.Sprintf("class %d", i+1)); err != nil {
			return nil, err
		}
		f := File{Name: *c.File}
		if f.Lines, err = lines(c.Lines); err != nil {
			return nil, fmt.Errorf("class %s: %w", *c.Name, err)
		}
		for k, m := range c.Methods {
			if err := (required{{"name", m.Name}, {"signature", m.Signature}, {"line-rate", m.LineRate}, {"branch-rate", m.BranchRate}}).check(fmt.Sprintf("class %s: method %d", *c.Name, k+1)); err != nil {
				return nil, err
			}
			own, err := lines(m.Lines)
			if err != nil {
				return nil, fmt.Errorf("class %s: method %s: %w", *c.Name, *m.Name, err)
			}
			fn := Function{Name: *m.Name}
			if len(own) > 0 {
				fn.Line = own[0].Number
			}
			f.Functions = append(f.Functions, fn)
			r.rate("method", *m.Name, *m.LineRate, own)
		}
		r.rate("class", *c.Name, *c.LineRate, f.Lines)
		r.Files = append(r.Files, f)
		all = append(all, f.Lines...)
	}
	return all, nil
}

// lines reads lines.
func lines(list []coberturaLine) (all []Line, err error) {
	for i, l := range list {
		if err := (required{{"number", l.Number}, {"hits", l.Hits}}).check(fmt.Sprintf("line %d", i+1)); err != nil {
			return nil, err
		}
		n, err := number(*l.Number)
		if err != nil {
			return nil, err
		}
		hits, err := strconv.ParseUint(*l.Hits, 10, 64)
		if err != nil {
			return nil, errors.New("expected hits to be a count, not " + strconv.Quote(*l.Hits))
		}
		all = append(all, Line{n, hits})
	}
	return all, nil
}

// rate is what a report says to be the share of lines that were executed. It is compared as exactly as it is written, to four digits
// behind the point; what has no lines may have any share, but has to have one.
func (r *Report) rate(part, of, says string, lines []Line) {
	s := Sum{Of: "line-rate of " + of, Kind: "line-rate of " + part, Says: says}
	got, err := strconv.ParseFloat(says, 64)
	if err != nil || math.IsNaN(got) || got < 0 || got > 1 {
		s.Is = "a number from 0 to 1"
	} else if len(lines) > 0 {
		_, digits, _ := strings.Cut(says, ".")
		want := float64(hit(lines)) / float64(len(lines))
		if exact := math.Pow10(-min(len(digits), 4)); math.Abs(got-want) >= exact {
			s.Is = strconv.FormatFloat(want, 'f', 4, 64)
		}
	}
	r.Sums = append(r.Sums, s)
}
