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

// promptUndone types some of Delve's own commands at the prompt that undo each other. Guard: the base is not
// started with settings of its own. Nothing is transformed on top of it: a breakpoint that is set while folders have other
// names is said to be in these, until all are said anew.
var promptUndone = transform.Transformation{
	Name: "prompt-undone",
	Last: true,
	Doc:  "Changes settings of Delve's at its prompt and changes them back: each answer is what Delve's help says, the setting has its effect until then, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 || c.Prompts("config", "target") {
			return nil, false
		}
		return transform.Params{
			"at":   strconv.Itoa(transform.Pick(c.R, at) + 1),
			"what": transform.Deal(c, slices.Sorted(maps.Keys(dialogues))),
		}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		t, ok := dialogues[p["what"]]
		if !ok {
			return fmt.Errorf("parameter what: expected one of %s, not %q", strings.Join(slices.Sorted(maps.Keys(dialogues)), ", "), p["what"])
		}
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("%s has no prompt that misstep knows of", d.Session.Adapter().Name)
		}
		return d.Insert(p, dap.Lens{}, func() error {
			out, err := d.Do(typed(t.ask))
			if err != nil {
				return err
			}
			text := ""
			if out.Kind == dap.Answered {
				text = out.Value.Value
			}
			was := t.was.FindStringSubmatch(text)
			if was == nil {
				return transform.NotMadef("there is nothing to change and change back: %s: %s", t.ask, out)
			}
			for _, l := range t.lines {
				if err := l.say(d, was[1]); err != nil {
					return err
				}
			}
			return nil
		})
	},
}

// A dialogue are commands that leave all as it was, by Delve's own help.
type dialogue struct {
	ask   string         // shows what is changed
	was   *regexp.Regexp // of the answer; its group is what {was} stands for
	lines []line
}

// A line is a command, and what its answer must and must not have in it. Of a line without a
// command the files on the stack are looked at.
type line struct {
	command    string
	has, lacks []string
	refused    bool
}

// dialogues are a table of them by what they change.
var dialogues = map[string]dialogue{
	"paths": {"config -list substitutePath", regexp.MustCompile(`^substitutePath\t(\[\])`), []line{
		{command: "config substitutePath /mis-step/one /elsewhere/one", has: []string{"/mis-step/one", "/elsewhere/one"}},
		{lacks: []string{"/mis-step"}},
		{command: "config substitutePath /mis-step/one /elsewhere/two", has: []string{"/mis-step/one", "/elsewhere/two"}, lacks: []string{"/elsewhere/one"}},
		{command: "config substitutePath /mis-step/three /", has: []string{"/mis-step/one", "/mis-step/three"}},
		{has: []string{"/mis-step/three/"}},
		{command: "config substitutePath /mis-step/four", refused: true},
		{command: "config substitutePath /mis-step/one", has: []string{"/mis-step/three"}, lacks: []string{"/mis-step/one", "/elsewhere/two"}},
		{has: []string{"/mis-step/three/"}},
		{command: "config substitutePath", has: []string{"/mis-step/three"}},
		{command: "config substitutePath -clear", lacks: []string{"/mis-step"}},
		{lacks: []string{"/mis-step"}},
		{command: "config -list substitutePath", has: []string{"substitutePath\t[]"}},
	}},
	"labels": {"config -list showPprofLabels", regexp.MustCompile(`^showPprofLabels\t(\[\])`), []line{
		{command: "config showPprofLabels misstep-one", has: []string{"misstep-one"}},
		{command: "config showPprofLabels misstep-two", has: []string{"misstep-one", "misstep-two"}},
		{command: "config showPprofLabels", has: []string{"misstep-one", "misstep-two"}},
		{command: "config showPprofLabels -clear misstep-three", refused: true},
		{command: "config showPprofLabels -clear misstep-one", has: []string{"misstep-two"}, lacks: []string{"misstep-one"}},
		{command: "config showPprofLabels one two three", refused: true},
		{command: "config showPprofLabels -clear", lacks: []string{"misstep"}},
		{command: "config -list showPprofLabels", has: []string{"showPprofLabels\t[]"}},
	}},
	"depth":     toggled("stackTraceDepth", "1", "2"),
	"strings":   toggled("maxStringLen", "3", "5"),
	"arrays":    toggled("maxArrayValues", "1", "2"),
	"globals":   toggled("showGlobalVariables", "true", "false"),
	"registers": toggled("showRegisters", "true", "false"),
	"system":    toggled("hideSystemGoroutines", "true", "false"),
	"raw":       toggled("showRawStrings", "true", "false"),
	"filters": {"config -list goroutineFilters", regexp.MustCompile(`^goroutineFilters\t("")`), []line{
		{command: "config goroutineFilters -with user", has: []string{`"-with user"`, "Updated"}},
		{command: "config -list goroutineFilters", has: []string{`"-with user"`}},
		{command: "config goroutineFilters -without running", has: []string{`"-without running"`}, lacks: []string{"-with user"}},
		{command: "config goroutineFilters", has: []string{`goroutineFilters	""`}},
	}},
	"children": {"target follow-exec", regexp.MustCompile(`(disabled)`), []line{
		{command: "target follow-exec -on", has: []string{"enabled"}, lacks: []string{"regex"}},
		{command: "target follow-exec", has: []string{"enabled"}},
		{command: "target follow-exec -on misstep", has: []string{"enabled", "misstep"}},
		{command: "target follow-exec -on (", refused: true},
		{command: "target follow-exec -off now", refused: true},
		{command: "target follow-exec -off", has: []string{"disabled"}},
		{command: "target follow-exec", has: []string{"disabled"}},
	}},
	"processes": {"target list", regexp.MustCompile(`^\*\t(\d+)\t`), []line{
		{command: "target switch {was}", has: []string{"{was}"}},
		{command: "target switch 0", refused: true},
		{command: "target switch self", refused: true},
		{command: "target list", has: []string{"*", "{was}"}},
	}},
}

// toggled is a dialogue over a setting that takes a number or a truth value.
func toggled(name string, values ...string) dialogue {
	var lines []line
	for _, v := range values {
		shown := name + "\t" + v
		lines = append(lines, line{command: "config " + name + " " + v, has: []string{shown, "Updated"}}, line{command: "config -list " + name, has: []string{shown}})
	}
	lines = append(lines,
		line{command: "config " + name + " neither", refused: true},
		line{command: "config " + name + " {was}", has: []string{name + "\t{was}"}},
		line{command: "config -list " + name, has: []string{name + "\t{was}"}})
	return dialogue{"config -list " + name, regexp.MustCompile("^" + name + `\t(\w+)`), lines}
}

// typed is a command at the prompt.
func typed(command string) dap.Action {
	return dap.Action{Kind: dap.Evaluate, Name: dap.Prompt + command, Context: "repl"}
}

// say says a line, and holds the answer against what it must be.
func (l line) say(d *transform.Driver, was string) error {
	a := typed(strings.ReplaceAll(l.command, "{was}", was))
	if l.command == "" {
		a = dap.Action{Kind: dap.Stack}
	}
	out, err := d.Do(a)
	if err != nil {
		return err
	}
	d.Checks++
	differs := func(want, got string) error {
		return &transform.Mismatch{Index: len(d.Events) - 1, Action: a, Diff: &dap.Difference{Kind: dap.DiffValue, What: a.String(), A: want, B: got}}
	}
	var text string
	switch {
	case l.refused && out.Kind != dap.Refused:
		return differs("a refusal", out.String())
	case l.refused:
		return nil
	case out.Kind != dap.Answered:
		return differs("an answer", out.String())
	case l.command == "":
		for _, f := range out.Stack {
			text += f.File + "\n"
		}
		if !slices.ContainsFunc(out.Stack, func(f dap.Frame) bool { return f.File != "" && !strings.HasPrefix(f.File, "$") }) {
			d.Checks--
			return nil // files of the library and the like are not shown with their folders
		}
	default:
		text = out.Value.Value
	}
	for _, want := range l.has {
		if want = strings.ReplaceAll(want, "{was}", was); !strings.Contains(text, want) {
			return differs(fmt.Sprintf("%q in it", want), text)
		}
	}
	for _, not := range l.lacks {
		if strings.Contains(text, not) {
			return differs(fmt.Sprintf("no %q in it", not), text)
		}
	}
	return nil
}
