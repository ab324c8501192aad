// Package judge brings the oracles together: the registry of all rules, and one judgement
// of a session, which hunts and scripts share.
//
// A session is judged by what was [oracle.Seen] of it. A new oracle is an entry in
// [Rules], and in checks if it judges sessions.
package judge

import (
	"context"
	"slices"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle"
	"misstep/oracle/baseline"
	"misstep/oracle/coverage"
	"misstep/oracle/differential"
	"misstep/oracle/metamorphic"
	"misstep/oracle/protocol"
	"misstep/oracle/reference"
	"misstep/oracle/trace"
)

// Rules are those of all oracles.
func Rules() finding.Registry {
	return slices.Concat(protocol.Rules, trace.Rules, reference.Rules, differential.Rules, baseline.Rules, metamorphic.Rules(), coverage.Rules)
}

// Once reports whether one session is enough for a finding to be believed. An adapter that died is gone, while one that is silent may only be slow.
func Once(f *finding.Finding) bool {
	rule, ok := Rules().Lookup(f.Rule)
	if base := f.Session().Base; f.Oracle == protocol.Oracle && f.Rule == "alive" && len(base) > 0 && base[len(base)-1].Output.Kind == dap.Death {
		return true
	}
	return ok && rule.Once
}

// A Judgement says by what a session is judged.
type Judgement struct {
	// Protocol says that the messages and the trace are judged by themselves.
	Protocol bool
	// Plain says that the end is held against that of the program without a debugger, as
	// relation "debugged" where no recorded run says so anyway.
	Plain bool
	// Reference says that the end is held against the program's own, as rule R8.
	Reference bool
	// Model is a recorded run of the session's program; nil where there is none.
	Model *reference.Model
}

// checks are the oracles that judge a session, in order.
func (j *Judgement) checks() []oracle.Check {
	var list []oracle.Check
	if j.Reference {
		list = append(list, reference.Ends{})
	}
	if j.Model != nil {
		list = append(list, j.Model)
	}
	if j.Protocol {
		list = append(list, trace.Check{}, protocol.Check{})
	}
	if j.Plain && !j.Reference {
		list = append(list, metamorphic.Plain{})
	}
	return list
}

// Of judges a session by all of them. The error is of a check that could not be made; what
// others found is returned with it.
func (j *Judgement) Of(ctx context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	var found []*finding.Finding
	tally := &finding.Tally{}
	var failed error
	for _, check := range j.checks() {
		more, counts, err := check.Judge(ctx, seen)
		if err != nil && failed == nil {
			failed = err
			continue
		}
		found = append(found, more...)
		tally.Merge(counts)
	}
	beside(found)
	return found, tally, failed
}

// beside tells findings which others of their rule the session has.
func beside(found []*finding.Finding) {
	for _, f := range found {
		of, ok := f.Payload.(*finding.Session)
		if !ok {
			continue
		}
		for _, g := range found {
			at, ok := g.Payload.(*finding.Session)
			if ok && g.Rule == f.Rule && g.Class != f.Class && at.Index != of.Index && !slices.Contains(of.Beside, at.Index) {
				of.Beside = append(of.Beside, at.Index)
			}
		}
	}
}
