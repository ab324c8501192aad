package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"misstep/internal/gobuild"
	"misstep/profiler"
	"misstep/script"
	"misstep/triage/blame"
)

// openFinding reads a script, and makes what it is run with; engine is one instead of the
// script's own, if it is not empty.
func openFinding(cmd *cobra.Command, file, engine string) (*script.Env, *script.Script, error) {
	s, err := readScript(file)
	if err != nil {
		return nil, nil, err
	}
	if _, err := gobuild.ParseEngine(s.Engine()); err != nil {
		return nil, nil, usagef("%s: %w", file, err)
	}
	env, err := newEnv(cmd, engine)
	return env, s, err
}

func readScript(file string) (*script.Script, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	return script.Parse(text, file)
}

// newEnv is what scripts run with; with is an engine instead of their own, if it is
// not empty.
func newEnv(cmd *cobra.Command, with string) (*script.Env, error) {
	if with != "" {
		if _, err := profiler.Parse(with); err != nil {
			if _, err := parseEngine(with); err != nil {
				return nil, err
			}
		}
	}
	env, err := script.NewEnv(cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	env.Engine, env.Evidence = with, blame.Of
	return env, nil
}
