package dap

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// copy copies the target's program into a folder that goes with the session.
func (s *Session) copy(keeper *proc.Keeper) error {
	t := &s.target
	if t.program == nil || t.Package == "" || !t.built() {
		return errors.New("copying the program: it is not one that the adapter builds")
	}
	files, target, err := gobuild.Pack(t.program)
	if err != nil {
		return err
	}
	dir, err := keeper.TempDir("copy")
	if err != nil {
		return fmt.Errorf("making a folder for a copy of the program: %w", err)
	}
	s.copied = dir
	p, err := gobuild.Unpack(dir, t.program.Name, files, target, t.program.RunArgs, t.program.Test)
	if err != nil {
		return err
	}
	t.Root, t.Dir, t.Package, t.Program = p.Dir, p.RunDir(), p.OnDisk(), p.OnDisk()
	text, err := s.Original(t.Copy.File)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), t.Copy.File, text, parser.PackageClauseOnly)
	if err != nil {
		return fmt.Errorf("reading the copy of the program: %w", err)
	}
	if t.Copy.Held {
		if err := s.hold(f.Name.Name); err != nil {
			return err
		}
	}
	if tag := t.Copy.Tag; tag != "" {
		tagged := fmt.Sprintf("//go:build !%s\n\npackage %s\n\nvar _ = the tag %s is missing\n", tag, f.Name.Name, tag)
		if err := s.Edit(path.Join(path.Dir(t.Copy.File), "misstep_tag.go"), []byte(tagged)); err != nil {
			return err
		}
	}
	return s.Edit(t.Copy.File, append(bytes.Repeat([]byte("\n"), t.Copy.Lines), text...))
}

// Original is a file of the session's program as it is where that was copied from.
func (s *Session) Original(name string) ([]byte, error) {
	if s.copied == "" || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("reading %s: the session has no such copy", name)
	}
	text, err := s.target.program.Read(filepath.Join(s.target.program.Dir, name))
	if err != nil {
		return nil, fmt.Errorf("reading the program to copy: %w", err)
	}
	return text, nil
}

// Edit changes a file of the session's copy of the program.
func (s *Session) Edit(name string, text []byte) error {
	if s.copied == "" || !filepath.IsLocal(name) {
		return fmt.Errorf("changing %s: the session has no such copy", name)
	}
	if err := os.WriteFile(filepath.Join(s.copied, name), text, 0o666); err != nil {
		return fmt.Errorf("changing a copy of the program: %w", err)
	}
	return nil
}
