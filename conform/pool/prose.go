package pool

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/script"
)

// named are the names of tests, after how their sessions came about.
func named(all []*chosen) []string {
	count := map[string]int{}
	names := make([]string, len(all))
	for i, m := range all {
		name := "session"
		switch {
		case strings.HasPrefix(m.way, related):
			name = m.way
		case m.as != "":
			name += "-" + startedAs(m.as)
		default:
			name += "-" + m.about()
		}
		if count[name]++; count[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, count[name])
		}
		names[i] = name
	}
	return names
}

// about is the action that a session has most particular: of those that it does, the one that the table of actions has last among those that
// ask, set or end.
func (m *member) about() string {
	best := ""
	at := -1
	for i, meaning := range dap.Meanings() {
		has := slices.ContainsFunc(m.script.Commands, func(c script.Command) bool { return c.Action.Kind == meaning.Kind })
		if has && meaning.Kind != dap.Finish && i > at {
			best, at = string(meaning.Kind), i
		}
	}
	if best == "" {
		return "launch"
	}
	return best
}

// mostNamed is how many functions a test's text names.
const mostNamed = 3

// explain writes into a test what it is about.
func explain(m *chosen, functions []string) {
	s := m.script
	for i := range s.Commands {
		s.Commands[i].Above = nil
	}
	var does []string
	for _, c := range s.Commands {
		if c.Acts() && !slices.Contains(does, string(c.Action.Kind)) {
			does = append(does, string(c.Action.Kind))
		}
	}
	var text strings.Builder
	text.WriteString("A session")
	if m.as != "" {
		fmt.Fprintf(&text, " that is started with %s", strings.ReplaceAll(m.as, ",", " "))
	}
	if len(does) > 0 {
		fmt.Fprintf(&text, ", of %s", strings.Join(does, ", "))
	}
	text.WriteString(".")
	if j := s.Judge(); j != nil && j.Verb == relate {
		fmt.Fprintf(&text, " With %s it must show the same.", strings.Join(j.Args, " "))
	}
	if len(functions) > 0 {
		fmt.Fprintf(&text, " The tests before it do not execute all that it does of Delve's %s.", strings.Join(functions[:min(len(functions), mostNamed)], ", "))
	}
	var lines []string
	for _, l := range script.Wrap(text.String()) {
		lines = append(lines, "# "+l)
	}
	if len(s.Commands) > 0 {
		s.Commands[0].Above = lines
	}
}
