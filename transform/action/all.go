package action

import (
	"fmt"
	"strings"

	"misstep/dap"
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

// Start changes a target as its text says: a transformation and its parameters, separated by commas. An empty one
// changes nothing.
func Start(target *dap.Target, text string) error {
	if text == "" {
		return nil
	}
	words := strings.Split(text, ",")
	t, err := Lookup(words[0])
	if err != nil {
		return err
	}
	if t.Target == nil {
		return fmt.Errorf("%s changes nothing of how a session starts", t.Name)
	}
	params, err := transform.ParseParams(words[1:])
	if err != nil {
		return err
	}
	t.Start(target, params)
	return nil
}

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
