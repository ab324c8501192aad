package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"misstep/finding"
	"misstep/judge"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules [ID]",
		Short: "List what must hold, or say all there is to say of one rule",
		Args:  args(cobra.MaximumNArgs(1)),
		Example: `  misstep rules
  misstep rules R2-breakpoint`,
		RunE: func(cmd *cobra.Command, a []string) error {
			rules, out := judge.Rules(), cmd.OutOrStdout()
			if len(a) == 0 {
				for _, r := range rules {
					fmt.Fprintf(out, "%-12s %-24s %s\n", r.Oracle, r.ID, r.Sentence)
				}
				return nil
			}
			r, ok := rules.Lookup(a[0])
			if i := slices.IndexFunc(rules, func(r finding.Rule) bool { return r.Oracle+"/"+r.ID == a[0] }); !ok && i >= 0 {
				r, ok = rules[i], true // as findings and summaries name it
			}
			if !ok {
				return usagef("no rule %q%s; misstep rules lists them", a[0], near(rules, a[0]))
			}
			fmt.Fprintf(out, "%s (%s)\n%s\nSource: %s\n", r.ID, r.Oracle, r.Sentence, r.Source)
			if r.Help != "" {
				fmt.Fprintln(out, r.Help)
			}
			return nil
		},
	}
}

// near is a hint at the rules with names like a text.
func near(rules finding.Registry, text string) string {
	if ids := rules.Near(text); len(ids) > 0 {
		return "; did you mean " + strings.Join(ids[:min(3, len(ids))], " or ") + "?"
	}
	return ""
}
