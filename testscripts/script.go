package testscripts

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/triage"
	"misstep/triage/blame"
)

// script is one running script: its program and its session.
type script struct {
	env    *Env
	ctx    context.Context
	result *Result

	engine  gobuild.Engine
	adapter *dap.Adapter
	target  dap.Target
	program *gobuild.Program
	build   *gobuild.Build // in mode exec
	opts    dap.Options
	session *dap.Session
	events  []dap.Event
	last    *dap.Output
	dirs    []string // to remove at the end
	memo    *memoized
	release func() // gives it back
}

// temp makes a folder that goes with the script.
func (s *script) temp(name string) (string, error) {
	dir, err := s.env.Keeper.TempDir(name)
	if err == nil {
		s.dirs = append(s.dirs, dir)
	}
	return dir, err
}

// failure is a command that found the debugger to behave otherwise than the
// script says.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

func failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }

// blame looks for evidence where the script itself names the place or the variable that
// the debugger has otherwise.
func (s *script) blame(c *call) {
	if !s.env.Blame || s.build == nil || len(c.args) == 0 {
		return
	}
	f := &oracle.Finding{Oracle: "script", Base: s.events, Index: len(s.events) - 1}
	if _, _, err := place(c.args[0]); err == nil {
		f.Diff = &dap.Difference{Kind: dap.DiffLocation, A: c.args[0]}
	} else if strings.HasPrefix(c.name, "var") {
		f.Diff = &dap.Difference{Kind: dap.DiffVariables, What: c.args[0]}
	} else {
		return
	}
	e := blame.Of(f, s.build)
	s.result.Evidence = &e
}

// found is the failure of a command that judges, and keeps the classes of what it
// found.
func (s *script) found(err error, found ...*oracle.Finding) error {
	if s.result == nil {
		return err
	}
	src, loadErr := s.source()
	if loadErr != nil {
		return loadErr
	}
	if s.env.Blame && len(found) > 0 && s.build != nil {
		e := blame.Of(found[0], s.build)
		s.result.Evidence = &e
	}
	for _, f := range found {
		s.result.Classes = append(s.result.Classes, triage.Class(f, src))
	}
	return err
}

func (s *script) run(ts *testscript.TestScript, c Command, neg bool, args []string) {
	set := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	call := &call{name: c.Name, script: s, ts: ts, neg: neg}
	if c.flags != nil {
		c.flags(set, call)
	}
	usage := func(err string) {
		ts.Fatalf("%s: %s; usage: %s", c.Name, err, c.Usage)
	}
	if err := set.Parse(args); err != nil {
		usage(err.Error())
	}
	call.args = set.Args()
	if n := len(call.args); n < c.min || c.max >= 0 && n > c.max {
		usage(fmt.Sprintf("%d arguments", n))
	}
	if neg && !c.neg {
		usage("! has no meaning here")
	}
	if s.session == nil && c.Name != "debug" {
		ts.Fatalf("%s: there is no session yet; a script begins with debug", c.Name)
	}
	err := c.do(call)
	if err == nil {
		return
	}
	var f *failure
	if errors.As(err, &f) && s.result != nil {
		s.result.Finding = true
		if s.result.Classes == nil {
			s.result.Classes = []string{"script/" + c.Name}
			s.blame(call)
		}
	}
	ts.Fatalf("%s: %v", c.Name, err)
}

func (s *script) close() {
	if s.session != nil {
		if s.result != nil {
			s.result.Trace = &dap.Trace{Program: s.program.Name, Engine: s.engine.String(), Events: s.events}
			s.result.Panicked = s.panicked()
		}
		s.session.Close()
		s.session = nil
	}
	if s.release != nil {
		s.release()
	}
	for _, dir := range s.dirs {
		os.RemoveAll(dir)
	}
}

// panicked are the adapter's functions on the first stack of a panic that it answered
// with, or printed.
func (s *script) panicked() []string {
	for _, w := range s.session.Wire() {
		e, ok := w.Msg.(*godap.ErrorResponse)
		if !ok || e.Body.Error == nil {
			continue
		}
		if stack := oracle.Panicked(e.Body.Error.Format); len(stack) > 0 {
			return stack
		}
	}
	return oracle.Panicked(s.session.Stderr())
}

// open builds the program in the script's folder and launches it.
func (s *script) open(c *call, engine, mode, early string) error {
	if s.session != nil {
		return errors.New("the script has a session already")
	}
	if s.env.Engine != "" {
		engine = s.env.Engine
	}
	e, err := gobuild.ParseEngine(engine)
	if err != nil {
		return err
	}
	s.engine = e
	if s.adapter = s.env.Adapter; s.adapter == nil {
		if s.adapter, err = dap.Resolve(s.ctx, s.env.Cache, e); err != nil {
			return err
		}
	}
	dir := c.ts.MkAbs(".")
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		version, err := s.env.Cache.GoEnv(s.ctx, e, "GOVERSION")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), gen.GoMod(version), 0o666); err != nil {
			return err
		}
	} else if s.env.Engine != "" {
		if err := s.lower(filepath.Join(dir, "go.mod")); err != nil {
			return err
		}
	}
	p := &gobuild.Program{Name: c.ts.Name(), Dir: dir, Target: []string{c.args[0]}, RunArgs: c.args[1:], Test: mode == "test"}
	pkg := filepath.Join(dir, c.args[0])
	if strings.HasSuffix(pkg, ".go") {
		p.Files = []string{pkg}
	} else if p.Files, err = filepath.Glob(filepath.Join(pkg, "*.go")); err != nil || len(p.Files) == 0 {
		return fmt.Errorf("no Go files in %s", c.args[0])
	}
	slices.Sort(p.Files)
	if mode != "test" {
		p.Files = slices.DeleteFunc(p.Files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	}
	s.program = p
	s.opts = s.env.Options
	if early != "" {
		s.opts.Early = strings.Split(early, ",")
	}
	switch mode {
	case "exec":
		b, err := s.share(dir, p, e)
		if err != nil {
			return err
		}
		s.build, s.target = b, dap.TargetOf(b)
		if err := s.ends(); err != nil {
			return err
		}
	case "debug", "test":
		s.target = dap.Target{Program: pkg, Mode: mode, Args: p.RunArgs, Dir: dir, Env: gobuild.RunEnv, Root: dir}
	default:
		return fmt.Errorf("mode %q: expected exec, debug or test", mode)
	}
	session, out, err := dap.Open(s.ctx, s.env.Keeper, s.adapter, s.target, s.opts)
	if err != nil {
		return err
	}
	s.session, s.last = session, out
	if out != nil {
		if c.neg {
			return nil
		}
		return failf("the program is not launched: %s", out)
	}
	if c.neg {
		return failf("the program is launched")
	}
	return nil
}

// lower lets a toolchain build a program that was packed with a newer one: it takes
// modules only up to its own language version.
func (s *script) lower(file string) error {
	toolchain, err := s.env.Cache.GoEnv(s.ctx, s.engine, "GOVERSION")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mod, err := modfile.ParseLax(file, text, nil)
	if err != nil || mod.Go == nil || gobuild.Minor(toolchain) < 0 || gobuild.Minor("go"+mod.Go.Version) <= gobuild.Minor(toolchain) {
		return nil // the go command will tell what is wrong with it
	}
	if err := mod.AddGoStmt(fmt.Sprintf("1.%d", gobuild.Minor(toolchain))); err != nil {
		return err
	}
	mod.DropToolchainStmt()
	if text, err = mod.Format(); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// call is one line of a script.
type call struct {
	name   string
	script *script
	ts     *testscript.TestScript
	neg    bool
	args   []string

	condition, hit, log string
	reason, typ         string
	engine, mode, early string
	frame, page         int
	instruction         bool
	order               string
}

// act carries out an action and remembers it.
func (c *call) act(a dap.Action) (*dap.Output, error) {
	s := c.script
	out, err := s.session.Do(s.ctx, a)
	if err != nil {
		return nil, err
	}
	s.events = append(s.events, dap.Event{Action: a, Output: out})
	s.last = &out
	c.ts.Logf("%s", out)
	if out.Kind.Fatal() {
		return nil, failf("%s", out)
	}
	if out.Kind == dap.Ended {
		io.WriteString(c.ts.Stdout(), out.Exit.Stdout)
		io.WriteString(c.ts.Stderr(), out.Exit.Stderr)
	}
	return &out, nil
}

// place reads file:line.
func place(arg string) (file string, line int, err error) {
	i := strings.LastIndex(arg, ":")
	if i > 0 {
		line, err = strconv.Atoi(arg[i+1:])
	}
	if i <= 0 || err != nil || line <= 0 {
		return "", 0, fmt.Errorf("expected file:line, not %q", arg)
	}
	return arg[:i], line, nil
}
