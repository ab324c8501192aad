package protocol

import (
	"encoding/json"
	"reflect"

	godap "github.com/google/go-dap"
)

// offered maps requests to the capability that offers them, where DAP has one.
var offered = map[string]func(*godap.Capabilities) bool{
	"breakpointLocations":       func(c *godap.Capabilities) bool { return c.SupportsBreakpointLocationsRequest },
	"cancel":                    func(c *godap.Capabilities) bool { return c.SupportsCancelRequest },
	"completions":               func(c *godap.Capabilities) bool { return c.SupportsCompletionsRequest },
	"configurationDone":         func(c *godap.Capabilities) bool { return c.SupportsConfigurationDoneRequest },
	"dataBreakpointInfo":        func(c *godap.Capabilities) bool { return c.SupportsDataBreakpoints },
	"disassemble":               func(c *godap.Capabilities) bool { return c.SupportsDisassembleRequest },
	"exceptionInfo":             func(c *godap.Capabilities) bool { return c.SupportsExceptionInfoRequest },
	"goto":                      func(c *godap.Capabilities) bool { return c.SupportsGotoTargetsRequest },
	"gotoTargets":               func(c *godap.Capabilities) bool { return c.SupportsGotoTargetsRequest },
	"loadedSources":             func(c *godap.Capabilities) bool { return c.SupportsLoadedSourcesRequest },
	"modules":                   func(c *godap.Capabilities) bool { return c.SupportsModulesRequest },
	"readMemory":                func(c *godap.Capabilities) bool { return c.SupportsReadMemoryRequest },
	"restart":                   func(c *godap.Capabilities) bool { return c.SupportsRestartRequest },
	"restartFrame":              func(c *godap.Capabilities) bool { return c.SupportsRestartFrame },
	"reverseContinue":           func(c *godap.Capabilities) bool { return c.SupportsStepBack },
	"setDataBreakpoints":        func(c *godap.Capabilities) bool { return c.SupportsDataBreakpoints },
	"setExpression":             func(c *godap.Capabilities) bool { return c.SupportsSetExpression },
	"setFunctionBreakpoints":    func(c *godap.Capabilities) bool { return c.SupportsFunctionBreakpoints },
	"setInstructionBreakpoints": func(c *godap.Capabilities) bool { return c.SupportsInstructionBreakpoints },
	"setVariable":               func(c *godap.Capabilities) bool { return c.SupportsSetVariable },
	"stepBack":                  func(c *godap.Capabilities) bool { return c.SupportsStepBack },
	"stepInTargets":             func(c *godap.Capabilities) bool { return c.SupportsStepInTargetsRequest },
	"terminate":                 func(c *godap.Capabilities) bool { return c.SupportsTerminateRequest },
	"terminateThreads":          func(c *godap.Capabilities) bool { return c.SupportsTerminateThreadsRequest },
	"writeMemory":               func(c *godap.Capabilities) bool { return c.SupportsWriteMemoryRequest },
}

// An amendment is what makes a line breakpoint more than that, with the capability that offers it.
type amendment struct {
	what   string // as classes have it
	name   string
	offers func(*godap.Capabilities) bool
	has    func(godap.SourceBreakpoint) bool
}

var amendments = []amendment{
	{"condition", "conditions of breakpoints", func(c *godap.Capabilities) bool { return c.SupportsConditionalBreakpoints }, func(b godap.SourceBreakpoint) bool { return b.Condition != "" }},
	{"hit-condition", "hit conditions of breakpoints", func(c *godap.Capabilities) bool { return c.SupportsHitConditionalBreakpoints }, func(b godap.SourceBreakpoint) bool { return b.HitCondition != "" }},
	{"log-point", "log points", func(c *godap.Capabilities) bool { return c.SupportsLogPoints }, func(b godap.SourceBreakpoint) bool { return b.LogMessage != "" }},
}

// announced judges a request that was granted by what the adapter offers: a client does not use what is not offered. An
// amendment of a breakpoint is only asked for without an offer where the adapter is known to heed it (see dap.Adapter,
// Unannounced); what is merely ignored could not be told from what is granted. Whatever lets
// a program run that has ended is wrong in another way, see rule refuse.
func (c *checker) announced(command string, args json.RawMessage, m godap.ResponseMessage) {
	if !c.initAnswered {
		return
	}
	on := c.on
	defer func() { c.on = on }()
	if offers := offered[command]; offers != nil && command != "configurationDone" && !(c.ended && backward[command]) {
		c.check("announced", offers(&c.caps), "%s is granted, and not offered", command)
	}
	r, ok := m.(*godap.SetBreakpointsResponse)
	var a godap.SetBreakpointsArguments
	if !ok || json.Unmarshal(args, &a) != nil {
		return
	}
	for _, x := range amendments {
		c.on = x.what
		for i, b := range r.Body.Breakpoints {
			if i < len(a.Breakpoints) && b.Verified && x.has(a.Breakpoints[i]) {
				c.check("announced", x.offers(&c.caps), "%s are granted, and not offered", x.name)
				break
			}
		}
	}
}

// offer takes over what an event says the adapter offers as well.
func (c *checker) offer(e *godap.CapabilitiesEvent) {
	said, mine := reflect.ValueOf(e.Body.Capabilities), reflect.ValueOf(&c.caps).Elem()
	for i := range said.NumField() {
		if f := said.Field(i); f.Kind() == reflect.Bool && f.Bool() {
			mine.Field(i).SetBool(true)
		}
	}
}
