package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"misstep/transform"
)

// kinds of transformations, as --only and --skip name them.
var kinds = []string{"actions", "programs", "builds"}

// lookup finds the documentation of a transformation of any kind.
func lookup(name string) (doc string, err error) {
	if t, ok := transform.LookupRewrite(name); ok {
		return t.Doc, nil
	}
	if t, ok := transform.LookupBuild(name); ok {
		return t.Doc, nil
	}
	t, err := transform.Lookup(name)
	return t.Doc, err
}

func newTransform() *cobra.Command {
	return &cobra.Command{
		Use:   "transform [NAME]",
		Short: "List the transformations with their relations, or explain one",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 1 {
				doc, err := lookup(names[0])
				if err != nil {
					return &usageError{err}
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", names[0], doc)
				return nil
			}
			for _, t := range transform.Actions {
				fmt.Fprintf(cmd.OutOrStdout(), "%-22s %s\n", t.Name, t.Doc)
			}
			return nil
		},
	}
}
