package dap

import (
	"reflect"
	"slices"
	"strings"
)

// Lacks is the capability that the adapter lacks to carry an action out as it is
// meant; empty if it has all. Adapters that show no variables cannot be asked for
// expressions either.
func (s *Session) Lacks(a Action) string {
	needs := []string{a.Kind.Meaning().Capability}
	if a.Kind == Request {
		needs = append(needs, questions[a.Name])
	}
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
	has := map[string]bool{}
	caps := reflect.ValueOf(s.caps)
	for i := range caps.NumField() {
		if f := caps.Field(i); f.Kind() == reflect.Bool {
			name, _, _ := strings.Cut(caps.Type().Field(i).Tag.Get("json"), ",")
			has[name] = f.Bool()
		}
	}
	for _, name := range s.adapter.Unannounced {
		has[name] = true
	}
	if s.target.Symbols == nil {
		has["supportsInstructionBreakpoints"] = false // their addresses would not be known
	}
	has[exceptionFilters] = len(s.caps.ExceptionBreakpointFilters) > 0
	has[Variables] = !s.adapter.NoVariables
	return has
}
