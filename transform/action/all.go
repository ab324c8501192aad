package action

import (
	"fmt"
	"strings"

	"misstep/transform"
)

// All are the transformations of actions.
var All = append([]transform.Transformation{
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
	callPure,
	evaluateNames,
	otherContext,
	respell,
	askTwice,
	askInPages,
	setSame,
	restart,
	restartArguments,
	whileRunning,
	noDebug,
	labelGoroutines,
	attach,
	anotherClient,
	core,
	debugMode,
	rebuild,
	held,
	heldNoDebug,
	instructionSteps,
	goroutineSteps,
	promptUndone,
	writeUndone,
	askWrongly,
}, settingTransformations()...)

// Lookup finds a transformation by name.
func Lookup(name string) (transform.Transformation, error) {
	var names []string
	for _, t := range append([]transform.Transformation{replay}, All...) {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return transform.Transformation{}, fmt.Errorf("unknown transformation %q; expected one of %s", name, strings.Join(names, ", "))
}
