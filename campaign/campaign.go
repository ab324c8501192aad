package campaign

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
	"misstep/oracle"
	"misstep/transform"
	"misstep/triage"
	"misstep/triage/reduce"
)

// A Config is all that a campaign's sequence of runs follows from, and its
// bounds.
type Config struct {
	Engine   gobuild.Engine
	Programs []*gobuild.Program
	Patterns []string // what the programs were named as, to recognise the campaign
	Skipped  []*gobuild.Unfit
	Seed     uint64

	Runs int           // 0: no bound
	Time time.Duration // 0: no bound

	Workers int
	Out     string

	// Against are the engines to run side by side with Engine.
	Against []gobuild.Engine
	// Protocol tells that each session's messages and trace are judged by themselves.
	Protocol bool
	// Reference tells that sessions are held against a recorded run.
	Reference bool
	// Actions, Rewrites and Builds are the transformations to choose from.
	Actions    []transform.Action
	Rewrites   []transform.Rewrite
	Builds     []transform.Build
	Iterations int
	Misuse     bool
	Generate   gen.Config
	Options    dap.Options
	Limits     gobuild.Limits

	// Adapter stands in for the engine's own, in the oracles' own test.
	Adapter *dap.Adapter
	// Known are classes that need not be told.
	Known []*triage.Known
	// Sample is how many scripts are written, taken from the classes in turn; at least
	// one for each.
	Sample int
	// Reduce makes a finding's script small within a time; nil leaves it as it is.
	// ReduceTime is for all of them.
	Reduce     func(ctx context.Context, script []byte, budget time.Duration) (*reduce.Result, error)
	ReduceTime time.Duration
	// Prepared, if not nil, keeps what was built and recorded of programs for other
	// campaigns with the same engine, limits and oracles.
	Prepared *Prepared
}

// A setting is one of those that the sequence of a campaign's runs follows from, or how
// many there are.
type setting struct{ name, value string }

// settings describe a campaign: the same settings, the same sequence of runs.
func (c *Config) settings() []setting {
	var ts []string
	for _, t := range c.Actions {
		ts = append(ts, t.Name)
	}
	for _, t := range c.Rewrites {
		ts = append(ts, t.Name)
	}
	for _, t := range c.Builds {
		ts = append(ts, t.Name)
	}
	h := fnv.New64a()
	for _, p := range c.Programs {
		fmt.Fprintln(h, p.Name)
	}
	var against []string
	for _, e := range c.Against {
		against = append(against, e.String())
	}
	return []setting{
		{"engine", c.Engine.String()},
		{"against", strings.Join(against, " ")},
		{"seed", strconv.FormatUint(c.Seed, 10)},
		{"runs", strconv.Itoa(c.Runs)},
		{"time", c.Time.String()},
		{"iterations", strconv.Itoa(c.Iterations)},
		{"programs", fmt.Sprintf("%s (%d, %x)", strings.Join(c.Patterns, " "), len(c.Programs), h.Sum64())},
		{"transformations", strings.Join(ts, ",")},
		{"actions", fmt.Sprintf("%+v", c.Generate)},
		{"misuse", strconv.FormatBool(c.Misuse)},
		{"protocol", strconv.FormatBool(c.Protocol)},
		{"reference", strconv.FormatBool(c.Reference)},
	}
}

// alone tells whether there is something to do on the engine alone.
func (c *Config) alone() bool {
	return c.Protocol || c.Reference || c.Misuse || len(c.Actions)+len(c.Rewrites)+len(c.Builds) > 0
}

type campaign struct {
	cfg     *Config
	version string // of the engine's toolchain
	keeper  *proc.Keeper
	cache   *gobuild.Cache
	loader  *source.Loader
	adapter *dap.Adapter
	against []*dap.Adapter // of the engines to compare with; nil for the reference
	store   *store
	emit    func(Event)
	// began is when the runs began, spent how long they took before an interruption.
	began time.Time
	spent time.Duration

	mu       sync.Mutex
	next     int
	subjects []*subject
	done     map[int]bool
	unfit    map[string]bool
	classes  map[string]bool
}

// Hunt carries a campaign out, or goes on with it, and returns its summary.
func Hunt(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, cfg *Config, handle func(Event)) (*Summary, error) {
	c := &campaign{
		cfg: cfg, keeper: keeper, cache: cache, loader: &source.Loader{Keeper: keeper},
		unfit: map[string]bool{}, classes: map[string]bool{}, adapter: cfg.Adapter,
	}
	if len(cfg.Programs) == 0 {
		return nil, errors.New("there is no program to hunt with")
	}
	var handling sync.Mutex
	c.emit = func(e Event) {
		handling.Lock()
		defer handling.Unlock()
		e.Version, e.At = EventVersion, time.Now()
		handle(e)
	}
	var err error
	if c.adapter == nil {
		if c.adapter, err = dap.Resolve(ctx, cache, cfg.Engine); err != nil {
			return nil, err
		}
	}
	if c.version, err = cache.GoEnv(ctx, cfg.Engine, "GOVERSION"); err != nil {
		return nil, err
	}
	for _, e := range cfg.Against {
		var a *dap.Adapter
		if e.Adapter != oracle.ReferenceAdapter {
			if a, err = dap.Resolve(ctx, cache, e); err != nil {
				return nil, err
			}
		}
		c.against = append(c.against, a)
	}
	if c.store, err = openStore(ctx, cfg.Out, cfg.settings()); err != nil {
		return nil, err
	}
	defer c.store.close()
	if c.done, err = c.store.done(ctx); err != nil {
		return nil, err
	}
	if c.spent, err = c.store.spent(ctx); err != nil {
		return nil, err
	}
	// In an order of the seed's, so that a short hunt over many programs is a
	// sample of them.
	for _, i := range rand.New(rand.NewPCG(cfg.Seed, 0x6f72646572)).Perm(len(cfg.Programs)) {
		c.subjects = append(c.subjects, cfg.Prepared.subject(cfg.Programs[i]))
	}
	start := time.Now()
	var against []string
	for _, e := range cfg.Against {
		against = append(against, e.String())
	}
	c.emit(Event{Type: "start", Start: &Start{
		Against: against,
		Engine:  cfg.Engine.String(), Programs: len(cfg.Programs), Runs: cfg.Runs, Done: len(c.done),
		Seed: cfg.Seed, Workers: cfg.Workers, Out: cfg.Out,
	}})
	for _, u := range cfg.Skipped {
		if err := c.noteUnfit(ctx, Unfit{u.Program, u.Reason}); err != nil {
			return nil, err
		}
	}
	if err := c.preflight(ctx); err != nil {
		return nil, err
	}
	before, err := c.store.summary(ctx)
	if err != nil {
		return nil, err
	}
	runErr := c.work(ctx)
	// What was found until now is shown even if misstep itself failed.
	keep := context.WithoutCancel(ctx)
	sum, err := c.summarise(keep, start, before)
	if err != nil {
		return nil, errors.Join(runErr, err)
	}
	if runErr == nil {
		c.emit(Event{Type: "reducing", Reducing: &Reducing{Classes: len(sum.Classes), Time: cfg.ReduceTime}})
		if err := c.reduce(ctx, sum); err != nil {
			return nil, err
		}
		sum.Complete = true
		if err := c.store.complete(keep); err != nil {
			return nil, err
		}
	}
	c.emit(Event{Type: "summary", Summary: sum})
	return sum, runErr
}

// preflight launches the first program that is fit, so that an engine that
// cannot work at all is an error and not a finding a run.
func (c *campaign) preflight(ctx context.Context) error {
	for i, s := range c.subjects {
		if i == 20 {
			break
		}
		if err := c.prepare(ctx, s); err != nil {
			return err
		}
		if s.unfit != nil {
			continue
		}
		session, failed, err := dap.Open(ctx, c.keeper, c.adapter, dap.TargetOf(s.tested.Build), c.cfg.Options)
		if err != nil {
			return err
		}
		session.Close()
		if failed != nil {
			return fmt.Errorf("engine %s cannot launch %s: %s", c.cfg.Engine, s.program.Name, failed.Text)
		}
		return nil
	}
	return nil
}

var errOutOfTime = errors.New("the campaign's time is up")

// work lets the workers take runs until there are none left.
func (c *campaign) work(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c.began = time.Now(); c.cfg.Time > 0 {
		t := time.AfterFunc(max(0, c.cfg.Time-c.spent), func() { stop(errOutOfTime) })
		defer t.Stop()
	}
	var wg sync.WaitGroup
	for range max(1, c.cfg.Workers) {
		wg.Go(func() {
			for ctx.Err() == nil {
				index, s, ok := c.take()
				if !ok {
					return
				}
				if err := c.step(ctx, index, s); err != nil && ctx.Err() == nil {
					stop(err)
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errOutOfTime) {
		return err
	}
	return nil
}

// take is the next run that is not done.
func (c *campaign) take() (index int, s *subject, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.cfg.Runs > 0 && c.next >= c.cfg.Runs || c.allUnfit() {
			return 0, nil, false
		}
		index = c.next
		c.next++
		s = c.subjects[index%len(c.subjects)]
		if !c.done[index] && !c.unfit[s.program.Name] {
			return index, s, true
		}
	}
}

func (c *campaign) allUnfit() bool {
	for _, s := range c.subjects {
		if !c.unfit[s.program.Name] {
			return false
		}
	}
	return true
}

// seed of a run: it depends on the campaign's seed, the program's name and the
// round, and not on which other programs take part.
func (c *campaign) seed(index int, s *subject) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", c.cfg.Seed, s.program.Name, index/len(c.subjects))
	return h.Sum64()
}

func (c *campaign) step(ctx context.Context, index int, s *subject) error {
	if err := c.prepare(ctx, s); err != nil {
		return err
	}
	if s.unfit != nil {
		return c.noteUnfit(ctx, *s.unfit)
	}
	run, found, err := c.one(ctx, index, s, c.seed(index, s))
	if run != nil {
		for _, d := range run.Defects {
			c.emit(Event{Type: "defect", Defect: d})
			if err := c.keep(d); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return fmt.Errorf("run %d of %s: %w", index, s.program.Name, err)
	}
	if ctx.Err() != nil {
		return nil // what looks like a hang may be the end of the campaign
	}
	if err := c.store.save(context.WithoutCancel(ctx), run, found, c.spent+time.Since(c.began)); err != nil {
		return err
	}
	c.emit(Event{Type: "run", Run: run})
	for _, f := range found {
		c.mu.Lock()
		isNew := !c.classes[f.finding.Class]
		c.classes[f.finding.Class] = true
		c.mu.Unlock()
		isNew = isNew && c.known(f.finding.Class) == ""
		c.emit(Event{Type: "finding", Finding: &Found{Index: index, New: isNew, What: f.finding}})
	}
	return nil
}

// keep writes the two programs of a defect into the out folder.
func (c *campaign) keep(d *oracle.Defect) error {
	for name, p := range map[string]*gobuild.Program{"original": d.Original, "variant": d.Variant} {
		ar, _, err := triage.Pack(p)
		if err != nil {
			return err
		}
		ar.Comment = []byte(d.Error() + "\n")
		path := filepath.Join(c.cfg.Out, "defect-"+d.Rewrite+"-"+name+".txtar")
		if err := os.WriteFile(path, txtar.Format(ar), 0o666); err != nil {
			return fmt.Errorf("writing a defect: %w", err)
		}
	}
	return nil
}

func (c *campaign) noteUnfit(ctx context.Context, u Unfit) error {
	c.mu.Lock()
	known := c.unfit[u.Program]
	c.unfit[u.Program] = true
	c.mu.Unlock()
	if known {
		return nil
	}
	c.emit(Event{Type: "unfit", Unfit: &u})
	return c.store.saveUnfit(context.WithoutCancel(ctx), u)
}

// summarise adds up and writes the scripts, one for each class.
func (c *campaign) summarise(ctx context.Context, start time.Time, before *Summary) (*Summary, error) {
	sum, err := c.store.summary(ctx)
	if err != nil {
		return nil, err
	}
	sum.Took = time.Since(start)
	sec := sum.Took.Seconds()
	sum.Rates = Rates{
		Sessions: float64(sum.Sessions-before.Sessions) / sec,
		Actions:  float64(sum.Actions-before.Actions) / sec,
		Tests:    float64(sum.Tests-before.Tests) / sec,
	}
	return sum, c.write(ctx, sum)
}

// known is the entry of the list of known classes that a class falls under, or empty.
func (c *campaign) known(class string) string {
	if k := triage.LookUp(c.cfg.Known, class, c.cfg.Engine, c.version, time.Now()); k != nil {
		return k.String()
	}
	return ""
}

// write writes the scripts and lists the classes.
func (c *campaign) write(ctx context.Context, sum *Summary) error {
	examples, err := c.store.classes(ctx, c.cfg.Sample)
	if err != nil {
		return err
	}
	// Only what an earlier campaign here wrote is cleaned up.
	old, err := c.store.meta(ctx, "scripts")
	if err != nil {
		return err
	}
	var names []string
	for _, e := range examples {
		name := fileName(e.class) + ".txtar"
		if e.rank > 1 {
			name = fmt.Sprintf("%s-%d.txtar", fileName(e.class), e.rank)
		}
		names = append(names, name)
		path := filepath.Join(c.cfg.Out, name)
		if err := os.WriteFile(path, []byte(e.script), 0o666); err != nil {
			return fmt.Errorf("writing a finding: %w", err)
		}
		if e.rank == 1 {
			sum.Classes = append(sum.Classes, ClassCount{
				Class: e.class, Count: e.count, Reason: e.finding.Reason, Script: path, Evidence: e.finding.Evidence, Known: c.known(e.class),
			})
		}
	}
	for name := range strings.FieldsSeq(old) {
		if !slices.Contains(names, name) {
			os.Remove(filepath.Join(c.cfg.Out, name))
		}
	}
	return c.store.setMeta(ctx, "scripts", strings.Join(names, "\n"))
}

// leastReduction is the time below which it makes no sense to begin.
const leastReduction = 5 * time.Second

// reduce makes the scripts of classes that are not known small, the shortest first, as
// long as there is time.
func (c *campaign) reduce(ctx context.Context, sum *Summary) error {
	if c.cfg.Reduce == nil || c.cfg.ReduceTime <= 0 {
		return nil
	}
	var left []*ClassCount
	for i := range sum.Classes {
		if sum.Classes[i].Known == "" {
			left = append(left, &sum.Classes[i])
		}
	}
	end := time.Now().Add(c.cfg.ReduceTime)
	for i, class := range left {
		budget := max(time.Until(end)/time.Duration(len(left)-i), leastReduction)
		if time.Until(end) < leastReduction || ctx.Err() != nil {
			break
		}
		text, err := os.ReadFile(class.Script)
		if err != nil {
			return fmt.Errorf("reading a finding: %w", err)
		}
		res, err := c.cfg.Reduce(ctx, text, budget)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			// What does not reproduce by itself stays as it was found.
			continue
		}
		if err := os.WriteFile(class.Script, res.Script, 0o666); err != nil {
			return fmt.Errorf("writing a finding: %w", err)
		}
		class.Lines, class.Actions = res.Lines, res.Actions
	}
	return nil
}

// fileName turns a class into the name of a file.
func fileName(class string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}, class)
}

// builds are the transformations of the build that the adapter can follow.
func (c *campaign) builds() []transform.Build {
	return slices.DeleteFunc(slices.Clone(c.cfg.Builds), func(b transform.Build) bool {
		return b.Renames && !c.adapter.Substitutes()
	})
}
