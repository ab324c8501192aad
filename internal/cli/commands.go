package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"misstep/script"
)

func newCommands() *cobra.Command {
	return &cobra.Command{
		Use:   "commands",
		Short: "List the commands of the script language",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, c := range script.Verbs() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n\t%s\n", c.Usage, c.Doc)
			}
			return nil
		},
	}
}
