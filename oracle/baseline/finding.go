package baseline

import (
	"maps"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/transform"
)

// Finding is a difference as one of a session of a debuggee with the debugger under test; by names that and its baseline.
func (d *Difference) Finding(on *debuggee.Debuggee, s *finding.Session, tested, baseline string) *finding.Finding {
	f := finding.OfSaid(Rules[0], on, s, d.On,
		&dap.Difference{Kind: dap.DiffMessage, What: strings.TrimSpace(d.On + " " + d.Place), A: d.Baseline, B: d.Tested}, baseline, tested)
	f.Against = []string{baseline}
	return f
}

// transformation is the parameter of a finding, and of its command in a script, that names the transformation whose follow-up differs.
const transformation = "transformation"

// Transformed are the parameters of a finding that is about the follow-up of a transformation.
func Transformed(name string, p transform.Params) transform.Params {
	with := transform.Params{transformation: name}
	maps.Copy(with, p)
	return with
}

// Transformation is the reverse: which transformation it is about, and with which parameters; an empty name for none.
func Transformation(p transform.Params) (name string, params transform.Params) {
	params = maps.Clone(p)
	delete(params, transformation)
	return p[transformation], params
}
