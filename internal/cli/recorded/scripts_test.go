// Package recorded has no code, only scripts of the commands that are about recorded runs and what they execute.
package recorded

import (
	"testing"

	"misstep/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts: the commands as their users see them, bad input above all.
func TestScripts(t *testing.T) { clitest.Scripts(t) }
