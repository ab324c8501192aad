package transform

import (
	"fmt"
	"strings"
)

// Actions are all transformations of actions.
var Actions = []Action{
	addBreakpoint,
	continueToStep,
	breakpointSliding,
	resetBreakpoint,
	resendBreakpoints,
	conditionTrue,
	conditionFalse,
	hitAlways,
	logPoint,
	functionForLine,
	instructionForLine,
	evaluatePure,
	askTwice,
	askInPages,
	setSame,
	restart,
	instructionSteps,
	goroutineSteps,
}

// Lookup finds a transformation by name.
func Lookup(name string) (Action, error) {
	var names []string
	for _, t := range append([]Action{replay}, Actions...) {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Action{}, fmt.Errorf("unknown transformation %q; expected one of %s", name, strings.Join(names, ", "))
}
