package rewrite

import (
	"fmt"
	"go/ast"
	"strings"
)

// lineDirective adds a //line directive. One that names the line that follows it
// maps back to what was there, and nothing changes; others give the rest of the
// file other line numbers, or another file's name, and all that is shown goes
// by those. Guards: names of other files are new; the file has no directives
// yet. (go doc cmd/compile, "Line Directives".)
var lineDirective = Rewrite{
	Name: "line-directive",
	Doc:  "Adds a //line directive: to the same lines, to others, or to another file. All lines after it are shown as it says, and nothing else changes.",
	Sites: func(s *Given) []Site {
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			if fn.Doc != nil {
				return
			}
			f := s.Source.FileOf(fn.Pos())
			if indent, first := s.indent(fn.Pos()); !first || indent != "" || strings.Contains(string(f.Text), "//go:") {
				return
			}
			line := s.Source.Line(fn.Pos())
			sites = append(sites, Site{fn.Pos(), func(c *Change) {
				text := fmt.Sprintf("//line :%d:1\n", line)
				switch c.R.IntN(3) {
				case 1:
					text = fmt.Sprintf("//line :%d:1\n", line+1000)
				case 2:
					text = fmt.Sprintf("//line %s.go:%d\n", c.name(), 1+c.R.IntN(50))
				}
				c.insert(fn.Pos(), text)
			}})
		})
		return sites
	},
}
