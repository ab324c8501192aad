package finding

import (
	"fmt"
	"slices"
	"strings"

	"misstep/internal/source"
)

// A Rule is something that must hold, and that a finding says does not.
type Rule struct {
	ID     string
	Oracle string // who judges by it
	// Sentence says what must hold.
	Sentence string
	// Source is the specification or the paper that says so, with the section.
	Source string
	// Help says more: what is tolerated and why, and what a finding of it looks like.
	Help string
	// Whole says that whatever message shows that it is broken, the cause is one: it is
	// about the stream of messages, not about one of them.
	Whole bool
	// Once says that one session is enough: nothing that depends on time or chance shows it of a correct debugger. A finding
	// of any other rule has to come again.
	Once bool
}

// Counted is the name under which a [Tally] counts the checks of a rule. Those of relations, and of debuggers
// side by side, have their own names.
func (r Rule) Counted() string {
	if r.Oracle == "metamorphic" || r.ID == r.Oracle {
		return r.ID
	}
	return r.Oracle + "/" + r.ID
}

// A Registry is the rules of all oracles.
type Registry []Rule

// Lookup finds a rule by its ID; ok is false if there is none.
func (r Registry) Lookup(id string) (rule Rule, ok bool) {
	i := slices.IndexFunc(r, func(x Rule) bool { return x.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return r[i], true
}

// Near are the IDs that have a text in them, in the order of the registry.
func (r Registry) Near(text string) []string {
	var ids []string
	for _, x := range r {
		if strings.Contains(x.ID, text) || strings.Contains(text, x.ID) {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

// MostReason bounds a finding's reason, in characters: what is longer helps nobody who reads
// it, and is kept beside it.
const MostReason = 1200

// mostText bounds what each side of a difference says, in characters.
const mostText = 400

// Says is the sentence that a finding's difference comes to: who expected what, and who
// shows what instead.
func (f *Finding) Says() string {
	short := func(s Said) string { return Said{source.Shorten(s.Text, mostText), s.By}.String() }
	after := f.after()
	if f.Kind == "" && f.What != "" {
		after = strings.TrimSpace(f.Place.String()+" "+source.Shorten(f.What, mostText)) + ": "
	}
	switch {
	case f.Kind == "" && f.Expected.Text == "":
		return after + short(f.Got)
	case f.Kind == "":
		return fmt.Sprintf("%sexpected %s, got %s", after, short(f.Expected), short(f.Got))
	}
	return fmt.Sprintf("%s%s: %s: expected %s, got %s", after, f.Kind, source.Shorten(f.What, mostText), short(f.Expected), short(f.Got))
}

// after says after which action of a session it shows, and where that was done.
func (f *Finding) after() string {
	s := f.Session()
	if s.Index < 0 || s.Index >= len(s.Base) || s.Base[s.Index].Action.Kind == "" {
		return ""
	}
	at := ""
	if p := s.before(); p != nil {
		at = fmt.Sprintf(" at %s:%d", p.Top().File, p.Top().Line)
	}
	return fmt.Sprintf("after %s%s, ", s.Base[s.Index].Action, at)
}

// Explain makes the reason of a finding: the rule's sentence, and what there is instead.
func (f *Finding) Explain(sentence string) {
	whole := strings.TrimSpace(sentence + " But " + f.Says() + ".")
	f.Reason = source.Shorten(whole, MostReason)
	full := fmt.Sprintf("%s\n\nexpected: %s\ngot: %s\n", sentence, f.Expected, f.Got)
	if f.Reason != strings.Join(strings.Fields(whole), " ") || len(f.Expected.Text) > mostText || len(f.Got.Text) > mostText {
		f.Full = full
	}
}
