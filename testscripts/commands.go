package testscripts

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/oracle"
	"misstep/oracle/reference"
	"misstep/transform"
)

// A Command is a command of the script language.
type Command struct {
	Name  string
	Usage string
	Doc   string

	min, max int // number of arguments; max < 0 for any
	neg      bool
	flags    func(*flag.FlagSet, *call)
	do       func(*call) error
}

// Commands is the table of script commands. A new one is one entry.
var Commands = []Command{
	{
		Name: "debug", Usage: "debug [-engine ENGINE] [-mode exec|debug|test] [-early MISUSE,…] PACKAGE [ARG…]",
		Doc: "Builds the package and launches it; it waits at its start. ! demands that the launch fails.",
		min: 1, max: -1, neg: true,
		flags: func(f *flag.FlagSet, c *call) {
			f.StringVar(&c.engine, "engine", "dlv", "")
			f.StringVar(&c.mode, "mode", "exec", "")
			f.StringVar(&c.early, "early", "", "")
		},
		do: func(c *call) error { return c.script.open(c, c.engine, c.mode, c.early) },
	},
	{
		Name: "break", Usage: "break [-if CONDITION] [-hit HITCONDITION] [-log MESSAGE] FILE:LINE",
		Doc: "Sets a breakpoint, which must be verified. ! demands that it is not.",
		min: 1, max: 1, neg: true, flags: breakFlags,
		do: func(c *call) error {
			file, line, err := place(c.args[0])
			if err != nil {
				return err
			}
			return c.set(dap.Action{Kind: dap.Break, File: file, Line: line, Condition: c.condition, Hit: c.hit, Log: c.log})
		},
	},
	{
		Name: "unbreak", Usage: "unbreak FILE:LINE", Doc: "Removes a breakpoint.", min: 1, max: 1, neg: true,
		do: func(c *call) error {
			file, line, err := place(c.args[0])
			if err != nil {
				return err
			}
			return c.expect(dap.Action{Kind: dap.Unbreak, File: file, Line: line}, dap.Removed)
		},
	},
	{
		Name: "fbreak", Usage: "fbreak [-if CONDITION] [-hit HITCONDITION] FUNCTION",
		Doc: "Sets a function breakpoint. ! demands that it is not verified.",
		min: 1, max: 1, neg: true, flags: conditionFlags,
		do: func(c *call) error {
			return c.set(dap.Action{Kind: dap.FuncBreak, Name: c.args[0], Condition: c.condition, Hit: c.hit})
		},
	},
	{
		Name: "unfbreak", Usage: "unfbreak FUNCTION", Doc: "Removes a function breakpoint.", min: 1, max: 1, neg: true,
		do: func(c *call) error {
			return c.expect(dap.Action{Kind: dap.FuncUnset, Name: c.args[0]}, dap.Removed)
		},
	},
	{
		Name: "ibreak", Usage: "ibreak [-if CONDITION] [-hit HITCONDITION] FUNCTION+0xOFFSET",
		Doc: "Sets an instruction breakpoint. ! demands that it is not verified.",
		min: 1, max: 1, neg: true, flags: conditionFlags,
		do: func(c *call) error {
			return c.set(dap.Action{Kind: dap.InstBreak, Name: c.args[0], Condition: c.condition, Hit: c.hit})
		},
	},
	{
		Name: "unibreak", Usage: "unibreak FUNCTION+0xOFFSET", Doc: "Removes an instruction breakpoint.", min: 1, max: 1, neg: true,
		do: func(c *call) error {
			return c.expect(dap.Action{Kind: dap.InstUnset, Name: c.args[0]}, dap.Removed)
		},
	},
	{
		Name: "resend", Usage: "resend [-order 1,0,…] FILE", Doc: "Sends a file's breakpoints once more, maybe in another order.",
		min: 1, max: 1, neg: true,
		flags: func(f *flag.FlagSet, c *call) { f.StringVar(&c.order, "order", "", "") },
		do: func(c *call) error {
			return c.expect(dap.Action{Kind: dap.Resend, File: c.args[0], Order: transform.ParseOrder(c.order)}, dap.Done)
		},
	},
	run(dap.Continue, "Starts the program, or lets it run on."),
	run(dap.Next, "Steps over."),
	run(dap.StepIn, "Steps into."),
	run(dap.StepOut, "Steps out."),
	run(dap.Finish, "Removes all breakpoints and runs the program to its end."),
	run(dap.Interrupt, "Lets the program run on, and asks it to pause at once."),
	{
		Name: "restart", Usage: "restart", Doc: "Starts the program anew; it waits at its start.", neg: true,
		do: func(c *call) error {
			out, err := c.act(dap.Action{Kind: dap.Restart})
			if err != nil {
				return err
			}
			return c.granted(out, out.Kind == dap.Done)
		},
	},
	{
		Name: "disconnect", Usage: "disconnect", Doc: "Ends the session.",
		do: func(c *call) error { return c.expect(dap.Action{Kind: dap.Disconnect}, dap.Done) },
	},
	{
		Name: "pause", Usage: "pause [-reason REASON] FILE:LINE [FUNCTION]",
		Doc: "Demands that the program is paused there. ! demands that it is not.",
		min: 1, max: 2, neg: true,
		flags: func(f *flag.FlagSet, c *call) { f.StringVar(&c.reason, "reason", "", "") },
		do:    pause,
	},
	{
		Name: "ended", Usage: "ended [EXITCODE]", Doc: "Demands that the program has ended. ! demands that it has not.",
		max: 1, neg: true, do: ended,
	},
	{
		Name: "stack", Usage: "stack [-page N] FUNCTION[:LINE]…",
		Doc: "Demands that the stack begins so, innermost first. ! demands that it does not, or that asking is refused.",
		max: -1, neg: true,
		flags: func(f *flag.FlagSet, c *call) { f.IntVar(&c.page, "page", 0, "") },
		do:    stack,
	},
	{
		Name: "var", Usage: "var [-frame N] [-type TYPE] NAME[.CHILD…] [VALUE]",
		Doc: "Demands that a variable is shown, with that value. /VALUE/ is a regular expression. ! demands that it is not shown, or not so.",
		min: 1, max: 2, neg: true,
		flags: func(f *flag.FlagSet, c *call) {
			f.IntVar(&c.frame, "frame", 0, "")
			f.StringVar(&c.typ, "type", "", "")
		},
		do: variable,
	},
	{
		Name: "vars", Usage: "vars [-frame N] [-page N]", Doc: "Asks for a frame's variables. ! demands that this is refused.", neg: true,
		flags: func(f *flag.FlagSet, c *call) {
			f.IntVar(&c.frame, "frame", 0, "")
			f.IntVar(&c.page, "page", 0, "")
		},
		do: func(c *call) error {
			return c.expect(dap.Action{Kind: dap.Vars, Frame: c.frame, Page: c.page}, dap.Answered)
		},
	},
	{
		Name: "threads", Usage: "threads", Doc: "Asks for the threads. ! demands that this is refused.", neg: true,
		do: func(c *call) error { return c.expect(dap.Action{Kind: dap.Threads}, dap.Answered) },
	},
	{
		Name: "disas", Usage: "disas [-frame N]", Doc: "Disassembles from where a frame is. ! demands that this is refused.", neg: true,
		flags: func(f *flag.FlagSet, c *call) { f.IntVar(&c.frame, "frame", 0, "") },
		do:    func(c *call) error { return c.expect(dap.Action{Kind: dap.Disas, Frame: c.frame}, dap.Answered) },
	},
	{
		Name: "eval", Usage: "eval [-frame N] [-type TYPE] EXPRESSION [VALUE]",
		Doc: "Evaluates an expression, which must give that value. ! demands that it is refused, with a reason that matches VALUE.",
		min: 1, max: 2, neg: true,
		flags: func(f *flag.FlagSet, c *call) {
			f.IntVar(&c.frame, "frame", 0, "")
			f.StringVar(&c.typ, "type", "", "")
		},
		do: evaluate,
	},
	{
		Name: "setvar", Usage: "setvar [-frame N] NAME VALUE", Doc: "Sets a variable. ! demands that this is refused.",
		min: 2, max: 2, neg: true,
		flags: func(f *flag.FlagSet, c *call) { f.IntVar(&c.frame, "frame", 0, "") },
		do: func(c *call) error {
			out, err := c.act(dap.Action{Kind: dap.SetVar, Frame: c.frame, Name: c.args[0], Value: c.args[1]})
			if err != nil {
				return err
			}
			return c.granted(out, out.Kind == dap.Answered)
		},
	},
	{
		Name: "log", Usage: "log [MESSAGE…]", Doc: "Demands that the last action printed these messages of log points, and no others.",
		max: -1,
		do: func(c *call) error {
			var got []string
			for _, l := range c.script.last.Logs {
				_, text, _ := strings.Cut(l, ": ")
				got = append(got, text)
			}
			if !slices.Equal(got, c.args) {
				return failf("the log points printed %q, not %q", got, c.args)
			}
			return nil
		},
	},
	{
		Name: "misuse", Usage: "misuse NAME", Doc: "Sends a request that comes when it should not. ! demands that it is refused.",
		min: 1, max: 1, neg: true,
		do: func(c *call) error {
			out, err := c.act(dap.Action{Kind: dap.Misuse, Name: c.args[0]})
			if err != nil {
				return err
			}
			if strings.HasPrefix(out.Text, "misstep") {
				return errors.New(out.Text)
			}
			if c.neg {
				return c.granted(out, out.Kind != dap.Refused)
			}
			return nil
		},
	},
	{
		Name: "protocol", Usage: "protocol [RULE [MESSAGE]]",
		Doc: "Demands that the invariants of the protocol held so far, or one of them, or that one for one kind of request or event.",
		max: 2, do: protocol,
	},
	{
		Name: "trace", Usage: "trace [RULE]",
		Doc: "Demands that what must hold within any trace held so far, or one of these rules.",
		max: 1, do: traceRules,
	},
	{
		Name: "reference", Usage: "reference [RULE]",
		Doc: "Records a run of the program, and demands that all rules held so far, or one of these, for what was shown.",
		max: 1, do: referenceRules,
	},
	{
		Name: "agree", Usage: "agree ENGINE…",
		Doc: "Runs the program again with the actions so far under other engines, and demands that all show the same.",
		min: 1, max: -1, do: agree,
	},
	{
		Name: "plain", Usage: "plain",
		Doc: "Demands that the program printed and returned what it does without a debugger.",
		do:  plain,
	},
	{
		Name: "relate", Usage: "relate TRANSFORMATION [PARAMETER=VALUE…]",
		Doc: "Runs the program again with the actions so far, transformed, and demands that the transformation's relation holds.",
		min: 1, max: -1, do: relate,
	},
}

func conditionFlags(f *flag.FlagSet, c *call) {
	f.StringVar(&c.condition, "if", "", "")
	f.StringVar(&c.hit, "hit", "", "")
}

func breakFlags(f *flag.FlagSet, c *call) {
	conditionFlags(f, c)
	f.StringVar(&c.log, "log", "", "")
}

func run(k dap.Kind, doc string) Command {
	usage := string(k)
	var flags func(*flag.FlagSet, *call)
	if k.Steps() {
		usage += " [-instruction]"
		flags = func(f *flag.FlagSet, c *call) { f.BoolVar(&c.instruction, "instruction", false, "") }
	}
	return Command{
		Name: string(k), Usage: usage, Doc: doc + " ! demands that this is refused.", flags: flags, neg: true,
		do: func(c *call) error {
			out, err := c.act(dap.Action{Kind: k, Instruction: c.instruction})
			if err != nil {
				return err
			}
			return c.granted(out, out.Kind != dap.Refused && out.Kind != dap.Unsupported)
		},
	}
}

// granted holds whether something was granted against what the line demands.
func (c *call) granted(out *dap.Output, ok bool) error {
	if ok == c.neg && !c.script.env.Lenient {
		return failf("%s", out)
	}
	return nil
}

// set sets a breakpoint.
func (c *call) set(a dap.Action) error {
	out, err := c.act(a)
	if err != nil {
		return err
	}
	return c.granted(out, out.Kind == dap.Set && out.Breakpoint.Verified)
}

// expect carries out an action whose output must be of that kind, or with !
// must not.
func (c *call) expect(a dap.Action, kind dap.OutputKind) error {
	out, err := c.act(a)
	if err != nil {
		return err
	}
	return c.granted(out, out.Kind == kind)
}

func pause(c *call) error {
	file, line, err := place(c.args[0])
	if err != nil {
		return err
	}
	p := c.script.session.Pause()
	if p == nil {
		if c.neg {
			return nil
		}
		return failf("the program is %s", describe(c.script.session))
	}
	top := p.Top()
	ok := top.File == file && top.Line == line && (len(c.args) < 2 || top.Func == c.args[1]) &&
		(c.reason == "" || c.reason == p.Reason)
	if ok == c.neg {
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

func ended(c *call) error {
	s := c.script.session
	if s.Ended() == c.neg {
		if p := s.Pause(); p != nil {
			return failf("the program is not at its end, but %s", p)
		}
		return failf("the program is %s", describe(s))
	}
	if len(c.args) == 0 || c.neg {
		return nil
	}
	if c.script.last.Exit == nil || c.script.last.Exit.Code == nil {
		return failf("the exit code is not told")
	}
	if code := strconv.Itoa(*c.script.last.Exit.Code); code != c.args[0] {
		return failf("the exit code is %s, not %s", code, c.args[0])
	}
	return nil
}

func stack(c *call) error {
	out, err := c.act(dap.Action{Kind: dap.Stack, Page: c.page})
	if err != nil {
		return err
	}
	if c.neg && len(c.args) == 0 || out.Kind != dap.Answered {
		return c.granted(out, out.Kind == dap.Answered)
	}
	var got []string
	ok := len(out.Stack) >= len(c.args)
	for i, f := range out.Stack {
		got = append(got, fmt.Sprintf("%s:%d", f.Func, f.Line))
		if i < len(c.args) {
			ok = ok && (c.args[i] == f.Func || c.args[i] == got[i])
		}
	}
	if ok == c.neg {
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

func variable(c *call) error {
	var vars []dap.Variable
	if c.frame == 0 && c.script.session.Pause() != nil {
		for _, sc := range c.script.session.Pause().Scopes {
			vars = append(vars, sc.Vars...)
		}
	} else {
		out, err := c.act(dap.Action{Kind: dap.Vars, Frame: c.frame})
		if err != nil {
			return err
		}
		if out.Kind != dap.Answered {
			return failf("%s", out)
		}
		for _, sc := range out.Scopes {
			vars = append(vars, sc.Vars...)
		}
	}
	var names []string
	var found *dap.Variable
	rest := c.args[0]
	for {
		names = nil
		found = nil
		// The longest name that fits, as names may hold dots themselves.
		for i := range vars {
			n := vars[i].Name
			names = append(names, n)
			if rest == n || strings.HasPrefix(rest, n+".") && (found == nil || len(n) > len(found.Name)) {
				found = &vars[i]
			}
			// The nameless child of a pointer is what it points to.
			if n == "" && found == nil {
				found = &vars[i]
			}
		}
		if found == nil {
			break
		}
		if found.Name == "" {
			vars = found.Children
			continue
		}
		if rest == found.Name {
			break
		}
		rest = rest[len(found.Name)+1:]
		vars = found.Children
	}
	if found == nil || rest != found.Name {
		if c.neg {
			return nil
		}
		return failf("%s is not shown, only %s", rest, strings.Join(names, ", "))
	}
	ok := c.typ == "" || c.typ == found.Type
	if len(c.args) == 2 {
		m, err := matches(found.Value, c.args[1])
		if err != nil {
			return err
		}
		ok = ok && m
	}
	if ok == c.neg {
		return failf("%s is shown as %s %s", c.args[0], found.Type, found.Value)
	}
	return nil
}

func evaluate(c *call) error {
	out, err := c.act(dap.Action{Kind: dap.Evaluate, Frame: c.frame, Name: c.args[0]})
	if err != nil {
		return err
	}
	if c.script.env.Lenient && len(c.args) == 1 {
		return nil
	}
	if c.neg {
		if out.Kind != dap.Refused {
			return failf("%s gives %s", c.args[0], out)
		}
		if len(c.args) == 2 {
			if ok, err := matches(out.Text, c.args[1]); err != nil || !ok {
				return failf("%s is refused: %s", c.args[0], out.Text)
			}
		}
		return nil
	}
	if out.Kind != dap.Answered {
		return failf("%s is refused: %s", c.args[0], out.Text)
	}
	if c.typ != "" && c.typ != out.Value.Type {
		return failf("%s has type %s, not %s", c.args[0], out.Value.Type, c.typ)
	}
	if len(c.args) == 2 {
		ok, err := matches(out.Value.Value, c.args[1])
		if err != nil {
			return err
		}
		if !ok {
			return failf("%s gives %s, not %s", c.args[0], out.Value.Value, c.args[1])
		}
	}
	return nil
}

func protocol(c *call) error {
	s := c.script
	if len(c.args) > 0 && oracle.ProtocolRules[c.args[0]] == "" {
		return fmt.Errorf("no protocol rule %q", c.args[0])
	}
	found, _ := oracle.Protocol(s.session.Wire(), s.last, s.session.Stderr())
	for _, v := range found {
		if (len(c.args) == 0 || c.args[0] == v.Rule) && (len(c.args) < 2 || c.args[1] == v.On || strings.HasPrefix(v.On, c.args[1]+"/")) {
			c.ts.Logf("%s", s.session.Wire()[v.At].Raw)
			return s.found(failf("%s: %s", v.Rule, v.What), &oracle.Finding{Oracle: "protocol", Rule: v.Rule, On: v.On})
		}
	}
	return nil
}

func traceRules(c *call) error {
	if len(c.args) == 1 && oracle.TraceRules[c.args[0]] == "" {
		return fmt.Errorf("no trace rule %q", c.args[0])
	}
	s := c.script
	breaches, _ := oracle.Trace(s.events)
	var found []*oracle.Finding
	for _, b := range breaches {
		if len(c.args) == 0 || c.args[0] == b.Rule {
			found = append(found, &oracle.Finding{Oracle: "trace", Rule: b.Rule, Base: s.events[:b.Index+1], Index: b.Index, Diff: b.Diff})
		}
	}
	return s.judged(found)
}

func referenceRules(c *call) error {
	s := c.script
	if len(c.args) == 1 && reference.Rules[c.args[0]] == "" {
		return fmt.Errorf("no rule %q of the reference model", c.args[0])
	}
	if s.build == nil {
		return errors.New("only in mode exec")
	}
	m, err := s.model(s.ctx, dap.Actions(s.events))
	if err != nil {
		return err
	}
	p, err := s.plain()
	if err != nil {
		return err
	}
	if m.Why != "" {
		return fmt.Errorf("there is no reference for this program: %s", m.Why)
	}
	verdicts, _, err := m.Judge(s.ctx, s.events)
	if err != nil {
		return err
	}
	if n := len(s.events); n > 0 && s.events[n-1].Output.Exit != nil {
		ends, _ := reference.End(s.events, p.Stdout, p.ExitCode)
		verdicts = append(verdicts, ends...)
	}
	var found []*oracle.Finding
	for _, v := range verdicts {
		if len(c.args) == 0 || c.args[0] == v.Rule {
			found = append(found, &oracle.Finding{Oracle: "reference", Rule: v.Rule, Base: s.events[:v.Index+1], Index: v.Index, Diff: v.Diff})
		}
	}
	return s.judged(found)
}

// judged fails if something was found, with the first of it as the reason.
func (s *script) judged(found []*oracle.Finding) error {
	if len(found) == 0 {
		return nil
	}
	f := found[0]
	return s.found(failf("%s: after %q, %s", f.Rule, s.events[f.Index].Action, f.Diff), found...)
}

func plain(c *call) error {
	s := c.script
	if s.build == nil {
		return errors.New("only in mode exec")
	}
	if s.last == nil || s.last.Exit == nil {
		return errors.New("the program has not ended; it does after finish")
	}
	p, err := s.plain()
	if err != nil {
		return err
	}
	want := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &p.ExitCode, Stdout: p.Stdout}}
	if d := dap.Diff(want, &dap.Output{Kind: dap.Ended, Exit: s.last.Exit}, dap.Lens{}); d != nil {
		return s.found(failf("%s", d), &oracle.Finding{
			Oracle: "metamorphic", Rule: "debugged", Base: s.events, Index: len(s.events) - 1, Diff: d,
		})
	}
	return nil
}
