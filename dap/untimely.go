package dap

import "github.com/google/go-dap"

// An ordinary request is one as a client sends it while the program is paused.
type ordinary struct {
	name    string // short, for scripts
	command string
	args    func(s *Session) any
}

func always(args any) func(*Session) any { return func(*Session) any { return args } }

// requests are all that a client can ask of a program, with arguments of which the adapter needs no more than that they
// are well formed.
var requests = []ordinary{
	{"continue", "continue", always(dap.ContinueArguments{ThreadId: 1})},
	{"next", "next", always(dap.NextArguments{ThreadId: 1})},
	{"step-in", "stepIn", always(dap.StepInArguments{ThreadId: 1})},
	{"step-out", "stepOut", always(dap.StepOutArguments{ThreadId: 1})},
	{"step-back", "stepBack", always(dap.StepBackArguments{ThreadId: 1})},
	{"reverse", "reverseContinue", always(dap.ReverseContinueArguments{ThreadId: 1})},
	{"pause", "pause", always(dap.PauseArguments{ThreadId: 1})},
	{"goto", "goto", always(dap.GotoArguments{ThreadId: 1, TargetId: 1})},
	{"restart", "restart", always(nil)},
	{"restart-frame", "restartFrame", always(dap.RestartFrameArguments{FrameId: 1})},
	{"terminate", "terminate", always(dap.TerminateArguments{})},
	{"terminate-threads", "terminateThreads", always(dap.TerminateThreadsArguments{ThreadIds: []int{1}})},
	{"configuration-done", "configurationDone", always(map[string]any{})},

	{"breakpoints", "setBreakpoints", always(dap.SetBreakpointsArguments{Source: dap.Source{Path: "/nowhere/main.go"}, Breakpoints: []dap.SourceBreakpoint{{Line: 1}}})},
	{"no-breakpoints", "setBreakpoints", always(dap.SetBreakpointsArguments{Source: dap.Source{Path: "/nowhere/main.go"}, Breakpoints: []dap.SourceBreakpoint{}})},
	{"function-breakpoints", "setFunctionBreakpoints", always(dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{{Name: "main.main"}}})},
	{"instruction-breakpoints", "setInstructionBreakpoints", always(dap.SetInstructionBreakpointsArguments{Breakpoints: []dap.InstructionBreakpoint{{InstructionReference: "0x401000"}}})},
	{"exceptions", "setExceptionBreakpoints", always(dap.SetExceptionBreakpointsArguments{Filters: []string{}})},
	{"data", "setDataBreakpoints", always(dap.SetDataBreakpointsArguments{Breakpoints: []dap.DataBreakpoint{{DataId: "1,0,x", AccessType: "write"}}})},
	{"data-info", "dataBreakpointInfo", always(dap.DataBreakpointInfoArguments{VariablesReference: 1000, Name: "x"})},
	{"locations", "breakpointLocations", always(dap.BreakpointLocationsArguments{Source: dap.Source{Path: "/nowhere/main.go"}, Line: 1})},

	{"threads", "threads", always(nil)},
	{"stack", "stackTrace", always(dap.StackTraceArguments{ThreadId: 1})},
	{"scopes", "scopes", func(s *Session) any { return dap.ScopesArguments{FrameId: s.staleFrame()} }},
	{"variables", "variables", always(dap.VariablesArguments{VariablesReference: 1000})},
	{"set", "setVariable", always(dap.SetVariableArguments{VariablesReference: 1000, Name: "x", Value: "1"})},
	{"set-expression", "setExpression", always(dap.SetExpressionArguments{Expression: "x", Value: "1"})},
	{"evaluate", "evaluate", always(dap.EvaluateArguments{Expression: "1", Context: "watch"})},
	{"call", "evaluate", always(dap.EvaluateArguments{Expression: "call main.main()", Context: "repl"})},
	{"prompt", "evaluate", always(dap.EvaluateArguments{Expression: "dlv config -list", Context: "repl"})},
	{"exception", "exceptionInfo", always(dap.ExceptionInfoArguments{ThreadId: 1})},
	{"memory", "readMemory", always(dap.ReadMemoryArguments{MemoryReference: "0xc000000000", Count: 8})},
	{"write-memory", "writeMemory", always(dap.WriteMemoryArguments{MemoryReference: "0xc000000000", Data: "AAAA"})},
	{"disassemble", "disassemble", always(dap.DisassembleArguments{MemoryReference: "0x401000", InstructionCount: 1})},
	{"source", "source", always(dap.SourceArguments{SourceReference: 4711})},
	{"loaded-sources", "loadedSources", always(dap.LoadedSourcesArguments{})},
	{"modules", "modules", always(dap.ModulesArguments{})},
	{"completions", "completions", always(dap.CompletionsArguments{Text: "ma", Column: 3})},
	{"goto-targets", "gotoTargets", always(dap.GotoTargetsArguments{Source: dap.Source{Path: "/nowhere/main.go"}, Line: 1})},
	{"step-in-targets", "stepInTargets", always(dap.StepInTargetsArguments{FrameId: 1000})},
}

// untimely are all requests at each time at which there is no program that they could be about: before anything else,
// before the launch, and after the program has ended. A program that has ended may be started anew.
func untimely() (all []misuse) {
	for _, when := range []struct {
		stage stage
		name  string
	}{{early, "early-"}, {configuring, "prelaunch-"}, {afterEnd, "ended-"}} {
		for _, r := range requests {
			if when.stage == afterEnd && r.command == "restart" {
				continue
			}
			all = append(all, misuse{when.name + r.name, when.stage, func(s *Session) (string, any) { return r.command, r.args(s) }})
		}
	}
	return all
}
