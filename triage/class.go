package triage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/oracle"
)

// Class is the finding's equivalence class: Lehmann and Pradel's three
// characteristics (section 3.4), which are the last action, the kind of syntax
// node at the line where it was done, and the kind of difference; with the
// rule in front.
func Class(f *oracle.Finding, src *source.Source) string {
	if f.Oracle == "protocol" {
		return strings.TrimSuffix("protocol/"+f.Rule+"/"+f.On, "/")
	}
	kind := "none"
	if f.Diff != nil {
		kind = string(f.Diff.Kind)
	}
	if f.Oracle == "differential" && (f.Diff.Kind == dap.DiffOutput || f.Diff.Kind == dap.DiffExit) {
		return f.Rule + "/end/" + kind
	}
	if f.Diff != nil && (f.Diff.Kind == dap.DiffOutput || f.Diff.Kind == dap.DiffExit) {
		// What the whole run printed is not the last action's doing, nor that of the rule
		// which noticed: a relation of restarts, the reference model and the plain run hold
		// the same output against the same truth.
		action, alone := decisive(f)
		rule := f.Rule
		if alone {
			rule = "end"
		}
		return strings.Join([]string{rule, action, kind}, "/")
	}
	action, node := "end", "none"
	if f.Index < len(f.Base) {
		action = string(f.Base[f.Index].Action.Kind)
		if p := pauseBefore(f.Base, f.Index); p != nil {
			node = nodeAt(src, p.Top())
		} else if a := f.Base[f.Index].Action; a.Line > 0 {
			node = src.NodeAt(source.Place{File: a.File, Line: a.Line})
		}
	} else if len(f.Follow) > 0 {
		action = string(f.Follow[len(f.Follow)-1].Action.Kind)
	}
	// What is wrong with an answer is not the line's doing.
	if f.Oracle == "differential" && (f.Diff.Kind == dap.DiffValue || f.Diff.Kind == dap.DiffAnswer) {
		node = "value"
	}
	if f.Oracle == "reference" && action == string(dap.Evaluate) {
		node = expression(f.Base[f.Index].Action.Name)
		if out := f.Base[f.Index].Output; out.Kind == dap.Refused {
			node = refusal(out.Text)
		}
	}
	if f.Oracle == "differential" {
		return strings.Join(append([]string{f.Rule, action, node, kind}, finer(f)...), "/")
	}
	// The transformation's own actions failed before the base's next one.
	if f.Index >= 0 && len(f.Follow) > 0 && f.Diff != nil && f.Diff.Kind == dap.DiffValue {
		action = string(f.Follow[len(f.Follow)-1].Action.Kind)
	}
	return strings.Join([]string{f.Rule, action, node, kind}, "/")
}

// finer tells differential findings of one kind apart by what differs: which answer
// was refused and why, or which part of a variable is shown otherwise.
func finer(f *oracle.Finding) []string {
	for _, events := range [][]dap.Event{f.Base, f.Follow} {
		if f.Index < len(events) && events[f.Index].Output.Kind == dap.Refused {
			return []string{refusal(events[f.Index].Output.Text)}
		}
	}
	switch d := f.Diff; {
	case d.Kind != dap.DiffVariables && d.Kind != dap.DiffValue:
	case d.A == "not shown" || d.B == "not shown":
		return []string{"not-shown"}
	case strings.HasSuffix(d.What, ", its type"):
		return []string{"type"}
	case strings.HasSuffix(d.What, "names"), d.What == "scope", d.What == "scopes":
		return []string{"names"}
	case strings.Contains(d.A, "unreadable") || strings.Contains(d.B, "unreadable"):
		return []string{"unreadable"}
	}
	return nil
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
			return kind
		}
	}
	return "value"
}

// refusal is an adapter's reason without what it quotes and its usual beginning, as
// one word.
func refusal(text string) string {
	text = strings.TrimPrefix(text, "Unable to evaluate expression: ")
	text, _, _ = strings.Cut(text, "\"")
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	return strings.Join(words[:min(len(words), 5)], "-")
}

// decisive is the action that most likely changed what the program printed, and whether
// it is in one of the runs that are compared and not in the other, so that it is all
// that can have changed it.
func decisive(f *oracle.Finding) (action string, alone bool) {
	has := func(events []dap.Event, k dap.Kind) bool {
		return slices.ContainsFunc(events, func(e dap.Event) bool { return e.Action.Kind == k })
	}
	for _, k := range []dap.Kind{dap.Restart, dap.SetVar, dap.Evaluate} {
		if base, follow := has(f.Base, k), has(f.Follow, k); base || follow {
			return string(k), base != follow && k == dap.Restart
		}
	}
	return "run", false
}

// pauseBefore is the pause in which the action at i was done.
func pauseBefore(events []dap.Event, i int) *dap.Pause {
	for j := i - 1; j >= 0; j-- {
		if p := events[j].Output.Pause; p != nil {
			return p
		}
		if events[j].Action.Kind == dap.Restart {
			return nil
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
