package grow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"misstep/gen/synth"
	"misstep/script"
)

// nameOf is a file's name for a program's test, after the alternative that it was made for.
func nameOf(g *synth.Grammar, p *synth.Program) string {
	name := upper.ReplaceAllStringFunc(p.For.Production, func(s string) string { return "-" + strings.ToLower(s) })
	name = strings.Trim(strings.ReplaceAll(name, "_", "-"), "-")
	if p.For.Part > 0 {
		name += fmt.Sprintf("-%d-%d", p.For.Part, p.For.Branch)
	}
	return name
}

var upper = regexp.MustCompile(`[A-Z]`)

// explain writes into a test what it is about.
func explain(g *synth.Grammar, p *synth.Program, s *script.Script) {
	about := fmt.Sprintf("What the grammar of Go calls %s. Paused at it and stepped on, the debugger is where a recorded run is, and shows its values.", g.Say(p.For))
	var lines []string
	line := "#"
	for _, w := range strings.Fields(about) {
		if len(line)+1+len(w) > 100 {
			lines = append(lines, line)
			line = "#"
		}
		line += " " + w
	}
	lines = append(lines, line)
	if len(s.Commands) > 0 {
		s.Commands[0].Above = slices.Clone(lines)
	}
}
