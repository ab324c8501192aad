// Gopointer prints what golang.org/x/tools/go/pointer says of the arguments of calls of
// see in files that import nothing, one line each: the file, the line of the call, and
// the lines in which what the argument may point to is made. It is a module of its own,
// as that package left golang.org/x/tools after v0.16.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/pointer"
	"golang.org/x/tools/go/ssa"
)

func main() {
	log.SetFlags(0)
	for _, name := range os.Args[1:] {
		if err := analyse(name); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

func analyse(name string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, 0)
	if err != nil {
		return err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	var conf types.Config
	pkg, err := conf.Check("main", fset, []*ast.File{f}, info)
	if err != nil {
		return err
	}
	prog := ssa.NewProgram(fset, ssa.InstantiateGenerics)
	sp := prog.CreatePackage(pkg, []*ast.File{f}, info, false)
	// The analysis looks for the runtime, of which it needs only that it is there.
	rt := types.NewPackage("runtime", "runtime")
	rt.MarkComplete()
	prog.CreatePackage(rt, nil, &types.Info{}, true)
	prog.Build()

	config := &pointer.Config{Mains: []*ssa.Package{sp}}
	type query struct {
		line int
		v    ssa.Value
	}
	var queries []query
	for fn := range functions(sp) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || !strings.HasPrefix(call.Call.StaticCallee().Name(), "see") {
					continue
				}
				if x := call.Call.Args[0]; pointer.CanPoint(x.Type()) {
					config.AddQuery(x)
					queries = append(queries, query{fset.Position(call.Pos()).Line, x})
				}
			}
		}
	}
	result, err := pointer.Analyze(config)
	if err != nil {
		return err
	}
	for _, q := range queries {
		lines := map[int]bool{}
		add := func(set pointer.PointsToSet) {
			for _, l := range set.Labels() {
				if l.Pos().IsValid() {
					lines[fset.Position(l.Pos()).Line] = true
				}
			}
		}
		set := result.Queries[q.v].PointsTo()
		if types.IsInterface(q.v.Type()) {
			set.DynamicTypes().Iterate(func(_ types.Type, of interface{}) { add(of.(pointer.PointsToSet)) })
		} else {
			add(set)
		}
		fmt.Println(name, q.line, strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(lines))), "[]"))
	}
	return nil
}

// functions are those of a package, and what is in them.
func functions(pkg *ssa.Package) map[*ssa.Function]bool {
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if fn == nil || seen[fn] || fn.TypeParams().Len() > 0 && len(fn.TypeArgs()) == 0 {
			return
		}
		seen[fn] = true
		var buf [8]*ssa.Value
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(buf[:0]) {
					if f, ok := (*op).(*ssa.Function); ok {
						visit(f)
					}
				}
			}
		}
	}
	for _, m := range pkg.Members {
		switch m := m.(type) {
		case *ssa.Function:
			visit(m)
		case *ssa.Type:
			for _, t := range []types.Type{m.Type(), types.NewPointer(m.Type())} {
				set := pkg.Prog.MethodSets.MethodSet(t)
				for i := range set.Len() {
					if !types.IsInterface(t) {
						visit(pkg.Prog.MethodValue(set.At(i)))
					}
				}
			}
		}
	}
	return seen
}
