package build

import (
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/transform"
)

// A Build is a transformation of the build: other options for the same source.
type Build struct {
	Name, Doc string
	// Everything says that the options also concern the standard library, which
	// the go command then compiles once.
	Everything bool
	// Later says that a hunt makes it only when it has been under way for a while: the go command compiles the standard library
	// for it, most likely, if the toolchain was not used before.
	Later bool
	// View is what of a session is compared.
	View transform.View
	// Renames says that files have other names in the binary, which the adapter
	// has to be told of, see dap.Adapter.Substitutes.
	Renames bool

	// suits reports whether the options are not so already, and do not exclude each
	// other; set changes them.
	suits func(e gobuild.Engine) bool
	set   func(e *gobuild.Engine)
}

// With returns the engine with the options changed; ok is false if they are so
// already, or exclude each other.
func (b Build) With(e gobuild.Engine) (_ gobuild.Engine, ok bool) {
	if !b.suits(e) {
		return e, false
	}
	b.set(&e)
	return e, true
}

// All are the transformations of the build.
var All = []Build{
	{
		Name: "compressed-dwarf", Doc: "Compresses the debug information: no difference.",
		suits: func(e gobuild.Engine) bool { return strings.Contains(e.LDFlags, gobuild.DefaultLDFlags) },
		set: func(e *gobuild.Engine) {
			e.LDFlags = strings.ReplaceAll(e.LDFlags, gobuild.DefaultLDFlags, "-compressdwarf=true")
		},
	},
	{
		Name: "external-linking", Doc: "Links with the system's linker: no difference.",
		suits: func(e gobuild.Engine) bool { return !strings.Contains(e.LDFlags, "-linkmode") && e.CGO != "0" },
		set:   func(e *gobuild.Engine) { e.LDFlags = strings.TrimSpace(e.LDFlags + " -linkmode=external") },
	},
	{
		Name: "dwarf-4", Doc: "Writes debug information in version 4 of DWARF instead of 5: no difference.", Everything: true,
		suits: func(e gobuild.Engine) bool { return e.Experiment == "" },
		set:   func(e *gobuild.Engine) { e.Experiment = "nodwarf5" },
	},
	{
		Name: "pie", Doc: "Builds a position-independent executable: no difference.", Everything: true,
		suits: func(e gobuild.Engine) bool { return e.BuildMode == "" },
		set:   func(e *gobuild.Engine) { e.BuildMode = "pie" },
	},
	{
		Name: "no-cgo", Doc: "Builds without cgo: no difference.", Everything: true,
		suits: func(e gobuild.Engine) bool { return e.CGO == "" && !strings.Contains(e.LDFlags, "-linkmode") },
		set:   func(e *gobuild.Engine) { e.CGO = "0" },
	},
	{
		Name: "amd64-v3", Doc: "Compiles for newer processors, GOAMD64=v3: no difference.", Everything: true,
		suits: func(e gobuild.Engine) bool { return e.AMD64 == "" },
		set:   func(e *gobuild.Engine) { e.AMD64 = "v3" },
	},
	{
		Name: "trimpath", Doc: "Builds with -trimpath, and tells the debugger which folders the trimmed names stand for: no difference.", Everything: true, Renames: true,
		suits: func(e gobuild.Engine) bool { return !e.Trimpath },
		set:   func(e *gobuild.Engine) { e.Trimpath = true },
	},
	separate("separate-debug", gobuild.Beside, "beside it"),
	separate("separate-folder", gobuild.Below, "in the folder .debug beside it, and without a symbol table"),
	stripped("stripped", "-s -w", "", "without a symbol table and debug information"),
	stripped("no-dwarf", "-w", "", "without debug information"),
	stripped("stripped-pie", "-s -w", "pie", "without a symbol table and debug information, as a position-independent executable"),
	inlined("inline-own", "own=-N", "with inlining, and no more, in the program's own package"),
	optimised("optimise-inline", "all=-N", "with inlining (-N alone)"),
	optimised("optimise-code", "all=-l", "with optimisation (-l alone)"),
	optimised("optimise-own", "own=", "with optimisation and inlining in the program's own package"),
	optimised("optimise", "", "as users build, with optimisation and inlining"),
}

func optimised(name, gcflags, how string) Build {
	return Build{
		Name:       name,
		Doc:        "Compiles " + how + ": a variable may be unavailable and a line may be passed by, but a breakpoint that is verified and whose line runs is hit, one at a function is hit at its first statement, and no value, name or function that is shown is another.",
		Everything: strings.HasPrefix(gcflags, "all="), Later: gcflags == "", View: transform.AtBreakpoints,
		suits: func(e gobuild.Engine) bool { return e.GCFlags == gobuild.DefaultGCFlags },
		set:   func(e *gobuild.Engine) { e.GCFlags = gcflags },
	}
}

// separate is a build whose debug information is in a file of its own.
func separate(name, where, how string) Build {
	return Build{
		Name: name, Doc: "Keeps the debug information apart from the binary, " + how + ", with a link to it: no difference.",
		suits: func(e gobuild.Engine) bool { return e.DebugInfo == "" && !e.Stripped(nil) },
		set:   func(e *gobuild.Engine) { e.DebugInfo = where },
	}
}

// inlined is a build in which functions are inlined and variables are kept.
func inlined(name, gcflags, how string) Build {
	b := optimised(name, gcflags, how)
	b.Doc = "Compiles " + how + ": where a breakpoint is hit as often as without, each variable of the function is shown as it was."
	b.View = transform.Inlined
	return b
}

func stripped(name, ldflags, mode, how string) Build {
	return Build{
		Name: name,
		Doc:  "Links " + how + ": the program is launched, breakpoints at its functions are set and hit as often, in those functions, and it ends as before.",
		View: transform.ByName, Everything: mode != "",
		suits: func(e gobuild.Engine) bool {
			return !e.Stripped(nil) && e.DebugInfo == "" && !strings.Contains(e.LDFlags, "-linkmode") && e.BuildMode == ""
		},
		set: func(e *gobuild.Engine) {
			e.LDFlags, e.BuildMode = strings.TrimSpace(e.LDFlags+" "+ldflags), mode
		},
	}
}

// Lookup finds a transformation of the build by name.
func Lookup(name string) (Build, bool) {
	for _, b := range All {
		if b.Name == name {
			return b, true
		}
	}
	return Build{}, false
}

func (b Build) atBreakpoints() bool {
	return b.View == transform.AtBreakpoints || b.View == transform.Inlined
}

// Fits reports whether the build can be compared with a base.
func (b Build) Fits(base []dap.Event) bool {
	if len(base) == 0 {
		return false
	}
	for _, e := range base {
		switch {
		case e.Action.Instruction, e.Action.Thread > 0 && e.Action.Kind.Resumes(), e.Action.Kind == dap.InstBreak && e.Output.Breakpoint != nil && e.Output.Breakpoint.Verified, e.Action.Kind == dap.Interrupt:
			return false
		case b.Renames && e.Action.Prompts("config", "sources"):
			return false
		case b.View == transform.ByName:
			switch e.Action.Kind {
			case dap.FuncBreak, dap.FuncUnset, dap.Continue, dap.Finish:
				if e.Action.Condition != "" {
					return false // there are no variables
				}
			default:
				return false
			}
		case b.atBreakpoints() && e.Action.Thread > 0:
			return false // where another goroutine waits, other code has been put in its place
		case b.atBreakpoints():
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
