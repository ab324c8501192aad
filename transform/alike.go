package transform

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

var (
	literalPart = regexp.MustCompile(`(\.func\d+|\.gowrap\d+|\.deferwrap\d+|-range\d+|-fm$).*$`)
	// numberPart is a literal in a function that a name has been put in place of,
	// or one inside of that and so on; functions named init are numbered as well.
	numberPart = regexp.MustCompile(`(\.init\.\d+)?(\.\d+)*$`)
)

// outermost is the declared function around a function literal, without type
// arguments.
func outermost(name string) string {
	return numberPart.ReplaceAllString(literalPart.ReplaceAllString(source.WithoutTypes(name), ""), "$1")
}

func (r *Relation) funcName(name string) string {
	if r.Outermost {
		return outermost(name)
	}
	return name
}

// unpackage puts main back where the package has another path now. Debuggers show the whole path, or its last
// element.
func (r *Relation) unpackage(text string) string {
	if r.Package == "" {
		return text
	}
	text = strings.ReplaceAll(text, r.Package+".", "main.")
	last := path.Base(r.Package) + "."
	var b strings.Builder
	for {
		i := strings.Index(text, last)
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("_-./", before) && before != 0 {
			b.WriteString(last) // the end of another word
		} else {
			b.WriteString("main.")
		}
		text = text[i+len(last):]
	}
	b.WriteString(text)
	return b.String()
}

// panicking reports whether a frame is one of those through which the runtime
// panics. Which they are depends on how the compiler checks (tolerance
// panic-frames).
func panicking(f dap.Frame) bool {
	return strings.HasPrefix(f.Func, "runtime.") && strings.Contains(strings.ToLower(f.Func), "panic")
}

// compared reports whether a variable of that name is compared at an old line.
func (r *Relation) compared(name string, l srcedit.Line) bool {
	if r.Vague[l] || strings.HasPrefix(name, ".") {
		return false // tolerance compiler-temporaries: such as .autotmp_3
	}
	for _, c := range r.Captured {
		if c.In.Has(l) && !c.Names[bareName(name)] {
			return false
		}
	}
	return true
}

func bareName(name string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(name, "("), ")"), "&")
}

func sortVars(vs []dap.Variable) {
	slices.SortStableFunc(vs, func(a, b dap.Variable) int { return cmp.Compare(a.Name, b.Name) })
}

// funcLike reports whether a variable is shown as a function.
func funcLike(v dap.Variable) bool {
	return v.Value == "a function" || strings.HasPrefix(strings.TrimLeft(v.Type, "*"), "func(") || funcValue.MatchString(v.Value)
}

// value is a variable with the names of functions in its value as they are
// compared.
func (r *Relation) value(v dap.Variable) dap.Variable {
	v.Type, v.Value, v.Name = r.unpackage(v.Type), r.unpackage(v.Value), r.unpackage(v.Name)
	if strings.Contains(v.Type, "reflect.") || strings.Contains(v.Type, "internal/abi.") {
		// What it holds are hashes and offsets, which the linker chooses.
		v.Value, v.Children = "", nil
	}
	if r.Package != "" && v.Type != "string" && strings.ContainsAny(v.Value, "{(") {
		v.Value = "" // it may be cut off elsewhere, as the path in it is longer; the children tell
	}
	if unnamed.MatchString(v.Name) {
		v.Name = "~p" // numbered among all parameters
	}
	if r.Outermost || len(r.Funcs) > 0 {
		if strings.Contains(v.Type, "(func(") || funcLike(v) {
			v.Value = "a function"
		} else if strings.Contains(v.Value, "main.") {
			v.Value = funcInside.ReplaceAllString(v.Value, "a function")
		}
	}
	if funcLike(v) {
		// What a function captures, in an order that its numbering follows.
		// Which variable of its name it is cannot be seen, but which names are new.
		v.Children = slices.Clone(v.Children)
		for i := range v.Children {
			for _, n := range r.Renamed {
				if c := &v.Children[i]; c.Name == n.New {
					c.Name = n.Old
				}
			}
		}
		sortVars(v.Children)
		if len(r.Wrappers) > 0 {
			v.Children = nil // a method value has a receiver
		}
	}
	if len(v.Children) > 0 {
		var children []dap.Variable
		for _, c := range v.Children {
			if strings.HasPrefix(c.Name, ".") {
				continue // tolerance compiler-temporaries: such as .dict, with addresses in it
			}
			children = append(children, r.value(c))
		}
		v.Children = children
		if r.Package != "" && strings.HasPrefix(v.Type, "map[") {
			dap.SortEntries(&v) // they were ordered by other names
		}
	}
	return v
}

var unnamed = regexp.MustCompile(`^~p\d+$`)

var (
	funcValue  = regexp.MustCompile(`^[A-Za-z_][\w./-]*\.[\w.()*\[\]-]+$`)
	funcInside = regexp.MustCompile(`\bmain\.[\w.()*\[\]]+(\.func\d+|-fm)[\w.]*|: main\.[\w.\[\]]+`)
)

// logText is a log line up to where a type's descriptor is shown, which holds
// hashes and offsets.
func logText(m string) string {
	m, _, _ = strings.Cut(m, "internal/abi.Type {")
	return m
}
