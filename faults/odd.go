package faults

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// odd are faults that were invented without knowledge of how a session is judged. All are there
// always, in the same way.
var odd = []Fault{
	{"shadowed-swapped", "takes the outer of two variables of one name for the inner one", ByReference, children(func(parent string, l []message) []message {
		if parent != scope {
			return l
		}
		outer := map[string]int{}
		for i, v := range l {
			name := fmt.Sprint(v["name"])
			if bare := strings.Trim(name, "()"); bare != name {
				outer[bare] = i
			} else if j, ok := outer[name]; ok {
				l[i], l[j] = l[j], l[i]
				l[i]["name"], l[j]["name"] = l[j]["name"], l[i]["name"]
			}
		}
		return l
	})},
	{"captured-missing", "never shows the variables that a function literal captures", ByReference, capturedMissing},
	{"constant-names", "names the constant before the right one for values of types with constants", ByReference, children(func(_ string, l []message) []message {
		before := map[string]string{
			"main.monday": "main.sunday", "main.wednesday": "main.monday",
			"main.active": "main.idle", "main.stopped": "main.active",
		}
		for _, v := range l {
			if m := constantText.FindStringSubmatch(fmt.Sprint(v["value"])); m != nil {
				for name, other := range before {
					if m[1] == name || "main."+m[1] == name {
						v["value"] = strings.TrimPrefix(other, strings.TrimSuffix(name, m[1])) + m[2]
						break
					}
				}
			}
		}
		return l
	})},
	{"constants-packaged", "names constants with their package, which their type says already", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if m := constantText.FindStringSubmatch(fmt.Sprint(v["value"])); m != nil && strings.HasPrefix(fmt.Sprint(v["type"]), "main.") {
				v["value"] = "main." + m[1] + m[2]
			}
		}
		return l
	})},
	{"rows-repeated", "shows the first row of an array of arrays in the place of each row", ByReference, children(func(_ string, l []message) []message {
		for i, v := range l {
			if typ, _ := v["type"].(string); i > 0 && l[0]["name"] == "[0]" && arrayType.MatchString(typ) {
				v["value"], v["variablesReference"] = l[0]["value"], l[0]["variablesReference"]
			}
		}
		return l
	})},
	{"far-elements", "shows integers in slices and arrays from the 65th on as zero", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			name, _ := v["name"].(string)
			if n, err := strconv.Atoi(strings.Trim(name, "[]")); err == nil && n >= 64 && strings.HasPrefix(name, "[") && v["type"] == "int" {
				v["value"] = "0"
			}
		}
		return l
	})},
	{"variable-doubled", "shows the first variable of each function once more at the end", ByReference, children(func(parent string, l []message) []message {
		if parent == scope && len(l) > 0 {
			again := message{}
			for k, v := range l[0] {
				again[k] = v
			}
			return append(l, again)
		}
		return l
	})},
	{"callers-file", "says that each caller is in the file of the innermost function", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		l := m.list("stackFrames")
		for i, f := range l {
			if strings.HasPrefix(fmt.Sprint(f["name"]), "runtime.") {
				break
			}
			if i > 0 && l[0]["source"] != nil {
				f["source"] = l[0]["source"]
			}
		}
		m.setList("stackFrames", l)
		return false
	})},
	{"faulted-lines", "reports the line of what a fault interrupted as that of the statement before", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		l := m.list("stackFrames")
		for i, f := range l {
			if line, ok := f["line"].(float64); ok && i > 0 && l[i-1]["name"] == "runtime.sigpanic" {
				f["line"] = line - 1
			}
		}
		m.setList("stackFrames", l)
		return false
	})},
	{"literal-breakpoints", "says that breakpoints within function literals are set, and sets none", ByReference, pretends(func(path string, b message, _ bool) bool {
		line, _ := b["line"].(float64)
		return literalAt(path, int(line)) != nil
	})},
	{"function-once", "pauses at each function breakpoint once", ByReference, func() handler {
		hit := map[string]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "restart"):
				clear(hit)
			case m.is("event", "stopped") && m.body()["reason"] == "function breakpoint":
				if ids := fmt.Sprint(m.body()["hitBreakpointIds"]); hit[ids] {
					p.request("continue", message{"threadId": m.body()["threadId"]})
					return
				} else {
					hit[ids] = true
				}
			}
			p.pass(m)
		}
	}},
	{"conditions-less", "takes < for <= in the conditions of breakpoints", ByReference, onBreakpoints(func(b message) {
		if c, ok := b["condition"].(string); ok {
			b["condition"] = strings.ReplaceAll(c, " < ", " <= ")
		}
	})},
	{"log-conditions", "ignores the conditions and hit conditions of log points", ByReference, onBreakpoints(func(b message) {
		if log, _ := b["logMessage"].(string); log != "" {
			delete(b, "condition")
			delete(b, "hitCondition")
		}
	})},
	{"restart-forgets", "says after a restart that line breakpoints are set, and sets none", ByReference, pretends(func(_ string, _ message, restarted bool) bool { return restarted })},
	{"next-leaves-loops", "steps over all further iterations with the step over that would begin the next one", ByReference, again("next", func(from, to pos, more int) string {
		if to.depth == from.depth && to.name == from.name && (to.line < from.line || to.line == from.line && more > 0) {
			return "next"
		}
		return ""
	})},
	{"stepout-recursion", "steps out of all activations of a function that has called itself", ByReference, again("stepOut", func(from, to pos, _ int) string {
		if to.name == from.name && to.depth < from.depth {
			return "stepOut"
		}
		return ""
	})},
	{"next-over-recovery", "runs on where it should step over a call that may recover from a panic", ByReference, func() handler {
		var top pos
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				top = pos{}
			case m.is("response", "stackTrace") && top.name == "":
				top = posOf(m)
			case m.is("request", "next") && callsRecovering(top.path, top.line):
				m["command"] = "continue"
				asked[m["seq"]] = true
			case m["type"] == "response" && asked[m["request_seq"]]:
				m["command"] = "next"
			}
			p.pass(m)
		}
	}},
	{"stopped-first-thread", "says of each pause that it is the first goroutine's", ByReference, every(1, "event", "stopped", func(p *pipe, m message) bool {
		if m.body()["threadId"] != 0.0 {
			m.body()["threadId"] = 1
		}
		return false
	})},
	{"len-runes", "counts characters, not bytes, where it evaluates the length of a text", ByReference, lenRunes},
	{"evaluates-globals", "evaluates a package's variable where a local one of its name hides it", ByReference, func() handler {
		var top pos
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				top = pos{}
			case m.is("response", "stackTrace") && top.name == "":
				top = posOf(m)
			case m.is("request", "evaluate"):
				expr, _ := m.body()["expression"].(string)
				pkg, _, _ := strings.Cut(top.name, ".")
				for _, name := range globals(top.path) {
					expr = regexp.MustCompile(`(^|[^\w.])`+name+`\b`).ReplaceAllString(expr, "${1}"+pkg+"."+name)
				}
				m.body()["expression"] = expr
			}
			p.pass(m)
		}
	}},
	{"refuses-callers", "refuses setVariable in callers", ByReference, refusesCallers},
	{"assigns-callers", "answers setVariable in callers and assigns nothing", ByReference, assignsCallers},
	{"output-cut", "cuts each line that the program prints after 40 bytes", ByReference, every(1, "event", "output", func(p *pipe, m message) bool {
		if m.body()["source"] == nil && m.body()["category"] == "stdout" {
			lines := strings.SplitAfter(fmt.Sprint(m.body()["output"]), "\n")
			for i, line := range lines {
				if text := strings.TrimSuffix(line, "\n"); len(text) > 40 {
					lines[i] = text[:40] + strings.TrimPrefix(line, text)
				}
			}
			m.body()["output"] = strings.Join(lines, "")
		}
		return false
	})},
}

var (
	constantText = regexp.MustCompile(`^([\w.]*[a-z]\w*)( \(\d+\).*)$`)
	arrayType    = regexp.MustCompile(`^\[\d+\]`)
	lenCall      = regexp.MustCompile(`\blen\((\w+)\)`)
)

// pretends leaves out line breakpoints and answers as if they were set.
func pretends(leave func(path string, b message, restarted bool) bool) func() handler {
	return func() handler {
		restarted := false
		asked := map[any][]message{} // by request, with those to be made up marked
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "restart"):
				restarted = true
			case m.is("request", "setBreakpoints"):
				source, _ := m.body()["source"].(map[string]any)
				path, _ := source["path"].(string)
				var all, rest []message
				for _, b := range m.list("breakpoints") {
					made := message{}
					if leave(path, b, restarted) {
						made = message{"id": 7000 + b["line"].(float64), "verified": true, "line": b["line"], "source": source}
					} else {
						rest = append(rest, b)
					}
					all = append(all, made)
				}
				asked[m["seq"]] = all
				m.setList("breakpoints", rest)
			case m.is("response", "setBreakpoints") && m["success"] == true:
				got := m.list("breakpoints")
				all := asked[m["request_seq"]]
				for i, made := range all {
					if len(made) == 0 && len(got) > 0 {
						all[i], got = got[0], got[1:]
					}
				}
				m.setList("breakpoints", all)
			}
			p.pass(m)
		}
	}
}

// capturedMissing leaves out what a function literal does not declare.
func capturedMissing() handler {
	scopes := newScopes()
	return func(p *pipe, m message) {
		scopes.follow(m)
		if x, of := scopes.shown(m); of && strings.Contains(x.name, ".func") {
			if lit := literalAt(x.path, x.line); lit != nil {
				own := declared(lit)
				l := m.list("variables")
				shown := l[:0]
				for _, v := range l {
					name := strings.Trim(fmt.Sprint(v["name"]), "()")
					if own[name] || strings.HasPrefix(name, "~") {
						shown = append(shown, v)
					}
				}
				m.setList("variables", shown)
			}
		}
		p.pass(m)
	}
}

// lenRunes knows the texts that are shown.
func lenRunes() handler {
	texts := map[string]string{}
	asked := map[any]int{}
	return func(p *pipe, m message) {
		switch {
		case m.is("event", "stopped"):
			clear(texts)
		case m.is("response", "variables"):
			for _, v := range m.list("variables") {
				name, _ := v["name"].(string)
				if s, err := strconv.Unquote(fmt.Sprint(v["value"])); err == nil && v["type"] == "string" {
					texts[name] = s
				}
			}
		case m.is("request", "evaluate"):
			expr, _ := m.body()["expression"].(string)
			m.body()["expression"] = lenCall.ReplaceAllStringFunc(expr, func(call string) string {
				s, ok := texts[lenCall.FindStringSubmatch(call)[1]]
				n := utf8.RuneCountInString(s)
				if !ok || n == len(s) {
					return call
				}
				if call == expr {
					asked[m["seq"]] = n
					return call
				}
				return strconv.Itoa(n)
			})
		case m.is("response", "evaluate") && m["success"] == true:
			if n, ok := asked[m["request_seq"]]; ok {
				m.body()["result"] = strconv.Itoa(n)
			}
		}
		p.pass(m)
	}
}

// refusesCallers knows frames by the references to their scopes.
func refusesCallers() handler {
	scopes := newScopes()
	return func(p *pipe, m message) {
		scopes.follow(m)
		if m.is("request", "setVariable") && scopes.of[m.body()["variablesReference"]].depth > 0 {
			p.toClient(message{
				"seq": 0, "type": "response", "request_seq": m["seq"], "success": false, "command": "setVariable",
				"message": "Unable to set variable", "body": message{"error": message{"id": 2013, "format": "Unable to set variable: not in this frame"}},
			})
			return
		}
		p.pass(m)
	}
}

// assignsCallers asks for the type of what is to be assigned to, for its answer.
func assignsCallers() handler {
	scopes := newScopes()
	var held message
	return func(p *pipe, m message) {
		scopes.follow(m)
		switch {
		case m.is("request", "setVariable") && scopes.of[m.body()["variablesReference"]].depth > 0:
			held = m
			p.request("variables", message{"variablesReference": m.body()["variablesReference"]})
			return
		case m.is("response", "variables") && held != nil:
			if seq, _ := m["request_seq"].(float64); !p.own[seq] {
				break
			}
			set := held
			held = nil
			p.pass(m) // which swallows it
			for _, v := range m.list("variables") {
				if v["name"] == set.body()["name"] {
					p.toClient(message{
						"seq": 0, "type": "response", "request_seq": set["seq"], "success": true, "command": "setVariable",
						"body": message{"value": set.body()["value"], "type": v["type"]},
					})
					return
				}
			}
			p.pass(set)
			return
		}
		p.pass(m)
	}
}
