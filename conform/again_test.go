package conform_test

import (
	"context"
	"testing"

	"misstep/conform"
	"misstep/internal/gobuild"
)

// TestAgain: what passes when it is tried again has passed, and it is told what was wrong at first; what fails each time has failed, and a
// run that is to end at the first such test tries no others.
func TestAgain(t *testing.T) {
	tries := map[string]int{}
	r := &conform.Runner{Workers: 1, Again: 1, Try: func(_ context.Context, test conform.Test, _ gobuild.Engine) (*conform.Cell, error) {
		tries[test.Name]++
		if test.Name == "bad" || test.Name == "shaky" && tries[test.Name] == 1 {
			return &conform.Cell{Outcome: conform.Failed, Reason: "it is wrong", Line: 3}, nil
		}
		return &conform.Cell{Outcome: conform.Passed}, nil
	}}
	tests := []conform.Test{{Name: "good"}, {Name: "shaky"}, {Name: "bad"}, {Name: "later"}}
	engines := []gobuild.Engine{{Adapter: "dlv"}}
	table, err := r.Run(context.Background(), tests, engines)
	if err != nil || len(table.Rows) != 4 {
		t.Fatalf("%+v, %v", table, err)
	}
	if c := table.Rows[1].Cells[0]; c.Outcome != conform.Passed || c.At != conform.Failed || c.Reason != "it is wrong" || c.Line != 3 {
		t.Errorf("what passed the second time: %+v", c)
	}
	if c := table.Rows[2].Cells[0]; c.Outcome != conform.Failed || c.At != "" || tries["bad"] != 2 || tries["good"] != 1 {
		t.Errorf("what failed: %+v, tries %v", c, tries)
	}
	clear(tries)
	r.FailFast, tries["shaky"] = true, 1
	if table, err = r.Run(context.Background(), tests, engines); err != nil || len(table.Rows) < 3 || table.Counts()[0].Failed != 1 || tries["later"] > 0 {
		t.Errorf("%+v, %v, tries %v", table.Counts(), err, tries)
	}
}
