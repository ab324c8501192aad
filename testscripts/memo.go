package testscripts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/oracle/reference"
)

// A Memo keeps what was built and recorded of programs, for scripts that have the same
// program and other actions, as the candidates of a reduction do. It may be used
// concurrently.
type Memo struct {
	mu      sync.Mutex
	entries map[string]*memoized
	order   []string
	// end is how long a program of the memo may run by itself before it counts as one
	// that does not end: several times what the first one took. Zero if there was none yet,
	// or if that did not end either.
	end   time.Duration
	first sync.Once
}

// keptPrograms bounds how many programs a memo keeps, besides those in use.
const keptPrograms = 6

// memoized is one program.
type memoized struct {
	mu      sync.Mutex
	users   int // of the memo's lock
	dir     string
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

// use is the entry of a key; done gives it back.
func (m *Memo) use(key string) (e *memoized, done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = map[string]*memoized{}
	}
	e = m.entries[key]
	if e == nil {
		e = &memoized{}
		m.entries[key] = e
		m.order = append(m.order, key)
	}
	e.users++
	for i := 0; len(m.order) > keptPrograms && i < len(m.order); {
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

// keyOf is a hash of a folder's files, and of how they are built.
func keyOf(dir string, how ...string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", how)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, path)
		fmt.Fprintf(h, "%q %d\n", path, len(text))
		h.Write(text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// keep makes a folder that goes with the entry, or with the script that has none.
func (s *script) keep(name string) (string, error) {
	if s.memo == nil {
		return s.temp(name)
	}
	dir, err := s.env.Keeper.TempDir(name)
	if err == nil {
		s.memo.dirs = append(s.memo.dirs, dir)
	}
	return dir, err
}

// share puts the program of another script with the same files in the place of this
// one's, or makes this one's the first.
func (s *script) share(dir string, p *gobuild.Program, e gobuild.Engine) (*gobuild.Build, error) {
	if s.env.Memo == nil {
		out, err := s.temp("build")
		if err != nil {
			return nil, err
		}
		return s.env.Cache.Build(s.ctx, p, e, out)
	}
	key, err := keyOf(dir, append([]string{e.String(), p.Target[0]}, p.RunArgs...)...)
	if err != nil {
		return nil, err
	}
	m, done := s.env.Memo.use(key)
	s.memo, s.release = m, done
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.program == nil {
		if m.dir, err = s.keep("program"); err != nil {
			return nil, err
		}
		if err := os.CopyFS(m.dir, os.DirFS(dir)); err != nil {
			return nil, err
		}
		q := *p
		q.Dir, q.Files = m.dir, nil
		for _, f := range p.Files {
			q.Files = append(q.Files, m.dir+strings.TrimPrefix(f, dir))
		}
		out, err := s.keep("build")
		if err != nil {
			return nil, err
		}
		m.build, m.err = s.env.Cache.Build(s.ctx, &q, e, out)
		if s.ctx.Err() == nil {
			m.program = &q
		}
	}
	if m.err == nil {
		*p = *m.program
	}
	return m.build, m.err
}

// Programs may take so much longer than the first one of a memo, and this on top.
const slower, atLeast = 4, 300 * time.Millisecond

// ends is an error if the program, which has the memo of another that ends, does not: to
// debug it would take until the session's time is up.
func (s *script) ends() error {
	if s.env.Memo == nil || s.memo == nil || s.build == nil {
		return nil
	}
	memo := s.env.Memo
	first := false
	memo.first.Do(func() {
		first = true
		start := time.Now()
		if _, err := s.plain(); err == nil {
			memo.end = slower*time.Since(start) + atLeast
		}
	})
	if first || memo.end == 0 {
		return nil
	}
	_, err := s.plain()
	return err
}

// source loads the program's source.
func (s *script) source() (*source.Source, error) {
	if s.memo == nil {
		return s.env.Loader.Load(s.ctx, s.program)
	}
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	if s.memo.src == nil {
		src, err := s.env.Loader.Load(s.ctx, s.program)
		if err != nil {
			return nil, err
		}
		s.memo.src = src
	}
	return s.memo.src, nil
}

// plain is a run of the program by itself.
func (s *script) plain() (*gobuild.Plain, error) {
	if s.memo == nil {
		return s.env.Cache.Fit(s.ctx, s.build, gobuild.DefaultLimits)
	}
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	if s.memo.plain == nil && s.memo.unfit == nil {
		limits := gobuild.DefaultLimits
		if end := s.env.Memo.end; end > 0 {
			limits.Time = min(limits.Time, end)
		}
		s.memo.plain, s.memo.unfit = s.env.Cache.Fit(s.ctx, s.build, limits)
		if s.ctx.Err() != nil {
			s.memo.unfit = nil
			return nil, s.ctx.Err()
		}
	}
	return s.memo.plain, s.memo.unfit
}

// recorded is a model, with what was asked of it.
type recorded struct {
	asked map[string]bool
	model *reference.Model
}

// model records the program, with what the actions ask of it, or is a model of which
// that and more was asked.
func (s *script) model(ctx context.Context, actions []dap.Action) (*reference.Model, error) {
	p, err := s.plain()
	if err != nil {
		return nil, err
	}
	record := func() (*reference.Model, error) {
		dir, err := s.keep("record")
		if err != nil {
			return nil, err
		}
		m, err := reference.Record(ctx, s.env.Keeper, s.env.Cache, s.program, s.engine, gobuild.DefaultLimits, dir, reference.Wanted(actions))
		if err != nil {
			return nil, err
		}
		m.Held(p.Stdout, p.ExitCode)
		return m, nil
	}
	if s.memo == nil {
		return record()
	}
	asked := map[string]bool{}
	for _, a := range actions {
		if a.Kind == dap.Evaluate || a.Kind == dap.SetVar || a.Condition != "" || a.Log != "" {
			a.Frame, a.Line, a.Page = 0, 0, 0
			asked[a.String()] = true
		}
	}
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	for _, r := range s.memo.models {
		all := true
		for a := range asked {
			all = all && r.asked[a]
		}
		if all {
			return r.model, nil
		}
	}
	m, err := record()
	if err == nil {
		s.memo.models = append(s.memo.models, recorded{asked, m})
	}
	return m, err
}
