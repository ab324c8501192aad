package triage

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/oracle"
)

// Script writes a finding as a testscript. It fails as long as the debugger
// behaves as it was found to.
func Script(f *oracle.Finding, p *gobuild.Program) ([]byte, error) {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# class: %s", f.Class)
	line("# engine: %s", f.Engine)
	line("# program: %s, seed %d", f.Program, f.Seed)
	for _, l := range Comment(f.Reason) {
		line("%s", l)
	}
	if f.Evidence != nil {
		for _, l := range Comment("evidence: " + f.Evidence.String()) {
			line("%s", l)
		}
	}
	debug := "debug"
	if f.Engine != "dlv@"+gobuild.PinnedDelve {
		debug += " -engine " + dap.Quote(f.Engine)
	}
	if len(f.Early) > 0 {
		debug += " -early " + strings.Join(f.Early, ",")
	}
	ar, target, err := Pack(p)
	if err != nil {
		return nil, err
	}
	if f.Reason == "" {
		return nil, fmt.Errorf("a finding without a reason")
	}
	line("%s %s", debug, strings.Join(append([]string{target}, p.RunArgs...), " "))
	for _, e := range f.Base {
		if e.Action.Kind == "" {
			continue // the launch
		}
		if e.Action.Kind == dap.Misuse && strings.HasPrefix(e.Output.Text, "misstep") {
			continue // it did not fit the moment, and was not sent
		}
		line("%s", scriptLine(e))
		if out := oneLine(e.Output.String()); e.Action.Kind.Resumes() || e.Action.Kind == dap.Evaluate {
			line("# %.160s", out)
		}
	}
	switch {
	case f.Oracle == "script":
		line("%s", f.Rule) // the judging command itself
	case f.Oracle == "protocol":
		line("%s", strings.TrimSpace("protocol "+f.Rule+" "+f.On))
	case f.Oracle == "trace":
		line("trace %s", f.Rule)
	case f.Oracle == "reference":
		line("reference %s", f.Rule)
	case f.Oracle == "differential":
		words := []string{"agree"}
		for _, e := range f.Against {
			words = append(words, dap.Quote(e))
		}
		line("%s", strings.Join(words, " "))
	case f.Rule == "debugged":
		line("plain")
	default:
		line("%s", relateLine(f))
	}
	ar.Comment = b.Bytes()
	return txtar.Format(ar), nil
}

func relateLine(f *oracle.Finding) string {
	words := []string{"relate", f.Rule}
	for _, k := range slices.Sorted(maps.Keys(f.Params)) {
		words = append(words, dap.Quote(k+"="+f.Params[k]))
	}
	return strings.Join(words, " ")
}

// scriptLine is an action as a line that holds whatever its output was.
func scriptLine(e dap.Event) string {
	refused := e.Output.Kind == dap.Refused || e.Output.Kind == dap.Unsupported ||
		e.Output.Breakpoint != nil && !e.Output.Breakpoint.Verified
	if refused && e.Action.Kind != dap.Misuse {
		return "! " + e.Action.String()
	}
	return e.Action.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Comment is a text as the comment lines of a script.
func Comment(text string) []string {
	const width = 92
	var lines []string
	line := "#"
	for _, word := range strings.Fields(text) {
		if line != "#" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = "#"
		}
		line += " " + word
	}
	if line == "#" {
		return nil
	}
	return append(lines, line)
}

// maxPacked bounds what of a program's folder goes into a script.
const maxPacked = 1 << 20

// Pack reads a program's files into an archive. A program that is one file of
// a larger folder is packed alone.
func Pack(p *gobuild.Program) (*txtar.Archive, string, error) {
	ar := &txtar.Archive{}
	add := func(name, path string) error {
		data, err := p.Read(path)
		if err != nil {
			return fmt.Errorf("packing %s: %w", p.Name, err)
		}
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(data, '\n')
		}
		ar.Files = append(ar.Files, txtar.File{Name: name, Data: data})
		return nil
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		path := filepath.Join(p.Dir, name)
		if _, err := p.Read(path); err == nil {
			if err := add(name, path); err != nil {
				return nil, "", err
			}
		}
	}
	if len(p.Target) == 1 && !filepath.IsAbs(p.Target[0]) {
		total := 0
		err := filepath.WalkDir(p.Dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(p.Dir, path)
			if rel == "go.mod" || rel == "go.sum" || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") && !p.Test {
				return nil
			}
			if info, err := d.Info(); err == nil {
				total += int(info.Size())
			}
			if total > maxPacked {
				return fmt.Errorf("packing %s: its folder holds more than %d bytes of Go", p.Name, maxPacked)
			}
			if text, ok := p.Overlay[path]; ok && text == nil {
				return nil
			}
			return add(filepath.ToSlash(rel), path)
		})
		// Files that are only in the overlay.
		for _, path := range slices.Sorted(maps.Keys(p.Overlay)) {
			rel, relErr := filepath.Rel(p.Dir, path)
			if _, statErr := os.Stat(path); err == nil && statErr != nil && p.Overlay[path] != nil && relErr == nil {
				err = add(filepath.ToSlash(rel), path)
			}
		}
		return ar, p.Target[0], err
	}
	target := "."
	for _, path := range p.Files {
		if err := add(p.Rel(path), path); err != nil {
			return nil, "", err
		}
		if len(p.Files) == 1 {
			target = p.Rel(path)
		}
	}
	return ar, target, nil
}
