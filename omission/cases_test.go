package omission_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/testhouse"
	"misstep/omission"
)

// cases are real omissions: folders of casesDir, which of the dependencies is recorded,
// and what a user would ask for.
var cases = []struct {
	name, deps, object string
	large              bool // it takes a minute
}{
	{"stateless-entry-action", "github.com/qmuntal/stateless", "graph.go:83", false},
	{"bubbles-setvalue-cursor", "github.com/charmbracelet/bubbles/...", "main.go:14", false},
	{"viper-merge-nil", "github.com/spf13/viper", "viper.go:226", false},
	{"cobra-shadow-localflags", "github.com/spf13/cobra", "main.go:21:local", false},
	{"sh-errexit-subshell", "mvdan.cc/sh/v3/...", "interp/api.go:192", true},
}

const casesDir = "../../shared/cases/omission"

// TestCases looks for the operations and branches that real bugs are known by, among all
// balloons and, with every branch inverted, among the first. It logs a row for each: the
// rank before and after, balloons, branches that a person would have to read, seconds to
// record, to analyse, to find and to verify, and the memory in use.
func TestCases(t *testing.T) {
	if _, err := os.Stat(casesDir); err != nil {
		t.Skipf("the real bugs are not here: %v", err)
	}
	h := testhouse.New(t)
	ctx := context.Background()
	for _, c := range testhouse.Part(cases, 4) {
		t.Run(c.name, func(t *testing.T) {
			if c.large && !testhouse.All() {
				t.Skip("takes a minute; MISSTEP_ALL=1 tries it")
			}
			text, err := os.ReadFile(filepath.Join(casesDir, c.name, "meta.json"))
			if err != nil {
				t.Skip(err)
			}
			var meta struct {
				Omitted, Branch struct {
					File string
					Line int
				}
			}
			if err := json.Unmarshal(text, &meta); err != nil {
				t.Fatal(err)
			}
			p := h.Find(t, filepath.Join(casesDir, c.name, "buggy"))[0]
			recorder := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
			start := time.Now()
			lap := func() float64 {
				d := time.Since(start).Seconds()
				start = time.Now()
				return d
			}
			rec, err := recorder.Build(ctx, p, h.Engine, t.TempDir(), record.BuildOptions{Objects: true, Deps: []string{c.deps}})
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if _, err := recorder.Run(ctx, rec, record.Options{}, &file); err != nil {
				t.Fatal(err)
			}
			recorded := lap()
			r, err := history.NewReader(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			aliases, err := omission.Analyze(ctx, rec, h.Engine)
			if err != nil {
				t.Fatal(err)
			}
			analysed := lap()
			f, err := omission.New(r, rec, aliases, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Check(); err != nil {
				t.Error(err)
			}
			read := lap()
			s, err := f.Subject(c.object)
			if err != nil {
				t.Fatal(err)
			}
			list, err := f.Find(ctx, s, omission.Options{})
			if err != nil {
				t.Fatal(err)
			}
			found := lap()
			rank := func(list []*omission.Balloon) int {
				for _, b := range list {
					for _, op := range b.Operations {
						if op.Place.Line != meta.Omitted.Line || !strings.HasSuffix(op.Place.File, "/"+meta.Omitted.File) {
							continue
						}
						for _, br := range op.Branches {
							if br.Place.Line == meta.Branch.Line && strings.HasSuffix(br.Place.File, "/"+meta.Branch.File) {
								return b.Rank
							}
						}
					}
				}
				return 0
			}
			before := rank(list)
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			v := &omission.Verifier{Recorder: recorder, Engine: h.Engine, Runs: 100, Time: time.Minute}
			verified, sum, err := v.Verify(ctx, f, rec, list, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			after := rank(verified)
			t.Logf("rank %d, verified %d, of %d balloons; %d ways not taken; record %.1f s, analyse %.1f, read %.2f, find %.3f, verify %.1f (%d runs); %d MB",
				before, after, len(list), f.Untaken(), recorded, analysed, read, found, lap(), sum.Tried, mem.Sys>>20)
			if before == 0 || after == 0 || after > 3 {
				t.Errorf("rank %d, and %d when verified; want it there, and among the first three", before, after)
			}
		})
	}
}
