package reduce

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/srcedit"
)

// A pass knows what may be removed.
type pass struct {
	name string
	// units lists what can be removed at a level of nesting, in order, and whether
	// there are levels below.
	units func(s *candidate, level int) ([]unit, bool)
	apply func(s *candidate, units []unit) (*candidate, error)
	// single says that units exclude each other, so that they are tried one by one.
	single bool
}

// program reports whether the pass changes the program, and not only the commands.
func (p pass) program() bool {
	return !slices.Contains([]string{"shortcuts", "hits", "actions", "ends", "options", "operands", "misuses"}, p.name)
}

// tidies reports whether the pass leaves the syntax as it is, so that no other pass can get
// further by it.
func (p pass) tidies() bool {
	return slices.Contains([]string{"comments", "blank lines", "format"}, p.name)
}

// A unit is one thing that can be removed, or put in the place of another.
type unit struct {
	command    int       // its index
	field      dap.Field // of the command's action
	file       string    // a whole file, if there is no range
	start, end int
	with       []srcedit.Piece
	along      []part // what goes with it
	text       string // in a command
	others     []int  // further commands
}

// A part is a range of a file, and what comes in its place.
type part struct {
	file       string
	start, end int
	with       []srcedit.Piece
}

// passes are in the order in which they are tried: what removes much comes first. A slice
// is tried with all actions and with those that are left, which name fewer lines.
var passes = []pass{
	{name: "shortcuts", units: shortcutUnits, apply: takeShortcut, single: true},
	{name: "slices", units: sliceUnits, apply: takeSlice, single: true},
	{name: "hits", units: hitUnits, apply: dropHits, single: true},
	{name: "actions", units: actionUnits, apply: dropActions},
	{name: "ends", units: finishUnits, apply: takeFinish, single: true},
	{name: "slices", units: sliceUnits, apply: takeSlice, single: true},
	{name: "options", units: optionUnits, apply: dropOption, single: true},
	{name: "operands", units: expressionUnits, apply: takePart, single: true},
	{name: "misuses", units: earlyUnits, apply: dropEarly, single: true},
	{name: "starts", units: startUnits, apply: dropStart, single: true},
	{name: "prints", units: printUnits, apply: edit},
	{name: "files", units: fileUnits, apply: edit},
	syntax("declarations", false, declarations),
	syntax("statements", false, statements),
	syntax("bodies", true, bodies),
	syntax("expressions", true, expressions),
	syntax("elements", false, elements),
	syntax("fields", false, fields),
	{name: "results", units: resultUnits, apply: edit, single: true},
	{name: "parameters", units: parameterUnits, apply: edit, single: true},
	{name: "calls", units: callUnits, apply: edit, single: true},
	syntax("literals", true, literals),
	{name: "comments", units: commentUnits, apply: edit},
	{name: "blank lines", units: blankUnits, apply: edit},
	{name: "format", units: formatUnits, apply: formatFile, single: true},
}

func fileUnits(s *candidate, _ int) (units []unit, more bool) {
	if names := s.GoFiles(); len(names) > 1 {
		for _, name := range names {
			units = append(units, unit{file: name})
		}
	}
	return units, false
}

// edit removes ranges of files, or replaces them.
func edit(s *candidate, units []unit) (*candidate, error) {
	e := srcedit.New(s.files)
	var drop []string
	for _, u := range units {
		if u.end == 0 {
			drop = append(drop, u.file)
			continue
		}
		e.Replace(u.file, u.start, u.end, u.with...)
		for _, p := range u.along {
			e.Replace(p.file, p.start, p.end, p.with...)
		}
	}
	return s.edit(e, drop...)
}

// A finder lists the units below a node's children; see syntax.
type finder func(f *file, n ast.Node, add func(start, end token.Pos, with ...srcedit.Piece))

// file is a parsed file of a script.
type file struct {
	name string
	text []byte
	tok  *token.File
	ast  *ast.File
}

func (f *file) offset(p token.Pos) int { return f.tok.Offset(p) }

// copy is the text of a node.
func (f *file) copy(n ast.Node) srcedit.Piece {
	return srcedit.Copy(f.name, f.offset(n.Pos()), f.offset(n.End()))
}

// syntax is a pass over the syntax trees. Units of a level are those that lie in that
// many others.
func syntax(name string, single bool, find finder) pass {
	return pass{name: name, single: single, apply: edit, units: func(s *candidate, level int) (units []unit, more bool) {
		for _, f := range s.parse() {
			var all []unit
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if n != nil {
					find(f, n, func(start, end token.Pos, with ...srcedit.Piece) {
						u := unit{file: f.name, start: f.offset(start), end: f.offset(end), with: with}
						if len(with) == 0 {
							u.start, u.end = wholeLines(f.text, u.start, u.end)
						}
						all = append(all, u)
					})
				}
				return true
			})
			for _, u := range all {
				depth := 0
				for _, v := range all {
					if v.start <= u.start && u.end <= v.end && v.end-v.start > u.end-u.start {
						depth++
					}
				}
				if depth == level || single && level == 0 {
					units = append(units, u)
				}
				more = more || depth > level && !single
			}
		}
		slices.SortStableFunc(units, func(a, b unit) int { return (b.end - b.start) - (a.end - a.start) })
		if !single {
			slices.SortStableFunc(units, func(a, b unit) int {
				if a.file != b.file {
					return strings.Compare(a.file, b.file)
				}
				return a.start - b.start
			})
		}
		return units, more
	}}
}

// wholeLines widens a range to the lines that it fills.
func wholeLines(text []byte, start, end int) (int, int) {
	from, to := start, end
	for from > 0 && (text[from-1] == ' ' || text[from-1] == '\t') {
		from--
	}
	for to < len(text) && (text[to] == ' ' || text[to] == '\t' || text[to] == ';' || text[to] == ',') {
		to++
	}
	if (from == 0 || text[from-1] == '\n') && (to == len(text) || text[to] == '\n') {
		return from, min(to+1, len(text))
	}
	// On a line with others, the separator after it goes along.
	if end < to && (text[end] == ',' || text[end] == ';') {
		return start, end + 1
	}
	return start, end
}

// parse parses the files that parse.
func (s *candidate) parse() []*file {
	var files []*file
	fset := token.NewFileSet()
	for _, name := range s.GoFiles() {
		tree, err := parser.ParseFile(fset, name, s.files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		files = append(files, &file{name: name, text: s.files[name], tok: fset.File(tree.FileStart), ast: tree})
	}
	return files
}
