package script

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
)

// act carries out an action that must be granted, or with ! must not.
func act(r *run, c *Command) error {
	out, err := r.do(c.Action)
	if err != nil {
		return err
	}
	return r.granted(c, out, c.Action.Granted(out))
}

// granted holds whether something was granted against what the command demands.
func (r *run) granted(c *Command, out *dap.Output, ok bool) error {
	if ok == c.Not && !r.lenient {
		return failf("%s", out)
	}
	if c.Not && ok {
		r.result.Granted++
	}
	if !c.Not && refuses(out) {
		r.refused = append(r.refused, refusal{c, out})
	}
	return nil
}

// refuses reports whether an output says that the debugger did not do what it was asked for.
func refuses(out *dap.Output) bool {
	return out.Kind == dap.Refused || out.Kind == dap.Unsupported || out.Breakpoint != nil && !out.Breakpoint.Verified
}

// A refusal is a command that was not granted in a script that judges at its end.
type refusal struct {
	command *Command
	out     *dap.Output
}

// allGranted demands that nothing was refused which the script has without !.
func allGranted(r *run, _ *Command) error {
	if len(r.refused) == 0 {
		return nil
	}
	first := r.refused[0]
	text := first.out.Text
	if text == "" {
		text = first.out.String()
	}
	return failf("line %d, %s, is refused: %s", first.command.Line, first.command, text)
}

func misuse(r *run, c *Command) error {
	out, err := r.do(c.Action)
	if err != nil {
		return err
	}
	if strings.HasPrefix(out.Text, "misstep") {
		return errors.New(out.Text)
	}
	if c.Not {
		return r.granted(c, out, out.Kind != dap.Refused)
	}
	return nil
}

func pause(r *run, c *Command) error {
	file, line, err := dap.ParsePlace(c.Args[0])
	if err != nil {
		return err
	}
	p := r.session.Pause()
	if p == nil {
		if c.Not {
			return nil
		}
		return failf("the program is %s", describe(r.session))
	}
	top, reason := p.Top(), c.Option("reason")
	ok := top.File == file && top.Line == line && (len(c.Args) < 2 || top.Func == c.Args[1]) &&
		(reason == "" || reason == p.Reason)
	if ok == c.Not {
		return failf("%s", p)
	}
	return nil
}

func describe(s *dap.Session) string {
	if s.Ended() {
		return "at its end"
	}
	return s.State().String()
}

func ended(r *run, c *Command) error {
	s := r.session
	if s.Ended() == c.Not {
		if p := s.Pause(); p != nil {
			return failf("the program is not at its end, but %s", p)
		}
		return failf("the program is %s", describe(s))
	}
	if len(c.Args) == 0 || c.Not {
		return nil
	}
	exit := r.exit()
	if exit == nil || exit.Code == nil {
		return failf("the exit code is not told")
	}
	want, err := strconv.Atoi(c.Args[0])
	if code := *exit.Code; err != nil || !dap.SameCode(want, code) {
		return failf("expected the exit code %s (script), got %d (debugger)", c.Args[0], code)
	}
	return nil
}

// exit is how the program ended last; nil if it has not.
func (r *run) exit() *dap.Exit {
	for _, e := range slices.Backward(r.events) {
		if e.Output.Exit != nil {
			return e.Output.Exit
		}
	}
	return nil
}

// printed is what the program printed, which is known when it has ended.
func printed(r *run, c *Command) error {
	re, err := regexp.Compile("(?m)" + c.Args[0])
	if err != nil {
		return err
	}
	exit := r.exit()
	if exit == nil || !r.session.Ended() {
		return errNotEnded
	}
	text := exit.Stdout
	if c.Verb == "stderr" {
		text = exit.Stderr
	}
	if re.MatchString(text) == c.Not {
		return failf("the program printed %q", text)
	}
	return nil
}

var errNoAction = errors.New("nothing was done yet")

var errNotEnded = errors.New("the program has not ended; it does after finish")

func stack(r *run, c *Command) error {
	out, err := r.do(c.Action)
	if err != nil {
		return err
	}
	if c.Not && len(c.Args) == 0 || out.Kind != dap.Answered {
		return r.granted(c, out, out.Kind == dap.Answered)
	}
	var got []string
	ok := len(out.Stack) >= len(c.Args)
	for i, f := range out.Stack {
		got = append(got, fmt.Sprintf("%s:%d", f.Func, f.Line))
		if i < len(c.Args) {
			ok = ok && (c.Args[i] == f.Func || c.Args[i] == got[i])
		}
	}
	if ok == c.Not {
		return failf("the stack is %s", strings.Join(got, " "))
	}
	return nil
}

// matches compares a value with what the script says: a regular expression
// between slashes, or the text.
func matches(value, want string) (bool, error) {
	if len(want) > 1 && strings.HasPrefix(want, "/") && strings.HasSuffix(want, "/") {
		re, err := regexp.Compile(want[1 : len(want)-1])
		if err != nil {
			return false, err
		}
		return re.MatchString(value), nil
	}
	return value == want, nil
}

func variable(r *run, c *Command) error {
	if r.adapter != nil && r.adapter.NoVariables {
		r.lacks(ofGo)
	}
	frame, _ := strconv.Atoi(c.Option("frame"))
	scopes, err := r.scopes(frame)
	if err != nil {
		return err
	}
	var vars []dap.Variable
	for _, sc := range scopes {
		vars = append(vars, sc.Vars...)
	}
	found, missing, names := find(vars, c.Args[0])
	if found == nil {
		if c.Not {
			return nil
		}
		return failf("%s is not shown, only %s", missing, strings.Join(names, ", "))
	}
	ok := c.Option("type") == "" || c.Option("type") == found.Type
	if len(c.Args) == 2 {
		m, err := matches(found.Value, c.Args[1])
		if err != nil {
			return err
		}
		ok = ok && m
	}
	if ok == c.Not {
		return failf("%s is shown as %s %s", c.Args[0], found.Type, found.Value)
	}
	return nil
}

// scopes are those of a frame: of the pause, or asked for.
func (r *run) scopes(frame int) ([]dap.Scope, error) {
	if p := r.session.Pause(); frame == 0 && p != nil {
		return p.Scopes, nil
	}
	out, err := r.do(dap.Action{Kind: dap.Vars, Frame: frame})
	if err != nil {
		return nil, err
	}
	if out.Kind != dap.Answered {
		return nil, failf("%s", out)
	}
	return out.Scopes, nil
}

// find follows a path of names with dots between them, which names may have themselves,
// through variables and their children. If there is none, it returns what of the path is
// missing, and what there is instead.
func find(vars []dap.Variable, path string) (found *dap.Variable, missing string, names []string) {
	for {
		names, found = nil, nil
		for i := range vars {
			n := vars[i].Name
			names = append(names, n)
			// The longest name that fits.
			if path == n || strings.HasPrefix(path, n+".") && (found == nil || len(n) > len(found.Name)) {
				found = &vars[i]
			}
			// The nameless child of a pointer is what it points to.
			if n == "" && found == nil {
				found = &vars[i]
			}
		}
		switch {
		case found == nil:
			return nil, path, names
		case found.Name == "":
		case path == found.Name:
			return found, "", nil
		default:
			path = path[len(found.Name)+1:]
		}
		vars = found.Children
	}
}

// answered holds the value that an action asks for against what the command demands of it.
func answered(r *run, c *Command) error {
	out, err := r.do(c.Action)
	if err != nil {
		return err
	}
	expr := c.Action.Name
	if expr == "" {
		expr = c.Verb
	}
	if r.lenient && len(c.Args) == 0 {
		return r.granted(c, out, out.Kind == dap.Answered)
	}
	if c.Not {
		if out.Kind != dap.Refused {
			return failf("%s gives %s", expr, out)
		}
		if len(c.Args) == 1 {
			if ok, err := matches(out.Text, c.Args[0]); err != nil || !ok {
				return failf("%s is refused: %s", expr, out.Text)
			}
		}
		return nil
	}
	if out.Kind != dap.Answered {
		return failf("%s is refused: %s", expr, out.Text)
	}
	if typ := c.Option("type"); typ != "" && typ != out.Value.Type {
		return failf("%s: expected type %s (script), got %s (debugger)", expr, typ, out.Value.Type)
	}
	if len(c.Args) == 1 {
		ok, err := matches(out.Value.Value, c.Args[0])
		if err != nil {
			return err
		}
		if !ok {
			return failf("%s: expected %s (script), got %s (debugger)", expr, c.Args[0], out.Value.Value)
		}
	}
	return nil
}

func logged(r *run, c *Command) error {
	if r.last == nil {
		return errNoAction
	}
	got := messages(r.last.Logs)
	if slices.Equal(got, c.Args) == c.Not {
		if c.Not {
			return failf("log points: expected anything but %q (script)", c.Args)
		}
		return failf("log points: expected %q (script), got %q (debugger)", c.Args, got)
	}
	return nil
}
