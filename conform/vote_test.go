package conform_test

import (
	"testing"

	"misstep/conform"
)

// row is what came of a test, a letter for each engine.
func row(name, outcomes string, rules ...string) *conform.Row {
	r := &conform.Row{Test: name}
	for _, o := range outcomes {
		c := &conform.Cell{Outcome: map[rune]conform.Outcome{'p': conform.Passed, 'f': conform.Failed, '-': conform.NotApplicable, '?': conform.Unable}[o], Made: map[string]int{}}
		for _, rule := range rules {
			c.Made[rule] = 1
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

func TestVerdict(t *testing.T) {
	for outcomes, want := range map[string]conform.Verdict{
		"ppp": conform.Agreed, "p": conform.Agreed, "--": conform.Agreed, "p?-": conform.Agreed,
		"ppf": conform.Engine, "pfpfp": conform.Engine, "ppf-?": conform.Engine,
		"pff": conform.Suspected, "fff": conform.Suspected, "ffff-": conform.Suspected,
		"f": conform.Undecided, "pf": conform.Undecided, "ff": conform.Undecided, "ppff": conform.Undecided, "pf--": conform.Undecided,
	} {
		if got := row("t", outcomes).Verdict(); got != want {
			t.Errorf("%s: %s, want %s", outcomes, got, want)
		}
	}
}

// TestSuspects: a rule that the suspected tests check, and others do not, is the first.
func TestSuspects(t *testing.T) {
	table := &conform.Table{Engines: []string{"a", "b", "c"}, Rows: []*conform.Row{
		row("1", "fff", "wrong", "common"), row("2", "ffp", "wrong", "common", "rare"),
		row("3", "ppp", "common"), row("4", "ppf", "common", "other"), row("5", "f-?", "undecided"),
	}}
	got := table.Suspects()
	if len(got) != 3 || got[0].Rule != "wrong" || got[0].Fail != 2 || got[0].Pass != 0 || got[1].Rule != "rare" || got[2].Rule != "common" || got[2].Pass != 2 {
		t.Errorf("%+v", got)
	}
	counts := table.Counts()
	if counts[0] != (conform.Count{Passed: 2, Failed: 3}) || counts[1].NotApplicable != 1 || counts[2].Unable != 1 {
		t.Errorf("%+v", counts)
	}
	healthy := &conform.Table{Engines: []string{"a"}, Rows: []*conform.Row{row("1", "p", "rule")}}
	if len(healthy.Suspects()) != 0 {
		t.Errorf("%+v", healthy.Suspects())
	}
}
