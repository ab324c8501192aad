package dap

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// questions are the requests that only ask, with the capability that an adapter has to offer for each; empty if each adapter must have
// it.
var questions = map[string]string{
	"threads": "", "stackTrace": "", "scopes": Variables, "variables": Variables, "evaluate": Variables,
	"exceptionInfo": "supportsExceptionInfoRequest", "readMemory": "supportsReadMemoryRequest", "disassemble": "supportsDisassembleRequest",
	"dataBreakpointInfo": "supportsDataBreakpoints", "loadedSources": "supportsLoadedSourcesRequest", "modules": "supportsModulesRequest",
	"stepInTargets": "supportsStepInTargetsRequest", "gotoTargets": "supportsGotoTargetsRequest", "completions": "supportsCompletionsRequest",
	"breakpointLocations": "supportsBreakpointLocationsRequest", "source": "",
}

// Questions are the requests that only ask, by name.
func Questions() []string { return slices.Sorted(maps.Keys(questions)) }

// numbering are members of messages that number things, which are other numbers in other sessions.
var numbering = []string{"id", "frameId", "variablesReference", "memoryReference", "instructionPointerReference", "address", "systemProcessId"}

// doRequest sends a request that only asks, as it is written. The value is what the answer says, without numbers of the session's.
func (s *Session) doRequest(ctx context.Context, a Action) Output {
	if _, ok := questions[a.Name]; !ok {
		return Output{Kind: Refused, Text: fmt.Sprintf("misstep: %q is no request that only asks; those are %s", a.Name, strings.Join(Questions(), ", "))}
	}
	if a.Name == "evaluate" && strings.Contains(a.Value, `"call `) {
		return Output{Kind: Refused, Text: "misstep: a call is no request that only asks; call is for that"}
	}
	of, frame, out := s.frame(ctx, a)
	if out != nil {
		return *out
	}
	args, err := readJSON([]byte(a.Value))
	if err != nil {
		return Output{Kind: Refused, Text: fmt.Sprintf("misstep: the arguments are no JSON: %v", err)}
	}
	if args, err = s.fill(ctx, args, frame); err != nil {
		return *s.answerError(err)
	}
	r, err := s.ask(ctx, a.Name, args)
	if err != nil {
		return *s.fail(err)
	}
	if !r.GetResponse().Success {
		return a.about(of, Output{Kind: Refused, Text: normalText(refusal(r))})
	}
	text, err := json.Marshal(r)
	if err != nil {
		return Output{Kind: Refused, Text: fmt.Sprintf("the answer is no JSON: %v", err)}
	}
	body := ""
	if m, err := readJSON(text); err == nil {
		if m, ok := m.(map[string]any); ok && m["body"] != nil {
			shown, err := json.Marshal(withoutNumbers(m["body"]))
			if err == nil {
				body = string(shown)
			}
		}
	}
	return a.about(of, Output{Kind: Answered, Value: &Variable{Type: "message", Value: body}})
}

// readJSON reads a value, with numbers as they are written. No text is no value.
func readJSON(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var x any
	err := d.Decode(&x)
	return x, err
}

// fill puts what the session has in the place of what stands for it.
func (s *Session) fill(ctx context.Context, x any, at Frame) (any, error) {
	var err error
	switch x := x.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if x[name], err = s.fill(ctx, x[name], at); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range x {
			if x[i], err = s.fill(ctx, x[i], at); err != nil {
				return nil, err
			}
		}
	case string:
		return s.standsFor(ctx, x, at)
	}
	return x, nil
}

// standsFor is what a string stands for in the arguments of a request, or the string.
func (s *Session) standsFor(ctx context.Context, text string, at Frame) (any, error) {
	if strings.Contains(text, "$process") {
		if s.process == 0 {
			return nil, &refusedError{"misstep: the adapter has not told the number of the process"}
		}
		return strings.ReplaceAll(text, "$process", strconv.Itoa(s.process)), nil
	}
	from, to := s.text()
	switch what, name, _ := strings.Cut(text, ":"); what {
	case "$thread":
		return s.thread, nil
	case "$frame":
		return at.id, nil
	case "$here":
		if s.target.Symbols != nil {
			if addr, err := s.target.Symbols.Address(at.Place); err == nil {
				return addr, nil
			}
		}
		return s.here(), nil
	case "$text":
		return from, nil
	case "$end":
		return to, nil
	case "$scope", "$variable", "$memory":
		scopes, err := s.scopeList(ctx, at.id)
		if err != nil {
			return nil, err
		}
		if what == "$scope" {
			if len(scopes) == 0 {
				return nil, &refusedError{"misstep: the frame has no scope"}
			}
			return scopes[0].ref, nil
		}
		x, err := parser.ParseExpr(name)
		if err != nil {
			return nil, &refusedError{"misstep: " + name + " is no variable"}
		}
		_, _, v, err := s.follow(ctx, scopes, x)
		switch {
		case err != nil:
			return nil, err
		case what == "$variable":
			return v.ref, nil
		case v.memory == "":
			return nil, &refusedError{"misstep: the adapter has no reference for the memory of " + name}
		}
		return v.memory, nil
	}
	return text, nil
}

// withoutNumbers is what a message says without the numbers of things.
func withoutNumbers(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for name := range x {
			if slices.Contains(numbering, name) {
				delete(x, name)
			} else {
				x[name] = withoutNumbers(x[name])
			}
		}
	case []any:
		for i := range x {
			x[i] = withoutNumbers(x[i])
		}
	case string:
		return Unnumbered(x)
	}
	return x
}
