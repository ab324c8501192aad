package action

import (
	"maps"
	"slices"

	"misstep/dap"
	"misstep/transform"
)

// atEntry is what is done at the pause before the program begins, where there is a thread and no goroutine yet, by the names of forms. All
// of it may be refused; then the program is let run.
var atEntry = map[string][]dap.Action{
	"asked":       {{Kind: dap.Threads}, {Kind: dap.Stack}},
	"next":        {{Kind: dap.Next}},
	"step-in":     {{Kind: dap.StepIn}},
	"step-out":    {{Kind: dap.StepOut}},
	"instruction": {{Kind: dap.StepIn, Instruction: true}, {Kind: dap.Next, Instruction: true}},
	// After a step that failed the frames are known.
	"asked-then": {
		{Kind: dap.StepIn, Instruction: true}, {Kind: dap.Threads}, {Kind: dap.Stack}, {Kind: dap.Vars}, {Kind: dap.Evaluate, Name: "1 + 1"},
		{Kind: dap.Evaluate, Name: "runtime.curg"}, {Kind: dap.Evaluate, Name: "nosuch", Context: "hover"}, {Kind: dap.Disas},
	},
}

// stillAtEntry are the reasons of pauses after a step from the entry that only it explains: it was made, or it failed.
var stillAtEntry = []string{"step", "entry", "error"}

// entryForms are the forms, and one in which the program is let run at once.
func entryForms() []form {
	forms := []form{{"run-on", stopsOnEntry}}
	for _, name := range slices.Sorted(maps.Keys(atEntry)) {
		forms = append(forms, form{name, stopsOnEntry})
	}
	return forms
}

func stopsOnEntry(t *dap.Target) { t.Settings = map[string]any{"stopOnEntry": true} }

// begin does what a form has at the entry, and lets the program run. Where a step went on to a breakpoint or to the program's end, that is
// where the program has come to.
func begin(d *transform.Driver, form string) (*dap.Output, error) {
	for _, a := range atEntry[form] {
		out, err := d.Do(a)
		if err != nil {
			return nil, err
		}
		if out.Kind == dap.Ended || out.Pause != nil && a.Kind.Steps() && !slices.Contains(stillAtEntry, out.Pause.Reason) {
			return out, nil
		}
	}
	return d.Do(dap.Action{Kind: dap.Continue})
}
