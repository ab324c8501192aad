package rewrite

import (
	"fmt"
	"strings"

	"misstep/transform"
)

// keepWild declares a variable whose memory is not what its type says: pointers to where nothing can be, lengths that are too long or
// negative. The program never looks at it. Guards: as in add-no-op; pointers are none that the garbage collector or a stack that is moved
// would take for Go's own, which end a program.
var keepWild = Rewrite{
	Name: "keep-wild",
	Doc:  "Declares a variable with pointers to nowhere and lengths that are too long, which nothing looks at: it is shown somehow, and there is no other difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.declares("bool", "byte", "error", "int", "string", "uintptr") {
			return nil
		}
		var sites []Site
		for _, sl := range s.slots() {
			if jumps(sl.fn) {
				continue // over the declaration
			}
			file := s.Source.FileOf(sl.stmt.Pos())
			sites = append(sites, Site{sl.stmt.Pos(), func(c *Change) {
				pkg, kept, spoil := c.name(), c.ownVar(), c.ownFunc()
				c.insert(file.AST.Name.End(), "; import "+pkg+` "unsafe"`)
				c.before(sl.stmt, fmt.Sprintf("var %s %skept; %s(&%[1]s)", kept, spoil, spoil))
				c.declare(sl.stmt.Pos(), strings.NewReplacer("spoil", spoil, "unsafe", pkg,
					"WHERE", transform.Pick(c.R, nowhere), "LENGTH", transform.Pick(c.R, lengths)).Replace(wildText))
			}})
		}
		return sites
	},
}

var (
	// nowhere are addresses at which a program has nothing.
	nowhere = []string{"1<<46 + 8", "1 << 47", "1<<47 - 16", "1 << 63", "^uintptr(0) - 7", "^uintptr(0) - 15", "^uintptr(0)>>1 - 31"}
	// lengths are those of what there is nothing of.
	lengths = []string{"1", "5", "65", "1 << 20", "1 << 40", "1<<63 - 1", "-1", "-1 << 63"}
)

const wildText = `type spoilkept struct {
	pointer  *struct{ next *int }
	twice    **int
	text     string
	bytes    []byte
	texts    []string
	nested   [][]int
	any      interface{}
	failed   error
	entries  map[string]int
	numbers  map[int]struct{ a, b string }
	channel  chan int
	function func(int) int
}

func spoil(k *spoilkept) {
	type words [3]uintptr
	at, n := uintptr(WHERE), LENGTH
	*(*uintptr)(unsafe.Pointer(&k.pointer)) = at
	*(*uintptr)(unsafe.Pointer(&k.twice)) = at
	*(*[2]uintptr)(unsafe.Pointer(&k.text)) = [2]uintptr{at, uintptr(n)}
	*(*words)(unsafe.Pointer(&k.bytes)) = words{at, uintptr(n), uintptr(n)}
	*(*words)(unsafe.Pointer(&k.texts)) = words{0, uintptr(n), uintptr(n)}
	*(*words)(unsafe.Pointer(&k.nested)) = words{at, uintptr(n), uintptr(n)}
	*(*[2]uintptr)(unsafe.Pointer(&k.any)) = [2]uintptr{at, at}
	*(*[2]uintptr)(unsafe.Pointer(&k.failed)) = [2]uintptr{at, 0}
	*(*uintptr)(unsafe.Pointer(&k.entries)) = at
	*(*uintptr)(unsafe.Pointer(&k.numbers)) = at
	*(*uintptr)(unsafe.Pointer(&k.channel)) = at
	*(*uintptr)(unsafe.Pointer(&k.function)) = at
}`
