package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// A Job is a unit of work: one run of a program, or the reduction of one script. All that
// its outcome depends on is in it, by content and by name, besides the machine that does
// it; so any machine may, and none needs to know of the others.
type Job struct {
	// Index is its place in the campaign's sequence.
	Index   int
	Engine  string
	Against []string `json:",omitempty"`
	// Baseline is the engine whose findings are not told; empty for none.
	Baseline string `json:",omitempty"`
	Options  dap.Options
	Limits   gobuild.Limits

	Run    *RunJob       `json:",omitempty"`
	Reduce *ReductionJob `json:",omitempty"`

	// early is who is told of findings of a run that goes on; nil of a job that was sent elsewhere.
	early func(*finding.Finding)
}

// A RunJob is a base session of a program, and what is derived from it.
type RunJob struct {
	Program Content
	Seed    uint64
	// Kind is the remainder of the seeds of its sessions, by which some are of a kind that is rare.
	Kind int
	// Oracles are what to judge by.
	Oracles Oracles
	// Actions, Rewrites and Builds name the transformations to choose from.
	Actions, Rewrites, Builds []string
	// Turns say how often each of Actions was due in the runs before, as far as that matters.
	Turns      []int
	Iterations int
	Generate   gen.Config
	// Sweep is in how many sessions much is asked at once, of a run that is a sweep, and 0 of others. Turn is its turn among those of
	// its kind, for what only some runs have.
	Sweep, Turn int `json:",omitempty"`
}

// Oracles say what sessions are judged by.
type Oracles struct {
	// Protocol says that each session's messages and trace are judged by themselves.
	Protocol bool
	// Reference says that sessions are held against a recorded run.
	Reference bool
	// Baseline says that sessions are held against those of the baseline, if there is one.
	Baseline bool
	// Misuse says that some sessions send requests that come when they should not.
	Misuse bool
}

// recorded reports whether a job's sessions are held against a recorded run.
func (j *Job) recorded() bool { return j.Run.Oracles.Reference && j.Run.Sweep == 0 }

// A ReductionJob makes a script small within a time.
type ReductionJob struct {
	Class   string
	Script  []byte
	Budget  time.Duration
	Workers int
}

// Early tells the campaign of a finding that a run has settled and goes on after. One that has sent the job elsewhere hears of it when
// the run is over.
func (j *Job) Early(f *finding.Finding) {
	if j.early != nil {
		j.early(f)
	}
}

// Key names the job by its content.
func (j *Job) Key() (string, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return "", fmt.Errorf("writing a job: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// A Content is a program as a job carries it: its files. One that is too large to be sent
// along has none, and can only be run where it was read.
type Content struct {
	Name   string
	Files  []gobuild.File
	Target string
	Args   []string `json:",omitempty"`
	Test   bool     `json:",omitempty"`
	// here is the program where it was read.
	here *gobuild.Program
}

// ContentOf reads a program.
func ContentOf(p *gobuild.Program) Content {
	c := Content{Name: p.Name, Args: p.RunArgs, Test: p.Test, here: p}
	if files, target, err := gobuild.Pack(p); err == nil {
		c.Files, c.Target = files, target
	}
	return c
}

// program is the content on this machine.
func (c *Content) program(keeper *proc.Keeper) (*gobuild.Program, error) {
	if c.here != nil {
		return c.here, nil
	}
	if len(c.Files) == 0 {
		return nil, fmt.Errorf("%s is too large to be sent along, and lies on another machine", c.Name)
	}
	dir, err := keeper.TempDir("program")
	if err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", c.Name, err)
	}
	return gobuild.Unpack(dir, c.Name, c.Files, c.Target, c.Args, c.Test)
}

// An Outcome is what came of a job.
type Outcome struct {
	Key   string
	Index int
	// Run is nil if the program is unfit, and of a reduction.
	Run      *Run     `json:",omitempty"`
	Findings []Packed `json:",omitempty"`
	Unfit    *Unfit   `json:",omitempty"`
	// Unjudged says why there is no reference for the program; nil if there is.
	Unjudged  *Unfit     `json:",omitempty"`
	Reduction *Reduction `json:",omitempty"`
}

// Packed is a finding with its script, which is empty if there is none that shows it, as of
// what is no session, or of a program that is too large to go along.
type Packed struct {
	Finding *finding.Finding
	Script  []byte `json:",omitempty"`
}

// A Reduction is what came of making a script small.
type Reduction struct {
	Reduced
	Script []byte `json:",omitempty"` // empty if it failed
}

// A Crowd is a worker that stands for many.
type Crowd interface {
	Worker
	// Capacity is how many jobs are done at a time now.
	Capacity(ctx context.Context) int
}

// A Worker does jobs. It may be asked for several at the same time.
type Worker interface {
	// Check is an error if the job's engine cannot work at all. What is wrong with the
	// program alone is said in the outcome of Do; fit is false then.
	Check(ctx context.Context, j *Job) (fit bool, err error)
	// Do does a job. Where ctx ends it, the outcome has what was found until then, as a run
	// that was cut off.
	Do(ctx context.Context, j *Job) (*Outcome, error)
}
