package dap

// Lacks is the capability that the adapter lacks to carry an action out as it is
// meant; empty if it has all. Adapters that show no variables cannot be asked for
// expressions either.
func (s *Session) Lacks(a Action) string {
	c := s.caps
	expressions := a.Condition != "" || a.Log != ""
	for _, need := range []struct {
		name        string
		needed, has bool
	}{
		{"supportsFunctionBreakpoints", a.Kind == FuncBreak || a.Kind == FuncUnset, c.SupportsFunctionBreakpoints},
		{"supportsInstructionBreakpoints", a.Kind == InstBreak || a.Kind == InstUnset, c.SupportsInstructionBreakpoints && s.target.Symbols != nil},
		{"supportsConditionalBreakpoints", a.Condition != "", c.SupportsConditionalBreakpoints},
		{"supportsHitConditionalBreakpoints", a.Hit != "", c.SupportsHitConditionalBreakpoints},
		{"supportsLogPoints", a.Log != "", c.SupportsLogPoints},
		{"supportsSteppingGranularity", a.Instruction, c.SupportsSteppingGranularity},
		{"supportsRestartRequest", a.Kind == Restart, c.SupportsRestartRequest},
		{"supportsSetVariable", a.Kind == SetVar, c.SupportsSetVariable},
		{"supportsDisassembleRequest", a.Kind == Disas, c.SupportsDisassembleRequest},
		{"variables", expressions || a.Kind == Evaluate || a.Kind == SetVar || a.Kind == Vars, !s.adapter.NoVariables},
	} {
		if need.needed && !need.has {
			return need.name
		}
	}
	return ""
}
