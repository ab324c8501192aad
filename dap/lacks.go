package dap

import "slices"

// Lacks is the capability that the adapter lacks to carry an action out as it is
// meant; empty if it has all. Adapters that show no variables cannot be asked for
// expressions either.
func (s *Session) Lacks(a Action) string {
	needs := []string{a.Kind.Meaning().Capability}
	for _, f := range a.Kind.Meaning().Fields {
		if f.needs != nil && f.get(&a) != "" {
			needs = append(needs, f.needs...)
		}
	}
	has := s.offers()
	if i := slices.IndexFunc(needs, func(need string) bool { return need != "" && !has[need] }); i >= 0 {
		return needs[i]
	}
	return ""
}

// offers are the capabilities that the session's adapter has, by their names in DAP.
func (s *Session) offers() map[string]bool {
	c := s.caps
	return map[string]bool{
		"supportsFunctionBreakpoints":       c.SupportsFunctionBreakpoints,
		"supportsInstructionBreakpoints":    c.SupportsInstructionBreakpoints && s.target.Symbols != nil,
		"supportsConditionalBreakpoints":    c.SupportsConditionalBreakpoints,
		"supportsHitConditionalBreakpoints": c.SupportsHitConditionalBreakpoints,
		"supportsLogPoints":                 c.SupportsLogPoints,
		"supportsSteppingGranularity":       c.SupportsSteppingGranularity,
		"supportsRestartRequest":            c.SupportsRestartRequest,
		"supportsSetVariable":               c.SupportsSetVariable,
		"supportsDisassembleRequest":        c.SupportsDisassembleRequest,
		Variables:                           !s.adapter.NoVariables,
	}
}
