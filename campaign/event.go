package campaign

import (
	"time"

	"misstep/finding"
	"misstep/oracle/metamorphic"
)

// EventVersion is the version of the stream of events.
const EventVersion = 2

// An Event is something that happened in a campaign. Exactly one of the
// pointers is set, the one that Type names. Durations are in nanoseconds.
type Event struct {
	Version int       `json:"v"`
	Type    string    `json:"type"` // start, preparing, unfit, unjudged, early, run, finding, defect, reducing, reduced, example, summary
	At      time.Time `json:"at"`

	Start     *Start     `json:"start,omitempty"`
	Preparing *Preparing `json:"preparing,omitempty"`
	Unfit     *Unfit     `json:"unfit,omitempty"`
	// Unjudged is a program whose sessions the reference model does not judge.
	Unjudged *Unfit              `json:"unjudged,omitempty"`
	Early    *Found              `json:"early,omitempty"` // of a run that goes on: the same comes as a finding when that is over
	Run      *Run                `json:"run,omitempty"`
	Finding  *Found              `json:"finding,omitempty"`
	Defect   *metamorphic.Defect `json:"defect,omitempty"` // of misstep itself
	Reducing *Reducing           `json:"reducing,omitempty"`
	Reduced  *Reduced            `json:"reduced,omitempty"`
	Example  *Example            `json:"example,omitempty"`
	Summary  *Summary            `json:"summary,omitempty"`
}

// A Handler is told of each event of a campaign, one after another.
type Handler interface {
	Handle(Event) error
	// Flush writes what the handler has kept back.
	Flush() error
}

// Start opens the stream.
type Start struct {
	Engine string `json:"engine"`
	// Against are the engines that it is compared with.
	Against  []string `json:"against,omitempty"`
	Baseline string   `json:"baseline,omitempty"`
	Programs int      `json:"programs"`
	Runs     int      `json:"runs"` // 0 if only time bounds the campaign
	Done     int      `json:"done"` // of an earlier, interrupted campaign
	Seed     uint64   `json:"seed"`
	Workers  int      `json:"workers"`
	Out      string   `json:"out"`
}

// Preparing says what is built before the first run.
type Preparing struct {
	What string `json:"what"`
}

// Reducing says that the runs are over and that the classes' examples are being
// reduced.
type Reducing struct {
	Classes int           `json:"classes"`
	Time    time.Duration `json:"time"` // at most
}

// Reduced is the example of a class that was reduced.
type Reduced struct {
	Class string `json:"class"`
	// Lines and Actions are those of the script's program and its own, before and after.
	Lines   [2]int `json:"lines"`
	Actions [2]int `json:"actions"`
	// Failed says why it was not; empty if it was.
	Failed string `json:"failed,omitempty"`
}

// Unfit is a program that was skipped.
type Unfit struct {
	Program string `json:"program"`
	Reason  string `json:"reason"`
}

// A Run is one run: a base session and what was derived from it.
type Run struct {
	Index   int    `json:"index"`
	Program string `json:"program"`
	Seed    uint64 `json:"seed"`

	Sessions int `json:"sessions"`
	Actions  int `json:"actions"`
	Pauses   int `json:"pauses"`
	Tests    int `json:"tests"` // metamorphic
	Depth    int `json:"depth"` // transformations on top of each other

	Tally    finding.Tally         `json:"tally"`
	Defects  []*metamorphic.Defect `json:"defects,omitempty"` // of misstep itself
	Unstable string                `json:"unstable,omitempty"`
	// Sometimes is what did not come again when its session was carried out once more.
	Sometimes []Sometimes `json:"sometimes,omitempty"`
	// Shared is how often a class was found that the baseline shows as well; no findings.
	Shared map[string]int `json:"shared,omitempty"`
	// Mended is how often the baseline was seen to be wrong where the debugger is not, by class; no findings.
	Mended map[string]int `json:"mended,omitempty"`
	Given  string         `json:"given,omitempty"` // why the run was given up
	// Aside says why no worker could do the run, with what was heard last of those that tried.
	Aside string        `json:"aside,omitempty"`
	Cut   bool          `json:"cut,omitempty"` // the campaign's time ended it
	Took  time.Duration `json:"took"`
}

// Found is a finding of a run.
type Found struct {
	Index int  `json:"index"` // of the run
	New   bool `json:"new"`   // the first of its class, which is not known
	// Known is the entry of the list of known classes that its class falls under, or empty.
	Known string           `json:"known,omitempty"`
	What  *finding.Finding `json:"what"`
}

// light is what was found without what shows it; nil if nothing was.
func (f *Found) light() *Found {
	if f == nil {
		return nil
	}
	light := *f
	light.What = f.What.Light()
	return &light
}
