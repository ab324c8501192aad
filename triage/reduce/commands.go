package reduce

import (
	"go/ast"
	"go/parser"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
)

// lastPauses is how many pauses shortcuts lead to: the last ones. To lead to earlier ones
// is what removing actions comes to.
const lastPauses = 3

// shortcutUnits are the ways in which a breakpoint may lead to one of the last pauses at
// once: without all that came before it, or with some of the breakpoints that were set,
// those that have conditions and the like first.
func shortcutUnits(s *script, _ int) (units []unit, more bool) {
	pauses := 0
	for i := len(s.lines) - 2; i > 2 && pauses < lastPauses; i-- {
		if s.paused[i] == "" {
			continue
		}
		pauses++
		var sets, options []int
		ways := [][]int{nil}
		for j := 1; j <= i; j++ {
			word, _, _ := strings.Cut(s.lines[j], " ")
			if !dap.Kind(word).Sets() {
				continue
			}
			sets = append(sets, j)
			if optionPattern.MatchString(s.lines[j]) {
				options = append(options, j)
				ways = append(ways, []int{j})
			}
		}
		if len(options) > 1 {
			ways = append(ways, options)
		}
		if len(sets) > len(options) {
			ways = append(ways, sets)
		}
		for _, kept := range ways {
			if len(kept)+2 < i {
				units = append(units, unit{line: i, others: kept})
			}
		}
	}
	return units, false
}

func takeShortcut(s *script, units []unit) (*script, error) {
	return s.straight(units[0].line, units[0].others), nil
}

// hitUnits are the breakpoints with all that let the program run on to them, but for the
// last action.
func hitUnits(s *script, _ int) (units []unit, more bool) {
	actions := s.actions()
	for _, i := range actions {
		word, rest, _ := strings.Cut(s.lines[i], " ")
		name := rest[strings.LastIndexByte(rest, ' ')+1:]
		u := unit{line: i}
		for _, j := range actions {
			if j == actions[len(actions)-1] || j < i || s.lines[j] != string(dap.Continue) {
				continue
			}
			place, reason, _ := strings.Cut(s.paused[j], " ")
			switch dap.Kind(word) {
			case dap.Break:
				if place == name && strings.HasSuffix(reason, " (breakpoint)") {
					u.others = append(u.others, j)
				}
			case dap.FuncBreak:
				if reason == name+" (function breakpoint)" {
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

func dropHits(s *script, units []unit) (*script, error) {
	drop := map[int]bool{units[0].line: true}
	for _, i := range units[0].others {
		drop[i] = true
	}
	return s.without(drop), nil
}

// finishUnits are the actions that let the program run, behind which it might as well run
// to its end, the first ones first. A class that names another such action has that for
// its last one.
func finishUnits(s *script, _ int) (units []unit, more bool) {
	actions := s.actions()
	for _, part := range strings.Split(s.class(), "/") {
		if kind := dap.Kind(part); kind.Resumes() && kind != dap.Finish {
			return nil, false
		}
	}
	if len(actions) > 0 && !countPattern.MatchString(s.lines[len(s.lines)-1]) {
		for _, i := range actions {
			if word, _, _ := strings.Cut(s.lines[i], " "); dap.Kind(word).Resumes() && (i+1 < len(s.lines)-1 || word != string(dap.Finish)) {
				units = append(units, unit{line: i})
			}
		}
	}
	return units, false
}

func takeFinish(s *script, units []unit) (*script, error) {
	drop := map[int]bool{}
	for i := units[0].line + 1; i < len(s.lines)-1; i++ {
		drop[i] = true
	}
	t := s.without(drop)
	t.lines[units[0].line], t.paused[units[0].line] = string(dap.Finish), ""
	return t, nil
}

func actionUnits(s *script, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		units = append(units, unit{line: i})
	}
	return units, false
}

func dropActions(s *script, units []unit) (*script, error) {
	drop := map[int]bool{}
	for _, u := range units {
		drop[u.line] = true
	}
	return s.without(drop), nil
}

var optionPattern = regexp.MustCompile(` -(?:if|hit|log|page|frame|order) (?:'(?:[^']|'')*'|\S+)`)

// optionUnits are the options of actions: conditions, messages and the like.
func optionUnits(s *script, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		for _, at := range optionPattern.FindAllStringIndex(s.lines[i], -1) {
			units = append(units, unit{line: i, start: at[0], end: at[1]})
		}
	}
	return units, false
}

func dropOption(s *script, units []unit) (*script, error) {
	t := *s
	t.lines = slices.Clone(s.lines)
	for _, u := range units {
		t.lines[u.line] = t.lines[u.line][:u.start] + t.lines[u.line][u.end:]
	}
	return &t, nil
}

var earlyPattern = regexp.MustCompile(` -early (\S+)`)

// earlyUnits are the misuses that come before the launch, by their number.
func earlyUnits(s *script, _ int) (units []unit, more bool) {
	if m := earlyPattern.FindStringSubmatch(s.lines[0]); m != nil {
		for i := range strings.Split(m[1], ",") {
			units = append(units, unit{start: i})
		}
	}
	return units, false
}

func dropEarly(s *script, units []unit) (*script, error) {
	t := *s
	t.lines = slices.Clone(s.lines)
	for _, u := range units {
		m := earlyPattern.FindStringSubmatch(t.lines[0])
		names := slices.Delete(strings.Split(m[1], ","), u.start, u.start+1)
		with := ""
		if len(names) > 0 {
			with = " -early " + strings.Join(names, ",")
		}
		t.lines[0] = strings.Replace(t.lines[0], m[0], with, 1)
	}
	return &t, nil
}

// quotedPattern is an expression that a command has in quotes: a condition, or what is
// evaluated.
var quotedPattern = regexp.MustCompile(`(?:-if |^(?:! )?eval |^eval -frame \d+ )'((?:[^']|'')*)'`)

// mostParts bounds how many parts of an expression are tried.
const mostParts = 8

// expressionUnits are the expressions of commands with one of their operands in their
// place, the longest first.
func expressionUnits(s *script, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		for _, at := range quotedPattern.FindAllStringSubmatchIndex(s.lines[i], -1) {
			text := strings.ReplaceAll(s.lines[i][at[2]:at[3]], "''", "'")
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
				units = append(units, unit{line: i, start: at[2] - 1, end: at[3] + 1, text: dap.Quote(text[:len(text)-len(bare)] + part)})
			}
		}
	}
	return units, false
}

func takePart(s *script, units []unit) (*script, error) {
	t := *s
	t.lines = slices.Clone(s.lines)
	for _, u := range units {
		t.lines[u.line] = t.lines[u.line][:u.start] + u.text + t.lines[u.line][u.end:]
	}
	return &t, nil
}
