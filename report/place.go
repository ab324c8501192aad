package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"misstep/finding"
)

// place is where a class is shown to somebody who reads files: the line of the program, if that lies on disk
// as it was debugged; else that line in the script, which holds the program. The file is relative to the working
// directory if it lies below, and the line is at least 1.
func (c *Campaign) place(x *Class) finding.Place {
	f := x.Finding()
	if x.Example != nil && x.Example.Root != "" {
		path := filepath.Join(x.Example.Root, filepath.FromSlash(f.Place.File))
		if _, err := os.Stat(path); err == nil {
			return finding.Place{File: relative(path), Line: max(1, f.Place.Line), Column: f.Place.Column, Func: f.Place.Func}
		}
	}
	file := x.ClassCount.Script
	if c.Dir != "" && file != "" {
		file = filepath.Join(c.Dir, filepath.Base(file))
	}
	if file == "" {
		return finding.Place{File: f.Place.File, Line: max(1, f.Place.Line), Column: f.Place.Column, Func: f.Place.Func}
	}
	s := finding.Place{File: relative(file), Line: 1, Func: f.Place.Func}
	if x.Example != nil {
		if line := lineIn(x.Example.Script, x.shown()); line > 0 {
			s.Line = line
		}
	}
	return s
}

// shown is the place of the script's own program that the class is about: where the last action was
// that has one. Without a script it is the finding's.
func (x *Class) shown() finding.Place {
	if x.Script == nil {
		return x.Finding().Place
	}
	for i := len(x.Script.Commands) - 1; i >= 0; i-- {
		c := x.Script.Commands[i]
		switch {
		case c.Seen != nil:
			return finding.Place{File: c.Seen.File, Line: c.Seen.Line, Func: c.Seen.Func}
		case c.Action.Line > 0:
			return finding.Place{File: c.Action.File, Line: c.Action.Line}
		}
	}
	return finding.Place{}
}

// lineIn is the line of a script's file at which a line of its program is; 0 if there is none.
func lineIn(text string, p finding.Place) int {
	if p.File == "" || p.Line <= 0 {
		return 0
	}
	head := []byte("-- " + p.File + " --")
	line := 0
	for row := range bytes.Lines([]byte(text)) {
		line++
		if bytes.Equal(bytes.TrimSpace(row), head) {
			return line + p.Line
		}
	}
	return 0
}

// relative is a path from the working directory on if it lies below it.
func relative(path string) string {
	if dir, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return strings.TrimPrefix(filepath.ToSlash(path), "./")
}
