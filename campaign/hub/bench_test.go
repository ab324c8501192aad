package hub_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"misstep/campaign"
)

// BenchmarkOverhead is a campaign through a hub on this machine against one without, of jobs that take a second, which
// is less than a short one does. The ratio is that of their times.
func BenchmarkOverhead(b *testing.B) {
	const takes, runs, slots = time.Second, 16, 2
	s := serve(b, "127.0.0.1:0", b.TempDir())
	works(b, joined(b, s), slots, &fake{takes: takes})
	h := joined(b, s)
	var through, direct time.Duration
	for b.Loop() {
		cfg := config(b, 4, runs)
		cfg.Workers = slots
		began := time.Now()
		alone(b, cfg, &fake{takes: takes})
		direct += time.Since(began)
		cfg.Seed = uint64(time.Now().UnixNano()) // another campaign
		cfg.Workers = 64
		began = time.Now()
		if _, _, err := submit(b, b.Context(), h, cfg); err != nil {
			b.Fatal(err)
		}
		through += time.Since(began)
	}
	b.ReportMetric(float64(through)/float64(direct), "ratio")
}

// BenchmarkGrowth is how many jobs come through a hub a second, and what share of their time workers are at work, by
// the number of jobs that are done at a time. Those of a thousand take 8 seconds, as a job does.
func BenchmarkGrowth(b *testing.B) {
	for _, c := range []struct {
		slots, each, rounds int
		takes               time.Duration
	}{
		{1, 1, 10, time.Second}, {2, 1, 10, time.Second}, {4, 1, 10, time.Second}, {16, 4, 10, 2 * time.Second},
		{100, 10, 20, 2 * time.Second}, {300, 10, 60, 2 * time.Second}, {1000, 10, 60, 8 * time.Second},
	} {
		b.Run(fmt.Sprintf("slots=%d/takes=%s", c.slots, c.takes), func(b *testing.B) {
			dir := b.TempDir()
			s := serve(b, "127.0.0.1:0", dir)
			h := joined(b, s)
			for range c.slots / c.each {
				works(b, joined(b, s), c.each, &fake{takes: c.takes})
			}
			runs := c.slots * c.rounds
			for b.Loop() {
				cfg := config(b, 4, runs)
				cfg.Seed = uint64(time.Now().UnixNano())
				cfg.Workers = 2 * c.slots
				began := time.Now()
				sum, _, err := submit(b, b.Context(), h, cfg)
				if err != nil || sum.Runs != runs {
					b.Fatal(sum, err)
				}
				took := time.Since(began)
				b.ReportMetric(float64(runs)/took.Seconds(), "jobs/s")
				b.ReportMetric(100*float64(runs)*c.takes.Seconds()/float64(c.slots)/took.Seconds(), "%at-work")
			}
		})
	}
}

var jobs = flag.Int("jobs", 16_000, "jobs of the largest campaign of BenchmarkJobs")

// BenchmarkJobs is what a job costs the hub if it costs the worker nothing.
func BenchmarkJobs(b *testing.B) {
	for _, runs := range []int{*jobs / 16, *jobs / 4, *jobs} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			dir := b.TempDir()
			s := serve(b, "127.0.0.1:0", dir)
			h := joined(b, s)
			for range 4 {
				works(b, joined(b, s), 16, &fake{})
			}
			for b.Loop() {
				cfg := config(b, 4, runs)
				cfg.Seed = uint64(time.Now().UnixNano())
				cfg.Workers = 256
				began := time.Now()
				if _, _, err := submit(b, b.Context(), h, cfg); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(runs)/time.Since(began).Seconds(), "jobs/s")
				b.ReportMetric(float64(time.Since(began).Microseconds())/float64(runs), "µs/job")
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-heap")
			b.ReportMetric(float64(most(b))/(1<<20), "MB-most")
			size := int64(0)
			filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
				if err == nil {
					size += info.Size()
				}
				return nil
			})
			b.ReportMetric(float64(size)/float64(runs), "disk-B/job")
		})
	}
}

// most is the most memory that this process had at a time, in bytes.
func most(b *testing.B) uint64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	var kB uint64
	_, line, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(line, &kB); err != nil {
		b.Fatal(err)
	}
	return kB << 10
}

var _ campaign.Worker = &fake{}
