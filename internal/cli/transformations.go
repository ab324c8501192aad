package cli

import (
	"fmt"
	"io"

	"misstep/finding"
	"misstep/oracle/metamorphic"
	"misstep/transform/action"
	"misstep/transform/build"
	"misstep/transform/rewrite"
)

// relation is the rule of a transformation.
func relation(name string) (finding.Rule, error) {
	rules := metamorphic.Rules()
	r, ok := rules.Lookup(name)
	if !ok {
		return r, usagef("unknown transformation %q%s; misstep transform --list lists them", name, near(rules, name))
	}
	return r, nil
}

func listTransformations(out io.Writer) error {
	var err error
	p := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(out, format, args...)
		}
	}
	p("of actions:\n")
	for _, t := range action.All {
		p("  %-22s %s\n", t.Name, t.Doc)
	}
	p("\nof programs:\n")
	for _, t := range rewrite.All {
		p("  %-22s %s\n", t.Name, t.Doc)
	}
	p("\nof the build:\n")
	for _, t := range build.All {
		p("  %-22s %s\n", t.Name, t.Doc)
	}
	return err
}
