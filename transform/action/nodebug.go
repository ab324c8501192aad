package action

import (
	"slices"

	"misstep/dap"
	"misstep/transform"
)

// noDebug has the program run without a debugger, as editors do whose user asks for that. Guards: the base has
// run the program to its end, and has not changed what it does; adapters without that mode are left alone.
var noDebug = transform.Transformation{
	Name:    "no-debug",
	Differs: true,
	Last:    true,
	Ways:    4,
	Doc:     "Launches the program to be run without a debugger, with its output where the debugger prints, in messages or in files: the same output and exit code.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if last := len(c.Base) - 1; last < 0 || c.Base[last].Output.Kind != dap.Ended || c.Source.Breaks() || slices.ContainsFunc(c.Base, alters) || !without(dap.Restart, dap.Misuse)(c) {
			return nil, false
		}
		ways := []string{"remote", "local"}
		if executed(c) {
			for _, f := range outputFiles {
				ways = append(ways, f.name)
			}
		}
		return transform.Params{"output": transform.Deal(c, ways)}, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		t.Settings = map[string]any{dap.NoDebug: true}
		for _, f := range outputFiles {
			if f.name == p["output"] {
				f.target(t)
				t.Settings["stdinFrom"] = "/dev/null" // redirections come together
				return
			}
		}
		if p["output"] != "" {
			t.Settings["outputMode"] = p["output"]
		}
	},
	Run: func(d *transform.Driver, _ transform.Params) error {
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("whether %s runs programs without a debugger misstep does not know", d.Session.Adapter().Name)
		}
		out, err := d.Do(dap.Action{Kind: dap.Continue})
		if err != nil {
			return err
		}
		return d.Match(len(d.Base)-1, out, dap.Lens{NoLogs: true})
	},
}
