package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"misstep/campaign"
)

// JUnit writes the campaign as JUnit's XML. A rule or a relation is a suite. Its cases are one that passes for
// the checks which held, how many being a property of the suite; one that fails for each class of findings; one
// that is skipped for each class that is known, and one for the checks that could not be made. A suite of the
// programs has those that are unfit, or that no recorded run judges, as skipped.
func JUnit(dir string, w io.Writer) campaign.Handler {
	return Whole(dir, func(c *Campaign) error {
		if err := suites(c).WriteXML(w); err != nil {
			return fmt.Errorf("writing JUnit's XML: %w", err)
		}
		return nil
	})
}

func suites(c *Campaign) *junit.Testsuites {
	all := &junit.Testsuites{Name: "misstep: " + c.Start.Engine}
	add := func(s junit.Testsuite) {
		s.ID = len(all.Suites)
		s.Time = "0"
		if !c.Began.IsZero() {
			s.SetTimestamp(c.Began.UTC())
		}
		all.AddSuite(s)
	}
	all.Time = strconv.FormatFloat(c.Last.Sub(c.Began).Seconds(), 'f', 3, 64)
	byRule := map[string][]*Class{}
	for _, x := range c.Classes() {
		byRule[x.Rule.Counted()] = append(byRule[x.Rule.Counted()], x)
	}
	var names []string
	made, notMade := map[string]int{}, map[string]int{}
	if c.Summary != nil {
		names = c.Summary.Tally.Names()
		made, notMade = c.Summary.Tally.Made, c.Summary.Tally.NotMade
		names = append(names, c.Summary.Unchecked...)
	}
	for name := range byRule {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		s := junit.Testsuite{Name: name}
		s.AddProperty("checks made", strconv.Itoa(made[name]))
		s.AddProperty("checks not made", strconv.Itoa(notMade[name]))
		for _, x := range byRule[name] {
			s.AddTestcase(c.testcase(name, x))
		}
		switch {
		case made[name] > 0:
			s.AddTestcase(junit.Testcase{Name: "what else was checked holds", Classname: name, Time: "0"})
		case len(byRule[name]) == 0 && notMade[name] == 0:
			s.AddTestcase(skipped(name, "all checks", "nothing was held against this rule"))
		}
		if n := notMade[name]; n > 0 {
			s.AddTestcase(skipped(name, "what could not be checked", many(n, "check", "checks")+" could not be made"))
		}
		add(s)
	}
	programs := junit.Testsuite{Name: "programs"}
	used := c.Start.Programs - len(c.Unfit)
	if c.Summary != nil {
		used = c.Summary.Programs
	}
	programs.AddProperty("used", strconv.Itoa(max(0, used)))
	if used > 0 {
		programs.AddTestcase(junit.Testcase{Name: "those that are fit", Classname: programs.Name, Time: "0"})
	}
	for _, list := range [][]campaign.Unfit{c.Unfit, c.Unjudged} {
		slices.SortFunc(list, func(a, b campaign.Unfit) int { return cmp.Compare(a.Program, b.Program) })
	}
	for _, u := range c.Unfit {
		programs.AddTestcase(skipped(programs.Name, u.Program, "unfit: "+u.Reason))
	}
	for _, u := range c.Unjudged {
		programs.AddTestcase(skipped(programs.Name, u.Program, "not judged by a recorded run: "+u.Reason))
	}
	add(programs)
	return all
}

func skipped(suite, name, why string) junit.Testcase {
	return junit.Testcase{Name: name, Classname: suite, Time: "0", Skipped: &junit.Result{Message: printable(oneLine(why))}}
}

// testcase is a class: a failure, or skipped if it is known.
func (c *Campaign) testcase(suite string, x *Class) junit.Testcase {
	if x.Known != "" {
		return skipped(suite, x.Class, "known: "+x.Known)
	}
	s := c.place(x)
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n\n%s\n\n", s.File, s.Line, x.Reason)
	if x.Evidence != nil {
		fmt.Fprintf(&b, "evidence points to: %s\n", x.Evidence)
	}
	fmt.Fprintf(&b, "findings: %d\n", x.Count)
	if x.ClassCount.Script != "" {
		fmt.Fprintf(&b, "misstep replay %s\n", x.ClassCount.Script)
	}
	return junit.Testcase{
		Name: x.Class, Classname: suite, Time: "0",
		Failure: &junit.Result{Message: printable(oneLine(x.Reason)), Type: string(x.Severity), Data: printable(b.String())},
	}
}

// printable is a text without the characters that XML 1.0 has no way to write.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r != 0xfffe && r != 0xffff {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// oneLine is a text in one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
