package report_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/finding"
	"misstep/report"
)

func events() []campaign.Event {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := &finding.Finding{Oracle: "trace", Rule: "hit-place", Class: finding.Class{Rule: "hit-place", Action: "continue"}, Program: "p", Reason: "It does not."}
	var tally finding.Tally
	tally.Add("replay", 3)
	tally.Missed("restart")
	tally.Unjudged(finding.Pauses, "who it is, is not known", 50)
	tally.Unjudged(finding.Pauses, "it was cut off", 9)
	tally.Judged(finding.Pauses, 5)
	es := []campaign.Event{
		{Type: "start", Start: &campaign.Start{Engine: "dlv", Programs: 2, Runs: 9, Done: 4, Out: "out"}},
		{Type: "unfit", Unfit: &campaign.Unfit{Program: "q", Reason: "it loops"}},
		{Type: "run", Run: &campaign.Run{Index: 5, Sessions: 3, Actions: 40, Tests: 2}},
		{Type: "finding", Finding: &campaign.Found{New: true, What: f}},
		{Type: "finding", Finding: &campaign.Found{What: f}},
		{Type: "summary", Summary: &campaign.Summary{
			Programs: 1, Unfit: 1, Runs: 5, Sessions: 15, Tally: tally, Depths: map[int]int{0: 1, 8: 4}, Unchecked: []string{"trace/next-depth", "reference/R11-hits"},
			Causes: []campaign.Cause{
				{Count: 2, Classes: []campaign.ClassCount{{Class: "hit-place/continue", Count: 2, Reason: "It does not.", Script: "out/x.txtar", Severity: finding.False}}},
				{Count: 5, Classes: []campaign.ClassCount{
					{Class: "R2", Count: 4, Reason: "Missed.", Script: "out/r2.txtar", Severity: finding.Missed},
					{Class: "R4", Count: 1, Reason: "Skipped.", Script: "out/r4.txtar", Severity: finding.False},
				}},
			},
		}},
	}
	for i := range es {
		es[i].Version, es[i].At = campaign.EventVersion, at.Add(time.Duration(i)*11*time.Second)
	}
	return es
}

func TestText(t *testing.T) {
	var out, status bytes.Buffer
	handle := report.Text(&out, &status)
	for _, e := range events() {
		if err := handle.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"going on with an interrupted hunt: 4 runs are done\n",
		"unfit: q: it loops\n",
		"finding: hit-place/continue\n",
		"programs   1 used, 1 unfit\n",
		" 0×1 8×4\n",
		"restart                                   0          1\n",
		"warning    nothing was held against trace/next-depth, reference/R11-hits\n",
		"warning    a recorded run judged 5 of 64 pauses, most of the others not as who it is, is not known: that nothing is found says little\n",
		"7 findings of 2 causes in 3 classes:\n     2  hit-place/continue (false)\n        It does not.\n        misstep replay out/x.txtar\n",
		"     5  one cause, 2 classes\n         4  R2 (missed)\n            Missed.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "finding: hit-place"); n != 1 {
		t.Errorf("a class is announced %d times", n)
	}
	if !strings.Contains(status.String(), "5/9 runs, 3 sessions, 40 actions, 2 tests") || strings.Contains(status.String(), "\r") {
		t.Errorf("status: %q", status.String())
	}
}

// TestEarly: what is told of while its run goes on is told of and counted once.
func TestEarly(t *testing.T) {
	list := events()
	early := campaign.Event{Version: campaign.EventVersion, Type: "early", At: list[1].At, Early: list[3].Finding}
	list = slices.Insert(list, 2, early)
	var out, status bytes.Buffer
	handle := report.Text(&out, &status)
	for _, e := range list[:len(list)-1] {
		if err := handle.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), "finding: hit-place/continue\n"); n != 1 {
		t.Errorf("told of %d times:\n%s", n, out.String())
	}
	lines := strings.Split(strings.TrimSpace(status.String()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(status.String(), " 1 findings") || !strings.Contains(last, " 2 findings") {
		t.Errorf("counted:\n%s", status.String())
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	handle := report.JSON(&out)
	for _, e := range events() {
		if err := handle.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	// A saved stream is rendered again.
	var again bytes.Buffer
	n := 0
	count := counter(func(campaign.Event) { n++ })
	if err := report.Render(report.Read(&out, "events.json"), report.Tee(report.Text(&again, &bytes.Buffer{}), count)); err != nil {
		t.Fatal(err)
	}
	if n != len(events()) || !strings.Contains(again.String(), "7 findings of 2 causes") {
		t.Errorf("%d events:\n%s", n, again.String())
	}
}

type counter func(campaign.Event)

func (c counter) Handle(e campaign.Event) error {
	c(e)
	return nil
}

func (counter) Flush() error { return nil }

// TestRead: what is no stream of events is said to be so, with its line.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "x: empty; expected the events of a campaign",
		"{\"v\":2,\"type\":\"run\"}\n{": "x:2: not an event: unexpected end of JSON input",
		`{"v":1,"type":"start"}`:        "x:1: an event of version 1; this misstep reads version 2",
	} {
		err := report.Render(report.Read(strings.NewReader(text), "x"), report.JSON(&bytes.Buffer{}))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// broken is a writer whose disk is full.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestBroken: what cannot be written is an error, and the other handlers are told all.
func TestBroken(t *testing.T) {
	n := 0
	h := report.Tee(report.Text(broken{}, &bytes.Buffer{}), report.JSON(broken{}), counter(func(campaign.Event) { n++ }))
	failed := 0
	for _, e := range events() {
		if h.Handle(e) != nil {
			failed++
		}
	}
	if n != len(events()) || failed == 0 || h.Flush() == nil {
		t.Errorf("%d of %d events were told, %d failed", n, len(events()), failed)
	}
}
