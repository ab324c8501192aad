package reduce

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/internal/srcedit"
)

// A mending notes the edits of a file for what is left over, or wrong, once something is
// gone.
type mending struct {
	*file
	edits *srcedit.Edits
	done  map[ast.Node]bool
	named func(*file, ast.Node) bool // whether the script names a node's line
}

// repair notes an edit for an error. It reports whether it knows one.
func (f *mending) repair(err types.Error) bool {
	for _, r := range []struct {
		is   bool
		mend func(types.Error) bool
	}{
		{strings.Contains(err.Msg, "imported and not used") || strings.Contains(err.Msg, "imported as"), f.unusedImport},
		{strings.HasPrefix(err.Msg, "no new variables"), f.nothingNew},
		{err.Msg == "missing return", f.missingReturn},
		{strings.HasSuffix(err.Msg, " is not used"), f.unusedValue},
		{strings.HasPrefix(err.Msg, "declared and not used"), f.unusedVariable},
	} {
		if r.is {
			return r.mend(err)
		}
	}
	return false
}

// remove notes that a node goes, with the lines that it fills.
func (f *mending) remove(n ast.Node) {
	start, end := wholeLines(f.text, f.offset(n.Pos()), f.offset(n.End()))
	f.edits.Replace(f.name, start, end)
}

// unusedImport removes an import.
func (f *mending) unusedImport(err types.Error) bool {
	for _, d := range f.ast.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		for _, spec := range gen.Specs {
			if spec.Pos() != err.Pos && !(spec.Pos() <= err.Pos && err.Pos < spec.End()) {
				continue
			}
			n := ast.Node(spec)
			if len(gen.Specs) == 1 {
				n = gen
			}
			if !f.done[n] {
				f.done[n] = true
				f.remove(n)
			}
			return true
		}
	}
	return false
}

// nothingNew assigns where all variables are declared already.
func (f *mending) nothingNew(err types.Error) bool {
	return f.find(func(n ast.Node) bool {
		as, ok := n.(*ast.AssignStmt)
		if ok = ok && as.TokPos == err.Pos; ok {
			f.edits.Replace(f.name, f.offset(as.TokPos), f.offset(as.TokPos)+len(":="), srcedit.Text("="))
		}
		return ok
	})
}

// missingReturn ends a function that has lost its end.
func (f *mending) missingReturn(err types.Error) bool {
	return f.find(func(n ast.Node) bool {
		var body *ast.BlockStmt
		var results *ast.FieldList
		switch n := n.(type) {
		case *ast.FuncDecl:
			body, results = n.Body, n.Type.Results
		case *ast.FuncLit:
			body, results = n.Body, n.Type.Results
		}
		if body == nil || results == nil || body.Rbrace != err.Pos {
			return false
		}
		last := "\tpanic(0)\n"
		if len(results.List[0].Names) > 0 {
			last = "\treturn\n"
		}
		f.edits.Insert(f.name, f.offset(body.Rbrace), last)
		return true
	})
}

// unusedValue removes a statement that is no more than a value, or keeps the call that it
// is if the script names its line.
func (f *mending) unusedValue(err types.Error) bool {
	found := false
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if x, ok := n.(*ast.ExprStmt); ok && x.Pos() <= err.Pos && err.Pos < x.End() && !f.done[x] {
			_, value := x.X.(*ast.CallExpr)
			f.done[x], found = true, true
			if value && f.named(f.file, x) {
				f.edits.Insert(f.name, f.offset(x.Pos()), "_ = ")
				return false
			}
			f.remove(x)
			return false
		}
		return true
	})
	return found
}

// unusedVariable removes a variable where it is declared.
func (f *mending) unusedVariable(err types.Error) (found bool) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if found || n == nil || n.End() <= err.Pos || n.Pos() > err.Pos {
			return !found
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			i := slices.IndexFunc(n.Lhs, func(x ast.Expr) bool { return x.Pos() == err.Pos })
			if found = i >= 0; found && !f.done[n] {
				f.unassign(n, n.Lhs[i])
			}
		case *ast.DeclStmt:
			gen := n.Decl.(*ast.GenDecl)
			if len(gen.Specs) == 1 && gen.Tok == token.VAR && len(gen.Specs[0].(*ast.ValueSpec).Names) == 1 {
				if found = true; !f.done[n] {
					f.done[n] = true
					f.remove(n)
				}
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if x != nil && x.Pos() == err.Pos {
					found = true
					f.unrange(n, x)
				}
			}
		}
		return !found
	})
	return found
}

// unassign takes one of the variables out of a statement that declares it.
func (f *mending) unassign(n *ast.AssignStmt, x ast.Expr) {
	others := slices.ContainsFunc(n.Lhs, func(y ast.Expr) bool {
		id, ok := y.(*ast.Ident)
		return y != x && (!ok || id.Name != "_")
	})
	if others {
		f.edits.Replace(f.name, f.offset(x.Pos()), f.offset(x.End()), srcedit.Text("_"))
		return
	}
	f.done[n] = true
	_, call := n.Rhs[0].(*ast.CallExpr)
	switch {
	case call && len(n.Rhs) == 1:
		// What it does is not what it gives.
		f.edits.Replace(f.name, f.offset(n.Pos()), f.offset(n.Rhs[0].Pos()))
	case f.named(f.file, n) && n.Tok == token.DEFINE:
		blanks := strings.Repeat("_, ", len(n.Lhs)-1) + "_ = "
		f.edits.Replace(f.name, f.offset(n.Pos()), f.offset(n.Rhs[0].Pos()), srcedit.Text(blanks))
	default:
		f.remove(n)
	}
}

// unrange takes one of the variables out of the head of a loop.
func (f *mending) unrange(n *ast.RangeStmt, x ast.Expr) {
	switch {
	case x == n.Value:
		f.edits.Replace(f.name, f.offset(n.Key.End()), f.offset(x.End()))
	case n.Value == nil:
		f.edits.Replace(f.name, f.offset(x.Pos()), f.offset(n.Range))
	default:
		f.edits.Replace(f.name, f.offset(x.Pos()), f.offset(x.End()), srcedit.Text("_"))
	}
}
