package faults

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// stranger are more faults that were invented without knowledge of how a session is judged.
// All are there always, in the same way.
var stranger = []Fault{
	// What is shown of variables.
	{"negatives-wrapped", "shows negative integers as if they had no sign", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			n, err := strconv.ParseInt(fmt.Sprint(v["value"]), 10, 64)
			if err != nil || n >= 0 {
				continue
			}
			switch v["type"] {
			case "int", "int64":
				v["value"] = strconv.FormatUint(uint64(n), 10)
			case "int32":
				v["value"] = strconv.FormatUint(uint64(uint32(n)), 10)
			case "int16":
				v["value"] = strconv.FormatUint(uint64(uint16(n)), 10)
			case "int8":
				v["value"] = strconv.FormatUint(uint64(uint8(n)), 10)
			}
		}
		return l
	})},
	{"texts-ascii", "shows a question mark for each character of a text that is not in ASCII", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if v["type"] == "string" {
				v["value"] = strings.Map(func(r rune) rune {
					if r > 127 {
						return '?'
					}
					return r
				}, fmt.Sprint(v["value"]))
			}
		}
		return l
	})},
	{"errors-nil", "shows each error as nil", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasPrefix(typ, "error(") {
				v["type"], v["value"], v["variablesReference"] = "error", "error nil", 0.0
				delete(v, "namedVariables")
				delete(v, "indexedVariables")
			}
		}
		return l
	})},
	{"links-swapped", "shows the two links of a node in the place of each other", ByReference, children(func(parent string, l []message) []message {
		first := -1
		for i, v := range l {
			if base := strings.TrimPrefix(parent, "*"); !strings.HasPrefix(base, "main.") || v["type"] != "*"+base {
				continue
			}
			if first < 0 {
				first = i
				continue
			}
			for _, key := range []string{"value", "variablesReference", "namedVariables", "indexedVariables"} {
				l[first][key], v[key] = v[key], l[first][key]
				for _, x := range []message{l[first], v} {
					if x[key] == nil {
						delete(x, key)
					}
				}
			}
			break
		}
		return l
	})},
	{"array-types", "says of each array that it is a slice", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); arrayType.MatchString(typ) {
				v["type"] = arrayType.ReplaceAllString(typ, "[]")
				if text, _ := v["value"].(string); strings.HasPrefix(text, typ) {
					v["value"] = arrayType.ReplaceAllString(text, "[]")
				}
			}
		}
		return l
	})},
	{"results-unnamed", "shows results that have a name as if they had none", ByReference, resultsUnnamed},

	// Frames and goroutines.
	{"recursion-folded", "shows activations of a function that has called itself as one frame", ByReference, wholeStack(func(_ any, l []message) []message {
		folded := l[:0:0]
		for i, f := range l {
			if i == 0 || f["name"] != l[i-1]["name"] {
				folded = append(folded, f)
			}
		}
		return folded
	})},
	{"literals-named", "calls each function literal by the name of the function that it is within", ByReference, wholeStack(func(_ any, l []message) []message {
		for _, f := range l {
			if name, _ := f["name"].(string); strings.HasPrefix(name, "main.") {
				f["name"] = literalName.ReplaceAllString(name, "")
			}
		}
		return l
	})},
	{"goroutine-starts", "leaves out the function that a goroutine was started with, once that has called another", ByReference, wholeStack(func(thread any, l []message) []message {
		if thread == 1.0 {
			return l
		}
		for i := len(l) - 1; i > 0; i-- {
			if name, _ := l[i]["name"].(string); name != "runtime.goexit" && !strings.Contains(name, "gowrap") {
				return append(l[:i:i], l[i+1:]...)
			}
		}
		return l
	})},

	// Steps and breakpoints.
	{"next-returns-late", "passes by the caller's next statement with a step over that returns", ByReference, again("next", func(from, to pos, more int) string {
		if more == 1 || more == 0 && to.depth < from.depth && strings.HasPrefix(to.name, "main.") {
			return "next"
		}
		return ""
	})},
	{"stepin-methods", "steps over methods where it should step in", ByReference, again("stepIn", func(from, to pos, more int) string {
		if more == 0 && to.depth > from.depth && methodName.MatchString(to.name) && !literalName.MatchString(to.name) {
			return "stepOut"
		}
		return ""
	})},
	{"next-passes-breakpoints", "passes by the breakpoints in what a step over calls", ByReference, nextPassesBreakpoints},
	{"if-breakpoints", "says that breakpoints at an if are set there, and sets them where its body begins", ByReference, ifBreakpoints},

	// Conditions, hit conditions and log points.
	{"conditions-once", "forgets the condition of a breakpoint once it was true", ByReference, conditionsOnce},
	{"hits-from", "pauses at all hits from the one on whose number a hit condition asks for", ByReference, onBreakpoints(func(b message) {
		if hit, ok := b["hitCondition"].(string); ok {
			if m := exactHit.FindStringSubmatch(hit); m != nil {
				b["hitCondition"] = ">=" + m[1]
			}
		}
	})},
	{"log-repeats", "never prints a log point's message that is the same as the one before", ByReference, func() handler {
		last := map[string]string{} // by place and goroutine
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "restart"):
				clear(last)
			case m.is("event", "output") && m.body()["source"] != nil:
				source, _ := m.body()["source"].(map[string]any)
				text := fmt.Sprint(m.body()["output"])
				head, _, _ := strings.Cut(text, ": ")
				place := fmt.Sprint(source["path"], ":", m.body()["line"], " ", head)
				if last[place] == text {
					return
				}
				last[place] = text
			}
			p.pass(m)
		}
	}},

	// Answers and the end.
	{"len-capacity", "gives the capacity of a slice or channel where it evaluates the length", ByReference, lenCapacity},
	{"assigns-parameters", "answers setVariable for parameters and assigns nothing", ByReference, assignsParameters},
	{"errors-as-output", "shows what the program prints to standard error as standard output", ByReference, every(1, "event", "output", func(p *pipe, m message) bool {
		if m.body()["category"] == "stderr" && m.body()["source"] == nil {
			m.body()["category"] = "stdout"
		}
		return false
	})},
}

var (
	literalName = regexp.MustCompile(`\.func\d.*$`)
	methodName  = regexp.MustCompile(`^main\.(\(\*?\w+(\[.*\])?\)|\w+(\[.*\])?)\.\w+$`)
	exactHit    = regexp.MustCompile(`^\s*(?:==)?\s*(\d+)\s*$`)
	lenOf       = regexp.MustCompile(`\blen\(`)
)

// ask is a request of the proxy's own, and its number.
func ask(p *pipe, command string, args message) (number float64) {
	before := maps.Clone(p.own)
	p.request(command, args)
	for seq := range p.own {
		if !before[seq] {
			number = seq
		}
	}
	return number
}

// wholeStack changes the stack of a thread, whatever page of it is asked for.
func wholeStack(change func(thread any, l []message) []message) func() handler {
	type page struct {
		thread       any
		start, count int
	}
	return func() handler {
		asked := map[any]page{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "stackTrace"):
				start, _ := m.body()["startFrame"].(float64)
				count, _ := m.body()["levels"].(float64)
				asked[m["seq"]] = page{m.body()["threadId"], int(start), int(count)}
				if start >= 0 && count >= 0 {
					m.body()["startFrame"], m.body()["levels"] = 0, 500
				}
			case m.is("response", "stackTrace") && m["success"] == true:
				x, ok := asked[m["request_seq"]]
				delete(asked, m["request_seq"])
				if !ok || x.start < 0 || x.count < 0 {
					break
				}
				l := change(x.thread, m.list("stackFrames"))
				m.body()["totalFrames"] = len(l)
				l = l[min(x.start, len(l)):]
				if x.count > 0 {
					l = l[:min(x.count, len(l))]
				}
				m.setList("stackFrames", l)
			}
			p.pass(m)
		}
	}
}

// signatureAt is the receiver and the type of the innermost function that a line is within.
func signatureAt(path string, line int) (recv *ast.FieldList, typ *ast.FuncType) {
	if lit := literalAt(path, line); lit != nil {
		return nil, lit.Type
	}
	fset, f := parsed(path)
	if f == nil {
		return nil, nil
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fset.Position(fn.Pos()).Line <= line && line <= fset.Position(fn.End()).Line {
			return fn.Recv, fn.Type
		}
	}
	return nil, nil
}

// fieldNames are the names that lists of parameters or results declare, in their order.
func fieldNames(lists ...*ast.FieldList) (names []string) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// resultsUnnamed gives results the names of those without.
func resultsUnnamed() handler {
	scopes := newScopes()
	return func(p *pipe, m message) {
		scopes.follow(m)
		if x, of := scopes.shown(m); of {
			if _, typ := signatureAt(x.path, x.line); typ != nil {
				for i, name := range fieldNames(typ.Results) {
					for _, v := range m.list("variables") {
						if v["name"] == name && name != "_" {
							v["name"] = fmt.Sprintf("~r%d", i)
						}
					}
				}
			}
		}
		p.pass(m)
	}
}

// lenCapacity asks for the capacity, and for the length of what has none.
func lenCapacity() handler {
	asked := map[any]message{} // the arguments, by request
	again := map[any]any{}     // the request that is asked again, by the second
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "evaluate"):
			if expr, _ := m.body()["expression"].(string); lenOf.MatchString(expr) {
				asked[m["seq"]] = maps.Clone(m.body())
				m.body()["expression"] = lenOf.ReplaceAllString(expr, "cap(")
			}
		case m.is("response", "evaluate") && again[m["request_seq"]] != nil:
			second, _ := m["request_seq"].(float64)
			delete(p.own, second)
			m["request_seq"] = again[second]
			delete(again, second)
		case m.is("response", "evaluate") && asked[m["request_seq"]] != nil:
			args := asked[m["request_seq"]]
			delete(asked, m["request_seq"])
			if m["success"] != true {
				again[ask(p, "evaluate", args)] = m["request_seq"]
				return
			}
		}
		p.pass(m)
	}
}

// assignsParameters knows the types that are shown, for its answer.
func assignsParameters() handler {
	type variable struct{ of, name any }
	scopes := newScopes()
	types := map[variable]any{}
	asked := map[any]any{} // references by request
	return func(p *pipe, m message) {
		scopes.follow(m)
		switch {
		case m.is("event", "stopped"):
			clear(types)
		case m.is("request", "variables"):
			asked[m["seq"]] = m.body()["variablesReference"]
		case m.is("response", "variables"):
			for _, v := range m.list("variables") {
				types[variable{asked[m["request_seq"]], v["name"]}] = v["type"]
			}
			delete(asked, m["request_seq"])
		case m.is("request", "setVariable"):
			x := scopes.of[m.body()["variablesReference"]]
			typ := types[variable{m.body()["variablesReference"], m.body()["name"]}]
			if recv, sig := signatureAt(x.path, x.line); x != (pos{}) && sig != nil && typ != nil {
				for _, name := range fieldNames(recv, sig.Params) {
					if name == m.body()["name"] {
						p.toClient(message{
							"seq": 0, "type": "response", "request_seq": m["seq"], "success": true, "command": "setVariable",
							"body": message{"value": m.body()["value"], "type": typ},
						})
						return
					}
				}
			}
		}
		p.pass(m)
	}
}
