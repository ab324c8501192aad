package rewrite

import (
	"fmt"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// hardcodeBreakpoint puts a breakpoint into the program's own code. Guards: the base has nothing but one plain breakpoint at the
// line, from its beginning on; the line is one statement, whose code is executed once for each pause there; and no step ends at
// the line, as it would do so before the call that pauses.
var hardcodeBreakpoint = Rewrite{
	Name:      "hardcode-breakpoint",
	Doc:       "Has the program call runtime.Breakpoint where a breakpoint was set: no difference but the reason of the pause.",
	NeedsBase: true,
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || s.declares("bool", "byte", "len", "string", "nil", "false") {
			return nil
		}
		plain := s.plainBreakpoints()
		var sites []Site
		for _, sl := range s.slots() {
			stmt := sl.stmt
			file := s.Source.FileOf(stmt.Pos())
			line := srcedit.Line{File: file.Name, Line: s.Source.Line(stmt.Pos())}
			_, first := s.indent(stmt.Pos())
			if !plain[line] || !first || codeless(stmt) || s.long(stmt) || !simple(stmt) || !s.last(stmt.End()) {
				continue
			}
			sites = append(sites, Site{stmt.Pos(), func(c *Change) {
				pkg, traced, look := c.name(), c.ownVar(), c.ownFunc()
				c.insert(file.AST.Name.End(), "; import "+pkg+` "runtime"; import `+pkg+`syscall "syscall"`)
				c.insert(stmt.Pos(), "if "+traced+" { "+pkg+".Breakpoint() }; ")
				c.declare(stmt.Pos(), fmt.Sprintf(tracedVar, traced, look, pkg))
				c.Hardcoded = map[srcedit.Line]bool{line: true}
			}})
		}
		return sites
	},
}

// tracedVar is a variable that says whether somebody debugs the program: without, the call would end it.
const tracedVar = `var %[1]s = %[2]s()

func %[2]s() bool {
	fd, err := %[3]ssyscall.Open("/proc/self/status", 0, 0)
	var text [4096]byte
	n, _ := %[3]ssyscall.Read(fd, text[:])
	tracer := "TracerPid:\t"
	for i := 0; err == nil && i+len(tracer) < n; i++ {
		if string(text[i:i+len(tracer)]) == tracer {
			return text[i+len(tracer)] != '0'
		}
	}
	return false
}`

// plainBreakpoints lists the lines with a breakpoint that is set before the program begins, stays as it is, and is the only reason to
// pause there.
func (s *Given) plainBreakpoints() map[srcedit.Line]bool {
	plain := map[srcedit.Line]bool{}
	other := map[srcedit.Line]bool{}
	begun := false
	at := func(file string, line int) srcedit.Line {
		name, n, ok := s.Source.Physical(source.Place{File: file, Line: line})
		if !ok {
			return srcedit.Line{}
		}
		return srcedit.Line{File: name, Line: n}
	}
	for _, e := range s.Base {
		a := e.Action
		switch {
		case a.Kind == dap.Break:
			b := e.Output.Breakpoint
			l := at(a.File, a.Line)
			if begun || plain[l] || a.Condition != "" || a.Hit != "" || a.Log != "" || b == nil || !b.Verified {
				other[l] = true
			}
			plain[l] = true
		case a.Kind == dap.Unbreak:
			other[at(a.File, a.Line)] = true
		case a.Kind.Resumes():
			begun = true
		}
		if p := e.Output.Pause; p != nil {
			if l := at(p.Top().File, p.Top().Line); p.Reason != "breakpoint" || len(p.Hit) != 1 {
				other[l] = true
			}
		}
	}
	for l := range other {
		delete(plain, l)
	}
	return plain
}
