package reduce

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/script"
)

// lastPauses is how many pauses shortcuts lead to: the last ones. To lead to earlier ones
// is what removing actions comes to.
const lastPauses = 3

// options are the names of the fields of an action that are options and are set.
func options(a *dap.Action) []dap.Field {
	var set []dap.Field
	for _, f := range a.Kind.Meaning().Fields {
		if f.Option != "" && f.Usage != "" && f.Get(a) != "" {
			set = append(set, f)
		}
	}
	return set
}

// shortcutUnits are the ways in which a breakpoint may lead to one of the last pauses at
// once: without all that came before it, or with some of the breakpoints that were set,
// those that have conditions and the like first.
func shortcutUnits(s *candidate, _ int) (units []unit, more bool) {
	pauses := 0
	for i := len(s.Commands) - 2; i > 2 && pauses < lastPauses; i-- {
		if s.Commands[i].Seen == nil {
			continue
		}
		pauses++
		var sets, special []int
		ways := [][]int{nil}
		for j := 1; j <= i; j++ {
			a := s.Commands[j].Action
			if !a.Kind.Sets() {
				continue
			}
			sets = append(sets, j)
			if len(options(&a)) > 0 {
				special = append(special, j)
				ways = append(ways, []int{j})
			}
		}
		if len(special) > 1 {
			ways = append(ways, special)
		}
		if len(sets) > len(special) {
			ways = append(ways, sets)
		}
		for _, kept := range ways {
			if len(kept)+2 < i {
				units = append(units, unit{command: i, others: kept})
			}
		}
	}
	return units, false
}

func takeShortcut(s *candidate, units []unit) (*candidate, error) {
	return s.straight(units[0].command, units[0].others), nil
}

// hitUnits are the breakpoints with all that let the program run on to them, but for the
// last action.
func hitUnits(s *candidate, _ int) (units []unit, more bool) {
	actions := s.actions()
	for _, i := range actions {
		set := s.Commands[i].Action
		u := unit{command: i}
		for _, j := range actions {
			c := s.Commands[j]
			if j == actions[len(actions)-1] || j < i || c.Action.Kind != dap.Continue || c.Seen == nil {
				continue
			}
			switch set.Kind {
			case dap.Break:
				if c.Seen.File == set.File && c.Seen.Line == set.Line && c.Seen.Reason == "breakpoint" {
					u.others = append(u.others, j)
				}
			case dap.FuncBreak:
				if c.Seen.Func == set.Name && c.Seen.Reason == "function breakpoint" {
					u.others = append(u.others, j)
				}
			}
		}
		if len(u.others) > 0 {
			units = append(units, u)
		}
	}
	return units, false
}

func dropHits(s *candidate, units []unit) (*candidate, error) {
	drop := map[int]bool{units[0].command: true}
	for _, i := range units[0].others {
		drop[i] = true
	}
	return s.without(drop), nil
}

// finishUnits are the actions that let the program run, after which it might as well run
// to its end, the first ones first. A class that names another such action has that for
// its last one.
func finishUnits(s *candidate, _ int) (units []unit, more bool) {
	actions := s.actions()
	for _, part := range strings.Split(s.Head.Class, "/") {
		if kind := dap.Kind(part); kind.Resumes() && kind != dap.Finish {
			return nil, false
		}
	}
	if len(actions) == 0 || s.Numbers() {
		return nil, false
	}
	for _, i := range actions {
		if kind := s.Commands[i].Action.Kind; kind.Resumes() && (i+1 < len(s.Commands)-1 || kind != dap.Finish) {
			units = append(units, unit{command: i})
		}
	}
	return units, false
}

func takeFinish(s *candidate, units []unit) (*candidate, error) {
	at := units[0].command
	drop := map[int]bool{}
	for i := at + 1; i < len(s.Commands)-1; i++ {
		drop[i] = true
	}
	return s.without(drop).change(at, func(c *script.Command) {
		*c = script.Command{Verb: string(dap.Finish), Action: dap.Action{Kind: dap.Finish}}
	}), nil
}

func actionUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		units = append(units, unit{command: i})
	}
	return units, false
}

func dropActions(s *candidate, units []unit) (*candidate, error) {
	drop := map[int]bool{}
	for _, u := range units {
		drop[u.command] = true
	}
	return s.without(drop), nil
}

// optionUnits are the options of actions: conditions, messages and the like.
func optionUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		for _, f := range options(&s.Commands[i].Action) {
			units = append(units, unit{command: i, field: f})
		}
	}
	return units, false
}

func dropOption(s *candidate, units []unit) (*candidate, error) {
	return setField(s, units[0], "")
}

// setField gives a field of an action another text.
func setField(s *candidate, u unit, text string) (*candidate, error) {
	var err error
	t := s.change(u.command, func(c *script.Command) { err = u.field.Set(&c.Action, text) })
	return t, err
}

// earlyUnits are the misuses that come before the launch, by their number.
func earlyUnits(s *candidate, _ int) (units []unit, more bool) {
	for i := range s.Early() {
		units = append(units, unit{start: i})
	}
	return units, false
}

func dropEarly(s *candidate, units []unit) (*candidate, error) {
	names := s.Early()
	left := append(names[:units[0].start:units[0].start], names[units[0].start+1:]...)
	return s.change(0, func(c *script.Command) { c.SetOption("early", strings.Join(left, ",")) }), nil
}

// startUnits are the ways in which the session is started, if that is not the usual one, and their parameters, which may be
// arguments of the launch.
func startUnits(s *candidate, _ int) (units []unit, more bool) {
	for i, way := range dap.Starts(s.Commands[0].Option("as")) {
		units = append(units, unit{start: i})
		for k := range strings.Count(way, ",") {
			units = append(units, unit{start: i, end: k + 1})
		}
	}
	return units, false
}

// dropStart leaves out a way, or its parameter of that number, from 1 on.
func dropStart(s *candidate, units []unit) (*candidate, error) {
	ways, u := dap.Starts(s.Commands[0].Option("as")), units[0]
	if u.end == 0 {
		ways = slices.Delete(ways, u.start, u.start+1)
	} else {
		words := strings.Split(ways[u.start], ",")
		ways[u.start] = strings.Join(slices.Delete(words, u.end, u.end+1), ",")
	}
	return s.change(0, func(c *script.Command) { c.SetOption("as", dap.JoinStarts(ways)) }), nil
}

// mostParts bounds how many parts of an expression are tried: each is a session.
const mostParts = 8

// expressionUnits are the expressions of commands, which are conditions and what is
// evaluated, with one of their operands in their place, the longest first.
func expressionUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		a := s.Commands[i].Action
		field := dap.ConditionField
		if a.Kind == dap.Evaluate {
			field = dap.ExpressionField
		}
		if a.Kind == "" || a.Kind != dap.Evaluate && a.Condition == "" {
			continue
		}
		text := field.Get(&a)
		bare := strings.TrimPrefix(text, "call ")
		x, err := parser.ParseExpr(bare)
		if err != nil {
			continue
		}
		var parts []string
		ast.Inspect(x, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && len(parts) < mostParts {
				if part := bare[e.Pos()-1 : e.End()-1]; part != bare {
					parts = append(parts, part)
				}
			}
			return true
		})
		slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
		for _, part := range parts {
			units = append(units, unit{command: i, field: field, text: text[:len(text)-len(bare)] + part})
		}
	}
	return units, false
}

func takePart(s *candidate, units []unit) (*candidate, error) {
	return setField(s, units[0], units[0].text)
}
