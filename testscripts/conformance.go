package testscripts

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"misstep/conform"
	"misstep/script"
)

//go:embed conformance/*.txtar
var conformance embed.FS

// Conformance is the conformance suite: scripts that were generated from Go's grammar and the protocol, in order.
func Conformance() ([]conform.Test, error) {
	entries, err := fs.ReadDir(conformance, "conformance")
	if err != nil {
		return nil, fmt.Errorf("reading the conformance suite: %w", err)
	}
	var tests []conform.Test
	for _, e := range entries {
		text, err := conformance.ReadFile("conformance/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the conformance suite: %w", err)
		}
		s, err := script.Parse(text, e.Name())
		if err != nil {
			return nil, err
		}
		tests = append(tests, conform.Test{Name: strings.TrimSuffix(e.Name(), ".txtar"), Script: s})
	}
	return tests, nil
}
