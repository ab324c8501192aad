package gobuild

import (
	"bytes"
	"errors"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxData bounds a file of a program's data, in bytes: longer ones are not sent along.
const maxData = 1 << 16

// A need is what a file of source asks for beside source: patterns of files to embed, relative to its folder, and the names of files and folders that
// it may open when it runs, which are those of its strings that there is a file or a folder for.
type need struct {
	embeds map[string][]string // by the folder of the source, relative to the program's
	names  map[string]bool
}

// read adds what a file of source asks for.
func (n *need) read(rel string, text []byte) {
	dir := path.Dir(rel)
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(rel, -1, len(text))
	s.Init(file, text, nil, scanner.ScanComments) // what cannot be scanned is passed over
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.COMMENT:
			if patterns, ok := strings.CutPrefix(lit, "//go:embed "); ok {
				n.embeds[dir] = append(n.embeds[dir], embedPatterns(patterns)...)
			}
		case token.STRING:
			name, err := strconv.Unquote(lit)
			if name = path.Clean(filepath.ToSlash(name)); err == nil && filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, " \n\t") {
				n.names[name] = true
			}
		}
	}
}

// embedPatterns are those of a directive, which may be quoted.
func embedPatterns(text string) (all []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if quoted, err := strconv.QuotedPrefix(text); err == nil {
			pattern, _ := strconv.Unquote(quoted)
			all, text = append(all, pattern), text[len(quoted):]
			continue
		}
		pattern, rest, _ := strings.Cut(text, " ")
		all, text = append(all, pattern), rest
	}
	return all
}

// wants reports whether a file, which is not hidden, is asked for.
func (n *need) wants(rel string) bool {
	for dir, patterns := range n.embeds {
		if below, err := filepath.Rel(dir, rel); err == nil && filepath.IsLocal(below) {
			for _, pattern := range patterns {
				if embeds(strings.TrimPrefix(pattern, "all:"), filepath.ToSlash(below)) {
					return true
				}
			}
		}
	}
	// A name is relative to a folder of the program, or to one below.
	for at := rel; at != "."; at = path.Dir(at) {
		for name := at; ; {
			if n.names[name] {
				return true
			}
			_, rest, ok := strings.Cut(name, "/")
			if !ok {
				break
			}
			name = rest
		}
	}
	return false
}

// embeds reports whether a pattern is that of a file, or of a folder that it lies in.
func embeds(pattern, file string) bool {
	for ; file != "."; file = path.Dir(file) {
		if ok, err := path.Match(pattern, file); ok && err == nil {
			return true
		}
	}
	return false
}

// data lists the files of text that a program's source asks for. What is no text does not fit into a script.
func (p *Program) data(sources []string) (paths []string, err error) {
	n := &need{embeds: map[string][]string{}, names: map[string]bool{}}
	for _, file := range sources {
		if filepath.Ext(file) != ".go" {
			continue
		}
		text, err := p.Read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the overlay has it removed
		}
		if err != nil {
			return nil, err
		}
		n.read(p.Rel(file), text)
	}
	err = p.walk(func(file, rel string, d fs.DirEntry) error {
		if Compiles(rel) || isModuleFile(rel) || !filepath.IsLocal(rel) || hidden(rel) || !d.Type().IsRegular() || !n.wants(rel) {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxData {
			return nil
		}
		if text, err := p.Read(file); err == nil && utf8.Valid(text) && !bytes.ContainsRune(text, 0) && !bytes.HasPrefix(text, []byte("-- ")) && !bytes.Contains(text, []byte("\n-- ")) {
			paths = append(paths, file)
		}
		return nil
	})
	return paths, err
}

// hidden reports whether a file or a folder of a path is one that the go command passes over.
func hidden(rel string) bool {
	for name := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return true
		}
	}
	return false
}
