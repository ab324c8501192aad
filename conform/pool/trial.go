package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/executed"
	"misstep/script"
	"misstep/transform"
	"misstep/transform/action"
)

// A trial is a session that is tried, and then what came of it.
type trial struct {
	subject *subject
	by, on  int // the choices that it was made by
	way     string
	early   []string
	as      string
	chooser gen.Chooser
	relate  uint64 // the seed of the transformation that is demanded to change nothing; 0 for none
	again   *script.Script

	script  *script.Script
	events  []dap.Event
	has     map[feature]bool
	missing []executed.Block
	raw     string // the folder with its counters
	took    time.Duration
	found   string // the class of what its script finds; empty if that is nothing
}

// counting is an environment whose debugger leaves its counters in a folder.
func (g *Grower) counting(dir string) *script.Env {
	a := *g.Adapter
	a.Env = append(slices.Clone(a.Env), "GOCOVERDIR="+dir)
	env := *g.env
	env.Adapter = &a
	return &env
}

// try tries a session, and once more if it shows what is not known yet.
func (g *Grower) try(ctx context.Context, t *trial) error {
	if t.again != nil {
		t.script = t.again
	} else if done, err := g.live(ctx, t); err != nil || !done || g.news(t.has) == 0 && t.relate == 0 {
		t.has = nil
		return err
	}
	if t.relate > 0 || t.again != nil && t.again.Judge().Verb == relate {
		return g.relation(ctx, t)
	}
	first, made := t.has, t.script
	t.chooser = gen.Fixed(actionsOf(made))
	begun := time.Now()
	if done, err := g.live(ctx, t); err != nil || !done {
		t.has = nil
		return err
	}
	t.took, t.script = time.Since(begun), made
	for f := range t.has {
		if first != nil && !first[f] {
			delete(t.has, f)
		}
	}
	return nil
}

// live runs a session of chosen actions, and reports whether that came to an end.
func (g *Grower) live(ctx context.Context, t *trial) (done bool, err error) {
	dir, err := g.Env.Keeper.TempDir("counters")
	if err != nil {
		return false, fmt.Errorf("making a folder for counters: %w", err)
	}
	if t.raw != "" {
		os.RemoveAll(t.raw)
	}
	t.raw, t.events = dir, nil
	s := t.subject
	env := g.counting(dir)
	opts := env.Options
	opts.Early = t.early
	target := dap.TargetOf(s.tested.Build)
	if err := action.Start(&target, t.as); err != nil {
		return false, err
	}
	session, failed, err := dap.Open(ctx, env.Keeper, env.Adapter, target, opts)
	if err != nil {
		return false, err
	}
	if failed != nil {
		session.Close()
		return false, nil // the fault of a debugger, which hunts tell of
	}
	t.events, err = gen.PlayOut(ctx, session, t.chooser)
	session.Close()
	if err != nil || t.events[len(t.events)-1].Output.Kind.Fatal() {
		return false, err
	}
	blocks, err := executed.Blocks(dir)
	if err != nil {
		return false, err
	}
	t.has, t.missing = features(blocks, t.events, s.tested.Source, startedAs(t.as))
	t.script, err = g.scriptOf(t)
	return t.script != nil, err
}

// startedAs is the name of the setting in how a session is started.
func startedAs(as string) string {
	name, _, _ := strings.Cut(as, ",")
	return name
}

// scriptOf is a session as a script; nil if a relation is wanted and none fits.
func (g *Grower) scriptOf(t *trial) (*script.Script, error) {
	s := t.subject
	last := script.Command{Verb: "judge"}
	last.Without(raced)
	if t.relate > 0 {
		r := rand.New(rand.NewPCG(t.relate, 0x72656c))
		// What another setting shows differently, it shows at pauses.
		paused := slices.ContainsFunc(t.events, func(e dap.Event) bool { return e.Output.Pause != nil })
		related, p, ok := choose(r, s, t.events, func(t transform.Transformation) bool { return paused || t.Target == nil })
		if !ok {
			t.has = nil
			return nil, nil
		}
		t.way = relationOf + related.Name
		last = script.Command{Verb: relate, Args: append([]string{related.Name}, p.Words()...)}
	}
	made := script.FromSession(t.events, g.Engine.String(), s.target, s.program, last)
	made.Commands[0].SetOption("engine", "")
	made.Commands[0].SetOption("early", strings.Join(t.early, ","))
	made.Commands[0].SetOption("as", t.as)
	made.Files = s.files
	for i := range made.Commands {
		made.Commands[i].Seen = nil
	}
	// What is read back is what is run. A session that no script can have is left out.
	back, err := script.Parse(made.Format(), s.program.Name)
	if err != nil {
		return nil, nil
	}
	return back, nil
}

// raced is the rule that Delve breaks now and then, in any session, by the order in which its goroutines come to number their messages: a test that
// demanded it would pass by chance.
const raced = "seq-order"

// relate is the command that demands a relation.
const relate = "relate"

// relationOf is what the way of a session begins with that is held against a transformed one.
const relationOf = related + "-"

// relation runs the script of a session that is held against a transformed one. One in which something is found is no member.
func (g *Grower) relation(ctx context.Context, t *trial) error {
	dir, err := g.Env.Keeper.TempDir("counters")
	if err != nil {
		return fmt.Errorf("making a folder for counters: %w", err)
	}
	os.RemoveAll(t.raw)
	t.raw = dir
	begun := time.Now()
	res := g.counting(dir).Run(ctx, t.script)
	t.took = time.Since(begun)
	if res.Outcome != script.Passed || res.Trace == nil || res.Died != "" {
		if t.has = nil; len(res.Findings) > 0 {
			t.found = res.Findings[0].Class.String()
		}
		return nil
	}
	blocks, err := executed.Blocks(dir)
	if err != nil {
		return err
	}
	t.has, t.missing = features(blocks, res.Trace.Events, t.subject.tested.Source, startedAs(t.as))
	t.has[feature{is: t.way}] = true
	return nil
}
