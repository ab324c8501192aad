package covered

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText writes the shares by package, and with functions by function; and what was missing: which outcomes of which
// branches there were not, of statements that were executed.
func (r *Report) WriteText(out io.Writer, functions, missing bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, s Shares) {
		fmt.Fprintf(w, "%s\t%s\t%s\t\t%s\n", cell(s.Statements), cell(s.Branches), cell(s.Conditions), name)
	}
	fmt.Fprintln(w, "statements\tbranches\tconditions\t\t")
	if functions {
		for _, f := range r.Files {
			for _, fn := range f.Functions {
				row(fmt.Sprintf("%s:%d %s", f.Name, fn.Line, fn.Name), f.Within(fn.Range))
			}
		}
	}
	packages := r.Packages()
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		row(name, packages[name])
	}
	if len(packages) > 1 || functions {
		row("total", r.Shares())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missing {
		for _, f := range r.Files {
			for _, b := range f.Branches {
				if b.evaluated() == 0 || b.Whole {
					continue
				}
				var not []string
				for _, o := range b.Outcomes {
					if o.Count == 0 {
						not = append(not, o.Name)
					}
				}
				if len(not) > 0 {
					fmt.Fprintf(out, "%s:%d:%d: %s: never %s, of %d times\n", f.Name, b.Line, b.Column, b, strings.Join(not, ", nor "), b.evaluated())
				}
			}
		}
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(out, "not recorded: %s\n", g)
	}
	if r.Stopped {
		fmt.Fprintln(out, "recording stopped before a program ended; what came later is not counted")
	}
	return nil
}

// cell is a share in a table.
func cell(s Share) string {
	if s.All == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", s.Percent())
}
