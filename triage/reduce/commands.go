package reduce

import (
	"regexp"
	"slices"
	"strings"
)

// shortcutUnits are the pauses to which a breakpoint may lead at once, the last first.
func shortcutUnits(s *script, _ int) (units []unit, more bool) {
	for i := len(s.lines) - 2; i > 2; i-- {
		if s.paused[i] != "" {
			units = append(units, unit{line: i})
		}
	}
	return units, false
}

func takeShortcut(s *script, units []unit) (*script, error) {
	return s.straight(units[0].line), nil
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
