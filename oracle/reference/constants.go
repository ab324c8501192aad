package reference

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"misstep/dap"
)

// namedText is a number that is shown with the constants that it equals, or is made of.
var namedText = regexp.MustCompile(`^([\pL_][\w\pL./|~-]*) \((-?\d+)\)$`)

// misnamed holds the names of constants that a value is shown with, here and in its parts,
// against what the program declares: a name is a constant's of that type, and has that value, or
// several make it up as its bits. The package is not named again.
func (m *Model) misnamed(v dap.Variable, name string) mismatch {
	if found := namedText.FindStringSubmatch(v.Value); found != nil {
		if bad := m.misnames(v, name, found[1], found[2]); bad != (mismatch{}) {
			return bad
		}
	}
	for _, c := range v.Children {
		if bad := m.misnamed(c, name+join(c.Name)); bad != (mismatch{}) {
			return bad
		}
	}
	return mismatch{}
}

func (m *Model) misnames(v dap.Variable, name, shown, number string) mismatch {
	path, typ := cutLast(plainType(v.Type), ".")
	pkg := m.declaring(path)
	if pkg == nil {
		return mismatch{}
	}
	total := constant.MakeInt64(0)
	for _, word := range strings.Split(shown, "|") {
		in, word := cutLast(word, ".")
		if in == path && in != "" {
			return mismatch{name + ", its constant", word + ", as its type names the package", v.Value}
		}
		c, ok := pkg.Scope().Lookup(word).(*types.Const)
		if !ok || c.Val().Kind() != constant.Int {
			return mismatch{name + ", its constant", "a constant of " + v.Type, v.Value}
		}
		if named, ok := types.Unalias(c.Type()).(*types.Named); !ok || named.Obj().Name() != typ {
			return mismatch{name + ", its constant", "a constant of " + v.Type, v.Value}
		}
		total = constant.BinaryOp(total, token.OR, c.Val())
	}
	if total.ExactString() != number {
		return mismatch{name + ", its constant", number, v.Value}
	}
	return mismatch{}
}

// declaring is the recorded package of a name, which debuggers write before that of a type; nil
// if several have it, or none.
func (m *Model) declaring(name string) (found *types.Package) {
	seen := map[*types.Package]bool{}
	for n := range m.Plan.Funcs {
		if _, pkg := m.Code.Node(n); pkg != nil && pkg.Types != nil && pkg.Types.Name() == name && !seen[pkg.Types] {
			seen[pkg.Types] = true
			found = pkg.Types
		}
	}
	if len(seen) != 1 {
		return nil
	}
	return found
}

// cutLast is what is before the last separator of a text, and what is after it.
func cutLast(s, sep string) (before, after string) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):]
	}
	return "", s
}
