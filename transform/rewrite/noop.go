package rewrite

import (
	"go/types"
	"misstep/transform"
)

// noOp is the paper's last (table 1). Guards: nothing is added to floats, as
// -0 + 0 is another number; interfaces are not compared. The base assigns to no
// variable, for the same reason as in insert-dead-code.
var noOp = Rewrite{
	Name: "add-no-op",
	Doc:  "Inserts a statement without effect, such as x = x or x += 0: no difference, but that it may be paused at.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		for _, sl := range s.slots() {
			vars := s.steady(s.inScope(sl.stmt.Pos()))
			sites = append(sites, Site{sl.stmt.Pos(), func(c *Change) {
				choices := []string{"{\n}", "switch {\n}"}
				if s.Source.AtLeast("go1.22") {
					choices = append(choices, "for range 0 {\n}")
				}
				if len(vars) > 0 {
					choices = append(choices, noOps(s, transform.Pick(c.R, vars))...)
				}
				if !jumps(sl.fn) && !s.declares("int") {
					n := c.ownVar()
					choices = append(choices, "var "+n+" int; _ = "+n)
				}
				c.before(sl.stmt, transform.Pick(c.R, choices))
			}})
		}
		return sites
	},
}

// noOps are statements that use a variable and do nothing.
func noOps(s *Given, v *types.Var) []string {
	x := v.Name()
	ops := []string{x + " = " + x, "_ = " + x, x + ", _ = " + x + ", " + x}
	if _, ok := v.Type().(*types.TypeParam); ok {
		return ops
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsInteger != 0:
			ops = append(ops, x+" += 0", x+" *= 1", x+" |= 0", x+" <<= 0", x+" = -(-"+x+")")
		case t.Info()&types.IsString != 0:
			ops = append(ops, x+` += ""`)
		case t.Info()&types.IsBoolean != 0:
			ops = append(ops, x+" = "+x+" && "+x, x+" = !!"+x)
		}
	case *types.Slice:
		if !s.declares("len", "cap") {
			ops = append(ops, x+" = "+x+"[:len("+x+"):cap("+x+")]")
		}
	}
	return ops
}
