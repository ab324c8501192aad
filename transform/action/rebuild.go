package action

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/transform"
)

// rebuild has the debugger build another text of the program, and restarts it when that is the base's. Guards: the
// program is a package of a module of its own, with nothing but Go files in its folder; it does not look at
// where it lies; what a restarted program prints is for the relation restart.
var rebuild = transform.Transformation{
	Name: "rebuild",
	Last: true,
	Ways: 2,
	Doc:  "Lets the debugger build the program from another text, changes that to the base's, and restarts: no difference. A text that does not compile is refused.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if len(c.Base) == 0 || asksItsName(c) || !without(dap.Restart, dap.Misuse)(c) || c.Prompts("config", "sources") || !copies(c) {
			return nil, false
		}
		files := map[string]bool{}
		for _, p := range c.Source.Code() {
			files[p.File] = true
		}
		var names []string
		for _, f := range c.Source.Files {
			if files[f.Name] {
				names = append(names, f.Name)
			}
		}
		at := c.Pauses()
		if len(names) == 0 || len(at) == 0 || len(c.Base) > 60 {
			return nil, false
		}
		slices.Sort(names)
		// A text that fails comes before one that does not; what is built by flags is built by them each time.
		params := transform.Params{"file": transform.Pick(c.R, names), "how": transform.Deal(c, []string{"broken", "shifted"})}
		if params["how"] == "broken" {
			params["at"] = strconv.Itoa(transform.Pick(c.R, at) + 1)
		}
		if transform.Deal(c, []bool{true, true, false}) {
			params["tag"] = "missteptag"
		}
		return params, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		if !buildsItself(t) {
			return
		}
		t.Copy = &dap.Copy{File: p["file"], Tag: p["tag"]}
		if p["how"] == "shifted" {
			t.Copy.Lines = 3
		}
		flags := slices.Clone(t.Flags)
		if p["tag"] != "" {
			flags = append(flags, "-tags="+p["tag"])
		}
		t.Settings = map[string]any{"buildFlags": t.BuildFlags(flags)}
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("how %s builds a program misstep does not know", d.Session.Adapter().Name)
		}
		if d.Session.Target().Copy == nil {
			return transform.NotMadef("the program cannot be built by anybody else")
		}
		text, err := d.Session.Original(p["file"])
		if err != nil {
			return err
		}
		if p["how"] == "broken" {
			if err := failing(d, p, text); err != nil {
				return err
			}
		}
		if err := d.Session.Edit(p["file"], text); err != nil {
			return err
		}
		if err := restarts(d, dap.Done, "a restart where the program compiles"); err != nil {
			return err
		}
		return d.PlayAll(dap.Lens{NoOutput: true, NoPlace: d.Source.Imports("C")}, func(int) error { return nil }) // of two builds
	},
}

// failing lets the program run to a pause and restarts it where it does not compile. That is refused; the
// program goes on, or its end is told.
func failing(d *transform.Driver, p transform.Params, text []byte) error {
	at, err := p.Num("at")
	if err != nil {
		return err
	}
	for i := 0; i < at && i < len(d.Base); i++ {
		if err := d.Play(i, dap.Lens{NoOutput: true, NoPlace: d.Source.Imports("C")}); err != nil {
			return err
		}
	}
	for _, b := range d.Session.Breakpoints() {
		if _, err := d.Want(dap.Removed, b.Removal()); err != nil {
			return err
		}
	}
	if err := d.Session.Edit(p["file"], append(slices.Clone(text), "\nfunc {\n"...)); err != nil {
		return err
	}
	if err := restarts(d, dap.Refused, "a restart where the program does not compile"); err != nil {
		return err
	}
	// What is told of the end has come when something else is answered.
	if _, err := d.Do(dap.Action{Kind: dap.Threads}); err != nil {
		return err
	}
	told := d.Session.Ended()
	on := dap.Action{Kind: dap.Continue}
	out, err := d.Do(on)
	if err != nil {
		return err
	}
	d.Checks++
	runs := out.Kind == dap.Paused || out.Kind == dap.Timeout || out.Kind == dap.Ended && out.Exit.Code != nil
	if !told && !runs {
		return &transform.Mismatch{Index: len(d.Base), Action: on, Diff: &dap.Difference{
			Kind: dap.DiffAnswer, What: "after a restart that failed", A: "the program goes on, or its end was told before", B: out.String(),
		}}
	}
	return nil
}

// restarts restarts the program, which must be answered so.
func restarts(d *transform.Driver, want dap.OutputKind, what string) error {
	a := dap.Action{Kind: dap.Restart}
	out, err := d.Do(a)
	if err != nil {
		return err
	}
	return d.Granted(a, out, want, what)
}

// copies reports whether a copy of the program elsewhere is the same program.
func copies(c *transform.Choice) bool {
	p := c.Source.Program
	pkg := p.OnDisk()
	if pkg == "" || strings.HasSuffix(pkg, ".go") || !imports("runtime", "embed", "log", "path/filepath")(c) || slices.ContainsFunc(p.Flags, func(f string) bool { return strings.Contains(f, "tags") }) {
		return false
	}
	if mod, err := os.ReadFile(filepath.Join(p.Dir, "go.mod")); err != nil || strings.Contains(string(mod), "replace") || len(p.Beside()) > 0 {
		return false
	}
	plain := true
	err := filepath.WalkDir(p.Dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) != ".go" && e.Name() != "go.mod" && e.Name() != "go.sum" {
			plain = false
			return filepath.SkipAll
		}
		return err
	})
	if err != nil || !plain {
		return false
	}
	_, _, err = gobuild.Pack(p)
	return err == nil
}
