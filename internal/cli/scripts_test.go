package cli_test

import (
	"testing"

	"misstep/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts: the command as its users see it, bad input above all.
func TestScripts(t *testing.T) { clitest.Scripts(t) }
