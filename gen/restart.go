package gen

import (
	"math/rand/v2"
	"slices"
)

// What a restart request may say otherwise than the launch (https://github.com/go-delve/delve, service/dap/server.go, onRestartRequest, and types.go):
// after sameRestarts the program and what is shown of it are the same, and after otherRestarts they need not be, or there is no restart.
var (
	sameRestarts  = []string{"", `{"rebuild":true}`, `{"rebuild":null}`, `{"request":null}`, `{"unheardOf":[1]}`}
	otherRestarts = []string{
		`{}`, `{"request":"attach"}`, `null`, `5`, `"text"`, `[]`, `{"request":5}`, `{"rebuild":"no"}`,
		`{"args":["one","-two"]}`, `{"args":[]}`, `{"args":5}`, `{"program":"/nowhere"}`, `{"mode":"debug"}`, `{"mode":"nowhere"}`, `{"cwd":"/"}`, `{"cwd":"/nowhere"}`, `{"env":{"A":"1"}}`,
		`{"stackTraceDepth":2}`, `{"stackTraceDepth":0}`, `{"stackTraceDepth":null}`, `{"maxStringLen":3}`, `{"maxArrayValues":2}`, `{"showGlobalVariables":true}`, `{"showRegisters":true}`,
		`{"hideSystemGoroutines":true}`, `{"goroutineFilters":"-with user"}`, `{"showPprofLabels":["*"]}`, `{"substitutePath":[]}`, `{"stopOnEntry":true}`, `{"noDebug":true}`, `{"followExec":true}`,
	}
)

// restarted is what a restart request says otherwise. A free one may have another run of the program, or another view of it.
func restarted(r *rand.Rand, free bool) string {
	if free {
		return pick(r, slices.Concat(sameRestarts, otherRestarts))
	}
	return pick(r, sameRestarts)
}
