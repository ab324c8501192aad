// Package blame says where the evidence for a finding points: to the debugger, to its
// adapter for the protocol, or to the compiler's debug information.
//
// The binary's own line table and variable entries (DWARF, sections .debug_line and
// .debug_info) decide. A line that has instructions but none that begins a statement,
// or no instruction at all, cannot be paused at: the compiler's. So is one of which the
// longest stretch of instructions has no beginning, as where that is on another way to the
// same instructions, or has it at a jump, which loops come by only once. A variable without
// an entry, or without a location where the program is paused, cannot be shown: the
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
	"go/ast"
	"go/parser"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
)

// What evidence points to.
const (
	Debugger = "debugger"
	Adapter  = "adapter"
	Compiler = "compiler"
	Unclear  = "unclear"
)

// The facts that evidence may be, which [finding.Evidence] names.
const (
	messages       = "messages"          // they break the protocol
	ending         = "ending"            // output and exit code are the adapter's to pass on
	nothing        = "nothing"           // there is nothing to hold against the binary
	unreadable     = "unreadable"        // the debug information cannot be read
	expression     = "expression"        // it is the debugger's to evaluate
	noFunction     = "no-function"       // the debug information has no such function
	noVariable     = "no-variable"       // … no such variable
	noPlace        = "no-place"          // … no place for the variable
	severalPlaces  = "several-places"    // … several, by instruction
	unread         = "unread"            // … one that the debugger cannot read
	onePlace       = "one-place"         // … one for all of the function
	noInstruction  = "no-instruction"    // the line table has no instruction for the line
	noStatement    = "no-statement"      // … none that begins a statement
	longestWithout = "longest-without"   // … none in the longest stretch
	atJump         = "statement-at-jump" // … one at a jump in front of them
	statement      = "statement"         // … one, as it should be
	answer         = "answer"            // conditions and answers are the debugger's to make
	message        = "message"           // messages are the debugger's to make
)

// Of looks for evidence about a finding in the binary that was debugged.
func Of(f *finding.Finding, b *gobuild.Build) finding.Evidence {
	say := func(points, fact, about, format string, args ...any) finding.Evidence {
		return finding.Evidence{Points: points, Fact: fact, About: about, Because: fmt.Sprintf(format, args...)}
	}
	d := f.Difference()
	if f.Ran != nil {
		b = f.Ran
	}
	switch {
	case f.Oracle == "protocol":
		return say(Adapter, messages, "", "the messages themselves break the protocol")
	case d == nil:
		return say(Unclear, nothing, "", "there is nothing to hold against the binary")
	case d.Kind == dap.DiffExit || d.Kind == dap.DiffOutput:
		return say(Adapter, ending, "", "output and exit code do not come from debug information")
	}
	info, err := open(b)
	if err != nil && b.Engine.Stripped(b.Program) {
		return say(Debugger, answer, "", "the program was built without debug information, and runs; the runtime's own table has its functions")
	}
	if err != nil {
		return say(Unclear, unreadable, "", "the binary's debug information cannot be read: %v", err)
	}
	switch d.Kind {
	case dap.DiffVariables, dap.DiffValue:
		if e, ok := info.ofVariable(f.Session(), d); ok {
			return e
		}
	case dap.DiffLocation, dap.DiffTermination, dap.DiffBreakpoint, dap.DiffStack, dap.DiffLog:
		if e, ok := info.ofLine(f.Session(), d); ok {
			return e
		}
		if d.Kind == dap.DiffLog {
			return say(Debugger, message, "", "messages are the debugger's to make")
		}
	case dap.DiffReason, dap.DiffAnswer, dap.DiffFailure:
		return say(Debugger, answer, "", "conditions and answers are the debugger's to make")
	}
	if d.Kind == dap.DiffBreakpoint || d.Kind == dap.DiffLocation && (f.Rule == "step-source" || f.Rule == "instruction") || f.Rule == "instruction-over" || f.Rule == "frame-place" {
		return say(Debugger, answer, "", "what it can watch, and where a step ends, is the debugger's to say")
	}
	return say(Unclear, nothing, "", "neither the line table nor the variables tell")
}

// ofVariable is what the debug information has of the variable that a difference is about.
func (in *info) ofVariable(s *finding.Session, d *dap.Difference) (finding.Evidence, bool) {
	p := s.Pause()
	if p == nil {
		return finding.Evidence{}, false
	}
	name, fn := variable(d.What), p.Top().Func
	evaluated := s.Index < len(s.Base) && s.Base[s.Index].Action.Kind == dap.Evaluate
	if evaluated && !leads(s.Base[s.Index].Action.Name) {
		name = ""
	}
	if s.Index < len(s.Base) {
		if n := s.Base[s.Index].Action.Frame; n > 0 && n < len(p.Stack) {
			fn = p.Stack[n].Func
		}
	}
	if name == "" && !evaluated && listed.MatchString(d.What) {
		return finding.Evidence{}, false
	}
	if name == "" {
		return finding.Evidence{Points: Debugger, Fact: expression, Because: "an expression is the debugger's to evaluate"}, true
	}
	say := func(points, fact, format string) (finding.Evidence, bool) {
		return finding.Evidence{Points: points, Fact: fact, About: name + " in " + fn, Because: strings.NewReplacer("NAME", name, "FUNC", fn).Replace(format)}, true
	}
	switch v := in.variable(fn, name); {
	case !v.function:
		return say(Unclear, noFunction, "the debug information has no function FUNC")
	case !v.found && evaluated:
		return say(Unclear, noVariable, "the debug information has no variable NAME in FUNC; it may be the package's")
	case !v.found:
		return say(Compiler, noVariable, "the debug information has no variable NAME in FUNC")
	case !v.located:
		return say(Compiler, noPlace, "the debug information has a variable NAME in FUNC, but no place for it")
	case strings.HasPrefix(d.B, "(unreadable") && !strings.Contains(d.B, noEntry):
		return say(Debugger, unread, "the debug information has a place for NAME in FUNC, and the debugger cannot read what is there")
	case v.list:
		return say(Unclear, severalPlaces, "the debug information has several places for NAME in FUNC, by instruction")
	}
	return say(Debugger, onePlace, "the debug information has one place for NAME in all of FUNC")
}

// noEntry is how Delve says that none of a variable's places is for the instruction.
const noEntry = "could not find loclist entry"

// leads reports whether an expression only leads into a variable.
func leads(text string) bool {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return false
	}
	leads := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Ident, *ast.ParenExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.BasicLit, nil:
		default:
			leads = false
		}
		return leads
	})
	return leads
}

// ofLine is what the line table has of the line that a difference is about. What should
// have been comes first: a line that should have been paused at.
func (in *info) ofLine(s *finding.Session, d *dap.Difference) (finding.Evidence, bool) {
	for _, text := range []string{d.What, d.A, d.B} {
		file, line, ok := place(text)
		if !ok {
			file, line, ok = lineOf(text, s.Pause())
		}
		if !ok {
			continue
		}
		at := fmt.Sprintf("%s:%d", file, line)
		say := func(points, fact, format string, args ...any) (finding.Evidence, bool) {
			return finding.Evidence{Points: points, Fact: fact, About: at, Because: fmt.Sprintf(format, args...)}, true
		}
		l, err := in.line(file, line)
		switch {
		case err != nil:
			return say(Unclear, unreadable, "the binary's line table cannot be read: %v", err)
		case l.rows == 0:
			return say(Compiler, noInstruction, "the line table has no instruction for %s", at)
		case l.stmts == 0:
			return say(Compiler, noStatement, "the line table has instructions for %s, but none begins a statement", at)
		case !l.longest.stmt:
			return say(Compiler, longestWithout, "the line table has instructions for %s in %d places, and in the one with the most of them none begins a statement", at, l.stretches)
		case l.longest.jump:
			return say(Compiler, atJump, "the line table has instructions for %s, but the beginning of a statement is at a jump in front of them", at)
		case d.Kind == dap.DiffLog:
			return say(Debugger, statement, "the line table has %s, and messages are the debugger's to make", at)
		}
		return say(Debugger, statement, "the line table has %s, with %s", at, many(l.stmts, "beginning of a statement", "beginnings of statements"))
	}
	return finding.Evidence{}, false
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

var (
	placePattern    = regexp.MustCompile(`([\w./-]+\.go):(\d+)`)
	variablePattern = regexp.MustCompile(`^&?([\pL_][\pL_0-9]*|~r\d+)`)
)

// listed is what a difference is about in which variables there are, or, in words, something that is no variable.
var listed = regexp.MustCompile(`^((names|scopes?)\b|(the|an?) )`)

func place(text string) (string, int, bool) {
	m := placePattern.FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[2])
	// Files of the standard library are named relative to its root.
	return strings.TrimPrefix(m[1], "GOROOT/"), line, err == nil
}

var linePattern = regexp.MustCompile(`^line (\d+) of (\S+)$`)

// lineOf reads a line of a function that is on the stack.
func lineOf(text string, p *dap.Pause) (string, int, bool) {
	m := linePattern.FindStringSubmatch(text)
	if m == nil || p == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[1])
	for _, frame := range p.Stack {
		if dap.BareFunc(frame.Func) == dap.BareFunc(m[2]) && frame.File != "" {
			return frame.File, line, err == nil
		}
	}
	return "", 0, false
}

// variable is the variable that a difference is about; empty if it is an expression.
func variable(what string) string {
	m := variablePattern.FindStringSubmatch(what)
	if m == nil || m[1] == "value" || m[1] == "names" || m[1] == "scope" || m[1] == "scopes" || listed.MatchString(what) {
		return ""
	}
	return m[1]
}

// info is a binary's debug information.
type info struct {
	data    *dwarf.Data
	machine elf.Machine
	text    []byte // the instructions
	textAt  uint64
}

func open(b *gobuild.Build) (*info, error) {
	f, err := elf.Open(b.Whole)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	in := &info{data: data, machine: f.Machine}
	if s := f.Section(".text"); s != nil {
		if in.text, err = s.Data(); err != nil {
			return nil, err
		}
		in.textAt = s.Addr
	}
	return in, nil
}

// code is what the line table has for a line: entries, those of them that begin a
// statement, and stretches of instructions without others between them.
type code struct {
	rows, stmts, stretches int
	longest                stretch
}

// A stretch is instructions of one line that follow each other.
type stretch struct {
	bytes uint64
	stmt  bool // one of them begins a statement
	jump  bool // all that do are jumps, and others are not
}

// line looks a line of the program up in the line table. A debugger sets its breakpoints
// where statements begin; one after a jump that is not taken, or in front of the loop
// that the rest of the line is in, does not tell when the line is executed. Which stretch
// that is only the instructions would tell; it is most likely the longest.
func (in *info) line(file string, line int) (code, error) {
	var c code
	r := in.data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return c, err
		}
		if e == nil {
			return c, nil
		}
		if e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
			continue
		}
		lines, err := in.data.LineReader(e)
		r.SkipChildren()
		if err != nil {
			return c, err
		}
		if lines == nil || !slices.ContainsFunc(lines.Files(), func(f *dwarf.LineFile) bool { return f != nil && is(f.Name, file) }) {
			continue
		}
		var row dwarf.LineEntry
		var now stretch
		begin, inside := uint64(0), false
		for {
			if err := lines.Next(&row); err == io.EOF {
				break
			} else if err != nil {
				return c, err
			}
			of := row.Line == line && !row.EndSequence && row.File != nil && is(row.File.Name, file)
			if inside && !of {
				now.bytes = row.Address - begin
				now.jump = now.stmt && now.jump && now.bytes > 2*longestJump
				c.stretches++
				if c.longest.bytes < now.bytes {
					c.longest = now
				}
			}
			if of {
				if !inside {
					now, begin = stretch{jump: true}, row.Address
				}
				c.rows++
				if row.IsStmt {
					c.stmts++
					now.stmt = true
					now.jump = now.jump && in.jumps(row.Address)
				}
			}
			inside = of
		}
	}
}

// longestJump is the length of an instruction that jumps, in bytes.
const longestJump = 5

// jumps reports whether the instruction at an address is a jump without a condition, on the
// processors that Go programs are debugged on here.
func (in *info) jumps(at uint64) bool {
	if at < in.textAt || at-in.textAt+4 > uint64(len(in.text)) {
		return false
	}
	code := in.text[at-in.textAt:]
	switch in.machine {
	case elf.EM_X86_64:
		return code[0] == 0xeb || code[0] == 0xe9
	case elf.EM_AARCH64:
		return code[3]&0xfc == 0x14
	}
	return false
}

// is reports whether a file of the debug information is one that outputs name relative to
// the program's folder.
func is(path, file string) bool {
	return path == file || strings.HasSuffix(path, "/"+file)
}

// entry is what the debug information has of a variable.
type entry struct{ function, found, located, list bool }

// goesBy reports whether a function is the one that a frame names, which may be without the folders of its package and type arguments.
func goesBy(function, shown string) bool {
	function, shown = dap.BareFunc(function), dap.BareFunc(shown)
	return function == shown || strings.HasSuffix(function, "/"+shown)
}

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
		if n, _ := e.Val(dwarf.AttrName).(string); e.Tag != dwarf.TagSubprogram || !goesBy(n, fn) {
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
