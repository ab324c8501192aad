package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"misstep/campaign"
	"misstep/finding"
	"misstep/internal/source"
)

// Text prints findings and the summary to out, and on a terminal one live
// status line to status; elsewhere a plain line now and then.
func Text(out, status io.Writer) campaign.Handler {
	t := &text{out: &sink{w: out}, status: status, told: map[string]bool{}, early: map[string]bool{}}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.live = true
		t.width, _, _ = term.GetSize(int(f.Fd()))
	}
	return t
}

type text struct {
	out    *sink
	status io.Writer
	live   bool
	width  int
	last   time.Time

	start                          *campaign.Start
	began                          time.Time
	runs, sessions, actions, tests int
	findings, unfit                int
	// told are the classes that were told of, and early those of which a finding was counted before its run was over.
	told, early map[string]bool
}

// maxUnfit bounds how many unfit programs are shown; all are in the database
// and in the stream of events.
const maxUnfit = 10

// every is how often the status shows.
func (t *text) every() time.Duration {
	if t.live {
		return 200 * time.Millisecond
	}
	return 10 * time.Second
}

// A sink remembers the first error of a writer, and writes no more after it.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), nil
}

// Flush implements [campaign.Handler].
func (t *text) Flush() error {
	t.clear()
	return t.failed()
}

func (t *text) failed() error {
	if t.out.err != nil {
		return fmt.Errorf("writing the report: %w", t.out.err)
	}
	return nil
}

// Handle implements [campaign.Handler].
func (t *text) Handle(e campaign.Event) error {
	t.handle(e)
	return t.failed()
}

// found tells of the first finding of a class, as soon as it is known.
func (t *text) found(f *campaign.Found) {
	class := f.What.Class.String()
	if !f.New || t.told[class] {
		return
	}
	t.told[class] = true
	t.clear()
	fmt.Fprintf(t.out, "finding: %s\n    %s: %s\n", class, f.What.Program, source.Shorten(f.What.Reason, 300))
}

func (t *text) handle(e campaign.Event) {
	switch {
	case e.Start != nil:
		t.start, t.began, t.last = e.Start, e.At, e.At
		t.runs = e.Start.Done
		engine := e.Start.Engine
		if len(e.Start.Against) > 0 {
			engine += " against " + strings.Join(e.Start.Against, " and ")
		}
		fmt.Fprintf(t.out, "hunting with %s: %d programs, seed %d, %d at a time, findings go to %s\n",
			engine, e.Start.Programs, e.Start.Seed, e.Start.Workers, e.Start.Out)
		if e.Start.Done > 0 {
			fmt.Fprintf(t.out, "going on with an interrupted hunt: %d runs are done\n", e.Start.Done)
		}
	case e.Preparing != nil:
		t.clear()
		fmt.Fprintf(t.status, "preparing %s\n", e.Preparing.What)
	case e.Unjudged != nil:
		fmt.Fprintf(t.out, "not judged by a recorded run: %s: %s\n", e.Unjudged.Program, source.Shorten(e.Unjudged.Reason, 200))
	case e.Unfit != nil:
		t.unfit++
		if t.unfit <= maxUnfit {
			t.clear()
			fmt.Fprintf(t.out, "unfit: %s: %s\n", e.Unfit.Program, source.Shorten(e.Unfit.Reason, 200))
		}
	case e.Run != nil:
		t.runs++
		t.sessions += e.Run.Sessions
		t.actions += e.Run.Actions
		t.tests += e.Run.Tests
	case e.Defect != nil:
		t.clear()
		fmt.Fprintf(t.out, "defect: %s\n", source.Shorten(e.Defect.Error(), 600))
	case e.Early != nil:
		t.findings++
		t.early[e.Early.What.Class.String()] = true
		t.found(e.Early)
	case e.Finding != nil:
		class := e.Finding.What.Class.String()
		if !t.early[class] {
			t.findings++
		}
		delete(t.early, class)
		t.found(e.Finding)
	case e.Reducing != nil:
		t.clear()
		if n := e.Reducing.Classes; n > 0 && e.Reducing.Time > 0 {
			fmt.Fprintf(t.status, "reducing the findings, for %s at most\n", e.Reducing.Time)
		}
	case e.Reduced != nil:
		t.clear()
		if e.Reduced.Failed != "" {
			fmt.Fprintf(t.status, "not reduced: %s: %s\n", e.Reduced.Class, source.Shorten(e.Reduced.Failed, 200))
		} else {
			fmt.Fprintf(t.status, "reduced: %s\n", e.Reduced.Class)
		}
	case e.Summary != nil:
		t.clear()
		t.summary(e.Summary)
		return
	}
	if e.At.Sub(t.last) >= t.every() && t.start != nil {
		t.last = e.At
		t.show(e.At)
	}
}

func (t *text) show(now time.Time) {
	total := ""
	if t.start.Runs > 0 {
		total = fmt.Sprintf("/%d", t.start.Runs)
	}
	done := "the first runs are under way"
	if t.runs > 0 {
		done = fmt.Sprintf("%d%s runs, %d sessions, %d actions, %d tests", t.runs, total, t.sessions, t.actions, t.tests)
	}
	line := fmt.Sprintf("%s  %s, %d findings, %d unfit programs", now.Sub(t.began).Round(time.Second), done, t.findings, t.unfit)
	if !t.live {
		fmt.Fprintln(t.status, line)
		return
	}
	if t.width > 0 && len(line) >= t.width {
		line = line[:t.width-1]
	}
	fmt.Fprintf(t.status, "\r%s\x1b[K", line)
}

func (t *text) clear() {
	if t.live {
		fmt.Fprint(t.status, "\r\x1b[K")
	}
}

func (t *text) summary(s *campaign.Summary) {
	p := func(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }
	p("")
	p("programs   %d used, %d unfit", s.Programs, s.Unfit)
	p("runs       %d, of which %d given up and %d not repeatable", s.Runs, s.Given, s.Unstable)
	if s.Cut > 0 {
		p("cut off    %d further runs, by the end of the time or of the hunt", s.Cut)
	}
	p("sessions   %d, with %d actions and %d pauses", s.Sessions, s.Actions, s.Pauses)
	p("tests      %d metamorphic; transformations on top of each other:%s", s.Tests, depths(s.Depths))
	p("time       %s; per second %.1f sessions, %.0f actions, %.1f tests", s.Took.Round(100*time.Millisecond), s.Rates.Sessions, s.Rates.Actions, s.Rates.Tests)
	if len(s.Needed) > 0 {
		p("findings   by the number of transformations that they needed:%s", depths(s.Needed))
	}
	if len(s.Tally.Variants) > 0 {
		p("")
		p("%-22s %10s %8s %9s %8s %8s %9s", "variants by", "candidates", "applied", "compiled", "sound", "pairs", "not made")
		for _, name := range slices.Sorted(maps.Keys(s.Tally.Variants)) {
			v := s.Tally.Variants[name]
			p("%-22s %10d %8d %9d %8d %8d %9d", name, v.Candidates, v.Applied, v.Compiled, v.Sound, s.Tally.Made[name], s.Tally.NotMade[name])
		}
	}
	t.judged(s)
	p("")
	p("%-32s %10s %10s", "checks of", "made", "not made")
	for _, name := range s.Tally.Names() {
		if s.Tally.Variants[name] != nil {
			continue
		}
		p("%-32s %10d %10d", name, s.Tally.Made[name], s.Tally.NotMade[name])
	}
	if len(s.Unchecked) > 0 {
		p("warning    nothing was held against %s", strings.Join(s.Unchecked, ", "))
	}
	if a := s.Tally.Shown[finding.Pauses]; a != nil && a.Total() >= fewPauses && a.Judged*littleJudged < a.Total() {
		why := slices.MaxFunc(slices.Sorted(maps.Keys(a.Not)), func(x, y string) int { return cmp.Compare(a.Not[x], a.Not[y]) })
		p("warning    a recorded run judged %d of %d pauses, most of the others not as %s: that nothing is found says little", a.Judged, a.Total(), why)
	}
	p("")
	if s.Defects > 0 {
		p("%d transformations broke a program: faults of misstep, whose programs are kept as defect-*.txtar beside the findings", s.Defects)
	}
	t.causes(s)
	for _, kind := range []struct {
		what   string
		counts map[string]int
	}{{"not findings, as the baseline shows them as well", s.Shared}, {"not findings, as the baseline is wrong there, and this debugger is not", s.Mended}} {
		n := 0
		for _, count := range kind.counts {
			n += count
		}
		if n > 0 {
			p("")
			p("%s: %d in %d classes", kind.what, n, len(kind.counts))
		}
	}
	for _, x := range s.Aside {
		p("set aside  %s: %s", x.Program, source.Shorten(x.Reason, 600))
	}
	t.held(s, "not findings, as they did not come again each time:", func(x campaign.Sometimes) string {
		if x.Of == 0 {
			return ""
		}
		return fmt.Sprintf("%d/%d", x.Shown, x.Of)
	})
	t.held(s, "not findings yet, as there was no time to try them once more; a longer hunt tells:", func(x campaign.Sometimes) string {
		if x.Untried == 0 {
			return ""
		}
		return fmt.Sprint(x.Untried)
	})
}

// held prints what was seen and is no finding, of those of which there is a number.
func (t *text) held(s *campaign.Summary, why string, number func(campaign.Sometimes) string) {
	p := func(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }
	for _, x := range s.Sometimes {
		n := number(x)
		if n == "" {
			continue
		}
		if why != "" {
			p("")
			p("%s", why)
			why = ""
		}
		p("%6s  %s: %s", n, x.Class, source.Shorten(x.Reason, 200))
	}
}

// fewPauses are too few to say anything, and littleJudged is of how many pauses one has to be judged at least, so that there is no warning.
const fewPauses, littleJudged = 50, 10

// judged prints how much of what was shown was judged by a recorded run, and why the rest was
// not.
func (t *text) judged(s *campaign.Summary) {
	p := func(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }
	for _, kind := range finding.Kinds {
		a := s.Tally.Shown[kind]
		if a == nil || a.Total() == 0 {
			continue
		}
		p("")
		p("%-10s %d, of which %d (%.1f %%) were judged by a recorded run", kind, a.Total(), a.Judged, 100*float64(a.Judged)/float64(a.Total()))
		reasons := slices.Collect(maps.Keys(a.Not))
		slices.SortFunc(reasons, func(x, y string) int { return cmp.Or(cmp.Compare(a.Not[y], a.Not[x]), cmp.Compare(x, y)) })
		for _, why := range reasons {
			p("%10d not: %s", a.Not[why], why)
		}
	}
}

// causes prints what was found, cause by cause.
func (t *text) causes(s *campaign.Summary) {
	p := func(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }
	var known, news []campaign.Cause
	quiet, total := 0, 0
	for _, c := range s.Causes {
		if c.Known() {
			known = append(known, c)
			quiet += c.Count
		} else {
			news = append(news, c)
			total += c.Count
		}
	}
	switch {
	case len(s.Causes) == 0:
		p("no findings")
	case len(known) > 0:
		p("%s, which are known:", counted(quiet, known))
		for _, cause := range known {
			for _, c := range cause.Classes {
				p("%6d  %s: %s", c.Count, c.Class, source.Shorten(c.Known, 200))
			}
		}
	}
	if len(news) == 0 {
		if len(known) > 0 {
			p("no findings but those")
		}
		return
	}
	p("%s:", counted(total, news))
	for _, cause := range news {
		indent := ""
		if len(cause.Classes) > 1 {
			p("%6d  one cause, %d classes", cause.Count, len(cause.Classes))
			indent = "    "
		}
		for _, c := range cause.Classes {
			t.class(&c, indent)
		}
	}
}

// counted says how many findings, causes and classes there are.
func counted(findings int, causes []campaign.Cause) string {
	classes := 0
	for _, c := range causes {
		classes += len(c.Classes)
	}
	return many(findings, "finding", "findings") + " of " + many(len(causes), "cause", "causes") + " in " + many(classes, "class", "classes")
}

// many is a number with the word for what is counted.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// class prints a class with its example.
func (t *text) class(c *campaign.ClassCount, indent string) {
	p := func(format string, args ...any) { fmt.Fprintf(t.out, indent+format+"\n", args...) }
	p("%6d  %s (%s)", c.Count, c.Class, c.Severity)
	if c.Known != "" {
		p("        known: %s", source.Shorten(c.Known, 200))
		return
	}
	p("        %s", source.Shorten(c.Reason, 400))
	if c.Evidence != nil {
		p("        evidence points to: %s", source.Shorten(c.Evidence.String(), 200))
	}
	small := ""
	switch r := c.Reduced; {
	case r == nil:
	case r.Failed != "":
		small = "  # not reduced: " + source.Shorten(r.Failed, 100)
	default:
		small = fmt.Sprintf("  # reduced from %d to %d lines, from %d to %d actions", r.Lines[0], r.Lines[1], r.Actions[0], r.Actions[1])
	}
	if filepath.Ext(c.Script) == ".txtar" {
		p("        misstep replay %s%s", c.Script, small)
	} else {
		p("        %s", c.Script)
	}
}

func depths(m map[int]int) string {
	s := ""
	for _, d := range slices.Sorted(maps.Keys(m)) {
		s += fmt.Sprintf(" %d×%d", d, m[d])
	}
	return s
}
