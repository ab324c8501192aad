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
// below pprof.Do, a goroutine has those that are given to it there, so that the list of threads names one of them; if one
// key's are to be shown, they are without its name; the program pauses as in the base. That list, and variables, are not compared: such programs have contexts, whose text is cut where
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
		keys := labelled(c.Source)
		p := transform.Params{}
		if slices.ContainsFunc(keys, func(key string) bool { return !plainKey.MatchString(key) }) {
			return p, true
		}
		switch transform.Deal(c, []string{allKeys, "one", "each"}) {
		case "one":
			p["keys"] = transform.Pick(c.R, keys)
		case "each":
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
			switch one := len(keys) == 1 && keys[0] != allKeys; {
			case one && slices.ContainsFunc(all, named):
				return wrong("the values of " + keys[0] + " alone, without its name")
			case one && len(all) == 1 && !slices.ContainsFunc(list.Threads, labelShown.MatchString):
				return wrong("one with a value of " + keys[0])
			case !one && !slices.ContainsFunc(all, named):
				return wrong("one with the label " + strings.Join(all, " or "))
			}
		}
		return nil
	},
}

// allKeys has all labels shown; noKey is a key that no program gives, so that there are several.
const allKeys, noKey = "*", "misstep"

// plainKey is what keys are that can be parameters.
var plainKey = regexp.MustCompile(`^[\w-]+$`)

// labelShown matches the name of a thread that has something behind its number.
var labelShown = regexp.MustCompile(`\[Go \d+ [^\]]`)

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
	slices.Sort(keys)
	return slices.Compact(keys)
}
