package report_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"misstep/campaign"
	"misstep/finding"
	"misstep/internal/browser"
	"misstep/report"
	"misstep/triage/issue"
)

// shownScript is a script as hunts write them.
const shownScript = `# class: R7-log/next/AssignStmt/log
# engine: dlv@v1.27.2
# program: p, seed 7
# A log point prints once. But it does not.
debug .
break main.go:4
next
seen -reason step main.go:5 main.main
reference R7-log
-- go.mod --
module m
-- main.go --
package main

func main() {
	println(1)
	println("</script><b id=injected>")
}
`

// hunted are the events of a campaign with a class that is new and has an example, one that is known, and all
// that a report has a place for. What is hostile in it must not get out of the texts.
func hunted(t testing.TB) []campaign.Event {
	t.Helper()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	bad := "\x00\x1b]]><script>document.title='injected'</script>\xff"
	f := &finding.Finding{
		Oracle: "reference", Rule: "R7-log", Class: finding.Class{Rule: "R7-log", Action: "next", Node: "AssignStmt", Kind: "log"}, Severity: finding.False, Program: "p",
		Seed: 7, Place: finding.Place{File: "main.go", Line: 5, Func: "main.main"}, Reason: "A log point prints once for each execution of its line, with the values there. But after next, " + bad + ".",
		Expected: finding.Said{Text: "here " + bad, By: "recorded run"}, Got: finding.Said{Text: "nothing", By: "dlv"},
	}
	quiet := &finding.Finding{
		Oracle: "protocol", Rule: "alive", Class: finding.Class{Rule: "protocol", Action: "alive"}, Severity: finding.Broken, Program: "p", Reason: "It died.",
	}
	aside := &finding.Finding{
		Oracle: "differential", Rule: "differential", Class: finding.Class{Rule: "differential", Action: "next"}, Severity: finding.False, Program: "p", Reason: "They differ.",
	}
	var tally finding.Tally
	tally.Add("differential", 5)
	tally.Add("reference/R7-log", 30)
	tally.Missed("reference/R7-log")
	tally.Add("protocol/alive", 9)
	tally.Missed("restart")
	tally.Judged(finding.Pauses, 9)
	tally.Unjudged(finding.Pauses, "no place", 1)
	class := f.Class.String()
	es := []campaign.Event{
		{Type: "start", Start: &campaign.Start{Engine: "dlv@v1.27.2", Programs: 3, Runs: 9, Seed: 1, Out: "out"}},
		{Type: "unfit", Unfit: &campaign.Unfit{Program: "q", Reason: "it loops"}},
		{Type: "unjudged", Unjudged: &campaign.Unfit{Program: "r", Reason: "it is not recorded"}},
		{Type: "finding", Finding: &campaign.Found{Index: 3, New: true, What: f}},
		{Type: "finding", Finding: &campaign.Found{Index: 4, What: f}},
		{Type: "finding", Finding: &campaign.Found{Index: 5, Known: "issue 1", What: quiet}},
		{Type: "start", Start: &campaign.Start{Engine: "dlv@v1.27.2", Programs: 3, Runs: 9, Seed: 1, Out: "out", Done: 5}},
		{Type: "finding", Finding: &campaign.Found{Index: 5, Known: "issue 1", What: quiet}},
		{Type: "finding", Finding: &campaign.Found{Index: 6, What: aside}},
		{Type: "example", Example: &campaign.Example{
			Class: class, File: "out/R7.txtar", Script: shownScript, Finding: f,
			Base: []campaign.Step{{Action: "break main.go:4", Output: "set at main.go:4"}, {Action: "next", Output: "step at main.go:5", Differs: true}},
		}},
		{Type: "summary", Summary: &campaign.Summary{
			Programs: 2, Unfit: 1, Runs: 9, Sessions: 15, Tally: tally, Unchecked: []string{"trace/next-depth"}, Took: time.Minute,
			Causes: []campaign.Cause{
				{Count: 1, Classes: []campaign.ClassCount{{Class: quiet.Class.String(), Count: 1, Reason: quiet.Reason, Severity: finding.Broken, Known: "issue 1"}}},
				{Count: 2, Classes: []campaign.ClassCount{{Class: class, Count: 2, Reason: f.Reason, Script: "out/R7.txtar", Severity: finding.False, Evidence: &finding.Evidence{Points: "debugger", Because: "so"}}}},
				{Count: 1, Classes: []campaign.ClassCount{{Class: aside.Class.String(), Count: 1, Reason: aside.Reason, Severity: finding.False}}},
			},
		}},
	}
	for i := range es {
		es[i].Version, es[i].At = campaign.EventVersion, at.Add(time.Duration(i)*time.Second)
	}
	return es
}

// render is what a form makes of events.
func render(t testing.TB, es []campaign.Event, form func(w io.Writer) campaign.Handler) []byte {
	t.Helper()
	var b bytes.Buffer
	h := form(&b)
	for _, e := range es {
		if err := h.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSarif(t *testing.T) {
	form := func(w io.Writer) campaign.Handler { return report.Sarif("", w) }
	text := render(t, hunted(t), form)
	log, err := sarif.FromBytes(text, sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Validate(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run := log.Runs[0]
	if len(run.Results) != 3 {
		t.Fatalf("%d results, want 3", len(run.Results))
	}
	r := run.Results[0]
	if r.Level != "error" || *r.RuleID != "reference/R7-log" || *run.Tool.Driver.Rules[r.RuleIndex].ID != *r.RuleID || *r.OccurrenceCount != 2 {
		t.Errorf("the result is of rule %s, number %d, %s, seen %d times", *r.RuleID, r.RuleIndex, r.Level, *r.OccurrenceCount)
	}
	// Line 5 of main.go, which begins after line 12 of the script.
	at := r.Locations[0].PhysicalLocation
	if *at.ArtifactLocation.URI != "out/R7.txtar" || *at.Region.StartLine != 17 {
		t.Errorf("it is at %s:%d", *at.ArtifactLocation.URI, *at.Region.StartLine)
	}
	if help := run.Tool.Driver.Rules[r.RuleIndex].Help; help == nil || !strings.Contains(*help.Text, "Source: ") {
		t.Errorf("the rule has the help %v", help)
	}
	if known := run.Results[2]; len(known.Suppressions) != 1 || *known.Suppressions[0].Justification != "issue 1" {
		t.Errorf("what is known is not suppressed: %v", known.Suppressions)
	}
	if n := len(run.Invocations[0].ToolExecutionNotifications); n != 3 {
		t.Errorf("%d notifications, want those of an unfit program, one that is not judged, and a rule without checks", n)
	}
	if again, _ := sarif.FromBytes(render(t, hunted(t), form)); again.Runs[0].Results[0].PartialFingerprints["misstepClass/v1"] != r.PartialFingerprints["misstepClass/v1"] {
		t.Error("another campaign has another fingerprint for the same class")
	}
}

// A place on disk is told where the program lies there as it was debugged.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, tt := range map[string]struct {
		root, file string
		want       string
	}{
		"on disk":     {dir, "main.go", "main.go:5: "},
		"not there":   {filepath.Join(dir, "gone"), "", "out/R7.txtar:17: "},
		"not on disk": {"", "main.go", "out/R7.txtar:17: "},
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove("main.go")
			if tt.file != "" {
				if err := os.WriteFile(tt.file, nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			es := hunted(t)
			for _, e := range es {
				if e.Example != nil {
					e.Example.Root = tt.root
				}
			}
			got := string(render(t, es, func(w io.Writer) campaign.Handler { return report.Lines("", w) }))
			if !strings.HasPrefix(got, tt.want) || strings.Count(got, "\n") != 2 {
				t.Errorf("got %q, want two lines, the first of which begins with %q", got, tt.want)
			}
		})
	}
}

// What was told before an interruption and again after it is counted once, and a summary's counts hold.
func TestInterrupted(t *testing.T) {
	es := hunted(t)
	es[len(es)-1].Summary = nil
	for _, ended := range []bool{false, true} {
		var c *report.Campaign
		render(t, es, func(io.Writer) campaign.Handler {
			return report.Whole("", func(all *report.Campaign) error { c = all; return nil })
		})
		if len(c.Classes()) != 3 || c.Findings() != 4 || (c.Summary != nil) != ended {
			t.Errorf("%d findings in %d classes, want 4 in 3", c.Findings(), len(c.Classes()))
		}
		es[len(es)-1] = hunted(t)[len(es)-1]
	}
}

// A campaign that could not begin leaves what there was of an earlier one.
func TestNothing(t *testing.T) {
	for _, form := range []func(w io.Writer) campaign.Handler{
		func(w io.Writer) campaign.Handler { return report.Sarif("", w) },
		func(w io.Writer) campaign.Handler { return report.JUnit("", w) },
		func(w io.Writer) campaign.Handler { return report.HTML("", w) },
	} {
		if text := render(t, nil, form); len(text) > 0 {
			t.Errorf("a report of nothing was made: %q", text)
		}
	}
}

func TestJUnit(t *testing.T) {
	var all junit.Testsuites
	text := render(t, hunted(t), func(w io.Writer) campaign.Handler { return report.JUnit("", w) })
	if err := xml.Unmarshal(text, &all); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var got []string
	for _, s := range all.Suites {
		n := 0
		for _, c := range s.Testcases {
			how := "passed"
			switch {
			case c.Failure != nil:
				how = "failed"
			case c.Skipped != nil:
				how = "skipped: " + c.Skipped.Message
			}
			got = append(got, s.Name+": "+c.Name+": "+how)
			n++
		}
		if n != s.Tests {
			t.Errorf("%s says that it has %d cases, and has %d", s.Name, s.Tests, n)
		}
	}
	want := []string{
		"differential: differential/next: failed",
		"differential: what else was checked holds: passed",
		"protocol/alive: protocol/alive: skipped: known: issue 1",
		"protocol/alive: what else was checked holds: passed",
		"reference/R7-log: R7-log/next/AssignStmt/log: failed",
		"reference/R7-log: what else was checked holds: passed",
		"reference/R7-log: what could not be checked: skipped: 1 check could not be made",
		"restart: what could not be checked: skipped: 1 check could not be made",
		"trace/next-depth: all checks: skipped: nothing was held against this rule",
		"programs: those that are fit: passed",
		"programs: q: skipped: unfit: it loops",
		"programs: r: skipped: not judged by a recorded run: it is not recorded",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if all.Failures != 2 || all.Tests != len(want) {
		t.Errorf("%d of %d fail, want 2 of %d", all.Failures, all.Tests, len(want))
	}
}

// page writes a page, and returns its address.
func page(t *testing.T, es []campaign.Event, earlier ...*report.Campaign) string {
	t.Helper()
	text := render(t, es, func(w io.Writer) campaign.Handler { return report.HTML("", w, earlier...) })
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

var (
	screenshot = flag.String("screenshot", "", "write a picture of a page into this file")
	pictured   = flag.String("page", "", "the page for -screenshot, which hunt or report has written with --html")
)

// TestPicture makes the picture of the docs when it is asked for.
func TestPicture(t *testing.T) {
	if *screenshot == "" || *pictured == "" {
		t.Skip("no picture is asked for; see -screenshot and -page")
	}
	path, err := filepath.Abs(*pictured)
	if err != nil {
		t.Fatal(err)
	}
	b := browser.New(t)
	b.Open((&url.URL{Scheme: "file", Path: path}).String())
	b.Eval("const shown = document.querySelector('.class:has(.source)') ?? document.querySelector('.class'); shown.open = true; shown.scrollIntoView()")
	b.Picture(*screenshot)
}

func TestHTML(t *testing.T) {
	b := browser.New(t)
	address := page(t, hunted(t))
	b.Open(address)
	const first = "document.querySelectorAll('.class')[0]"
	if n := browser.Get[int](b, "document.querySelectorAll('.class').length"); n != 3 {
		t.Fatalf("%d classes, want 3", n)
	}
	if browser.Get[bool](b, "document.title.includes('injected') || !!document.getElementById('injected')") {
		t.Error("a text of the campaign became part of the page")
	}
	// What is known comes last.
	if text := browser.Get[string](b, first+".innerText"); !strings.Contains(text, "R7-log/next/AssignStmt/log") {
		t.Errorf("the first class is %q", text)
	}
	b.Press("j", "\r")
	b.Until(first + ".open && location.hash === '#' + " + first + ".id")
	for _, want := range []string{"recorded run", "step at main.go:5", "misstep replay out/R7.txtar", "Evidence points to debugger"} {
		if !browser.Get[bool](b, fmt.Sprintf("%s.innerText.includes(%q)", first, want)) {
			t.Errorf("the class does not show %q", want)
		}
	}
	if got := browser.Get[string](b, "[...document.querySelectorAll('.source .shown')].map(e => e.innerText.trim()).join()"); !strings.HasPrefix(got, "5") {
		t.Errorf("the line that is marked is %q", got)
	}
	if got := browser.Get[string](b, "[...document.querySelectorAll('.source .breakpoint i')].map(e => e.innerText).join()"); got != "4" {
		t.Errorf("breakpoints are marked in %q, want 4", got)
	}
	// A link that was sent opens what it is about.
	link := browser.Get[string](b, "location.href")
	b.Open(link)
	b.Until(first + ".open")
	b.Press("/")
	b.Until("document.activeElement.id === 'filter'")
	b.Enter("filter", "died")
	b.Until("document.getElementById('matches').textContent === '1 of 3 classes' && " + first + ".hidden")
	b.Press("\x1b", "t")
	b.Until("!" + first + ".hidden && document.documentElement.dataset.theme !== undefined")
	// Nothing is wider than a narrow window.
	for _, width := range []int{1000, 400} {
		b.Resize(width, 800)
		if got := browser.Get[int](b, "document.documentElement.scrollWidth"); got > width {
			t.Errorf("in a window of %d pixels the page is %d wide", width, got)
		}
	}
	b.Quiet()
}

// Classes come and go between campaigns.
func TestOver(t *testing.T) {
	before := hunted(t)
	for i := range before {
		before[i].At = before[i].At.Add(-24 * time.Hour)
	}
	before[len(before)-1].Summary.Causes = []campaign.Cause{{Count: 1, Classes: []campaign.ClassCount{{Class: "gone/since", Count: 1}}}}
	file := filepath.Join(t.TempDir(), "events.json")
	if err := os.WriteFile(file, render(t, before, report.JSON), 0o666); err != nil {
		t.Fatal(err)
	}
	earlier, err := report.ReadCampaign(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(render(t, hunted(t), func(w io.Writer) campaign.Handler { return report.HTML("", w, earlier) }))
	at := strings.Index(text, `class="this"`)
	if at < 0 {
		t.Fatal("there is no row of the campaign itself")
	}
	row := text[at : at+strings.Index(text[at:], "</tr>")]
	came, gone := strings.Index(row, "R7-log/next"), strings.Index(row, "gone/since")
	if came < 0 || gone < came {
		t.Errorf("the row is %s", row)
	}
	// One cause that is not known before, two now.
	if !strings.Contains(text, `<polyline points="0.0,50.0 600.0,0.0"/>`) {
		t.Error("there is no curve of causes over the campaigns")
	}
}

// A large campaign is a page that opens soon: its findings are counted, and of each class a few are listed.
func BenchmarkHTML(b *testing.B) {
	es := large(b)
	for b.Loop() {
		rendered(b, es, io.Discard)
	}
}

// BenchmarkOpen opens that page in a browser; load-ms is until it is there and can be read, in milliseconds.
func BenchmarkOpen(b *testing.B) {
	file := filepath.Join(b.TempDir(), "page.html")
	var page bytes.Buffer
	rendered(b, large(b), &page)
	if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	w := browser.New(b)
	total := 0.0
	for b.Loop() {
		w.Open("file://" + file)
		w.Until("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
		total += browser.Get[float64](w, "performance.getEntriesByType('navigation')[0].loadEventEnd")
	}
	b.ReportMetric(total/float64(b.N), "load-ms")
	b.ReportMetric(float64(page.Len())/1e6, "MB")
}

// large is a campaign with 10,000 findings in 400 classes.
func large(b *testing.B) []campaign.Event {
	es := hunted(b)
	sum := es[len(es)-1]
	es = es[:1]
	cause := campaign.Cause{}
	for i := range 10_000 {
		f := &finding.Finding{Oracle: "reference", Rule: "R7-log", Class: finding.Class{Rule: "R7-log", Action: fmt.Sprint("a", i%400)}, Reason: "So.", Program: fmt.Sprint("p", i)}
		es = append(es, campaign.Event{Type: "finding", At: sum.At, Finding: &campaign.Found{Index: i, What: f}})
		if i < 400 {
			es = append(es, campaign.Event{Type: "example", At: sum.At, Example: &campaign.Example{Class: f.Class.String(), File: "out/x.txtar", Script: shownScript, Finding: f}})
			cause.Classes = append(cause.Classes, campaign.ClassCount{Class: f.Class.String(), Count: 25, Reason: "So.", Script: "out/x.txtar"})
		}
	}
	sum.Summary.Causes = []campaign.Cause{cause}
	return append(es, sum)
}

// rendered is the page of a campaign.
func rendered(b *testing.B, es []campaign.Event, out io.Writer) {
	h := report.HTML("", out)
	for _, e := range es {
		if err := h.Handle(e); err != nil {
			b.Fatal(err)
		}
	}
	if err := h.Flush(); err != nil {
		b.Fatal(err)
	}
}

// TestStudy: what was found out of a class is kept beside its script, and each form that has room for it shows it; but not of a script
// that is another one by now.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	collect := func() *report.Campaign {
		var c *report.Campaign
		render(t, hunted(t), func(io.Writer) campaign.Handler {
			return report.Whole(dir, func(all *report.Campaign) error { c = all; return nil })
		})
		return c
	}
	c := collect()
	list := c.ToStudy()
	if len(list) != 1 || list[0].Class != "R7-log/next/AssignStmt/log" || list[0].Study != nil {
		t.Fatalf("%d classes to study", len(list))
	}
	study := &issue.Study{
		Since: "shows since v1.25.0", Functions: []issue.Function{{Name: "proc.Next", File: "pkg/proc/target_exec.go", Line: 12}},
		Terminal: &issue.Terminal{Launch: "dlv debug <main>.go", Commands: []string{"break main.go:4", "next"}},
	}
	if err := c.Keep(list[0], study); err != nil {
		t.Fatal(err)
	}
	again := collect().ToStudy()[0].Study
	if again == nil || again.Since != study.Since || len(again.Functions) != 1 || again.Terminal.Commands[1] != "next" {
		t.Errorf("%+v", again)
	}
	for form, want := range map[string][]string{
		"page":  {"shows since v1.25.0", "proc.Next", "pkg/proc/target_exec.go:12", "dlv debug &lt;main&gt;.go\nbreak main.go:4\nnext"},
		"SARIF": {`"versions": "shows since v1.25.0"`, `"uri": "pkg/proc/target_exec.go"`, `"uriBaseId": "DEBUGGER"`, `"fullyQualifiedName": "proc.Next"`},
	} {
		text := string(render(t, hunted(t), func(w io.Writer) campaign.Handler {
			if form == "page" {
				return report.HTML(dir, w)
			}
			return report.Sarif(dir, w)
		}))
		for _, s := range want {
			if !strings.Contains(text, s) {
				t.Errorf("%s does not have %q", form, s)
			}
		}
	}
	other := hunted(t)
	for _, e := range other {
		if e.Example != nil {
			e.Example.Script += "\n// changed\n"
		}
	}
	if page := render(t, other, func(w io.Writer) campaign.Handler { return report.HTML(dir, w) }); bytes.Contains(page, []byte("shows since")) {
		t.Error("a study of another script is shown")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.study.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	h := report.HTML(dir, io.Discard)
	for _, e := range hunted(t) {
		if err := h.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Flush(); err == nil || !strings.Contains(err.Error(), files[0]) {
		t.Errorf("a study that is cut off: %v", err)
	}
}
