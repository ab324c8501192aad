package synth

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// A checker type-checks programs.
type checker struct {
	imports types.Importer
	// panicked, if not nil, is told of programs that the type checker panics at.
	panicked func(text string, reason any)
}

// checked is a program that was parsed and type-checked; err is what is wrong with it first.
type checked struct {
	file *ast.File
	fset *token.FileSet
	info *types.Info
	err  error
}

func (c *checker) check(text string) (p checked) {
	// No input must make the type checker panic, but some do.
	defer func() {
		if r := recover(); r != nil {
			p = checked{err: fmt.Errorf("the type checker panics: %v", r)}
			if c.panicked != nil {
				c.panicked(text, r)
			}
		}
	}()

	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", text, parser.SkipObjectResolution)
	if err != nil {
		return checked{err: err}
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	var hard, soft error
	cfg := types.Config{Importer: c.imports, Error: func(err error) {
		var e types.Error
		switch errors.As(err, &e); {
		case !mendable(e) && hard == nil:
			hard = err
		case mendable(e) && soft == nil:
			soft = err
		}
	}}
	cfg.Check("main", fset, []*ast.File{file}, info)
	if hard == nil {
		hard = soft
	}
	return checked{file, fset, info, hard}
}

// What the type checker says of what is only unused, in several ways, and of a function that has no end.
var (
	unusedVariable = regexp.MustCompile(`^declared and not used: (\w+)$|^(\w+) declared and not used$`)
	unusedLabel    = regexp.MustCompile(`^label (\w+) declared and not used$`)
)

const noReturn = "missing return"

func mendable(e types.Error) bool {
	return unusedVariable.MatchString(e.Msg) || unusedLabel.MatchString(e.Msg) || e.Msg == noReturn
}

// mendings bound how often a program is mended.
const mendings = 8

// mend bounds a program's loops, and adds what uses a variable or a label, and ends a function, until it type-checks.
func (c *checker) mend(text string) (string, error) {
	text, err := bounded(text)
	if err != nil {
		return "", err
	}
	for range mendings {
		p := c.check(text)
		var e types.Error
		if p.err == nil || !errors.As(p.err, &e) || !mendable(e) {
			return text, p.err
		}
		at, more, ok := mending(p, e)
		if !ok {
			return "", p.err
		}
		text = text[:at] + more + text[at:]
	}
	return "", errors.New("too much to mend")
}

// bounded is a program whose loops that a condition ends, or nothing, end after some turns.
func bounded(text string) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var at []int
	ast.Inspect(file, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok {
			at = append(at, fset.Position(loop.Body.Lbrace).Offset+1)
		}
		return true
	})
	for i := len(at) - 1; i >= 0; i-- {
		text = text[:at[i]] + "\nif count++; count > 4 {\nbreak\n}\n" + text[at[i]:]
	}
	return text, nil
}

// mending is what has to be inserted, and where, for an error that can be mended.
func mending(p checked, e types.Error) (at int, text string, ok bool) {
	path, _ := astutil.PathEnclosingInterval(p.file, e.Pos, e.Pos)
	offset := func(pos token.Pos) int { return p.fset.Position(pos).Offset }
	switch {
	case e.Msg == noReturn:
		for _, n := range path {
			var typ *ast.FuncType
			switch n := n.(type) {
			case *ast.FuncDecl:
				typ = n.Type
			case *ast.FuncLit:
				typ = n.Type
			default:
				continue
			}
			var zero []string
			for _, f := range typ.Results.List {
				for range max(1, len(f.Names)) {
					zero = append(zero, "*new("+types.ExprString(f.Type)+")")
				}
			}
			return offset(e.Pos), "\nreturn " + strings.Join(zero, ", ") + "\n", true
		}
		return 0, "", false
	case unusedLabel.MatchString(e.Msg):
		text = fmt.Sprintf("if never {\ngoto %s\n}", unusedLabel.FindStringSubmatch(e.Msg)[1])
	default:
		m := unusedVariable.FindStringSubmatch(e.Msg)
		text = "_ = " + m[1] + m[2]
	}
	for i, n := range path {
		if i == 0 {
			continue
		}
		child := path[i-1]
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CaseClause:
			return offset(child.End()), "\n" + text + "\n", true
		case *ast.CommClause:
			if child == n.Comm {
				return offset(n.Colon) + 1, "\n" + text + "\n", true
			}
			return offset(child.End()), "\n" + text + "\n", true
		case *ast.IfStmt:
			return offset(n.Body.Lbrace) + 1, "\n" + text + "\n", true
		case *ast.ForStmt:
			return offset(n.Body.Lbrace) + 1, "\n" + text + "\n", true
		case *ast.RangeStmt:
			return offset(n.Body.Lbrace) + 1, "\n" + text + "\n", true
		case *ast.SwitchStmt:
			return firstClause(n.Body, offset, text)
		case *ast.TypeSwitchStmt:
			return firstClause(n.Body, offset, text)
		}
	}
	return 0, "", false
}

// firstClause is the place in the first clause of a switch, or of one that it then has.
func firstClause(body *ast.BlockStmt, offset func(token.Pos) int, text string) (int, string, bool) {
	if len(body.List) == 0 {
		return offset(body.Lbrace) + 1, "\ndefault:\n" + text + "\n", true
	}
	return offset(body.List[0].(*ast.CaseClause).Colon) + 1, "\n" + text + "\n", true
}

// calls are the ways to call what a declaration declares, of which one type-checks; none if it is no function.
func calls(fragment string) []string {
	var all []string
	for _, ways := range waysToUse(fragment) {
		if all == nil {
			all = ways
			continue
		}
		var both []string
		for _, a := range all {
			for _, b := range ways {
				both = append(both, a+"\n"+b)
			}
		}
		all = both
	}
	return all[:min(len(all), mostCalls)]
}

// mostCalls bound the ways that are tried.
const mostCalls = 30

// waysToUse are the ways to use each of what a declaration declares.
func waysToUse(fragment string) [][]string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", "package main\n"+fragment, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) == 0 {
		return nil
	}
	var all [][]string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			all = append(all, callsOf(d))
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						all = append(all, []string{"_ = " + n.Name, ""})
					}
				case *ast.TypeSpec:
					all = append(all, []string{"_ = *new(" + spec.Name.Name + ")", "_ = *new(" + spec.Name.Name + "[int])", "_ = *new(" + spec.Name.Name + "[string, int])", ""})
				case *ast.ImportSpec:
					all = append(all, used(spec))
				}
			}
		}
	}
	return all
}

// used are ways to use an import.
func used(spec *ast.ImportSpec) []string {
	name := ""
	if spec.Name != nil && spec.Name.Name == "." {
		return []string{"println(Sqrt(4))", "println(ToUpper(\"a\"))"}
	} else if spec.Name != nil {
		name = spec.Name.Name
	}
	var all []string
	for _, in := range [][2]string{{"math", "Sqrt(4)"}, {"strings", "ToUpper(\"a\")"}} {
		all = append(all, "println("+cmp.Or(name, in[0])+"."+in[1]+")")
	}
	return all
}

func callsOf(fn *ast.FuncDecl) []string {
	if fn.Name.Name == "init" || fn.Name.Name == "_" {
		return []string{""}
	}
	var args []string
	for _, f := range fn.Type.Params.List {
		if _, variadic := f.Type.(*ast.Ellipsis); variadic {
			continue
		}
		for range max(1, len(f.Names)) {
			args = append(args, "*new("+types.ExprString(f.Type)+")")
		}
	}
	list := "(" + strings.Join(args, ", ") + ")"
	switch {
	case fn.Recv != nil && len(fn.Recv.List) == 1:
		return []string{"(&point{1, 2})." + fn.Name.Name + list}
	case fn.Type.TypeParams != nil:
		var all []string
		for _, typ := range []string{"int", "string", "point"} {
			inst := strings.TrimSuffix(strings.Repeat(typ+", ", fn.Type.TypeParams.NumFields()), ", ")
			var of []string
			for _, f := range fn.Type.Params.List {
				if _, variadic := f.Type.(*ast.Ellipsis); !variadic {
					for range max(1, len(f.Names)) {
						of = append(of, typ+"(*new("+typ+"))")
					}
				}
			}
			all = append(all, fn.Name.Name+"["+inst+"]("+strings.Join(of, ", ")+")")
		}
		return all
	}
	return []string{fn.Name.Name + list}
}
