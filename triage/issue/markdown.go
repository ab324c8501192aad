package issue

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"misstep/internal/source"
	"misstep/script"
)

// mostTitle bounds a title, in characters.
const mostTitle = 100

// title is the difference in a line.
func (t *text) title() string {
	text := t.finding.Says()
	if t.demand() != "" {
		text = fmt.Sprintf("expected %s, got %s", t.expected(), t.got())
	}
	return source.Shorten(strings.Join(strings.Fields(text), " "), mostTitle)
}

// A section is a heading and what stands below it.
type section struct {
	heading string
	write   func(t *text, b *bytes.Buffer)
}

// forms are the sections of the projects' issue templates.
var forms = map[string][]section{
	Delve: {
		{"1. What version of Delve are you using (`dlv version`)?", (*text).version},
		{"2. What version of Go are you using? (`go version`)?", (*text).toolchain},
		{"3. What operating system and processor architecture are you using?", (*text).system},
		{"4. What did you do?", (*text).did},
		{"5. What did you expect to see?", (*text).wants},
		{"6. What did you see instead?", (*text).saw},
	},
	Go: {
		{"### Go version", (*text).toolchain},
		{"### What debugger are you using (`dlv version`)?", (*text).version},
		{"### What operating system and processor architecture are you using?", (*text).system},
		{"### What did you do?", (*text).did},
		{"### What did you see happen?", (*text).saw},
		{"### What did you expect to see?", (*text).wants},
	},
}

// write writes the text in the form of a project.
func (t *text) write(b *bytes.Buffer, project string) {
	fmt.Fprintf(b, "# %s\n\n", t.title())
	for _, s := range forms[project] {
		fmt.Fprintf(b, "%s\n\n", s.heading)
		s.write(t, b)
	}
	t.more(b)
}

func (t *text) version(b *bytes.Buffer) {
	said := t.Debugger
	if said == "" {
		said = "none"
	}
	block(b, "", said)
}

func (t *text) toolchain(b *bytes.Buffer) {
	block(b, "", fmt.Sprintf("go version %s %s/%s", t.goes["GOVERSION"], t.goes["GOOS"], t.goes["GOARCH"]))
}

func (t *text) system(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s/%s\n\n", t.goes["GOOS"], t.goes["GOARCH"])
}

// wants says what was expected, and by which rule.
func (t *text) wants(b *bytes.Buffer) {
	if rule := t.rule(); rule != "" {
		fmt.Fprintf(b, "%s\n\n", rule)
	}
	block(b, "", t.expected())
}

// rule is what must hold.
func (t *text) rule() string {
	sentence, _, ok := strings.Cut(t.finding.Reason, " But ")
	if !ok {
		return ""
	}
	return sentence
}

// did says what was done: the program, the commands of the terminal, and the requests of DAP.
func (t *text) did(b *bytes.Buffer) {
	for _, f := range t.script.Files {
		fmt.Fprintf(b, "`%s`:\n\n", f.Name)
		block(b, strings.TrimPrefix(path.Ext(f.Name), "."), string(f.Data))
	}
	if t.script.Covers() {
		fmt.Fprintf(b, "Its coverage is taken as these lines say, the last of which fails:\n\n")
		block(b, "", commandsOf(t.script))
		return
	}
	if t.Terminal != nil && t.Terminal.Alone == "" {
		fmt.Fprintf(b, "In the terminal:\n\n")
		var lines strings.Builder
		fmt.Fprintf(&lines, "$ %s\n", t.Terminal.Launch)
		for _, c := range t.Terminal.Commands {
			fmt.Fprintf(&lines, "(dlv) %s\n", c)
		}
		block(b, "", lines.String())
	} else if t.Terminal != nil {
		fmt.Fprintf(b, "This shows over the Debug Adapter Protocol alone: %s.\n\n", t.Terminal.Alone)
	}
	fmt.Fprintf(b, "Over the Debug Adapter Protocol:\n\n")
	var lines strings.Builder
	for i := range t.script.Commands {
		c := &t.script.Commands[i]
		switch {
		case i == 0:
			fmt.Fprintf(&lines, "%-34s launch\n", c.String())
		case c.Acts():
			fmt.Fprintf(&lines, "%-34s %s\n", c.String(), strings.Join(c.Action.Requests(), ", "))
		}
	}
	block(b, "", lines.String())
}

// saw says what was seen: what the debugger showed, and what the terminal printed.
func (t *text) saw(b *bytes.Buffer) {
	block(b, "", t.got())
	if t.Terminal == nil || t.Terminal.Alone != "" {
		return
	}
	fmt.Fprintf(b, "The terminal prints:\n\n")
	var lines strings.Builder
	for i, c := range t.Terminal.Commands {
		fmt.Fprintf(&lines, "(dlv) %s\n%s", c, t.Terminal.Outputs[i])
	}
	block(b, "", lines.String())
}

// more is what helps whoever looks for the cause.
func (t *text) more(b *bytes.Buffer) {
	if t.Since != "" {
		fmt.Fprintf(b, "Versions: %s.\n\n", strings.ReplaceAll(t.Since, "\n", "; "))
	}
	if t.finding.Evidence != nil {
		fmt.Fprintf(b, "Where to look: %s.\n\n", t.finding.Evidence)
	}
	if len(t.Functions) > 0 {
		fmt.Fprintf(b, "Functions of the debugger, by what sessions that show it execute and others do not:\n\n")
		for i, f := range t.Functions {
			fmt.Fprintf(b, "%d. `%s` (%s:%d)\n", i+1, f.Name, f.File, f.Line)
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "<details><summary>All of it as one file, for `misstep replay FILE`</summary>\n\n")
	block(b, "", string(t.script.Format()))
	fmt.Fprintf(b, "</details>\n")
}

// commandsOf are the lines of a script without its program.
func commandsOf(s *script.Script) string {
	var b strings.Builder
	for i := range s.Commands {
		fmt.Fprintln(&b, s.Commands[i].String())
	}
	return b.String()
}

var fences = regexp.MustCompile("(?m)^ {0,3}(`{3,})")

// block writes a text between fences that are longer than any in it.
func block(b *bytes.Buffer, language, text string) {
	fence := "```"
	for _, m := range fences.FindAllStringSubmatch(text, -1) {
		if len(m[1]) >= len(fence) {
			fence = m[1] + "`"
		}
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(strings.TrimLeft(text, "\n"), "\n \t"), fence)
}
