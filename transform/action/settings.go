package action

import (
	"fmt"
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

// A setting is one of how a session is started, of those that Delve documents for its launch
// request, or of what a client says of itself. Most change nothing that is shown; the others change
// what is said to be changed, and nothing else.
type setting struct {
	name, doc string
	// launch are arguments of the launch request, client of the initialize request, and target is
	// what else there is.
	launch, client map[string]any
	target         func(*dap.Target)
	// forms are several ways to make it, beside target.
	forms []form
	// command makes the same setting while the program is paused, in Delve's own language.
	command string
	// listed is the name under which Delve lists the setting, if it matters whether it is known.
	listed string
	// fits reports whether a base is one that the setting must leave alone; nil for any.
	fits func(c *transform.Choice) bool
	lens dap.Lens
	// alike leaves of a variable what is shown with and without the setting; with says which of the
	// two it is shown by. Nil if all of it is.
	alike func(v *dap.Variable, with bool)
	// scope is how the name of a scope begins that is shown in addition.
	scope string
	// entry says that the program pauses before it begins.
	entry bool
}

// A form is one of several ways to make a setting.
type form struct {
	name   string
	target func(*dap.Target)
}

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
		fits: closed, alike: shortStrings,
	},
	{
		name: "short-arrays", doc: "Loads the first elements of arrays, slices and maps: those are shown, and there is no other difference.",
		launch: map[string]any{"maxArrayValues": shortArray}, command: "maxArrayValues " + strconv.Itoa(shortArray), listed: "maxArrayValues",
		fits: closed, alike: firstElements(shortArray),
	},
	{
		name: "raw-strings", doc: "Shows strings as they are, without escapes: it is the same text, and there is no other difference.",
		launch: map[string]any{"showRawStrings": true}, command: "showRawStrings true", listed: "showRawStrings",
		fits: closed, alike: rawStrings,
	},
	{
		name: "hide-system-goroutines", doc: "Hides the runtime's goroutines: the program's are listed as before.",
		launch: map[string]any{"hideSystemGoroutines": true}, command: "hideSystemGoroutines true",
	},
	{
		name: "filter-goroutines", doc: "Lists the goroutines that are not the runtime's: the program's are listed as before.",
		launch: map[string]any{"goroutineFilters": "-with user"}, command: "goroutineFilters -with user",
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
		launch: map[string]any{"stackTraceDepth": 2},
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
		launch: map[string]any{"outputMode": "local"},
		fits:   without(dap.Restart), // after which output may be lost, which is judged by itself
	},
	{
		name: "stop-on-entry", doc: "Pauses before the program begins: where it is let run on, there is no other difference.",
		launch: map[string]any{"stopOnEntry": true}, entry: true,
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
		name: "hear-events", doc: "Says that the client understands events of changed variables and memory: no difference in what is answered.",
		client: map[string]any{"supportsInvalidatedEvent": true, "supportsMemoryEvent": true, "supportsProgressReporting": true},
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

// settingTransformations are the settings as transformations: of the launch, or of the session while it is
// paused, before the action at the parameter at.
func settingTransformations() []transform.Transformation {
	var list []transform.Transformation
	for _, s := range settings {
		list = append(list, transform.Transformation{
			Name: s.name, Doc: s.doc, Last: true, Differs: s.alike != nil || s.scope != "" || s.entry,
			Choose: s.choose, Target: s.start, Run: s.run, Ways: min(len(s.forms), 4),
		})
	}
	return list
}

func (s setting) choose(c *transform.Choice) (transform.Params, bool) {
	if len(c.Base) == 0 || s.fits != nil && !s.fits(c) || c.Prompts("config") {
		return nil, false
	}
	if len(s.forms) > 0 {
		return transform.Params{"form": transform.Deal(c, s.forms).name}, true
	}
	if at := c.Pauses(); s.command != "" && len(at) > 0 && c.R.IntN(3) == 0 {
		at := transform.Pick(c.R, at) + 1
		// A restart makes the settings of the launch again.
		if !slices.ContainsFunc(c.Base[at:], func(e dap.Event) bool { return e.Action.Kind == dap.Restart }) {
			return transform.Params{"at": strconv.Itoa(at)}, true
		}
	}
	return transform.Params{}, true
}

// start makes the setting for a session that begins.
func (s setting) start(t *dap.Target, p transform.Params) {
	t.Client = s.client
	if _, later := p["at"]; later {
		return
	}
	t.Settings = s.launch
	if s.target != nil {
		s.target(t)
	}
	for i, f := range s.forms {
		if f.name == p["form"] || p["form"] == "" && i == 0 {
			f.target(t)
		}
	}
}

func (s setting) run(d *transform.Driver, p transform.Params) error {
	if name := d.Session.Adapter().Name; name != "dlv" && (s.launch != nil || (s.target != nil || s.forms != nil) && !d.Session.Adapter().Substitutes()) {
		return transform.NotMadef("%s has no such setting that misstep knows of", name)
	}
	from := 0
	if p["at"] != "" {
		var err error
		if from, err = p.Num("at"); err != nil {
			return err
		}
	}
	// What is held against the base is what both show.
	d.Base = slices.Clone(d.Base)
	known := s.listed == ""
	for i := range d.Base {
		if i == from && from > 0 {
			out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: "dlv config " + s.command})
			if err != nil {
				return err
			}
			if out.Kind != dap.Answered {
				return transform.NotMadef("dlv config %s: %s", s.command, out)
			}
		}
		out, err := s.play(d, i)
		if err != nil {
			return err
		}
		if i < from {
			if err := d.Match(i, out, s.lens); err != nil {
				return err
			}
			continue
		}
		if !known && d.Session.Pause() != nil {
			if known, err = lists(d, s.listed); err != nil {
				return err
			}
			if !known {
				return transform.NotMadef("this Delve has no setting %s", s.listed)
			}
		}
		if err := s.hold(d, i, out); err != nil {
			return err
		}
	}
	return nil
}

// play does what the base did at i, and lets the program run on where it pauses before its beginning.
func (s setting) play(d *transform.Driver, i int) (*dap.Output, error) {
	starts := s.entry && d.Session.State() == dap.NotRunning && d.Base[i].Action.Kind.Resumes()
	out, err := d.Do(d.Base[i].Action)
	if err != nil || !starts || d.Base[i].Action.Kind == dap.Finish {
		return out, err
	}
	d.Checks++
	if out.Pause == nil || out.Pause.Reason != "entry" {
		return nil, &transform.Mismatch{Index: i, Action: d.Base[i].Action, Diff: &dap.Difference{
			Kind: dap.DiffReason, What: "where the program begins", A: "a pause at its entry", B: out.String(),
		}}
	}
	return d.Do(dap.Action{Kind: dap.Continue})
}

// lists reports whether Delve knows a setting.
func lists(d *transform.Driver, name string) (bool, error) {
	out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: "dlv config -list"})
	if err != nil {
		return false, err
	}
	return out.Value != nil && strings.Contains(out.Value.Value, name), nil
}

// hold compares an output with the base's at i, as far as both show the same, and judges what the setting adds.
func (s setting) hold(d *transform.Driver, i int, out *dap.Output) error {
	got := *out
	added := s.strip(&got)
	if s.scope != "" && shows(&d.Base[i].Output) && shows(out) {
		d.Checks++
		if len(added) != 1 || len(added[0].Vars) == 0 && s.scope != globalScope {
			return s.mismatch(d, i, "scopes named "+s.scope, "one", fmt.Sprint(len(added)))
		}
		if s.scope == globalScope {
			if err := s.globals(d, i, added[0]); err != nil {
				return err
			}
		}
	}
	if s.alike != nil && d.Base[i].Action.Kind == dap.Evaluate {
		return nil // so may what it is asked
	}
	if s.alike != nil && d.Base[i].Action.Kind == dap.Exception {
		// What a panic says is loaded as strings are, and told without saying how much is missing.
		d.Base[i].Output, got = beginning(d.Base[i].Output), beginning(got)
		return d.Match(i, &got, s.lens)
	}
	if s.alike != nil {
		d.Base[i].Output = mapped(d.Base[i].Output, func(v *dap.Variable) { s.alike(v, false) })
		got = mapped(got, func(v *dap.Variable) { s.alike(v, true) })
	}
	return d.Match(i, &got, s.lens)
}

func (s setting) mismatch(d *transform.Driver, i int, what, want, got string) error {
	at := ""
	if p := d.Session.Pause(); p != nil {
		at = fmt.Sprintf("%s:%d", p.Top().File, p.Top().Line)
	}
	return &transform.Mismatch{Index: i, Action: d.Base[i].Action, At: at, Diff: &dap.Difference{Kind: dap.DiffVariables, What: what, A: want, B: got}}
}

// strip takes out the scopes that the setting adds, and returns them.
func (s setting) strip(out *dap.Output) (added []dap.Scope) {
	if s.scope == "" {
		return nil
	}
	own := func(scope dap.Scope) bool {
		if strings.HasPrefix(scope.Name, s.scope) {
			added = append(added, scope)
			return true
		}
		return false
	}
	if out.Pause != nil {
		p := *out.Pause
		p.Scopes = slices.DeleteFunc(slices.Clone(p.Scopes), own)
		out.Pause = &p
	}
	out.Scopes = slices.DeleteFunc(slices.Clone(out.Scopes), own)
	return added
}

// shows reports whether an output has the variables of a frame.
func shows(out *dap.Output) bool {
	return len(out.Scopes) > 0 || out.Pause != nil && len(out.Pause.Scopes) > 0
}

// beginning is an output about an exception with as much of its text as there is of any string.
func beginning(out dap.Output) dap.Output {
	if out.Value != nil {
		v := *out.Value
		v.Value = strings.TrimPrefix(v.Value, `"`)
		v.Value = v.Value[:min(len(v.Value), shortString)]
		out.Value = &v
	}
	return out
}

// mapped is an output with all its variables changed.
func mapped(out dap.Output, f func(*dap.Variable)) dap.Output {
	var vars func(list []dap.Variable) []dap.Variable
	vars = func(list []dap.Variable) []dap.Variable {
		list = slices.Clone(list)
		for n := range list {
			f(&list[n])
			list[n].Raw = ""
			list[n].Children = vars(list[n].Children)
		}
		return list
	}
	scopes := func(list []dap.Scope) []dap.Scope {
		list = slices.Clone(list)
		for n := range list {
			list[n].Vars = vars(list[n].Vars)
		}
		return list
	}
	if out.Pause != nil {
		p := *out.Pause
		p.Scopes = scopes(p.Scopes)
		p.Text = p.Text[:min(len(p.Text), shortString)] // what a panic says is loaded as strings are
		out.Pause = &p
	}
	out.Scopes = scopes(out.Scopes)
	if out.Value != nil {
		out.Value = &vars([]dap.Variable{*out.Value})[0]
	}
	return out
}
