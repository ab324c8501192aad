package testscripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
	"misstep/oracle"
)

// An Env is what scripts run with.
type Env struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	Loader *source.Loader
	// Engine is used for every debug command; if empty, the one that the
	// command names, or else the pinned Delve.
	Engine  string
	Options dap.Options
	// Adapter stands in for the engine's adapter, in tests of the oracles.
	Adapter *dap.Adapter
	// Blame tells to look for evidence in the binary where a script finds something.
	Blame bool
	// Lenient lets the debugger refuse actions that a script says it grants, and grant
	// those that it refuses: only what judges, judges.
	Lenient bool
	// Memo, if not nil, keeps programs for scripts that have the same.
	Memo *Memo
}

// NewEnv makes an Env with the user's cache. Notices about what is built go to
// notice. Close ends it.
func NewEnv(notice io.Writer) (*Env, error) {
	k, err := proc.NewKeeper()
	if err != nil {
		return nil, err
	}
	dir, err := gobuild.CacheDir()
	if err != nil {
		k.Close()
		return nil, err
	}
	return &Env{
		Keeper: k, Cache: &gobuild.Cache{Dir: dir, Keeper: k, Notice: notice},
		Loader: &source.Loader{Keeper: k}, Options: dap.DefaultOptions(),
	}, nil
}

// Close ends all that the scripts have started.
func (e *Env) Close() error { return e.Keeper.Close() }

// Run runs the scripts that match a pattern, each as a parallel subtest. The
// environment variable MISSTEP_ENGINE names another engine than Delve.
func Run(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts match %s", pattern)
	}
	env, err := NewEnv(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	env.Engine = os.Getenv("MISSTEP_ENGINE")
	p := env.params(context.Background(), nil)
	p.Files = files
	testscript.Run(t, p)
}

// A Result is how one script ended.
type Result struct {
	File    string
	Passed  bool
	Skipped bool
	// Finding tells that the script failed since the debugger did not behave as
	// it says; otherwise a failed script could not be carried out.
	Finding bool
	// Classes are those of what the script found; the first is what Reason says.
	Classes []string
	// Evidence says where to look for the cause of the first of them.
	Evidence *oracle.Evidence
	// Panicked are the adapter's functions that were active when it panicked, innermost
	// first, if it answered or printed a stack.
	Panicked []string
	Log      string     // what happened, line by line
	Trace    *dap.Trace // of the script's session; nil if there was none
	Reason   string     // the line that failed: file:line: why
}

// Replay runs scripts one after another, outside of go test.
func (e *Env) Replay(ctx context.Context, files []string) []Result {
	results := make([]Result, len(files))
	for i, file := range files {
		r := &results[i]
		r.File = file
		if _, err := os.Stat(file); err != nil {
			r.Reason = err.Error()
			continue
		}
		p := e.params(ctx, r)
		p.Files = []string{file}
		p.WorkdirRoot, _ = e.Keeper.TempDir("replay")
		t := &recorder{result: r}
		t.guard(func() { testscript.RunT(t, p) })
		os.RemoveAll(p.WorkdirRoot)
		r.Passed = !t.failed && !t.skipped
		r.Skipped = t.skipped
		r.Log = t.log.String()
		for line := range strings.Lines(r.Log) {
			if reason, ok := strings.CutPrefix(line, "FAIL: "); ok {
				r.Reason = strings.TrimSpace(reason)
			}
		}
		if !r.Passed && !r.Skipped && r.Reason == "" {
			r.Reason = strings.TrimSpace(r.Log)
		}
	}
	return results
}

// Check runs a script, and returns the classes of what it found. The error says why a
// script could not be carried out.
func (e *Env) Check(ctx context.Context, text []byte) ([]string, error) {
	r, err := e.Try(ctx, text)
	if err != nil || !r.Finding {
		return nil, err
	}
	return r.Classes, nil
}

// Reason runs a script, and returns what it found, and where the evidence points.
func (e *Env) Reason(ctx context.Context, text []byte) (string, error) {
	with := *e
	with.Blame = true
	r, err := with.Try(ctx, text)
	if err != nil || !r.Finding {
		return "", err
	}
	_, reason, _ := strings.Cut(r.Reason, ": ") // without file and line
	if r.Evidence != nil {
		reason += ". Evidence: " + r.Evidence.String()
	}
	return reason, nil
}

// Try runs a script. The error says why it could not be carried out.
func (e *Env) Try(ctx context.Context, text []byte) (*Result, error) {
	dir, err := e.Keeper.TempDir("check")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "script.txtar")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return nil, fmt.Errorf("writing a script: %w", err)
	}
	r := e.Replay(ctx, []string{file})[0]
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case r.Finding, r.Passed:
		r.Reason = strings.ReplaceAll(r.Reason, dir+string(filepath.Separator), "")
		return &r, nil
	}
	return nil, errors.New(strings.ReplaceAll(r.Reason, dir+string(filepath.Separator), ""))
}

// recorder is a testscript.T that keeps what is logged.
type recorder struct {
	result          *Result
	log             strings.Builder
	failed, skipped bool
}

type stop struct{}

func (r *recorder) guard(f func()) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(stop); !ok {
				panic(e)
			}
		}
	}()
	f()
}

func (r *recorder) Skip(args ...any) {
	r.skipped = true
	fmt.Fprintln(&r.log, args...)
	panic(stop{})
}

func (r *recorder) Fatal(args ...any) {
	fmt.Fprintln(&r.log, args...)
	r.FailNow()
}

func (r *recorder) FailNow() {
	r.failed = true
	panic(stop{})
}

func (r *recorder) Parallel()       {}
func (r *recorder) Log(args ...any) { fmt.Fprintln(&r.log, args...) }
func (r *recorder) Verbose() bool   { return true }

func (r *recorder) Run(name string, f func(testscript.T)) { r.guard(func() { f(r) }) }

// params are the parameters of go-internal's testscript.
func (e *Env) params(ctx context.Context, result *Result) testscript.Params {
	cmds := map[string]func(*testscript.TestScript, bool, []string){}
	for _, c := range Commands {
		cmds[c.Name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(scriptKey{}).(*script)
			s.run(ts, c, neg, args)
		}
	}
	return testscript.Params{
		Cmds: cmds,
		Setup: func(env *testscript.Env) error {
			s := &script{env: e, ctx: ctx, result: result}
			env.Values[scriptKey{}] = s
			env.Defer(s.close)
			return nil
		},
	}
}

type scriptKey struct{}
