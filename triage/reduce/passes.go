package reduce

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/internal/srcedit"
)

// A pass knows what may be removed.
type pass struct {
	name string
	// units lists what can be removed at a level of nesting, in order, and whether
	// there are levels below.
	units func(s *script, level int) ([]unit, bool)
	apply func(s *script, units []unit) (*script, error)
	// single tells that units exclude each other, so that they are tried one by one.
	single bool
}

// A unit is one thing that can be removed, or put in the place of another.
type unit struct {
	line       int    // of a command
	file       string // a whole file, if there is no range
	start, end int
	with       []srcedit.Piece
	along      [][2]int // ranges that go with it
}

// passes are in the order in which they are tried: what removes much comes first.
var passes = []pass{
	{name: "actions", units: actionUnits, apply: dropActions},
	{name: "options", units: optionUnits, apply: dropOption, single: true},
	{name: "misuses", units: earlyUnits, apply: dropEarly, single: true},
	{name: "files", units: fileUnits, apply: edit},
	syntax("declarations", false, declarations),
	syntax("statements", false, statements),
	syntax("bodies", true, bodies),
	syntax("expressions", true, expressions),
	syntax("elements", false, elements),
	syntax("fields", false, fields),
	{name: "results", units: resultUnits, apply: edit, single: true},
	syntax("literals", true, literals),
	{name: "comments", units: commentUnits, apply: edit},
	{name: "blank lines", units: blankUnits, apply: edit},
	{name: "format", units: formatUnits, apply: formatFile, single: true},
}

func actionUnits(s *script, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		units = append(units, unit{line: i})
	}
	return units, false
}

func dropActions(s *script, units []unit) (*script, error) {
	drop := map[int]bool{}
	for _, u := range units {
		drop[u.line] = true
	}
	return s.without(drop), nil
}

var optionPattern = regexp.MustCompile(` -(?:if|hit|log|page|frame|order) (?:'(?:[^']|'')*'|\S+)`)

// optionUnits are the options of actions: conditions, messages and the like.
func optionUnits(s *script, _ int) (units []unit, more bool) {
	for _, i := range s.actions() {
		for _, at := range optionPattern.FindAllStringIndex(s.lines[i], -1) {
			units = append(units, unit{line: i, start: at[0], end: at[1]})
		}
	}
	return units, false
}

func dropOption(s *script, units []unit) (*script, error) {
	t := *s
	t.lines = slices.Clone(s.lines)
	for _, u := range units {
		t.lines[u.line] = t.lines[u.line][:u.start] + t.lines[u.line][u.end:]
	}
	return &t, nil
}

var earlyPattern = regexp.MustCompile(` -early (\S+)`)

// earlyUnits are the misuses that come before the launch, by their number.
func earlyUnits(s *script, _ int) (units []unit, more bool) {
	if m := earlyPattern.FindStringSubmatch(s.lines[0]); m != nil {
		for i := range strings.Split(m[1], ",") {
			units = append(units, unit{start: i})
		}
	}
	return units, false
}

func dropEarly(s *script, units []unit) (*script, error) {
	t := *s
	t.lines = slices.Clone(s.lines)
	for _, u := range units {
		m := earlyPattern.FindStringSubmatch(t.lines[0])
		names := slices.Delete(strings.Split(m[1], ","), u.start, u.start+1)
		with := ""
		if len(names) > 0 {
			with = " -early " + strings.Join(names, ",")
		}
		t.lines[0] = strings.Replace(t.lines[0], m[0], with, 1)
	}
	return &t, nil
}

// formatUnits are the files that gofmt writes otherwise, with the same lines.
func formatUnits(s *script, _ int) (units []unit, more bool) {
	for _, name := range s.goFiles() {
		text, err := format.Source(s.files[name])
		if err == nil && !bytes.Equal(text, s.files[name]) && bytes.Count(text, []byte("\n")) == bytes.Count(s.files[name], []byte("\n")) {
			units = append(units, unit{file: name})
		}
	}
	return units, false
}

func formatFile(s *script, units []unit) (*script, error) {
	t := *s
	t.files = maps.Clone(s.files)
	for _, u := range units {
		text, err := format.Source(s.files[u.file])
		if err != nil {
			return nil, err
		}
		t.files[u.file] = text
	}
	return &t, nil
}

func fileUnits(s *script, _ int) (units []unit, more bool) {
	if names := s.goFiles(); len(names) > 1 {
		for _, name := range names {
			units = append(units, unit{file: name})
		}
	}
	return units, false
}

// edit removes ranges of files, or replaces them.
func edit(s *script, units []unit) (*script, error) {
	e := srcedit.New(s.files)
	var drop []string
	for _, u := range units {
		if u.end == 0 {
			drop = append(drop, u.file)
			continue
		}
		e.Replace(u.file, u.start, u.end, u.with...)
		for _, r := range u.along {
			e.Replace(u.file, r[0], r[1])
		}
	}
	return s.edit(e, drop...)
}

// A finder lists the units below a node's children; see syntax.
type finder func(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece))

// file is a parsed file of a script.
type file struct {
	name string
	text []byte
	tok  *token.File
	ast  *ast.File
}

func (f *file) offset(p token.Pos) int { return f.tok.Offset(p) }

// copy is the text of a node.
func (f *file) copy(n ast.Node) srcedit.Piece {
	return srcedit.Copy(f.name, f.offset(n.Pos()), f.offset(n.End()))
}

// syntax is a pass over the syntax trees. Units of a level are those that lie in that
// many others.
func syntax(name string, single bool, find finder) pass {
	return pass{name: name, single: single, apply: edit, units: func(s *script, level int) (units []unit, more bool) {
		for _, f := range s.parse() {
			var all []unit
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if n != nil {
					find(f, n, func(start, end token.Pos, with ...srcedit.Piece) {
						u := unit{file: f.name, start: f.offset(start), end: f.offset(end), with: with}
						if len(with) == 0 {
							u.start, u.end = wholeLines(f.text, u.start, u.end)
						}
						all = append(all, u)
					})
				}
				return true
			})
			for _, u := range all {
				depth := 0
				for _, v := range all {
					if v.start <= u.start && u.end <= v.end && v.end-v.start > u.end-u.start {
						depth++
					}
				}
				if depth == level || single && level == 0 {
					units = append(units, u)
				}
				more = more || depth > level && !single
			}
		}
		slices.SortStableFunc(units, func(a, b unit) int { return (b.end - b.start) - (a.end - a.start) })
		if !single {
			slices.SortStableFunc(units, func(a, b unit) int {
				if a.file != b.file {
					return strings.Compare(a.file, b.file)
				}
				return a.start - b.start
			})
		}
		return units, more
	}}
}

// wholeLines widens a range to the lines that it fills.
func wholeLines(text []byte, start, end int) (int, int) {
	from, to := start, end
	for from > 0 && (text[from-1] == ' ' || text[from-1] == '\t') {
		from--
	}
	for to < len(text) && (text[to] == ' ' || text[to] == '\t' || text[to] == ';' || text[to] == ',') {
		to++
	}
	if (from == 0 || text[from-1] == '\n') && (to == len(text) || text[to] == '\n') {
		return from, min(to+1, len(text))
	}
	// On a line with others, the separator behind it goes along.
	if end < to && (text[end] == ',' || text[end] == ';') {
		return start, end + 1
	}
	return start, end
}

// parse parses the files that parse.
func (s *script) parse() []*file {
	var files []*file
	fset := token.NewFileSet()
	for _, name := range s.goFiles() {
		tree, err := parser.ParseFile(fset, name, s.files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		files = append(files, &file{name: name, text: s.files[name], tok: fset.File(tree.FileStart), ast: tree})
	}
	return files
}

func declarations(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	from := func(doc *ast.CommentGroup, n ast.Node) token.Pos {
		if doc != nil {
			return doc.Pos()
		}
		return n.Pos()
	}
	root, ok := n.(*ast.File)
	if !ok {
		return
	}
	for _, d := range root.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(from(d.Doc, d), d.End())
		case *ast.GenDecl:
			add(from(d.Doc, d), d.End())
			if len(d.Specs) > 1 {
				for _, spec := range d.Specs {
					add(spec.Pos(), spec.End())
				}
			}
		}
	}
}

func statements(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		for _, s := range n.List {
			if _, clause := s.(*ast.CaseClause); !clause {
				add(s.Pos(), s.End())
			} else {
				add(s.Pos(), s.End())
			}
		}
	case *ast.CaseClause:
		for _, s := range n.Body {
			add(s.Pos(), s.End())
		}
	case *ast.CommClause:
		for _, s := range n.Body {
			add(s.Pos(), s.End())
		}
	case *ast.IfStmt:
		if n.Else != nil {
			add(n.Body.End(), n.Else.End(), srcedit.Text(""))
		}
		if n.Init != nil {
			add(n.Init.Pos(), n.Cond.Pos(), srcedit.Text(""))
		}
	}
}

// bodies puts what is inside of a statement in its place.
func bodies(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	inner := func(s ast.Stmt, blocks ...ast.Node) {
		for _, b := range blocks {
			var list []ast.Stmt
			switch b := b.(type) {
			case *ast.BlockStmt:
				if b == nil {
					continue
				}
				list = b.List
			case *ast.CaseClause:
				list = b.Body
			case *ast.CommClause:
				list = b.Body
			case *ast.IfStmt:
				add(s.Pos(), s.End(), f.copy(b))
				continue
			default:
				continue
			}
			if len(list) > 0 {
				add(s.Pos(), s.End(), srcedit.Copy(f.name, f.offset(list[0].Pos()), f.offset(list[len(list)-1].End())))
			}
		}
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		if n.Init != nil {
			init, body := n.Init, n.Body
			if len(body.List) > 0 {
				add(n.Pos(), n.End(), f.copy(init), srcedit.Text("\n"), srcedit.Copy(f.name, f.offset(body.List[0].Pos()), f.offset(body.List[len(body.List)-1].End())))
			}
		}
		inner(n, n.Body)
		if n.Else != nil {
			inner(n, n.Else)
		}
	case *ast.ForStmt:
		if n.Init != nil && len(n.Body.List) > 0 {
			add(n.Pos(), n.End(), f.copy(n.Init), srcedit.Text("\n"), srcedit.Copy(f.name, f.offset(n.Body.List[0].Pos()), f.offset(n.Body.List[len(n.Body.List)-1].End())))
		}
		inner(n, n.Body)
	case *ast.RangeStmt:
		inner(n, n.Body)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			inner(n, c)
		}
	case *ast.TypeSwitchStmt:
		for _, c := range n.Body.List {
			inner(n, c)
		}
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			inner(n, c)
		}
	case *ast.BlockStmt:
		for _, s := range n.List {
			if b, ok := s.(*ast.BlockStmt); ok {
				inner(b, b)
			}
			if l, ok := s.(*ast.LabeledStmt); ok {
				add(l.Pos(), l.End(), f.copy(l.Stmt))
			}
			if d, ok := s.(*ast.DeferStmt); ok {
				add(d.Pos(), d.End(), f.copy(d.Call))
			}
			if g, ok := s.(*ast.GoStmt); ok {
				add(g.Pos(), g.End(), f.copy(g.Call))
			}
		}
	}
}

// expressions puts operands and arguments in the place of what they are part of, and
// nil or nothing in the place of what may have any value.
func expressions(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	swap := func(x ast.Node, parts ...ast.Expr) {
		for _, p := range parts {
			add(x.Pos(), x.End(), f.copy(p))
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		swap(n, n.X, n.Y)
	case *ast.ParenExpr:
		swap(n, n.X)
	case *ast.UnaryExpr:
		swap(n, n.X)
	case *ast.CallExpr:
		swap(n, n.Args...)
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
			swap(n, sel.X)
		}
		add(n.Pos(), n.End(), srcedit.Text("0"))
		if lit, ok := n.Fun.(*ast.FuncLit); ok && len(lit.Body.List) > 0 && len(n.Args) == 0 {
			list := lit.Body.List
			add(n.Pos(), n.End(), srcedit.Copy(f.name, f.offset(list[0].Pos()), f.offset(list[len(list)-1].End())))
		}
	case *ast.IndexExpr:
		swap(n, n.X)
		add(n.Pos(), n.End(), srcedit.Text("0"))
	case *ast.SelectorExpr:
		add(n.Pos(), n.End(), srcedit.Text("0"))
	case *ast.AssignStmt:
		// x, y := f(), g() without one of its sides.
		if len(n.Lhs) == len(n.Rhs) && len(n.Lhs) > 1 {
			for i := range n.Lhs {
				add(n.Pos(), n.End(), f.copy(n.Lhs[i]), srcedit.Text(" "+n.Tok.String()+" "), f.copy(n.Rhs[i]))
			}
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			add(n.Results[0].Pos(), n.End(), srcedit.Text(""))
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			add(n.Cond.Pos(), n.Cond.End(), srcedit.Text("false"))
		}
	case *ast.IfStmt:
		add(n.Cond.Pos(), n.Cond.End(), srcedit.Text("true"))
	}
}

func elements(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	list := func(xs []ast.Expr) {
		for i, x := range xs {
			end := x.End()
			if i+1 < len(xs) && f.tok.Line(xs[i+1].Pos()) == f.tok.Line(x.Pos()) {
				end = xs[i+1].Pos()
			}
			add(x.Pos(), end)
		}
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		list(n.Elts)
	case *ast.CallExpr:
		if len(n.Args) > 1 {
			list(n.Args)
		}
	case *ast.CaseClause:
		if len(n.List) > 1 {
			list(n.List)
		}
	}
}

func fields(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	list := func(fl *ast.FieldList) {
		if fl == nil {
			return
		}
		for i, x := range fl.List {
			end := x.End()
			if i+1 < len(fl.List) && f.tok.Line(fl.List[i+1].Pos()) == f.tok.Line(x.Pos()) {
				end = fl.List[i+1].Pos()
			}
			add(x.Pos(), end)
		}
	}
	switch n := n.(type) {
	case *ast.StructType:
		list(n.Fields)
	case *ast.InterfaceType:
		list(n.Methods)
	case *ast.FuncDecl:
		list(n.Type.TypeParams)
		if n.Recv != nil {
			add(n.Recv.Pos(), n.Name.Pos())
		}
	}
}

// resultUnits removes what functions return, where they say so and where they do it.
func resultUnits(s *script, _ int) (units []unit, more bool) {
	for _, f := range s.parse() {
		for _, d := range f.ast.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Type.Results == nil || fd.Body == nil {
				continue
			}
			u := unit{file: f.name, start: f.offset(fd.Type.Results.Pos()), end: f.offset(fd.Type.Results.End()), with: []srcedit.Piece{srcedit.Text("")}}
			ast.Inspect(fd.Body, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
					u.along = append(u.along, [2]int{f.offset(r.Results[0].Pos()), f.offset(r.End())})
				}
				_, literal := n.(*ast.FuncLit)
				return !literal
			})
			units = append(units, u)
		}
	}
	return units, false
}

// literals are made short: 0 for a number, x for a text, int for another basic type.
func literals(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece)) {
	lit, ok := n.(*ast.BasicLit)
	if !ok {
		return
	}
	try := func(text string) {
		if text != lit.Value {
			add(lit.Pos(), lit.End(), srcedit.Text(text))
		}
	}
	switch lit.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(lit.Value, 0, 64); err == nil && v > 1 {
			try("0")
			try("1")
			if v > 3 {
				try("2")
			}
		}
	case token.STRING:
		if text, err := strconv.Unquote(lit.Value); err == nil && len(text) > 1 && !strings.HasPrefix(lit.Value, "`") {
			try(`""`)
			try(fmt.Sprintf("%q", text[:1]))
		}
	}
}

func commentUnits(s *script, _ int) (units []unit, more bool) {
	for _, f := range s.parse() {
		for _, g := range f.ast.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//line") {
					continue
				}
				start, end := wholeLines(f.text, f.offset(c.Pos()), f.offset(c.End()))
				units = append(units, unit{file: f.name, start: start, end: end})
			}
		}
	}
	return units, false
}

func blankUnits(s *script, _ int) (units []unit, more bool) {
	for _, name := range s.goFiles() {
		at, last := 0, ""
		for line := range strings.Lines(string(s.files[name])) {
			// One is left between declarations.
			if strings.TrimSpace(line) == "" && !strings.HasPrefix(last, "}") && !strings.HasPrefix(last, "package ") && !strings.HasPrefix(last, "import ") && !strings.HasPrefix(last, ")") {
				units = append(units, unit{file: name, start: at, end: at + len(line)})
			} else {
				last = line
			}
			at += len(line)
		}
	}
	return units, false
}
