package omission

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/pointsto"
)

// Analyzed are the aliases that a points-to analysis of the whole program finds.
type Analyzed struct {
	result *pointsto.Result
	// funcs are the recorded functions by where they begin; calls are the program's by
	// their opening bracket.
	funcs   map[spot]int
	calls   map[spot][]ssa.CallInstruction
	objects map[*Subject][]*pointsto.Object // see of
	// sets are the recorded functions of sets that many calls share, by where they lie.
	sets  map[**ssa.Function][]int
	types ByType
}

// spot is an offset in a file.
type spot struct {
	file   string
	offset int
}

// Analyze analyses the whole program of a recording.
func Analyze(ctx context.Context, rec *history.Recording, e gobuild.Engine) (*Analyzed, error) {
	p := rec.Source
	_, targets := p.Go()
	prog, err := pointsto.Load(*source.Config(ctx, p, e, 0), targets...)
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w", p.Name, err)
	}
	if len(prog.Mains) == 0 {
		return nil, fmt.Errorf("analysing %s: it has no function main", p.Name)
	}
	result, err := prog.AnalyzeContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w", p.Name, err)
	}
	a := &Analyzed{result: result, funcs: map[spot]int{}, calls: map[spot][]ssa.CallInstruction{}, objects: map[*Subject][]*pointsto.Object{}, sets: map[**ssa.Function][]int{}}
	for id, fn := range rec.Plan.Funcs {
		a.funcs[spot{rec.Plan.Files[fn.File].Path, fn.Start}] = id
	}
	for _, fn := range a.result.Functions() {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && call.Pos().IsValid() {
					at := spotOf(prog.Fset, call.Pos())
					a.calls[at] = append(a.calls[at], call)
				}
			}
		}
	}
	return a, nil
}

func spotOf(fset *token.FileSet, pos token.Pos) spot {
	p := fset.PositionFor(pos, false)
	return spot{p.Filename, p.Offset}
}

// of finds the objects of a subject: those that are made where its were, or that an
// expression there may refer to, where what is not recorded made them. There are none if
// that is not known.
func (a *Analyzed) of(s *Subject) []*pointsto.Object {
	if list, ok := a.objects[s]; ok {
		return list
	}
	var objects []*pointsto.Object
	for _, p := range s.Made {
		objects = append(objects, a.result.Made(p.Filename, p.Line, p.Column)...)
	}
	if len(s.Funcs) > 0 {
		for _, o := range a.result.Objects() {
			if o.Fn == nil || o.Fn.Syntax() == nil {
				continue
			}
			if id, ok := a.funcs[spotOf(o.Fn.Prog.Fset, o.Fn.Syntax().Pos())]; ok && s.Funcs[id] {
				objects = append(objects, o)
			}
		}
	}
	for _, x := range s.Exprs {
		list, _ := a.result.At(x.Fset, x.Expr)
		objects = append(objects, list...)
	}
	a.objects[s] = objects
	return objects
}

// May reports whether an expression may refer to an object of the subject. Of expressions
// in functions that cannot be called, as far as the analysis knows, that goes by types.
func (a *Analyzed) May(pkg *history.Package, x ast.Expr, s *Subject) bool {
	if history.Reflects(pkg.Info.TypeOf(x)) {
		return a.types.May(pkg, x, s) // the analysis does not follow what a value is of
	}
	objects := a.of(s)
	may, known := a.result.Refers(pkg.Fset, x, objects)
	if known && len(objects) > 0 {
		return may
	}
	if t := pkg.Info.TypeOf(x); t != nil && len(objects) > 0 {
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return false // it is known of those instances that refer to anything
		}
	}
	return a.types.May(pkg, x, s)
}

// Exact is true: fields are told apart.
func (a *Analyzed) Exact() bool { return true }

// Callees are the recorded functions that a call may enter: directly or through wrappers
// that the compiler makes, and after these what the library may call back.
func (a *Analyzed) Callees(pkg *history.Package, x *ast.CallExpr) ([]int, bool) {
	sites := a.calls[spotOf(pkg.Fset, x.Lparen)]
	if len(sites) == 0 {
		return nil, false
	}
	var direct, list []int
	for _, site := range sites {
		direct = append(direct, a.entered(a.result.Callees(site))...)
		for _, set := range a.result.CallbackSets(site) {
			first := &set[0]
			ids, known := a.sets[first]
			if !known {
				ids = a.entered(set)
				a.sets[first] = ids
			}
			list = append(list, ids...)
		}
	}
	slices.Sort(direct)
	direct = slices.Compact(direct)
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(id int) bool {
		_, is := slices.BinarySearch(direct, id)
		return is
	})
	return append(direct, list...), true
}

// entered are the recorded functions that calls of functions enter.
func (a *Analyzed) entered(fns []*ssa.Function) []int {
	var list []int
	seen := map[*ssa.Function]bool{}
	var enter func(fn *ssa.Function)
	enter = func(fn *ssa.Function) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		if syntax := fn.Syntax(); syntax != nil {
			if id, ok := a.funcs[spotOf(fn.Prog.Fset, syntax.Pos())]; ok {
				list = append(list, id)
				return
			}
		}
		if fn.Synthetic == "" {
			return
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					for _, fn := range a.result.Callees(call) {
						enter(fn)
					}
				}
			}
		}
	}
	for _, fn := range fns {
		enter(fn)
	}
	return list
}

// Changes reports whether a call may change an object of the subject.
func (a *Analyzed) Changes(pkg *history.Package, x *ast.CallExpr, s *Subject) (changes, known bool) {
	sites, objects := a.calls[spotOf(pkg.Fset, x.Lparen)], a.of(s)
	if len(sites) == 0 || len(objects) == 0 {
		return false, false
	}
	for _, site := range sites {
		for _, o := range objects {
			if a.result.WritesThrough(site, o) {
				return true, true
			}
		}
	}
	return false, true
}
