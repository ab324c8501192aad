package omission

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Report is what was found, in the form in which it is written as JSON.
type Report struct {
	Version int    `json:"version"` // 1
	Subject string `json:"subject"`
	// Of is the only field that was looked at, Note what was chosen of several.
	Of       string     `json:"of,omitempty"`
	Note     string     `json:"note,omitempty"`
	Balloons []*Balloon `json:"balloons"`
	// Lost are changes that happened to copies of the subject.
	Lost []*LostChange `json:"lost,omitempty"`
	// LeftOut are fields of structs such as the subject that are not carried over from one to another as others are.
	LeftOut []*LeftOut `json:"leftOut,omitempty"`
	// Stale are fields of the subject that were made of another one, and not made anew when that was given another value.
	Stale []*Stale `json:"stale,omitempty"`
	// Outside are packages that are given the subject and were not recorded.
	Outside []string `json:"outside,omitempty"`
	// Untaken is how many ways of branches that ran were never taken, in all recorded
	// packages: what a person would have to read otherwise.
	Untaken int `json:"untaken"`
	// Hurried says that there was no time to look for all reasons.
	Hurried bool `json:"hurried,omitempty"`
	// Verification is what inversions showed; nil if nothing was run again.
	Verification *Verification `json:"verification,omitempty"`
}

// NewReport is the report on a subject.
func NewReport(s *Subject, list []*Balloon, v *Verification, untaken int) *Report {
	if list == nil {
		list = []*Balloon{}
	}
	return &Report{Version: 1, Subject: s.Name, Of: s.Field, Note: s.Note, Balloons: list, Lost: s.Lost, LeftOut: s.LeftOut, Stale: s.Stale, Outside: s.Outside, Untaken: untaken, Verification: v}
}

// Omitted reports whether anything did not happen to the subject.
func (r *Report) Omitted() bool {
	return len(r.Balloons) > 0 || len(r.LeftOut)+len(r.Stale) > 0 || slices.ContainsFunc(r.Lost, func(l *LostChange) bool { return !l.Aside() })
}

// JSON writes a report as JSON.
func (r *Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// Text writes a report for people: a line for each branch with the nearest operation
// that it kept from happening, as compilers write them, and lines for the others below
// it. Top is how many branches are shown; 0 is all.
func (r *Report) Text(w io.Writer, top int) error {
	var b strings.Builder
	what := r.Subject
	if r.Of != "" {
		what = fmt.Sprintf("the field %s of %s", r.Of, r.Subject)
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "# %s\n", r.Note)
	}
	for _, l := range r.Lost {
		if !l.Aside() {
			fmt.Fprintf(&b, "%s\n", l)
		}
	}
	shown := r.Balloons
	if top > 0 && len(shown) > top {
		shown = shown[:top]
	}
	for _, x := range shown {
		operations := readable(x.Operations)
		for i, op := range operations {
			if i == 0 {
				fmt.Fprintf(&b, "%s: %s %sperformed%s: %s\n", op.Place, op.Text, op.not(), op.remarks(), op.Branches[0])
				continue
			}
			if i == maxShown && len(operations) > maxShown+1 {
				fmt.Fprintf(&b, "\tand %d more\n", len(operations)-i)
				break
			}
			performed := ""
			if op.Instead != x.Operations[0].Instead {
				performed = " " + op.not() + "performed"
			}
			fmt.Fprintf(&b, "\t%s: %s%s, too%s\n", op.Place, op.Text, performed, op.remarks())
		}
		if v := x.Branch.Verdict; v != nil {
			fmt.Fprintf(&b, "\t%s\n", v)
		}
		most, deep := maxReasonsShown, maxDeep
		if x.Rank > maxWhole {
			most, deep = 1, 1
		}
		for _, r := range ranked(x.Branch.Why, most) {
			r.text(&b, 1, deep)
		}
		if more := x.Operations[0].Branches[1:]; len(more) > 0 {
			for _, br := range more[:min(len(more), maxBranches)] {
				fmt.Fprintf(&b, "\tor: %s\n", br)
				if x.Rank <= maxWhole {
					if br.Verdict != nil {
						fmt.Fprintf(&b, "\t\t%s\n", br.Verdict)
					}
					for _, r := range ranked(br.Why, 1) {
						r.text(&b, 2, deep)
					}
				}
			}
		}
	}
	elsewhere := 0
	for _, l := range r.Lost {
		if l.Aside() {
			if elsewhere++; elsewhere == 1 {
				b.WriteString("# changes of other objects' copies that nothing read:\n")
			}
			fmt.Fprintf(&b, "%s\n", l)
		}
	}
	if len(r.Stale) > 0 && len(r.Balloons)+len(r.Lost)-elsewhere > 0 {
		b.WriteString("# fields that were made of another one, and not made anew when others were:\n")
	}
	for _, l := range r.Stale {
		fmt.Fprintf(&b, "%s\n", l)
	}
	if len(r.LeftOut) > 0 && len(r.Balloons)+len(r.Lost)-elsewhere > 0 {
		b.WriteString("# fields that are left out where others of the same struct are given:\n")
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(&b, "%s\n", l)
	}
	switch n := len(r.Balloons); {
	case n == 0 && len(r.Lost)+len(r.LeftOut)+len(r.Stale) > elsewhere:
		fmt.Fprintf(&b, "# no branch of the recorded packages is known to have kept an operation on %s from happening\n", what)
	case n == 0:
		fmt.Fprintf(&b, "# nothing was found for %s: no branch of the recorded packages is known to have kept an operation on it from happening\n", what)
	case len(shown) < n:
		fmt.Fprintf(&b, "# %s, by %s; %d are shown (--top 0 shows all, --of FIELD those on one field)\n", r.operations(what), r.ways(), len(shown))
	default:
		fmt.Fprintf(&b, "# %s, by %s\n", r.operations(what), r.ways())
	}
	if len(r.Outside) > 0 {
		fmt.Fprintf(&b, "# not looked into: %s, which may operate on it (--deps records them)\n", list(r.Outside))
	}
	if r.Hurried {
		b.WriteString("# there was no time to look for all reasons of what branches decided\n")
	}
	if v := r.Verification; v != nil {
		fmt.Fprintf(&b, "# %s inverted in %.1f s: %d changed whether an operation happens; %s cannot be inverted", count(v.Tried, "evaluation"), v.Seconds, v.Happened, count(v.Impossible, "branch"))
		if v.Gone > 0 {
			fmt.Fprintf(&b, "; %s did not come up again", count(v.Gone, "moment"))
		}
		if v.Left > 0 {
			fmt.Fprintf(&b, "; for %d there was no time", v.Left)
		}
		if s := v.Switching; s != nil && s.Unbuilt {
			b.WriteString("; all that ran cannot be inverted, as the program does not compile so")
		} else if s != nil {
			fmt.Fprintf(&b, "; %s more, of all that ran: with %d %s", count(s.Tried, "evaluation"), s.Critical, wanted(v.Printed))
			if s.Left > 0 {
				fmt.Fprintf(&b, "; for %d of these there was no time", s.Left)
			}
		}
		if !v.Deterministic {
			b.WriteString("; the program does not print the same twice, so that what it prints is not compared")
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// operations counts those that did not happen, and those that did where others would have.
func (r *Report) operations(what string) string {
	omitted, instead, alone := 0, 0, 0
	for _, x := range r.Balloons {
		for _, op := range x.Operations {
			switch {
			case op.Alone:
				alone++
			case op.Instead:
				instead++
			default:
				omitted++
			}
		}
	}
	switch {
	case alone > 0 && omitted+instead == 0:
		return fmt.Sprintf("nothing is known that might have happened to %s; with %s %s", what, count(alone, "step"), r.Balloons[0].Branch.Verdict.wanted())
	case instead == 0:
		return fmt.Sprintf("%s on %s did not happen", count(omitted, "operation"), what)
	case omitted == 0:
		return fmt.Sprintf("%s on %s happened where others might have", count(instead, "operation"), what)
	}
	return fmt.Sprintf("%s on %s did not happen, and %d happened where others might have", count(omitted, "operation"), what, instead)
}

// ways counts the branches, among the ways that were not taken if they are some of these: in
// loops, a way may have been taken at another time.
func (r *Report) ways() string {
	if n := len(r.Balloons); n > r.Untaken {
		return count(n, "branch")
	}
	return fmt.Sprintf("%d of %d ways that were not taken", len(r.Balloons), r.Untaken)
}

// maxShown is how many operations of one branch are shown, maxBranches how many other
// branches of the nearest one.
const (
	maxShown    = 4
	maxBranches = 2

	// Of so many branches the reasons are shown whole, so many of each; of others the first
	// step of one.
	maxWhole        = 3
	maxReasonsShown = 3
	maxNext         = 2
	maxDeep         = 4 // and on to what made the operation happen
)

// ranked are the first reasons, those first whose inversion made the operation happen.
func ranked(list []*Reason, most int) []*Reason {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y *Reason) int { return cmp.Compare(x.order(), y.order()) })
	shown := list[:min(len(list), most)]
	omitted := func(r *Reason) bool { return r.Omitted }
	if i := slices.IndexFunc(list, omitted); most > 1 && i >= most {
		shown[most-1] = list[i] // what did not happen matters more than what did
	}
	return shown
}

// order is where a reason stands by what inversions on its chain showed.
func (r *Reason) order() int {
	b := &Branch{Why: []*Reason{r}}
	return b.order()
}

// text writes a chain, each step further in.
func (r *Reason) text(w io.Writer, indent, deep int) {
	tabs := strings.Repeat("\t", indent)
	fmt.Fprintf(w, "%ssince %s\n", tabs, r)
	if r.Branch != nil && r.Branch.Verdict != nil {
		fmt.Fprintf(w, "%s\t%s\n", tabs, r.Branch.Verdict)
	}
	if len(r.Why) > 1 { // a chain without branches is told to its end
		deep--
	}
	for _, next := range ranked(r.Why, maxNext) {
		if deep > 0 && indent < maxHops || deep > -maxHops && next.order() < untried {
			next.text(w, indent+1, deep)
		}
	}
}

// not is the word for an operation that was not performed.
func (op *Operation) not() string {
	if op.Instead {
		return ""
	}
	return "not "
}

// remarks say what is particular of an operation.
func (op *Operation) remarks() string {
	var list []string
	if op.Through != nil {
		list = append(list, fmt.Sprintf("leads to %s at %s:%d", op.Through.Text, op.Through.Place.File, op.Through.Place.Line))
	}
	switch op.Distance {
	case 0:
	default:
		where := fmt.Sprintf("in %s, %s away", short(op.Func), count(op.Distance, "call"))
		if via := op.Branches[0].Via; via != nil {
			where += fmt.Sprintf(", by %s at %s:%d", via.Text, via.Place.File, via.Place.Line)
		}
		list = append(list, where)
	}
	if op.On != "" {
		list = append(list, "on "+op.On)
	}
	if op.Alone {
		list = append(list, "found by inverting branches")
	}
	if !op.Sure {
		list = append(list, "maybe on another object")
	}
	if op.Ran > 0 {
		list = append(list, "happened "+count(op.Ran, "time")+" elsewhere")
	}
	if op.Others > 0 {
		list = append(list, "happened "+count(op.Others, "time")+" to others")
	}
	if op.Unknown > 0 {
		list = append(list, "happened "+count(op.Unknown, "time")+" to what is not known")
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, "; ") + ")"
}

// String says where a branch is and what happened there.
func (b *Branch) String() string {
	at := fmt.Sprintf("%s at %s:%d %s", b.Text, b.Place.File, b.Place.Line, b.Outcome)
	if len(b.Moments) > 0 {
		at += fmt.Sprintf(" in call #%d of %s", b.Moments[0].Call, short(b.Func))
	}
	if b.Count > 1 {
		at += ", and "
		if _, way, ok := strings.Cut(b.Outcome, ", not "); ok && strings.HasPrefix(b.Outcome, "took ") {
			at += "not " + way + " " // whatever it took then
		}
		at += count(b.Count-1, "more time")
	}
	return at
}

// short is a function's name without the path of its package.
func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// count is a number of something.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// readable leaves out operations that read as ones before them do.
func readable(list []*Operation) []*Operation {
	type words struct {
		place, text string
		instead     bool
	}
	seen := map[words]bool{}
	var all []*Operation
	for _, op := range list {
		w := words{op.Place.String(), op.Text, op.Instead}
		if !seen[w] {
			seen[w] = true
			all = append(all, op)
		}
	}
	return all
}
