package cli

import "github.com/spf13/cobra"

func newSelftest() *cobra.Command { return &cobra.Command{Use: "selftest"} }
