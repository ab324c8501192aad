package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/oracle"
	"misstep/report"
)

func events() []campaign.Event {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := &oracle.Finding{Oracle: "trace", Rule: "hit-place", Class: "hit-place/continue", Program: "p", Reason: "It does not."}
	var tally oracle.Tally
	tally.Add("replay", 3)
	tally.Missed("restart")
	es := []campaign.Event{
		{Type: "start", Start: &campaign.Start{Engine: "dlv", Programs: 2, Runs: 9, Done: 4, Out: "out"}},
		{Type: "unfit", Unfit: &campaign.Unfit{Program: "q", Reason: "it loops"}},
		{Type: "run", Run: &campaign.Run{Index: 5, Sessions: 3, Actions: 40, Tests: 2}},
		{Type: "finding", Finding: &campaign.Found{New: true, What: f}},
		{Type: "finding", Finding: &campaign.Found{What: f}},
		{Type: "summary", Summary: &campaign.Summary{
			Programs: 1, Unfit: 1, Runs: 5, Sessions: 15, Tally: tally, Depths: map[int]int{0: 1, 8: 4},
			Classes: []campaign.ClassCount{{Class: "hit-place/continue", Count: 2, Reason: "It does not.", Script: "out/x.txtar"}},
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
		handle(e)
	}
	for _, want := range []string{
		"going on with an interrupted hunt: 4 runs are done\n",
		"unfit: q: it loops\n",
		"finding: hit-place/continue\n",
		"programs   1 used, 1 unfit\n",
		" 0×1 8×4\n",
		"restart                                   0          1\n",
		"2 findings in 1 classes:\n     2  hit-place/continue\n        It does not.\n        misstep replay out/x.txtar\n",
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

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	handle := report.JSON(&out)
	for _, e := range events() {
		handle(e)
	}
	// A saved stream is rendered again.
	var again bytes.Buffer
	text := report.Text(&again, &bytes.Buffer{})
	dec := json.NewDecoder(&out)
	n := 0
	for dec.More() {
		var e campaign.Event
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Version != campaign.EventVersion {
			t.Errorf("version %d", e.Version)
		}
		text(e)
		n++
	}
	if n != len(events()) || !strings.Contains(again.String(), "2 findings in 1 classes") {
		t.Errorf("%d events:\n%s", n, again.String())
	}
}
