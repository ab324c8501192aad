package dap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"misstep/internal/gobuild"
)

// A Target is what a session runs.
type Target struct {
	Program string // the binary, or the package in modes debug and test
	Mode    string // exec by default; debug and test let the adapter build
	// Package is what the program is built from, a folder or a file, and Flags how; an adapter that builds it needs
	// BuildEnv. Package is empty if an adapter could not.
	Package  string
	Flags    []string
	BuildEnv []string
	// Elsewhere says that what builds it can be told which folder to work in, see [gobuild.Engine.Elsewhere].
	Elsewhere bool
	Test      bool // it is the package's tests
	// Stripped says that it is built without debug information, so that there are no variables.
	Stripped bool
	Output   string   // where an adapter that builds the program is to put it
	Attach   string   // how to attach to the program, one of Attaches; empty to launch it
	Args     []string // of the program
	// Endless is after how long the program is asked to pause where nothing pauses it; 0 for one that ends by itself, which is waited for.
	Endless time.Duration
	First   []string // those that it is launched with, where a restart is to set the others; nil for the same
	Dir     string   // where the program runs
	Env     []string // NAME=VALUE, for the program
	Root    string   // file names in actions and outputs are relative to it
	Symbols *gobuild.Symbols
	// Overlay names files that the build had and that are not on disk, or there
	// with another text.
	Overlay map[string][]byte
	// Substitute maps folders as they are here to how the binary names them.
	Substitute map[string]string
	// Trimmed says that the build had -trimpath.
	Trimmed bool
	// trimmed are Substitute in a build with -trimpath.
	trimmed map[string]string
	// Settings are arguments of the launch request beside the adapter's own, which they replace.
	Settings map[string]any
	// As says how the target was changed from what [TargetOf] gives, in words of scripts, see [Starts].
	As string
	// Client is what the initialize request says of the client, beside what is true of misstep.
	Client map[string]any
	// Copy, if not nil, says that the package is copied into a folder of the session's own, where its files may change.
	Copy *Copy

	// stdout and stderr are files for what the program prints, if the settings name them.
	stdout, stderr string

	program   *gobuild.Program
	optimised bool // the build has flags of the compiler that are not Delve's
}

// A Copy is how the copy of a program differs from the program when the session begins.
type Copy struct {
	File  string // one of its own, relative to its folder
	Lines int    // so many empty lines more are at the beginning of that
	Tag   string // without this build tag it does not compile; empty for none
	Held  bool   // it waits before its main until Session.Release
}

// FollowExec is the setting by which what the program executes is debugged as well.
const FollowExec = "followExec"

// NoDebug is the setting by which a program is only run, without a debugger.
const NoDebug = "noDebug"

// built reports whether the adapter builds the program.
func (t *Target) built() bool { return t.Mode == "debug" || t.Mode == "test" }

// bare reports whether the program is only to be run.
func (t *Target) bare() bool { return t.Settings[NoDebug] == true }

// TargetOf is the target that runs a build as its program says.
func TargetOf(b *gobuild.Build) Target {
	t := Target{
		Program: b.Binary, Args: b.Program.RunArgs, Dir: b.Program.RunDir(),
		Env: gobuild.RunEnv, Root: b.Program.Dir, Symbols: b.Symbols, Overlay: b.Program.Overlay,
	}
	p := b.Program
	t.Endless = p.Endless
	t.trimmed = p.Trimmed()
	if b.Engine.Trimpath {
		t.Trim()
	}
	t.Package, t.program = p.OnDisk(), p
	t.Stripped = b.Engine.Stripped(p)
	t.Elsewhere = b.Engine.Elsewhere()
	t.Flags, t.BuildEnv, t.Test = slices.Concat(b.Engine.Flags(), p.Flags), b.Engine.Env(), p.Test
	t.optimised = b.Engine.GCFlags != gobuild.DefaultGCFlags
	if t.optimised && !slices.ContainsFunc(t.Flags, func(f string) bool { return strings.HasPrefix(f, "-gcflags=all=") }) {
		// Delve's own come before, and are for all packages.
		t.Flags = slices.Insert(t.Flags, 0, "-gcflags=all=")
	}
	return t
}

// Optimised reports whether the program was built with optimisation or inlining.
func (t Target) Optimised() bool { return t.optimised }

// BuildFlags is what the launch setting of that name is to have some flags be used in a build by Delve: a text, which
// all of its versions read.
func (t *Target) BuildFlags(flags []string) string {
	var words []string
	for _, f := range flags {
		words = append(words, fmt.Sprintf("'%s'", f))
	}
	return strings.Join(words, " ")
}

// Lists reports whether flags may be a list as well: after one Delve has its own flags of the compiler, which would turn off
// what an optimised program is to be compiled with.
func (t *Target) Lists() bool { return !t.optimised }

// Trim says that the build has or will have -trimpath.
func (t *Target) Trim() { t.Trimmed, t.Substitute = true, t.trimmed }

// Options bound a session.
type Options struct {
	Launch  time.Duration // until the program is ready to start
	Request time.Duration // for an answer
	Run     time.Duration // for the program to pause or end, if it does end by itself
	Depth   int           // to which variables are expanded
	Breadth int           // how many variables of a pause are expanded
	Page    int           // children asked for at a time, where there are many
	Pages   int           // how many such pages of one variable
	Output  int           // bytes of the program's output that are kept
	Early   []string      // misuses to send before the program is launched
}

// Patience is by how much longer a session waits when it is carried out once more to see whether the debugger hangs:
// on a machine that is busy, what takes longer than usual ends by then.
const Patience = 4

// Patient are the options with all that is waited for multiplied.
func (o Options) Patient(times int) Options {
	n := time.Duration(times)
	o.Launch, o.Request, o.Run = o.Launch*n, o.Request*n, o.Run*n
	return o
}

// DefaultOptions suit small programs.
func DefaultOptions() Options {
	return Options{
		Launch: 30 * time.Second, Request: 10 * time.Second, Run: 5 * time.Second,
		Depth: 3, Breadth: 40, Page: 64, Pages: 4, Output: 1 << 20,
	}
}
