package script

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/oracle/coverage"
)

// A Verb is a kind of command.
type Verb struct {
	Name  string
	Usage string
	Doc   string

	action   dap.Kind // whose command it is, if any
	options  []option // those that are not the action's
	min, max int      // number of words beyond the action's; max < 0 for any
	not      bool     // it may be negated
	judges   bool     // by the rules of an oracle
	or       bool     // another command may judge where it cannot
	places   []int    // which words are places
	do       func(*run, *Command) error
}

// An option of a verb.
type option struct {
	name, value string
	number      bool
	duration    bool // more than nothing
}

func (v *Verb) place(i int) bool { return slices.Contains(v.places, i) }

// but is the option that names rules which are not demanded, with commas between them.
const but = "but"

// debugVerb is the first command of a script.
const debugVerb = "debug"

// verbs is the table of commands. A new one is one entry; a new action has its own without
// one, unless it says more than the action.
var verbs = append([]Verb{
	{
		Name: debugVerb, Usage: "debug [-engine ENGINE] [-mode exec|exec-test|debug|test] [-as TRANSFORMATION[,PARAMETER=VALUE]…[+TRANSFORMATION…]…] [-early MISUSE,…] [-endless TIME] PACKAGE [ARG…]",
		Doc: "Builds the package and launches it; it waits at its start. In mode exec-test it is the package's tests that are built, and in the modes debug and test the debugger builds them. -as starts the session as a transformation does, such as attach,to=process; plus signs join several, and arguments,NAME=VALUE gives arguments of the launch request by their names, with client. before them those of the initialize request. -endless, such as 700ms, is for a program that does not end by itself: where nothing pauses it for that long, it is asked to pause. ! demands that the launch fails.",
		min: 1, max: -1, not: true, do: launch,
		options: []option{{name: "engine"}, {name: "mode"}, {name: "as"}, {name: "early"}, {name: "endless", duration: true}},
	},
	{
		Name: "pause", Usage: "pause [-reason REASON] FILE:LINE [FUNCTION]",
		Doc: "Demands that the program is paused there. ! demands that it is not.",
		min: 1, max: 2, not: true, places: []int{0}, do: pause,
		options: []option{{name: "reason"}},
	},
	{
		Name: "ended", Usage: "ended [EXITCODE]", Doc: "Demands that the program has ended. ! demands that it has not.",
		max: 1, not: true, do: ended,
	},
	{
		Name: "stdout", Usage: "stdout PATTERN", Doc: "Demands that what the program printed matches a regular expression. ! demands that it does not.",
		min: 1, max: 1, not: true, do: printed,
	},
	{
		Name: "stderr", Usage: "stderr PATTERN", Doc: "Demands the same of what it printed on standard error.",
		min: 1, max: 1, not: true, do: printed,
	},
	{
		Name: "var", Usage: "var [-frame N] [-type TYPE] NAME[.CHILD…] [VALUE]",
		Doc: "Demands that a variable is shown, with that value. /VALUE/ is a regular expression. ! demands that it is not shown, or not so.",
		min: 1, max: 2, not: true, do: variable,
		options: []option{{name: "frame", number: true}, {name: "type"}},
	},
	{
		Name: "log", Usage: "log [MESSAGE…]", Doc: "Demands that the last action printed these messages of log points, and no others. ! demands that it did not.",
		max: -1, not: true, do: logged,
	},
	{
		Name: "protocol", Usage: "protocol [-but RULE,…] [RULE [MESSAGE]]",
		Doc: "Demands that the invariants of the protocol held so far, or one of them, or that one for one kind of request or event; with -but, all others.",
		max: 2, judges: true, do: byProtocol,
		options: []option{{name: but}},
	},
	{
		Name: "trace", Usage: "trace [-but RULE,…] [RULE]",
		Doc: "Demands that what must hold within any trace held so far, or one of these rules, or with -but all others.",
		max: 1, judges: true, do: byTrace,
		options: []option{{name: but}},
	},
	{
		Name: "reference", Usage: "reference [-or COMMAND] [-but RULE,…] [RULE]",
		Doc: "Records a run of the program, and demands that all rules held so far, or one of these, or with -but all others, for what was shown. Where no run can be recorded, as with old toolchains, COMMAND judges.",
		max: 1, judges: true, do: byReference, or: true,
		options: []option{{name: but}},
	},
	{
		Name: "granted", Usage: "granted",
		Doc:    "Demands that the debugger did what all commands so far ask for that have no !. Others that judge at the end of a script ask for that leniently.",
		judges: true, do: allGranted,
	},
	{
		Name: "judge", Usage: "judge [-but RULE,…]",
		Doc:    "Demands what protocol, trace, granted and, where a run of the program can be recorded and the session is one that shows all of it, reference demand; with -but, without some rules.",
		judges: true, do: byAll,
		options: []option{{name: but}},
	},
	{
		Name: "agree", Usage: "agree ENGINE… | TOOL…",
		Doc: "Runs the program again with the actions so far under other engines, and demands that all show the same. In a script that begins with cover: demands that these tools say of the profile what it says (" + strings.Join(coverage.Readers(), ", ") + ").",
		min: 1, max: -1, judges: true, do: agree,
	},
	{
		Name: "alike", Usage: "alike ENGINE [transformation=NAME [PARAMETER=VALUE…]]",
		Doc: "Runs the program again with the actions so far, or with these transformed, some times with the script's engine and as often with another one, and demands that each message says the same, but for what one engine says differently each time.",
		min: 1, max: -1, judges: true, do: alike,
	},
	{
		Name: "plain", Usage: "plain",
		Doc:    "Demands that the program printed and returned what it does without a debugger.",
		judges: true, do: plain,
	},
	{
		Name: "relate", Usage: "relate TRANSFORMATION [PARAMETER=VALUE…]",
		Doc: "Runs the program again with the actions so far, transformed, and demands that the transformation's relation holds.",
		min: 1, max: -1, judges: true, do: relate,
	},
}, slices.Concat(coverVerbs, actionVerbs())...)

// beyond is what commands of actions say beyond the action.
var beyond = map[dap.Kind]Verb{
	dap.Stack:     {Usage: "FUNCTION[:LINE]…", max: -1, do: stack},
	dap.Evaluate:  {Usage: "[VALUE]", max: 1, do: answered, options: []option{{name: "type", value: "TYPE"}}},
	dap.Memory:    {Usage: "[BYTES]", max: 1, do: answered},
	dap.Exception: {Usage: "[TEXT]", max: 1, do: answered, options: []option{{name: "type", value: "KIND"}}},
	dap.Misuse:    {do: misuse},
}

// actionVerbs are the commands of all actions.
func actionVerbs() []Verb {
	var list []Verb
	for _, m := range dap.Meanings() {
		v := beyond[m.Kind]
		words := []string{string(m.Kind)}
		option := func(name, value string) {
			if value != "" {
				value = " " + value
			}
			words = append(words, "[-"+name+value+"]")
		}
		for _, f := range m.Fields {
			if f.Option != "" {
				option(f.Option, f.Usage)
			}
		}
		for _, o := range v.options {
			option(o.name, o.value)
		}
		for _, f := range m.Fields {
			if f.Option == "" {
				words = append(words, f.Usage)
			}
		}
		if v.Usage != "" {
			words = append(words, v.Usage)
		}
		v.Name, v.Doc, v.Usage = string(m.Kind), m.Doc, strings.Join(words, " ")
		v.action, v.not = m.Kind, m.Effect != dap.Ends
		if v.do == nil {
			v.do = act
		}
		list = append(list, v)
	}
	return list
}

// Verbs lists the commands of scripts.
func Verbs() []Verb { return verbs }

// lookup finds a verb by its name; the zero Verb if there is none.
func lookup(name string) Verb {
	if i := slices.IndexFunc(verbs, func(v Verb) bool { return v.Name == name }); i >= 0 {
		return verbs[i]
	}
	return Verb{}
}
