package script

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/dap"
)

// Parse reads a script. Errors name the file and the line, and what was expected.
func Parse(text []byte, file string) (*Script, error) {
	// An archive ends lines as Go does.
	ar := txtar.Parse(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	s := &Script{}
	for _, f := range ar.Files {
		name, is := strings.CutSuffix(f.Name, unended)
		if is {
			f.Data = bytes.TrimSuffix(f.Data, []byte("\n"))
		}
		s.Files = append(s.Files, File{Name: name, Data: f.Data})
	}
	var above []string
	lines := strings.Split(strings.TrimSuffix(string(ar.Comment), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		number, line := i+1, strings.TrimSpace(lines[i])
		if line == "" || strings.HasPrefix(line, "#") {
			if len(s.Commands) > 0 || !s.Head.read(line) {
				above = append(above, line)
			}
			continue
		}
		first := i
		for open := quoted(lines[i], false); open && i+1 < len(lines); open = quoted(lines[i], true) {
			i++ // what is quoted may have several lines
		}
		words, err := split(strings.Join(lines[first:i+1], "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		if len(words) == 0 {
			continue // a comment after nothing
		}
		if words[0] == seenVerb {
			if len(s.Commands) == 0 || len(above) > 0 {
				return nil, fmt.Errorf("%s:%d: %s: expected a command in the line above", file, number, seenVerb)
			}
			if s.Commands[len(s.Commands)-1].Seen, err = parseSeen(words[1:]); err != nil {
				return nil, fmt.Errorf("%s:%d: %s: %w", file, number, seenVerb, err)
			}
			continue
		}
		c, err := parseCommand(words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		if v := lookup(c.Verb); len(s.Commands) == 0 != v.first() {
			return nil, fmt.Errorf("%s:%d: %s: expected %s or %s first, and once", file, number, c.Verb, debugVerb, coverVerb)
		}
		c.Above, c.Line = above, number
		above = nil
		s.Commands = append(s.Commands, *c)
	}
	s.Below = above
	if len(s.Commands) == 0 {
		return nil, fmt.Errorf("%s: it has no %s or %s command; expected a script, such as a finding of a hunt", file, debugVerb, coverVerb)
	}
	return s, nil
}

// ParseCommand reads one line of a script.
func ParseCommand(line string) (*Command, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("expected a command")
	}
	return parseCommand(words)
}

// read takes a comment at the beginning of a script for the head. It reports whether it
// is part of that.
func (h *Head) read(line string) bool {
	text, ok := strings.CutPrefix(line, "#")
	if !ok {
		return false
	}
	text = strings.TrimSpace(text)
	key, value, _ := strings.Cut(text, ": ")
	switch {
	case len(h.Evidence) > 0:
		h.Evidence = append(h.Evidence, text)
	case len(h.Reason) == 0 && key == "class":
		h.Class = value
	case len(h.Reason) == 0 && key == "engine":
		h.Engine = value
	case len(h.Reason) == 0 && key == "program":
		name, seed, _ := strings.Cut(value, ", seed ")
		h.Program = name
		h.Seed, _ = strconv.ParseUint(seed, 10, 64)
	case key == "evidence":
		h.Evidence = append(h.Evidence, value)
	default:
		h.Reason = append(h.Reason, text)
	}
	return true
}

// quoted reports whether a quote is open at the end of a line, at whose beginning one was or not.
func quoted(line string, open bool) bool {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\'' && open && i+1 < len(line) && line[i+1] == '\'':
			i++
		case line[i] == '\'':
			open = !open
		case line[i] == '#' && !open:
			return false
		}
	}
	return open
}

// split cuts a line into words: quotes keep blanks and line breaks, and are doubled to stand for
// themselves, and # begins a comment.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inside, quoted := false, false
	end := func() {
		if inside {
			words = append(words, word.String())
		}
		word.Reset()
		inside = false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte(c)
			i++
		case c == '\'':
			quoted, inside = !quoted, true
		case quoted:
			word.WriteByte(c)
		case c == ' ' || c == '\t':
			end()
		case c == '#':
			end()
			return words, nil
		default:
			word.WriteByte(c)
			inside = true
		}
	}
	if quoted {
		return nil, errors.New("a quote is not closed")
	}
	end()
	return words, nil
}

// parseCommand reads the words of a line.
func parseCommand(words []string) (*Command, error) {
	c := &Command{}
	if words[0] == "!" {
		c.Not = true
		if words = words[1:]; len(words) == 0 {
			return nil, errors.New("! stands alone; expected a command after it")
		}
	}
	c.Verb = words[0]
	v := lookup(c.Verb)
	if v.Name == "" {
		return nil, fmt.Errorf("unknown command %q; misstep commands lists them", c.Verb)
	}
	bad := func(err any) (*Command, error) { return nil, fmt.Errorf("%s: %v; usage: %s", v.Name, err, v.Usage) }
	if c.Not && !v.not {
		return bad("! has no meaning here")
	}
	set := flag.NewFlagSet(v.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	fields := v.action.Meaning().Fields
	if v.action != "" {
		c.Action.Kind = v.action
	}
	var wanted []dap.Field
	for _, f := range fields {
		switch {
		case f.Option == "":
			wanted = append(wanted, f)
		case f.Usage == "":
			set.BoolFunc(f.Option, "", func(text string) error { return f.Set(&c.Action, text) })
		default:
			set.Func(f.Option, "", func(text string) error { return f.Set(&c.Action, text) })
		}
	}
	for _, o := range v.options {
		set.Func(o.name, "", func(text string) error {
			if o.number {
				if n, err := strconv.Atoi(text); err != nil || n < 0 {
					return fmt.Errorf("expected a number from 0 on, not %q", text)
				}
			}
			if o.duration {
				if d, err := time.ParseDuration(text); err != nil || d <= 0 {
					return fmt.Errorf("expected a time such as 700ms, not %q", text)
				}
			}
			c.Options = append(c.Options, Option{o.name, text})
			return nil
		})
	}
	if v.or {
		set.Func(orOption, "", func(text string) (err error) {
			c.Or, err = parseWitness(text)
			return err
		})
	}
	if err := set.Parse(words[1:]); err != nil {
		return bad(err)
	}
	args := set.Args()
	if n := len(args) - len(wanted); n < v.min || v.max >= 0 && n > v.max {
		return bad(fmt.Sprintf("%d words", len(args)))
	}
	for i, f := range wanted {
		if err := f.Set(&c.Action, args[i]); err != nil {
			return bad(err)
		}
	}
	c.Args = args[len(wanted):]
	for i, a := range c.Args {
		if v.place(i) {
			if _, _, err := dap.ParsePlace(a); err != nil {
				return bad(err)
			}
		}
	}
	return c, nil
}

func parseSeen(words []string) (*Seen, error) {
	seen := &Seen{}
	if len(words) > 1 && words[0] == "-reason" {
		seen.Reason, words = words[1], words[2:]
	}
	if len(words) == 0 || len(words) > 2 {
		return nil, errors.New("usage: seen [-reason REASON] FILE:LINE [FUNCTION]")
	}
	if len(words) == 2 {
		seen.Func = words[1]
	}
	var err error
	seen.File, seen.Line, err = dap.ParsePlace(words[0])
	return seen, err
}
