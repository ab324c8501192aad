package reference

import "misstep/dap"

// apart reports whether a pause is at a jump to a statement's code to which other ways lead as well: past the jump, or by way of another
// place on which statements of the line begin. A debugger that sets its breakpoint at the jump alone passes by the executions that come
// another way.
func (j *judge) apart(p *dap.Pause) bool {
	d := j.session.Debuggee
	if d == nil || d.Build == nil || d.Build.Symbols == nil || p.Top().Place == "" {
		return false
	}
	addr, err := d.Build.Symbols.AddressOf(p.Top().Place)
	code, err2 := d.Build.Code()
	table, err3 := d.Build.Lines()
	if err != nil || err2 != nil || err3 != nil {
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
