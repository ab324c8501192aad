package gen

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"misstep/dap"
)

// prompts are Delve's own commands, but for those about what a pause shows: what it knows of itself and of the program.
var prompts = []string{
	"help", "help help", "help config", "help sources", "help types", "help target", "help x", "help examinemem",
	"config -list", "config -list stackTraceDepth", "config -list showGlobalVariables", "config -list hideSystemGoroutines", "config -list goroutineFilters",
	"config -list showPprofLabels", "config -list substitutePath", "config -list showRegisters", "config -list maxStringLen", "config -list maxArrayValues",
	"target list", "target follow-exec", "target follow-exec -on misstep-no-such-program", "target follow-exec -on misstep two",
	"target follow-exec -off", "target follow-exec -off misstep", "target follow-exec -nosuch", "target nosuch", "target switch", "target switch nosuch", "target switch 2147483647",
	"types ^main", "types ^int", "types nosuchtype", "sources nosuchfile",
}

// bases are those in which Delve shows memory.
var bases = []string{"hex", "dec", "oct", "bin"}

// Prompt is one of Delve's own commands, as its users type them at the debugger's prompt: what it knows of
// itself and of the program, and the memory of a number, in all formats. Other debuggers refuse them.
func Prompt(r *rand.Rand, p *dap.Pause) (dap.Action, bool) {
	switch r.IntN(9) {
	case 0:
		return files(p), true
	case 1, 2, 3:
		return examine(r, p, pick(r, bases))
	}
	return prompted(pick(r, prompts)), true
}

// prompted is a command at the prompt.
func prompted(command string) dap.Action {
	return dap.Action{Kind: dap.Evaluate, Name: dap.Prompt + command, Context: "repl"}
}

// files asks for the file that a pause is in.
func files(p *dap.Pause) dap.Action {
	return prompted("sources " + regexp.QuoteMeta(p.Top().File) + "$")
}

// examine asks for the memory of a number that a pause shows, in a base.
func examine(r *rand.Rand, p *dap.Pause, base string) (dap.Action, bool) {
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
	return prompted(fmt.Sprintf("%s -fmt %s -count %d -size %d -x %s", pick(r, []string{"examinemem", "x"}), base, bytes/size, size, address)), true
}
