package action

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// core has a second client of the server that has the program write the program's memory into a core, where the program is paused, and opens
// that with another debugger: it shows the same pause, and answers the same to what is asked before the program goes on. Then the program
// goes on as if nothing had been. Guards: those of attach; what follows the pause is asked as far as it neither changes anything nor is
// about why the program paused, which a core does not say.
var core = transform.Transformation{
	Name: "core",
	Last: true,
	Doc:  "Has a second client of a server write a core at a pause, and opens it: it shows what the program showed, which then goes on as before.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if !without(dap.Restart, dap.Misuse, dap.Disconnect)(c) || asksItsName(c) {
			return nil, false
		}
		at := c.Pauses()
		if len(at) == 0 {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at) + 1)}, true
	},
	Target: func(t *dap.Target, p transform.Params) { t.Attach = dap.AttachServer },
	Run: func(d *transform.Driver, p transform.Params) error {
		if !d.Session.Attached() {
			return transform.NotMadef("how %s writes cores misstep does not know", d.Session.Adapter().Name)
		}
		at, err := p.Num("at")
		if err != nil {
			return err
		}
		if at < 1 || d.Base[at-1].Output.Pause == nil {
			return transform.NotMadef("the program is not paused")
		}
		return d.Insert(p, dap.Lens{}, func() error {
			var post *dap.Session
			out, err := d.Wait(func(ctx context.Context) (out dap.Output) {
				post, out = d.Session.Postmortem(ctx)
				return out
			})
			if post != nil {
				defer post.Close()
			}
			if err != nil {
				return err
			}
			if out.Kind != dap.Paused {
				return d.Granted(d.Base[at-1].Action, out, dap.Paused, "what the core shows")
			}
			return d.Beside(post, func(d *transform.Driver) error { return dissect(d, at, out) })
		})
	},
}

// dissect holds what a core shows against what the base showed from its action at on.
func dissect(d *transform.Driver, at int, out *dap.Output) error {
	if err := d.Match(at-1, out, dap.Lens{NoReason: true, NoLogs: true}); err != nil {
		return err
	}
	for i, e := range d.Base[at:] {
		switch {
		case e.Action.Kind.Meaning().Effect != dap.Asks || alters(e):
			return nil
		case e.Action.Kind == dap.Exception || strings.HasPrefix(e.Action.Name, "dlv "):
			continue
		}
		out, err := d.Do(e.Action)
		if err != nil {
			return err
		}
		if out.Threads != nil {
			// Tolerance current-thread: a core does not say which thread the debugger had in view.
			d.Base = slices.Clone(d.Base)
			d.Base[at+i].Output.Threads, out.Threads = unmarked(e.Output.Threads), unmarked(out.Threads)
		}
		if err := d.Match(at+i, out, dap.Lens{}); err != nil {
			return err
		}
	}
	return nil
}

// unmarked are lines of threads without what says which of them is the current one.
func unmarked(lines []string) []string {
	list := slices.Clone(lines)
	for i := range list {
		list[i] = strings.TrimPrefix(list[i], "* ")
	}
	return list
}
