package action

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/transform"
)

// labelGoroutines has the labels of goroutines shown, of a program that sets some (runtime/pprof). Where the program is paused
// below pprof.Do, a goroutine has those that are given to it there, so that the list of threads names one of them, if all are to be
// shown; if some are, it names no others; the program pauses as in the base. That list, and variables, are not compared: such programs have contexts, whose text is cut where
// there are addresses in it (tolerance cut-text). Guards: the base pauses there, and does not ask for the setting itself.
var labelGoroutines = transform.Transformation{
	Name:    "label-goroutines",
	Last:    true,
	Differs: true,
	Doc:     "Shows the labels of goroutines, of a program that sets some: where one has a label the list of threads has it, and the program pauses where it did.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if len(labelled(c.Source)) == 0 || c.Prompts("config") || !without(dap.Restart, dap.Misuse)(c) ||
			!slices.ContainsFunc(c.Base, func(e dap.Event) bool { return labels(e.Output.Pause) }) {
			return nil, false
		}
		keys := slices.Compact(slices.Sorted(slices.Values(labelled(c.Source))))
		keys = slices.DeleteFunc(keys, func(key string) bool { return !plainKey.MatchString(key) })
		p := transform.Params{}
		switch which := transform.Deal(c, []string{allKeys, "one", "some"}); {
		case which == "one" && len(keys) > 0:
			p["keys"] = transform.Pick(c.R, keys)
		case which == "some" && len(keys) > 0:
			p["keys"] = strings.Join(append(keys, noKey), ";")
		}
		return p, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		t.Settings = map[string]any{"showPprofLabels": wanted(p)}
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("whether %s shows labels misstep does not know", d.Session.Adapter().Name)
		}
		keys, all := wanted(p), labelled(d.Source)
		for i := range d.Base {
			switch d.Base[i].Action.Kind {
			case dap.Threads, dap.Vars, dap.Evaluate:
				if _, err := d.Do(d.Base[i].Action); err != nil {
					return err
				}
				continue
			}
			if err := d.Play(i, dap.Lens{NoVars: true}); err != nil {
				return err
			}
			if !labels(d.Base[i].Output.Pause) {
				continue
			}
			list, err := d.Want(dap.Answered, dap.Action{Kind: dap.Threads})
			if err != nil {
				return err
			}
			d.Checks++
			named := func(key string) bool {
				return slices.ContainsFunc(list.Threads, func(name string) bool { return strings.Contains(name, " "+key+":") })
			}
			wrong := func(want string) error {
				return &transform.Mismatch{Index: i, Action: d.Base[i].Action, Diff: &dap.Difference{
					Kind: dap.DiffAnswer, What: "the threads, while one has labels", A: want, B: strings.Join(list.Threads, "; "),
				}}
			}
			switch {
			case len(keys) == 1 && keys[0] == allKeys:
				if !slices.ContainsFunc(all, named) {
					return wrong("one with the label " + strings.Join(all, " or "))
				}
			case len(keys) == 1 && slices.ContainsFunc(all, named):
				return wrong("the values of " + keys[0] + " alone, without its name")
			case slices.ContainsFunc(all, func(key string) bool { return named(key) && !slices.Contains(keys, key) }):
				return wrong("no labels but " + strings.Join(keys, " and "))
			}
		}
		return nil
	},
}

// allKeys has all labels shown; noKey is a key that no program gives, so that there are several.
const allKeys, noKey = "*", "misstep"

// plainKey is what keys are that can be parameters.
var plainKey = regexp.MustCompile(`^[\w-]+$`)

// wanted are the keys of labels that are to be shown: one is shown by its value alone, several by their names as well.
func wanted(p transform.Params) []string {
	if p["keys"] == "" {
		return []string{allKeys}
	}
	return strings.Split(p["keys"], ";")
}

// labels reports whether a pause is in what pprof.Do calls.
func labels(p *dap.Pause) bool {
	return p != nil && slices.ContainsFunc(p.Stack, func(f dap.Frame) bool { return f.Func == "runtime/pprof.Do" || f.Func == "pprof.Do" })
}

// labelled are the keys of labels that a program's calls of pprof.Labels name as constants.
func labelled(src *source.Source) (keys []string) {
	for _, f := range src.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			fn, ok := src.Info.Uses[sel.Sel].(*types.Func)
			if !ok || fn.FullName() != "runtime/pprof.Labels" {
				return true
			}
			for i := 0; i < len(call.Args); i += 2 {
				if v := src.Info.Types[call.Args[i]].Value; v != nil {
					keys = append(keys, strings.Trim(v.ExactString(), `"`))
				}
			}
			return true
		})
	}
	return keys
}
