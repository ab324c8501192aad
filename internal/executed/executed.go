// Package executed tells what of a debugger was executed, by the profiles that the Go toolchain's counters
// give: the share of each package's statements, and the functions that were never called, largest first.
// Statements are counted as the cover tool counts them. Functions without a statement are left out.
package executed

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/cover"
)

// A Share is how much was executed of something.
type Share struct {
	Name                 string // a package below the module, or file:line and a function
	Statements, Executed int
}

// Percent is the share that was executed, in percent.
func (s Share) Percent() float64 { return 100 * float64(s.Executed) / float64(max(s.Statements, 1)) }

// A Report is what was executed of a module.
type Report struct {
	Packages []Share // by name
	Unused   []Share // functions of which nothing was, most statements first
}

// Of reports what profiles say of a module whose source is in a folder; without one, functions are not known.
func Of(profiles []*cover.Profile, module, source string) (*Report, error) {
	r := &Report{}
	packages := map[string]*Share{}
	for _, p := range profiles {
		file, ours := strings.CutPrefix(p.FileName, module+"/")
		if !ours {
			continue
		}
		var decls []Decl
		if source != "" {
			var err error
			if decls, err = Functions(source, file); err != nil {
				return nil, err
			}
		}
		pkg := packages[path.Dir(file)]
		if pkg == nil {
			pkg = &Share{Name: path.Dir(file)}
			packages[pkg.Name] = pkg
		}
		functions := make([]Share, len(decls))
		for _, b := range p.Blocks {
			i := around(decls, b)
			for _, s := range []*Share{pkg, at(functions, i)} {
				s.Statements += b.NumStmt
				if b.Count > 0 {
					s.Executed += b.NumStmt
				}
			}
		}
		for i, f := range functions {
			if f.Statements > 0 && f.Executed == 0 {
				f.Name = fmt.Sprintf("%s:%d %s", file, decls[i].Line, decls[i].Name)
				r.Unused = append(r.Unused, f)
			}
		}
	}
	for _, p := range packages {
		r.Packages = append(r.Packages, *p)
	}
	slices.SortFunc(r.Packages, func(a, b Share) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(r.Unused, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Statements, a.Statements), cmp.Compare(a.Name, b.Name))
	})
	return r, nil
}

// at is an element, or one that nobody looks at if there is none.
func at(list []Share, i int) *Share {
	if i < 0 {
		return &Share{}
	}
	return &list[i]
}

// Write writes the report as two tables.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "statements\texecuted\tpercent\t  package")
	all := Share{Name: "all"}
	line := func(s Share) { fmt.Fprintf(t, "%d\t%d\t%.1f\t  %s\n", s.Statements, s.Executed, s.Percent(), s.Name) }
	for _, p := range r.Packages {
		line(p)
		all.Statements, all.Executed = all.Statements+p.Statements, all.Executed+p.Executed
	}
	line(all)
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Unused) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nFunctions of which nothing was executed, by their statements:\n\n")
	for _, f := range r.Unused {
		fmt.Fprintf(t, "%d\t  %s\n", f.Statements, f.Name)
	}
	return t.Flush()
}
