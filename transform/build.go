package transform

import (
	"context"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// A Build is a transformation of the build: other options for the same source.
type Build struct {
	Name, Doc string
	// With returns the engine with the options changed; ok is false if they are
	// so already, or exclude each other.
	With func(e gobuild.Engine) (_ gobuild.Engine, ok bool)
	// Everything tells that the options also concern the standard library, which
	// the go command then compiles once.
	Everything bool
	// Optimised builds are compared only where they pause at breakpoints.
	Optimised bool
}

// Builds are all transformations of the build.
var Builds = []Build{
	{
		Name: "compressed-dwarf", Doc: "Compresses the debug information: no difference.",
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := strings.Contains(e.LDFlags, "-compressdwarf=false")
			e.LDFlags = strings.TrimSpace(strings.ReplaceAll(e.LDFlags, "-compressdwarf=false", "-compressdwarf=true"))
			return e, ok
		},
	},
	{
		Name: "external-linking", Doc: "Links with the system's linker: no difference.",
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := !strings.Contains(e.LDFlags, "-linkmode") && e.CGO != "0"
			e.LDFlags = strings.TrimSpace(e.LDFlags + " -linkmode=external")
			return e, ok
		},
	},
	{
		Name: "dwarf-4", Doc: "Writes debug information in version 4 of DWARF instead of 5: no difference.", Everything: true,
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := e.Experiment == ""
			e.Experiment = "nodwarf5"
			return e, ok
		},
	},
	{
		Name: "pie", Doc: "Builds a position-independent executable: no difference.", Everything: true,
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := e.BuildMode == ""
			e.BuildMode = "pie"
			return e, ok
		},
	},
	{
		Name: "no-cgo", Doc: "Builds without cgo: no difference.", Everything: true,
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := e.CGO == "" && !strings.Contains(e.LDFlags, "-linkmode")
			e.CGO = "0"
			return e, ok
		},
	},
	{
		Name: "amd64-v3", Doc: "Compiles for newer processors, GOAMD64=v3: no difference.", Everything: true,
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := e.AMD64 == ""
			e.AMD64 = "v3"
			return e, ok
		},
	},
	{
		Name: "trimpath", Doc: "Builds with -trimpath, and tells the debugger which folder the trimmed names stand for: no difference.", Everything: true,
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := !e.Trimpath
			e.Trimpath = true
			return e, ok
		},
	},
	optimised("optimise-inline", "all=-N", "with inlining (-N alone)"),
	optimised("optimise-code", "all=-l", "with optimisation (-l alone)"),
	optimised("optimise", "", "as users build, with optimisation and inlining"),
}

func optimised(name, gcflags, how string) Build {
	return Build{
		Name:       name,
		Doc:        "Compiles " + how + ": a variable may be unavailable and a line may be passed by, but a breakpoint that is verified and whose line runs is hit, and no value, name or function that is shown is another.",
		Everything: true, Optimised: true,
		With: func(e gobuild.Engine) (gobuild.Engine, bool) {
			ok := e.GCFlags == gobuild.DefaultGCFlags
			e.GCFlags = gcflags
			return e, ok
		},
	}
}

// LookupBuild finds a transformation of the build by name.
func LookupBuild(name string) (Build, bool) {
	for _, b := range Builds {
		if b.Name == name {
			return b, true
		}
	}
	return Build{}, false
}

// Fits tells whether the build can be compared with a base.
func (b Build) Fits(base []dap.Event) bool {
	if len(base) == 0 {
		return false
	}
	for _, e := range base {
		switch {
		case e.Action.Instruction, e.Action.Kind == dap.InstBreak && e.Output.Breakpoint != nil && e.Output.Breakpoint.Verified, e.Action.Kind == dap.Interrupt:
			return false
		case b.Optimised:
			// The debugger's own calls and assignments, and steps, find other code.
			switch e.Action.Kind {
			case dap.Break, dap.Unbreak, dap.Continue, dap.Finish, dap.Stack, dap.Vars, dap.Threads:
				if e.Action.Hit != "" {
					return false
				}
			case dap.Evaluate:
				if strings.HasPrefix(e.Action.Name, "call ") {
					return false
				}
			case dap.FuncBreak, dap.FuncUnset:
			default:
				return false
			}
		}
	}
	return true
}

// FollowBuild does with another build what was done with the first, and holds
// what is shown against it.
func FollowBuild(ctx context.Context, b Build, base []dap.Event, src *source.Source, s *dap.Session) (*Driver, error) {
	rel := &Relation{Old: src, New: src, Lines: &srcedit.Map{}}
	d := &Driver{Base: base, Source: src, Session: s, ctx: ctx}
	if b.Optimised {
		return d, d.optimised(rel)
	}
	return d, d.follow(rel)
}
