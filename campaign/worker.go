package campaign

import (
	"fmt"
	"sync"
	"time"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/oracle/reference"
	"misstep/transform"
	"misstep/transform/action"
	"misstep/transform/build"
	"misstep/transform/rewrite"
)

// worker carries out one run.
type worker struct {
	m        *Machine
	job      *Job
	p        *program
	engines  []gobuild.Engine // the one under test first
	adapters []*dap.Adapter
	actions  []transform.Transformation
	turns    []int // how often each of them was due before
	rewrites []rewrite.Rewrite
	builds   []build.Build

	run   *Run
	found []*finding.Finding
	// settled are those of them that were tried again, and are told; told is of how many the campaign knows already, and anew is the
	// model that is recorded for trying again.
	settled []*finding.Finding
	told    int
	anew    *reference.Model
	// repeated are findings that their session showed each time that it was carried out once more, and apart is how often it
	// did not show them with the baseline, with which it went the same way.
	repeated map[*finding.Finding]bool
	apart    map[*finding.Finding]int
	// last says that what there is no time for now is held back.
	last   bool
	seen   map[string]int // how many of each class, and of each key, this run has
	failed error          // what the recorder of the reference failed with
	// slowest is how long the longest session took that was not transformed.
	slowest time.Duration
	mu      sync.Mutex // of what sessions that are opened at the same time count
}

// later is the first run with transformations for which the go command compiles more than the program, unless there is no other of
// their kind. A short hunt with a toolchain that is new on the machine would do little else.
const later = 4

func newWorker(m *Machine, j *Job, p *program, engines []gobuild.Engine, adapters []*dap.Adapter) (*worker, error) {
	w := &worker{
		m: m, job: j, p: p, turns: j.Run.Turns, engines: engines, adapters: adapters,
		run: &Run{Index: j.Index, Program: p.name, Seed: j.Run.Seed}, seen: map[string]int{},
		repeated: map[*finding.Finding]bool{}, apart: map[*finding.Finding]int{},
	}
	for _, name := range j.Run.Actions {
		t, err := action.Lookup(name)
		if err != nil {
			return nil, err
		}
		w.actions = append(w.actions, t)
	}
	for _, name := range j.Run.Rewrites {
		t, ok := rewrite.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("unknown transformation of programs %q", name)
		}
		if !t.NeedsRun || j.Index >= later || len(j.Run.Rewrites) == 1 { // counters want a tool that is not there yet
			w.rewrites = append(w.rewrites, t)
		}
	}
	for _, name := range j.Run.Builds {
		t, ok := build.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("unknown transformation of builds %q", name)
		}
		if t.Renames && !adapters[0].Substitutes() { // the adapter cannot follow
			continue
		}
		if !t.Later || j.Index >= later || len(j.Run.Builds) == 1 {
			w.builds = append(w.builds, t)
		}
	}
	return w, nil
}
