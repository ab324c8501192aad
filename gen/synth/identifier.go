package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// identifiers gives leaves of derivations: identifiers of the context, and now and then what is shorter than a derivation.
type identifiers struct {
	r      *rand.Rand
	fresh  int
	vars   []string // that the fragment declares
	types  []string
	mostly map[string][]string
}

func (ids *identifiers) leaf(d *derivation, production string) (string, bool) {
	if s, ok := shortcuts[production]; ok && ids.r.IntN(10) < s.of {
		return ids.pick(production, s.texts), true
	}
	switch production {
	case "string_lit":
		if d.path[len(d.path)-1] == "ImportPath" {
			return shortcuts["ImportPath"].texts[ids.r.IntN(2)], true
		}
	case "identifier":
		return ids.identifier(d), true
	case "QualifiedIdent":
		var fit []string
		for _, q := range qualified {
			if q.typ == slices.Contains(d.path, "TypeName") {
				fit = append(fit, q.pkg+"."+q.name)
			}
		}
		return fit[ids.r.IntN(len(fit))], true
	}
	return "", false
}

// few is how many of a list an attempt mostly takes from, so that what it takes belongs together now and then.
const few = 3

// pick takes one of a list, by the name of what it stands for.
func (ids *identifiers) pick(of string, list []string) string {
	if ids.mostly[of] == nil {
		for range few {
			ids.mostly[of] = append(ids.mostly[of], list[ids.r.IntN(len(list))])
		}
	}
	if ids.r.IntN(4) > 0 {
		list = ids.mostly[of]
	}
	return list[ids.r.IntN(len(list))]
}

// identifier is one that may stand where the derivation is.
func (ids *identifiers) identifier(d *derivation) string {
	around := d.path[len(d.path)-1]
	outer := ""
	if len(d.path) > 1 {
		outer = d.path[len(d.path)-2]
	}
	if around == "PackageName" {
		if outer == "ImportSpec" {
			return "alias"
		}
		return qualified[ids.r.IntN(len(qualified))].pkg
	}
	switch around {
	case "Label":
		switch outer {
		case "GotoStmt":
			return "done"
		case "BreakStmt", "ContinueStmt":
			return "loop"
		}
		ids.fresh++
		return fmt.Sprintf("again%d", ids.fresh)
	case "TypeDef", "AliasDecl":
		ids.fresh++
		name := fmt.Sprintf("made%d", ids.fresh)
		ids.types = append(ids.types, name)
		return name
	case "IdentifierList", "TypeSwitchGuard":
		if outer == "TypeParamDecl" {
			ids.fresh++
			name := fmt.Sprintf("T%d", ids.fresh)
			ids.types = append(ids.types, name)
			return name
		}
		if ids.r.IntN(12) == 0 {
			return "_"
		}
		ids.fresh++
		name := fmt.Sprintf("v%d", ids.fresh)
		ids.vars = append(ids.vars, name)
		return name
	case "TypeName":
		if len(ids.types) > 0 && ids.r.IntN(3) == 0 {
			return ids.types[ids.r.IntN(len(ids.types))]
		}
	case "OperandName":
		if len(ids.vars) > 0 && ids.r.IntN(4) == 0 {
			return ids.vars[ids.r.IntN(len(ids.vars))]
		}
	}
	if list := names[around]; list != nil {
		return ids.pick(around, list)
	}
	return "n"
}
