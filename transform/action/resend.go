package action

import (
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// resendBreakpoints sends a file's breakpoints once more, as editors do at any
// time, in another order. Hit counts are kept by an adapter that recognises
// what it has already.
var resendBreakpoints = transform.Transformation{
	Name: "resend-breakpoints",
	Doc:  "Sends the same breakpoints once more, in another order: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		var at []int
		for _, i := range c.Quiet() {
			if len(settled(c.Base, i)) > 0 {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		i := transform.Pick(c.R, at)
		set := settled(c.Base, i)
		file := c.Base[transform.Pick(c.R, set)].Action.File
		n := 0
		for _, j := range set {
			if c.Base[j].Action.File == file {
				n++
			}
		}
		order := ""
		for _, k := range c.R.Perm(n) {
			order += strconv.Itoa(k) + ","
		}
		return transform.Params{"at": strconv.Itoa(i), "file": file, "order": order[:len(order)-1]}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		a := dap.Action{Kind: dap.Resend, File: p["file"], Order: ParseOrder(p["order"])}
		return d.Insert(p, dap.Lens{}, func() error {
			out, err := d.Want(dap.Done, a)
			if err != nil {
				return err
			}
			return d.Equal(len(d.Events)-1, &dap.Output{Kind: dap.Done}, out, dap.Lens{NoLogs: true})
		})
	},
}

// ParseOrder reads numbers between commas; what is none is left out.
func ParseOrder(s string) []int {
	var order []int
	for _, w := range strings.Split(s, ",") {
		if n, err := strconv.Atoi(w); err == nil {
			order = append(order, n)
		}
	}
	return order
}
