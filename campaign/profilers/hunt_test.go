package profilers_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"misstep/campaign/profilers"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle/coverage"
	"misstep/profiler"
)

func subject(name, text string) *profiler.Subject {
	return &profiler.Subject{Name: name, Package: ".", Files: []gobuild.File{{Name: "go.mod", Data: []byte("module p\n\ngo 1.25\n")}, {Name: "main.go", Data: []byte("package main\n\n" + text)}}}
}

// config is a small hunt with a broken profiler.
func config(t *testing.T, breaks func(*profiler.Run), only ...string) profilers.Config {
	h := testhouse.New(t)
	return profilers.Config{
		Bench: &profiler.Bench{Keeper: h.Keeper, Cache: h.Cache, BreakRun: breaks}, Recorder: &record.Recorder{Keeper: h.Keeper, Cache: h.Cache},
		Subjects: []*profiler.Subject{subject("small", "func main() { println(1) }\n"), subject("broken", "func main() { undeclared() }\n"), subject("unsteady", "import \"time\"\n\nfunc main() { println(time.Now().UnixNano()) }\n")},
		Only:     only, Seed: 3, Workers: 2, Trials: 5,
	}
}

// TestHunt: what is broken each time is found, in each program that is fit; the same seed makes the same trials.
func TestHunt(t *testing.T) {
	fault := coverage.Faults[slices.IndexFunc(coverage.Faults, func(f coverage.Fault) bool { return f.Name == "statements-off" })]
	var events []profilers.Event
	c := config(t, fault.Run, coverage.Blocks, coverage.Without)
	c.Told = func(e profilers.Event) { events = append(events, e) }
	sum, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Programs != 1 || sum.Unfit != 2 || sum.Cut {
		t.Errorf("%+v", sum)
	}
	class := sum.Classes["C6-blocks/statements"]
	if class == nil || class.Rare || class.Findings < 1 || !slices.Equal(class.Programs, []string{"small"}) {
		t.Errorf("%+v", class)
	}
	var unfit []string
	for _, e := range events {
		if e.Unfit != "" {
			unfit = append(unfit, e.Program+": "+e.Unfit)
		}
	}
	slices.Sort(unfit)
	if len(unfit) != 2 || !strings.HasPrefix(unfit[0], "broken: it is not built without -cover either") || unfit[1] != "unsteady: two runs differ" {
		t.Errorf("%q", unfit)
	}
	// On another machine, to which all is sent as text, it is the same.
	far := config(t, fault.Run, coverage.Blocks, coverage.Without)
	there := &profilers.Machine{Bench: far.Bench, Recorder: far.Recorder}
	var sent atomic.Int64
	far.Do = profilers.Elsewhere(func(ctx context.Context, _ string, data, program []byte) ([]byte, error) {
		sent.Add(1)
		return there.Answer(ctx, data, program)
	})
	var trial any
	far.Told = func(e profilers.Event) {
		if e.New {
			trial = e.Finding.Payload
		}
	}
	got, err := far.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Classes["C6-blocks/statements"]; c == nil || c.Findings != class.Findings || got.Trials != sum.Trials || got.Unfit != 2 || sent.Load() < 3 {
		t.Errorf("elsewhere %+v with %+v, here %+v with %+v; %d parts", got, c, sum, class, sent.Load())
	}
	if trial, ok := trial.(coverage.Trial); !ok || trial.Rule == "" {
		t.Errorf("the finding's trial is %#v", trial)
	}
	again, err := config(t, fault.Run, coverage.Blocks, coverage.Without).Run(context.Background())
	if err != nil || again.Trials != sum.Trials || len(again.Classes) != len(sum.Classes) {
		t.Errorf("%+v, %v; before %+v", again, err, sum)
	}
}

// TestRare: what shows only once is told as such.
func TestRare(t *testing.T) {
	var runs atomic.Int64
	c := config(t, func(r *profiler.Run) {
		if runs.Add(1) == 1 {
			r.Stdout += "once\n"
		}
	}, coverage.Without)
	c.Subjects, c.Trials, c.Workers = c.Subjects[:1], 1, 1
	sum, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if class := sum.Classes["C1-without/stdout"]; class == nil || !class.Rare {
		t.Errorf("%+v", sum.Classes)
	}
}

// TestTime: a hunt ends when its time is up, and when it is interrupted.
func TestTime(t *testing.T) {
	c := config(t, nil)
	c.Subjects, c.Trials, c.Time = c.Subjects[:1], 0, time.Second
	sum, err := c.Run(context.Background())
	if err != nil || !sum.Cut {
		t.Errorf("%+v, %v", sum, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := config(t, nil).Run(ctx); err == nil {
		t.Error("an interrupted hunt has no error")
	}
}
