package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"misstep/gen"
)

func newPrograms() *cobra.Command {
	return &cobra.Command{
		Use:   "programs [NAME]",
		Short: "List the programs that come with misstep, or print one",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 1 {
				text, err := gen.ShippedText(strings.TrimPrefix(names[0], "corpus/"))
				if err != nil {
					return usagef("no shipped program %q; misstep programs lists them", names[0])
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			for _, name := range gen.Shipped() {
				text, err := gen.ShippedText(name)
				if err != nil {
					return err
				}
				first, _, _ := strings.Cut(string(text), "\n")
				fmt.Fprintf(cmd.OutOrStdout(), "corpus/%-24s %s\n", name, first)
			}
			return nil
		},
	}
}
