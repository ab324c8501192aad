package reduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/srcedit"
	"misstep/script"
)

// A candidate is a script that may take the place of the one that is reduced, with its
// files by name.
type candidate struct {
	*script.Script
	files map[string][]byte
}

func candidateOf(s *script.Script) *candidate { return &candidate{s, s.Texts()} }

// edit applies edits to the program; see [script.Script.Edit].
func (s *candidate) edit(e *srcedit.Edits, drop ...string) (*candidate, error) {
	t, err := s.Edit(e, drop...)
	if err != nil {
		return nil, err
	}
	return candidateOf(t), nil
}

// actions are the indexes of the commands that may go: all but debug, and but the last,
// which judges.
func (s *candidate) actions() []int {
	var at []int
	for i := 1; i < len(s.Commands)-1; i++ {
		at = append(at, i)
	}
	return at
}

// without is the candidate without some of its commands.
func (s *candidate) without(drop map[int]bool) *candidate {
	return &candidate{s.Without(drop), s.files}
}

// change is the candidate with one of its commands changed.
func (s *candidate) change(i int, how func(*script.Command)) *candidate {
	t := s.Clone()
	how(&t.Commands[i])
	return &candidate{t, s.files}
}

// straight is the script with a breakpoint and a continue in the place of all that led
// to the pause after a command, but for some of its commands.
func (s *candidate) straight(at int, kept []int) *candidate {
	drop := map[int]bool{}
	for i := 1; i <= at; i++ {
		drop[i] = !slices.Contains(kept, i)
	}
	maps.DeleteFunc(drop, func(_ int, gone bool) bool { return !gone })
	t := s.without(drop)
	seen := s.Commands[at].Seen
	t.Commands = slices.Insert(slices.Clone(t.Commands), 1+len(kept),
		script.Command{Verb: string(dap.Break), Action: dap.Action{Kind: dap.Break, File: seen.File, Line: seen.Line}},
		script.Command{Verb: string(dap.Continue), Action: dap.Action{Kind: dap.Continue}, Seen: seen},
	)
	t.Renumber(func(n int) int { return n + 2 })
	return t
}

// key tells candidates apart that would be run differently.
func (s *candidate) key() string {
	t := s.Clone()
	t.Head = script.Head{}
	for i := range t.Commands {
		t.Commands[i].Seen = nil
	}
	return string(t.Format())
}

// fit is an error if a script cannot be reduced.
func fit(s *script.Script) error {
	if len(s.GoFiles()) == 0 {
		return fmt.Errorf("it holds no Go files; expected a script with the program in it")
	}
	if len(s.Commands) < 2 {
		return fmt.Errorf("it demands nothing; expected a script with a command after debug")
	}
	return nil
}

// words are the commands as text.
func (s *candidate) words() string {
	var lines []string
	for i := range s.Commands {
		lines = append(lines, s.Commands[i].String())
	}
	return strings.Join(lines, " ")
}
