package dap

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-dap"
)

// A misuse is a request that comes when it should not, or asks for what is not
// there. The adapter must refuse it in the protocol's way, and live; the
// protocol oracle judges that from what went over the wire.
type misuse struct {
	name string
	// early: sent before anything else; configuring: between initialize and
	// launch; paused, ended: sent in that state.
	when stage
	send func(s *Session) (command string, args any)
}

type stage string

const (
	early       stage = "early"
	configuring stage = "configuring"
	paused      stage = "paused"
	afterEnd    stage = "ended"
)

func request(command string, args any) func(*Session) (string, any) {
	return func(*Session) (string, any) { return command, args }
}

// prompt asks Delve for one of its commands, at the debugger's prompt.
func prompt(name, command string) misuse {
	return misuse{name, paused, request("evaluate", dap.EvaluateArguments{Expression: "dlv " + command, Context: "repl"})}
}

// misuses is the table, with that of mislaunches; a new one is one line.
var misuses = slices.Concat([]misuse{
	{"launch-nothing", configuring, request("launch", map[string]any{"mode": "exec", "program": "/nowhere/program"})},
	{"initialize-lines-from-0", configuring, request("initialize", dap.InitializeRequestArguments{AdapterID: "go", ColumnsStartAt1: true, PathFormat: "path"})},
	{"initialize-columns-from-0", configuring, request("initialize", dap.InitializeRequestArguments{AdapterID: "go", LinesStartAt1: true, PathFormat: "path"})},
	{"initialize-uri", configuring, request("initialize", dap.InitializeRequestArguments{AdapterID: "go", LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "uri"})},

	{"restart-without-arguments", paused, request("restart", nil)},
	{"launch-twice", paused, func(s *Session) (string, any) {
		args, _ := s.adapter.launchArgs(s.target)
		return "launch", args
	}},
	{"unknown-request", paused, request("misstepNoSuchRequest", map[string]any{})},
	{"unknown-thread", paused, request("stackTrace", dap.StackTraceArguments{ThreadId: 987654321})},
	{"step-unknown-over", paused, request("next", dap.NextArguments{ThreadId: 987654321})},
	{"step-unknown-in", paused, request("stepIn", dap.StepInArguments{ThreadId: 987654321})},
	{"step-unknown-out", paused, request("stepOut", dap.StepOutArguments{ThreadId: 987654321})},
	{"step-unknown-instruction", paused, request("next", dap.NextArguments{ThreadId: 987654321, Granularity: "instruction"})},
	{"unknown-frame", paused, request("scopes", dap.ScopesArguments{FrameId: 987654321})},
	{"unknown-reference", paused, request("variables", dap.VariablesArguments{VariablesReference: 987654321})},
	{"unknown-reference-set", paused, request("setVariable", dap.SetVariableArguments{VariablesReference: 987654321, Name: "x", Value: "1"})},
	{"zero-thread", paused, request("stackTrace", dap.StackTraceArguments{})},
	{"negative-thread", paused, request("stackTrace", dap.StackTraceArguments{ThreadId: -1})},
	{"zero-frame", paused, request("scopes", dap.ScopesArguments{})},
	{"negative-frame", paused, request("scopes", dap.ScopesArguments{FrameId: -1})},
	{"zero-reference", paused, request("variables", dap.VariablesArguments{})},
	{"negative-reference", paused, request("variables", dap.VariablesArguments{VariablesReference: -1})},
	{"stale-reference", paused, func(s *Session) (string, any) {
		return "variables", dap.VariablesArguments{VariablesReference: s.staleReference()}
	}},
	{"stale-reference-set", paused, func(s *Session) (string, any) {
		return "setVariable", dap.SetVariableArguments{VariablesReference: s.staleReference(), Name: "nosuch", Value: "1"}
	}},
	{"stale-data", paused, func(s *Session) (string, any) {
		return "dataBreakpointInfo", dap.DataBreakpointInfoArguments{VariablesReference: s.staleReference(), Name: "nosuch"}
	}},
	assignment("set-unknown-name", func(string) (string, string) { return "no such variable", "1" }),
	assignment("set-no-name", func(string) (string, string) { return "", "1" }),
	assignment("set-nothing", func(name string) (string, string) { return name, "" }),
	assignment("set-unfinished", func(name string) (string, string) { return name, "1 +" }),
	assignment("set-unknown-value", func(name string) (string, string) { return name, "nosuch" }),
	assignment("set-type", func(name string) (string, string) { return name, "int" }),
	assignment("set-part-of-nothing", func(name string) (string, string) { return name + ".no such part", "1" }),
	{"stale-frame", paused, func(s *Session) (string, any) {
		return "scopes", dap.ScopesArguments{FrameId: s.staleFrame()}
	}},
	{"negative-levels", paused, func(s *Session) (string, any) {
		return "stackTrace", dap.StackTraceArguments{ThreadId: s.thread, StartFrame: -5, Levels: -1}
	}},
	{"far-page", paused, func(s *Session) (string, any) {
		return "stackTrace", dap.StackTraceArguments{ThreadId: s.thread, StartFrame: 10000, Levels: 1}
	}},
	{"no-such-file", paused, request("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: "/nowhere/main.go"}, Breakpoints: []dap.SourceBreakpoint{{Line: 1}}})},
	{"no-file", paused, request("setBreakpoints", dap.SetBreakpointsArguments{Breakpoints: []dap.SourceBreakpoint{{Line: 1}}})},
	{"no-such-function", paused, request("setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{{Name: "no.such.function"}}})},
	{"bad-function", paused, request("setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{{Name: "("}, {Name: ""}}})},
	{"bad-instruction", paused, request("setInstructionBreakpoints", dap.SetInstructionBreakpointsArguments{Breakpoints: []dap.InstructionBreakpoint{{InstructionReference: "zero"}, {InstructionReference: "0x1"}}})},
	{"bad-expression", paused, request("evaluate", dap.EvaluateArguments{Expression: "1 +", Context: "watch"})},
	{"empty-expression", paused, request("evaluate", dap.EvaluateArguments{Expression: "", Context: "watch"})},
	{"evaluate-unknown-frame", paused, request("evaluate", dap.EvaluateArguments{Expression: "1", FrameId: 987654321, Context: "watch"})},
	{"evaluate-negative-frame", paused, request("evaluate", dap.EvaluateArguments{Expression: "1", FrameId: -1, Context: "hover"})},
	{"evaluate-stale-frame", paused, func(s *Session) (string, any) {
		return "evaluate", dap.EvaluateArguments{Expression: "1", FrameId: s.staleFrame(), Context: "watch"}
	}},
	{"bad-disassemble", paused, request("disassemble", dap.DisassembleArguments{MemoryReference: "nowhere", InstructionCount: 1})},
	{"negative-disassemble", paused, func(s *Session) (string, any) {
		return "disassemble", dap.DisassembleArguments{MemoryReference: s.here(), InstructionOffset: -3, InstructionCount: 3}
	}},
	{"unsupported-terminate-threads", paused, request("terminateThreads", dap.TerminateThreadsArguments{ThreadIds: []int{1}})},
	{"unsupported-goto", paused, request("goto", dap.GotoArguments{ThreadId: 1, TargetId: 1})},
	{"unsupported-restart-frame", paused, request("restartFrame", dap.RestartFrameArguments{FrameId: 1})},
	{"cancel-nothing", paused, request("cancel", map[string]any{"requestId": 1})},
	{"source-nothing", paused, request("source", dap.SourceArguments{SourceReference: 4711})},
	{"exception-info", paused, func(s *Session) (string, any) {
		return "exceptionInfo", dap.ExceptionInfoArguments{ThreadId: 987654321}
	}},
	{"bad-exception-filter", paused, request("setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{Filters: []string{"no-such-filter"}})},
	{"attach-twice", paused, request("attach", map[string]any{"mode": "local", "processId": 999999999})},
	{"bad-memory", paused, request("readMemory", dap.ReadMemoryArguments{MemoryReference: "nowhere", Count: 8})},
	{"no-memory", paused, request("readMemory", dap.ReadMemoryArguments{MemoryReference: "0x1", Count: 8})},
	{"negative-memory", paused, request("readMemory", dap.ReadMemoryArguments{MemoryReference: "0x400000", Count: -8})},
	{"far-memory", paused, request("readMemory", dap.ReadMemoryArguments{MemoryReference: "0x400000", Offset: -1 << 40, Count: 8})},
	{"write-nowhere", paused, request("writeMemory", dap.WriteMemoryArguments{MemoryReference: "0x1", Data: "AAAA"})},
	{"write-no-data", paused, request("writeMemory", dap.WriteMemoryArguments{MemoryReference: "0x400000", Data: "no base64!"})},
	{"write-bad-memory", paused, request("writeMemory", dap.WriteMemoryArguments{MemoryReference: "nowhere", Data: "AAAA"})},
	{"unknown-data", paused, request("dataBreakpointInfo", dap.DataBreakpointInfoArguments{VariablesReference: 987654321, Name: "x"})},
	{"no-such-data", paused, func(s *Session) (string, any) {
		ref := 987654321
		if s.pause != nil && len(s.pause.Scopes) > 0 {
			ref = s.pause.Scopes[0].ref
		}
		return "dataBreakpointInfo", dap.DataBreakpointInfoArguments{VariablesReference: ref, Name: "no such variable"}
	}},
	{"bad-data", paused, request("setDataBreakpoints", dap.SetDataBreakpointsArguments{Breakpoints: []dap.DataBreakpoint{
		{DataId: ""}, {DataId: "x"}, {DataId: "a,b,x", AccessType: "write"}, {DataId: "1,0,x", AccessType: "often"}, {DataId: "1,0,no such expression", AccessType: "write"},
		{DataId: "987654321,0,1", AccessType: "write"}, {DataId: "1,987654321,1", AccessType: "write"},
	}})},
	{"bad-condition", paused, request("setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{{Name: "main.main", Condition: "1 +"}, {Name: "main.main", HitCondition: "often"}}})},
	{"odd-functions", paused, request("setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{
		{Name: "main.go:1"}, {Name: "+1"}, {Name: "-1"}, {Name: "12"}, {Name: "*0x1"}, {Name: "/["}, {Name: "./main.go:1"}, {Name: "main.main:999999"}, {Name: "nowhere.go:1"},
	}})},
	{"huge-disassemble", paused, func(s *Session) (string, any) {
		return "disassemble", dap.DisassembleArguments{MemoryReference: s.here(), Offset: 1, InstructionOffset: 100, InstructionCount: 400, ResolveSymbols: true}
	}},
	{"disassemble-before-text", paused, func(s *Session) (string, any) {
		from, _ := s.text()
		return "disassemble", dap.DisassembleArguments{MemoryReference: from, InstructionOffset: -5, InstructionCount: 10}
	}},
	{"disassemble-after-text", paused, func(s *Session) (string, any) {
		_, to := s.text()
		return "disassemble", dap.DisassembleArguments{MemoryReference: to, InstructionOffset: -5, InstructionCount: 10}
	}},
	{"disassemble-within", paused, func(s *Session) (string, any) {
		return "disassemble", dap.DisassembleArguments{MemoryReference: s.here(), Offset: 1, InstructionOffset: -2, InstructionCount: 5}
	}},
	{"disassemble-none", paused, func(s *Session) (string, any) {
		return "disassemble", dap.DisassembleArguments{MemoryReference: s.here()}
	}},
	{"disassemble-zero", paused, request("disassemble", dap.DisassembleArguments{MemoryReference: "0x0", InstructionOffset: -1, InstructionCount: 3})},
	{"disassemble-nowhere", paused, request("disassemble", dap.DisassembleArguments{MemoryReference: "0xffffffffffffffff", InstructionCount: 4})},
	prompt("unknown-command", "no-such-command"),
	prompt("unknown-topic", "help no-such-command"),
	prompt("unknown-setting", "config no-such-setting 1"),
	prompt("bad-setting", "config stackTraceDepth deep"),
	prompt("bad-switch", "config showGlobalVariables perhaps"),
	prompt("bad-paths", "config substitutePath /one /two /three"),
	prompt("no-settings", "config"),
	prompt("bad-sources", "sources ("),
	prompt("bad-types", "types ["),
	prompt("no-target", "target switch 987654321"),
	prompt("switch-nothing", "target switch"),
	prompt("follow-badly", "target follow-exec -perhaps"),
	prompt("bad-target", "target no-such-command"),
	prompt("examine-nothing", "examinemem"),
	prompt("examine-nowhere", "examinemem -len 8 0x1"),
	prompt("examine-much", "examinemem -count 1000 -size 8 0x400000"),
	prompt("examine-size", "examinemem -count 4 -size 9 0x400000"),
	prompt("examine-format", "examinemem -fmt no-such-format 0x400000"),
	{"initialize-twice", paused, request("initialize", dap.InitializeRequestArguments{AdapterID: "go", LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path"})},
	{"pause-paused", paused, func(s *Session) (string, any) { return "pause", dap.PauseArguments{ThreadId: s.thread} }},
}, mislaunches, untimely())

// Misuses lists the names of the misuses that fit a moment: early,
// configuring, paused or ended.
func Misuses(when string) []string {
	var names []string
	for _, m := range misuses {
		if m.when == stage(when) {
			names = append(names, m.name)
		}
	}
	return names
}

// assignment asks for a variable of the innermost scope that has some to be set, by a name and to a value that follow from its name.
func assignment(name string, of func(variable string) (name, value string)) misuse {
	return misuse{name, paused, func(s *Session) (string, any) {
		ref, variable := 987654321, "x"
		if s.pause != nil {
			for _, scope := range s.pause.Scopes {
				if len(scope.Vars) > 0 {
					ref, variable = scope.ref, scope.Vars[0].Name
					break
				}
			}
		}
		name, value := of(variable)
		return "setVariable", dap.SetVariableArguments{VariablesReference: ref, Name: name, Value: value}
	}}
}

// here is the address of the innermost frame, or one that most programs have code at.
func (s *Session) here() string {
	if s.pause != nil && s.target.Symbols != nil {
		if a, err := s.target.Symbols.Address(s.pause.Top().Place); err == nil {
			return a
		}
	}
	return "0x401000"
}

// text are the addresses at which the program's functions begin and end, or some that may be.
func (s *Session) text() (from, to string) {
	if s.target.Symbols != nil {
		if a, b := s.target.Symbols.Text(); b > 0 {
			return fmt.Sprintf("%#x", a), fmt.Sprintf("%#x", b)
		}
	}
	return "0x401000", "0x402000"
}

// staleFrame is a frame of an earlier pause, or one that never was.
func (s *Session) staleFrame() int {
	now := map[int]bool{}
	if s.pause != nil {
		for _, f := range s.pause.Stack {
			now[f.id] = true
		}
	}
	if s.stale != nil {
		for _, f := range s.stale.Stack {
			if !now[f.id] {
				return f.id
			}
		}
	}
	return 876543
}

// staleReference is a reference to the variables of an earlier pause that none of this one has, or one that never was.
func (s *Session) staleReference() int {
	now := s.pause.references()
	for _, ref := range slices.Sorted(maps.Keys(s.stale.references())) {
		if !now[ref] {
			return ref
		}
	}
	return 876543
}

// references are those of all that a pause shows which has parts; none of no pause.
func (p *Pause) references() map[int]bool {
	all := map[int]bool{}
	var add func([]Variable)
	add = func(list []Variable) {
		for i := range list {
			if list[i].ref > 0 {
				all[list[i].ref] = true
			}
			add(list[i].Children)
		}
	}
	if p != nil {
		for _, scope := range p.Scopes {
			all[scope.ref] = true
			add(scope.Vars)
		}
	}
	return all
}

func (s *Session) doMisuse(ctx context.Context, name string) Output {
	i := slices.IndexFunc(misuses, func(m misuse) bool { return m.name == name })
	if i < 0 {
		return Output{Kind: Refused, Text: "misstep knows no misuse " + name}
	}
	m := misuses[i]
	fits := m.when == early || m.when == configuring ||
		m.when == paused && s.state == PausedState || m.when == afterEnd && s.ended && !s.left
	if !fits {
		return Output{Kind: Refused, Text: "misstep: the program is not " + string(m.when)}
	}
	// A resuming request that is granted must be seen to its end.
	stops := s.stopped
	command, out := s.askMisuse(ctx, m)
	if out.Kind == Done && slices.Contains([]string{"next", "stepIn", "stepOut"}, command) {
		// Where it ends, or why it does not begin, is told after the answer.
		wait, cancel := context.WithTimeout(ctx, s.opts.Request)
		err := s.await(wait, func() bool { return s.stopped != stops || s.ended })
		cancel()
		if err != nil {
			return *s.fail(fmt.Errorf("what comes of %s: %w", command, err))
		}
	}
	if out.Kind == Done && s.stopped != stops && s.state == PausedState {
		return s.arrived(ctx)
	}
	return out
}

// early sends requests before launch, as Options.Early asks.
func (s *Session) early(ctx context.Context, when stage) *Output {
	for _, name := range s.opts.Early {
		for _, m := range misuses {
			if m.name == name && m.when == when {
				if _, out := s.askMisuse(ctx, m); out.Kind.Fatal() {
					return &out
				}
			}
		}
	}
	return nil
}

// askMisuse sends the request of a misuse, which is named beside it on the wire.
func (s *Session) askMisuse(ctx context.Context, m misuse) (command string, out Output) {
	command, args := m.send(s)
	s.misused = m.name
	defer func() { s.misused = "" }()
	if out = s.simple(ctx, command, args); command == "initialize" && m.when == configuring && out.Kind == Done {
		s.misused = ""
		if again := s.simple(ctx, command, s.client()); again.Kind.Fatal() { // as what was granted counts from then on
			return command, again
		}
	}
	return command, out
}
