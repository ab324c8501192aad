package action

import (
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/transform"
)

// An argument is one of the launch or the initialize request, with values that clients may give. None has a comma or a plus sign.
type argument struct {
	name   string
	values []string
}

// argued is what is given by itself: numbers around those where what is loaded changes (https://github.com/go-delve/delve, service/dap/types.go),
// and what a client may say of itself (DAP, InitializeRequestArguments).
var argued = []argument{
	{"maxStringLen", []string{"1", "2", "7", "63", "64", "65", "511", "513", "5000"}},
	{"maxArrayValues", []string{"1", "2", "3", "10", "63", "65", "100", "1500"}},
	{"stackTraceDepth", []string{"1", "2", "3", "49", "200"}},
	{"showRegisters", []string{"true"}},
	{"showGlobalVariables", []string{"true"}},
	{"showRawStrings", []string{"true"}},
	{"hideSystemGoroutines", []string{"true"}},
	{"goroutineFilters", []string{"-with user", "-without user", "-with running", "-with curloc main.", "-without userloc main.go", "-with goloc main.main", "-with startloc main", "-with label a=b", "-with waiting", "-group go", "-nonsense"}},
	{"showPprofLabels", []string{`["*"]`, `["a"]`, `[""]`}},
	{"followExec", []string{"true"}},
	{"client.clientName", []string{"Another Client", ""}},
	{"client.locale", []string{"de-DE", "C"}},
	{"client.supportsVariableType", []string{"false"}},
	{"client.supportsVariablePaging", []string{"false"}},
	{"client.supportsMemoryReferences", []string{"false"}},
	{"client.supportsProgressReporting", []string{"true"}},
	{"client.supportsInvalidatedEvent", []string{"false"}},
	{"client.supportsMemoryEvent", []string{"false"}},
	{"client.supportsRunInTerminalRequest", []string{"true"}},
	{"client.supportsStartDebuggingRequest", []string{"true"}},
	{"client.supportsArgsCanBeInterpretedByShell", []string{"true"}},
}

// mixed and mixedArguments are how many settings and how many arguments are taken at once, at most.
const mixed, mixedArguments = 5, 10

// Mix chooses settings that a session of a program is started with at once, as [Start] reads them, of those that are wanted: of
// several that give the same argument, one. It may be none. Where all are wanted, arguments are given by themselves, too.
func Mix(r *rand.Rand, src *source.Source, wanted func(name string) bool) string {
	var parts []string
	var so dap.Target
	choice := &transform.Choice{R: r, Source: src}
	for _, i := range r.Perm(len(settings))[:r.IntN(mixed+1)] {
		s := settings[i]
		if s.alone || !wanted(s.name) || s.fits != nil && !s.fits(choice) {
			continue
		}
		p := transform.Params{}
		if len(s.forms) > 0 {
			p["form"] = transform.Pick(r, s.forms).name
		}
		var by dap.Target
		s.start(&by, p)
		if meet(so.Settings, by.Settings) || meet(so.Client, by.Client) {
			continue
		}
		so.Settings, so.Client = with(so.Settings, by.Settings), with(so.Client, by.Client)
		parts = append(parts, strings.Join(append([]string{s.name}, p.Words()...), ","))
	}
	if slices.ContainsFunc(settings, func(s setting) bool { return !s.alone && !wanted(s.name) }) {
		return dap.JoinStarts(parts)
	}
	args := transform.Params{}
	for _, i := range r.Perm(len(argued))[:r.IntN(mixedArguments+1)] {
		a := argued[i]
		_, launched := so.Settings[a.name]
		_, said := so.Client[strings.TrimPrefix(a.name, client)]
		if !launched && !said && (a.name != dap.FollowExec || othersOnly(choice)) {
			args[a.name] = transform.Pick(r, a.values)
		}
	}
	if len(args) > 0 {
		parts = append(parts, strings.Join(append([]string{given}, args.Words()...), ","))
	}
	return dap.JoinStarts(parts)
}

// meet reports whether two have an argument in common.
func meet(a, b map[string]any) bool {
	for name := range a {
		if _, ok := b[name]; ok {
			return true
		}
	}
	return false
}
