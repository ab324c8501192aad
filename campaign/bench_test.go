package campaign_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"misstep/campaign"
	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/testhouse"
	"misstep/judge"
	"misstep/oracle"
	"misstep/report"
	"misstep/transform/action"
	"misstep/transform/rewrite"
)

// BenchmarkSession times sessions through dap with the oracles that judge each
// of them, against a bare loop that sends the same messages to the same
// adapter and waits for the same answers, in turn. The metric misstep/bare is
// the median of the ratios of the pairs, as a launch of Delve takes either 0.05
// or 0.25 s by chance.
func BenchmarkSession(b *testing.B) {
	ctx := context.Background()
	h := testhouse.New(b)
	a, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		b.Fatal(err)
	}
	p := h.Find(b, "corpus/bank")[0]
	build, err := h.Cache.Build(ctx, p, h.Engine, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	src, err := (&source.Loader{Keeper: h.Keeper}).Load(ctx, p, h.Engine)
	if err != nil {
		b.Fatal(err)
	}
	actions := gen.DefaultConfig()
	actions.Assign = false
	session := func(seed uint64) (events []dap.Event, wire []dap.Wire) {
		s, out, err := dap.Open(ctx, h.Keeper, a, dap.TargetOf(build), dap.DefaultOptions())
		if err != nil || out != nil {
			b.Fatal(out, err)
		}
		g := gen.NewGenerator(seed, actions, src)
		do := func(a dap.Action) {
			out, err := s.Do(ctx, a)
			if err != nil {
				b.Fatal(err)
			}
			events = append(events, dap.Event{Action: a, Output: out})
		}
		for {
			a, ok := g.Next(s)
			if !ok {
				break
			}
			do(a)
		}
		do(dap.Action{Kind: dap.Finish})
		s.Close()
		wire = s.Wire()
		if _, _, err := (&judge.Judgement{Protocol: true}).Of(ctx, oracle.SeenOf(nil, s, events, nil)); err != nil {
			b.Fatal(err)
		}
		return events, wire
	}
	var ours time.Duration
	var ratios []float64
	n := 0
	seed := uint64(0)
	for b.Loop() {
		seed++
		start := time.Now()
		events, wire := session(seed)
		took := time.Since(start)
		if hasRestart(events) {
			continue // its time is Delve's waiting for the old program
		}
		start = time.Now()
		bareLoop(b, a, wire, p.RunDir())
		ratios = append(ratios, float64(took)/float64(time.Since(start)))
		ours += took
		n += len(events)
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "misstep/bare")
	b.ReportMetric(float64(n)/ours.Seconds(), "actions/s")
}

func hasRestart(events []dap.Event) bool {
	for _, e := range events {
		if e.Action.Kind == dap.Restart {
			return true
		}
	}
	return false
}

// bareLoop says to a new adapter what was said to another, in the same order
// of sending and receiving.
func bareLoop(b *testing.B, a *dap.Adapter, wire []dap.Wire, dir string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command(a.Path, strings.Fields(strings.Replace(strings.Join(a.Command[1:], " "), "{addr}", l.Addr().String(), 1))...)
	cmd.Env = append(os.Environ(), a.Env...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(20 * time.Second))
	r := bufio.NewReader(c)
	// What the program prints comes in pieces of any size.
	isOutput := func(raw []byte) bool { return bytes.Contains(raw, []byte(`"event":"output"`)) }
	for _, w := range wire {
		switch {
		case w.Sent:
			err = godap.WriteBaseMessage(c, w.Raw)
		case !isOutput(w.Raw):
			var raw []byte
			for {
				if raw, err = godap.ReadBaseMessage(r); err != nil || !isOutput(raw) {
					break
				}
			}
		}
		if err != nil {
			break // the adapter may have hung up a message earlier
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b.Fatal("the bare loop waits for a message that the session got")
	}
	c.Close()
	cmd.Wait()
}

// BenchmarkHunt reports what a hunt over the shipped programs reaches on all
// cores: sessions, actions whose outputs are judged, and metamorphic tests a
// second.
func BenchmarkHunt(b *testing.B) {
	h := testhouse.New(b)
	programs := h.Find(b, "corpus")
	var sum campaign.Summary
	var took time.Duration
	seed := uint64(0)
	for b.Loop() {
		seed++
		cfg := &campaign.Config{
			Engine: h.Engine, Programs: programs, Patterns: []string{"corpus"}, Seed: seed, Runs: 45,
			Workers: 2 * runtime.NumCPU(), Out: b.TempDir(), Actions: action.All,
			Iterations: 8, Oracles: campaign.Oracles{Misuse: true, Protocol: true}, Generate: gen.DefaultConfig(), Options: dap.DefaultOptions(), Limits: gobuild.DefaultLimits,
		}
		s := hunt(b, h, cfg)
		sum.Sessions += s.Sessions
		sum.Actions += s.Actions
		sum.Tests += s.Tests
		took += s.Took
	}
	b.ReportMetric(float64(sum.Sessions)/took.Seconds(), "sessions/s")
	b.ReportMetric(float64(sum.Actions)/took.Seconds(), "actions/s")
	b.ReportMetric(float64(sum.Tests)/took.Seconds(), "tests/s")
}

// hunt carries a campaign out that tells nobody.
func hunt(b *testing.B, h *testhouse.House, cfg *campaign.Config) *campaign.Summary {
	b.Helper()
	ctx := context.Background()
	store, err := campaign.OpenStore(ctx, cfg.Out)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	sum, err := campaign.Hunt(ctx, cfg, campaign.NewMachine(h.Keeper, h.Cache), store, "", report.Tee())
	if err != nil {
		b.Fatal(err)
	}
	return sum
}

// BenchmarkPrograms runs the same campaign with transformations of programs and
// without, in turn. The metric with/without is the ratio of their rates of
// checked pairs of traces; variants/s is how many rewritten programs are built
// and run a second by as many workers as there are processors.
func BenchmarkPrograms(b *testing.B) {
	h := testhouse.New(b)
	programs := h.Find(b, "corpus")
	rate := func(seed uint64, rewrites []rewrite.Rewrite) float64 {
		cfg := &campaign.Config{
			Engine: h.Engine, Programs: programs, Patterns: []string{"corpus"}, Seed: seed, Runs: 45,
			Workers: 2 * runtime.NumCPU(), Out: b.TempDir(), Actions: action.All, Rewrites: rewrites,
			Iterations: 8, Oracles: campaign.Oracles{Protocol: true}, Generate: gen.DefaultConfig(), Options: dap.DefaultOptions(), Limits: gobuild.DefaultLimits,
		}
		s := hunt(b, h, cfg)
		return float64(s.Tests) / s.Took.Seconds()
	}
	var ratios []float64
	var variants float64
	var took time.Duration
	seed := uint64(0)
	for b.Loop() {
		seed++
		without := rate(seed, nil)
		ratios = append(ratios, rate(seed, rewrite.All)/without)
		start := time.Now()
		variants += float64(makeVariants(b, h, programs, seed))
		took += time.Since(start)
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "with/without")
	b.ReportMetric(variants/took.Seconds(), "variants/s")
}

// makeVariants rewrites, builds and runs each program once, and returns how many
// could be rewritten.
func makeVariants(b *testing.B, h *testhouse.House, programs []*gobuild.Program, seed uint64) int64 {
	ctx := context.Background()
	var made atomic.Int64
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(programs) {
					return
				}
				src, err := h.Loader.Load(ctx, programs[i], h.Engine)
				if err != nil {
					b.Error(err)
					return
				}
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				rw := rewrite.All[r.IntN(len(rewrite.All))]
				s := rewrite.Of(src, nil)
				p, n := rw.Choose(s, r)
				if n == 0 {
					continue
				}
				v, err := rw.Make(s, p)
				if err != nil {
					b.Error(err)
					return
				}
				dir, err := h.Keeper.TempDir("variant")
				if err != nil {
					b.Error(err)
					return
				}
				build, err := h.Cache.Build(ctx, v.Program, h.Engine, dir)
				if err == nil {
					_, err = h.Cache.Plain(ctx, build, gobuild.DefaultLimits)
				}
				if err != nil {
					b.Error(err)
				}
				os.RemoveAll(dir)
				made.Add(1)
			}
		})
	}
	wg.Wait()
	return made.Load()
}
