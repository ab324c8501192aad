package timeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
)

// maxHistory bounds the history of a program whose sessions are judged, in bytes.
const maxHistory = 64 << 20

// A runner runs a recorded program, again for each assignment.
type runner struct {
	recorder *record.Recorder
	rec      *history.Recording
	lim      gobuild.Limits

	diceOnce sync.Once
	dice     bool

	memo history.Memo

	mu   sync.Mutex
	sets map[string]*Run // by the assignments that were made
}

// Exit is how a run ended.
type Exit struct {
	Code   int
	Stdout string
	// Stderr is not known of recorded runs.
	Stderr *string
}

// An Ask chooses what a program is made to evaluate and assign before each statement, see
// [record.Watch]; plan gives the name that a plan has for a file. It may be nil.
type Ask func(plan func(path string) string) func(pkg *history.Package, stmt ast.Stmt, vars []string) (exprs []string, sets []history.Assignment)

// Record records runs of a program and replays them. A program that cannot
// be recorded has a Run that says why. The program is built into a folder, which
// has to stay as long as the model is used.
func Record(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, p *gobuild.Program, e gobuild.Engine, lim gobuild.Limits, dir string, ask Ask) (*Run, error) {
	p, _ = p.Undisturbed()
	r := &runner{recorder: &record.Recorder{Keeper: keeper, Cache: cache}, lim: lim, sets: map[string]*Run{}}
	name := func(path string) string {
		if rel, err := filepath.Rel(p.Dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		return path
	}
	var err error
	watch := &record.Watch{}
	if ask != nil {
		watch.Ask = ask(name)
	}
	_, language, _ := p.Module()
	by := e
	if sameLanguage(e.Go, language) {
		by.Go = "" // the recorder needs another than that toolchain, the program does not
	}
	r.rec, err = r.recorder.Build(ctx, p, by, dir, record.BuildOptions{Watch: watch})
	var build *gobuild.BuildError
	for n := 0; watch.Ask != nil && errors.As(err, &build); n++ {
		// What does not compile is left out, and in the end all of it.
		if watch.Ask = narrowed(watch.Ask, build.Output); n == maxNarrowed {
			watch.Ask = nil
		}
		r.rec, err = r.recorder.Build(ctx, p, by, dir, record.BuildOptions{Watch: watch})
	}
	if err == nil && by != e && len(r.rec.Packages) > 1 && version.Compare(e.Go, "go1.21") < 0 {
		return &Run{Why: "it cannot be recorded: " + e.Go + " initialises its packages in another order than the recorder's toolchain"}, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.As(err, &build) {
		return &Run{Why: "it cannot be recorded: " + strings.ReplaceAll(build.Error(), "\n", " ")}, nil
	}
	if err != nil {
		return nil, err
	}
	if countsItsCode(r.rec) {
		return &Run{Why: "it looks at its own code"}, nil
	}
	if comparesNothing(r.rec) {
		return &Run{Why: "it compares the addresses of variables without size"}, nil
	}
	return r.runs(ctx)
}

// maxNarrowed is how often a program is built once more without some of the expressions that it is recorded with.
const maxNarrowed = 3

// overlaid is a line in what the compiler says of a file that the recorder has changed. Its lines are those of the original.
var overlaid = regexp.MustCompile(`overlay\d+\.go:(\d+)`)

// narrowed leaves out of what a program is recorded with what the compiler has refused: what is asked at the lines that it
// names, and if variables of the package would depend on each other in a circle, all that names some of these.
func narrowed(ask func(*history.Package, ast.Stmt, []string) ([]string, []history.Assignment), output string) func(*history.Package, ast.Stmt, []string) ([]string, []history.Assignment) {
	refused := map[int]bool{}
	for _, m := range overlaid.FindAllStringSubmatch(output, -1) {
		if line, err := strconv.Atoi(m[1]); err == nil {
			refused[line] = true
		}
	}
	circle := strings.Contains(output, "initialization cycle")
	return func(pkg *history.Package, stmt ast.Stmt, vars []string) ([]string, []history.Assignment) {
		if refused[pkg.Fset.PositionFor(stmt.Pos(), false).Line] {
			return nil, nil
		}
		exprs, sets := ask(pkg, stmt, vars)
		if !circle {
			return exprs, sets
		}
		global := func(text string) bool {
			return slices.ContainsFunc(words.FindAllString(text, -1), func(name string) bool {
				_, is := pkg.Types.Scope().Lookup(name).(*types.Var)
				_, fn := pkg.Types.Scope().Lookup(name).(*types.Func)
				return is || fn
			})
		}
		return slices.DeleteFunc(exprs, global), slices.DeleteFunc(sets, func(s history.Assignment) bool { return global(s.Name) || global(s.Value) })
	}
}

// words are the names in an expression, and more.
var words = regexp.MustCompile(`[\pL_][\pL\d_]*`)

// sameLanguage reports whether a package of a toolchain, which is older than what the recorder needs or newer than what it
// can read, does with the local one what it does with it, given the language of its module, empty if it is in none: that language is kept, and with it
// what loops do with their variables, which are others from the language of Go 1.22 on. Whether the program prints what it
// does otherwise is looked at when it is recorded.
func sameLanguage(toolchain, language string) bool {
	switch {
	case gobuild.Newer(toolchain):
		return language == "" || version.Compare(language, version.Lang(runtime.Version())) <= 0
	case !version.IsValid(toolchain) || version.Compare(toolchain, "go1.23") >= 0:
		return false
	case language != "" && version.Compare(language, "go1.22") < 0:
		return true
	}
	return version.Compare(toolchain, "go1.22") >= 0
}

// Again records the same program anew: what follows from chance, such as the order of maps,
// seldom does twice.
func (m *Run) Again(ctx context.Context) (*Run, error) {
	if m.runner == nil {
		return m, nil
	}
	return m.runner.runs(ctx)
}

// runs records the program several times, and gives what all runs have alike.
func (r *runner) runs(ctx context.Context) (*Run, error) {
	m, err := r.model(ctx, nil, 0)
	if err != nil || m.Why != "" {
		return m, err
	}
	// What runs have differently is not known of any: random names, what follows the
	// order of maps, and with goroutines the order in which they run.
	begun := time.Now()
	for seed := uint32(0); int(seed) < r.times(m)-1; seed++ {
		if seed >= runs-1 && time.Since(begun) > r.lim.Time {
			break // of a slow program, as many as there is time for
		}
		shake := (seed*0x9e3779b1 + 1) &^ record.Slow
		if seed > 0 && (m.Concurrent() || usesTime(r.rec)) {
			shake |= record.Slow
		}
		other, err := r.model(ctx, nil, shake)
		if err != nil {
			return nil, err
		}
		m.agree(other)
		if m.Why != "" {
			return m, nil
		}
	}
	m.tellApart()
	if m.Concurrent() && finalizes(r.rec) {
		for _, t := range m.Threads {
			t.Steady = false
		}
	}
	return m, nil
}

const (
	// runs is how often a program is recorded.
	runs = 4
	// ordered is how often, if it has several goroutines, in orders that are as different as can be.
	ordered = 10
	// diced is how often, if it throws the language's own dice. Of a map with two entries, the second comes
	// first in one run of eight.
	diced = 36
	// diceAssigned is how often such a program is recorded with an assignment.
	diceAssigned = 12
)

// times is how often the program is recorded of which that is a run.
func (r *runner) times(m *Run) int {
	switch {
	case r.throwsDice():
		return diced
	case m.Concurrent():
		return ordered
	}
	return runs
}

// throwsDice reports whether the program's own packages throw the language's own dice.
func (r *runner) throwsDice() bool {
	r.diceOnce.Do(func() {
		r.dice = slices.ContainsFunc(r.rec.Packages, func(pkg *history.Package) bool { return source.ThrowsDice(pkg.Files, pkg.Info) })
	})
	return r.dice
}

// model runs the program, with assignments or in another order of its goroutines,
// and makes a model of that run alone.
func (r *runner) model(ctx context.Context, sets []record.Set, shake uint32) (*Run, error) {
	var file, stdout bytes.Buffer
	// Recording costs time; what takes longer than that is too long to be judged.
	runCtx, cancel := context.WithTimeout(ctx, 4*r.lim.Time)
	defer cancel()
	env := gobuild.RunEnv
	if shake != 0 {
		env = append(slices.Clip(env), "MISSTEP_RUN="+strconv.Itoa(int(shake))) // what holds the environment is not alike
	}
	opts := record.Options{Env: env, Size: maxHistory, Sets: sets, Shake: shake, Stdout: &stdout}
	if !looksAtItself(r.rec) {
		opts.Snapshots, opts.Memo = &history.Snapshots{}, &r.memo
	}
	end, err := r.recorder.Run(runCtx, r.rec, opts, &file)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		return nil, err
	}
	m, err := New(r.rec, reader, opts.Snapshots)
	if err != nil {
		return nil, err
	}
	m.Collects = collects(r.rec)
	if r.rec.Source.Test {
		m.tellApart()
	}
	m.runner, m.Exit = r, &Exit{Code: end.ExitCode, Stdout: stdout.String()}
	return m, nil
}

// Assigns reports whether the program can be run again with an assignment.
func (m *Run) Assigns() bool { return m.runner != nil }

// Assigned is the run of the program with assignments, recorded when it is first asked for.
func (m *Run) Assigned(ctx context.Context, sets []record.Set) (*Run, error) {
	return m.runner.assigned(ctx, sets)
}

// assigned is the run with assignments.
func (r *runner) assigned(ctx context.Context, sets []record.Set) (*Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.sets[fmt.Sprint(sets)]; m != nil {
		return m, nil
	}
	m, err := r.model(ctx, sets, 0)
	if err != nil {
		return nil, err
	}
	times := 2
	if r.throwsDice() {
		times = diceAssigned
	}
	begun := time.Now()
	for n := 1; n < times && m.Why == "" && (n < 2 || time.Since(begun) < r.lim.Time); n++ {
		again, err := r.model(ctx, sets, uint32(n)&^record.Slow)
		if err != nil {
			return nil, err
		}
		m.agree(again)
	}
	m.tellApart()
	r.sets[fmt.Sprint(sets)] = m
	return m, nil
}

// uses reports whether a program mentions something that another package declares, by the
// package's path and its name there.
func uses(rec *history.Recording, is func(path, name string) bool) bool {
	for _, pkg := range rec.Packages {
		for _, obj := range pkg.Info.Uses {
			if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() && is(obj.Pkg().Path(), obj.Name()) {
				return true
			}
		}
	}
	return false
}

// looksAtItself reports whether a program may hold in variables what depends on its
// own code or on when garbage is collected, which recording changes.
func looksAtItself(rec *history.Recording) bool {
	return uses(rec, func(path, name string) bool {
		switch path {
		case "runtime", "runtime/debug":
			return !blind[name]
		case "runtime/pprof", "runtime/trace":
			return !marks[name]
		case "runtime/metrics", "weak", "debug/elf", "debug/dwarf", "debug/gosym":
			return true
		}
		return false
	})
}

// blind are what package runtime and its debug declare that says nothing of a program's code.
var blind = map[string]bool{
	"Breakpoint": true, "Compiler": true, "Error": true, "FreeOSMemory": true, "GC": true,
	"GOARCH": true, "GOMAXPROCS": true, "GOOS": true, "Goexit": true, "Gosched": true, "KeepAlive": true,
	"LockOSThread": true, "NumCPU": true, "PanicNilError": true, "SetGCPercent": true,
	"SetMaxStack": true, "SetMaxThreads": true, "SetMemoryLimit": true, "SetPanicOnFault": true,
	"TypeAssertionError": true, "UnlockOSThread": true, "Version": true,
}

// marks are what the packages pprof and trace declare that only labels what is done.
var marks = map[string]bool{
	"Do": true, "ForLabels": true, "Label": true, "LabelSet": true, "Labels": true, "SetGoroutineLabels": true, "WithLabels": true,
	"IsEnabled": true, "Log": true, "Logf": true, "NewTask": true, "Region": true, "StartRegion": true, "Task": true, "WithRegion": true,
}

// collects reports whether a program asks for garbage to be collected.
func collects(rec *history.Recording) bool {
	return uses(rec, func(path, name string) bool {
		switch path {
		case "runtime":
			return name == "GC"
		case "runtime/debug":
			return name == "FreeOSMemory" || name == "SetGCPercent"
		case "os":
			return name == "StartProcess"
		case "syscall":
			return name == "ForkExec" || name == "StartProcess"
		}
		// What starts a process wants more than the stack that a goroutine begins with.
		return path == "os/exec"
	})
}

// linked reports whether a program has variables that are in truth others'.
func linked(rec *history.Recording) bool {
	for _, pkg := range rec.Packages {
		for _, text := range pkg.Texts {
			for _, l := range source.Linknames(text) {
				if _, is := pkg.Types.Scope().Lookup(l.Local).(*types.Var); is && l.Symbol != "" {
					return true
				}
			}
		}
	}
	return false
}

// finalizes reports whether a program has functions that the collector starts, or does not.
func finalizes(rec *history.Recording) bool {
	return uses(rec, func(path, name string) bool {
		return path == "runtime" && (name == "SetFinalizer" || name == "AddCleanup")
	})
}

// comparesNothing reports whether a program compares pointers to variables of size zero, which
// may be equal or not (Go specification, "Comparison operators").
func comparesNothing(rec *history.Recording) bool {
	found := false
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
					x, y := pkg.Info.TypeOf(b.X), pkg.Info.TypeOf(b.Y)
					found = found || x != nil && y != nil && pointsToNothing(x) && pointsToNothing(y)
				}
				return !found
			})
		}
	}
	return found
}

// pointsToNothing reports whether a type is one of pointers to variables of size zero.
func pointsToNothing(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	return ok && sizeless(p.Elem())
}

// usesTime reports whether a program asks for the time, or for what comes at a time of the
// runtime's.
func usesTime(rec *history.Recording) bool {
	for _, pkg := range rec.Packages {
		for _, f := range pkg.Files {
			for _, imp := range f.Imports {
				switch imp.Path.Value {
				case `"time"`, `"context"`, `"runtime"`, `"os/exec"`, `"net"`:
					return true
				}
			}
		}
	}
	return false
}

// countsItsCode reports whether what a program does follows from where its code lies.
func countsItsCode(rec *history.Recording) bool {
	return uses(rec, func(path, name string) bool { return path == "runtime" && name == "FuncForPC" })
}
