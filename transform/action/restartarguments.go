package action

import (
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// restartArguments launches the program with other arguments, and restarts it with its own. Guard: what a restarted
// program prints is for the relation restart.
var restartArguments = transform.Transformation{
	Name: "restart-arguments",
	Last: true,
	Doc:  "Launches the program with other arguments and restarts it with its own before it begins: it has those, and there is no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if len(c.Base) == 0 || !without(dap.Misuse)(c) {
			return nil, false
		}
		return transform.Params{"first": transform.Deal(c, []string{"none", "more", "others"})}, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		t.First = []string{}
		switch p["first"] {
		case "more":
			t.First = append(slices.Clone(t.Args), "misstep")
		case "others":
			t.First = []string{"mis step", ""}
		}
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("how %s takes arguments for a restart misstep does not know", d.Session.Adapter().Name)
		}
		if _, err := d.Want(dap.Done, dap.Action{Kind: dap.Restart}); err != nil {
			return err
		}
		looked := false
		lens := dap.Lens{NoOutput: true}
		return d.PlayAll(lens, func(int) error {
			if looked || d.Session.Pause() == nil {
				return nil
			}
			looked = true
			return arguments(d)
		})
	},
}

// arguments holds the arguments that the program sees against those that it is to have.
func arguments(d *transform.Driver) error {
	out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: "os.Args"})
	if err != nil || out.Kind != dap.Answered || out.Value == nil || out.Value.Cut != "" {
		return err // the program may not have the package
	}
	var got []string
	for i := 1; out.Value.Element(i) != nil; i++ {
		got = append(got, out.Value.Element(i).Value)
	}
	var want []string
	for _, a := range d.Session.Target().Args {
		if len(a) > 60 {
			return nil // it is shown in part
		}
		want = append(want, strconv.Quote(a))
	}
	d.Checks++
	if !slices.Equal(got, want) {
		return &transform.Mismatch{Index: len(d.Events) - 1, Action: dap.Action{Kind: dap.Evaluate, Name: "os.Args"}, Diff: &dap.Difference{
			Kind: dap.DiffValue, What: "the program's arguments", A: strings.Join(want, " "), B: strings.Join(got, " "),
		}}
	}
	return nil
}
