package script

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/srcedit"
)

// Texts are the files' texts by their names, as edits read them.
func (s *Script) Texts() map[string][]byte {
	texts := map[string][]byte{}
	for _, f := range s.Files {
		texts[f.Name] = f.Data
	}
	return texts
}

// errGone says that a command names a line that is gone.
var errGone = errors.New("a line that the script names is gone")

// Edit applies edits to the program, without some of its files, and moves the places in
// the commands along. It fails if a command names a line that is gone.
func (s *Script) Edit(e *srcedit.Edits, drop ...string) (*Script, error) {
	changed, lines, err := e.Apply()
	if err != nil {
		return nil, err
	}
	t := s.Clone()
	t.Files = nil
	for _, f := range s.Files {
		if slices.Contains(drop, f.Name) {
			continue
		}
		if text, ok := changed[f.Name]; ok {
			f.Data = text
		}
		t.Files = append(t.Files, f)
	}
	move := func(file string, line int) (string, int, error) {
		file = path.Clean(file)
		if s.File(file) == nil {
			return file, line, nil // not the program's
		}
		to, ok := lines.Forward(srcedit.Line{File: file, Line: line})
		if !ok || slices.Contains(drop, file) {
			return "", 0, fmt.Errorf("%s:%d: %w", file, line, errGone)
		}
		return to.File, to.Line, nil
	}
	for i := range t.Commands {
		c := &t.Commands[i]
		if err := c.move(move); err != nil {
			return nil, err
		}
		if c.Seen == nil {
			continue
		}
		// Where it paused may be gone.
		seen := *c.Seen
		if seen.File, seen.Line, err = move(seen.File, seen.Line); err == nil {
			c.Seen = &seen
		} else {
			c.Seen = nil
		}
	}
	return t, nil
}

// move changes the places that a command names.
func (c *Command) move(to func(file string, line int) (string, int, error)) (err error) {
	if c.Action.Line > 0 {
		if c.Action.File, c.Action.Line, err = to(c.Action.File, c.Action.Line); err != nil {
			return err
		}
	}
	if c.Or != nil && c.Or.move(to) != nil {
		c.Or = nil
	}
	v := lookup(c.Verb)
	for i, arg := range c.Args {
		key, value, param := strings.Cut(arg, "=")
		switch {
		case v.place(i):
			key, value = "", arg
		case v.judges && param:
			key += "="
		default:
			continue
		}
		file, line, err := dap.ParsePlace(value)
		if err != nil || !strings.HasSuffix(file, ".go") {
			continue // a parameter that is none
		}
		if file, line, err = to(file, line); err != nil {
			return err
		}
		c.Args[i] = fmt.Sprintf("%s%s:%d", key, file, line)
	}
	return nil
}

// Places are the lines that commands name, and at which they left the program paused, as
// file:line.
func (s *Script) Places() map[string]bool {
	found := map[string]bool{}
	note := func(file string, line int) (string, int, error) {
		found[fmt.Sprintf("%s:%d", path.Clean(file), line)] = true
		return file, line, nil
	}
	for _, c := range s.Clone().Commands {
		c.move(note)
		if c.Seen != nil {
			note(c.Seen.File, c.Seen.Line)
		}
	}
	return found
}

// Without is the script without some of its commands, by their indexes. Where the command
// that judges names actions by their number, these follow.
func (s *Script) Without(drop map[int]bool) *Script {
	t := *s
	t.Commands = nil
	for i, c := range s.Commands {
		if !drop[i] {
			t.Commands = append(t.Commands, c)
		}
	}
	t.Renumber(func(n int) int {
		left := n
		for i := range drop {
			if i <= n { // action n is command n+1, after debug
				left--
			}
		}
		return left
	})
	return &t
}

// numbered are the parameters of transformations that are numbers of actions.
var numbered = []string{"at", "set"}

// Numbers reports whether the command that judges names actions by their number.
func (s *Script) Numbers() bool {
	c := s.Judge()
	return c != nil && slices.ContainsFunc(c.Args, func(arg string) bool {
		key, _, param := strings.Cut(arg, "=")
		return param && slices.Contains(numbered, key)
	})
}

// Renumber gives the actions other numbers that the command that judges names. The
// commands must be the script's own.
func (s *Script) Renumber(number func(n int) int) {
	if !s.Numbers() {
		return
	}
	s.Commands = slices.Clone(s.Commands)
	c := s.Judge()
	c.Args = slices.Clone(c.Args)
	for i, arg := range c.Args {
		key, value, _ := strings.Cut(arg, "=")
		if n, err := strconv.Atoi(value); err == nil && slices.Contains(numbered, key) {
			c.Args[i] = fmt.Sprintf("%s=%d", key, number(n))
		}
	}
}
