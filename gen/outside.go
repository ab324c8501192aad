package gen

import (
	"go/ast"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// outsideSessions is how many sessions of an [Asker] there are for each one that also pauses in functions of others.
const outsideSessions = 4

// beneath are functions of the runtime that nearly every program executes: where it allocates, waits and starts a goroutine.
var beneath = []string{
	"runtime.mallocgc", "runtime.newobject", "runtime.makeslice", "runtime.growslice", "runtime.convT64", "runtime.mapassign_faststr",
	"runtime.newproc", "runtime.newproc1", "runtime.gopark", "runtime.goready", "runtime.goexit1",
	"runtime.chansend1", "runtime.chanrecv1", "runtime.gopanic", "runtime.main", "runtime.doInit1", "runtime.morestack", "runtime.systemstack",
	"runtime.printlock",
}

// byThreads are those that its threads come by as time has it: on the stack of the scheduler, and where no goroutine is.
var byThreads = []string{"runtime.schedule", "runtime.execute", "runtime.mstart1", "runtime.stopm", "runtime.gcStart", "runtime.sysmon"}

// byPackage are functions of libraries that a program with an import of the package may come by.
var byPackage = map[string][]string{
	"fmt":     {"fmt.Fprintln", "fmt.(*pp).doPrintln", "fmt.(*pp).printArg", "os.(*File).Write"},
	"sync":    {"sync.(*Mutex).Lock", "sync.(*WaitGroup).Wait"},
	"time":    {"time.Sleep", "time.Now"},
	"strings": {"strings.(*Builder).WriteString", "strings.Repeat", "strings.Split"},
	"sort":    {"sort.Slice", "sort.Sort"},
	"errors":  {"errors.New", "errors.Is"},
	"iter":    {"runtime.coroswitch"},
}

// outside are breakpoints at functions that are none of the program's: at those that are reached as time has it only if the session need not be the
// same each time.
func outside(r *rand.Rand, src *source.Source, most int, timed bool) (points []dap.Action) {
	names := slices.Clone(beneath)
	if timed {
		names = append(names, byThreads...)
	}
	for _, f := range src.Files {
		for _, spec := range f.AST.Imports {
			for _, name := range byPackage[strings.Trim(spec.Path.Value, "\"`")] {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	for _, name := range slices.Concat(inC(src), behind(src)) {
		names = append(names, name, name) // nobody else has them, or surely comes by them
	}
	for _, i := range r.Perm(len(names)) {
		known := slices.ContainsFunc(points, func(a dap.Action) bool { return a.Name == names[i] })
		if len(points) < most && !known {
			points = append(points, dap.Action{Kind: dap.FuncBreak, Name: names[i]})
		}
	}
	return points
}

// behind are functions of the runtime that the program's own statements call.
func behind(src *source.Source) (names []string) {
	add := func(more ...string) {
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, f := range src.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				add("runtime.newproc", "runtime.goexit1")
			case *ast.DeferStmt:
				add("runtime.deferreturn")
			case *ast.SendStmt:
				add("runtime.chansend1")
			case *ast.SelectStmt:
				add("runtime.selectgo")
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					add("runtime.chanrecv1")
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && runtimes[id.Name] != "" {
					add(runtimes[id.Name])
				}
			}
			return true
		})
	}
	return names
}

// runtimes are the functions of the runtime behind those that are built in.
var runtimes = map[string]string{
	"append": "runtime.growslice", "close": "runtime.closechan", "panic": "runtime.gopanic", "recover": "runtime.gorecover", "print": "runtime.printlock",
	"println": "runtime.printlock", "make": "runtime.makeslice", "new": "runtime.newobject",
}

// inC are the functions in C that the program calls, and those that it makes for such calls.
func inC(src *source.Source) (names []string) {
	for _, f := range src.Files {
		if !f.Imports("C") {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name, ok := source.CalledC(call); ok && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return true
		})
		names = append(names, "runtime.cgocall", "runtime.cgocallbackg")
	}
	return names
}
