package reference

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history/timeline"
	"misstep/internal/lines"
	"misstep/internal/machine"
)

// code is what the binary says of a place, such as main.f+0x1d: its address, the instructions, and the line table. It is not ok if one
// of them is not known.
func (j *judge) code(place string) (addr uint64, code *machine.Code, table *lines.Table, ok bool) {
	d := j.session.Debuggee
	if d == nil || d.Build == nil || d.Build.Symbols == nil || !strings.Contains(place, "+") {
		return 0, nil, nil, false
	}
	addr, err := d.Build.Symbols.AddressOf(place)
	code, err2 := d.Build.Code()
	table, err3 := d.Build.Lines()
	return addr, code, table, err == nil && err2 == nil && err3 == nil
}

// apart reports whether a pause is at a jump to a statement's code to which other ways lead as well: past the jump, or by way of another
// place on which statements of the line begin. A debugger that sets its breakpoint at the jump alone passes by the executions that come
// another way.
func (j *judge) apart(p *dap.Pause) bool {
	addr, code, table, ok := j.code(p.Top().Place)
	if !ok {
		return false
	}
	in, ok := code.At(addr)
	if !ok || !in.Jump {
		return false
	}
	file, line, _ := table.At(addr)
	toFile, toLine, ok := table.At(in.Next[0])
	return table.Apart(addr) > 1 || ok && toFile == file && toLine == line
}

// inMiddle reports whether a pause is at an instruction that was asked for and at which no statement begins.
func (j *judge) inMiddle(p *dap.Pause) bool {
	if len(p.Hit) == 0 || !strings.HasPrefix(p.Hit[0], "inst ") {
		return false
	}
	addr, _, table, ok := j.code(p.Top().Place)
	if !ok {
		return false
	}
	_, _, begins := table.Beginning(addr)
	return !begins
}

// direct reports whether the code leads from one place to another without coming to where a statement of another line than the first one's
// begins, at which a step would have ended. It is not known of places that the binary does not have.
func (j *judge) direct(from, to string) (leads, known bool) {
	d := j.session.Debuggee
	if d == nil || d.Build == nil {
		return false, false
	}
	return d.Build.Leads(from, to)
}

// passedOver is the last execution of a pause's line, in the activation of the moment where the session was, that was over then; nil if there
// is none, or if the pause surely is at another moment. Compilers give parts of a statement that come late the lines of one before it.
func (j *judge) passedOver(from, to int, p *dap.Pause) *timeline.Step {
	was, is := j.m.Moments[from], j.m.Moments[to]
	x := is.Activation
	if p.Reason != "step" || was.Activation != x || is.Step <= was.Step+1 || j.last.Top().Func != p.Top().Func || j.last.Top().Line == p.Top().Line {
		return nil
	}
	addr, _, table, ok := j.code(p.Top().Place)
	if !ok {
		return nil
	}
	// A step to the moment would have ended before.
	before := func(s timeline.Step) bool {
		return s.Node != nil && !s.Entry && s.First != p.Top().Line && s.First != j.last.Top().Line && table.Begins([]uint64{addr}, p.Top().File, s.First)
	}
	if leads, _ := j.direct(j.last.Top().Place, p.Top().Place); !leads || !slices.ContainsFunc(x.Steps[was.Step+1:is.Step], before) {
		return nil
	}
	return j.m.executed(from, p.Top().Line)
}

// executed is the last execution of a line in the activation of a moment that was over then, in the same iteration of the loops around it; nil if there
// is none.
func (m *Model) executed(at, line int) *timeline.Step {
	x, step := m.Moments[at].Activation, m.Moments[at].Step
	for n := step - 1; n >= 0; n-- {
		s := &x.Steps[n]
		if s.Entry || !s.Covers(line) || s.Node == nil {
			continue
		}
		if slices.ContainsFunc(x.Steps[n+1:step+1], func(loop timeline.Step) bool { return iterates(loop.Node, s.Node) }) {
			return nil
		}
		return s
	}
	return nil
}

// iterates reports whether a statement is a loop around another one.
func iterates(loop, n ast.Node) bool {
	switch loop.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return loop.Pos() <= n.Pos() && n.End() <= loop.End() && loop != n
	}
	return false
}

// backOrNext judges a step that has gone back to a line whose execution is over, or has come to the next one of it: which, the values say, if
// anything does. It reports whether the session is at the next one, as far as that is known.
func (j *judge) backOrNext(i int, a dap.Action, over *timeline.Step, from, to int, p *dap.Pause) bool {
	s, _ := j.seek(p)
	can := j.candidates(s, j.fitting(s, over.Begin))
	if len(can) > 0 && !slices.Contains(can, over.Begin) {
		return true // others tell where
	}
	if a.Kind == dap.Next && len(can) == 1 && !j.m.elsewhere(over.Begin) && !heads(over.Node) && over.IsClear && exact(over) {
		j.check(i, "R4-next", false, dap.DiffLocation, fmt.Sprintf("the execution of %s:%d that is over", p.Top().File, p.Top().Line), "no pause", "a pause")
		j.unclear = afterFound
		return false
	}
	j.unclear = revisited
	j.lose(from)
	for _, n := range can {
		if n = max(n, from); !slices.Contains(j.may, n) {
			j.may = append(j.may, n)
		}
	}
	j.unsure()
	return false
}

// heads reports whether a statement is the head of a block.
func heads(n ast.Node) bool {
	switch n.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}
