package faults

import "strings"

// breaks are the rules that each fault breaks, as oracle/rule, or an oracle alone for all of
// its rules: a fault is found if one of these is violated. What follows from a fault, such as
// a step that is counted wrong after a pause was hidden, does not count.
var breaks = map[string][]string{
	"drop-pause":          {"reference/R2-breakpoint", "reference/R7-hit", "reference/R7-condition", "reference/R11-hits", "reference/R11-goroutine", "metamorphic"},
	"line-off":            {"reference/R1-pause", "trace/hit-place", "trace/stack-again", "trace/stack-pages", "metamorphic"},
	"swap-values":         {"reference/R3-value", "reference/R11-goroutine", "metamorphic"},
	"hide-variable":       {"reference/R3-value", "reference/R11-goroutine", "metamorphic"},
	"forget-breakpoint":   {"reference/R2-breakpoint", "reference/R7-log", "reference/R7-hit", "reference/R7-condition", "reference/R11-goroutine", "reference/R11-hits", "metamorphic"},
	"keep-removed":        {"reference/R1-pause", "metamorphic", "protocol", "trace"},
	"rename-frame":        {"reference/R1-pause", "trace/stack-again", "trace/stack-pages", "metamorphic"},
	"drop-frame":          {"reference/R1-pause", "trace", "metamorphic"},
	"step-in":             {"reference/R4-next", "reference/R11-goroutine", "trace/next-depth", "metamorphic"},
	"answer-twice":        {"protocol"},
	"event-order":         {"protocol"},
	"never-answers":       {"protocol", "metamorphic"},
	"dies":                {"protocol", "metamorphic"},
	"condition-ignored":   {"reference/R7-condition", "metamorphic"},
	"hit-off":             {"reference/R7-hit", "metamorphic"},
	"log-pauses":          {"reference/R7-log", "protocol", "metamorphic"},
	"log-silent":          {"reference/R7-log", "metamorphic"},
	"exit-code":           {"reference/R8-end", "metamorphic"},
	"lost-output":         {"reference/R8-end", "metamorphic"},
	"set-type":            {"protocol", "metamorphic"},
	"seq-zero":            {"protocol"},
	"evaluate-drifts":     {"reference/R9-evaluate", "metamorphic"},
	"step-runs-on":        {"reference/R4-next", "reference/R8-end", "reference/R11-goroutine", "metamorphic"},
	"stale-value":         {"reference/R3-value", "reference/R11-goroutine", "metamorphic"},
	"always-wrong-caller": {"reference/R1-pause"},
	"wrong-activation":    {"reference/R3-value"},
	"next-runs-on":        {"reference/R4-next", "reference/R11-goroutine"},
	"hits-late":           {"reference/R7-hit"},
	"always-hides":        {"reference/R3-value"},
	"always-wrong":        {"reference/R3-value"},
	"evaluates-wrong":     {"reference/R9-evaluate"},
	"assigns-nothing":     {"reference/R10-assign", "trace/assigned"},
	"conditions-fail":     {"reference/R7-condition"},
	"one-goroutine":       {"reference/R11-hits", "reference/R11-goroutine"},

	"panics-passed":      {"reference/R12-exception"},
	"panics-kept":        {"reference/R12-exception"},
	"panics-misquoted":   {"reference/R12-exception", "trace/exception-info"},
	"exceptions-mistold": {"trace/exception-info"},
	"memory-shifted":     {"trace/memory"},
	"amended-forgotten":  {"reference/R2-breakpoint", "reference/R7-hit", "reference/R7-condition", "reference/R7-log"},
	"meanwhile-unset":    {"trace/meanwhile", "trace/unverified", "metamorphic"},
	"meanwhile-lost":     {"metamorphic", "reference/R2-breakpoint"},
	"unverified-armed":   {"trace/unverified", "reference/R2-breakpoint"},

	"map-values":       {"reference/R3-value"},
	"map-entries":      {"reference/R3-value"},
	"map-keys":         {"reference/R3-value"},
	"last-field":       {"reference/R3-value"},
	"field-added":      {"reference/R3-value"},
	"interface-values": {"reference/R3-value"},
	"interface-types":  {"reference/R3-value"},
	"complex-parts":    {"reference/R3-value"},
	"function-values":  {"reference/R3-value"},
	"ghost":            {"reference/R3-value"},
	"string-ends":      {"reference/R3-value"},
	"string-rests":     {"reference/R3-value"},
	"slice-lengths":    {"reference/R3-value"},
	"last-element":     {"reference/R3-value"},
	"elements-swapped": {"reference/R3-value"},
	"floats-rounded":   {"reference/R3-value"},
	"bytes-signed":     {"reference/R3-value"},
	"pointers-nil":     {"reference/R3-value"},
	"pointees":         {"reference/R3-value"},
	"types-widened":    {"reference/R3-value"},
	"types-plain":      {"reference/R3-value"},
	"channels-empty":   {"reference/R3-value", "reference/R11-goroutine"},
	"nil-slices":       {"reference/R3-value"},
	"caller-values":    {"reference/R3-value"},
	"caller-scopes":    {"reference/R3-value"},
	"parameters-zero":  {"reference/R3-value"},
	"results-set":      {"reference/R3-value"},

	"shadowed-swapped":     {"reference/R3-value"},
	"captured-missing":     {"reference/R3-value"},
	"constant-names":       {"reference/R3-value"},
	"rows-repeated":        {"reference/R3-value"},
	"far-elements":         {"reference/R3-value"},
	"variable-doubled":     {"reference/R3-value"},
	"callers-file":         {"reference/R1-pause"},
	"literal-breakpoints":  {"reference/R2-breakpoint", "reference/R7-log", "reference/R7-hit", "reference/R7-condition"},
	"function-once":        {"reference/R2-breakpoint", "reference/R7-hit"},
	"conditions-less":      {"reference/R7-condition"},
	"log-conditions":       {"reference/R7-log"},
	"restart-forgets":      {"reference/R2-breakpoint", "reference/R7-log", "reference/R7-hit", "reference/R7-condition"},
	"next-leaves-loops":    {"reference/R4-next"},
	"stepout-recursion":    {"reference/R6-stepout"},
	"next-over-recovery":   {"reference/R4-next", "reference/R8-end"},
	"stopped-first-thread": {"trace/hit-place", "reference/R1-pause", "reference/R11-goroutine"},
	"len-runes":            {"reference/R9-evaluate"},
	"evaluates-globals":    {"reference/R9-evaluate"},
	"assigns-callers":      {"trace/assigned"},
	"output-cut":           {"reference/R8-end"},

	"function-breakpoints": {"reference/R2-breakpoint", "reference/R7-hit"},
	"refuses-breakpoints":  {"reference/R2-breakpoint"},
	"function-names":       {"reference/R1-pause"},
	"innermost-name":       {"reference/R1-pause"},
	"next-in-generics":     {"reference/R4-next", "reference/R8-end"},
	"stepin-in-generics":   {"reference/R5-stepin"},
	"next-in-closures":     {"reference/R4-next", "reference/R8-end"},
	"next-in-methods":      {"reference/R4-next", "reference/R8-end"},
	"next-in-defers":       {"reference/R4-next", "reference/R8-end"},
	"stepin-over":          {"reference/R5-stepin"},
	"stepout-runs":         {"reference/R6-stepout", "reference/R8-end"},
	"stepout-hangs":        {"reference/R6-stepout"},
	"conditions-hold":      {"reference/R7-condition"},
	"hits-once":            {"reference/R7-hit"},
	"log-numbers":          {"reference/R7-log"},
	"log-texts":            {"reference/R7-log"},
	"log-twice":            {"reference/R7-log"},
	"keys-missing":         {"reference/R9-evaluate"},
	"no-operators":         {"reference/R9-evaluate"},
	"texts-evaluated":      {"reference/R9-evaluate"},
	"truths-evaluated":     {"reference/R9-evaluate"},
	"evaluates-here":       {"reference/R9-evaluate"},
	"assigns-more":         {"reference/R10-assign"},
	"lost-errors":          {"reference/R8-end"},
	"one-thread":           {"reference/R11-goroutine", "protocol"},
	"exits-well":           {"reference/R8-end"},
	"one-frame":            {"reference/R1-pause"},
	"callers-reversed":     {"reference/R1-pause"},
	"every-other-hit":      {"reference/R2-breakpoint", "reference/R11-hits", "reference/R7-hit", "reference/R7-condition"},

	"registers-missing": {"metamorphic/show-registers"},
	"globals-stale":     {"metamorphic/show-globals"},
	"globals-twice":     {"metamorphic/show-globals"},
	"rests-short":       {"metamorphic/short-strings"},
	"entry-passed":      {"metamorphic/stop-on-entry"},
	"sources-unmapped":  {"metamorphic/substitute-folder"},
	"escapes-kept":      {"metamorphic/raw-strings"},
	"hovers-wrong":      {"metamorphic/other-context", "reference/R9-evaluate"},

	"negatives-wrapped":       {"reference/R3-value", "reference/R11-goroutine"},
	"texts-ascii":             {"reference/R3-value", "reference/R11-goroutine"},
	"errors-nil":              {"reference/R3-value", "reference/R11-goroutine"},
	"links-swapped":           {"reference/R3-value", "reference/R11-goroutine"},
	"array-types":             {"reference/R3-value", "reference/R11-goroutine"},
	"results-unnamed":         {"reference/R3-value", "reference/R11-goroutine", "metamorphic/rename-local"},
	"recursion-folded":        {"reference/R1-pause", "reference/R11-goroutine", "trace/stepout-depth"},
	"literals-named":          {"reference/R1-pause", "reference/R11-goroutine"},
	"goroutine-starts":        {"reference/R1-pause", "reference/R11-goroutine", "metamorphic/main-to-goroutine"},
	"next-returns-late":       {"reference/R4-next", "reference/R8-end", "reference/R11-goroutine", "metamorphic/call-literal"},
	"stepin-methods":          {"reference/R5-stepin", "reference/R11-goroutine", "metamorphic/func-to-method"},
	"next-passes-breakpoints": {"reference/R2-breakpoint", "reference/R7-hit", "reference/R7-condition", "reference/R11-hits", "reference/R11-goroutine", "metamorphic/continue-to-step", "metamorphic/add-breakpoint"},
	"if-breakpoints":          {"reference/R2-breakpoint", "reference/R7-log", "reference/R7-hit", "reference/R7-condition", "reference/R11-hits", "reference/R11-goroutine", "trace/hit-place", "metamorphic/if-to-switch", "metamorphic/switch-to-if", "metamorphic/function-for-line", "metamorphic/instruction-for-line", "metamorphic/log-point"},
	"conditions-once":         {"reference/R7-condition", "reference/R11-goroutine"},
	"hits-from":               {"reference/R7-hit", "reference/R11-goroutine"},
	"log-repeats":             {"reference/R7-log", "reference/R11-goroutine", "metamorphic/log-point"},
	"len-capacity":            {"reference/R9-evaluate"},
	"assigns-parameters":      {"reference/R10-assign", "trace/assigned"},
	"errors-as-output":        {"reference/R8-end", "metamorphic/debugged"},
}

// on are programs that have what a fault is about, where few have it.
var on = map[string][]string{
	"map-values": {"corpus/maps"}, "map-entries": {"corpus/maps"}, "map-keys": {"corpus/maps"},
	"interface-values": {"corpus/interfaces"}, "interface-types": {"corpus/interfaces"},
	"complex-parts": {"corpus/numbers", "corpus/constants"}, "function-values": {"corpus/functions", "corpus/closures"},
	"string-rests": {"corpus/strings"}, "floats-rounded": {"corpus/numbers", "corpus/interfaces"}, "bytes-signed": {"corpus/numbers", "corpus/strings"},
	"pointees": {"corpus/pointers", "corpus/loops"}, "pointers-nil": {"corpus/pointers", "corpus/bank"},
	"types-plain": {"corpus/constants", "corpus/methods", "corpus/statemachine"}, "channels-empty": {"corpus/selects", "corpus/goroutines"},
	"nil-slices": {"corpus/slices", "corpus/pointers"}, "last-field": {"corpus/structs", "corpus/bigstructs"}, "field-added": {"corpus/structs", "corpus/bigstructs"},
	"next-in-generics": {"corpus/generics"}, "stepin-in-generics": {"corpus/generics"}, "next-in-closures": {"corpus/closures"},
	"next-in-methods": {"corpus/bank", "corpus/multiline"}, "next-in-defers": {"corpus/deferpanic"},
	"keys-missing": {"corpus/maps"}, "exits-well": {"corpus/exits", "corpus/crashes"}, "lost-errors": {"corpus/exits", "corpus/crashes"},
	"constant-names": {"corpus/constants", "corpus/statemachine"}, "far-elements": {"corpus/bigstructs"}, "rows-repeated": {"corpus/arrays", "corpus/matrix"},
	"len-runes": {"corpus/strings", "corpus/textwrap"}, "captured-missing": {"corpus/captures", "corpus/closures"}, "literal-breakpoints": {"corpus/captures", "corpus/closures"},
	"evaluates-globals": {"corpus/shadowing"}, "shadowed-swapped": {"corpus/shadowing"}, "next-over-recovery": {"corpus/deferpanic"},
	"log-texts": {"corpus/strings", "corpus/sorting"}, "texts-evaluated": {"corpus/strings", "corpus/sorting"},

	"globals-stale": {"corpus/shadowing", "corpus/inits"}, "globals-twice": {"corpus/shadowing", "corpus/inits"},
	"rests-short": {"corpus/strings", "corpus/textwrap"}, "escapes-kept": {"corpus/strings", "corpus/textwrap"},

	"negatives-wrapped":       {"corpus/numbers", "corpus/switches"},
	"texts-ascii":             {"corpus/strings"},
	"errors-nil":              {"corpus/interfaces", "corpus/bank"},
	"links-swapped":           {"corpus/pointers", "corpus/linkedlist", "corpus/recursion"},
	"array-types":             {"corpus/arrays", "corpus/bigstructs"},
	"results-unnamed":         {"corpus/slices", "corpus/sorting", "corpus/switches"},
	"recursion-folded":        {"corpus/recursion"},
	"literals-named":          {"corpus/closures", "corpus/captures"},
	"goroutine-starts":        {"corpus/goroutines"},
	"stepin-methods":          {"corpus/methods", "corpus/bank", "corpus/interfaces"},
	"next-passes-breakpoints": {"corpus/recursion", "corpus/functions", "corpus/bank"},
	"next-returns-late":       {"corpus/functions", "corpus/recursion"},
	"if-breakpoints":          {"corpus/conditions", "corpus/recursion"},
	"len-capacity":            {"corpus/slices", "corpus/sorting"},
	"assigns-parameters":      {"corpus/functions", "corpus/recursion"},
	"errors-as-output":        {"corpus/exits", "corpus/crashes"},
	"panics-passed":           {"corpus/crashes", "corpus/exits"},
	"panics-kept":             {"corpus/crashes", "corpus/exits"},
	"panics-misquoted":        {"corpus/crashes", "corpus/exits"},
	"memory-shifted":          {"corpus/strings", "corpus/textwrap", "corpus/bank"},
}

// Breaks reports whether a fault breaks a rule of an oracle.
func (f Fault) Breaks(oracle, rule string) bool {
	for _, b := range breaks[f.Name] {
		if b == oracle || b == oracle+"/"+strings.TrimPrefix(rule, oracle+"/") {
			return true
		}
	}
	return false
}

// Rules are the rules that a fault breaks, as oracle/rule, or oracles.
func (f Fault) Rules() []string { return breaks[f.Name] }

// On are the programs that have what a fault is about; nil if most have.
func (f Fault) On() []string { return on[f.Name] }

// by is the transformation that alone asks what a fault is about.
var by = map[string]string{
	"meanwhile-unset": "while-running",
	"meanwhile-lost":  "while-running",
}

// By is the transformation that alone asks what a fault is about, which is one of many; empty if any session
// may.
func (f Fault) By() string { return by[f.Name] }
