package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"misstep/transform"
)

func newTransform() *cobra.Command {
	return &cobra.Command{
		Use:   "transform [NAME]",
		Short: "List the transformations with their relations, or explain one",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 1 {
				t, err := transform.Lookup(names[0])
				if err != nil {
					return &usageError{err}
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", t.Name, t.Doc)
				return nil
			}
			for _, t := range transform.Actions {
				fmt.Fprintf(cmd.OutOrStdout(), "%-22s %s\n", t.Name, t.Doc)
			}
			return nil
		},
	}
}
