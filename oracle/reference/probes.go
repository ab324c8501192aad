package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/history"
	"misstep/internal/source"
)

// Probes are the expressions, assignments and calls that a program is recorded with, so
// that the truth about them is known: those that a session will use, and more for
// sessions to choose from.
type Probes struct {
	// Source, if not nil, is where expressions are made up for.
	Source *source.Source
	// Exprs and Sets are wanted wherever they make sense.
	Exprs []string
	Sets  []history.Assignment
}

// Wanted are the probes that actions need.
func Wanted(actions []dap.Action) Probes {
	var p Probes
	for _, a := range actions {
		switch a.Kind {
		case dap.Evaluate:
			p.Exprs = append(p.Exprs, a.Name)
		case dap.SetVar, dap.Call:
			p.Sets = append(p.Sets, assignmentOf(a))
		case dap.Break:
			if a.Condition != "" {
				p.Exprs = append(p.Exprs, a.Condition)
			}
			_, exprs, _ := holes(a.Log)
			p.Exprs = append(p.Exprs, exprs...)
		}
	}
	return p
}

// holes cuts a log message at its expressions, which may have braces in pairs. One that is empty, and braces that are no pairs, have no
// meaning: it is not ok then.
func holes(log string) (texts, exprs []string, ok bool) {
	ok = true
	from, deep := 0, 0
	for i, r := range log {
		switch r {
		case '{':
			if deep++; deep == 1 {
				texts, from = append(texts, log[from:i]), i+1
			}
		case '}':
			if deep == 0 {
				ok = false
				continue
			}
			if deep--; deep == 0 {
				expr := strings.TrimSpace(log[from:i])
				exprs, from, ok = append(exprs, expr), i+1, ok && expr != ""
			}
		}
	}
	return append(texts, log[from:]), exprs, ok && deep == 0
}

// How many expressions, conditions, calls and assignments are made up for a statement.
const eachExprs, eachConditions, eachCalls, eachSets, eachDoing = 8, 2, 2, 6, 2

// ask chooses for a statement. What it makes up follows from the place alone.
func (p Probes) ask(plan func(path string) string) func(*history.Package, ast.Stmt, []string) ([]string, []history.Assignment) {
	var doer *gen.Doer
	if p.Source != nil {
		doer = gen.NewDoer(p.Source)
	}
	return func(pkg *history.Package, stmt ast.Stmt, vars []string) (exprs []string, sets []history.Assignment) {
		// Some sense only inside of a function that is not generic: elsewhere one
		// expression has many types.
		add := func(text string, truth bool) {
			// Capacities follow from what escapes, and here all variables do.
			if text == "" || strings.Contains(text, "cap(") || slices.Contains(exprs, text) || strings.Contains(text[1:], "call ") {
				return
			}
			if t := check(pkg, stmt.Pos(), text); t != nil && (!truth || isBool(t)) && visible(pkg, stmt.Pos(), text, vars) {
				exprs = append(exprs, text)
			}
		}
		do := func(call string) {
			if call != "" && !pending(pkg, stmt) && callable(pkg, stmt.Pos(), call) && visible(pkg, stmt.Pos(), call, vars) && !slices.Contains(sets, history.Assignment{Value: call}) {
				sets = append(sets, history.Assignment{Value: call})
			}
		}
		set := func(s history.Assignment) {
			if s.Name == "" {
				do(s.Value)
				return
			}
			root := rootOf(s.Name)
			_, v := pkg.Scope(stmt.Pos()).LookupParent(root, stmt.Pos())
			if !slices.Contains(vars, root) || slices.Contains(sets, s) || !assignable(pkg, stmt.Pos(), s) || !visible(pkg, stmt.Pos(), s.Value, vars) {
				return
			}
			if !forwarded(pkg, stmt, v) && (root == s.Name || afterCall(pkg, stmt, v)) {
				sets = append(sets, s)
			}
		}
		for _, x := range p.Exprs {
			add(x, false)
		}
		for _, s := range p.Sets {
			set(s)
		}
		if p.Source == nil {
			return exprs, sets
		}
		position := pkg.Fset.PositionFor(stmt.Pos(), false)
		at := source.Place{File: plan(position.Filename), Line: position.Line}
		h := fnv.New64a()
		h.Write([]byte(at.String()))
		r := rand.New(rand.NewPCG(h.Sum64(), 0x70726f6265))
		for range eachExprs {
			if x, ok := gen.ExpressionAt(r, p.Source, at, vars, false); ok {
				add(x, false)
			}
		}
		for range eachCalls {
			if x, ok := gen.CallAt(r, p.Source, at, vars); ok {
				add(x, false)
			}
		}
		for range eachConditions {
			if x, ok := gen.ExpressionAt(r, p.Source, at, vars, true); ok {
				add(x, true)
			}
		}
		for range eachSets {
			if len(vars) > 0 {
				if name, value, ok := gen.AssignmentAt(r, p.Source, at, vars); ok {
					set(history.Assignment{Name: name, Value: value})
				}
			}
		}
		for range eachDoing {
			if call, ok := doer.CallAt(r, at, vars); ok {
				do(call)
			}
		}
		return exprs, sets
	}
}

// check is the type of an expression at a place; nil if it has none there.
func check(pkg *history.Package, pos token.Pos, text string) types.Type {
	x, err := parser.ParseExpr(pkg.Plain(pos, text))
	if err != nil {
		return nil
	}
	info, err := pkg.Check(pos, x)
	if err != nil {
		return nil
	}
	tv := info.Types[x]
	if t, several := tv.Type.(*types.Tuple); several && (t.Len() > history.MaxResults || !strings.HasPrefix(text, "call ")) {
		return nil
	}
	if !tv.IsValue() || tv.Type == nil || tv.IsNil() || !source.Representable(tv) {
		return nil
	}
	return tv.Type
}

// visible reports whether all local variables of an expression are among those that a
// statement can see: in a function literal, those that it uses.
func visible(pkg *history.Package, pos token.Pos, text string, vars []string) bool {
	x, err := parser.ParseExpr(pkg.Plain(pos, text))
	if err != nil {
		return false
	}
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, is := n.(*ast.SelectorExpr); is {
			ast.Inspect(sel.X, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is {
					ok = ok && known(pkg, pos, id.Name, vars)
				}
				return true
			})
			return false
		}
		if id, is := n.(*ast.Ident); is {
			ok = ok && known(pkg, pos, id.Name, vars)
		}
		return ok
	})
	return ok
}

func known(pkg *history.Package, pos token.Pos, name string, vars []string) bool {
	if slices.Contains(vars, name) {
		return true
	}
	_, obj := pkg.Scope(pos).LookupParent(name, pos)
	v, local := obj.(*types.Var)
	return !local || v.Parent() == pkg.Types.Scope()
}

// callable reports whether a text is a call of a function at a place.
func callable(pkg *history.Package, pos token.Pos, text string) bool {
	x, err := parser.ParseExpr(pkg.Plain(pos, text))
	call, is := x.(*ast.CallExpr)
	if err != nil || !is {
		return false
	}
	info, err := pkg.Check(pos, call)
	return err == nil && info.Types[call.Fun].IsValue() && !info.Types[call.Fun].IsBuiltin()
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// assignable reports whether an assignment type-checks at a place.
func assignable(pkg *history.Package, pos token.Pos, s history.Assignment) bool {
	t := check(pkg, pos, s.Name)
	return t != nil && source.Assignable(t, pkg.Plain(pos, s.Value), func(x ast.Expr) (*types.Info, error) { return pkg.Check(pos, x) })
}

// rootOf is the variable that an operand lies in, or leads from; empty if there is none.
func rootOf(name string) string {
	x, err := parser.ParseExpr(name)
	if err != nil {
		return ""
	}
	if id := source.Root(x); id != nil {
		return id.Name
	}
	return ""
}
