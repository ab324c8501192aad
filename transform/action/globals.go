package action

import (
	"go/types"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// globalScope is how the name of the scope begins in which Delve shows the variables of a package.
const globalScope = "Globals (package "

// mostGlobals bounds how many of them are evaluated at a pause.
const mostGlobals = 4

// globals judges a scope of the variables of a package: it is the package of what is paused in, each of
// them is declared there, and has the value that it has when it is evaluated by its name.
func (s setting) globals(d *transform.Driver, i int, scope dap.Scope) error {
	pkg := strings.TrimSuffix(strings.TrimPrefix(scope.Name, globalScope), ")")
	p := d.Session.Pause()
	if p == nil || d.Base[i].Action.Frame != 0 || pkg != "main" {
		return nil // the source of others is not at hand
	}
	d.Checks++
	if !strings.HasPrefix(p.Top().Func, pkg+".") {
		return s.mismatch(d, i, "the package whose variables are shown in "+p.Top().Func, "that of the function", pkg)
	}
	n := 0
	for _, v := range scope.Vars {
		if strings.ContainsAny(v.Name, ".·&~ ") {
			continue // the compiler's
		}
		d.Checks++
		if _, ok := d.Source.Pkg.Scope().Lookup(v.Name).(*types.Var); !ok {
			return s.mismatch(d, i, v.Name, "not shown: the package declares no such variable", v.Value)
		}
		if n++; n > mostGlobals {
			continue
		}
		out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: pkg + "." + v.Name})
		if err != nil {
			return err
		}
		if out.Value == nil {
			continue // that is not about what is shown
		}
		shown, evaluated := v, *out.Value
		shown.Name, evaluated.Name = "", ""
		if err := d.Equal(i, &dap.Output{Kind: dap.Answered, Value: &evaluated}, &dap.Output{Kind: dap.Answered, Value: &shown}, dap.Lens{}); err != nil {
			return err
		}
	}
	return nil
}
