package action

import (
	"path/filepath"
	"slices"

	"misstep/dap"
	"misstep/transform"
)

// debugMode has the debugger build the program itself, as editors do, with the same flags. A restart before all else
// has it built again. Guards: it is built of one package or file, which are on disk as they are, and does not look at
// the name of its binary.
var debugMode = transform.Transformation{
	Name: "debug-mode",
	Last: true,
	Ways: 3,
	Doc:  "Lets the debugger build the program, by the same flags, from its folder or another, and maybe once more for a restart: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if len(c.Base) == 0 || c.Source.Program.OnDisk() == "" || asksItsName(c) || !without(dap.Restart, dap.Misuse)(c) {
			return nil, false
		}
		params := transform.Params{"flags": transform.Deal(c, []string{"list", "text"})}
		if from := transform.Deal(c, []string{"elsewhere", "", "folder"}); from != "" {
			params["from"] = from
		}
		for _, name := range []string{"restart", "trimpath"} {
			// The prompt tells of the folders that trimmed names stand for.
			if transform.Deal(c, []bool{true, false}) && !(name == "trimpath" && c.Prompts("config", "sources")) {
				params[name] = "true"
			}
		}
		return params, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		if !buildsItself(t) {
			return
		}
		flags := slices.Clone(t.Flags)
		if p["trimpath"] != "" && !t.Trimmed {
			t.Trim()
			flags = append(flags, "-trimpath")
		}
		t.Settings = map[string]any{}
		folder, name := t.Program, "."
		if filepath.Ext(folder) == ".go" {
			folder, name = filepath.Dir(folder), "."+string(filepath.Separator)+filepath.Base(folder)
		}
		switch p["from"] {
		case "folder":
			t.Settings["dlvCwd"], t.Program = folder, name
		case "elsewhere":
			if !t.Elsewhere {
				break // see Run
			}
			// The go command wants this flag to be the first.
			t.Settings["dlvCwd"], t.Program, flags = string(filepath.Separator), name, append([]string{"-C=" + folder}, flags...)
		}
		t.Settings["buildFlags"] = t.BuildFlags(flags)
		if p["flags"] != "text" && t.Lists() {
			t.Settings["buildFlags"] = flags
		}
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("how %s builds a program misstep does not know", d.Session.Adapter().Name)
		}
		if d.Session.Target().Mode == "exec" {
			return transform.NotMadef("the program cannot be built by anybody else")
		}
		if p["from"] == "elsewhere" && !d.Session.Target().Elsewhere {
			return transform.NotMadef("its go command knows no flag for another folder")
		}
		lens := dap.Lens{NoPlace: d.Source.Imports("C")} // cgo names its files by where they lie
		if p["restart"] != "" {
			// What it prints then is for the relation restart.
			lens.NoOutput = true
			if _, err := d.Want(dap.Done, dap.Action{Kind: dap.Restart}); err != nil {
				return err
			}
		}
		return d.PlayAll(lens, func(int) error { return nil })
	},
}

// buildsItself has the debugger build the target's program, and reports whether it can.
func buildsItself(t *dap.Target) bool {
	if t.Package == "" {
		return false
	}
	t.Mode, t.Program = "debug", t.Package
	if t.Test {
		t.Mode = "test"
	}
	return true
}
