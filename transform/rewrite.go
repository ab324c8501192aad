package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// A Rewrite is a transformation of programs: a change of the source that must
// not matter. It is made at one of its sites by edits of bytes, and comes with
// the relation between what a debugger shows before and after.
type Rewrite struct {
	Name string
	// Doc says what is changed, what must hold, and what is not touched.
	Doc string
	// NeedsRun tells that the sites depend on what a run executes, see
	// Subject.Unrun.
	NeedsRun bool
	// Rare tells that few programs have sites, so that it is to be preferred where
	// one has.
	Rare bool
	// Sites lists where it may be applied to the subject, in a fixed order. What
	// would be a false alarm is no site.
	Sites func(s *Subject) []Site
}

// Rewrites are all transformations of programs.
var Rewrites = []Rewrite{
	deadCode,
	removeDeadCode,
	addParameter,
	noOp,
	integerLiteral,
	booleanLiteral,
	blankLines,
	carriageReturns,
	joinLines,
	splitLines,
	wrapBlock,
	callLiteral,
	funcToClosure,
	funcToMethod,
	funcToGeneric,
	renameLocal,
	shadowLocal,
	moveToHeap,
	mainToGoroutine,
	mainToInit,
	mainToTest,
	lineDirective,
	reorderDecls,
	splitFile,
	movePackage,
	forToRange,
	rangeToFor,
	ifToSwitch,
	switchToIf,
	rangeToFunc,
}

// A Site is a place where a rewrite applies.
type Site struct {
	Pos token.Pos
	// Do makes the change; its choices come from c.R.
	Do func(c *Change)
}

// A Subject is a program that is to be rewritten.
type Subject struct {
	Source *source.Source
	// Base is the trace that the follow-up run will be compared with; nil if
	// there is none. It narrows the sites.
	Base []dap.Event
	// ExitCode is that of a plain run.
	ExitCode int
	// Unrun are the blocks that a run of the program does not execute; nil if
	// that is not known.
	Unrun []gobuild.Block

	fresh int                                    // names made so far
	graph map[types.Object]map[types.Object]bool // see references
}

// A Change is a rewrite being made.
type Change struct {
	*srcedit.Edits
	*Relation
	Subject *Subject
	R       *rand.Rand
}

// A Variant is a rewritten program.
type Variant struct {
	Program  *gobuild.Program
	Relation *Relation // its New source is to be filled in
}

// LookupRewrite finds a transformation of programs by name.
func LookupRewrite(name string) (Rewrite, bool) {
	for _, t := range Rewrites {
		if t.Name == name {
			return t, true
		}
	}
	return Rewrite{}, false
}

// sites lists the sites of a rewrite by name: file:line:column, and behind a #
// the number of those that share a position.
func (t Rewrite) sites(s *Subject) (names []string, sites map[string]Site) {
	sites = map[string]Site{}
	if reason := s.refuse(); reason != "" {
		return nil, sites
	}
	for _, site := range t.Sites(s) {
		p := s.Source.Fset.PositionFor(site.Pos, false)
		f := s.Source.FileOf(site.Pos)
		if f == nil {
			continue
		}
		base := fmt.Sprintf("%s:%d:%d", f.Name, p.Line, p.Column)
		name := base
		for n := 2; sites[name].Do != nil; n++ {
			name = fmt.Sprintf("%s#%d", base, n)
		}
		sites[name] = site
		names = append(names, name)
	}
	return names, sites
}

// Choose picks a site at random; candidates is how many there are.
func (t Rewrite) Choose(s *Subject, r *rand.Rand) (p Params, candidates int) {
	names, _ := t.sites(s)
	if len(names) == 0 {
		return nil, 0
	}
	return Params{"site": pick(r, names), "seed": strconv.Itoa(r.IntN(1000))}, len(names)
}

// Make rewrites a program as the parameters say.
func (t Rewrite) Make(s *Subject, p Params) (*Variant, error) {
	_, sites := t.sites(s)
	site, ok := sites[p["site"]]
	if !ok {
		return nil, notMade("%s does not apply at %s", t.Name, p["site"])
	}
	seed, err := p.num("seed")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, f := range s.Source.Files {
		texts[f.Name] = f.Text
	}
	s.fresh = 0
	c := &Change{
		Edits: srcedit.New(texts), Relation: &Relation{Old: s.Source, Own: map[string]bool{}, OwnFuncs: map[string]bool{}},
		Subject: s, R: rand.New(rand.NewPCG(uint64(seed), 0x72657772)),
	}
	site.Do(c)
	changed, lines, err := c.Apply()
	if err != nil {
		return nil, fmt.Errorf("transformation %s of %s at %s: %w", t.Name, s.Source.Program.Name, p["site"], err)
	}
	c.Lines = lines
	return &Variant{Program: c.program(changed), Relation: c.Relation}, nil
}

// program is the subject's with changed files.
func (c *Change) program(changed map[string][]byte) *gobuild.Program {
	old := c.Subject.Source.Program
	p := *old
	p.Overlay = maps.Clone(old.Overlay)
	if p.Overlay == nil {
		p.Overlay = map[string][]byte{}
	}
	p.Files = slices.Clone(old.Files)
	p.Target = slices.Clone(old.Target)
	remove := func(list []string, path string) []string {
		return slices.DeleteFunc(list, func(s string) bool { return s == path })
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		text := changed[name]
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(old.Dir, filepath.FromSlash(name))
		}
		p.Overlay[path] = text
		switch {
		case text == nil:
			p.Files, p.Target = remove(p.Files, path), remove(p.Target, path)
		case !slices.Contains(p.Files, path) && filepath.Dir(path) == p.RunDir():
			p.Files = append(p.Files, path)
			if len(p.Target) > 0 && filepath.IsAbs(p.Target[0]) {
				p.Target = append(p.Target, path)
			}
		}
	}
	slices.Sort(p.Files)
	if c.Test != "" {
		p.Test = true
	}
	return &p
}

var freshName = regexp.MustCompile(`\bmisstep(\d+)`)

// name makes a name that the program does not have.
func (c *Change) name() string {
	if c.Subject.fresh == 0 {
		for path := range c.Subject.Source.Program.Overlay {
			// Names of files that rewrites have added.
			for _, m := range freshName.FindAllStringSubmatch(path, -1) {
				if n, err := strconv.Atoi(m[1]); err == nil {
					c.Subject.fresh = max(c.Subject.fresh, n)
				}
			}
		}
		for _, f := range c.Subject.Source.Files {
			for _, m := range freshName.FindAllSubmatch(f.Text, -1) {
				if n, err := strconv.Atoi(string(m[1])); err == nil {
					c.Subject.fresh = max(c.Subject.fresh, n)
				}
			}
		}
	}
	c.Subject.fresh++
	return "misstep" + strconv.Itoa(c.Subject.fresh)
}

// ownVar makes a name for a variable of the change's own.
func (c *Change) ownVar() string {
	n := c.name()
	c.Own[n] = true
	return n
}

// ownFunc makes a name for a function of the change's own, which is never
// stepped into as far as a user can see.
func (c *Change) ownFunc() string {
	n := c.name()
	c.OwnFuncs["main."+n] = true
	return n
}

// at is a position as file and offset.
func (c *Change) at(pos token.Pos) (file string, offset int) {
	return c.Subject.Source.FileOf(pos).Name, c.Subject.Source.Offset(pos)
}

// insert puts text before a position.
func (c *Change) insert(pos token.Pos, text string) {
	file, at := c.at(pos)
	c.Insert(file, at, text)
}

// replace puts text in the place of a node.
func (c *Change) replace(n ast.Node, text string) { c.replaceRange(n.Pos(), n.End(), text) }

func (c *Change) replaceRange(from, to token.Pos, text string) {
	file, start := c.at(from)
	_, end := c.at(to)
	c.Replace(file, start, end, srcedit.Text(text))
}

// text is a node as it stands in the source.
func (s *Subject) text(n ast.Node) string {
	f := s.Source.FileOf(n.Pos())
	return string(f.Text[s.Source.Offset(n.Pos()):s.Source.Offset(n.End())])
}

// indent is the white space before a position on its line; first tells whether
// nothing else is.
func (s *Subject) indent(pos token.Pos) (indent string, first bool) {
	f := s.Source.FileOf(pos)
	at := s.Source.Offset(pos)
	start := at
	for start > 0 && f.Text[start-1] != '\n' {
		start--
	}
	before := string(f.Text[start:at])
	return before[:len(before)-len(strings.TrimLeft(before, " \t"))], strings.TrimSpace(before) == ""
}

// last tells whether nothing but a comment follows a position on its line.
func (s *Subject) last(pos token.Pos) bool {
	f := s.Source.FileOf(pos)
	rest := f.Text[s.Source.Offset(pos):]
	for i, b := range rest {
		if b == '\n' {
			rest = rest[:i]
			break
		}
	}
	text := strings.TrimSpace(string(rest))
	return text == "" || strings.HasPrefix(text, "//")
}

// before puts a statement before another: on lines of its own or, if chance or
// the layout will have it so, on the same line. A line that had no code must not
// get some.
func (c *Change) before(stmt ast.Stmt, text string) {
	indent, first := c.Subject.indent(stmt.Pos())
	if first && (c.R.IntN(2) == 0 || codeless(stmt)) {
		c.insert(stmt.Pos(), strings.ReplaceAll(text, "\n", "\n"+indent)+"\n"+indent)
		return
	}
	c.insert(stmt.Pos(), strings.Join(strings.FieldsFunc(strings.ReplaceAll(text, "{\n", "{ "), func(r rune) bool { return r == '\n' }), "; ")+"; ")
}

// codeless tells whether a statement may have no code on its first line.
func codeless(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		// Of a value without a size, or to the blank identifier.
		id, ok := s.Lhs[0].(*ast.Ident)
		_, lit := s.Rhs[0].(*ast.CompositeLit)
		return lit || ok && id.Name == "_"
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.ReturnStmt, *ast.RangeStmt, *ast.GoStmt, *ast.DeferStmt:
		return false
	}
	return true // a condition may be known
}

// after puts a statement behind another.
func (c *Change) after(stmt ast.Stmt, text string) {
	indent, first := c.Subject.indent(stmt.Pos())
	if first && c.Subject.last(stmt.End()) && c.R.IntN(2) == 0 {
		c.insert(stmt.End(), "\n"+indent+text)
		return
	}
	c.insert(stmt.End(), "; "+text)
}

// declare puts a declaration at the end of the file that a position lies in.
func (c *Change) declare(pos token.Pos, text string) {
	c.Append(c.Subject.Source.FileOf(pos).Name, "\n"+text+"\n")
}
