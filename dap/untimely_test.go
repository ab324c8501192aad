package dap

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// TestUntimely: each request of DAP that is about a program is sent at each time at which there is none, and no two misuses
// have one name.
func TestUntimely(t *testing.T) {
	sent, names := map[string]bool{}, map[string]bool{}
	for _, r := range requests {
		sent[r.command] = true
	}
	for _, m := range misuses {
		if names[m.name] {
			t.Errorf("two misuses are called %s", m.name)
		}
		names[m.name] = true
	}
	// What begins or ends a session is sent by each, or is a misuse of its own.
	for _, command := range []string{"initialize", "launch", "attach", "disconnect", "cancel", "runInTerminal", "startDebugging"} {
		sent[command] = true
	}
	for _, m := range []dap.Message{
		&dap.ContinueRequest{}, &dap.NextRequest{}, &dap.StepInRequest{}, &dap.StepOutRequest{}, &dap.StepBackRequest{}, &dap.ReverseContinueRequest{},
		&dap.RestartFrameRequest{}, &dap.GotoRequest{}, &dap.PauseRequest{}, &dap.StackTraceRequest{}, &dap.ScopesRequest{}, &dap.VariablesRequest{},
		&dap.SetVariableRequest{}, &dap.SourceRequest{}, &dap.ThreadsRequest{}, &dap.TerminateThreadsRequest{}, &dap.EvaluateRequest{},
		&dap.StepInTargetsRequest{}, &dap.GotoTargetsRequest{}, &dap.CompletionsRequest{}, &dap.ExceptionInfoRequest{}, &dap.LoadedSourcesRequest{},
		&dap.DataBreakpointInfoRequest{}, &dap.SetDataBreakpointsRequest{}, &dap.ReadMemoryRequest{}, &dap.WriteMemoryRequest{}, &dap.DisassembleRequest{},
		&dap.ModulesRequest{}, &dap.SetBreakpointsRequest{}, &dap.SetFunctionBreakpointsRequest{}, &dap.SetExceptionBreakpointsRequest{},
		&dap.SetInstructionBreakpointsRequest{}, &dap.BreakpointLocationsRequest{}, &dap.ConfigurationDoneRequest{}, &dap.RestartRequest{},
		&dap.TerminateRequest{}, &dap.SetExpressionRequest{},
	} {
		name := strings.TrimSuffix(reflect.TypeOf(m).Elem().Name(), "Request")
		if command := strings.ToLower(name[:1]) + name[1:]; !sent[command] {
			t.Errorf("%s is sent at no wrong time", command)
		}
	}
}
