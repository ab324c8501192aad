package campaign

import (
	"time"

	"misstep/oracle"
)

// EventVersion is the version of the stream of events.
const EventVersion = 1

// An Event is something that happened in a campaign. Exactly one of the
// pointers is set, the one that Type names.
type Event struct {
	Version int       `json:"v"`
	Type    string    `json:"type"` // start, unfit, unjudged, run, finding, defect, reducing, summary
	At      time.Time `json:"at"`

	Start *Start `json:"start,omitempty"`
	Unfit *Unfit `json:"unfit,omitempty"`
	// Unjudged is a program whose sessions the reference model does not judge.
	Unjudged *Unfit         `json:"unjudged,omitempty"`
	Run      *Run           `json:"run,omitempty"`
	Finding  *Found         `json:"finding,omitempty"`
	Defect   *oracle.Defect `json:"defect,omitempty"`
	Summary  *Summary       `json:"summary,omitempty"`
	Reducing *Reducing      `json:"reducing,omitempty"`
}

// Start opens the stream.
type Start struct {
	Engine string `json:"engine"`
	// Against are the engines that it is compared with.
	Against  []string `json:"against,omitempty"`
	Programs int      `json:"programs"`
	Runs     int      `json:"runs"` // 0 if only time bounds the campaign
	Done     int      `json:"done"` // of an earlier, interrupted campaign
	Seed     uint64   `json:"seed"`
	Workers  int      `json:"workers"`
	Out      string   `json:"out"`
}

// Reducing says that the runs are over and that the classes' examples are being
// reduced.
type Reducing struct {
	Classes int           `json:"classes"`
	Time    time.Duration `json:"time"` // at most
}

// Unfit is a program that was skipped.
type Unfit struct {
	Program string `json:"program"`
	Reason  string `json:"reason"`
}

// A Run is one finished run: a base session and what was derived from it.
type Run struct {
	Index   int    `json:"index"`
	Program string `json:"program"`
	Seed    uint64 `json:"seed"`

	Sessions int `json:"sessions"`
	Actions  int `json:"actions"`
	Pauses   int `json:"pauses"`
	Tests    int `json:"tests"` // metamorphic
	Depth    int `json:"depth"` // transformations on top of each other

	Tally    oracle.Tally     `json:"tally"`
	Defects  []*oracle.Defect `json:"defects,omitempty"` // of misstep itself
	Unstable string           `json:"unstable,omitempty"`
	Given    string           `json:"given,omitempty"` // why the run was given up
	Took     time.Duration    `json:"took"`
}

// Found is a finding of a run.
type Found struct {
	Index int             `json:"index"` // of the run
	New   bool            `json:"new"`   // the first of its class
	What  *oracle.Finding `json:"what"`
}

// A Summary closes the stream. Its counts are of the whole campaign, all
// earlier parts included; Took and the rates are of this part.
type Summary struct {
	Programs int           `json:"programs"` // that were used
	Unfit    int           `json:"unfit"`
	Runs     int           `json:"runs"`
	Sessions int           `json:"sessions"`
	Actions  int           `json:"actions"`
	Pauses   int           `json:"pauses"`
	Tests    int           `json:"tests"`
	Depths   map[int]int   `json:"depths"` // runs by depth
	Needed   map[int]int   `json:"needed"` // findings by the number of transformations that they needed
	Defects  int           `json:"defects"`
	Given    int           `json:"given"`
	Unstable int           `json:"unstable"`
	Tally    oracle.Tally  `json:"tally"`
	Classes  []ClassCount  `json:"classes"`
	Took     time.Duration `json:"took"`
	Rates    Rates         `json:"rates"`
	Complete bool          `json:"complete"`
}

// A ClassCount is a class of findings.
type ClassCount struct {
	Class  string `json:"class"`
	Count  int    `json:"count"`
	Reason string `json:"reason"` // of the example, the one with the shortest script
	Script string `json:"script"`
	// Evidence says where to look for the cause.
	Evidence *oracle.Evidence `json:"evidence,omitempty"`
	// Lines and Actions are those of the script's program and its own, before and after
	// it was reduced; zero if it was not.
	Lines   [2]int `json:"lines"`
	Actions [2]int `json:"actions"`
	// Known is the entry of the list of known classes that it falls under, or empty.
	Known string `json:"known,omitempty"`
}

// Rates are per second of this part of the campaign.
type Rates struct {
	Sessions float64 `json:"sessions"`
	Actions  float64 `json:"actions"`
	Tests    float64 `json:"tests"`
}
