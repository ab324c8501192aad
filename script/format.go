package script

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/dap"
)

// Format is the script as a file. What [Parse] reads of it is the script again.
func (s *Script) Format() []byte {
	var b strings.Builder
	line := func(text string) { b.WriteString(strings.TrimRight(text, " ") + "\n") }
	h := s.Head
	if h.Class != "" {
		line("# class: " + h.Class)
	}
	if h.Engine != "" {
		line("# engine: " + h.Engine)
	}
	if h.Program != "" {
		line(fmt.Sprintf("# program: %s, seed %d", h.Program, h.Seed))
	}
	for _, text := range h.Reason {
		line("# " + text)
	}
	for i, text := range h.Evidence {
		if i == 0 {
			text = "evidence: " + text
		}
		line("# " + text)
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		for _, text := range c.Above {
			line(text)
		}
		line(c.String())
		if c.Seen != nil {
			line(c.Seen.String())
		}
	}
	for _, text := range s.Below {
		line(text)
	}
	ar := &txtar.Archive{Comment: []byte(b.String())}
	for _, f := range s.Files {
		name := f.Name
		if len(f.Data) > 0 && !bytes.HasSuffix(f.Data, []byte("\n")) {
			name += unended
		}
		ar.Files = append(ar.Files, txtar.File{Name: name, Data: f.Data})
	}
	return txtar.Format(ar)
}

// unended is what stands after the name of a file whose last line has no newline: an archive gives it one.
const unended = " (no newline at its end)"

// String is the command as a line.
func (c *Command) String() string {
	words := []string{c.Verb}
	if c.Not {
		words = []string{"!", c.Verb}
	}
	option := func(name, value string, bare bool) {
		words = append(words, "-"+name)
		if !bare {
			words = append(words, dap.Quote(value))
		}
	}
	var args []string
	for _, f := range c.Action.Kind.Meaning().Fields {
		switch text := f.Get(&c.Action); {
		case f.Option == "":
			args = append(args, text)
		case text != "":
			option(f.Option, text, f.Usage == "")
		}
	}
	for _, o := range c.Options {
		option(o.Name, o.Value, false)
	}
	if c.Or != nil {
		option(orOption, c.Or.String(), false)
	}
	args = append(args, c.Args...)
	// A word that looks like an option is one unless the options are closed.
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		words = append(words, "--")
	}
	for _, a := range args {
		words = append(words, dap.Quote(a))
	}
	return strings.Join(words, " ")
}

// String is what was seen as a line.
func (s *Seen) String() string {
	words := []string{seenVerb}
	if s.Reason != "" {
		words = append(words, "-reason", dap.Quote(s.Reason))
	}
	words = append(words, dap.Quote(s.place()))
	if s.Func != "" {
		words = append(words, dap.Quote(s.Func))
	}
	return strings.Join(words, " ")
}

func (s *Seen) place() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// seenVerb is the word of lines that say what was seen.
const seenVerb = "seen"
