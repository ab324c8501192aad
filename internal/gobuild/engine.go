package gobuild

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// PinnedDelve is the version of Delve that the engine "dlv" stands for. It is
// the one that tools/dlv/go.mod requires; a test holds the two together.
const PinnedDelve = "v1.27.2"

// DefaultGCFlags turn off optimisation and inlining, in the program and in all
// it imports, as debuggers for Go expect.
const DefaultGCFlags = "all=-N -l"

// DefaultLDFlags leave debug information uncompressed: a debugger starts
// faster, and shows the same.
const DefaultLDFlags = "-compressdwarf=false"

// An Engine is all that is under test: adapter, version, toolchain, build
// options. Its text form is that of [ParseEngine].
type Engine struct {
	Adapter string // dlv, lldb-dap, gdb, or the path of an adapter file
	Version string // of dlv: a version of its module; empty for the pinned one
	Path    string // the adapter's binary, when given

	Go         string // toolchain, as GOTOOLCHAIN names it; empty for the go command's own
	Experiment string // GOEXPERIMENT
	BuildMode  string // go build -buildmode
	GCFlags    string // go build -gcflags, or own= and flags for the program's own package alone
	LDFlags    string // go build -ldflags
	CGO        string // CGO_ENABLED
	AMD64      string // GOAMD64
	Trimpath   bool   // go build -trimpath
	// DebugInfo says where the debug information is kept apart from the binary, which has a link to it: Beside or Below it. Empty
	// for within.
	DebugInfo string

	Unchecked bool // Delve is told not to mind the program's Go version
}

// Where debug information may lie that is kept apart: in a file beside the binary, or in the folder .debug there.
const (
	Beside = "beside"
	Below  = "below"
)

// engineOptions are the keys after the first comma.
var engineOptions = map[string]func(*Engine, string) error{
	"go":         func(e *Engine, v string) error { e.Go = v; return nil },
	"experiment": func(e *Engine, v string) error { e.Experiment = v; return nil },
	"buildmode":  func(e *Engine, v string) error { e.BuildMode = v; return nil },
	"gcflags":    func(e *Engine, v string) error { e.GCFlags = v; return nil },
	"ldflags":    func(e *Engine, v string) error { e.LDFlags = v; return nil },
	"cgo":        func(e *Engine, v string) error { e.CGO = v; return nil },
	"amd64":      func(e *Engine, v string) error { e.AMD64 = v; return nil },
	"trimpath": func(e *Engine, v string) error {
		if v != "" && v != "true" {
			return fmt.Errorf("trimpath takes no value, not %q", v)
		}
		e.Trimpath = true
		return nil
	},
	"debuginfo": func(e *Engine, v string) error {
		if v != Beside && v != Below {
			return fmt.Errorf("debuginfo: expected %s or %s, not %q", Beside, Below, v)
		}
		e.DebugInfo = v
		return nil
	},
	"unchecked": func(e *Engine, v string) error {
		if v != "" && v != "true" {
			return fmt.Errorf("unchecked takes no value, not %q", v)
		}
		if e.Adapter != "dlv" {
			return fmt.Errorf("unchecked is for dlv, not %s", e.Adapter)
		}
		e.Unchecked = true
		return nil
	},
}

// ParseEngine reads an engine such as
//
//	dlv
//	dlv@v1.26.0
//	dlv=./path/to/dlv
//	lldb-dap
//	adapter.toml
//	dlv@v1.26.0,go=go1.25.0,experiment=nodwarf5,buildmode=pie,trimpath
func ParseEngine(text string) (Engine, error) {
	parts := strings.Split(text, ",")
	e := Engine{GCFlags: DefaultGCFlags, LDFlags: DefaultLDFlags}
	name := parts[0]
	switch {
	case strings.Contains(name, "="):
		e.Adapter, e.Path, _ = strings.Cut(name, "=")
	case strings.Contains(name, "@"):
		e.Adapter, e.Version, _ = strings.Cut(name, "@")
	default:
		e.Adapter = name
	}
	if strings.Contains(name, "=") && e.Path == "" || strings.Contains(e.Adapter, "@") {
		return e, fmt.Errorf("engine %q: expected a path after %s=, as in dlv=./dlv", text, e.Adapter)
	}
	if e.Adapter == "" {
		return e, fmt.Errorf("engine %q: expected an adapter first, such as dlv, dlv@v1.26.0, lldb-dap or adapter.toml", text)
	}
	if e.Version != "" && e.Adapter != "dlv" {
		return e, fmt.Errorf("engine %q: only dlv can be built by version; name the binary with %s=PATH", text, e.Adapter)
	}
	for _, part := range parts[1:] {
		key, value, _ := strings.Cut(part, "=")
		set, ok := engineOptions[key]
		if !ok {
			return e, fmt.Errorf("engine %q: unknown option %q; expected one of go, experiment, buildmode, gcflags, ldflags, cgo, amd64, trimpath, debuginfo, unchecked", text, key)
		}
		if err := set(&e, value); err != nil {
			return e, fmt.Errorf("engine %q: %w", text, err)
		}
	}
	return e, nil
}

// String is the engine's text form, which ParseEngine reads back.
func (e Engine) String() string {
	s := e.Adapter
	switch {
	case e.Path != "":
		s += "=" + e.Path
	case e.Adapter == "dlv" && e.Version == "":
		s += "@" + PinnedDelve
	case e.Version != "":
		s += "@" + e.Version
	}
	for _, o := range []struct{ key, value, dflt string }{
		{"go", e.Go, ""},
		{"experiment", e.Experiment, ""},
		{"buildmode", e.BuildMode, ""},
		{"gcflags", e.GCFlags, DefaultGCFlags},
		{"ldflags", e.LDFlags, DefaultLDFlags},
		{"cgo", e.CGO, ""},
		{"amd64", e.AMD64, ""},
		{"debuginfo", e.DebugInfo, ""},
	} {
		if o.value != o.dflt {
			s += "," + o.key + "=" + o.value
		}
	}
	if e.Trimpath {
		s += ",trimpath"
	}
	if e.Unchecked {
		s += ",unchecked"
	}
	return s
}

// SameBuild reports whether both engines debug the same binary.
func (e Engine) SameBuild(o Engine) bool {
	e.Adapter, e.Version, e.Path, e.Unchecked = o.Adapter, o.Version, o.Path, o.Unchecked
	return e == o
}

// BuiltAs is e with the options of the build that another engine has, where e says nothing of them. The toolchain
// goes with the debugger, and stays e's own.
func (e Engine) BuiltAs(o Engine) Engine {
	if e.GCFlags == DefaultGCFlags {
		e.GCFlags = o.GCFlags
	}
	if e.LDFlags == DefaultLDFlags {
		e.LDFlags = o.LDFlags
	}
	e.BuildMode, e.Experiment = cmp.Or(e.BuildMode, o.BuildMode), cmp.Or(e.Experiment, o.Experiment)
	e.CGO, e.AMD64 = cmp.Or(e.CGO, o.CGO), cmp.Or(e.AMD64, o.AMD64)
	e.Trimpath, e.DebugInfo = e.Trimpath || o.Trimpath, cmp.Or(e.DebugInfo, o.DebugInfo)
	return e
}

// Env is what the go command needs in its environment to build as e says.
func (e Engine) Env() []string {
	var env []string
	for _, o := range []struct{ name, value string }{
		{"GOTOOLCHAIN", e.Go},
		{"GOEXPERIMENT", e.Experiment},
		{"CGO_ENABLED", e.CGO},
		{"GOAMD64", e.AMD64},
	} {
		if o.value != "" {
			env = append(env, o.name+"="+o.value)
		}
	}
	if flags, ok := olderFlags(e.Go); ok {
		env = append(env, "GOFLAGS="+flags)
	}
	if os.Getenv("GO111MODULE") == "off" {
		env = append(env, "GO111MODULE=on") // programs are modules, or are made to be
	}
	return env
}

// Flags are the go build flags that e asks for.
func (e Engine) Flags() []string {
	flags := []string{"-gcflags=" + e.GCFlags, "-ldflags=" + e.LDFlags}
	if own, ok := e.own(); ok {
		flags = slices.Replace(flags, 0, 1, "-gcflags="+DefaultGCFlags, "-gcflags="+own)
	}
	if vcs := "-buildvcs=false"; knows(e.Go, vcs) {
		flags = append(flags, vcs)
	}
	if e.BuildMode != "" {
		flags = append(flags, "-buildmode="+e.BuildMode)
	}
	if e.Trimpath {
		flags = append(flags, "-trimpath")
	}
	return flags
}

// own are the compiler's flags for the program's own package, where all else is compiled as by default: the standard library
// is not compiled once more for it.
func (e Engine) own() (flags string, ok bool) { return strings.CutPrefix(e.GCFlags, "own=") }

// Compiler are the compiler's flags for the program's own package.
func (e Engine) Compiler() string {
	if own, ok := e.own(); ok {
		return own
	}
	return strings.TrimPrefix(e.GCFlags, "all=")
}

// Shared are the flags by which the engine's builds compile what programs import, for commands that ask for the same: what has been
// compiled once is not compiled once more. There are none if that is compiled as usual.
func (e Engine) Shared() (flags []string) {
	switch _, own := e.own(); {
	case own:
		flags = append(flags, "-gcflags="+DefaultGCFlags)
	case strings.HasPrefix(e.GCFlags, "all="): // others are for the packages that are named
		flags = append(flags, "-gcflags="+e.GCFlags)
	}
	if e.BuildMode != "" {
		flags = append(flags, "-buildmode="+e.BuildMode)
	}
	return flags
}

// Elsewhere reports whether the engine's go command can be told which folder to work in, by its flag -C.
func (e Engine) Elsewhere() bool { return knows(e.Go, "-C") }

// CompilesC reports whether programs with import "C" can be built: cgo is not turned off, and there is a compiler of C.
func (e Engine) CompilesC() bool { return e.compiles("CC", "gcc") }

// CompilesCPlus is CompilesC for C++.
func (e Engine) CompilesCPlus() bool { return e.CompilesC() && e.compiles("CXX", "g++") }

// compiles reports whether there is a compiler that a variable of the environment names, or else the usual one.
func (e Engine) compiles(variable, usual string) bool {
	if e.CGO == "0" || os.Getenv("CGO_ENABLED") == "0" || strings.Contains(e.LDFlags, "-linkmode=internal") {
		return false
	}
	cc, _, _ := strings.Cut(cmp.Or(os.Getenv(variable), usual), " ")
	_, err := exec.LookPath(cc)
	return err == nil
}

// Stripped reports whether the engine's build of a program has no debug information: the linker is told so, or to leave out
// the symbol table and not told to keep it (cmd/link, flags -w and -s).
func (e Engine) Stripped(p *Program) bool {
	without := map[string]bool{}
	for _, f := range strings.Fields(p.later("ldflags", e.LDFlags)) {
		name, value, has := strings.Cut(strings.TrimLeft(f, "-"), "=")
		on, err := strconv.ParseBool(value)
		without[name] = !has || err == nil && on
	}
	if w, told := without["w"]; told {
		return w
	}
	return without["s"]
}

// Optimises reports whether the engine's build of a program has optimised or inlined code in any
// package: its flags, or the program's own, which come later, do not turn both off everywhere.
func (e Engine) Optimises(p *Program) bool {
	e.GCFlags = p.later("gcflags", e.GCFlags)
	flags, ok := e.own()
	if !ok {
		flags, ok = strings.CutPrefix(e.GCFlags, "all=")
	}
	words := strings.Fields(flags)
	return !ok || !slices.Contains(words, "-N") || !slices.Contains(words, "-l")
}

// later is a flag of the go command as the program's own have it, which come after the engine's.
func (p *Program) later(flag, engines string) string {
	if p == nil {
		return engines
	}
	for i, f := range p.Flags {
		name, value, has := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch {
		case name != flag:
		case has:
			engines = value
		case i+1 < len(p.Flags):
			engines = p.Flags[i+1]
		}
	}
	return engines
}
