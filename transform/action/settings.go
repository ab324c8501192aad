package action

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// settings is the table.
var settings = []setting{
	{
		name: "show-registers", doc: "Shows registers: they are there in each frame, and there is no other difference.",
		launch: map[string]any{"showRegisters": true}, command: "showRegisters true", listed: "showRegisters", scope: "Registers",
	},
	{
		name: "show-globals", doc: "Shows the variables of the package: each has the value that it has when it is evaluated, and there is no other difference.",
		launch: map[string]any{"showGlobalVariables": true}, command: "showGlobalVariables true", listed: "showGlobalVariables", scope: globalScope,
	},
	{
		name: "short-strings", doc: "Loads the beginnings of strings: what is shown of each is the beginning of the string, and there is no other difference.",
		launch: map[string]any{"maxStringLen": shortString}, command: "maxStringLen " + strconv.Itoa(shortString), listed: "maxStringLen",
		fits: closed, alike: shortStrings, effect: shortened,
	},
	{
		name: "short-arrays", doc: "Loads the first elements of arrays, slices and maps: those are shown, and there is no other difference.",
		launch: map[string]any{"maxArrayValues": shortArray}, command: "maxArrayValues " + strconv.Itoa(shortArray), listed: "maxArrayValues",
		fits: closed, alike: firstElements(shortArray), effect: fewElements,
	},
	{
		name: "raw-strings", doc: "Shows strings as they are, without escapes: it is the same text, and there is no other difference.",
		launch: map[string]any{"showRawStrings": true}, command: "showRawStrings true", listed: "showRawStrings",
		fits: closed, alike: rawStrings,
	},
	{
		name: "hide-system-goroutines", doc: "Hides the runtime's goroutines: the program's are listed as before.",
		launch: map[string]any{"hideSystemGoroutines": true}, command: "hideSystemGoroutines true", hides: true,
	},
	{
		name: "filter-goroutines", doc: "Lists the goroutines that are not the runtime's: the program's are listed as before.",
		launch: map[string]any{"goroutineFilters": "-with user"}, command: "goroutineFilters -with user", hides: true,
	},
	{
		name: "show-labels", doc: "Shows the labels of goroutines: of a program that sets none, there is no difference.",
		launch: map[string]any{"showPprofLabels": []string{"*"}}, command: "showPprofLabels *", fits: imports("runtime/pprof"),
	},
	{
		name: "follow-exec", doc: "Follows what the program executes: of one that does not execute itself, there is no difference.",
		launch: map[string]any{"followExec": true}, fits: othersOnly,
	},
	{
		name: "name-backend", doc: "Names the backend that is used by default: no difference.",
		launch: map[string]any{"backend": "native"},
	},
	{
		name: "follow-some", doc: "Follows what the program executes, if its command line is one that there is not: no difference.",
		launch: map[string]any{"followExec": true, "followExecRegex": "^/misstep/nowhere$"},
	},
	{
		name: "short-stacks", doc: "Shows few frames to clients that do not say how many they want: no difference for one that does.",
		launch: map[string]any{"stackTraceDepth": shortStack}, command: "stackTraceDepth " + strconv.Itoa(shortStack), frames: shortStack,
	},
	{
		name: "deep-stacks", doc: "Shows stacks to any depth: no difference.",
		launch: map[string]any{"stackTraceDepth": 1000},
	},
	{
		name: "relative-program", doc: "Names the program relative to the folder that the debugger is told to work in: no difference.",
		launch: map[string]any{"dlvCwd": "{programFolder}", "program": "./{programName}"}, fits: executed,
	},
	{
		name: "relative-folder", doc: "Names the folder that the program runs in relative to the one that the debugger is told to work in: no difference.",
		launch: map[string]any{"dlvCwd": "{cwd}", "cwd": "."}, fits: executed,
	},
	{
		name: "spell-launch", doc: "Says in other words what is launched, or says what holds if nothing is said: no difference.",
		forms: launchSpellings, delves: true, fits: executed,
	},
	{
		name: "other-environment", doc: "Gives the program a variable of the environment that it does not ask for: no difference.",
		target: func(t *dap.Target) {
			t.Env = append(slices.Clone(t.Env), "MISSTEP_UNASKED=a value with spaces, = and \"quotes\"")
		},
		fits: imports("os", "syscall", "os/exec"),
	},
	{
		name: "empty-input", doc: "Has the program read from an empty file: no difference.",
		launch: map[string]any{"stdinFrom": "/dev/null"}, fits: executed,
	},
	{
		name: "keep-output", doc: "Leaves the program's output to itself: it prints the same where the debugger prints, and there is no other difference.",
		launch: map[string]any{"outputMode": "local"}, alone: true,
		fits: without(dap.Restart), // after which output may be lost, which is judged by itself
	},
	{
		name: "output-files", doc: "Has the program print into files: what it prints is there, and there is no other difference.",
		forms: outputFiles, delves: true, alone: true,
		fits: without(dap.Restart), // whether it appends to them, or begins anew, nothing says
	},
	{
		name: "stop-on-entry", doc: "Pauses before the program begins, where some asks or steps may come: where it is let run on, there is no other difference.",
		forms: entryForms(), delves: true, entry: true, alone: true,
	},
	{
		name: "substitute-nothing", doc: "Maps a folder that there is not: no difference.",
		target: func(t *dap.Target) { substitute(t, "/misstep/here", "/misstep/there") },
	},
	{
		name: "substitute-folder", doc: "Has the source in another folder than the program was built in, on a client that may have other names for folders, and says so: no difference.",
		forms: substitutions,
		fits:  func(c *transform.Choice) bool { return len(c.Source.Program.Overlay) == 0 },
	},
	{
		name: "no-paging", doc: "Says that the client cannot ask for elements in pages: the first ones are shown, and there is no other difference.",
		client: map[string]any{"supportsVariablePaging": false}, alike: firstElements(onePage),
	},
	{
		name: "no-types", doc: "Says that the client does not show types: the plain values are the same.",
		client: map[string]any{"supportsVariableType": false}, alike: untyped, fits: without(dap.SetVar, dap.Exception, dap.Memory),
	},
	{
		name: "no-references", doc: "Says that the client reads no memory: no difference in what is shown.",
		client: map[string]any{"supportsMemoryReferences": false},
	},
	{
		name: "hear-no-events", doc: "Says that the client understands no events of changed variables and memory: no difference in what is answered.",
		client: map[string]any{"supportsInvalidatedEvent": false, "supportsMemoryEvent": false, "supportsProgressReporting": false},
	},
}

// executed is a guard: the program is one of its own, not a test, which has a working folder of its own.
func executed(c *transform.Choice) bool { return !c.Source.Program.Test }

// without is a guard: the base has none of some kinds of action.
func without(kinds ...dap.Kind) func(c *transform.Choice) bool {
	return func(c *transform.Choice) bool {
		return !slices.ContainsFunc(c.Base, func(e dap.Event) bool { return slices.Contains(kinds, e.Action.Kind) })
	}
}

// launchSpellings are ways to say the same in a launch request: names of the program and of its folder that mean the same file, and
// optional arguments with the values that they have without being given, or with none (https://github.com/go-delve/delve, service/dap/types.go).
var launchSpellings = []form{
	{"bare-program", launchedWith(map[string]any{"dlvCwd": "{programFolder}", "program": "{programName}"})},
	{"dotted-program", launchedWith(map[string]any{"program": "{programFolder}/./{programName}"})},
	{"doubled-slash", launchedWith(map[string]any{"program": "{programFolder}//{programName}"})},
	{"folder-slash", launchedWith(map[string]any{"cwd": "{cwd}/"})},
	{"folder-dot", launchedWith(map[string]any{"cwd": "{cwd}/."})},
	{"omitted-folder", launchedWith(map[string]any{"dlvCwd": "{cwd}", "cwd": nil})}, // the debugger's own is taken
	{"omitted-depth", launchedWith(map[string]any{"stackTraceDepth": nil})},
	{"usual-loads", launchedWith(map[string]any{"maxStringLen": 512, "maxArrayValues": 64})}, // what holds if nothing is said
	{"debugger-folder", launchedWith(map[string]any{"dlvCwd": "{programFolder}"})},
	{"defaults", launchedWith(map[string]any{
		"noDebug": false, "stopOnEntry": false, "showGlobalVariables": false, "showRegisters": false, "hideSystemGoroutines": false,
		"showPprofLabels": []string{}, "goroutineFilters": "", "followExec": false, "followExecRegex": "", "stdinFrom": "",
	})},
	{"nulls", launchedWith(map[string]any{
		"noDebug": nil, "stopOnEntry": nil, "showGlobalVariables": nil, "showRegisters": nil, "hideSystemGoroutines": nil,
		"showPprofLabels": nil, "goroutineFilters": nil, "followExec": nil, "followExecRegex": nil, "stdinFrom": nil, "backend": nil,
		"buildFlags": nil, "dlvCwd": nil, "maxStringLen": nil, "maxArrayValues": nil, "showRawStrings": nil,
	})},
}

// launchedWith makes arguments of the launch request.
func launchedWith(arguments map[string]any) func(*dap.Target) {
	return func(t *dap.Target) { t.Settings = with(t.Settings, arguments) }
}

// outputFiles are the ways to have what the program prints in files: what is not is where the debugger prints.
var outputFiles = []form{
	{"both", func(t *dap.Target) { printsTo(t, dap.StdoutTo, dap.StderrTo) }},
	{"stdout", func(t *dap.Target) { printsTo(t, dap.StdoutTo) }},
	{"stderr", func(t *dap.Target) { printsTo(t, dap.StderrTo) }},
}

// printsTo makes settings for files, whose names the session knows.
func printsTo(t *dap.Target, names ...string) {
	files := map[string]any{"outputMode": "local"}
	for _, name := range names {
		files[name] = map[string]string{dap.StdoutTo: "{stdout}", dap.StderrTo: "{stderr}"}[name]
	}
	t.Settings = with(t.Settings, files)
}

// substitutions are ways to say that the folder of the source was another one when the program was built. What is mapped
// beside is none of the program's, though its name begins alike.
var substitutions = []form{
	{"folder", func(t *dap.Target) { moved(t, "/misstep/source", "/misstep/source", t.Root) }},
	{"slashes", func(t *dap.Target) { moved(t, "/misstep/source", "/misstep/source/", t.Root+"/") }},
	{"above", func(t *dap.Target) {
		moved(t, "/misstep/"+filepath.Base(t.Root), "/misstep", filepath.Dir(t.Root))
	}},
	{"root", func(t *dap.Target) { moved(t, "/misstep"+t.Root, "/misstep", "/") }},
	{"beside", func(t *dap.Target) {
		substitute(t, "/misstep/sour", "/misstep/nowhere")
		moved(t, "/misstep/source", "/misstep/source", t.Root)
	}},
	{"files", func(t *dap.Target) {
		names := t.Sources()
		if len(names) == 0 || t.Trimmed {
			return
		}
		for _, name := range names {
			substitute(t, "/misstep/source/"+name, t.Root+"/"+name)
		}
		t.Root = "/misstep/source"
	}},
	{"windows", func(t *dap.Target) { moved(t, `C:\Misstep\source`, `C:\Misstep\source`, t.Root) }},
	{"empty", func(t *dap.Target) {
		substitute(t, "", "")
		moved(t, "/misstep/source", "/misstep/source", t.Root)
	}},
	{"below", func(t *dap.Target) {
		substitute(t, "/misstep/source/misstep", "/misstep/nowhere")
		moved(t, "/misstep/source", "/misstep/source", t.Root)
	}},
}

// moved has the source of a target in another folder, and the adapter told of it.
func moved(t *dap.Target, root, from, to string) {
	if !t.Trimmed {
		substitute(t, from, to)
		t.Root = root
	}
}

func substitute(t *dap.Target, from, to string) {
	t.Substitute = maps.Clone(t.Substitute)
	if t.Substitute == nil {
		t.Substitute = map[string]string{}
	}
	t.Substitute[from] = to
}

// imports is a guard: the program imports none of some packages.
func imports(paths ...string) func(c *transform.Choice) bool {
	return func(c *transform.Choice) bool { return !c.Source.Imports(paths...) }
}

// othersOnly is a guard: what the program executes, if anything, is not itself, as it does not ask what its own name is.
func othersOnly(c *transform.Choice) bool {
	for _, f := range c.Source.Files {
		alone := true
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				obj := c.Source.Info.Uses[n]
				alone = alone && (obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "os" || obj.Name() != "Args" && obj.Name() != "Executable")
			case *ast.BasicLit:
				alone = alone && !strings.Contains(n.Value, "/proc/")
			}
			return alone
		})
		if !alone {
			return false
		}
	}
	return imports("plugin", "C")(c)
}

var (
	// variable is a name in a condition or a message that may be a variable's.
	variable = regexp.MustCompile(`[\pL_][\pL\d_]*`)
	// stringLiteral is a string in it.
	stringLiteral = regexp.MustCompile(`"[^"]*"`)
)

// closed is a guard: no condition and no message is about a variable, as its value may depend on how much
// is loaded of that.
func closed(c *transform.Choice) bool {
	return !slices.ContainsFunc(c.Base, func(e dap.Event) bool {
		_, message, _ := strings.Cut(e.Action.Log, "{")
		text := stringLiteral.ReplaceAllString(e.Action.Condition+" "+message, "")
		return slices.ContainsFunc(variable.FindAllString(text, -1), func(name string) bool {
			return types.Universe.Lookup(name) == nil
		})
	})
}
