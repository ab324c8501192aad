package reference

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history/timeline"
	"misstep/internal/source"
	"misstep/oracle"
)

// totals judges a session of a program with goroutines that has only continued, up
// to the end: how often breakpoints were hit in all.
func (j *judge) totals(i int, out *dap.Output) {
	if j.restarts {
		return
	}
	for _, e := range j.events[:i+1] {
		if k := e.Action.Kind; k.Resumes() && k != dap.Continue {
			return
		}
	}
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		p := j.points[key]
		if !p.clear || !p.early || p.hit != "" || p.condition != "" {
			continue
		}
		executions, steady := 0, true
		for _, t := range j.m.Threads {
			for n := t.Lo; n < t.Last; n++ {
				if j.m.executes(n, p) {
					executions++
					steady = steady && t.Steady && j.m.Whole(t)
				}
			}
		}
		if !steady {
			j.missed("R11-hits")
			continue
		}
		j.check(i, "R11-hits", p.pauses == executions, dap.DiffLocation, "hits of "+key+" by all goroutines", strconv.Itoa(executions), strconv.Itoa(p.pauses))
		if j.dead {
			return
		}
	}
}

// exit judges how the program ended.
func (j *judge) exit(i int, shown *dap.Exit, truth *timeline.Exit) {
	const rule = "R8-end"
	code := shown.Code
	if told, ok := j.session.Told(); ok && code == nil && !j.restarts {
		code = &told
	}
	if code != nil {
		j.check(i, rule, dap.SameCode(truth.Code, *code), dap.DiffExit, "exit code", strconv.Itoa(truth.Code), strconv.Itoa(*code))
	}
	if !j.dead {
		d := dap.Diff(&dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Stdout: truth.Stdout}}, &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Stdout: shown.Stdout, Earlier: shown.Earlier}}, dap.Lens{})
		if d != nil {
			j.check(i, rule, false, d.Kind, d.What, d.A, d.B)
		} else {
			j.made(rule)
		}
	}
	if truth.Stderr == nil || j.dead || shown.Earlier {
		return
	}
	stderr := shown.Stderr
	if stderr == "" {
		stderr = shown.Stdout // of a terminal, which has one stream
	}
	if word := failure.FindString(*truth.Stderr); word != "" {
		j.check(i, rule, strings.Contains(stderr, word), dap.DiffOutput, "what the runtime prints to standard error", strconv.Quote(word+"…"), strconv.Quote(source.Shorten(stderr, 200)))
	}
	want, got := beforeCrash(*truth.Stderr), beforeCrash(stderr)
	if j.dead || (shown.Stderr == "" || shown.Beside) && strings.Contains(stderr, want) {
		return
	}
	j.check(i, rule, want == got, dap.DiffOutput, "standard error", strconv.Quote(source.Shorten(want, 200)), strconv.Quote(source.Shorten(got, 200)))
}

// failure is what the runtime says first of a program that has failed.
var failure = regexp.MustCompile(`(?m)^(panic: |fatal error: )`)

// crash is where the runtime begins to say how the program ended: with addresses and the
// numbers of goroutines.
var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine \d|SIG[A-Z]+: |runtime: |unexpected fault|exit status)`)

// beforeCrash is what a program printed itself.
func beforeCrash(s string) string {
	if at := crash.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// Ends is the oracle of how sessions end: as the program ends by itself, which variants
// of it do, too. Tests print more than the program does, so theirs are not judged, and
// neither are sessions that assigned to a variable.
type Ends struct{}

// Judge implements [oracle.Check].
func (Ends) Judge(_ context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	j := &judge{m: &Model{&timeline.Run{}}, session: seen, tally: &finding.Tally{}}
	last := len(seen.Events) - 1
	assigns := oracle.Assigns(seen.Events)
	// What an exception is of is read by the debug information.
	bare := seen.Debuggee.Build.Engine.Stripped(seen.Debuggee.Build.Program)
	mangled := seen.Mangled()
	if last >= 0 && !mangled && !seen.Debuggee.Build.Program.Test && !bare && !assigns {
		j.exceptions(seen)
	}
	if last < 0 || mangled || seen.Events[last].Output.Exit == nil || seen.Debuggee.Build.Program.Test || seen.Debuggee.Unsteady != "" || assigns {
		j.missed("R8-end")
		return j.found, j.tally, nil
	}
	j.dead = false
	j.exit(last, seen.Events[last].Output.Exit, &timeline.Exit{Code: seen.Debuggee.ExitCode, Stdout: seen.Debuggee.Stdout, Stderr: &seen.Debuggee.Stderr})
	return j.found, j.tally, nil
}
