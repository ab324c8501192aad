// Package blame says where the evidence for a finding points: to the debugger, to its
// adapter for the protocol, or to the compiler's debug information.
//
// The binary's own line table and variable entries (DWARF, sections .debug_line and
// .debug_info) decide. A line that has instructions but none that begins a statement,
// or no instruction at all, cannot be paused at: the compiler's. A variable without an
// entry, or without a location where the program is paused, cannot be shown: the
// compiler's. Where the table is right and what is shown is wrong, it is the
// debugger's. What breaks the rules of a protocol is the adapter's, whatever the
// binary says.
//
// It is evidence, not proof: a location that is there may be wrong, which only the
// instructions would tell. Not covered: binaries that are not ELF.
package blame

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/oracle"
)

// What evidence points to.
const (
	Debugger = "debugger"
	Adapter  = "adapter"
	Compiler = "compiler"
	Unclear  = "unclear"
)

// Of looks for evidence about a finding in the binary that was debugged.
func Of(f *oracle.Finding, b *gobuild.Build) oracle.Evidence {
	say := func(points, format string, args ...any) oracle.Evidence {
		return oracle.Evidence{Points: points, Because: fmt.Sprintf(format, args...)}
	}
	switch {
	case f.Oracle == "protocol":
		return say(Adapter, "the messages themselves break the protocol")
	case f.Diff == nil:
		return say(Unclear, "there is nothing to hold against the binary")
	case f.Diff.Kind == dap.DiffExit || f.Diff.Kind == dap.DiffOutput:
		return say(Adapter, "output and exit code do not come from debug information")
	}
	p := pauseAt(f)
	info, err := open(b)
	if err != nil {
		return say(Unclear, "the binary's debug information cannot be read: %v", err)
	}
	switch f.Diff.Kind {
	case dap.DiffVariables, dap.DiffValue:
		if p == nil {
			break
		}
		name := variable(f.Diff.What)
		fn := p.Top().Func
		if f.Index < len(f.Base) {
			if n := f.Base[f.Index].Action.Frame; n > 0 && n < len(p.Stack) {
				fn = p.Stack[n].Func
			}
		}
		if name == "" {
			return say(Debugger, "an expression is the debugger's to evaluate")
		}
		switch v := info.variable(fn, name); {
		case !v.function:
			return say(Unclear, "the debug information has no function %s", fn)
		case !v.found:
			return say(Compiler, "the debug information has no variable %s in %s", name, fn)
		case !v.located:
			return say(Compiler, "the debug information has a variable %s in %s, but no place for it", name, fn)
		case v.list:
			return say(Unclear, "the debug information has several places for %s in %s, by instruction", name, fn)
		}
		return say(Debugger, "the debug information has one place for %s in all of %s", name, fn)
	case dap.DiffLocation, dap.DiffTermination, dap.DiffBreakpoint, dap.DiffStack:
		for _, text := range []string{f.Diff.A, f.Diff.B} {
			file, line, ok := place(text)
			if !ok {
				continue
			}
			rows, stmts, err := info.rows(file, line)
			switch {
			case err != nil:
				return say(Unclear, "the binary's line table cannot be read: %v", err)
			case rows == 0:
				return say(Compiler, "the line table has no instruction for %s:%d", file, line)
			case stmts == 0:
				return say(Compiler, "the line table has instructions for %s:%d, but none begins a statement", file, line)
			}
			return say(Debugger, "the line table has %s:%d, with %s", file, line, many(stmts, "beginning of a statement", "beginnings of statements"))
		}
	case dap.DiffLog, dap.DiffReason, dap.DiffAnswer, dap.DiffFailure:
		return say(Debugger, "conditions, messages and answers are the debugger's to make")
	}
	return say(Unclear, "neither the line table nor the variables tell")
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// pauseAt is the pause that a finding is about: that of its last event, or the one
// before.
func pauseAt(f *oracle.Finding) *dap.Pause {
	for i := min(f.Index, len(f.Base)-1); i >= 0; i-- {
		if p := f.Base[i].Output.Pause; p != nil {
			return p
		}
	}
	return nil
}

var (
	placePattern    = regexp.MustCompile(`([\w./-]+\.go):(\d+)`)
	variablePattern = regexp.MustCompile(`^&?([\pL_][\pL_0-9]*|~r\d+)`)
)

func place(text string) (string, int, bool) {
	m := placePattern.FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[2])
	// Files of the standard library are named relative to its root.
	return strings.TrimPrefix(m[1], "GOROOT/"), line, err == nil
}

// variable is the variable that a difference is about; empty if it is an expression.
func variable(what string) string {
	m := variablePattern.FindStringSubmatch(what)
	if m == nil || m[1] == "value" || m[1] == "names" || m[1] == "scope" || m[1] == "scopes" {
		return ""
	}
	return m[1]
}

// info is a binary's debug information.
type info struct {
	data *dwarf.Data
	dir  string
}

func open(b *gobuild.Build) (*info, error) {
	f, err := elf.Open(b.Binary)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	return &info{data, b.Program.Dir}, nil
}

// rows counts the entries of the line table for a line of the program, and those of
// them that begin a statement.
func (in *info) rows(file string, line int) (rows, stmts int, err error) {
	r := in.data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return 0, 0, err
		}
		if e == nil {
			return rows, stmts, nil
		}
		if e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
			continue
		}
		lines, err := in.data.LineReader(e)
		r.SkipChildren()
		if err != nil {
			return 0, 0, err
		}
		if lines == nil || !slices.ContainsFunc(lines.Files(), func(f *dwarf.LineFile) bool { return f != nil && is(f.Name, file) }) {
			continue
		}
		var row dwarf.LineEntry
		for {
			if err := lines.Next(&row); err == io.EOF {
				break
			} else if err != nil {
				return 0, 0, err
			}
			if row.Line == line && !row.EndSequence && row.File != nil && is(row.File.Name, file) {
				rows++
				if row.IsStmt {
					stmts++
				}
			}
		}
	}
}

// is tells whether a file of the debug information is one that outputs name relative to
// the program's folder.
func is(path, file string) bool {
	return path == file || strings.HasSuffix(path, "/"+file)
}

// entry is what the debug information has of a variable.
type entry struct{ function, found, located, list bool }

// variable looks for a variable in a function, in any of its blocks. Variables that
// were moved to the heap have & before their names.
func (in *info) variable(fn, name string) entry {
	var v entry
	r := in.data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return v
		}
		if e.Tag == dwarf.TagCompileUnit {
			continue
		}
		if n, _ := e.Val(dwarf.AttrName).(string); e.Tag != dwarf.TagSubprogram || dap.BareFunc(n) != dap.BareFunc(fn) {
			r.SkipChildren()
			continue
		}
		v.function = true
		if !e.Children {
			continue
		}
		for depth := 1; depth > 0; {
			c, err := r.Next()
			if err != nil || c == nil {
				return v
			}
			if c.Tag == 0 {
				depth--
				continue
			}
			if c.Children {
				depth++
			}
			if c.Tag != dwarf.TagVariable && c.Tag != dwarf.TagFormalParameter {
				continue
			}
			if n, _ := c.Val(dwarf.AttrName).(string); strings.TrimPrefix(n, "&") != name {
				continue
			}
			v.found = true
			if f := c.AttrField(dwarf.AttrLocation); f != nil {
				switch at := f.Val.(type) {
				case []byte:
					v.located = v.located || len(at) > 0
				default:
					v.located, v.list = true, true
				}
			}
		}
		return v
	}
}
