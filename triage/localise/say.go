package localise

import (
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/dap"
)

// requests are the words that DAP, and so a debug adapter's source, has for actions.
var requests = map[dap.Kind]string{
	dap.Break: "setBreakpoints", dap.Unbreak: "setBreakpoints", dap.Resend: "setBreakpoints",
	dap.FuncBreak: "setFunctionBreakpoints", dap.FuncUnset: "setFunctionBreakpoints",
	dap.InstBreak: "setInstructionBreakpoints", dap.InstUnset: "setInstructionBreakpoints",
	dap.StepIn: "stepIn", dap.StepOut: "stepOut", dap.Finish: "continue", dap.Interrupt: "pause",
	dap.Stack: "stackTrace", dap.Vars: "scopes variables", dap.Evaluate: "evaluate",
	dap.SetVar: "setVariable", dap.Disas: "disassemble",
}

var quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")

// Say is what a finding's script says in words, for [Finding.Words]: its class, the
// reason at its head without what it quotes, its judge, and what DAP calls the actions of
// the class and the last one.
func Say(script []byte, class string) string {
	head, commands := parts(txtar.Parse(script))
	said := []string{class}
	var reason []string
	for _, line := range head {
		key, _, _ := strings.Cut(line, ":")
		switch key {
		case "class", "engine", "program":
			continue
		}
		reason = append(reason, line)
	}
	text := quoted.ReplaceAllString(strings.Join(reason, " "), " ")
	for _, mark := range []string{"evidence:", "Evidence:"} {
		text, _, _ = strings.Cut(text, mark)
	}
	said = append(said, text)
	parts := strings.Split(class, "/")
	if n := len(commands); n > 0 {
		said = append(said, commands[n-1])
		if n > 2 {
			parts = append(parts, strings.Fields(strings.TrimPrefix(commands[n-2], "! "))[0])
		}
	}
	for _, part := range parts {
		said = append(said, requests[dap.Kind(part)])
	}
	return strings.Join(said, " ")
}
