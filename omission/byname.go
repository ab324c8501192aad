package omission

import (
	"go/types"
	"regexp"
	"strings"
)

// changers are methods of maps and slices that change them, by their names; their receivers need not be pointers.
var changers = regexp.MustCompile(`^(Add|Append|Clear|Del|Delete|Insert|Merge|Pop|Push|Put|Remove|Replace|Reset|Set|Store|Swap|Update)($|[^a-z])`)

// ofModule is the package of a function, if it is one of a module; empty of the standard
// library's.
func ofModule(fn *types.Func) string {
	if p := fn.Pkg(); p != nil && strings.Contains(strings.SplitN(p.Path(), "/", 2)[0], ".") {
		return p.Path()
	}
	return ""
}

// fills matches the names of functions that change what they are given the address of, where
// the analysis of the program does not see it: by assembly, reflection, or later.
var fills = regexp.MustCompile(`^(Add|And|As|Bind|CompareAndSwap|Decode|Fscan|Or|Read|Scan|Sscan|Store|Swap|Unmarshal)|Var[PF]?$`)

// changesByName guesses whether a function changes what it is given: methods with a
// pointer for a receiver may, and functions that fill their argument.
func changesByName(fn *types.Func, receiver bool) bool {
	sig := fn.Signature()
	if receiver && sig.Recv() != nil {
		t := sig.Recv().Type()
		return isPointer(t) && !readers[fn.Name()] || container(t) && changers.MatchString(fn.Name())
	}
	if fn.Pkg() == nil {
		return false
	}
	return fillers[fn.Pkg().Path()]
}

// writesTo are functions that write to a writer which they are given, by which of their
// operands that is: what is behind an interface's method, the analysis does not see change.
var writesTo = map[string]int{
	"fmt.Fprint": 0, "fmt.Fprintf": 0, "fmt.Fprintln": 0,
	"io.WriteString": 0, "io.Copy": 0, "io.CopyN": 0, "io.CopyBuffer": 0,
	"encoding/binary.Write": 0, "encoding/json.Indent": 0, "encoding/json.Compact": 0, "encoding/json.HTMLEscape": 0,
	"text/template.HTMLEscape": 0, "text/template.JSEscape": 0, "html/template.HTMLEscape": 0,
	"(*text/template.Template).Execute": 1, "(*text/template.Template).ExecuteTemplate": 1,
	"(*html/template.Template).Execute": 1, "(*html/template.Template).ExecuteTemplate": 1,
	"(*strings.Replacer).WriteString": 1, "(*bytes.Buffer).WriteTo": 1, "(*strings.Reader).WriteTo": 1, "(*bytes.Reader).WriteTo": 1,
	"net/http.Error": 0, "net/http.Redirect": 0, "net/http.NotFound": 0, "net/http.SetCookie": 0, "net/http.ServeContent": 0,
}

// readers are methods that read by their name, fillers packages whose functions change
// what they are given; where the points-to analysis has nothing to say.
var (
	readers = map[string]bool{"String": true, "Error": true, "Len": true, "GoString": true, "MarshalJSON": true, "MarshalText": true}
	fillers = map[string]bool{"encoding/json": true, "encoding/xml": true, "encoding/gob": true, "encoding/binary": true, "sort": true, "slices": true, "io": true, "flag": true, "maps": true}
)
