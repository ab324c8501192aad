package script

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/oracle/reference"
)

// A Memo keeps what was built and recorded of programs, for scripts that have the same
// program and other actions, as the candidates of a reduction do. It may be used
// concurrently.
type Memo struct {
	// Keep is how many programs it keeps besides those in use; 0 for a few.
	Keep int

	mu      sync.Mutex
	entries map[[sha256.Size]byte]*memoized
	order   [][sha256.Size]byte
	// end is how long a program of the memo may run by itself before it counts as one
	// that does not end: several times what the first one took. Zero if there was none yet,
	// or if that did not end either.
	end   time.Duration
	first sync.Once
}

// keptPrograms bounds how many programs a memo keeps that is not told, besides those in use: reductions come
// back to the last few.
const keptPrograms = 6

// memoized is one program.
type memoized struct {
	mu      sync.Mutex
	users   int // of the memo's lock
	built   bool
	program *gobuild.Program
	build   *gobuild.Build
	err     error
	src     *source.Source
	plain   *gobuild.Plain
	unfit   error // why there is none
	models  []recorded
	dirs    []string
}

// Close removes all that is kept. No script may use the memo any more.
func (m *Memo) Close() {
	for _, e := range m.entries {
		e.remove()
	}
	m.entries, m.order = nil, nil
}

func (e *memoized) remove() {
	for _, dir := range e.dirs {
		os.RemoveAll(dir)
	}
}

// use is the entry of a program; done gives it back.
func (m *Memo) use(key [sha256.Size]byte) (e *memoized, done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = map[[sha256.Size]byte]*memoized{}
	}
	e = m.entries[key]
	if e == nil {
		e = &memoized{}
		m.entries[key] = e
		m.order = append(m.order, key)
	}
	e.users++
	for i := 0; len(m.order) > max(m.Keep, keptPrograms) && i < len(m.order); {
		old := m.order[i]
		if m.entries[old].users > 0 {
			i++
			continue
		}
		m.entries[old].remove()
		delete(m.entries, old)
		m.order = slices.Delete(m.order, i, i+1)
	}
	return e, func() {
		m.mu.Lock()
		e.users--
		m.mu.Unlock()
	}
}

// key tells programs apart, with how they are built.
func (s *Script) key(e gobuild.Engine, launch *Command) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %t %q %s\n", e, tests(launch), launch.Args, launch.endless())
	for _, f := range s.Files {
		fmt.Fprintf(h, "%q %d\n", f.Name, len(f.Data))
		h.Write(f.Data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// keep makes a folder that goes with the entry.
func (r *run) keep(name string) (string, error) {
	dir, err := r.env.Keeper.TempDir(name)
	if err == nil {
		r.memo.dirs = append(r.memo.dirs, dir)
	}
	return dir, err
}

// share builds the program, or takes that of another script with the same files.
func (r *run) share(c *Command) (*gobuild.Build, error) {
	if r.env.Memo == nil {
		m := &memoized{}
		r.memo, r.release = m, m.remove
	} else {
		r.memo, r.release = r.env.Memo.use(r.script.key(r.engine, c))
	}
	m := r.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.built {
		program, build, err := r.made(c)
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		m.program, m.build, m.err, m.built = program, build, err, true
	}
	r.program = m.program
	return m.build, m.err
}

func (r *run) made(c *Command) (*gobuild.Program, *gobuild.Build, error) {
	dir, err := r.keep("program")
	if err != nil {
		return nil, nil, err
	}
	p, err := r.unpack(dir, c)
	if err != nil {
		return nil, nil, err
	}
	out, err := r.keep("build")
	if err != nil {
		return nil, nil, err
	}
	b, err := r.env.Cache.Build(r.ctx, p, r.engine, out)
	return p, b, err
}

// Programs may take so many times as long as the first one of a memo, and this on top: what
// is left of a program that a reduction shortens takes less, unless it does not end.
const slower, atLeast = 4, 300 * time.Millisecond

// fits is an error if the program, which has the memo of another that ends, does not: to
// debug it would take until the session's time is up.
func (r *run) fits() error {
	memo := r.env.Memo
	if memo == nil || r.program.Endless > 0 {
		return nil
	}
	first := false
	memo.first.Do(func() {
		first = true
		start := time.Now()
		if _, err := r.plain(); err == nil {
			memo.end = slower*time.Since(start) + atLeast
		}
	})
	if first || memo.end == 0 {
		return nil
	}
	_, err := r.plain()
	return err
}

// source loads the program's source.
func (r *run) source() (*source.Source, error) {
	if r.memo == nil {
		return r.env.Loader.Load(r.ctx, r.program, r.engine)
	}
	r.memo.mu.Lock()
	defer r.memo.mu.Unlock()
	if r.memo.src == nil {
		src, err := r.env.Loader.Load(r.ctx, r.program, r.engine)
		if err != nil {
			return nil, err
		}
		r.memo.src = src
	}
	return r.memo.src, nil
}

// plain is a run of the program by itself.
func (r *run) plain() (*gobuild.Plain, error) {
	m := r.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.program.Endless > 0 {
		return nil, &gobuild.Unfit{Program: r.program.Name, Reason: "does not end by itself, as its script says", Endless: true}
	}
	if m.plain == nil && m.unfit == nil {
		limits := gobuild.DefaultLimits
		if memo := r.env.Memo; memo != nil && memo.end > 0 {
			limits.Time = min(limits.Time, memo.end)
		}
		m.plain, m.unfit = r.env.Cache.Fit(r.ctx, r.build, limits)
		if r.ctx.Err() != nil {
			m.unfit = nil
			return nil, r.ctx.Err()
		}
	}
	return m.plain, m.unfit
}

// debuggee is what the script's session runs, in mode exec. A program that is not fit has
// no output to compare with.
func (r *run) debuggee() (*debuggee.Debuggee, error) {
	src, err := r.source()
	if err != nil {
		return nil, err
	}
	plain, err := r.plain()
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, err
		}
		plain = &gobuild.Plain{}
	}
	return r.env.maker().Of(r.build, src, plain), nil
}

// recorded is a model, with what was asked of it.
type recorded struct {
	asked map[string]bool
	model *reference.Model
}

// model records the program, with what the actions ask of it, or is a model of which
// that and more was asked.
func (r *run) model(ctx context.Context, actions []dap.Action) (*reference.Model, error) {
	p, err := r.plain()
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, a := range actions {
		if a.Kind == dap.Evaluate || a.Kind == dap.SetVar || a.Kind == dap.Call || a.Condition != "" || a.Log != "" {
			a.Frame, a.Line, a.Page = 0, 0, 0
			asked[a.String()] = true
		}
	}
	m := r.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range m.models {
		all := true
		for a := range asked {
			all = all && known.asked[a]
		}
		if all {
			return known.model, nil
		}
	}
	dir, err := r.keep("record")
	if err != nil {
		return nil, err
	}
	model, err := reference.Record(ctx, r.env.Keeper, r.env.Cache, r.program, r.engine, gobuild.DefaultLimits, dir, reference.Wanted(actions))
	if err != nil {
		return nil, err
	}
	model.Held(p.Stdout, p.ExitCode)
	m.models = append(m.models, recorded{asked, model})
	return model, nil
}
