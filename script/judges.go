package script

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/judge"
	"misstep/oracle/metamorphic"
	"misstep/oracle/protocol"
	"misstep/oracle/reference"
	"misstep/oracle/trace"
	"misstep/transform/action"
)

// judged judges the session so far and keeps what is wrong by an oracle's rules, or by those of them
// that the command names or does not leave out.
func (r *run) judged(j judge.Judgement, rules finding.Registry, c *Command) ([]*finding.Finding, error) {
	rule := c.first()
	out := c.LeftOut()
	for _, name := range append(slices.Clone(out), rule) {
		if _, ok := rules.Lookup(name); !ok && name != "" {
			return nil, fmt.Errorf("no rule %q; misstep rules lists them", name)
		}
	}
	seen, err := r.seen()
	if err != nil {
		return nil, err
	}
	found, tally, err := j.Of(r.ctx, seen)
	if err != nil {
		return nil, err
	}
	if r.result.Made == nil {
		r.result.Made = map[string]int{}
	}
	for name, n := range tally.Made {
		r.result.Made[name] = max(r.result.Made[name], n) // of the session as a whole, which is judged anew each time
	}
	found = slices.DeleteFunc(found, func(f *finding.Finding) bool {
		_, ours := rules.Lookup(f.Rule)
		return !ours || rule != "" && f.Rule != rule || slices.Contains(out, f.Rule)
	})
	// A demand that could not have failed is none.
	asked, _ := rules.Lookup(rule)
	counted := asked.Oracle + "/" + rule
	if rule == metamorphic.Debugged {
		counted = rule // relations are counted by their names alone
	}
	if judges := asked.Oracle == reference.Oracle || asked.Oracle == trace.Oracle || rule == metamorphic.Debugged; judges && len(found) == 0 && tally.Made[counted] == 0 {
		return nil, fmt.Errorf("nothing was checked: the session gives %s/%s nothing to judge", asked.Oracle, rule)
	}
	return found, nil
}

// first is the first of a command's words; empty if it has none.
func (c *Command) first() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}

// LeftOut are the rules that the command leaves out of those that it demands.
func (c *Command) LeftOut() []string {
	if names := c.Option(but); names != "" {
		return strings.Split(names, ",")
	}
	return nil
}

// Without leaves a rule out of those that a command demands which judges.
func (c *Command) Without(rule string) {
	c.SetOption(but, strings.Join(append(c.LeftOut(), rule), ","))
}

func byProtocol(r *run, c *Command) error {
	found, err := r.judged(judge.Judgement{Protocol: true}, protocol.Rules, c)
	if err != nil {
		return err
	}
	if len(c.Args) > 1 {
		on := c.Args[1]
		found = slices.DeleteFunc(found, func(f *finding.Finding) bool { return f.On != on && !strings.HasPrefix(f.On, on+"/") })
	}
	return r.found(found...)
}

func byTrace(r *run, c *Command) error {
	found, err := r.judged(judge.Judgement{Protocol: true}, trace.Rules, c)
	if err != nil {
		return err
	}
	return r.found(found...)
}

func byReference(r *run, c *Command) error {
	if r.build == nil {
		return errNotBuilt
	}
	m, err := r.model(r.ctx, dap.Actions(r.events))
	if err != nil {
		return err
	}
	if m.Why != "" {
		return fmt.Errorf("%w: %s", errNoReference, m.Why)
	}
	found, err := r.judged(judge.Judgement{Model: m, Reference: true}, reference.Rules, c)
	if err != nil {
		return err
	}
	return r.found(found...)
}

// byAll judges by all oracles that can judge the session by itself.
func byAll(r *run, c *Command) error {
	j := judge.Judgement{Protocol: true}
	if r.build != nil && r.shows() {
		m, err := r.model(r.ctx, dap.Actions(r.events))
		if err != nil {
			return err
		}
		if m.Why == "" {
			j.Model, j.Reference = m, true
		}
	}
	found, err := r.judged(j, slices.Concat(protocol.Rules, trace.Rules, reference.Rules), c)
	if err != nil {
		return err
	}
	if err := r.found(found...); err != nil {
		return err
	}
	return allGranted(r, c)
}

// shows reports whether the session was started in a way that shows all that there is.
func (r *run) shows() bool { return action.ShowsAll(r.script.Commands[0].Option("as")) }

func plain(r *run, c *Command) error {
	if r.build == nil {
		return errNotBuilt
	}
	if r.last == nil || r.last.Exit == nil {
		return errNotEnded
	}
	found, err := r.judged(judge.Judgement{Plain: true}, metamorphic.Rules(), &Command{Args: []string{metamorphic.Debugged}})
	if err != nil {
		return err
	}
	return r.found(found...)
}
