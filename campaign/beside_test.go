package campaign

import (
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle/baseline"
)

// TestMended: a difference is mended where the baseline alone breaks a rule, of the message that differs or of all that is shown.
func TestMended(t *testing.T) {
	broken := func(oracle, on string, event int) *finding.Finding {
		return &finding.Finding{
			Oracle: oracle, On: on, Class: finding.Class{Rule: oracle, Action: on},
			Payload: &finding.Session{Base: make([]dap.Event, event+1), Index: event},
		}
	}
	internal, other, value := broken("protocol", "stepOut/panics", 2), broken("protocol", "threads", 2), broken("reference", "", 2)
	for name, c := range map[string]struct {
		broken, found []*finding.Finding
		want          bool
	}{
		"neither":                          {nil, nil, false},
		"the baseline":                     {[]*finding.Finding{internal}, nil, true},
		"the baseline, beside another one": {[]*finding.Finding{internal, other}, []*finding.Finding{other}, true},
		"both":                             {[]*finding.Finding{internal}, []*finding.Finding{internal}, false},
		"the debugger":                     {nil, []*finding.Finding{internal}, false},
		"the baseline, in another message": {[]*finding.Finding{other}, nil, false},
		"a value":                          {[]*finding.Finding{value}, nil, true},
		"a value, where both are wrong":    {[]*finding.Finding{value}, []*finding.Finding{other}, false},
		"at another event":                 {[]*finding.Finding{broken("reference", "", 1)}, nil, false},
	} {
		if got := mended(c.broken, c.found, &baseline.Difference{On: "stepOut", Event: 2}); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
