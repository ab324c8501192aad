package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// looks lists what a program uses to look at its own code, stack or heap. A
// change that must not matter matters to such a program, so it is not changed.
var looks = map[string][]string{
	"runtime": {"Caller", "Callers", "CallersFrames", "FuncForPC", "Stack", "NumGoroutine", "GC", "ReadMemStats",
		"SetFinalizer", "AddCleanup", "MemProfile", "GoroutineProfile", "GOMAXPROCS", "Breakpoint", "LockOSThread"},
	"runtime/debug":   nil,
	"runtime/pprof":   nil,
	"runtime/trace":   nil,
	"runtime/metrics": nil,
	"testing":         nil,
	"weak":            nil,
	"log":             {"Lshortfile", "Llongfile"},
	"os":              {"Executable"},
	"debug/elf":       nil,
	"debug/dwarf":     nil,
	"plugin":          nil,
	"os/exec":         nil,
	"go/build":        nil,
	"go/parser":       nil,
}

// Refusal tells why no rewrite applies to the subject at all, or "".
func (s *Given) Refusal() string { return s.refuse() }

// refuse tells why no rewrite applies to the subject at all, or "".
func (s *Given) refuse() string {
	if len(s.Source.TypeErrors) > 0 || s.Source.Pkg == nil {
		return "its types are not known"
	}
	if s.Source.Imports("C") {
		return "it uses cgo"
	}
	for _, obj := range s.Source.Info.Uses {
		if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		if names, ok := looks[obj.Pkg().Path()]; ok && (names == nil || slices.Contains(names, obj.Name())) {
			return "it uses " + obj.Pkg().Path() + "." + obj.Name() + " and may see its own code"
		}
	}
	for _, e := range s.Base {
		if e.Action.Instruction || e.Action.Thread > 0 && e.Action.Kind.Resumes() || e.Action.Kind == dap.Interrupt {
			return "its base names instructions or depends on time"
		}
		if e.Action.Kind == dap.InstBreak {
			return "its base has a breakpoint at an instruction"
		}
	}
	return ""
}

// word is an identifier.
var word = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// namesPackage reports whether the base has an expression with the name of something that
// is declared in the program's own package: it means nothing in another.
func (s *Given) namesPackage() bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		text := e.Action.Condition + " " + e.Action.Log
		if e.Action.Kind == dap.Evaluate {
			text += " " + e.Action.Name
		}
		return slices.ContainsFunc(word.FindAllString(text, -1), func(name string) bool {
			return s.Source.Pkg.Scope().Lookup(name) != nil
		})
	})
}

// breaksIn reports whether the base sets a breakpoint, verified or not, at one of
// the lines of a node.
func (s *Given) breaksIn(from, to token.Pos) bool {
	return s.breakpoint(from, to, func(dap.Action) bool { return true })
}

// conditionsIn reports whether a breakpoint there has an expression.
func (s *Given) conditionsIn(from, to token.Pos) bool {
	return s.breakpoint(from, to, func(a dap.Action) bool { return a.Condition != "" || a.Log != "" })
}

// breakpoint reports whether the base sets one of a kind at one of the lines.
func (s *Given) breakpoint(from, to token.Pos, kind func(dap.Action) bool) bool {
	lines := s.between(from, to)
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		if e.Action.Kind != dap.Break || !kind(e.Action) {
			return false
		}
		file, line, ok := s.Source.Physical(source.Place{File: e.Action.File, Line: e.Action.Line})
		return ok && lines.Has(srcedit.Line{File: file, Line: line})
	})
}

// A slot is a statement in a list of statements.
type slot struct {
	stmt ast.Stmt
	list []ast.Stmt
	i    int
	fn   *ast.FuncDecl // around it
}

// oneLiners are the slots whose statements have code on their one line, as what is put in front of them there has.
func (s *Given) oneLiners() []slot {
	return slices.DeleteFunc(s.slots(), func(sl slot) bool { return codeless(sl.stmt) || s.long(sl.stmt) })
}

// slots lists the statements that lie in a list, in functions without
// directives.
func (s *Given) slots() []slot {
	var out []slot
	s.funcs(func(fn *ast.FuncDecl) {
		// Where a breakpoint at a function stands, at its head or at its first
		// statement, depends on what the function needs (tolerance function-entry).
		if name, _ := s.funcName(fn); s.breaksFunc(name) {
			return
		}
		list := func(stmts []ast.Stmt) {
			for i, stmt := range stmts {
				switch stmt.(type) {
				case *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt:
					continue
				}
				out = append(out, slot{stmt, stmts, i, fn})
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				list(n.List)
			case *ast.CaseClause:
				list(n.Body)
			case *ast.CommClause:
				list(n.Body)
			}
			return true
		})
	})
	return out
}

// inScope lists the variables that are visible at a position, local ones first,
// those of outer scopes last, in a fixed order.
//
// A variable from outside of a function literal is left out unless the literal
// uses it anyway, as debuggers show what a literal captures. So are variables of
// the package in functions that run while those are initialised, as the order of
// initialisation follows from who mentions whom.
func (s *Given) inScope(pos token.Pos) []*types.Var {
	var out []*types.Var
	lits := s.literalsAround(pos)
	early := false
	for _, d := range s.Source.FileOf(pos).AST.Decls {
		if d.Pos() > pos || pos >= d.End() {
			continue
		}
		if fn, ok := d.(*ast.FuncDecl); ok {
			early = s.initialises(s.Source.Info.Defs[fn.Name])
		} else {
			early = true
		}
	}
	for scope := s.Source.Pkg.Scope().Innermost(pos); scope != nil && scope != types.Universe; scope = scope.Parent() {
		names := scope.Names()
		for _, name := range names {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || name == "_" || !s.Source.Visible(v, pos) || !s.captures(lits, v) || !s.local(v) && early {
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// initialises reports whether a function may be called while the package's
// variables are initialised.
func (s *Given) initialises(fn types.Object) bool {
	if s.graph == nil {
		s.graph = s.references()
	}
	for obj := range s.graph {
		if _, ok := obj.(*types.Var); ok && reaches(s.graph, obj, fn) {
			return true
		}
	}
	// Methods are reached through interfaces as well.
	f, ok := fn.(*types.Func)
	return ok && f.Signature().Recv() != nil && len(s.graph) > 0 && s.dynamicInit()
}

// A Given is what a rewrite is given: a program, what is known of its runs, and the session
// whose follow-up will run the result.
type Given struct {
	scope
	session
	// ExitCode is that of a plain run.
	ExitCode int
	// CompilesC says that the program's engine compiles C, see gobuild.Engine.CompilesC.
	CompilesC bool
	// CompilesCPlus says the same of C++.
	CompilesCPlus bool
	// Unrun are the blocks that a run of the program does not execute; nil if
	// that is not known.
	Unrun []gobuild.Block

	fresh int                                    // names made so far
	graph map[types.Object]map[types.Object]bool // see references
}

// Of is a program that is to be rewritten. Base is the trace that the follow-up run will be
// compared with, which narrows the sites; nil if there is none.
func Of(src *source.Source, base []dap.Event) *Given {
	return &Given{scope: scope{src}, session: session{base}}
}

// A session answers questions about the base: what it does to the program.
type session struct{ Base []dap.Event }
