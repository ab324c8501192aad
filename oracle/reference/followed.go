package reference

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/internal/source"
	"misstep/oracle"
)

// followed is what the judge does with each kind of action, but those that only ask: they
// change nothing, and the trace's own rules judge stacks.
var followed = map[dap.Kind]func(j *judge, i int, a dap.Action, out *dap.Output) error{
	dap.Break:     (*judge).set,
	dap.FuncBreak: (*judge).setFunction,
	dap.InstBreak: (*judge).setFunction,
	dap.Unbreak:   (*judge).unset,
	dap.FuncUnset: (*judge).unset,
	dap.InstUnset: (*judge).unset,
	dap.DataBreak: (*judge).setData,
	dap.DataUnset: (*judge).unsetData,
	dap.Continue:  (*judge).resumesAnd,
	dap.Next:      (*judge).resumes,
	dap.StepIn:    (*judge).resumes,
	dap.StepOut:   (*judge).resumes,
	dap.Finish:    (*judge).finishes,
	dap.Interrupt: (*judge).stops, // where depends on time
	dap.Evaluate:  (*judge).evaluates,
	dap.Vars:      (*judge).vars,
	dap.Threads:   (*judge).threads,
	dap.SetVar:    (*judge).assign,
	dap.Call:      (*judge).assign,
	dap.Restart:   (*judge).restart,
	dap.WriteMem:  (*judge).overwritten,

	// The breakpoints that are sent again stay as they are.
	dap.Resend: (*judge).nothing,
	// What pauses the program when it goes wrong is judged when it has ended.
	dap.Catch: (*judge).nothing,
	// What a misuse must do is the protocol's to say. One that restarts the program or lets
	// it run on is followed by no pause that fits.
	dap.Misuse:     (*judge).nothing,
	dap.Disconnect: (*judge).stops,
	dap.Detach:     (*judge).finishes,
}

func (j *judge) nothing(int, dap.Action, *dap.Output) error { return nil }

// stops gives the session up: what comes next is not known.
func (j *judge) stops(int, dap.Action, *dap.Output) error {
	j.dead, j.over, j.why = true, true, afterTime
	return nil
}

// overwritten gives the session up as well, unless what is written has just been read there: what the variables are now is not known.
func (j *judge) overwritten(i int, _ dap.Action, _ *dap.Output) error {
	if oracle.Rewrites(j.events, i) {
		return nil
	}
	j.dead, j.over, j.why = true, true, afterWriting
	return nil
}

// key names a breakpoint as pauses and messages do.
func key(a dap.Action) string {
	switch a.Kind {
	case dap.FuncBreak, dap.FuncUnset:
		return "func " + a.Name
	case dap.InstBreak, dap.InstUnset:
		return "inst " + a.Name
	}
	return fmt.Sprintf("%s:%d", a.File, a.Line)
}

func (j *judge) set(i int, a dap.Action, out *dap.Output) error {
	b := out.Breakpoint
	if b == nil || !b.Verified {
		j.refusedPoint(i, a, out)
		if old := j.points[key(a)]; old != nil && out.Kind == dap.Set {
			// It should be gone; whether it is, and with which condition, the trace's rules tell.
			j.points[key(a)] = &point{file: old.file, line: old.line, unsure: true, vain: true, since: i, was: cmp.Or(old.condition, old.was)}
			return nil
		}
		delete(j.points, key(a))
		return nil
	}
	if d := j.session.Debuggee; d != nil && oracle.Mangles(d.Build, j.events[i]) {
		j.dead, j.over, j.why = true, true, brokenCode
	}
	known := b.File != "" && !strings.HasPrefix(b.File, "<") // some say that there are several
	if j.takes(a) || b.Line != a.Line && j.m.Clear(a.File, a.Line) {
		j.check(i, "R2-breakpoint", b.Line == a.Line && (!known || b.File == a.File), dap.DiffBreakpoint, "the place of a breakpoint", key(a), fmt.Sprintf("%s:%d", b.File, b.Line))
	}
	p := &point{file: a.File, line: b.Line, log: a.Log, hit: a.Hit, condition: a.Condition, since: i, early: !j.started}
	if known {
		p.file = b.File
	}
	p.clear = b.Line == a.Line && j.m.ClearLine(p.file, p.line)
	if old := j.points[key(a)]; old != nil {
		p.hits, p.unsure, p.done = old.hits, old.unsure || amended(old, a), old.done
		p.early = false
	}
	j.points[key(a)] = p
	return nil
}

// amended reports whether a breakpoint is changed so that it is up to the debugger which hits count: all of the
// old one, those on which its condition held, or only new ones.
func amended(old *point, a dap.Action) bool {
	return a.Hit != "" && (old.hit != a.Hit || old.condition != a.Condition || old.log != a.Log)
}

// hits is a hit condition as the specification's clients write it.
var hits = regexp.MustCompile(`^(==|=|>=|>|<=|<|!=|%)? *[0-9]+$`)

// refusedPoint judges that a breakpoint is not set: a line on which a statement with code
// begins takes one. It may not take a second one, and what it is asked with may be at fault.
func (j *judge) refusedPoint(i int, a dap.Action, out *dap.Output) {
	if j.takes(a) && (out.Kind == dap.Set || out.Kind == dap.Refused) {
		j.check(i, "R2-breakpoint", false, dap.DiffBreakpoint, "a breakpoint at "+key(a), "set, as a statement with code begins there", out.String())
	}
}

// takes reports whether a breakpoint must be possible as it is asked for.
func (j *judge) takes(a dap.Action) bool {
	if !j.m.Clear(a.File, a.Line) || a.Hit != "" && !hits.MatchString(a.Hit) {
		return false
	}
	_, exprs, ok := holes(a.Log)
	if !ok {
		return false
	}
	for _, x := range append(exprs, a.Condition) {
		if _, err := parser.ParseExpr(x); x != "" && err != nil {
			return false
		}
	}
	for k, b := range j.points {
		if k != key(a) && (b.function || b.file == a.File && b.line == a.Line) {
			return false
		}
	}
	return true
}

// standsIn reports whether a breakpoint stands at a line of a function already: it may be at the instruction where one at the function would be, which
// not all messages say.
func (j *judge) standsIn(name string) bool {
	for _, d := range j.m.declared(name[strings.LastIndexByte(name, '.')+1:]) {
		for _, b := range j.points {
			if !b.function && b.file == d.File && d.First <= b.line && b.line <= d.Last {
				return true
			}
		}
	}
	return false
}

func (j *judge) setFunction(i int, a dap.Action, out *dap.Output) error {
	set := out.Breakpoint != nil && out.Breakpoint.Verified
	if j.takesFunction(a) && (out.Kind == dap.Set || out.Kind == dap.Refused) && !strings.Contains(out.String(), "exists") && (set || !j.standsIn(a.Name)) {
		j.check(i, "R2-breakpoint", set, dap.DiffBreakpoint, "a breakpoint at "+a.Name, "set, as the program has that function", out.String())
	}
	if !set {
		delete(j.points, key(a))
		return nil
	}
	p := &point{function: true, since: i, early: !j.started, hit: a.Hit, condition: a.Condition}
	if file, line, err := dap.ParsePlace(a.Name); err == nil && a.Kind == dap.FuncBreak {
		p.function, p.file, p.line = false, file, line
		p.clear = out.Breakpoint.Line == line && out.Breakpoint.File == file && j.m.ClearLine(file, line)
	} else if a.Kind == dap.FuncBreak {
		if p.funcs = j.m.named(a.Name); p.funcs == nil {
			p.funcs = j.m.spelled(a.Name, out.Breakpoint)
		}
		p.clear = len(p.funcs) == 1
	}
	if old := j.points[key(a)]; old != nil {
		p.hits, p.unsure, p.done, p.early = old.hits, old.unsure || amended(old, a), old.done, false
	}
	j.points[key(a)] = p
	return nil
}

// takesFunction reports whether a breakpoint at a function must be possible as it is asked for: by its whole name, of a generic one
// without type arguments, where the binary has it, or an instance.
func (j *judge) takesFunction(a dap.Action) bool {
	d := j.session.Debuggee
	if a.Kind != dap.FuncBreak || a.Condition != "" || a.Hit != "" && !hits.MatchString(a.Hit) || d == nil || d.Build == nil || !strings.HasPrefix(a.Name, "main.") {
		return false
	}
	return slices.ContainsFunc(j.m.Plan.Funcs, func(f history.Func) bool { return !f.Literal && source.WithoutTypes(f.Name) == a.Name }) && d.Build.Symbols.HasInstance(a.Name)
}

// spelled are the recorded functions that a shorter name may mean, if a breakpoint at it is in one of
// them: without the package, or with the receiver's type where that is a pointer.
func (m *Model) spelled(name string, at *dap.Breakpoint) (out []int) {
	star := strings.NewReplacer("(*", "", ")", "")
	for _, f := range m.Plan.Funcs {
		_, bare, _ := strings.Cut(f.Name, ".")
		if name != bare && name != star.Replace(f.Name) && name != star.Replace(bare) {
			continue
		}
		for _, n := range m.named(f.Name) {
			if node, pkg := m.Code.Node(n); node != nil && pkg != nil && !slices.Contains(out, n) {
				first, last := pkg.Fset.Position(node.Pos()), pkg.Fset.Position(node.End())
				if first.Line <= at.Line && at.Line <= last.Line && strings.HasSuffix(first.Filename, at.File) {
					out = append(out, n)
				}
			}
		}
	}
	return out
}

// named are the recorded functions of a name; that of a generic one stands for all of its instances. The compiler's own
// initialisation of a package is called as functions init are in its source.
func (m *Model) named(name string) []int {
	var out []int
	if strings.HasSuffix(name, ".init") {
		return nil
	}
	for n, f := range m.Plan.Funcs {
		if f.Literal || source.WithoutTypes(f.Name) != name {
			continue
		}
		if node, _ := m.Code.Node(n); !isDeclared(node) {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func isDeclared(n ast.Node) bool {
	_, ok := n.(*ast.FuncDecl)
	return ok
}

func (j *judge) unset(_ int, a dap.Action, _ *dap.Output) error {
	delete(j.points, key(a))
	return nil
}

func (j *judge) evaluates(i int, a dap.Action, out *dap.Output) error {
	j.evaluate(i, a, out)
	if strings.HasPrefix(a.Name, "call ") {
		// Breakpoints in what is called may have been hit. Which execution of its line one has paused at is known as before.
		for _, p := range j.points {
			p.uncounted()
		}
		j.called = true
		if out.Pause != nil || callBroken(out.Text) {
			j.dead, j.over, j.why = true, true, afterTime // it is within what was called
		}
	}
	return nil
}

// resumesAnd follows an action that lets the program run and asks for something meanwhile. If that paused it,
// which is the trace's to judge, where it is depends on time.
func (j *judge) resumesAnd(i int, a dap.Action, out *dap.Output) error {
	if a.Meanwhile != "" && out.Pause != nil && out.Pause.Reason == "pause" {
		return j.stops(i, a, out)
	}
	return j.resumes(i, a, out)
}

func (j *judge) restart(_ int, _ dap.Action, out *dap.Output) error {
	if out.Kind != dap.Done {
		return nil // the program is where it was
	}
	j.called = false
	j.track, j.tracks, j.nameless, j.suspects, j.restarts, j.unheld = nil, map[int]*track{}, map[int]bool{}, map[int]suspects{}, true, false
	for _, p := range j.points {
		p.hits = 0
	}
	j.unsure()
	j.m, j.sets, j.assigned, j.before, j.stirs = j.plain, nil, "", nil, nil
	j.forgetData()
	return nil
}

func (j *judge) finishes(i int, _ dap.Action, out *dap.Output) error {
	j.ended(i, out)
	j.dead = true
	return nil
}

// resumeRules are the rules of what lets the program run, which is to come to something.
var resumeRules = map[dap.Kind]string{dap.Next: "R4-next", dap.StepIn: "R5-stepin", dap.StepOut: "R6-stepout", dap.Continue: "R8-end", dap.Finish: "R8-end"}

// stayed judges that the program is not let run: where it is paused, all of that is possible.
func (j *judge) stayed(i int, a dap.Action, out *dap.Output) {
	rule := resumeRules[a.Kind]
	if a.Kind == dap.Continue {
		rule = "R1-pause"
	}
	if out.Kind == dap.Unsupported || strings.HasPrefix(out.Text, "misstep: ") || j.m.Concurrent() || j.m.Why != "" || j.assigned != "" || j.misused(i) || j.session.Debuggee.OutOfSight(out.Text) {
		j.missed(rule)
		return
	}
	j.check(i, rule, false, dap.DiffAnswer, string(a.Kind), "done", out.String())
}

// misused reports whether the adapter was sent what it should refuse between the last pause and an event:
// one that does it may have let the program run.
func (j *judge) misused(i int) bool {
	for _, e := range slices.Backward(j.events[:i]) {
		if e.Action.Kind == dap.Misuse {
			return true
		}
		if e.Output.Pause != nil {
			return false
		}
	}
	return false
}

func (j *judge) resumes(i int, a dap.Action, out *dap.Output) error {
	j.started, j.fresh, j.partway = true, false, a.Instruction
	if a.Instruction && j.track != nil {
		if j.further(i, out) {
			j.onward(i, a, out.Pause)
			return nil
		}
		if j.lost && j.sameLine(i, out.Pause) {
			j.missed("R1-pause")
			j.unjudged(finding.Pauses, single, 1)
			return nil // it is where it was, which is not known
		}
		at, known := j.at, !j.lost
		back := known && j.mayBeBack(i, out.Pause)
		if j.lose(at); known {
			j.may = []int{at}
		}
		if back {
			j.missed("R1-pause")
			j.unjudged(finding.Pauses, revisited, 1)
			j.unsure()
			return nil
		}
	}
	j.resume(i, a, out)
	return nil
}

// further reports whether a step of one instruction has gone further on the line where it began, in the same call: to an
// instruction after that one, so that the line has not begun anew.
func (j *judge) further(i int, out *dap.Output) bool {
	p := out.Pause
	return !j.lost && !j.dead && j.at >= j.t.Lo && j.placed == j.shownAt(i) && p != nil && len(out.Logs) == 0 && j.tracks[p.Thread] == j.track && j.sameLine(i, p)
}

// mayBeBack reports whether a step of one instruction has ended on another line of the same call, whose execution is over: compilers give parts of a
// statement that come late the lines of one before it, and the next execution may begin so as well.
func (j *judge) mayBeBack(i int, p *dap.Pause) bool {
	was := j.pause(i)
	if p == nil || was == nil || j.dead || j.at < j.t.Lo || j.at >= j.t.Hi || p.Reason != "step" || len(p.Hit) > 0 || was.Thread != p.Thread || len(p.Stack) != len(was.Stack) || len(p.Stack) == 0 {
		return false
	}
	from, to := was.Top(), p.Top()
	return from.Func == to.Func && from.File == to.File && from.Line != to.Line && j.m.executed(j.at, to.Line) != nil
}

// sameLine reports whether a step of one instruction has ended on the line where it began, in the same call.
func (j *judge) sameLine(i int, p *dap.Pause) bool {
	was := j.pause(i)
	if p == nil || was == nil || p.Reason != "step" || len(p.Hit) > 0 || was.Thread != p.Thread || len(p.Stack) != len(was.Stack) || len(p.Stack) == 0 {
		return false
	}
	from, to := was.Top(), p.Top()
	return from.Func == to.Func && from.File == to.File && from.Line == to.Line && j.runsOn(from.Place, to.Place)
}

// shownAt is the event of the last pause before another.
func (j *judge) shownAt(i int) int {
	for i--; i >= 0; i-- {
		if j.events[i].Output.Pause != nil {
			return i
		}
	}
	return -1
}

// onward judges a pause that is further on in a statement.
func (j *judge) onward(i int, a dap.Action, p *dap.Pause) {
	j.moved, j.shown, j.unheld = a.Kind, j.pause(i), false
	j.last, j.placed, j.seen, j.returned = p, i, i, false
	j.behind, j.stays, j.newly = true, true, false
	j.made("R1-pause")
	j.judged(finding.Pauses, 1)
	if j.m.step(j.at).Entry {
		j.unjudged(finding.Variables, entryValues, count(p.Scopes)) // they are on their way into their places
		return
	}
	j.innermost(i, p, j.at)
}

// beneath reports whether a pause on the line of a function's head is behind what the function does: compilers put there what has the
// stack grow, before the function begins anew, and say of parameters that they are where they will be.
func (j *judge) beneath(p *dap.Pause) bool {
	place := p.Top().Place
	here, _, table, ok := j.code(place)
	if !ok {
		return false
	}
	from, _, _, ok := j.code(place[:strings.LastIndex(place, "+")] + "+0x0")
	return ok && !table.OneLine(from, here)
}

// runsOn reports whether one place comes after another with nothing but the same line between them: after other lines the statement
// may be over, and what its blocks declare.
func (j *judge) runsOn(from, to string) bool {
	a, _, table, ok := j.code(from)
	b, _, _, ok2 := j.code(to)
	return ok && ok2 && a < b && table.OneLine(a, b)
}
