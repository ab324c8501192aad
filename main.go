// Misstep finds the missteps of debuggers.
package main

import (
	"os"

	"misstep/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
