package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// resume holds what a store has against the settings of a campaign: one of the same
// settings is gone on with, or begun anew if it came to its end; one of others is an error.
func resume(ctx context.Context, store Store, dir string, settings []Setting) error {
	key, err := json.Marshal(asked(settings))
	if err != nil {
		return fmt.Errorf("writing the campaign's settings: %w", err)
	}
	was, err := store.Noted(ctx, notedSettings)
	if err != nil {
		return err
	}
	if was != "" && was != string(key) {
		return fmt.Errorf("%s holds another campaign (%s); name another folder with --out", dir, unlike(was, settings))
	}
	done, err := store.Noted(ctx, NotedComplete)
	if err != nil || was != "" && done == "" {
		return err
	}
	if err := store.Clear(ctx); err != nil {
		return err
	}
	// The scripts that are noted stay: they are in the folder still.
	for _, n := range []struct{ name, text string }{{notedSpent, ""}, {NotedComplete, ""}, {notedSettings, string(key)}} {
		if err := store.Note(ctx, n.name, n.text); err != nil {
			return err
		}
	}
	return nil
}

// asked are settings by their names.
func asked(settings []Setting) map[string]string {
	m := map[string]string{}
	for _, s := range settings {
		m[s.Name] = s.Value
	}
	return m
}

// unlike says which settings are not those that a campaign was begun with.
func unlike(was string, settings []Setting) string {
	then := map[string]string{}
	if json.Unmarshal([]byte(was), &then) != nil {
		return "begun by another version of misstep"
	}
	orNone := func(text string) string {
		if text == "" {
			return "none"
		}
		return text
	}
	var differ []string
	for _, s := range settings {
		if then[s.Name] != s.Value {
			differ = append(differ, fmt.Sprintf("its %s: %s, not %s", s.Name, orNone(then[s.Name]), orNone(s.Value)))
		}
	}
	return strings.Join(differ, "; ")
}
