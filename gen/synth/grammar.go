package synth

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/exp/ebnf"
)

// spec is the grammar of the Go specification, of Go 1.26.
//
//go:embed go.ebnf
var spec string

// An Alternative is one that a derivation may take: which one of a part of a production.
type Alternative struct {
	Production string
	Part       int // which of the production's choices, from 1 in their order; 0 for the production as a whole
	Branch     int // which branch; of what is optional 0 for none, of what is repeated 2 for several
}

// String is the production with the numbers of its part and branch.
func (a Alternative) String() string {
	if a.Part == 0 {
		return a.Production
	}
	return fmt.Sprintf("%s.%d.%d", a.Production, a.Part, a.Branch)
}

// kind is what a node of a production is.
type kind int

const (
	literally kind = iota
	span           // a range of characters, of which the first stands for all
	name
	sequence
	branches
	option
	repetition
)

// node is a part of a production.
type node struct {
	kind kind
	text string // of a token or a name, or the first of a range
	part int    // of what is chosen, its number in the production
	subs []*node
	size int // tokens of its shortest string
}

// Grammar is a grammar in the notation of the Go specification.
type Grammar struct {
	productions map[string]*node
}

// none is the size of what has no string.
const none = 1 << 20

// Go is the grammar of Go.
func Go() (*Grammar, error) { return parse(spec) }

// parse reads a grammar.
func parse(text string) (*Grammar, error) {
	read, err := ebnf.Parse("go.ebnf", strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the grammar: %w", err)
	}
	g := &Grammar{map[string]*node{}}
	for name, p := range read {
		parts := 0
		g.productions[name] = convert(p.Expr, &parts)
	}
	for name, n := range characters {
		g.productions[name] = &node{kind: literally, text: n}
	}
	g.measure()
	return g, nil
}

// characters stand for the productions that the specification describes in words.
var characters = map[string]string{"newline": "\n", "unicode_char": "é", "unicode_letter": "a", "unicode_digit": "1"}

// convert turns an expression into a node, and numbers what can be chosen.
func convert(x ebnf.Expression, parts *int) *node {
	chosen := func(k kind, subs ...ebnf.Expression) *node {
		*parts++
		n := &node{kind: k, part: *parts}
		for _, s := range subs {
			n.subs = append(n.subs, convert(s, parts))
		}
		return n
	}
	switch x := x.(type) {
	case ebnf.Alternative:
		return chosen(branches, x...)
	case ebnf.Sequence:
		n := &node{kind: sequence}
		for _, s := range x {
			n.subs = append(n.subs, convert(s, parts))
		}
		return n
	case *ebnf.Group:
		return convert(x.Body, parts)
	case *ebnf.Option:
		return chosen(option, x.Body)
	case *ebnf.Repetition:
		return chosen(repetition, x.Body)
	case *ebnf.Range:
		return &node{kind: span, text: x.Begin.String}
	case *ebnf.Name:
		return &node{kind: name, text: x.String}
	case *ebnf.Token:
		return &node{kind: literally, text: x.String}
	}
	return &node{kind: sequence} // a production that says nothing
}

// measure computes the length of the shortest string of each node (Algorithm 1 of the paper).
func (g *Grammar) measure() {
	for _, n := range g.productions {
		n.each(func(n *node) { n.size = none })
	}
	for changed := true; changed; {
		changed = false
		var set func(n *node)
		set = func(n *node) {
			for _, s := range n.subs {
				set(s)
			}
			size := 0
			switch n.kind {
			case literally, span:
				size = 1
			case name:
				size = none
				if p := g.productions[n.text]; p != nil {
					size = p.size
				}
			case sequence:
				for _, s := range n.subs {
					size += s.size
				}
			case branches:
				size = none
				for _, s := range n.subs {
					size = min(size, s.size)
				}
			}
			if size = min(size, none); size < n.size {
				n.size, changed = size, true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(g.productions)) {
			set(g.productions[name])
		}
	}
}

// each calls f with a node and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, s := range n.subs {
		s.each(f)
	}
}

// Alternatives are those of the grammar, in order.
func (g *Grammar) Alternatives() []Alternative {
	var all []Alternative
	for _, name := range slices.Sorted(maps.Keys(g.productions)) {
		all = append(all, Alternative{Production: name})
		g.productions[name].each(func(n *node) {
			for b := range n.branchCount() {
				all = append(all, Alternative{name, n.part, b})
			}
		})
	}
	slices.SortFunc(all, func(a, b Alternative) int {
		return strings.Compare(fmt.Sprintf("%s %3d %3d", a.Production, a.Part, a.Branch), fmt.Sprintf("%s %3d %3d", b.Production, b.Part, b.Branch))
	})
	return all
}

// branchCount is how many ways there are at a node; 0 where nothing is chosen.
func (n *node) branchCount() int {
	switch n.kind {
	case branches:
		return len(n.subs)
	case option:
		return 2
	case repetition:
		return 3
	}
	return 0
}

// Say is an alternative as people read it: its production, and what is there.
func (g *Grammar) Say(a Alternative) string {
	if a.Part == 0 {
		return a.Production
	}
	says := ""
	g.productions[a.Production].each(func(n *node) {
		if n.part != a.Part {
			return
		}
		switch n.kind {
		case branches:
			says = n.subs[a.Branch].String()
		case option:
			says = []string{"without ", "with "}[a.Branch] + n.subs[0].String()
		case repetition:
			says = []string{"no ", "one ", "several "}[a.Branch] + n.subs[0].String()
		}
	})
	return a.Production + ": " + says
}

// String is a node in the notation of the specification.
func (n *node) String() string {
	var subs []string
	for _, s := range n.subs {
		subs = append(subs, s.String())
	}
	switch n.kind {
	case literally, span:
		return fmt.Sprintf("%q", n.text)
	case name:
		return n.text
	case sequence:
		return strings.Join(subs, " ")
	case branches:
		return "( " + strings.Join(subs, " | ") + " )"
	case option:
		return "[ " + subs[0] + " ]"
	}
	return "{ " + subs[0] + " }"
}

// lexical reports whether a production is of characters, which nothing may come between.
func lexical(production string) bool { return unicode.IsLower([]rune(production)[0]) }

// impossible is a table of the alternatives that no program which runs can have, with the reasons.
var impossible = map[Alternative]string{
	{"SourceFile", 2, 0}:   "a program has a function main",
	{"SelectStmt", 1, 0}:   "a select without clauses waits for ever",
	{"FunctionDecl", 2, 0}: "a function without a body is written in assembly",
	{"MethodDecl", 1, 0}:   "a method without a body is written in assembly",
}
