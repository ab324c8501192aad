package history

import "fmt"

// A Plan says what the numbers in a history mean: the files, functions and sites
// of the packages that were instrumented.
type Plan struct {
	// Program is what was recorded, as a person named it.
	Program string `json:"program"`
	// Dir is the folder that names of files are relative to; Target is what was built
	// there, with its tests or not, and Deps the patterns of recorded dependencies.
	Dir    string   `json:"dir"`
	Target []string `json:"target,omitempty"`
	Test   bool     `json:"test,omitempty"`
	Deps   []string `json:"deps,omitempty"`
	// Args are the program's arguments.
	Args []string `json:"args,omitempty"`

	Files []File `json:"files"`
	Funcs []Func `json:"funcs"`
	Sites []Site `json:"sites"`
	Gaps  []Gap  `json:"gaps,omitempty"`
}

// A File is an instrumented file.
type File struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Hash is of its text, in hexadecimal, SHA-256.
	Hash string `json:"hash"`
	// Text is what was recorded, so that a history can be read when the source has
	// changed.
	Text string `json:"text"`
}

// A Func is a function or a function literal. Its number is its place in the plan.
type Func struct {
	Package string `json:"package"`
	// Name is as debuggers have it, such as main.(*T).m; of a literal, it is the
	// name of the declared function around it with .func after.
	Name    string `json:"name"`
	Literal bool   `json:"literal,omitempty"`
	File    int    `json:"file"`
	// Start and End are offsets of the function, literals and declarations alike.
	Start   int `json:"start"`
	End     int `json:"end"`
	Line    int `json:"line"`
	Column  int `json:"column"`
	EndLine int `json:"endLine"`
	// Defers says that it has deferred calls.
	Defers bool `json:"defers,omitempty"`
	// Leaf functions call nothing and have one way through: where they are entered,
	// they are left.
	Leaf bool `json:"leaf,omitempty"`
	// Guarded functions say when they are left by a panic.
	Guarded bool `json:"guarded,omitempty"`
}

// Kind is what a site's event says.
type Kind string

// The kinds of sites.
const (
	Then   Kind = "then"   // the body of an if
	Body   Kind = "body"   // the body of a loop
	Nested Kind = "nested" // the body of a loop over a function
	Case   Kind = "case"   // a clause of a switch or select
	Second Kind = "second" // an operand after && or ||; false, and the next number true
	Label  Kind = "label"  // where a goto leads
	Last   Kind = "last"   // a call that ends the program
	After  Kind = "after"  // after a call, or a statement with one, from which code that is not recorded may call back

	// Of objects.
	Alloc  Kind = "alloc"  // one is made
	Append Kind = "append" // its array grows, maybe into another
	Addr   Kind = "addr"   // a variable's address is taken
	Load   Kind = "load"   // it is read
	Store  Kind = "store"  // it is changed
	Call   Kind = "call"   // a method is called
	Param  Kind = "param"  // it is passed in, or is the element that an iteration is about
	Result Kind = "result" // it is returned
	Got    Kind = "got"    // a call gave it
)

// A Site is a place of an event. Its number is its place in the plan.
type Site struct {
	Kind   Kind `json:"kind"`
	Func   int  `json:"func"`
	Offset int  `json:"offset"` // of the syntax node
	// End is where the expression ends that is an object.
	End    int `json:"end,omitempty"`
	Line   int `json:"line"`
	Column int `json:"column"`
	// Type is that of an object, without a pointer's star.
	Type string `json:"type,omitempty"`
	// Variable is the offset of the declaration of the variable that the object is, if
	// it is one, and one.
	Variable int `json:"variable,omitempty"`
}

// Object reports whether it is a site of an object.
func (k Kind) Object() bool {
	switch k {
	case Alloc, Append, Addr, Load, Store, Call, Param, Result, Got:
		return true
	}
	return false
}

// Verb says what happens to an object at a site of the kind.
func (k Kind) Verb() string {
	return map[Kind]string{
		Alloc: "new", Append: "append to", Addr: "address of", Load: "reads", Store: "changes",
		Call: "calls a method of", Param: "gets", Result: "returns", Got: "is given",
	}[k]
}

// A Gap is code that is not recorded, and why.
type Gap struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

func (g Gap) String() string {
	if g.Line == 0 {
		return fmt.Sprintf("%s: %s", g.File, g.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", g.File, g.Line, g.Reason)
}

// Place is where a function begins, as file:line.
func (p *Plan) Place(fn int) string {
	f := p.Funcs[fn]
	return fmt.Sprintf("%s:%d", p.Files[f.File].Name, f.Line)
}
