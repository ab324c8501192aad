package trace

import (
	"go/ast"
	"go/types"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/source"
)

// started is the function that a step in goes to from a go statement: one of the program's own that is named there,
// where nothing else is called on the line. It is nil for any other step, and for debuggers of which it is not known
// that they follow what is started, as Delve does.
func started(d *debuggee.Debuggee, before *dap.Pause, a dap.Action) *types.Func {
	if a.Kind != dap.StepIn || a.Instruction || before == nil || before.Exception() || d == nil || d.Build == nil || d.Source == nil ||
		d.Build.Engine.Adapter != "dlv" || d.Build.Engine.Optimises(d.Build.Program) {
		return nil
	}
	top := before.Top()
	file, line, ok := d.Source.Physical(source.Place{File: top.File, Line: top.Line})
	f := d.Source.File(file)
	if !ok || f == nil {
		return nil
	}
	var started *types.Func
	only := true
	ast.Inspect(f.AST, func(n ast.Node) bool {
		stmt, is := n.(ast.Stmt)
		if !is || !only {
			return only
		}
		first, last := d.Source.Line(stmt.Pos()), d.Source.Line(stmt.End())
		if _, block := stmt.(*ast.BlockStmt); block || first > line || last < line {
			return first <= line && last >= line
		}
		g, isGo := stmt.(*ast.GoStmt)
		switch {
		case isGo && first == line && last == line && started == nil:
			started = calledBy(d.Source, g.Call)
			only = started != nil
			return false
		case first == line || last == line:
			only = false // another statement, or the head or the end of one, is on that line
		}
		return only
	})
	if !only {
		return nil
	}
	return started
}

// calledBy is the function of the program's that a call names, if no argument calls anything.
func calledBy(src *source.Source, call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		if _, ok := fun.X.(*ast.Ident); !ok {
			return nil
		}
		id = fun.Sel
	default:
		return nil
	}
	fn, ok := src.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() != src.Pkg || fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0 {
		return nil
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return nil
	}
	calls := false
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr, *ast.FuncLit:
				calls = true
			case *ast.UnaryExpr:
				calls = calls || n.Op.String() == "<-"
			}
			return !calls
		})
	}
	if calls {
		return nil
	}
	return fn
}

// goesInto reports whether a pause is in a function, by the name that debuggers show.
func goesInto(p *dap.Pause, fn *types.Func) bool {
	shown := p.Top().Func
	return shown == fn.Name() || strings.HasSuffix(shown, "."+fn.Name())
}
