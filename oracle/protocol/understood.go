package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"

	godap "github.com/google/go-dap"

	"misstep/dap"
	"misstep/finding"
)

// heeds notes what the client says that it understands.
func (c *checker) heeds(args json.RawMessage) {
	c.client = godap.InitializeRequestArguments{}
	json.Unmarshal(args, &c.client)
}

// understood judges that nothing is sent that the client has not said to understand: types of variables,
// references to memory, and some events. What it understands is not counted.
func (c *checker) understood(m godap.Message) {
	sent := func(understands bool, what string, is bool) {
		if !understands {
			c.check("understood", !is, "the client has not said that it understands %s", what)
		}
	}
	on := c.on
	ofVariable := func(name, typ, memory string) {
		name = cmp.Or(name, "a variable")
		c.on = on + "/type"
		sent(c.client.SupportsVariableType, fmt.Sprintf("types, and is told that of %s", name), typ != "")
		c.on = on + "/memoryReference"
		sent(c.client.SupportsMemoryReferences, fmt.Sprintf("references to memory, and is told that of %s", name), memory != "")
		c.on = on
	}
	if e, ok := m.(godap.EventMessage); ok {
		c.on = e.GetEvent().Event
		defer func() { c.on = on }()
	}
	switch m := m.(type) {
	case *godap.VariablesResponse:
		for _, v := range m.Body.Variables {
			ofVariable(v.Name, v.Type, v.MemoryReference)
		}
	case *godap.EvaluateResponse:
		ofVariable("what is evaluated", m.Body.Type, m.Body.MemoryReference)
	case *godap.SetVariableResponse:
		ofVariable("what is set", m.Body.Type, "")
	case *godap.InvalidatedEvent:
		sent(c.client.SupportsInvalidatedEvent, "that event", true)
	case *godap.MemoryEvent:
		sent(c.client.SupportsMemoryEvent, "that event", true)
	case *godap.ProgressStartEvent, *godap.ProgressUpdateEvent, *godap.ProgressEndEvent:
		sent(c.client.SupportsProgressReporting, "that event", true)
	}
}

// changes are the requests after which Delve tells a client that understands it that what it has shown may be something else now.
var changes = map[string]bool{"setVariable": true, "writeMemory": true}

// untold are the changes that were granted to a client that understands invalidated events, and that none of these was for until the next
// answer.
func untold(wire []dap.Wire, tally *finding.Tally) (found []Violation) {
	hears, due := false, -1
	for i := range wire {
		w := &wire[i]
		switch m := w.Msg.(type) {
		case *godap.Request:
			if m.Command == "initialize" {
				var r struct {
					Arguments godap.InitializeRequestArguments `json:"arguments"`
				}
				json.Unmarshal(w.Raw, &r)
				hears = r.Arguments.SupportsInvalidatedEvent
			}
		case *godap.InvalidatedEvent:
			due = -1
		case godap.ResponseMessage:
			if due >= 0 {
				found = append(found, Violation{"told", wire[due].Msg.(godap.ResponseMessage).GetResponse().Command, "something was changed, and no invalidated event came before the next answer", due})
				due = -1
			}
			if r := m.GetResponse(); hears && r.Success && changes[r.Command] {
				tally.Add(Oracle+"/told", 1)
				due = i
			}
		}
	}
	return found
}
