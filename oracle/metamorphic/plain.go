package metamorphic

import (
	"context"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle"
)

// Plain is the oracle of the relation between a run with and a run without a debugger: the
// program prints and returns the same, unless the user assigned to its variables.
type Plain struct{}

// Judge implements [oracle.Check].
func (Plain) Judge(_ context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	tally := &finding.Tally{}
	last := seen.Last()
	if last == nil || last.Exit == nil || seen.Debuggee.Unsteady != "" || oracle.Assigns(seen.Events) || seen.Mangled() {
		tally.Missed(Debugged)
		return nil, tally, nil
	}
	tally.Add(Debugged, 1)
	truth := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &seen.Debuggee.ExitCode, Stdout: seen.Debuggee.Stdout}}
	got := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: last.Exit.Code, Stdout: last.Exit.Stdout, Earlier: last.Exit.Earlier}}
	if last.Exit.Code == nil {
		truth.Exit.Code = nil // the protocol oracle's business
	}
	d := dap.Diff(truth, got, dap.Lens{})
	if d == nil {
		return nil, tally, nil
	}
	rule, _ := Rules().Lookup(Debugged)
	f := finding.OfSession(rule, seen.Debuggee, seen.Session(len(seen.Events)-1), d, finding.Plainly, finding.Debugger)
	return []*finding.Finding{f}, tally, nil
}
