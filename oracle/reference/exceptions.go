package reference

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/oracle"
)

// lastWords is what the runtime says of a program that it ends: the kind, and what of. Of panics that came
// while others unwound, each has a line, the last one last.
var lastWords = regexp.MustCompile(`(?m)^\t*(panic|fatal error): (.*)$`)

// bySignal is what it says of one that a signal ends which Go cannot make a panic of, as it came in C. Debuggers call that a fatal error,
// of which they need not say what.
var bySignal = regexp.MustCompile(`(?m)^(SIG[A-Z0-9]+: .*)\nPC=`)

// fatalSignal is the function of the runtime that is called then, since Go 1.21: before, a debugger had nowhere to pause.
const fatalSignal = "runtime.fatalsignal"

// exceptions judges the pauses for what ends a program badly, by what the program prints when it runs by
// itself.
func (j *judge) exceptions(seen *oracle.Seen) {
	const rule = "R12-exception"
	var kind, text string
	said, _, crashed := strings.Cut(seen.Debuggee.Stderr, "\ngoroutine ")
	if words := lastWords.FindAllStringSubmatch(said, -1); words != nil && crashed && seen.Debuggee.ExitCode == 2 {
		last := words[len(words)-1]
		kind, text = last[1], last[2]
	}
	signal := bySignal.FindStringSubmatch(said)
	signalled := kind == "" && crashed && signal != nil && seen.Debuggee.ExitCode == 2 && has(seen.Debuggee, fatalSignal)
	if signalled {
		kind, text = "fatal error", signal[1]
	}
	caught := "" // what the adapter was told to pause for
	paused := false
	for i, e := range seen.Events {
		a, out := e.Action, e.Output
		switch {
		case a.Kind == dap.Catch && out.Kind == dap.Done:
			caught = a.Name
		case a.Kind == dap.Restart, a.Kind == dap.Misuse:
			paused = false
			// One that makes no sense may have ended the program, which is for other rules.
			j.dead = j.dead || a.Kind == dap.Misuse && strings.HasPrefix(a.Name, "restart")
		}
		if slices.Contains(out.Passed, kind) && kind != "" {
			paused = true
			j.check(i, rule, caught == "" || catches(caught, kind), dap.DiffReason, "a pause for a "+kind+" after "+string(dap.Catch)+" "+caught, "none", "a pause")
		}
		p := out.Pause
		if p != nil && p.Exception() && (p.Description == "panic" || p.Description == "fatal error") {
			paused = true
			j.check(i, rule, caught == "" || catches(caught, p.Description), dap.DiffReason, "a pause for a "+p.Description+" after "+string(dap.Catch)+" "+caught, "none", p.Text)
			if j.dead || kind != p.Description {
				continue
			}
			said, err := strconv.Unquote(p.Text)
			switch {
			case signalled:
				j.made(rule)
			case err == nil:
				told := strings.HasPrefix(text, said) && said != "" || strings.HasPrefix(said, text)
				j.check(i, rule, told, dap.DiffReason, "what a "+kind+" is of", strconv.Quote(text), p.Text)
				if !told {
					continue
				}
			case kind == "fatal error" || p.Text == "": // the runtime's own are all texts; what a panic is of may be anything
				j.check(i, rule, false, dap.DiffReason, "what a "+kind+" is of", strconv.Quote(text), strconv.Quote(p.Text))
			}
			j.crashed(i, seen, p)
		}
		if out.Kind == dap.Ended && caught != "" && !catches(caught, kind) && kind != "" && !paused && !j.dead {
			j.made(rule)
		}
		// Delve pauses for these without being told to.
		told := caught != "" && catches(caught, kind) || caught == "" && seen.Debuggee.Build != nil && seen.Debuggee.Build.Engine.Adapter == "dlv"
		if out.Kind == dap.Ended && told && kind != "" && a.Kind.Resumes() && !j.dead {
			j.check(i, rule, paused, dap.DiffReason, "a pause for the "+kind+" that ends the program", text, "none")
		}
	}
}

// filters are those of Delve for each kind of what ends a program badly.
var filters = map[string]string{"panic": "unrecovered-panic", "fatal error": "runtime-fatal-throw"}

// catches reports whether one who was told to pause for the named filters pauses for a kind.
func catches(caught, kind string) bool {
	return caught == "all" || filters[kind] != "" && slices.Contains(strings.Split(caught, ","), filters[kind])
}

// has reports whether a program's binary has a function.
func has(d *debuggee.Debuggee, function string) bool {
	if d.Build == nil || d.Build.Symbols == nil {
		return false
	}
	_, err := d.Build.Symbols.AddressOf(function + "+0x0")
	return err == nil
}
