package coverage

import (
	"context"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/profiler"
)

// Debugs reports whether an engine, in its text form, is a debugger that is a profiler, too: one with a log point on each line counts
// what is executed.
func Debugs(engine string) bool {
	name, _, _ := strings.Cut(engine, ",")
	name, _, _ = strings.Cut(name, "@")
	return name == "dlv"
}

// What bounds a session: a log point takes a debugger much longer than a counter.
const (
	mostPoints = 200  // log points
	mostHits   = 5000 // of all of them, as the profile has it
)

// simple are statements that have code on the line on which they begin, at which a breakpoint is come to once for each execution.
func simple(n ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return len(n.Lhs) == 1
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt:
		return true
	}
	return false
}

// A point is a line with a log point, and what the profile counts there.
type point struct {
	file  *file
	block profiler.Block
	statement
}

// message is what its log point prints, which is no part of what another one does.
func (p point) message() string { return "<" + p.place(p.file.name) + ">" }

// points are the lines on which one block begins, by a statement that is alone on them.
func points(r *profiler.Run) (all []point) {
	parsed, blocks := files(r.Subject), counted(r)
	hits := uint64(0)
	for _, name := range sortedKeys(parsed) {
		f := parsed[name]
		if hasDirectives(f.text) {
			continue
		}
		begin := map[int]int{} // statements and functions on a line
		for _, s := range f.statements {
			begin[s.line]++
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncLit, *ast.FuncDecl:
				begin[f.at(n.Pos()).Line]++
			}
			return true
		})
		for _, s := range f.statements {
			b, ok := blockOf(blocks[name], s)
			alone := begin[s.line] == 1 && f.at(s.node.End()).Line == s.line
			if !ok || !f.begins(b, s) || !alone || !simple(s.node) || hits+b.Count > mostHits || len(all) == mostPoints {
				continue
			}
			hits += b.Count
			all = append(all, point{f, b, s})
		}
	}
	return all
}

// debugged holds counts against how often a debugger comes to a log point. Where the two disagree, a recorded run says who is
// right, if there is one.
func (c *Case) debugged(ctx context.Context, t Trial) (*Verdict, error) {
	e, err := gobuild.ParseEngine(t.With)
	if err != nil {
		return nil, err
	}
	if e.Go == "" {
		e.Go = c.Profiler.Go
	}
	p := c.Profiler
	p.Mode = profiler.Count
	r, none, err := c.profiled(ctx, Trial{As: t.As, Seed: t.Seed}, p)
	if none != nil || err != nil {
		return none, err
	}
	list := points(r)
	if len(list) == 0 {
		return not("it has no line for a log point"), nil
	}
	hits, why, err := c.log(ctx, r, e, list)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return not("%s", why), nil
	}
	var all []difference
	made := 0
	var recorded *recording
	for _, at := range list {
		got, set := hits[at.message()]
		if !set {
			continue // which is for hunts to judge
		}
		made++
		if uint64(got) == at.block.Count {
			continue
		}
		if recorded == nil {
			if recorded, none, err = c.record(ctx, r); err != nil {
				return nil, err
			} else if none != nil {
				return not("the debugger and the profile disagree, and there is no recorded run: %s", none.Not), nil
			}
		}
		d := difference{
			place: finding.Place{File: at.file.name, Line: at.line, Column: at.column, Func: at.fn}, what: "statement " + at.place(at.file.name),
			expected: said(e.String(), "%d log messages", got), got: said("the profile", "executed %d times", at.block.Count), kind: strength(uint64(got), at.block.Count), node: at.kind, detail: "debugger",
		}
		n, known := recorded.count(at.file.name, at.block)
		if !known {
			made--
			continue // nobody says who is right
		}
		if n == at.block.Count {
			d.expected, d.got = said("the profile and the recorded run", "executed %d times", n), said(e.String(), "%d log messages", got)
			d.detail = "debugger wrong"
		}
		all = append(all, d)
	}
	return verdict(Versions, made, all), nil
}

// log runs a subject under a debugger with log points, and counts the messages of each that could be set. Why says why it did not
// come to the program's end.
func (c *Case) log(ctx context.Context, r *profiler.Run, e gobuild.Engine, list []point) (hits map[string]int, why string, err error) {
	dir, err := os.MkdirTemp(c.dir, "debugged-")
	if err != nil {
		return nil, "", fmt.Errorf("making a folder for a debugger: %w", err)
	}
	prog, err := unpacked(filepath.Join(dir, "source"), r.Subject, r.Toolchain.Minor)
	if err != nil {
		return nil, "", err
	}
	build, err := c.Bench.Cache.Build(ctx, prog, e, dir)
	if err != nil {
		return nil, "it is not built for the debugger", context.Cause(ctx)
	}
	adapter, err := dap.Resolve(ctx, c.Bench.Cache, e)
	if err != nil {
		return nil, "", err
	}
	options := dap.DefaultOptions()
	options.Run = defaultRecording
	s, failed, err := dap.Open(ctx, c.Bench.Keeper, adapter, dap.TargetOf(build), options)
	if err != nil {
		return nil, "", err
	}
	defer s.Close()
	if failed != nil {
		return nil, "the debugger does not begin", nil
	}
	hits = map[string]int{}
	for _, at := range list {
		out, err := s.Do(ctx, dap.Action{Kind: dap.Break, File: at.file.name, Line: at.line, Log: at.message()})
		if err != nil {
			return nil, "", err
		}
		if b := out.Breakpoint; b != nil && b.Verified && b.Line == at.line {
			hits[at.message()] = 0
		}
	}
	const pauses = 3 // as of a panic
	for range pauses {
		out, err := s.Do(ctx, dap.Action{Kind: dap.Continue})
		if err != nil {
			return nil, "", err
		}
		for _, text := range out.Logs {
			for message := range hits {
				if strings.Contains(text, message) {
					hits[message]++
				}
			}
		}
		switch out.Kind {
		case dap.Ended:
			return hits, "", nil
		case dap.Paused:
		default:
			return nil, "under the debugger it does not end", nil
		}
	}
	return nil, "under the debugger it does not end", nil
}
