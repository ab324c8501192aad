package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/judge"
	"misstep/oracle"
	"misstep/oracle/metamorphic"
	"misstep/oracle/reference"
	"misstep/transform/action"
)

// confirmations is how often the session of a finding is carried out once more before it is
// told.
const confirmations = 2

// A Sometimes is something that one session showed, and that did not come again, in the same
// way, each time the same actions were done once more: it depends on time or chance, of the
// debugger or of the program.
type Sometimes struct {
	Class  string `json:"class"`
	Reason string `json:"reason"`
	Shown  int    `json:"shown"` // sessions that showed it, the first among them
	Of     int    `json:"of"`
	// Untried counts those that showed it when there was no time left to try once more.
	Untried int `json:"untried,omitempty"`
}

// confirm holds back the findings of the run that do not come again. The transformations'
// and the comparisons' are confirmed by themselves, and a class that was confirmed is believed
// of that program from then on: most of what a hunt finds it finds in run after run. What there was no time to
// try once more is held back as well. Of some rules one session is enough; how often it came is said then.
func (w *worker) confirm(ctx context.Context) error {
	groups, kept := bySession(w.found, func(f *finding.Finding) bool { return w.p.confirmed.count(f.Class.String()) == 0 })
	for _, g := range groups {
		shown, err := w.repeat(ctx, g)
		if err != nil && ctx.Err() == nil {
			return err
		}
		for i, f := range g.found {
			switch {
			case err != nil && (judge.Once(f) || !w.last):
				kept = append(kept, f)
			case err != nil: // time was up
				w.holdBack(f)
			case shown[i] == confirmations:
				w.p.confirmed.add(f.Class.String())
				w.repeated[f] = true
				kept = append(kept, f)
			case judge.Once(f):
				f.Reason += fmt.Sprintf(" It came in %d of %d sessions.", 1+shown[i], 1+confirmations)
				kept = append(kept, f)
			case w.job.Baseline != "" && shown[i] > 0:
				kept = append(kept, f) // how often it comes is held against the baseline
			default:
				w.run.Sometimes = append(w.run.Sometimes, Sometimes{Class: f.Class.String(), Reason: f.Reason, Shown: 1 + shown[i], Of: 1 + confirmations})
			}
		}
	}
	w.found = kept
	return nil
}

// settle confirms what was found since the last time, and holds it against the baseline, so that little is left to do when
// time is up.
func (w *worker) settle(ctx context.Context) error {
	if err := w.sift(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if err := w.confirm(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if err := w.compared(ctx); err != nil {
		return err
	}
	w.tell()
	return nil
}

// tell tells the campaign early of what is settled.
func (w *worker) tell() {
	for ; w.told < len(w.settled); w.told++ {
		w.job.Early(w.settled[w.told])
	}
}

// holdBack notes findings that there was no time to try once more.
func (w *worker) holdBack(found ...*finding.Finding) {
	for _, f := range found {
		w.run.Sometimes = append(w.run.Sometimes, Sometimes{Class: f.Class.String(), Reason: f.Reason, Untried: 1})
	}
}

// repeat carries the session of findings out as often as is needed to confirm them, and counts
// how often it showed each. The model is recorded anew for the first of them.
func (w *worker) repeat(ctx context.Context, g *shownBy) ([]int, error) {
	if w.anew == nil && w.model() != nil {
		run, err := w.model().Again(ctx)
		if err != nil {
			return nil, fmt.Errorf("recording it anew: %w", err)
		}
		w.anew = &reference.Model{Run: run}
	}
	shown := make([]int, len(g.found))
	for range confirmations {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		again, _, err := w.again(ctx, g, w.adapters[0])
		if err != nil {
			return nil, err
		}
		for i, f := range g.found {
			if slices.ContainsFunc(again, func(g *finding.Finding) bool { return sameWay(f, g) }) {
				shown[i]++
			}
		}
	}
	return shown, ctx.Err()
}

// classes counts them. It may be used at the same time by several.
type classes struct {
	mu    sync.Mutex
	names map[string]int
}

func (c *classes) count(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[name]
}

func (c *classes) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]int{}
	}
	c.names[name]++
}

// shownBy are the findings that one session showed. Each carries the events up to where it shows; they are
// confirmed together, by the most events of these.
type shownBy struct {
	on      *debuggee.Debuggee
	session *finding.Session
	found   []*finding.Finding
}

// shows reports whether it is the session that a finding carries the beginning of.
func (g *shownBy) shows(s *finding.Session) bool {
	return len(s.Base) > 0 && len(g.session.Base) > 0 && &s.Base[0] == &g.session.Base[0]
}

// bySession are the findings that are wanted by the sessions that showed them, where one shows them by itself, and all others.
func bySession(found []*finding.Finding, wanted func(*finding.Finding) bool) (groups []*shownBy, others []*finding.Finding) {
	for _, f := range found {
		was := f.Session()
		if was == nil || f.Debuggee == nil || !wanted(f) ||
			f.Oracle != reference.Oracle && f.Oracle != "protocol" && f.Oracle != "trace" && f.Rule != metamorphic.Debugged {
			others = append(others, f)
			continue
		}
		i := slices.IndexFunc(groups, func(g *shownBy) bool { return g.shows(was) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &shownBy{on: f.Debuggee})
		}
		groups[i].add(f, was)
	}
	return groups, others
}

// patience is how many times as long as usual the session waits when it is carried out once more.
func (g *shownBy) patience() int {
	if slices.ContainsFunc(g.found, func(f *finding.Finding) bool { return f.Kind == dap.DiffFailure }) {
		return dap.Patience
	}
	return 1
}

func (g *shownBy) add(f *finding.Finding, s *finding.Session) {
	g.found = append(g.found, f)
	if g.session == nil || len(s.Base) > len(g.session.Base) {
		g.session = s
	}
}

// sameWay reports whether two findings are one: by the same rule, at the same place, with the same values.
func sameWay(f, g *finding.Finding) bool {
	return g.Rule == f.Rule && g.On == f.On && g.Class == f.Class && g.Place == f.Place && g.Kind == f.Kind &&
		g.What == f.What && g.Expected == f.Expected && g.Got == f.Got
}

// again is what is found when the actions of a session are carried out once more, by an adapter, and what came of them.
func (w *worker) again(ctx context.Context, g *shownBy, by *dap.Adapter) (found []*finding.Finding, events []dap.Event, err error) {
	was := g.session
	target := dap.TargetOf(g.on.Build)
	if err := action.Start(&target, was.As); err != nil {
		return nil, nil, err
	}
	s, failed, err := w.openBy(ctx, by, target, was.Early, g.patience())
	if err != nil {
		return nil, nil, err
	}
	if failed != nil {
		events = append(events, dap.Event{Output: *failed})
	} else if events, err = gen.Repeat(ctx, s, was.Base); err != nil {
		s.Close()
		return nil, nil, err
	}
	// As many events as there were, and the program's end, by which some is judged.
	if n := len(events); n == 0 || !events[n-1].Output.Kind.Fatal() && events[n-1].Output.Kind != dap.Ended {
		if _, err := s.Do(ctx, dap.Action{Kind: dap.Finish}); err != nil {
			s.Close()
			return nil, nil, err
		}
	}
	s.Close()
	j := judge.Judgement{Protocol: true, Reference: w.model() != nil, Plain: true}
	if g.on == w.p.tested {
		j.Model = cmp.Or(w.anew, w.model())
	}
	found, _, err = j.Of(ctx, oracle.SeenOf(g.on, s, events, was.Early))
	return found, events, err
}
