package converted

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A section is one of a trace file while it is read.
type section struct {
	File
	leaders               map[string]int // lines of functions, by their indices
	branches, branchesHit int
	said                  []struct{ kind, value string } // records that say how many
}

// records are those of a section that are read; others of the format are passed over.
var records = map[string]func(*section, string) error{
	"DA": func(s *section, value string) error {
		f := strings.Split(value, ",")
		if len(f) != 2 && len(f) != 3 { // a checksum may follow
			return errors.New("expected DA:LINE,COUNT")
		}
		line, err := number(f[0])
		if err != nil {
			return err
		}
		hits, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			return fmt.Errorf("expected a count, not %q", f[1])
		}
		s.Lines = append(s.Lines, Line{line, hits})
		return nil
	},
	"FN": func(s *section, value string) error {
		f := strings.SplitN(value, ",", 3)
		if len(f) == 3 {
			if _, err := number(f[1]); err == nil { // its end
				f = []string{f[0], f[2]}
			} else {
				f = []string{f[0], f[1] + "," + f[2]}
			}
		}
		if len(f) != 2 || f[1] == "" {
			return errors.New("expected FN:LINE,NAME")
		}
		line, err := number(f[0])
		s.Functions = append(s.Functions, Function{Name: f[1], Line: line})
		return err
	},
	"FNL": func(s *section, value string) error { // since LCOV 2.2, with its names and counts in FNA
		f := strings.Split(value, ",")
		if len(f) != 2 && len(f) != 3 {
			return errors.New("expected FNL:INDEX,LINE")
		}
		line, err := number(f[1])
		s.leaders[f[0]] = line
		return err
	},
	"FNA": func(s *section, value string) error {
		f := strings.SplitN(value, ",", 3)
		if len(f) != 3 || f[2] == "" {
			return errors.New("expected FNA:INDEX,COUNT,NAME")
		}
		n, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			return fmt.Errorf("expected a count, not %q", f[1])
		}
		line, ok := s.leaders[f[0]]
		if !ok {
			return fmt.Errorf("no FNL has the index %s before", f[0])
		}
		s.Functions = append(s.Functions, Function{Name: f[2], Line: line, Count: n, HasCount: true})
		return nil
	},
	"FNDA": func(s *section, value string) error {
		count, name, ok := strings.Cut(value, ",")
		n, err := strconv.ParseUint(count, 10, 64)
		if !ok || err != nil {
			return errors.New("expected FNDA:COUNT,NAME")
		}
		for i := range s.Functions {
			if f := &s.Functions[i]; f.Name == name && !f.HasCount {
				f.Count, f.HasCount = n, true
				return nil
			}
		}
		return fmt.Errorf("no FN names function %s before", name)
	},
	"BRDA": func(s *section, value string) error {
		f := strings.Split(value, ",")
		if len(f) != 4 {
			return errors.New("expected BRDA:LINE,BLOCK,BRANCH,TAKEN")
		}
		if _, err := number(f[0]); err != nil {
			return err
		}
		taken, err := strconv.ParseUint(f[3], 10, 64)
		if err != nil && f[3] != "-" {
			return fmt.Errorf("expected a count or -, not %q", f[3])
		}
		s.branches++
		if taken > 0 {
			s.branchesHit++
		}
		return nil
	},
	"VER":  passed,
	"MCDC": passed,
	"MCF":  passed,
	"MCH":  passed,
}

// passed is a record that is not read.
func passed(*section, string) error { return nil }

// sums are the records that say how many there are of something in the section, which may be written before it.
var sums = map[string]func(*section) int{
	"LF":  func(s *section) int { return len(s.Lines) },
	"LH":  func(s *section) int { return hit(s.Lines) },
	"FNF": func(s *section) int { return len(s.Functions) },
	"FNH": func(s *section) (n int) {
		for _, f := range s.Functions {
			if f.Count > 0 {
				n++
			}
		}
		return n
	},
	"BRF": func(s *section) int { return s.branches },
	"BRH": func(s *section) int { return s.branchesHit },
}

// ended is a section with all that was said of it.
func (r *Report) ended(s *section) {
	r.Files = append(r.Files, s.File)
	for _, said := range s.said {
		r.Sums = append(r.Sums, count(said.kind, s.Name, said.value, sums[said.kind](s)))
	}
}

// number is the number of a line.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("expected the number of a line, not %q", text)
	}
	return n, nil
}

// parseLCOV reads a trace file.
func parseLCOV(text string) (*Report, error) {
	r := &Report{}
	var s *section
	at := 0
	for line := range strings.Lines(text) {
		at++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		var err error
		switch {
		case key == "TN":
		case key == "SF" && s != nil:
			err = errors.New("a section begins before the end_of_record of another one")
		case key == "SF" && value == "":
			err = errors.New("expected SF:FILE")
		case key == "SF":
			s = &section{File: File{Name: value}, leaders: map[string]int{}}
		case s == nil:
			err = fmt.Errorf("expected SF:FILE, not %q", line)
		case line == "end_of_record":
			r.ended(s)
			s = nil
		case sums[key] != nil:
			s.said = append(s.said, struct{ kind, value string }{key, value})
		case records[key] == nil:
			err = fmt.Errorf("expected a record of the format, not %q", line)
		default:
			err = records[key](s, value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	if s != nil {
		return nil, fmt.Errorf("line %d: expected end_of_record for %s", at, s.Name)
	}
	return r, nil
}
