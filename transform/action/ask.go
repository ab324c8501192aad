package action

import (
	"slices"
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// shown is a pause as an answer to asking once more.
func shown(p *dap.Pause, stack bool) *dap.Output {
	if stack {
		return &dap.Output{Kind: dap.Answered, Stack: p.Stack}
	}
	return &dap.Output{Kind: dap.Answered, Scopes: p.Scopes}
}

func chooseAsk(c *transform.Choice, pages []int) (transform.Params, bool) {
	at := c.Pauses()
	if len(at) == 0 {
		return nil, false
	}
	what := transform.Pick(c.R, []string{"stack", "vars"})
	if what == "vars" {
		// Elsewhere the variables are not asked for in the first place.
		at = slices.DeleteFunc(at, func(i int) bool { return !c.Source.Own(c.Base[i].Output.Pause.Top().File) })
		if len(at) == 0 {
			return nil, false
		}
	}
	return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at) + 1), "what": what, "page": strconv.Itoa(transform.Pick(c.R, pages))}, true
}

func runAsk(d *transform.Driver, p transform.Params) error {
	page, err := p.Num("page")
	if err != nil {
		return err
	}
	return d.AtPause(p, func(pause *dap.Pause) error {
		out, err := d.Do(dap.Action{Kind: dap.Kind(p["what"]), Page: page})
		if err != nil {
			return err
		}
		return d.Equal(len(d.Events)-1, shown(pause, p["what"] == "stack"), out, dap.Lens{})
	})
}

// askTwice asks for the stack or the variables once more.
var askTwice = transform.Transformation{
	Name:   "ask-twice",
	Doc:    "Asks for the stack or the variables once more: the same answer, and no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) { return chooseAsk(c, []int{0}) },
	Run:    runAsk,
}

// askInPages asks in pages. Guard: what a variable's limit cut off in one of
// the two is not compared.
var askInPages = transform.Transformation{
	Name: "ask-in-pages",
	Doc:  "Asks for the stack or the variables in pages: together they are the whole, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		return chooseAsk(c, []int{1, 2, 3, 5, 63, 64, 65, 100, 127, 128, 129})
	},
	Run: runAsk,
}
