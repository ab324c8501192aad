package issue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/oracle/metamorphic"
)

// A Terminal is a session of dlv's terminal client that does what a script does.
type Terminal struct {
	Launch   string   `json:"launch,omitempty"`
	Commands []string `json:"commands,omitempty"`
	// Outputs are what each command printed.
	Outputs []string `json:"outputs,omitempty"`
	// Alone says why it does not show there; empty if it does.
	Alone string `json:"alone,omitempty"`
}

// terminalTime bounds the session, the build of the program with it.
const terminalTime = 2 * time.Minute

// terminal translates a script, runs what came of it, and compares.
func (w *Writer) terminal(ctx context.Context, t *text) (*Terminal, error) {
	term := &Terminal{}
	switch {
	case t.script.Covers():
		return nil, nil
	case t.engine.Adapter != "dlv":
		term.Alone = "this debugger is no Delve"
		return term, nil
	case t.finding.Oracle == "protocol":
		term.Alone = "it is about the messages of DAP themselves"
		return term, nil
	case t.finding.Oracle == metamorphic.Oracle:
		term.Alone = "it is the difference of two sessions"
		return term, nil
	}
	translated, why := translate(t)
	if why != "" {
		term.Alone = why
		return term, nil
	}
	term.Commands = translated
	if err := w.carryOut(ctx, t, term); err != nil {
		return nil, err
	}
	if term.Alone == "" {
		term.Alone = compare(t, term)
	}
	return term, nil
}

// translate is the script in commands of the terminal client. Why says what has none; it is empty if all have.
func translate(t *text) (commands []string, why string) {
	if as := t.script.Commands[0].Option("as"); as != "" || t.script.Commands[0].Option("early") != "" {
		return nil, "the session is started in a way that the terminal has no command for"
	}
	names := map[string]string{} // of breakpoints, by what they are set on
	name := func(what string) string {
		if names[what] == "" {
			names[what] = fmt.Sprintf("b%d", len(names)+1)
		}
		return names[what]
	}
	add := func(format string, args ...any) { commands = append(commands, fmt.Sprintf(format, args...)) }
	for i := range t.script.Commands[1:] {
		c := &t.script.Commands[1+i]
		a := c.Action
		where := a.Name
		if a.Kind == dap.Break || a.Kind == dap.Unbreak {
			where = fmt.Sprintf("%s:%d", a.File, a.Line)
		}
		frame := ""
		if a.Frame > 0 {
			frame = fmt.Sprintf("frame %d ", a.Frame)
		}
		switch {
		case !c.Acts():
			if c.Verb == "var" && len(c.Args) > 0 {
				add("print %s", c.Args[0])
			}
			continue // what is demanded is compared at the end
		case a.Log != "" || a.Meanwhile != "" || a.Instruction || a.Thread > 0 || a.Running || a.Context != "" && a.Context != "hover":
			return nil, c.String() + " has no counterpart in the terminal"
		}
		switch a.Kind {
		case dap.Break, dap.FuncBreak:
			if names[where] != "" {
				return nil, "a breakpoint is changed, for which the terminal has other commands"
			}
			add("break %s %s", name(where), where)
			if a.Condition != "" {
				add("condition %s %s", name(where), a.Condition)
			}
			if a.Hit != "" {
				op := strings.TrimRightFunc(strings.TrimSpace(a.Hit), func(r rune) bool { return unicode.IsDigit(r) || r == ' ' })
				if op == "" {
					return nil, "a hit condition without an operator has no counterpart in the terminal"
				}
				add("condition -hitcount %s %s %s", name(where), op, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(a.Hit), op)))
			}
		case dap.Unbreak, dap.FuncUnset:
			add("clear %s", name(where))
			delete(names, where)
		case dap.Continue:
			add("continue")
		case dap.Finish:
			add("clearall")
			add("continue")
		case dap.Next:
			add("next")
		case dap.StepIn:
			add("step")
		case dap.StepOut:
			add("stepout")
		case dap.Stack:
			add("stack")
		case dap.Threads:
			add("goroutines")
		case dap.Vars:
			add("%sargs", frame)
			add("%slocals", frame)
		case dap.Evaluate:
			add("%sprint %s", frame, a.Name)
		case dap.SetVar:
			add("%sset %s = %s", frame, a.Name, a.Value)
		case dap.Call:
			add("call %s", a.Name)
		case dap.Restart:
			add("restart")
		default:
			return nil, c.String() + " has no counterpart in the terminal"
		}
	}
	if e := t.last(); t.ofType() && e != nil && e.Action.Kind == dap.Evaluate && e.Action.Frame == 0 {
		add("whatis %s", e.Action.Name)
	}
	if v := t.variable(); v != nil {
		add("print %s", v.Name)
	} else if t.ofStack() {
		add("stack")
	}
	return commands, ""
}

// ofType reports whether it is a type that differs, which print does not say.
func (t *text) ofType() bool {
	return strings.HasSuffix(t.finding.What, ", its type")
}

// variable is the variable that a difference is about, as the debugger shows it; nil if it is about none.
func (t *text) variable() *dap.Variable {
	e := t.last()
	if t.finding.Kind != dap.DiffVariables || e == nil || e.Output.Pause == nil || e.Action.Kind == dap.Evaluate {
		return nil
	}
	for _, word := range strings.FieldsFunc(t.finding.What, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if v := e.Output.Pause.Var(word); v != nil {
			return v
		}
	}
	return nil
}

// prompt is what the terminal client prints before it reads a command.
const prompt = "(dlv) "

// carryOut runs the session in a folder of its own, as somebody does who has the program.
func (w *Writer) carryOut(ctx context.Context, t *text, term *Terminal) error {
	dir, err := w.Env.Keeper.TempDir("issue")
	if err != nil {
		return fmt.Errorf("making a folder for the terminal: %w", err)
	}
	launch := t.script.Commands[0]
	if mode := launch.Option("mode"); mode != "" {
		term.Alone = "a session in mode " + mode + " is not translated"
		return nil
	}
	p, err := gobuild.Unpack(dir, "program", t.script.Files, launch.Args[0], launch.Args[1:], false)
	if err != nil {
		return err
	}
	dlv, err := w.Env.Cache.Dlv(ctx, t.engine)
	if err != nil {
		return err
	}
	args := []string{"debug", p.Target[0]}
	if t.script.File("go.mod") == nil {
		args = args[:1]
		for _, f := range p.Files { // files are a program without a module
			args = append(args, p.Rel(f))
		}
	}
	shown := append([]string{"dlv"}, args...)
	if e := t.engine; !e.SameBuild(gobuild.Engine{Go: e.Go, GCFlags: gobuild.DefaultGCFlags, LDFlags: gobuild.DefaultLDFlags}) {
		var flags []string
		for _, f := range e.Flags() {
			if strings.ContainsAny(f, " \t") {
				f = "'" + f + "'"
			}
			flags = append(flags, f)
		}
		text := strings.Join(flags, " ")
		args = append(args, "--build-flags", text)
		shown = append(shown, "--build-flags", strconv.Quote(text))
	}
	args = append(args, "--allow-non-terminal-interactive", "--output", filepath.Join(dir, "debug.out"))
	if len(launch.Args) > 1 {
		args = append(append(args, "--"), launch.Args[1:]...)
		shown = append(append(shown, "--"), launch.Args[1:]...)
	}
	term.Launch = strings.Join(shown, " ")
	input := strings.Join(term.Commands, "\n") + "\nexit\n"
	var out bytes.Buffer
	bounded, cancel := context.WithTimeout(ctx, terminalTime)
	defer cancel()
	_, err = w.Env.Keeper.Run(bounded, proc.Spec{Path: dlv, Args: args, Dir: dir, Env: append(t.engine.Env(), "TERM=dumb"), Stdin: strings.NewReader(input), Stdout: &out, Stderr: &out})
	switch exit := new(exec.ExitError); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case bounded.Err() != nil:
		term.Alone = fmt.Sprintf("the terminal did not come to its end within %s", terminalTime)
		return nil
	case err != nil && !errors.As(err, &exit): // the client's exit code says how the program ended
		return fmt.Errorf("running dlv's terminal client: %w", err)
	}
	parts := strings.Split(strings.ReplaceAll(out.String(), dir+"/", "./"), prompt)
	// Each command follows a prompt; before the first is how the client greets.
	if len(parts) < len(term.Commands)+1 {
		term.Alone = "the terminal ended before all was done: " + firstLine(strings.TrimSpace(parts[len(parts)-1]))
		return nil
	}
	term.Outputs = parts[1 : len(term.Commands)+1]
	return nil
}

// demand is the command at which the script ended, if that demands something of its own; else empty.
func (t *text) demand() string {
	for i := range t.script.Commands {
		if c := &t.script.Commands[i]; t.result.Demanded && c.Line == t.result.Line && !c.Judges() {
			return c.String()
		}
	}
	return ""
}

// pauseOf is the pause at which the finding shows; nil if the program had ended.
func pauseOf(t *text) *dap.Pause {
	if e := t.last(); e != nil && e.Output.Exit != nil {
		return nil
	}
	return t.finding.Session().Pause()
}

// expectedValue is the value that is right, where that is known; else empty.
func (t *text) expectedValue() string {
	if t.demand() != "" {
		if words := strings.Fields(t.demand()); len(words) == 3 {
			return words[2] // var NAME VALUE, eval EXPRESSION VALUE
		}
		return ""
	}
	// What is shown of a variable is its type and its value.
	if words := strings.Fields(t.finding.Expected.Text); len(words) > 0 {
		return words[len(words)-1]
	}
	return ""
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}
