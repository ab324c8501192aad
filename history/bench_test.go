package history_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/testhouse"
)

// BenchmarkRecord times programs plain and recorded, without and with their objects,
// in turn, with one processor for the program. The metric slowdown is the ratio of the medians; of each
// recording, events/s, and bytes/event in the file. Besides programs that only
// compute there are two real ones, whose packages of the standard library are
// recorded: compress/flate and go/types.
func BenchmarkRecord(b *testing.B) {
	h := testhouse.New(b)
	ctx := context.Background()
	deps := map[string][]string{"flate": {"compress/flate"}, "gotypes": {"go/types"}}
	files, err := filepath.Glob("testdata/bench/*")
	if err != nil {
		b.Fatal(err)
	}
	slowdowns := map[string][]float64{}
	for _, objects := range []bool{false, true} {
		level := map[bool]string{false: "control", true: "objects"}[objects]
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			b.Run(level+"/"+name, func(b *testing.B) {
				p := h.Find(b, file)[0]
				e := h.Engine
				e.GCFlags = ""
				plain, err := h.Cache.Build(ctx, p, e, b.TempDir())
				if err != nil {
					b.Fatal(err)
				}
				r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
				rec, err := r.Build(ctx, p, e, b.TempDir(), record.BuildOptions{Deps: deps[name], Objects: objects})
				if err != nil {
					b.Fatal(err)
				}
				var alone, recorded []time.Duration
				var end history.End
				var size int64
				for b.Loop() {
					for range 3 {
						start := time.Now()
						if _, err := h.Keeper.Run(ctx, proc.Spec{Path: plain.Binary, Dir: p.RunDir(), Env: gobuild.RunEnv, Stdout: io.Discard, Stderr: io.Discard}); err != nil {
							b.Fatal(err)
						}
						alone = append(alone, time.Since(start))
						f, err := os.Create(filepath.Join(b.TempDir(), "history"))
						if err != nil {
							b.Fatal(err)
						}
						start = time.Now()
						end, err = r.Run(ctx, rec, record.Options{Env: gobuild.RunEnv, Stdout: io.Discard, Stderr: io.Discard}, f)
						if err != nil {
							b.Fatal(err)
						}
						recorded = append(recorded, time.Since(start))
						if info, err := f.Stat(); err == nil {
							size = info.Size()
						}
						f.Close()
					}
				}
				slices.Sort(alone)
				slices.Sort(recorded)
				ratio := float64(recorded[len(recorded)/2]) / float64(alone[len(alone)/2])
				slowdowns[level] = append(slowdowns[level], ratio)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ratio, "slowdown")
				b.ReportMetric(float64(end.Words)/recorded[len(recorded)/2].Seconds()/1e6, "Mwords/s")
				b.ReportMetric(float64(size)/float64(max(end.Words, 1)), "bytes/word")
			})
		}
		if list := slowdowns[level]; len(list) > 0 {
			slices.Sort(list)
			b.Logf("slowdown with %s: median %.1f, worst %.1f, with %d processors", level, list[len(list)/2], list[len(list)-1], runtime.NumCPU())
		}
	}
}
