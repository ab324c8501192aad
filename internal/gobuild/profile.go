package gobuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/tools/cover"
)

// Profiles reads the counters that a covered binary has left in a folder; none if it
// has left none.
func (c *Cache) Profiles(ctx context.Context, dir string) ([]*cover.Profile, error) {
	if entries, err := os.ReadDir(dir); err != nil || len(entries) < 2 {
		return nil, nil
	}
	tmp, err := c.Keeper.TempDir("profile")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	text := filepath.Join(tmp, "profile")
	if err := c.WriteProfile(ctx, dir, text); err != nil {
		return nil, err
	}
	profiles, err := cover.ParseProfiles(text)
	if err != nil {
		return nil, fmt.Errorf("reading counters: %w", err)
	}
	return profiles, nil
}

// WriteProfile writes the counters in a folder, added up, as go tool cover reads them.
func (c *Cache) WriteProfile(ctx context.Context, dir, file string) error {
	file, err := filepath.Abs(file) // the command runs in the folder
	if err != nil {
		return fmt.Errorf("writing a profile: %w", err)
	}
	// The tool is compiled when it is first needed.
	done, err := c.first(ctx, "go tool covdata")
	if err != nil {
		return err
	}
	defer done()
	if _, err := c.run(ctx, dir, nil, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+file); err != nil {
		return fmt.Errorf("reading counters: %w", err)
	}
	return nil
}
