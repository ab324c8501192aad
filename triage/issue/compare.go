package issue

import (
	"fmt"
	"math/big"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"misstep/dap"
)

var (
	atLine  = regexp.MustCompile(`(?m)^> .*?([^\s/]+\.go):(\d+)`)
	exited  = regexp.MustCompile(`Process \d+ has exited with status (-?\d+)`)
	inFrame = regexp.MustCompile(`(?m)^ *\d+  0x[0-9a-f]+ in (\S+)`)
)

// compare says why a terminal's session does not show the finding; it is empty if it does.
func compare(t *text, term *Terminal) string {
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
	kind, last := t.finding.Kind, term.Outputs[len(term.Outputs)-1]
	switch v := t.variable(); {
	case e.Action.Kind == dap.Evaluate && t.ofType() && e.Output.Value != nil:
		return sameValue(e.Output.Value.Type, "", last)
	case e.Action.Kind == dap.Evaluate && e.Output.Value != nil:
		return sameValue(e.Output.Value.Value, t.expectedValue(), last)
	case e.Action.Kind == dap.Evaluate:
		return sameRefusal(strings.TrimPrefix(e.Output.Text, "Unable to evaluate expression: "), last)
	case v != nil:
		return sameValue(v.Value, t.expectedValue(), last)
	case e.Output.Breakpoint != nil && e.Action.Kind == dap.Break:
		said := ""
		for i, c := range term.Commands {
			if strings.HasPrefix(c, "break ") && strings.HasSuffix(c, fmt.Sprintf(" %s:%d", e.Action.File, e.Action.Line)) {
				said = term.Outputs[i]
			}
		}
		at := fmt.Sprintf("%s:%d", path.Base(e.Output.Breakpoint.File), e.Output.Breakpoint.Line)
		if refused := strings.HasPrefix(said, refusal); refused == e.Output.Breakpoint.Verified || !refused && !strings.Contains(said+"\n", at+"\n") {
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
	case t.ofStack():
		return sameStack(pauseOf(t), last)
	case strings.HasPrefix(t.demand(), "pause"):
		return ""
	case strings.HasPrefix(t.demand(), "var"):
		name := strings.Fields(t.demand())[1]
		if p := pauseOf(t); p != nil && p.Var(name) != nil {
			for i := len(term.Commands) - 1; i >= 0; i-- {
				if term.Commands[i] == "print "+name {
					return sameValue(p.Var(name).Value, t.expectedValue(), term.Outputs[i])
				}
			}
		}
	}
	return "what the terminal prints says nothing of this"
}

// ofStack reports whether the difference is where the program is paused, of which the whole stack is a part.
func (t *text) ofStack() bool {
	return (t.finding.Kind == dap.DiffLocation || t.finding.Kind == dap.DiffStack) && pauseOf(t) != nil
}

// refusal is how the terminal client begins what it says when a command fails.
const refusal = "Command failed"

// sameRefusal is empty if the terminal refuses for the reason that DAP gives.
func sameRefusal(want, output string) string {
	if why, ok := strings.CutPrefix(output, refusal+": "); ok && squeezed(want) != "" && strings.Contains(squeezed(why), squeezed(want)) {
		return ""
	}
	return prints(output)
}

// sameValue is empty if a terminal's output is a value as DAP shows it. A wrong number may be another one each time,
// as what lies at a wrong address is: it is enough that it is not the one that is expected.
func sameValue(want, expected, output string) string {
	number := func(s string) *big.Int {
		n, ok := new(big.Int).SetString(strings.TrimSpace(s), 0)
		if !ok {
			return nil
		}
		return n
	}
	if squeezed(want) == squeezed(output) {
		return ""
	}
	if w, e, o := number(want), number(expected), number(output); w != nil && e != nil && o != nil && o.Cmp(e) != 0 {
		return ""
	}
	return prints(output)
}

// squeezed is a value without what the terminal client sets into lines.
func squeezed(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.NewReplacer(",}", "}", ",]", "]").Replace(s)
}

// sameStack is empty if what the terminal's stack command prints has the functions of a pause.
func sameStack(p *dap.Pause, output string) string {
	var want, got []string
	for _, f := range p.Stack {
		want = append(want, f.Func)
	}
	for _, m := range inFrame.FindAllStringSubmatch(output, -1) {
		got = append(got, m[1])
	}
	n := min(len(want), len(got)) // both are cut off somewhere
	if n > 0 && slices.Equal(want[:n], got[:n]) {
		return ""
	}
	return fmt.Sprintf("the terminal's stack is %s", strings.Join(got, ", "))
}

func prints(output string) string {
	return fmt.Sprintf("the terminal prints %s", firstLine(strings.TrimSpace(output)))
}
