package record

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/srcedit"
)

// unnest ends the body of a loop over a function.
func (b *body) unnest(site int) string {
	return fmt.Sprintf("%s.Unnest(%d)", buffer, site)
}

// returns lets a return assign the results, say that it returns, and return.
func (b *body) returns(s *ast.ReturnStmt) {
	defer b.calls(s.Results...)()
	for _, x := range s.Results {
		if len(s.Results) != b.count() || !b.object(x, history.Result) {
			b.expr(x)
		}
	}
	exit := b.leave(nil) + b.exit() + "; "
	if len(s.Results) == 0 || !slices.ContainsFunc(s.Results, b.in.busy) {
		b.in.insert(s.Pos(), "{ "+exit)
		b.in.insert(s.End(), " }")
		return
	}
	names := b.results
	assign := " = "
	if b.shadowed(s) {
		// A result's name means something else here.
		if !b.in.typed(s.Results) {
			b.in.insert(s.Pos(), "{ "+exit)
			b.in.insert(s.End(), " }")
			return
		}
		names = nil
		for i := range b.results {
			names = append(names, fmt.Sprint(result, "t", i))
		}
		assign = " := "
	}
	list := strings.Join(names, ", ")
	at := b.in.offset(s.Pos())
	b.in.edits.Replace(b.in.name, at, at+len("return"), srcedit.Text("{ "+list+assign))
	b.in.insert(s.End(), "; "+exit+"return "+list+" }")
}

// count is how many results the function has.
func (b *body) count() int {
	if b.typ.Results == nil {
		return 0
	}
	return b.typ.Results.NumFields()
}

// shadowed reports whether a result's name means another variable at a return.
func (b *body) shadowed(s *ast.ReturnStmt) bool {
	scope := b.in.pkg.Info.Scopes[b.typ]
	if scope == nil {
		return false
	}
	inner := scope.Innermost(s.Pos())
	if inner == nil {
		return true
	}
	for _, name := range b.results {
		if _, obj := inner.LookupParent(name, s.Pos()); obj != nil && obj.Parent() != scope {
			if scope.Lookup(name) != nil {
				return true
			}
		}
	}
	return false
}

// typed reports whether each expression has a type of its own that a variable
// would keep.
func (in *instrumenter) typed(list []ast.Expr) bool {
	for _, x := range list {
		tv := in.pkg.Info.Types[x]
		if tv.Value != nil || tv.IsNil() || tv.Type == nil {
			return false
		}
		if b, ok := tv.Type.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			return false
		}
		switch ast.Unparen(x).(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			return false // may be untyped where it stands
		}
	}
	return true
}
