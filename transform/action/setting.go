package action

import (
	"fmt"
	"maps"
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
	// forms are several ways to make it, beside target and launch.
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
	// effect judges what is shown of a variable by what the setting is for: able says that it makes a difference there, and wrong what is
	// shown instead of what, if it did not. Nil if there is nothing to see in variables.
	effect func(v *dap.Variable) (able bool, want, got string)
	// frames is how many frames a client gets that does not say how many it wants; 0 if the setting is about something else.
	frames int
	// hides says that the runtime's goroutines are not listed.
	hides bool
	// scope is how the name of a scope begins that is shown in addition.
	scope string
	// delves says that its forms are of Delve's own arguments.
	delves bool
	// entry says that the program pauses before it begins.
	entry bool
	// alone says that it is not mixed with others: what is printed or where the program pauses is followed in a way of its own.
	alone bool
}

// A form is one of several ways to make a setting.
type form struct {
	name   string
	target func(*dap.Target)
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

// Sets reports whether a transformation of actions is a setting alone.
func Sets(name string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return s.name == name && !s.alone })
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
	t.Client = with(t.Client, s.client)
	if _, later := p["at"]; later {
		return
	}
	t.Settings = with(t.Settings, s.launch)
	if s.target != nil {
		s.target(t)
	}
	for i, f := range s.forms {
		if f.name == p["form"] || p["form"] == "" && i == 0 {
			f.target(t)
		}
	}
}

// with are some arguments and more, which replace those of the same name; nil if there are none.
func with(arguments, more map[string]any) map[string]any {
	if len(more) == 0 {
		return arguments
	}
	all := maps.Clone(arguments)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, more)
	return all
}

func (s setting) run(d *transform.Driver, p transform.Params) error {
	if name := d.Session.Adapter().Name; name != "dlv" && (s.launch != nil || s.delves || (s.target != nil || s.forms != nil) && !d.Session.Adapter().Substitutes()) {
		return transform.NotMadef("%s has no such setting that misstep knows of", name)
	}
	for _, name := range []string{dap.StdoutTo, dap.StderrTo} {
		if d.Session.Target().Settings[name] != nil && !d.Session.Adapter().Takes(name) {
			return transform.NotMadef("this Delve has no setting %s", name)
		}
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
		out, err := s.play(d, i, p)
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
			value := ""
			if known, value, err = lists(d, s.listed); err != nil {
				return err
			}
			if !known {
				return transform.NotMadef("this Delve has no setting %s", s.listed)
			}
			if want, ok := s.launch[s.listed]; ok && from == 0 {
				d.Checks++
				if value != fmt.Sprint(want) {
					return s.mismatch(d, i, "the setting "+s.listed, fmt.Sprint(want), value)
				}
			}
		}
		if err := s.works(d, i, out); err != nil {
			return err
		}
		if err := s.hold(d, i, out); err != nil {
			return err
		}
	}
	return nil
}

// works judges that the setting does what it is for, as far as an output shows that.
func (s setting) works(d *transform.Driver, i int, out *dap.Output) error {
	if s.effect != nil && d.Base[i].Action.Kind != dap.Evaluate && d.Base[i].Action.Kind != dap.SetVar { // which may be shown as they were written
		if err := s.effects(d, i, variablesOf(out)); err != nil {
			return err
		}
	}
	if s.frames > 0 && out.Pause != nil && len(out.Pause.Stack) > s.frames {
		got, err := d.DefaultStack()
		if err != nil {
			return err
		}
		d.Checks++
		if got != s.frames {
			return s.mismatch(d, i, "the frames of a stack that is asked for without saying how many", strconv.Itoa(s.frames), strconv.Itoa(got))
		}
	}
	if s.hides && d.Base[i].Action.Kind == dap.Threads && out.Kind == dap.Answered {
		d.Checks++
		for _, name := range d.Session.Listed() {
			if runtimes.MatchString(name) {
				return s.mismatch(d, i, "the threads of the list", "none of the runtime's", name)
			}
		}
	}
	return nil
}

// runtimes are names of threads in functions of the runtime's own, none of which is the one that has paused.
var runtimes = regexp.MustCompile(`^(?:\[Go \d+\] )?runtime\.[a-z]`)

func (s setting) effects(d *transform.Driver, i int, vars []dap.Variable) error {
	for k := range vars {
		able, want, got := s.effect(&vars[k])
		if able {
			d.Checks++
		}
		if got != "" {
			return s.mismatch(d, i, "what is shown of "+vars[k].Name, want, got)
		}
		if err := s.effects(d, i, vars[k].Children); err != nil {
			return err
		}
	}
	return nil
}

// variablesOf are those that an output shows.
func variablesOf(out *dap.Output) (vars []dap.Variable) {
	scopes := out.Scopes
	if out.Pause != nil {
		scopes = slices.Concat(scopes, out.Pause.Scopes)
	}
	for _, sc := range scopes {
		vars = append(vars, sc.Vars...)
	}
	return vars
}

// play does what the base did at i, and lets the program run on where it pauses before its beginning.
func (s setting) play(d *transform.Driver, i int, p transform.Params) (*dap.Output, error) {
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
	return begin(d, p["form"])
}

// lists reports whether Delve knows a setting, and what it says of it.
func lists(d *transform.Driver, name string) (known bool, value string, err error) {
	out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: "dlv config -list"})
	if err != nil || out.Value == nil {
		return false, "", err
	}
	for line := range strings.Lines(out.Value.Value) {
		if value, ok := strings.CutPrefix(line, name+"\t"); ok {
			return true, strings.TrimSpace(value), nil
		}
	}
	return false, "", nil
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
