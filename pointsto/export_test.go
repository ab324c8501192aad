package pointsto

import "golang.org/x/tools/go/ssa"

// Orders are ways to solve the constraints of a program that may not matter: circles of
// copies are made one slot or not, and of equal slots one or another is taken first.
func Orders(p *Program) []*Result {
	var list []*Result
	for _, a := range []*analysis{{}, {plain: true}, {backwards: true}, {often: true}} {
		list = append(list, analyze(a, p.Program, p.Mains, nil))
	}
	return list
}

// Values are those that something is known of.
func (r *Result) Values() []ssa.Value {
	var list []ssa.Value
	for v := range r.a.values {
		list = append(list, v)
	}
	return list
}
