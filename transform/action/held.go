package action

import (
	"context"
	"slices"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/transform"
)

// held has a copy of the program wait before its main, for as long as it takes to ask something of a program that runs. Where other
// sessions ask, whether it still runs depends on time, so that whatever comes has to be accepted; here it is known. Guards: the
// program is a package of a module of its own, as for rebuild; nothing runs before it waits that a breakpoint may be in, neither code of
// its own nor of packages outside the standard library; the base begins with breakpoints and then lets it run, and names no
// instructions, as the two are two builds; no function is generic, as the addresses in the dictionaries of those are shown.
var held = transform.Transformation{
	Name: "held",
	Last: true,
	Ways: 5,
	Doc:  "Has the program wait before its main, where it is paused, restarted, asked something, given its breakpoints or left while it runs: that is done in time, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		generic := slices.ContainsFunc(c.Source.Funcs(), func(f source.Func) bool { return f.Generic })
		byInstruction := slices.ContainsFunc(c.Base, func(e dap.Event) bool { return e.Action.Instruction })
		switch {
		case opening(c.Base) < 0, len(c.Base) > 60, byInstruction, c.Prompts("config", "sources"), !without(dap.Restart, dap.Misuse, dap.InstBreak, dap.InstUnset, dap.Disas)(c),
			generic, c.Source.Early(), c.Source.Beyond(), c.Source.Program.Test, asksItsName(c), !copies(c):
			return nil, false
		}
		ways := []string{"restart", "pause", "ask", "disconnect"}
		if without(dap.Catch)(c) { // exceptions may be refused while it runs
			ways = append(ways, "breakpoints")
		}
		how := transform.Deal(c, ways)
		params := transform.Params{"how": how, "file": c.Source.Files[0].Name}
		if how == "ask" {
			params["what"] = transform.Deal(c, append(slices.Clone(dap.Meanwhiles), allRequests))
		}
		return params, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		if !buildsItself(t) {
			return
		}
		t.Copy = &dap.Copy{File: p["file"], Held: true}
		t.Settings = map[string]any{"buildFlags": t.BuildFlags(t.Flags)}
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("how %s builds a program misstep does not know", d.Session.Adapter().Name)
		}
		if d.Session.Target().Copy == nil {
			return transform.NotMadef("the program cannot be built by anybody else")
		}
		first := opening(d.Base)
		if first < 0 {
			return transform.NotMadef("the base does not begin with breakpoints")
		}
		from, lens := 0, dap.Lens{NoPlace: true} // of two builds
		play := func(to int) error {
			for ; from < to; from++ {
				if err := d.Play(from, lens); err != nil {
					return err
				}
			}
			return nil
		}
		if p["how"] == "ask" {
			if err := play(first); err != nil {
				return err
			}
		}
		out, err := d.Wait(d.Session.LetRun)
		if err != nil {
			return err
		}
		if out.Kind != dap.Done {
			return transform.NotMadef("%s", out)
		}
		switch p["how"] {
		case "restart":
			err = restarts(d, dap.Done, "a restart while the program runs")
			lens.NoOutput = true // for the relation restart
		case "pause":
			err = pauses(d)
		case "breakpoints":
			err = play(first)
		case "ask":
			err = asks(d, p["what"])
		case "disconnect":
			return disconnects(d)
		default:
			return transform.NotMadef("misstep knows no way %q to ask a held program", p["how"])
		}
		if err != nil {
			return err
		}
		if err := d.Session.Release(); err != nil {
			return err
		}
		return play(len(d.Base))
	},
}

// heldNoDebug asks for something of a program that waits so and is run without a debugger. Guards: those of no-debug, and that there can be
// a copy of it.
var heldNoDebug = transform.Transformation{
	Name:    "held-no-debug",
	Differs: true,
	Last:    true,
	Ways:    2,
	Doc:     "Has the program wait before its main where it is run without a debugger, and asks for something meanwhile, or leaves: that is answered, and the program ends as before, or with the session.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if _, ok := noDebug.Choose(c); !ok || asksItsName(c) || !copies(c) || c.Source.Program.Test {
			return nil, false
		}
		return transform.Params{"file": c.Source.Files[0].Name, "what": transform.Deal(c, append(slices.Clone(dap.Meanwhiles), allRequests, "disconnect"))}, true
	},
	Target: func(t *dap.Target, p transform.Params) {
		if held.Target(t, p); t.Copy != nil {
			t.Settings[dap.NoDebug] = true
		}
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Target().Copy == nil || d.Session.Adapter().Name != "dlv" {
			return transform.NotMadef("the program cannot be built by anybody else")
		}
		if p["what"] == "disconnect" {
			return disconnects(d)
		}
		if err := asks(d, p["what"]); err != nil {
			return err
		}
		if err := d.Session.Release(); err != nil {
			return err
		}
		out, err := d.Do(dap.Action{Kind: dap.Continue})
		if err != nil {
			return err
		}
		return d.Match(len(d.Base)-1, out, dap.Lens{NoLogs: true, NoOutput: true}) // output is for no-debug
	},
}

// pauses asks the program to pause, which has to come.
func pauses(d *transform.Driver) error {
	a := dap.Action{Kind: dap.Interrupt}
	out, err := d.Do(a)
	if err != nil {
		return err
	}
	return d.Granted(a, out, dap.Paused, "a pause that is asked for while the program runs")
}

// allRequests asks for all that a client can.
const allRequests = "all"

// asks asks for something else, which may be refused but not be left without an answer.
func asks(d *transform.Driver, what string) error {
	if what != allRequests {
		_, err := d.Wait(func(ctx context.Context) dap.Output { return d.Session.Meanwhile(ctx, what) })
		return err
	}
	out, err := d.Wait(d.Session.AskAll)
	if err != nil {
		return err
	}
	d.Checks++
	if out.Kind != dap.Done {
		return &transform.Mismatch{Index: len(d.Base), Diff: &dap.Difference{Kind: dap.DiffAnswer, What: "a request to let a program run that does", A: "refused", B: out.Text}}
	}
	return nil
}

// disconnects ends the session, which is told before the connection is over.
func disconnects(d *transform.Driver) error {
	a := dap.Action{Kind: dap.Disconnect}
	out, err := d.Do(a)
	if err != nil {
		return err
	}
	if err := d.Granted(a, out, dap.Done, "a disconnect while the program runs"); err != nil {
		return err
	}
	if out, err = d.Wait(d.Session.Farewell); err != nil {
		return err
	}
	return d.Granted(a, out, dap.Done, "what is told of the session's end")
}

// opening is the number of the action by which the base lets its program run for the first time, before which there are only
// breakpoints; it is -1 if it begins in another way.
func opening(base []dap.Event) int {
	for i, e := range base {
		switch e.Action.Kind {
		case dap.Continue:
			if e.Action.Meanwhile != "" || e.Output.Kind == dap.Refused {
				return -1
			}
			return i
		case dap.Break, dap.Unbreak, dap.FuncBreak, dap.FuncUnset, dap.Catch:
		default:
			return -1
		}
	}
	return -1
}
