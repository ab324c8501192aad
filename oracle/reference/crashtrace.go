package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/source"
	"misstep/oracle"
)

var (
	// running is the head of what the runtime prints of the goroutine that ends a program.
	running = regexp.MustCompile(`(?m)^goroutine \d+ .*\[running(, .*)?\]:\n`)
	// inCall is the head of the one that was in C when a signal came.
	inCall = regexp.MustCompile(`(?m)^goroutine \d+ .*\[(running|syscall)(, .*)?\]:\n`)
	// traced is a line of it with a place.
	traced = regexp.MustCompile(`^\t(.+):(\d+)( \+0x[0-9a-f]+)?( fp=.*)?$`)
)

// crashTrace are the places, innermost first, of the program's own functions on the stack of the goroutine with whose panic it ended, as
// the runtime printed them when it ran by itself. The runtime leaves out the middle of long stacks; what follows that is left out here.
func crashTrace(d *debuggee.Debuggee) (places []source.Place) {
	// What comes before its last words the program has printed, be it a stack.
	words, begins := lastWords.FindAllStringIndex(d.Stderr, -1), running
	if words == nil {
		words, begins = bySignal.FindAllStringIndex(d.Stderr, 1), inCall
	}
	if words == nil {
		return nil
	}
	said := d.Stderr[words[len(words)-1][1]:]
	head := begins.FindStringIndex(said)
	if head == nil || strings.Contains(said[:head[0]], "\ngoroutine ") {
		return nil // that goroutine comes first
	}
	for text := range strings.SplitSeq(said[head[1]:], "\n") {
		if text == "" || strings.HasPrefix(text, "created by ") || strings.HasPrefix(text, "...") {
			break
		}
		m := traced.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		line, err := strconv.Atoi(m[2])
		if at := (source.Place{File: d.Build.Program.Rel(m[1]), Line: line}); err == nil && d.Source.Own(at.File) {
			places = append(places, at)
		}
	}
	return places
}

// crashed holds the stack of a pause for the panic that ends the program against what the runtime prints of it: all that it prints is there, in
// that order. Between them debuggers show what the compiler has made, such as for a defer statement, which the runtime leaves out. A
// function that was called before may have changed what the program comes to.
func (j *judge) crashed(i int, seen *oracle.Seen, p *dap.Pause) {
	d := seen.Debuggee
	called := slices.ContainsFunc(seen.Events[:i], func(e dap.Event) bool {
		return e.Action.Kind == dap.Evaluate && strings.HasPrefix(e.Action.Name, "call ")
	})
	if d.Source == nil || d.Unsteady != "" || called {
		return
	}
	want := crashTrace(d)
	var rest []string // since the last that was printed
	n := 0
	for _, f := range p.Stack {
		at := source.Place{File: f.File, Line: f.Line}
		switch {
		case n < len(want) && at == want[n]:
			j.made("R12-trace")
			n, rest = n+1, nil
		case d.Source.Own(f.File):
			rest = append(rest, at.String())
		}
	}
	// A stack that does not go down to where a goroutine begins was cut off.
	if last := len(p.Stack) - 1; n < len(want) && last >= 0 && p.Stack[last].Func == "runtime.goexit" {
		shown := "none"
		if len(rest) > 0 {
			shown = strings.Join(rest, ", ")
		}
		j.check(i, "R12-trace", false, dap.DiffStack, fmt.Sprintf("frame %d of the program's own", n), want[n].String(), shown)
	}
}
