package faults

import (
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"strings"
)

// calls are faults in functions that the debugger is told to call. They are there always, in the same way.
var calls = []Fault{
	{"calls-twice", "calls a function twice", ByReference, called(func(p *pipe, m message) {
		p.request("evaluate", m.body())
	})},
	{"operands-twice", "calls a function twice whose result is an operand of a call", ByReference, called(func(p *pipe, m message) {
		x, err := parser.ParseExpr(strings.TrimPrefix(m.body()["expression"].(string), "call "))
		outer, ok := x.(*ast.CallExpr)
		if err != nil || !ok {
			return
		}
		for _, arg := range outer.Args {
			if inner, ok := arg.(*ast.CallExpr); ok {
				body := maps.Clone(m.body())
				body["expression"] = "call " + types.ExprString(inner)
				p.request("evaluate", body)
			}
		}
	})},
	{"calls-nothing", "says that a function was called that gives nothing, and does not call it", ByReference, called(func(p *pipe, m message) {
		m.body()["expression"] = "nil"
	})},
	{"calls-disturb", "steps in where it should step over, from where a function was called", ByReference, func() handler {
		called := false
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			expr, _ := m.body()["expression"].(string)
			switch {
			case m.is("request", "evaluate") && strings.HasPrefix(expr, "call "):
				called = true
			case m.is("request", "next") && called:
				m["command"] = "stepIn"
				asked[m["seq"]] = true
				called = false
			case m.is("request", "continue"), m.is("request", "next"), m.is("request", "stepIn"), m.is("request", "stepOut"):
				called = false
			case m["type"] == "response" && asked[m["request_seq"]]:
				m["command"] = "next"
			}
			p.pass(m)
		}
	}},
}

// called does something more where a function is called.
func called(do func(p *pipe, m message)) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if expr, ok := m.body()["expression"].(string); ok && m.is("request", "evaluate") && strings.HasPrefix(expr, "call ") {
				do(p, m)
			}
			p.pass(m)
		}
	}
}
