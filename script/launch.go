package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"misstep/dap"
	"misstep/debugger"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/transform/action"
)

// launch builds the program and launches it.
func launch(r *run, c *Command) error {
	engine, mode := c.Option("engine"), c.Option("mode")
	if engine == "" {
		engine = DefaultEngine
	}
	e, err := gobuild.ParseEngine(engine)
	if err != nil {
		return err
	}
	if r.env.Engine != "" {
		other, err := gobuild.ParseEngine(r.env.Engine)
		if err != nil {
			return err
		}
		e = other.BuiltAs(e) // what the build is like belongs to the finding
	}
	r.engine = e
	if r.adapter = r.env.Adapter; r.adapter == nil && e.Adapter != dap.Recorded {
		if r.adapter, err = dap.Resolve(r.ctx, r.env.Cache, e); err != nil {
			return err
		}
	}
	r.opts = r.env.Options
	if early := c.Option("early"); early != "" {
		r.opts.Early = strings.Split(early, ",")
	}
	switch mode {
	case "", "exec", testsMode:
		if r.build, err = r.share(c); err != nil {
			return err
		}
		r.target = dap.TargetOf(r.build)
		if r.adapter == nil {
			if err := r.recorded(); err != nil {
				return err
			}
		}
		if err := r.fits(); err != nil {
			return err
		}
	case "debug", "test":
		if r.adapter == nil {
			r.lacks("mode " + mode)
			return fmt.Errorf("engine %s: a recorded run answers for a program that misstep has built", e)
		}
		dir, err := r.temp("script")
		if err != nil {
			return err
		}
		if r.program, err = r.unpack(dir, c); err != nil {
			return err
		}
		r.target = dap.Target{Endless: c.endless(), Program: filepath.Join(dir, c.Args[0]), Mode: mode, Args: c.Args[1:], Dir: dir, Env: gobuild.RunEnv, Root: dir}
	default:
		return fmt.Errorf("mode %q: expected exec, %s, debug or test", mode, testsMode)
	}
	if err := action.Start(&r.target, c.Option("as")); err != nil {
		return fmt.Errorf("-as: %w", err)
	}
	session, out, err := dap.Open(r.ctx, r.env.Keeper, r.adapter, r.target, r.opts)
	if err != nil {
		return err
	}
	r.session, r.last = session, out
	switch {
	case out != nil && c.Not:
		return nil
	case out != nil:
		r.events = append(r.events, dap.Event{Output: *out})
		r.result.Died = "the program is not launched: " + out.String()
		return fmt.Errorf("%w: the program is not launched: %s", errOver, out)
	case c.Not:
		return failf("the program is launched")
	}
	return nil
}

// recorded has a recorded run of the program answer as the debugger.
func (r *run) recorded() error {
	var actions []dap.Action
	for _, c := range r.script.Commands {
		if c.Acts() {
			actions = append(actions, c.Action)
		}
	}
	plain, err := r.plain()
	if err != nil {
		return err
	}
	m, err := r.model(r.ctx, actions)
	if err != nil {
		return err
	}
	if m.Why != "" {
		return fmt.Errorf("%w: %s", errNoReference, m.Why)
	}
	r.adapter = debugger.Adapter(m.Stops(), plain.ExitCode, plain.Stderr)
	return nil
}

// testsMode is the mode in which misstep builds the tests of a package, and the debugger executes them.
const testsMode = "exec-test"

// tests reports whether what a command launches is the tests of a package.
func tests(launch *Command) bool {
	return launch.Option("mode") == testsMode || launch.Option("mode") == "test"
}

// unpack writes the script's program into a folder, with a go.mod that its toolchain
// takes.
func (r *run) unpack(dir string, c *Command) (*gobuild.Program, error) {
	s := r.script
	name := s.Head.Program
	if name == "" {
		name = "script"
	}
	p, err := gobuild.Unpack(dir, name, s.Files, c.Args[0], c.Args[1:], tests(c))
	if err != nil {
		return nil, err
	}
	mod := filepath.Join(dir, "go.mod")
	p.Endless = c.endless()
	if s.File("go.mod") != nil {
		if r.env.Engine != "" {
			err = r.lower(mod)
		}
		return p, err
	}
	version, err := r.env.Cache.GoEnv(r.ctx, r.engine, "GOVERSION")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(mod, gen.GoMod(version), 0o666); err != nil {
		return nil, fmt.Errorf("writing go.mod: %w", err)
	}
	return p, nil
}

// lower lets a toolchain build a program that was packed with a newer one: it takes
// modules only up to its own language version.
func (r *run) lower(file string) error {
	toolchain, err := r.env.Cache.GoEnv(r.ctx, r.engine, "GOVERSION")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(file, text, nil) // which knows of toolchain lines
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

// errNotBuilt says that a command needs a program that misstep builds.
var errNotBuilt = errors.New("only in mode exec")
