package script

import (
	"slices"
	"strings"
	"time"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/profiler"
)

// A Script is a debugging session with its program.
type Script struct {
	Head     Head
	Commands []Command
	// Below are comments after the last command.
	Below []string
	Files []File
}

// A Head says of a finding what a reader wants to know first. All of it may be empty.
type Head struct {
	Class   string
	Engine  string
	Program string
	Seed    uint64
	// Reason and Evidence are lines of text.
	Reason   []string
	Evidence []string
}

// WithoutRefused is the script without the commands that the debugger is not to grant.
func (s *Script) WithoutRefused() *Script {
	t := *s
	t.Commands = slices.DeleteFunc(slices.Clone(s.Commands), func(c Command) bool { return c.Not })
	return &t
}

// A File is a file of the program, by its name relative to the program's folder.
type File = gobuild.File

// A Command is one line of a script.
type Command struct {
	Verb string
	// Not says that the opposite is demanded.
	Not bool
	// Action is what an action's command does.
	Action dap.Action
	// Options are those of the command that are not the action's, in order.
	Options []Option
	// Args are the words that are not the action's.
	Args []string
	// Or judges where the program cannot be recorded; nil if nothing does.
	Or *Command
	// Seen is what the debugger showed when the script was made; nil if that is not told.
	Seen *Seen
	// Above are the comments and blank lines before the command.
	Above []string
	// Line is that of the file, and 0 of a command that was not read from one.
	Line int
}

// An Option is an option of a command with its value.
type Option struct{ Name, Value string }

// Seen is a pause that a command led to.
type Seen struct {
	File   string
	Line   int
	Func   string
	Reason string
}

// Option is the value of an option; empty if it is not given.
func (c *Command) Option(name string) string {
	for _, o := range c.Options {
		if o.Name == name {
			return o.Value
		}
	}
	return ""
}

// SetOption gives an option a value; an empty one removes it.
func (c *Command) SetOption(name, value string) {
	options := slices.DeleteFunc(slices.Clone(c.Options), func(o Option) bool { return o.Name == name })
	if value != "" {
		options = append(options, Option{name, value})
	}
	c.Options = options
}

// Acts reports whether the command is an action.
func (c *Command) Acts() bool { return c.Action.Kind != "" }

// Judges reports whether the command judges by the rules of an oracle.
func (c *Command) Judges() bool { return lookup(c.Verb).judges }

// Judge is the last command, if that judges by the rules of an oracle; else nil.
func (s *Script) Judge() *Command {
	if n := len(s.Commands); n > 0 && s.Commands[n-1].Judges() {
		return &s.Commands[n-1]
	}
	return nil
}

// Engine is the engine that the script names.
func (s *Script) Engine() string {
	if len(s.Commands) > 0 {
		if e := s.Commands[0].Option("engine"); e != "" {
			return e
		}
		if s.Covers() {
			// The toolchain is all that a debugger's engine and a profiler have in common.
			if p, err := profiler.Parse(s.Commands[0].Option("with")); err == nil && p.Go != "" {
				return DefaultEngine + ",go=" + p.Go
			}
		}
	}
	return DefaultEngine
}

// DefaultEngine is the engine of scripts that name none.
const DefaultEngine = "dlv"

// endless is after how long the script's program is asked to pause where nothing pauses it; 0 for one that ends by itself.
func (c *Command) endless() time.Duration {
	d, _ := time.ParseDuration(c.Option("endless"))
	return d
}

// Early are the misuses that come before the launch.
func (s *Script) Early() []string {
	if len(s.Commands) == 0 || s.Commands[0].Option("early") == "" {
		return nil
	}
	return strings.Split(s.Commands[0].Option("early"), ",")
}

// File is the text of a file; nil if there is none of that name.
func (s *Script) File(name string) []byte {
	if i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == name }); i >= 0 {
		return s.Files[i].Data
	}
	return nil
}

// GoFiles are the names of the program's Go files, in order.
func (s *Script) GoFiles() []string {
	var names []string
	for _, f := range s.Files {
		if strings.HasSuffix(f.Name, ".go") {
			names = append(names, f.Name)
		}
	}
	return names
}

// Lines counts the lines of the program's Go files that are not blank.
func (s *Script) Lines() int {
	n := 0
	for _, f := range s.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
	}
	return n
}

// Explain puts another reason and other evidence into the head.
func (s *Script) Explain(reason, evidence string) {
	s.Head.Reason, s.Head.Evidence = Wrap(reason), Wrap(evidence)
}

// Wrap is a text in lines that fit into a script's head.
func Wrap(text string) []string {
	const width = 90
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Clone is a copy whose commands and list of files may be changed. Comments and words are
// shared, and are not to be changed in place.
func (s *Script) Clone() *Script {
	t := *s
	t.Commands = slices.Clone(s.Commands)
	for i := range t.Commands {
		t.Commands[i].Args = slices.Clone(t.Commands[i].Args)
		if or := t.Commands[i].Or; or != nil {
			c := *or
			c.Args = slices.Clone(c.Args)
			t.Commands[i].Or = &c
		}
	}
	t.Files = slices.Clone(s.Files)
	return &t
}

// Bare is a script that has the commands of another and its files, without what is only
// for readers.
func (s *Script) Bare() *Script {
	t := s.Clone()
	t.Below = nil
	for i := range t.Commands {
		t.Commands[i].Above = nil
		t.Commands[i].Or = nil // which follows from what is seen
	}
	return t
}

// pinned names the engine that scripts mean by [DefaultEngine].
const pinned = DefaultEngine + "@" + gobuild.PinnedDelve
