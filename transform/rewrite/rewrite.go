package rewrite

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"strconv"

	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
	"misstep/transform"
)

// A Rewrite is a transformation of programs: a change of the source that must
// not matter. It is made at one of its sites by edits of bytes, and comes with
// the relation between what a debugger shows before and after.
type Rewrite struct {
	Name string
	// Doc says what is changed, what must hold, and what is not touched.
	Doc string
	// NeedsRun says that the sites depend on what a run executes, see
	// Given.Unrun.
	NeedsRun bool
	// NeedsBase says that the sites depend on what the base does, so that there is none without one.
	NeedsBase bool
	// Sites lists where it may be applied to the subject, in a fixed order. What
	// would be a false alarm is no site.
	Sites func(s *Given) []Site
}

// All are the transformations of programs.
var All = []Rewrite{
	deadCode,
	removeDeadCode,
	addParameter,
	noOp,
	keepWild,
	addSignal,
	hardcodeBreakpoint,
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
	mainThroughC,
	mainInChild,
	addChild,
	addC,
	addGoroutines,
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

// A Variant is a rewritten program.
type Variant struct {
	Program  *gobuild.Program
	Relation *transform.Relation // its New source is to be filled in
}

// Lookup finds a transformation of programs by name.
func Lookup(name string) (Rewrite, bool) {
	for _, t := range All {
		if t.Name == name {
			return t, true
		}
	}
	return Rewrite{}, false
}

// sites lists the sites of a rewrite by name: file:line:column, and after a #
// the number of those that share a position.
func (t Rewrite) sites(s *Given) (names []string, sites map[string]Site) {
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
func (t Rewrite) Choose(s *Given, r *rand.Rand) (p transform.Params, candidates int) {
	names, _ := t.sites(s)
	if len(names) == 0 {
		return nil, 0
	}
	return transform.Params{"site": transform.Pick(r, names), "seed": strconv.Itoa(r.IntN(1000))}, len(names)
}

// Make rewrites a program as the parameters say.
func (t Rewrite) Make(s *Given, p transform.Params) (*Variant, error) {
	_, sites := t.sites(s)
	site, ok := sites[p["site"]]
	if !ok {
		return nil, transform.NotMadef("%s does not apply at %s", t.Name, p["site"])
	}
	seed, err := p.Num("seed")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, f := range s.Source.Files {
		texts[f.Name] = f.Text
	}
	s.fresh = 0
	c := &Change{
		Edits: srcedit.New(texts), Relation: &transform.Relation{Old: s.Source, Own: map[string]bool{}, OwnFuncs: map[string]bool{}},
		Given: s, R: rand.New(rand.NewPCG(uint64(seed), 0x72657772)),
	}
	site.Do(c)
	changed, lines, err := c.Apply()
	if err != nil {
		return nil, fmt.Errorf("transformation %s of %s at %s: %w", t.Name, s.Source.Program.Name, p["site"], err)
	}
	c.Lines = lines
	return &Variant{Program: c.program(changed), Relation: c.Relation}, nil
}
