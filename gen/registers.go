package gen

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"

	"misstep/internal/source"
)

// wide and vectors are registers of processors, by their architecture, as Delve names them: of 64 bits, and longer ones
// (Documentation/cli/expr.md, CPU Registers).
var (
	wide    = map[string][]string{"amd64": {"RIP", "RSP", "RBP", "RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "R8", "R9", "R10", "R12", "R15"}, "arm64": {"PC", "SP", "X0", "X1", "X2", "X29"}}
	vectors = map[string][]string{"amd64": {"XMM0", "XMM1", "XMM7", "XMM15"}, "arm64": {"V0", "V1"}}
)

// register is the beginning of an expression that reads a register.
var register = regexp.MustCompile(`^(u?int\d+)?[(_+]*([A-Z][A-Z0-9]+)\b`)

// Register reports whether an expression is one that [Respelled] gives for a register, which holds what it happens to hold.
func Register(expression string) bool {
	m := register.FindStringSubmatch(expression)
	return m != nil && (slices.Contains(wide[runtime.GOARCH], m[2]) || slices.Contains(vectors[runtime.GOARCH], m[2]))
}

// registers are two ways to write a register or a part of one, whose parts are numbers from the lowest bits on; empty where there are
// none, or a variable may have the register's name.
func registers(r *rand.Rand, src *source.Source) (one, other string) {
	if len(wide[runtime.GOARCH]) == 0 {
		return "", ""
	}
	name := pick(r, wide[runtime.GOARCH])
	whole, half := name, 0 // 64 bits of the register, and which
	if r.IntN(3) == 0 {
		name, half = pick(r, vectors[runtime.GOARCH]), r.IntN(2)
		whole = fmt.Sprintf("%s.uint64[%d]", name, half)
	}
	if src.Declares(name) {
		return "", ""
	}
	if whole == name && r.IntN(4) == 0 {
		return name, pick(r, []string{"_" + name, "__" + name, name + ".uint64[0]", "+" + name, "(" + name + ")"})
	}
	size := pick(r, []int{8, 16, 32})
	at := r.IntN(64 / size) // of a part in those
	part := at + half*64/size
	kind := pick(r, []string{"uint", "int"})
	text := fmt.Sprintf("%s.%s%d", name, kind, size)
	one = fmt.Sprintf("%s[%d]", text, part)
	if r.IntN(4) == 0 {
		return one, fmt.Sprintf("%s[%d:%d][0]", text, part, part+1)
	}
	return one, fmt.Sprintf("%s%d(%s >> %d)", kind, size, whole, at*size)
}
