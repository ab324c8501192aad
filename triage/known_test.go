package triage_test

import (
	"strings"
	"testing"
	"time"

	"misstep/internal/gobuild"
	"misstep/triage"
)

func TestKnown(t *testing.T) {
	const text = `
# comment
R3-value/*/variables   dlv<=v1.27.2   docs/findings.md   a reason of several words
R4-next/*              go<=go1.26.8   -                  the compiler
protocol/seq-order     2026-06-30     -                  for a while
`
	list, err := triage.ReadKnown(strings.NewReader(text), "known.txt")
	if err != nil {
		t.Fatal(err)
	}
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateTime, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	engine := func(s string) gobuild.Engine {
		e, err := gobuild.ParseEngine(s)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, test := range []struct {
		class, engine, version, now string
		want                        bool
	}{
		{"R3-value/next/IfStmt/variables", "dlv@v1.27.2", "go1.26.8", "2026-01-01 00:00:00", true},
		{"R3-value/next/IfStmt/variables", "dlv@v1.25.0", "go1.26.8", "2026-01-01 00:00:00", true},
		{"R3-value/next/IfStmt/variables", "dlv@v1.28.0", "go1.26.8", "2026-01-01 00:00:00", false},
		{"R3-value/next/IfStmt/variables/more", "dlv@v1.27.2", "go1.26.8", "2026-01-01 00:00:00", false},
		{"R3-value/next/IfStmt/variables", "lldb-dap", "go1.26.8", "2026-01-01 00:00:00", false},
		{"R3-value/next/IfStmt/variables", "dlv=./dlv", "go1.26.8", "2026-01-01 00:00:00", false},
		{"R4-next/next/IfStmt/location", "lldb-dap", "go1.25.1", "2026-01-01 00:00:00", true},
		{"R4-next/next/IfStmt/location", "dlv@v1.27.2", "go1.27.0", "2026-01-01 00:00:00", false},
		{"protocol/seq-order", "dlv@v1.27.2", "go1.26.8", "2026-06-30 23:00:00", true},
		{"protocol/seq-order", "dlv@v1.27.2", "go1.26.8", "2026-07-01 00:00:00", false},
		{"protocol/seq-order-2", "dlv@v1.27.2", "go1.26.8", "2026-01-01 00:00:00", false},
	} {
		if got := triage.LookUp(list, test.class, engine(test.engine), test.version, day(test.now)) != nil; got != test.want {
			t.Errorf("%s with %s and %s on %s: known is %t", test.class, test.engine, test.version, test.now, got)
		}
	}
	for bad, want := range map[string]string{
		"a b c":              "known.txt:1: expected CLASS UNTIL LINK REASON, got 3 words",
		"\na dlv<=1.2 - why": `known.txt:2: "1.2" is no version of Delve, such as v1.27.2`,
		"a go<=1.26 - why":   `known.txt:1: "1.26" is no toolchain, such as go1.26.8`,
	} {
		if _, err := triage.ReadKnown(strings.NewReader(bad), "known.txt"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
}

func FuzzReadKnown(f *testing.F) {
	f.Add("R3-value/*/variables dlv<=v1.27.2 - reason")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := triage.ReadKnown(strings.NewReader(text), "known.txt")
		if err == nil {
			triage.LookUp(list, "R3-value/a", gobuild.Engine{Adapter: "dlv"}, "go1.26.8", time.Now())
		}
	})
}
