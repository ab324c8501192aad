package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"misstep/campaign"
	"misstep/finding"
	"misstep/judge"
	"misstep/script"
	"misstep/triage/issue"
)

// A Campaign is all that a stream of events has told, for forms that need the whole of it.
type Campaign struct {
	// Dir is the folder that the campaign was read from; empty of a stream.
	Dir   string
	Start campaign.Start // the last one: an interrupted campaign has one for each part
	Began time.Time
	Last  time.Time // the event that came last
	// Summary is nil of a campaign that goes on, or that was killed.
	Summary *campaign.Summary
	// Runs, Sessions and Actions are what was told of.
	Runs, Sessions, Actions int
	// Causes hold the classes, those that are not known first.
	Causes   []Cause
	Unfit    []campaign.Unfit
	Unjudged []campaign.Unfit
	// Rules are those of all oracles.
	Rules finding.Registry

	classes map[string]*Class
	events  int
	parts   int         // how often it was begun or gone on with
	told    map[int]int // of which run there are findings, and in which part they were told
}

// A Cause is classes that one cause explains.
type Cause struct {
	Count   int
	Classes []*Class
}

// Known reports whether all of its classes are known.
func (c *Cause) Known() bool {
	return !slices.ContainsFunc(c.Classes, func(c *Class) bool { return c.Known == "" })
}

// A Class is a class of findings with its example.
type Class struct {
	campaign.ClassCount
	// Rule is the one that is broken; where misstep has no such rule any more, one of its name.
	Rule finding.Rule
	// First is when it was found first.
	First time.Time
	// Example has the class's script and steps when the campaign has ended, and before that the first finding
	// alone. It is nil of a class of which nothing but its count was told.
	Example *campaign.Example
	// Script is nil where no session shows the class, or the campaign has not ended.
	Script *script.Script
	// Study is what was found out of the example; nil if nothing was.
	Study *issue.Study
	// Findings are those that were told of, in their order. They may be fewer than Count: a campaign that went on
	// after an interruption tells of those of its last part.
	Findings []Found
}

// A Found is a finding of a class, as far as lists show it.
type Found struct {
	Program string
	Seed    uint64
	Place   finding.Place
	Run     int
}

// Says is the class's reason without the sentence of its rule: what there is instead of what must hold.
func (c *Class) Says() string {
	if text, ok := strings.CutPrefix(c.Reason, c.Rule.Sentence+" But "); ok {
		return text
	}
	return c.Reason
}

// Finding is the class's example, or the first one that was found.
func (c *Class) Finding() *finding.Finding {
	if c.Example != nil {
		return c.Example.Finding
	}
	return &finding.Finding{}
}

// Whole is a handler that hands the campaign on when the stream ends. Of a stream without events, as that of a
// campaign that could not begin, nothing is made. Dir is the folder that it is read from; empty of a stream.
func Whole(dir string, render func(*Campaign) error) campaign.Handler {
	return &whole{c: &Campaign{Dir: dir, classes: map[string]*Class{}, told: map[int]int{}, Rules: judge.Rules()}, render: render}
}

type whole struct {
	c      *Campaign
	render func(*Campaign) error
}

func (w *whole) Flush() error {
	if w.c.events == 0 {
		return nil
	}
	w.c.settle()
	for _, x := range w.c.Classes() {
		if err := w.c.readStudy(x); err != nil {
			return err
		}
	}
	return w.render(w.c)
}

func (w *whole) Handle(e campaign.Event) error {
	c := w.c
	if c.Began.IsZero() {
		c.Began = e.At
	}
	c.Last = e.At
	c.events++
	switch {
	case e.Start != nil:
		c.Start, c.Summary = *e.Start, nil
		c.parts++
	case e.Unfit != nil:
		c.Unfit = appendOnce(c.Unfit, *e.Unfit)
	case e.Unjudged != nil:
		c.Unjudged = appendOnce(c.Unjudged, *e.Unjudged)
	case e.Run != nil:
		c.Runs++
		c.Sessions += e.Run.Sessions
		c.Actions += e.Run.Actions
	case e.Finding != nil:
		c.found(e.At, e.Finding)
	case e.Example != nil:
		c.example(e.Example)
	case e.Summary != nil:
		c.Summary = e.Summary
	}
	return nil
}

// appendOnce adds a program to a list that it is not in.
func appendOnce(list []campaign.Unfit, u campaign.Unfit) []campaign.Unfit {
	if slices.ContainsFunc(list, func(x campaign.Unfit) bool { return x.Program == u.Program }) {
		return list
	}
	return append(list, u)
}

func (c *Campaign) class(name string) *Class {
	if c.classes[name] == nil {
		c.classes[name] = &Class{ClassCount: campaign.ClassCount{Class: name}}
	}
	return c.classes[name]
}

// found counts a finding. What a summary says stands in the place of what is counted here.
func (c *Campaign) found(at time.Time, f *campaign.Found) {
	if part, ok := c.told[f.Index]; ok && part != c.parts {
		c.forget(f.Index) // an interruption cut it off, and now all of it is told
	}
	c.told[f.Index] = c.parts
	x := c.class(f.What.Class.String())
	if x.Count == 0 {
		x.First, x.Reason, x.Severity, x.Evidence, x.Known = at, f.What.Reason, f.What.Severity, f.What.Evidence, f.Known
		x.Rule = c.rule(f.What)
	}
	if x.Example == nil {
		x.Example = &campaign.Example{Class: x.Class, Finding: f.What.Light()}
	}
	x.Count++
	x.Findings = append(x.Findings, Found{f.What.Program, f.What.Seed, f.What.Place, f.Index})
}

// forget takes back what was told of a run.
func (c *Campaign) forget(run int) {
	for _, x := range c.classes {
		before := len(x.Findings)
		x.Findings = slices.DeleteFunc(x.Findings, func(f Found) bool { return f.Run == run })
		x.Count -= before - len(x.Findings)
	}
}

// rule is the one that a finding says is broken.
func (c *Campaign) rule(f *finding.Finding) finding.Rule {
	if r, ok := c.Rules.Lookup(f.Rule); ok {
		return r
	}
	return finding.Rule{ID: f.Rule, Oracle: f.Oracle, Sentence: "A rule of another version of misstep."}
}

// example takes over a class's example.
func (c *Campaign) example(e *campaign.Example) {
	x := c.class(e.Class)
	x.Example, x.Rule = e, c.rule(e.Finding)
	if e.Script == "" {
		return
	}
	if s, err := script.Parse([]byte(e.Script), e.File); err == nil {
		x.Script = s
	}
}

// settle puts the classes into causes: the summary's, or one for each class.
func (c *Campaign) settle() {
	if s := c.Summary; s != nil {
		for _, cause := range s.Causes {
			var list []*Class
			for _, count := range cause.Classes {
				x := c.class(count.Class)
				x.ClassCount = count
				list = append(list, x)
			}
			c.Causes = append(c.Causes, Cause{cause.Count, list})
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(c.classes)) {
			c.Causes = append(c.Causes, Cause{c.classes[name].Count, []*Class{c.classes[name]}})
		}
	}
	slices.SortStableFunc(c.Causes, func(a, b Cause) int {
		known := func(c *Cause) int {
			if c.Known() {
				return 1
			}
			return 0
		}
		return cmp.Compare(known(&a), known(&b))
	})
}

// Findings counts those of all classes.
func (c *Campaign) Findings() int {
	n := 0
	for i := range c.Causes {
		n += c.Causes[i].Count
	}
	return n
}

// Classes are those of all causes, in their order.
func (c *Campaign) Classes() []*Class {
	var all []*Class
	for _, cause := range c.Causes {
		all = append(all, cause.Classes...)
	}
	return all
}

// New are the classes that are not known.
func (c *Campaign) New() []*Class {
	return slices.DeleteFunc(c.Classes(), func(x *Class) bool { return x.Known != "" })
}

// NewCauses counts the causes that are not known.
func (c *Campaign) NewCauses() int {
	n := 0
	for i := range c.Causes {
		if !c.Causes[i].Known() {
			n++
		}
	}
	return n
}
