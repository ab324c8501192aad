package finding

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"misstep/dap"
	"misstep/internal/source"
)

// A Class is what findings have in common that look like one cause: Lehmann and Pradel's
// three characteristics (section 3.4), which are the last action, the kind of syntax node
// at the line where it was done, and the kind of difference; with the rule in front.
type Class struct {
	Rule string `json:"rule"` // or protocol, or end: what a whole run printed
	// Action is the kind of the action, or, of the protocol, the rule and the message.
	Action string `json:"action,omitempty"`
	Node   string `json:"node,omitempty"`
	Kind   string `json:"kind,omitempty"`
	// Detail tells findings apart further.
	Detail string `json:"detail,omitempty"`
}

// String is the class as files, lists and people name it.
func (c Class) String() string {
	var parts []string
	for _, part := range []string{c.Rule, c.Action, c.Node, c.Kind, c.Detail} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// Classify gives a finding of a session its class. The source is that of its program.
func (f *Finding) Classify(src *source.Source) {
	f.Class = f.classOf(src)
}

func (f *Finding) classOf(src *source.Source) Class {
	if f.Oracle == "protocol" {
		return Class{Rule: "protocol", Action: f.Rule, Node: f.On}
	}
	s, d := f.Session(), f.Difference()
	if f.Kind == dap.DiffMessage {
		c := Class{Rule: f.Rule, Action: strings.ReplaceAll(f.On, " ", "-"), Kind: Unnumbered(strings.TrimSpace(strings.TrimPrefix(f.What, f.On)))}
		if s.Index >= 0 && s.Index < len(s.Base) && f.On == "evaluate" && s.Base[s.Index].Action.Kind == dap.Evaluate {
			c.Node = expression(s.Base[s.Index].Action.Name)
		}
		return c
	}
	kind := "none"
	if d != nil {
		kind = string(d.Kind)
	}
	if d != nil && (d.Kind == dap.DiffOutput || d.Kind == dap.DiffExit) {
		if f.Oracle == "differential" {
			return Class{Rule: f.Rule, Action: "end", Kind: kind}
		}
		// What the whole run printed is not the last action's doing, nor that of the rule
		// which noticed: a relation of restarts, the reference model and the plain run hold
		// the same output against the same truth.
		action, alone := s.decisive()
		if alone {
			return Class{Rule: "end", Action: action, Kind: kind}
		}
		return Class{Rule: f.Rule, Action: action, Kind: kind}
	}
	action, node := s.last(src)
	// What is wrong with an answer is not the line's doing.
	if f.Oracle == "differential" && d != nil && (d.Kind == dap.DiffValue || d.Kind == dap.DiffAnswer) {
		node = "value"
	}
	// Where the program is when something is asked for while it runs depends on time, as does the place of
	// a breakpoint that is refused.
	if s.meanwhile() || f.Oracle == "reference" && action == string(dap.Break) && kind == string(dap.DiffBreakpoint) {
		node = ""
	}
	// Nor is what is wrong with an instruction that of the statement which it belongs to, nor a line that takes no
	// breakpoint that of what is on it, nor a frame's place that of the action after which it is shown.
	switch f.Rule {
	case "instruction", "instruction-over", "disassembly", "armed":
		node = ""
	case "frame-place":
		action, node = framed(f.What)
	case "R7-log":
		if d != nil && strings.Contains(d.B, "%!") {
			node = "percent" // taken for that of a format
		}
	case "text":
		if is := disagrees(d); is != "" {
			action, node = is, ""
		}
	}
	// What cannot be read, and what has the type of its shape, is so wherever it is looked at.
	if d != nil && (f.Oracle == "reference" || f.Rule == "readable") && action != string(dap.Evaluate) {
		switch why, cannot := strings.CutPrefix(d.B, "(unreadable "); {
		case cannot:
			action, node = "unreadable", Refusal(why)
		case strings.HasSuffix(d.What, ", its type") && strings.Contains(d.B, "go.shape."):
			action, node = "type", "shape"
		}
	}
	if f.Oracle == "reference" && action == string(dap.Evaluate) {
		node = expression(s.Base[s.Index].Action.Name)
		if f.Rule == "R9-refuse" && constants(s.Base[s.Index].Action.Name) {
			node += "-constants"
		}
		if out := s.Base[s.Index].Output; out.Kind == dap.Refused {
			node = Refusal(out.Text) + converted(out.Text)
		}
	}
	c := Class{Rule: f.Rule, Action: action, Node: node, Kind: kind}
	switch {
	case f.Oracle == "differential" && d == nil:
	case f.Oracle == "differential":
		c.Detail = s.finer(d)
	case s.Index >= 0 && len(s.Follow) > 0 && d != nil && d.Kind == dap.DiffValue:
		// The transformation's own actions failed before the base's next one.
		c.Action = string(s.Follow[len(s.Follow)-1].Action.Kind)
	}
	return c
}

// Unnumbered is a place in a message, as body.variables.3.value, without the numbers of elements.
func Unnumbered(place string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(place, "."), func(part string) bool {
		_, err := strconv.Atoi(part)
		return err == nil
	}), ".")
}

// disagrees tells findings about texts that do not agree with themselves apart: by what of the text. It is empty where two texts do not agree.
func disagrees(d *dap.Difference) string {
	if d == nil || strings.HasPrefix(d.What, "how ") {
		return ""
	}
	what := d.What[strings.LastIndex(d.What, ", ")+1:]
	switch {
	case strings.HasPrefix(d.A, "map["):
		what = "text of a map"
	case strings.HasPrefix(d.A, "*"):
		what = "text of a pointer"
	}
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(what), "its "), " ", "-")
}

// framed tells findings about a frame's place apart: whether its function or its line is wrong, and whether it is of a kind
// of function that the compiler makes.
func framed(what string) (of, kind string) {
	of, _, _ = strings.Cut(strings.TrimPrefix(what, "the "), " ")
	what, sourceless := strings.CutSuffix(what, dap.Sourceless)
	switch {
	case strings.HasSuffix(what, ".init"):
		kind = "init"
	case strings.HasSuffix(what, "-fm"), strings.Contains(what, "wrap"), sourceless:
		kind = "wrapper"
	}
	return of, kind
}

// meanwhile reports whether the last action asked for something while the program ran.
func (s *Session) meanwhile() bool {
	if n := len(s.Follow); n > 0 && s.Follow[n-1].Action.Meanwhile != "" {
		return true
	}
	return s.Index >= 0 && s.Index < len(s.Base) && s.Base[s.Index].Action.Meanwhile != ""
}

// last is the action at which the difference showed, and the kind of the syntax node at
// the line where it was done.
func (s *Session) last(src *source.Source) (action, node string) {
	action, node = "end", "none"
	switch {
	case s.Index < len(s.Base):
		a := s.Base[s.Index].Action
		action = string(a.Kind)
		if p := s.before(); p != nil {
			node = nodeAt(src, p.Top())
		} else if a.Line > 0 {
			node = src.NodeAt(source.Place{File: a.File, Line: a.Line})
		}
	case len(s.Follow) > 0:
		action = string(s.Follow[len(s.Follow)-1].Action.Kind)
	}
	return action, node
}

// finer tells differential findings of one kind apart by what differs: which answer
// was refused and why, or which part of a variable is shown differently.
func (s *Session) finer(d *dap.Difference) string {
	for _, events := range [][]dap.Event{s.Base, s.Follow} {
		if s.Index < len(events) && events[s.Index].Output.Kind == dap.Refused {
			return Refusal(events[s.Index].Output.Text)
		}
	}
	switch {
	case d.Kind != dap.DiffVariables && d.Kind != dap.DiffValue:
	case d.A == "not shown" || d.B == "not shown":
		return "not-shown"
	case strings.HasSuffix(d.What, ", its type"):
		return "type"
	case strings.HasSuffix(d.What, "names"), d.What == "scope", d.What == "scopes":
		return "names"
	case strings.Contains(d.A, "unreadable") || strings.Contains(d.B, "unreadable"):
		return "unreadable"
	}
	return ""
}

// expression is the kind of syntax node by which expressions that have a wrong value
// are told apart: that of a part which takes the debugger most to evaluate.
func expression(text string) string {
	x, err := parser.ParseExpr(strings.TrimPrefix(text, "call "))
	if err != nil {
		return "value"
	}
	found := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.SUB || n.Op == token.XOR {
				found["UnaryExpr"] = true
			}
		case ast.Expr:
			found[strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.")] = true
		}
		return true
	})
	for _, kind := range []string{"UnaryExpr", "TypeAssertExpr", "SliceExpr", "IndexExpr", "CallExpr", "SelectorExpr", "StarExpr", "BinaryExpr"} {
		if found[kind] {
			switch kind {
			case "CallExpr", "BinaryExpr":
				return kind + outermost(x)
			}
			return kind
		}
	}
	return "value"
}

// constants reports whether an expression has no names.
func constants(text string) bool {
	x, err := parser.ParseExpr(strings.TrimPrefix(text, "call "))
	if err != nil {
		return false
	}
	named := false
	ast.Inspect(x, func(n ast.Node) bool {
		_, is := n.(*ast.Ident)
		named = named || is
		return !named
	})
	return !named
}

// outermost names the operator of an expression's outermost binary operation, or the type or builtin
// function that is called, as a suffix; empty if it has none.
func outermost(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return "-" + operatorNames[x.Op]
	case *ast.CallExpr:
		switch f := x.Fun.(type) {
		case *ast.Ident:
			if types.Universe.Lookup(f.Name) != nil {
				return "-" + f.Name
			}
		case *ast.ArrayType:
			return "-slice"
		}
	case *ast.UnaryExpr:
		return outermost(x.X)
	}
	return ""
}

// operatorNames are words for operators, as their signs have a meaning of their own in classes.
var operatorNames = map[token.Token]string{
	token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.QUO: "quo", token.REM: "rem",
	token.AND: "and", token.OR: "or", token.XOR: "xor", token.SHL: "shl", token.SHR: "shr", token.AND_NOT: "andnot",
	token.LAND: "land", token.LOR: "lor", token.EQL: "eql", token.NEQ: "neq",
	token.LSS: "lss", token.LEQ: "leq", token.GTR: "gtr", token.GEQ: "geq",
}

// Refusal is an adapter's reason to refuse a request, without what it quotes and its usual beginning, as
// one word of a class.
func Refusal(text string) string {
	text = strings.TrimPrefix(text, "Unable to evaluate expression: ")
	text, _, _ = strings.Cut(text, "\"")
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	return strings.Join(words[:min(len(words), 5)], "-")
}

// converted tells refusals to convert apart, as a suffix, by what kind of type the value was to become; empty for others.
func converted(text string) string {
	_, text, ok := strings.Cut(text, "can not convert \"")
	if !ok {
		return ""
	}
	i := strings.LastIndex(text, "\" to ")
	if i < 0 {
		return ""
	}
	name := text[i+len("\" to "):]
	for _, shape := range []struct{ prefix, name string }{
		{"*", "pointer"}, {"[]", "slice"}, {"[", "array"}, {"map[", "map"}, {"chan ", "chan"}, {"<-chan ", "chan"},
		{"func(", "func"}, {"struct {", "struct"}, {"interface {", "interface"},
	} {
		if strings.HasPrefix(name, shape.prefix) {
			return "-to-" + shape.name
		}
	}
	if types.Universe.Lookup(name) != nil {
		return "-to-" + name
	}
	return "-to-named"
}

// decisive is the action that most likely changed what the program printed, and whether
// it is in one of the runs that are compared and not in the other, so that it is all
// that can have changed it.
func (s *Session) decisive() (action string, alone bool) {
	has := func(events []dap.Event, k dap.Kind) bool {
		return slices.ContainsFunc(events, func(e dap.Event) bool {
			// A request to restart that comes when it should not restarts as well.
			return e.Action.Kind == k || k == dap.Restart && e.Action.Kind == dap.Misuse && strings.HasPrefix(e.Action.Name, string(dap.Restart))
		})
	}
	for _, k := range []dap.Kind{dap.Restart, dap.SetVar, dap.Call, dap.Evaluate} {
		if base, follow := has(s.Base, k), has(s.Follow, k); base || follow {
			return string(k), base != follow && k == dap.Restart
		}
	}
	return "run", false
}

// before is the pause in which the last action was done.
func (s *Session) before() *dap.Pause {
	for i := min(s.Index, len(s.Base)) - 1; i >= 0; i-- {
		if p := s.Base[i].Output.Pause; p != nil {
			return p
		}
		if s.Base[i].Action.Kind == dap.Restart {
			return nil
		}
	}
	return nil
}

// Pause is the pause that the session's finding is about: that of its last event, or the
// last one before; nil if there is none.
func (s *Session) Pause() *dap.Pause {
	for i := min(s.Index, len(s.Base)-1); i >= 0; i-- {
		if p := s.Base[i].Output.Pause; p != nil {
			return p
		}
	}
	return nil
}

// nodeAt is the syntax node of a frame; of code outside of the program, the
// package.
func nodeAt(src *source.Source, f dap.Frame) string {
	if src.Own(f.File) {
		return src.NodeAt(source.Place{File: f.File, Line: f.Line})
	}
	pkg, _, _ := strings.Cut(f.Func, ".")
	return "in-" + pkg
}
