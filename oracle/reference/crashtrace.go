package reference

import (
	"bufio"
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
	running = regexp.MustCompile(`^goroutine \d+ .*\[running(, .*)?\]:$`)
	// traced is a line of it with a place.
	traced = regexp.MustCompile(`^\t(.+):(\d+)( \+0x[0-9a-f]+)?$`)
)

// crashTrace are the places, innermost first, of the program's own functions on the stack of the goroutine with whose panic it ended, as
// the runtime printed them when it ran by itself. The runtime leaves out the middle of long stacks; what follows that is left out here.
func crashTrace(d *debuggee.Debuggee) (places []source.Place) {
	lines := bufio.NewScanner(strings.NewReader(d.Stderr))
	for lines.Scan() && !running.MatchString(lines.Text()) {
	}
	for lines.Scan() {
		text := lines.Text()
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

// crashed holds the stack of a pause for the panic that ends the program against what the runtime prints of it. A function that was
// called before may have changed what the program comes to.
func (j *judge) crashed(i int, seen *oracle.Seen, p *dap.Pause) {
	d := seen.Debuggee
	called := slices.ContainsFunc(seen.Events[:i], func(e dap.Event) bool {
		return e.Action.Kind == dap.Evaluate && strings.HasPrefix(e.Action.Name, "call ")
	})
	if d.Source == nil || d.Unsteady != "" || called {
		return
	}
	want := crashTrace(d)
	var got []source.Place
	for _, f := range p.Stack {
		if d.Source.Own(f.File) {
			got = append(got, source.Place{File: f.File, Line: f.Line})
		}
	}
	// Either may be cut off at its end.
	for k := range min(len(want), len(got)) {
		ok := want[k] == got[k]
		j.check(i, "R12-trace", ok, dap.DiffStack, fmt.Sprintf("frame %d of the program's own", k), fmt.Sprintf("%s:%d", want[k].File, want[k].Line), fmt.Sprintf("%s:%d", got[k].File, got[k].Line))
		if !ok {
			return
		}
	}
}
