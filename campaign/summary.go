package campaign

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"misstep/finding"
	"misstep/oracle/protocol"
	"misstep/oracle/reference"
	"misstep/oracle/trace"
)

// A Summary closes the stream. Its counts are of the whole campaign, all
// earlier parts included; Took and the rates are of this part.
type Summary struct {
	Programs int           `json:"programs"` // that were used
	Unfit    int           `json:"unfit"`
	Runs     int           `json:"runs"`
	Cut      int           `json:"cut"` // further runs that the campaign's time ended
	Sessions int           `json:"sessions"`
	Actions  int           `json:"actions"`
	Pauses   int           `json:"pauses"`
	Tests    int           `json:"tests"`
	Depths   map[int]int   `json:"depths"` // runs by depth
	Needed   map[int]int   `json:"needed"` // findings by the number of transformations that they needed
	Defects  int           `json:"defects"`
	Given    int           `json:"given"`
	Unstable int           `json:"unstable"`
	Tally    finding.Tally `json:"tally"`
	// Unchecked are rules of the oracles that were asked for which nothing was held against.
	Unchecked []string `json:"unchecked,omitempty"`
	// Sometimes is what did not come again when it was tried once more, or was not tried, by class; no findings.
	Sometimes []Sometimes `json:"sometimes,omitempty"`
	// Aside are runs that no worker could do, with what was heard last of those that tried.
	Aside []Unfit `json:"aside,omitempty"`
	// Shared is how often a class was found that the baseline shows as well; no findings.
	Shared map[string]int `json:"shared,omitempty"`
	// Mended is how often the baseline was seen to be wrong where the debugger is not, by class; no findings.
	Mended   map[string]int `json:"mended,omitempty"`
	Causes   []Cause        `json:"causes"`
	Took     time.Duration  `json:"took"`
	Rates    Rates          `json:"rates"` // per second
	Complete bool           `json:"complete"`
}

// unchecked are the rules of oracles that a tally has no check of. How transformations came out is
// told by their counts.
func unchecked(rules finding.Registry, o Oracles, t *finding.Tally) []string {
	asked := map[string]bool{protocol.Oracle: o.Protocol, trace.Oracle: o.Protocol, reference.Oracle: o.Reference}
	var out []string
	for _, r := range rules {
		if name := r.Counted(); asked[r.Oracle] && t.Made[name] == 0 {
			out = append(out, name)
		}
	}
	return out
}

// A Cause is what classes have in common that the same evidence explains.
type Cause struct {
	Count   int          `json:"count"`
	Classes []ClassCount `json:"classes"`
}

// Known reports whether all of its classes are known.
func (c *Cause) Known() bool {
	return !slices.ContainsFunc(c.Classes, func(c ClassCount) bool { return c.Known == "" })
}

// A ClassCount is a class of findings.
type ClassCount struct {
	Class  string `json:"class"`
	Count  int    `json:"count"`
	Reason string `json:"reason"` // of the example, the one with the shortest script
	Script string `json:"script"` // its file; one that shows no session is JSON
	// Severity is the worst of its findings.
	Severity finding.Severity `json:"severity"`
	// Evidence says where to look for the cause.
	Evidence *finding.Evidence `json:"evidence,omitempty"`
	// Known is the entry of the list of known classes that it falls under, or empty.
	Known string `json:"known,omitempty"`
	// Reduced is nil if the example was not reduced.
	Reduced *Reduced `json:"reduced,omitempty"`
}

// Rates are per second of this part of the campaign.
type Rates struct {
	Sessions float64 `json:"sessions"`
	Actions  float64 `json:"actions"`
	Tests    float64 `json:"tests"`
}

// Classes are those of all causes.
func (s *Summary) Classes() []ClassCount {
	var all []ClassCount
	for _, c := range s.Causes {
		all = append(all, c.Classes...)
	}
	return all
}

// New reports whether there is a finding that is not known.
func (s *Summary) New() bool {
	return slices.ContainsFunc(s.Causes, func(c Cause) bool { return !c.Known() })
}

// An example is a finding that stands for its class, or a further one.
type example struct {
	class  string
	rank   int // among those of its class, from 1 on, the shortest script first
	packed *Packed
}

// collected is what the outcomes of a campaign come to.
type collected struct {
	sum      Summary
	unfit    map[string]string
	done     map[string]bool // keys of jobs
	classes  map[string][]*Packed
	symptoms []finding.Symptom
	reduced  map[string]*Reduction // by class
}

// collect adds all outcomes up.
func collect(ctx context.Context, s Store, rules finding.Registry) (*collected, error) {
	c := &collected{
		sum:   Summary{Depths: map[int]int{}, Needed: map[int]int{}},
		unfit: map[string]string{}, done: map[string]bool{}, classes: map[string][]*Packed{}, reduced: map[string]*Reduction{},
	}
	programs := map[string]bool{}
	for o, err := range s.Outcomes(ctx) {
		if err != nil {
			return nil, err
		}
		c.add(o, rules, programs)
	}
	c.sum.Programs, c.sum.Unfit = len(programs), len(c.unfit)
	return c, nil
}

func (c *collected) add(o *Outcome, rules finding.Registry, programs map[string]bool) {
	c.done[o.Key] = o.Run == nil || !o.Run.Cut
	switch {
	case o.Unfit != nil:
		c.unfit[o.Unfit.Program] = o.Unfit.Reason
	case o.Reduction != nil:
		c.reduced[o.Reduction.Class] = o.Reduction
	}
	if r := o.Run; r != nil {
		programs[r.Program] = true
		c.sum.add(r)
	}
	for i := range o.Findings {
		p := &o.Findings[i]
		f := p.Finding
		class := f.Class.String()
		c.classes[class] = append(c.classes[class], p)
		if f.Iteration > 0 {
			c.sum.Needed[f.Iteration]++
		}
		rule, _ := rules.Lookup(f.Rule)
		c.symptoms = append(c.symptoms, finding.Symptom{Class: f.Class, Program: f.Program, Evidence: f.Evidence, Whole: rule.Whole})
	}
}

func (s *Summary) add(r *Run) {
	if r.Aside != "" {
		s.Aside = append(s.Aside, Unfit{r.Program, r.Aside})
		return
	}
	if r.Cut {
		s.Cut++
	} else {
		s.Runs++
		s.Depths[r.Depth]++
	}
	s.Sessions += r.Sessions
	s.Actions += r.Actions
	s.Pauses += r.Pauses
	s.Tests += r.Tests
	s.Defects += len(r.Defects)
	if r.Unstable != "" && !r.Cut {
		s.Unstable++
	}
	if r.Given != "" && !r.Cut {
		s.Given++
	}
	s.Tally.Merge(&r.Tally)
	sumUp(&s.Shared, r.Shared)
	sumUp(&s.Mended, r.Mended)
	for _, x := range r.Sometimes {
		i := slices.IndexFunc(s.Sometimes, func(y Sometimes) bool { return x.Class == y.Class })
		if i < 0 {
			s.Sometimes = append(s.Sometimes, x)
			continue
		}
		s.Sometimes[i].Shown += x.Shown
		s.Sometimes[i].Of += x.Of
		s.Sometimes[i].Untried += x.Untried
	}
}

// sumUp adds counts by class.
func sumUp(all *map[string]int, more map[string]int) {
	for class, n := range more {
		if *all == nil {
			*all = map[string]int{}
		}
		(*all)[class] += n
	}
}

// examples lists the classes, each with its example, and up to a sample of so many
// further ones from all classes in turn (DBDB: Lehmann and Pradel, section 3.4).
func (c *collected) examples(sample int) []example {
	var all []example
	for class, list := range c.classes {
		slices.SortStableFunc(list, func(a, b *Packed) int { return cmp.Compare(len(a.Script), len(b.Script)) })
		for i, p := range list {
			all = append(all, example{class, i + 1, p})
		}
	}
	slices.SortFunc(all, func(a, b example) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.class, b.class)) })
	left := sample
	all = slices.DeleteFunc(all, func(e example) bool {
		left--
		return e.rank > 1 && left < 0
	})
	slices.SortStableFunc(all, func(a, b example) int { return cmp.Compare(a.class, b.class) })
	return all
}

// causes groups the classes.
func (c *collected) causes(of func(class string) ClassCount) []Cause {
	var list []Cause
	for _, group := range finding.Causes(c.symptoms) {
		var cause Cause
		for _, class := range group {
			count := of(class)
			cause.Count += count.Count
			cause.Classes = append(cause.Classes, count)
		}
		list = append(list, cause)
	}
	return list
}

// names of all classes.
func (c *collected) names() []string { return slices.Sorted(maps.Keys(c.classes)) }
