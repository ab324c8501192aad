package protocol

import (
	"encoding/json"
	"slices"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/finding"
)

// demanded judges the answer to a misuse by what any adapter has to answer, see [dap.Demand]. What is not offered need not be known.
func (c *checker) demanded(misuse string, args json.RawMessage, m godap.ResponseMessage) {
	demand := dap.Demanded(misuse)
	if demand == "" {
		return
	}
	granted := m.GetResponse().Success
	on := c.on
	c.on += "/" + misuse
	defer func() { c.on = on }()
	switch demand {
	case dap.MustRefuse:
		c.check("nonsense", !granted, "%s is granted: %s", on, args)
	case dap.MustNotSet:
		list, _ := dap.AnsweredBreakpoints(m)
		set := slices.IndexFunc(list, func(b godap.Breakpoint) bool { return b.Verified })
		c.check("nonsense", !granted || set < 0, "breakpoint %d of %s is verified", set, args)
	case dap.MustNotWatch:
		info, ok := m.(*godap.DataBreakpointInfoResponse)
		c.check("nonsense", !granted || !ok || info.Body.DataId == nil, "there is an identifier for %s", args)
	}
}

// unexplained are the breakpoints that are not set, and not said why.
func unexplained(wire []dap.Wire, tally *finding.Tally) (found []Violation) {
	for i := range wire {
		m, ok := wire[i].Msg.(godap.ResponseMessage)
		if !ok || !m.GetResponse().Success {
			continue
		}
		list, _ := dap.AnsweredBreakpoints(m)
		for _, b := range list {
			if b.Verified {
				continue
			}
			tally.Add(Oracle+"/unverified-why", 1)
			if b.Message == "" {
				found = append(found, Violation{"unverified-why", m.GetResponse().Command, "a breakpoint is not verified, and nothing says why", i})
			}
		}
	}
	return found
}
