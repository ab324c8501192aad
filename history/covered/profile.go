package covered

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"path/filepath"
)

// WriteProfile writes the statements as a profile of Go's own, which go tool cover reads. Each statement is a block, up to its
// body if it has one.
func (r *Report) WriteProfile(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "mode: count")
	for _, f := range r.Files {
		for _, s := range f.Statements {
			fmt.Fprintf(w, "%s:%d.%d,%d.%d 1 %d\n", f.imported(), s.Line, s.Column, s.EndLine, s.EndColumn, s.Count)
		}
	}
	return w.Flush()
}

// imported is the file's name after its package's import path, as profiles have it.
func (f *File) imported() string { return path.Join(f.Package, filepath.Base(f.Path)) }

// WriteLCOV writes what genhtml and most services read (geninfo(1), section TRACEFILE FORMAT). A line counts as often as
// the statement that begins on it first.
func (r *Report) WriteLCOV(out io.Writer) error {
	w := bufio.NewWriter(out)
	for _, f := range r.Files {
		fmt.Fprintf(w, "TN:\nSF:%s\n", f.Path)
		hit := 0
		for _, fn := range f.Functions {
			fmt.Fprintf(w, "FN:%d,%s\n", fn.Line, fn.Name)
		}
		for _, fn := range f.Functions {
			fmt.Fprintf(w, "FNDA:%d,%s\n", fn.Count, fn.Name)
			if fn.Count > 0 {
				hit++
			}
		}
		fmt.Fprintf(w, "FNF:%d\nFNH:%d\n", len(f.Functions), hit)
		found, hit := 0, 0
		for i, b := range f.Branches {
			if b.Whole {
				continue
			}
			for k, o := range b.Outcomes {
				taken := fmt.Sprint(o.Count)
				if b.evaluated() == 0 {
					taken = "-"
				}
				fmt.Fprintf(w, "BRDA:%d,%d,%d,%s\n", b.Line, i, k, taken)
				found++
				if o.Count > 0 {
					hit++
				}
			}
		}
		fmt.Fprintf(w, "BRF:%d\nBRH:%d\n", found, hit)
		lines := f.lines()
		hit = 0
		for _, l := range lines {
			fmt.Fprintf(w, "DA:%d,%d\n", l.number, l.count)
			if l.count > 0 {
				hit++
			}
		}
		fmt.Fprintf(w, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hit)
	}
	return w.Flush()
}

// evaluated is how often the branch was come to.
func (b *Branch) evaluated() int {
	n := 0
	for _, o := range b.Outcomes {
		n += o.Count
	}
	return n
}

// A line of a file has the count of the first statement that begins on it.
type line struct{ number, count int }

func (f *File) lines() []line {
	var all []line
	for _, s := range f.Statements {
		if len(all) == 0 || all[len(all)-1].number != s.Line {
			all = append(all, line{s.Line, s.Count})
		}
	}
	return all
}
