package issue

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/oracle/metamorphic"
)

// A terminal is a session of dlv's terminal client that does what a script does.
type terminal struct {
	Launch   string
	Commands []string
	// Outputs are what each command printed.
	Outputs []string
	// Alone says why it does not show there; empty if it does.
	Alone string
}

// terminalTime bounds the session, the build of the program with it.
const terminalTime = 2 * time.Minute

// terminal translates a script, runs what came of it, and compares.
func (w *Writer) terminal(ctx context.Context, t *text) (*terminal, error) {
	term := &terminal{}
	switch {
	case t.script.Covers():
		return nil, nil
	case t.engine.Adapter != "dlv":
		term.Alone = "this debugger is no Delve"
		return term, nil
	case t.finding != nil && t.finding.Oracle == "protocol":
		term.Alone = "it is about the messages of DAP themselves"
		return term, nil
	case t.finding != nil && t.finding.Oracle == metamorphic.Oracle:
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
		case a.Log != "" || a.Meanwhile != "" || a.Instruction || a.Running || a.Context != "" && a.Context != "hover":
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
	}
	return commands, ""
}

// ofType reports whether it is a type that differs, which print does not say.
func (t *text) ofType() bool {
	return t.finding != nil && strings.HasSuffix(t.finding.What, ", its type")
}

// variable is the variable that a difference is about, as the debugger shows it; nil if it is about none.
func (t *text) variable() *dap.Variable {
	e := t.last()
	if t.finding == nil || t.finding.Kind != dap.DiffVariables || e == nil || e.Output.Pause == nil || e.Action.Kind == dap.Evaluate {
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
func (w *Writer) carryOut(ctx context.Context, t *text, term *terminal) error {
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
	if t.script.File("go.mod") == nil && len(p.Files) == 1 {
		args[1] = p.Rel(p.Files[0]) // a file is a program without a module
	}
	shown := []string{"dlv", "debug", args[1]}
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
	_, err = w.Env.Keeper.Run(bounded, proc.Spec{Path: dlv, Args: args, Dir: dir, Env: t.engine.Env(), Stdin: strings.NewReader(input), Stdout: &out, Stderr: &out})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if bounded.Err() != nil {
		term.Alone = fmt.Sprintf("the terminal did not come to its end within %s", terminalTime)
		return nil
	}
	parts := strings.Split(strings.ReplaceAll(out.String(), dir+"/", "./"), prompt)
	// Each command follows a prompt; before the first is how the client greets.
	if len(parts) < len(term.Commands)+1 {
		term.Alone = "the terminal ended before all was done: " + firstLine(strings.TrimSpace(parts[len(parts)-1]))
		return nil
	}
	term.Outputs = parts[1 : len(term.Commands)+1]
	_ = err // the client's exit code says how the program ended
	return nil
}

var (
	atLine = regexp.MustCompile(`(?m)^> .*?([^\s/]+\.go):(\d+)`)
	exited = regexp.MustCompile(`Process \d+ has exited with status (-?\d+)`)
)

// compare says why a terminal's session does not show the finding; it is empty if it does.
func compare(t *text, term *terminal) string {
	e := t.last()
	if e == nil {
		return "there is nothing of the session to compare"
	}
	all := strings.Join(term.Outputs, "\n")
	if p := pauseOf(t); p != nil && p.Top().Line > 0 {
		found := atLine.FindAllStringSubmatch(all, -1)
		if len(found) == 0 {
			return "the terminal shows no pause"
		}
		last := found[len(found)-1]
		want := fmt.Sprintf("%s:%d", path.Base(p.Top().File), p.Top().Line)
		if got := last[1] + ":" + last[2]; got != want {
			return fmt.Sprintf("the terminal pauses at %s, and not at %s", got, want)
		}
	}
	kind := dap.DiffKind("")
	if t.finding != nil {
		kind = t.finding.Kind
	}
	switch v := t.variable(); {
	case e.Action.Kind == dap.Evaluate && t.ofType() && e.Output.Value != nil:
		return alike(e.Output.Value.Type, "", term.Outputs[len(term.Outputs)-1])
	case e.Action.Kind == dap.Evaluate:
		want := strings.TrimPrefix(e.Output.Text, "Unable to evaluate expression: ")
		if e.Output.Value != nil {
			want = e.Output.Value.Value
		}
		return alike(want, t.expectedValue(), term.Outputs[len(term.Outputs)-1])
	case v != nil:
		return alike(v.Value, t.expectedValue(), term.Outputs[len(term.Outputs)-1])
	case e.Output.Breakpoint != nil && e.Action.Kind == dap.Break:
		said := ""
		for i, c := range term.Commands {
			if strings.HasPrefix(c, "break ") && strings.HasSuffix(c, fmt.Sprintf(" %s:%d", e.Action.File, e.Action.Line)) {
				said = term.Outputs[i]
			}
		}
		at := fmt.Sprintf("%s:%d", path.Base(e.Output.Breakpoint.File), e.Output.Breakpoint.Line)
		if refused := strings.HasPrefix(said, "Command failed"); refused == e.Output.Breakpoint.Verified || !refused && !strings.Contains(said, at) {
			return "the terminal says " + firstLine(said)
		}
		return ""
	case e.Output.Exit != nil && (kind == dap.DiffTermination || kind == dap.DiffExit || strings.HasPrefix(t.demand(), "pause")):
		m := exited.FindStringSubmatch(all)
		if m == nil {
			return "the program does not end in the terminal"
		}
		if code := e.Output.Exit.Code; kind == dap.DiffExit && code != nil && m[1] != strconv.Itoa(*code) {
			return fmt.Sprintf("in the terminal the program exits with %s", m[1])
		}
		return ""
	case kind == dap.DiffLocation && e.Output.Pause != nil:
		return "" // where it pauses is the finding
	case strings.HasPrefix(t.demand(), "pause"):
		return ""
	case strings.HasPrefix(t.demand(), "var"):
		name := strings.Fields(t.demand())[1]
		if p := pauseOf(t); p != nil && p.Var(name) != nil {
			for i := len(term.Commands) - 1; i >= 0; i-- {
				if term.Commands[i] == "print "+name {
					return alike(p.Var(name).Value, t.expectedValue(), term.Outputs[i])
				}
			}
		}
	}
	return "what the terminal prints says nothing of this"
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
	if t.finding != nil {
		if e := t.last(); e != nil && e.Output.Exit != nil {
			return nil
		}
		return t.finding.Session().Pause()
	}
	var p *dap.Pause
	if t.result.Trace != nil {
		for _, e := range t.result.Trace.Events {
			switch {
			case e.Output.Pause != nil:
				p = e.Output.Pause
			case e.Output.Exit != nil:
				p = nil
			}
		}
	}
	return p
}

// alike is empty if a terminal's output holds a value as DAP shows it. A value that is one word may be another one
// each time, as what lies at a wrong address is: it is enough that it is not the one that is expected.
func alike(want, expected, output string) string {
	plain := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
		return strings.NewReplacer(",}", "}", ",]", "]").Replace(s)
	}
	word := func(s string) bool { return s != "" && !strings.ContainsAny(strings.TrimSpace(s), " \t\n") }
	switch {
	case plain(want) != "" && strings.Contains(plain(output), plain(want)):
		return ""
	case word(want) && word(expected) && word(output) && plain(output) != plain(expected):
		return ""
	}
	return fmt.Sprintf("the terminal prints %s", firstLine(strings.TrimSpace(output)))
}

// expectedValue is the value that is right, where that is known; else empty.
func (t *text) expectedValue() string {
	if t.demand() != "" {
		if words := strings.Fields(t.demand()); len(words) == 3 {
			return words[2] // var NAME VALUE, eval EXPRESSION VALUE
		}
		return ""
	}
	if t.finding == nil {
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
