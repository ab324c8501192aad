package action

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
	"misstep/transform"
)

// respellings is how many expressions are evaluated in two ways.
const respellings = 6

// noSymbol is how Delve refuses a name that it does not know, such as that of a type which is not in the binary.
var noSymbol = regexp.MustCompile(`could not find symbol value for (\w+)$`)

// unusedType reports whether an answer is refused as the binary does not have a predeclared type, which the program does not mention.
func unusedType(src *source.Source, out *dap.Output) bool {
	m := noSymbol.FindStringSubmatch(out.Text)
	if out.Kind != dap.Refused || m == nil {
		return false
	}
	if _, ok := types.Universe.Lookup(m[1]).(*types.TypeName); !ok {
		return false
	}
	return !slices.ContainsFunc(src.Files, func(f *source.File) bool {
		mentioned := false
		ast.Inspect(f.AST, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			mentioned = mentioned || ok && id.Name == m[1]
			return !mentioned
		})
		return mentioned
	})
}

// valueless reports whether an answer is that there is no value, as a refusal or in the place of one.
func valueless(out *dap.Output) bool {
	return out.Kind == dap.Refused || out.Kind == dap.Answered && out.Value != nil && strings.HasPrefix(out.Value.Value, unreadable)
}

// respell evaluates an expression, and the same written in another way. Guards: of what is refused it is compared that both
// are, and adapters other than Delve are asked for Go's own expressions alone.
var respell = transform.Transformation{
	Name: "respell",
	Doc:  "Evaluates expressions in two ways to write them that mean the same, such as p.f and (*p).f, or a caller's variable and runtime.frame(1).x: the same value, and no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 {
			return nil, false
		}
		i := transform.Pick(c.R, at)
		return transform.Params{"at": strconv.Itoa(i + 1), "seed": strconv.Itoa(c.R.IntN(1_000_000))}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		seed, err := p.Num("seed")
		if err != nil {
			return err
		}
		return d.AtPause(p, func(pause *dap.Pause) error {
			r := rand.New(rand.NewPCG(uint64(seed), 0x7370656c))
			made := false
			for range respellings {
				frame := 0
				for f := range pause.Stack {
					if d.Source.Own(pause.Stack[f].File) && r.IntN(3) == 0 {
						frame = f
						break
					}
				}
				one, other, name, ok := gen.Respelled(r, d.Source, pause, frame, d.Session.Adapter().Name != "dlv")
				if !ok {
					continue
				}
				a, err := d.Do(one)
				if err != nil {
					return err
				}
				b, err := d.Do(other)
				if err != nil {
					return err
				}
				if a.Kind != b.Kind && (a.Kind == dap.Unsupported || b.Kind == dap.Unsupported) || valueless(a) && valueless(b) {
					continue
				}
				if unusedType(d.Source, a) || unusedType(d.Source, b) {
					continue // tolerance other-expressions
				}
				made = true
				if err := d.Equal(len(d.Events)-1, a, b, dap.Lens{}); err != nil {
					var m *transform.Mismatch
					if errors.As(err, &m) {
						m.Diff.What = fmt.Sprintf("%s for %s (%s), %s", other.Name, one.Name, name, m.Diff.What)
					}
					return err
				}
			}
			if !made {
				return transform.NotMadef("nothing there has two spellings")
			}
			return nil
		})
	},
}
