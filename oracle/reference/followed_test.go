package reference

import (
	"context"
	"testing"

	"misstep/dap"
	"misstep/history/timeline"
	"misstep/oracle"
)

// TestFollowed: the judge knows what each kind of action does, and says so if it does not.
func TestFollowed(t *testing.T) {
	for _, m := range dap.Meanings() {
		if followed[m.Kind] == nil && m.Effect != dap.Asks {
			t.Errorf("%s is not followed", m.Kind)
		}
	}
	model := &Model{&timeline.Run{}}
	events := []dap.Event{{Action: dap.Action{Kind: "unheard-of"}, Output: dap.Output{Kind: dap.Done}}}
	found, tally, err := model.Judge(context.Background(), &oracle.Seen{Events: events})
	if err != nil || len(found) > 0 || tally.NotMade["reference/action unheard-of"] != 1 {
		t.Errorf("%v, %v, %v", found, tally, err)
	}
}

// TestRefusedRestart: after a restart that is refused, the program is where it was.
func TestRefusedRestart(t *testing.T) {
	for _, kind := range []dap.OutputKind{dap.Refused, dap.Unsupported, dap.Done} {
		k := &track{at: 5}
		j := &judge{track: k, tracks: map[int]*track{1: k}, points: map[string]*point{"main.go:3": {hits: 2}}}
		if err := j.restart(0, dap.Action{Kind: dap.Restart}, &dap.Output{Kind: kind}); err != nil {
			t.Fatal(err)
		}
		stays := j.track == k && len(j.tracks) == 1 && j.points["main.go:3"].hits == 2
		if stays == (kind == dap.Done) {
			t.Errorf("after a restart that is %s: %+v", kind, j)
		}
	}
}
