package omission

import (
	"bytes"
	"fmt"
)

// A Verdict is what the inversion of one evaluation of a branch showed (predicate
// switching: Zhang, Tallam, Gupta and Gupta, PLDI 2007).
type Verdict struct {
	// Happens says that the operation happened then: after the evaluation in its activation
	// or what that called, or in the whole run, more often than without the inversion.
	Happens bool `json:"happens"`
	// Instead says that the operation is one that was performed, and happens if it is not.
	Instead bool `json:"instead,omitempty"`
	// Still says that it happens in that run nevertheless, elsewhere or as often as before, or, of one that was performed, less often.
	Still bool `json:"still,omitempty"`
	// Expected says that the run was as is wanted: it printed what is expected; or, if
	// nothing is said of that, it succeeded, and had failed before.
	Expected bool `json:"expected"`
	// Printed says that Expected goes by what was printed, and not by the exit code.
	Printed bool `json:"printed,omitempty"`
	// Output says that the program printed or returned something else; Compared that this
	// says something, as it prints the same when it is run twice.
	Output   bool `json:"output"`
	Compared bool `json:"compared"`
	// Crashes says that the program ended by a panic or a signal, or did not end.
	Crashes bool `json:"crashes"`
	// Hangs says that it did not end within some times its own time.
	Hangs bool `json:"hangs,omitempty"`
	// There says that it crashed in the operation.
	There bool `json:"there,omitempty"`
	// ExitCode is what the program returned.
	ExitCode int `json:"exitCode"`
	// Whole says that the condition was inverted which the branch is an operand of.
	Whole bool `json:"whole,omitempty"`
	// Each says that all evaluations of the condition were inverted.
	Each bool `json:"each,omitempty"`
	// Moment is the decision that was inverted.
	Moment Decided `json:"moment"`
}

// String says in words what became of the operation.
func (v *Verdict) String() string {
	what := ""
	if v.Whole {
		what = "with the rest of its condition "
	}
	if v.Each {
		return fmt.Sprintf("%sinverted each time, %s", what, v.became())
	}
	return fmt.Sprintf("%sinverted in call #%d%s, %s", what, v.Moment.Call, v.Moment.evaluation(), v.became())
}

// evaluation says which evaluation of an activation is meant, if it is not the first.
func (m Decided) evaluation() string {
	if m.Evaluation < 2 {
		return ""
	}
	return fmt.Sprintf(", evaluation #%d", m.Evaluation)
}

func (v *Verdict) became() string {
	if v.Instead {
		return v.instead()
	}
	switch {
	case v.Happens && v.Expected:
		return "it happens, and " + v.wanted()
	case v.Expected:
		return "it does not happen there, but " + v.wanted()
	case v.Happens && v.Crashes:
		return "it happens, and " + v.broke()
	case v.Happens && !v.Compared:
		return "it happens"
	case v.Happens && v.Output:
		return "it happens, and the output changes"
	case v.Happens:
		return "it happens, and the output stays"
	case v.There:
		return "it begins, and " + v.broke() + " in it"
	case v.Crashes:
		return v.not() + ": " + v.broke()
	case v.Output:
		return v.not() + ", but the output changes"
	}
	return v.not()
}

// not says in words that the operation does not happen.
func (v *Verdict) not() string {
	switch {
	case !v.Still:
		return "it does not happen"
	case v.Instead:
		return "it happens less often"
	}
	return "it does not happen more often"
}

// wanted says in words that the program did what is wanted.
func (v *Verdict) wanted() string { return wanted(v.Printed) }

// wanted says in words that a program did what is wanted, by what it printed or by its exit code.
func wanted(printed bool) string {
	if printed {
		return "the output is as expected"
	}
	return "the program succeeds"
}

// broke says in words how the program came to no proper end.
func (v *Verdict) broke() string {
	if v.Hangs {
		return "the program does not end"
	}
	return "the program crashes"
}

// instead says in words what became of an operation that was performed.
func (v *Verdict) instead() string {
	text := "it happens all the same"
	switch {
	case v.There:
		return "it begins, and " + v.broke() + " in it"
	case v.Happens:
		text = v.not()
	}
	switch {
	case v.Expected:
		return text + ", and " + v.wanted()
	case v.Crashes:
		return text + ", and " + v.broke()
	case v.Compared && v.Output:
		return text + ", and the output changes"
	case v.Compared:
		return text + ", and the output stays"
	}
	return text
}

// order is where a verdict stands in a ranking, untried where those stand without one: an
// operation that happens and mends nothing, or a program that crashes there or on the way, as
// what it is given is not what it expects, speaks neither for it nor against it.
func (v *Verdict) order() int {
	switch {
	case v.Happens && v.Expected:
		return 0
	case v.Expected:
		return 1
	case v.Happens && v.Output && !v.Crashes:
		return printed
	case v.Happens, v.Crashes:
		return untried
	}
	return untried + 1
}

const (
	printed = 2 // it happens, and shows in what the program prints or returns
	untried = 3
)

// lacks reports whether an operation that was performed is not, as an evaluation was inverted: in the activations that its branches are of,
// after these, or else in the activation of the evaluation, or as often as in the whole run. Of those that it is about, activations have
// the same numbers as before only if there are as many.
func (o *outcome) lacks(op *Operation, at place, base *outcome) bool {
	n := op.node
	known := false
	for _, br := range op.Branches {
		fn := br.fn.id
		if len(o.byFunc[fn]) != len(base.byFunc[fn]) {
			continue
		}
		for _, m := range br.Moments {
			p := place{br.decision.node, m.Call, m.Evaluation}
			if before := base.after(p, n); before > 0 {
				known = true
				if o.after(p, n) < before {
					return true
				}
			}
		}
	}
	return !known && (o.after(at, n) < base.after(at, n) || o.count(n) < base.count(n))
}

// verdict holds a run with an inverted branch against the one without. Outputs are compared
// of programs that print the same twice; the exit code of one that is steady says whether it
// succeeds.
func (v *Verifier) verdict(of attempt, got, base *outcome, judges map[*node]bool, compared, steady bool) *Verdict {
	op, at := of.op, of.at
	n := op.node
	verdict := &Verdict{
		Compared: compared,
		Happens:  got.more(base, at, n),
		Output:   compared && (!bytes.Equal(got.out, base.out) || got.end.ExitCode != base.end.ExitCode),
		Crashes:  got.crashed && !base.crashed, Hangs: got.hung && !base.hung, ExitCode: got.end.ExitCode, Moment: of.moment, Whole: of.whole,
	}
	verdict.There = verdict.Crashes && got.crashedIn(n)
	if op.Instead {
		verdict.Instead = true
		verdict.Happens = got.lacks(op, at, base)
	}
	verdict.Still = verdict.Happens == verdict.Instead && got.count(n) > 0
	if v.Expect != nil {
		verdict.Expected, verdict.Printed = v.Expect.Match(got.out), true
	} else {
		verdict.Expected = got.end.ExitCode == 0 && base.end.ExitCode != 0 && steady && got.asks(judges)
	}
	return verdict
}
