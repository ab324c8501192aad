package executed

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

// A Ledger has what was executed of a module so far, whose source is in a folder.
type Ledger struct {
	Module, Source string

	seen  map[string]bool   // blocks
	decls map[string][]Decl // of files
}

// Add notes what profiles have, and returns the functions of which something was executed that was not before, those with most
// such statements first, as package.Function or package.Type.Method.
func (l *Ledger) Add(profiles []*cover.Profile) ([]string, error) {
	if l.seen == nil {
		l.seen, l.decls = map[string]bool{}, map[string][]Decl{}
	}
	news := map[string]int{}
	for _, p := range profiles {
		file, ours := strings.CutPrefix(p.FileName, l.Module+"/")
		if !ours {
			continue
		}
		for _, b := range p.Blocks {
			key := fmt.Sprintf("%s:%d.%d", file, b.StartLine, b.StartCol)
			if b.Count == 0 || l.seen[key] {
				continue
			}
			l.seen[key] = true
			if l.decls[file] == nil {
				decls, err := Functions(l.Source, file)
				if err != nil {
					return nil, err
				}
				l.decls[file] = decls
			}
			if i := around(l.decls[file], b); i >= 0 {
				news[path.Base(path.Dir(file))+"."+l.decls[file][i].Name] += b.NumStmt
			}
		}
	}
	names := make([]string, 0, len(news))
	for name := range news {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(news[b], news[a]), cmp.Compare(a, b)) })
	return names, nil
}
