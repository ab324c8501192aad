package action

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// Start changes a target as its text says: transformations, each a name and its parameters, separated by commas, with plus signs between
// them. The one that is named arguments takes those of the launch request by their names, and with client. before them those of
// the initialize request. An empty text changes nothing.
func Start(target *dap.Target, text string) error {
	if text == "" {
		return nil
	}
	for _, one := range dap.Starts(text) {
		words := strings.Split(one, ",")
		params, err := transform.ParseParams(words[1:])
		if err != nil {
			return err
		}
		if words[0] == given {
			give(target, params)
			continue
		}
		t, err := Lookup(words[0])
		if err != nil {
			return err
		}
		if t.Target == nil {
			return fmt.Errorf("%s changes nothing of how a session starts", t.Name)
		}
		t.Start(target, params)
	}
	target.As = text
	return nil
}

const (
	// given is the name of what gives the arguments themselves, and client what those of the initialize request begin with.
	given, client = "arguments", "client."
)

// ShowsAll reports whether a session that starts as a text says shows of its program what any debugger has to.
func ShowsAll(text string) bool {
	return !slices.ContainsFunc(dap.Starts(text), func(one string) bool {
		name, _, _ := strings.Cut(one, ",")
		t, err := Lookup(name)
		return err != nil || t.Differs
	})
}

// give gives arguments to the adapter. What is no JSON is a text.
func give(t *dap.Target, params transform.Params) {
	for name, text := range params {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		if of, ok := strings.CutPrefix(name, client); ok {
			t.Client = with(t.Client, map[string]any{of: value})
		} else {
			t.Settings = with(t.Settings, map[string]any{name: value})
		}
	}
}
