package rewrite

import (
	"fmt"
	"go/types"
	"misstep/transform"
)

// deadCode is the paper's fourth (table 1). As a constant, the compiler removes
// the statement and nothing may pause there; as an opaque condition, a global
// variable that is never set, it stays in the binary, and the condition itself
// is a place to pause: those lines are the rewrite's own. Guards: it stands
// before a statement, so that a function still ends in one that terminates;
// the base assigns to no variable, as an assignment more, even a dead one,
// makes a variable one that the compiler may not take for a constant.
var deadCode = Rewrite{
	Name: "insert-dead-code",
	Doc:  "Inserts an if whose condition is false and whose body assigns to a variable in scope, once as a constant and once as a condition that the compiler does not know: no difference, but that the condition may be paused at.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		for _, sl := range s.slots() {
			vars := s.steady(s.inScope(sl.stmt.Pos()))
			if len(vars) == 0 {
				continue
			}
			sites = append(sites, Site{sl.stmt.Pos(), func(c *Change) {
				v := transform.Pick(c.R, vars)
				body := v.Name() + " = " + c.Given.other(v)
				conditions := []string{"1 > 2"}
				for _, c := range []struct{ name, condition string }{{"false", "false"}, {"len", `len("") > 0`}} {
					if !s.declares(c.name) {
						conditions = append(conditions, c.condition)
					}
				}
				condition := transform.Pick(c.R, conditions)
				if c.R.IntN(2) == 0 && !s.declares("bool") {
					flag := c.name()
					c.declare(sl.stmt.Pos(), "var "+flag+" bool")
					condition = flag
				}
				c.before(sl.stmt, fmt.Sprintf(transform.Pick(c.R, []string{"if %s {\n\t%s\n}", "if %s { %s }", "for %s {\n\t%s\n}"}), condition, body))
			}})
		}
		return sites
	},
}

// other is a value to assign to a variable, if possible another than it has.
func (s *scope) other(v *types.Var) string {
	name := v.Name()
	if _, ok := v.Type().(*types.TypeParam); ok {
		return name
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsNumeric != 0:
			return "1"
		case t.Info()&types.IsString != 0:
			return `"dead"`
		case t.Info()&types.IsBoolean != 0:
			return "!" + name
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		if !s.declares("nil") {
			return "nil"
		}
	}
	return name
}
