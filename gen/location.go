package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"misstep/internal/source"
)

// location is a place in the words in which Delve's clients may name one where a function is asked for: each form of its documentation of
// locations (https://github.com/go-delve/delve, Documentation/cli/locspec.md), of functions in all spellings, of which some are none.
func location(r *rand.Rand, src *source.Source) string {
	funcs := src.Funcs()
	if len(funcs) == 0 {
		return "main.main"
	}
	fn := pick(r, funcs)
	pkg, bare, _ := strings.Cut(fn.Name, ".")
	last := bare[strings.LastIndex(bare, ".")+1:]
	line := fn.Line + r.IntN(max(fn.End-fn.Line, 1))
	return pick(r, []string{
		fn.Name, bare, last, pick(r, spellings(fn.Name)),
		fmt.Sprintf("%s:%d", fn.Name, r.IntN(3)), fmt.Sprintf("%s:%d", last, r.IntN(5)),
		fmt.Sprintf("%s:%d", fn.File, line), fmt.Sprintf("./%s:%d", fn.File, line), fmt.Sprintf("../%s/%s:%d", pkg, fn.File, line),
		fmt.Sprint(line), fmt.Sprintf("+%d", r.IntN(3)), fmt.Sprintf("-%d", r.IntN(3)), "*0x1", "*" + fn.Name,
		"/" + last + "$/", "/(/", "." + last, pkg + ".", "." + bare, "(*" + last + ")." + last, pkg + "." + last, "*" + pkg + "." + bare,
		pkg + "/" + fn.Name, fn.Name + "[int]", fn.Name + "[...]", fn.Name + ".func1", strings.ToUpper(last), " " + fn.Name, fn.Name + " ", "runtime." + last, last + "()",
	})
}
