package gen

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"misstep/dap"
)

// Prompt is one of Delve's own commands, as its users type them at the debugger's prompt: what it knows of
// itself and of the program, and the memory of a number, in all formats. Other debuggers refuse them.
func Prompt(r *rand.Rand, p *dap.Pause) (dap.Action, bool) {
	at := func(command string) (dap.Action, bool) {
		return dap.Action{Kind: dap.Evaluate, Name: dap.Prompt + command, Context: "repl"}, true
	}
	switch r.IntN(9) {
	case 0:
		return at("help " + pick(r, []string{"", "help", "config", "sources", "types", "target", "x"}))
	case 1:
		return at("config -list")
	case 2:
		return at("config -list " + pick(r, []string{"stackTraceDepth", "showGlobalVariables", "hideSystemGoroutines", "goroutineFilters", "showPprofLabels", "substitutePath"}))
	case 3:
		return at("sources " + regexp.QuoteMeta(p.Top().File) + "$")
	case 4:
		return at("target " + pick(r, []string{"list", "follow-exec", "follow-exec -on misstep-no-such-program", "follow-exec -off", "nosuch"}))
	case 5:
		return at("types " + pick(r, []string{"^main", "^int", "nosuchtype"}))
	}
	v, ok := shown(r, p, func(v dap.Variable) bool { return dap.NumberBytes(v.Type) > 0 })
	if !ok {
		return dap.Action{}, false
	}
	bytes, size := dap.NumberBytes(v.Type), pick(r, []int64{1, 1, 2, 4})
	for bytes%size != 0 {
		size /= 2
	}
	// An address is a pointer, or a number of any type that can hold it.
	address := fmt.Sprintf(pick(r, []string{"&%s", "&%s", "uintptr(&%s)", "uint64(uintptr(&%s))", "int64(uintptr(&%s))"}), v.Name)
	return at(fmt.Sprintf("%s -fmt %s -count %d -size %d -x %s", pick(r, []string{"examinemem", "x"}), pick(r, []string{"hex", "dec", "oct", "bin"}), bytes/size, size, address))
}
